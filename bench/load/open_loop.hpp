// Sends requests on a schedule that does not depend on the responses, over a fixed number of
// connections, and records when each response is complete.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/system/error_code.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "bench/load/connection.hpp"
#include "bench/load/requests.hpp"

namespace dynamo::bench {

struct LoadPlan {
  boost::asio::ip::tcp::endpoint server;
  std::uint64_t rate = 0;  // requests per second
  std::chrono::seconds duration{};
  std::size_t connections = 0;
  // A connection is replaced after this many; 0: never.
  std::uint64_t requests_per_connection = 0;
  // From the scheduled moment to the end of the response.
  std::chrono::nanoseconds timeout{};
};

// A request as written to the file: 16 bytes, little-endian. Times in µs.
struct Record {
  std::uint32_t due;      // its scheduled moment, since the start
  std::uint32_t delay;    // from there until it was sent
  std::uint32_t latency;  // from the scheduled moment until the result is known
  std::uint16_t request;
  Outcome outcome;
};
static_assert(sizeof(Record) == 16);

struct LoadSummary {
  std::uint64_t opened = 0;        // connections
  std::uint64_t failed_opens = 0;  // connections that never completed a handshake
  std::uint64_t idle_ends = 0;     // connections that the server closed between requests
  std::set<std::string> leaves;    // digests of the certificates seen
  std::string first_failure;       // of a connection; empty if none failed
};

// Request i is due at start + i / rate. It takes the connection that has been idle longest, or
// waits for one. Belongs to the loop's thread.
class OpenLoop final : private ConnectionOwner {
 public:
  // Everything given must outlive it. `started` is called once, when all connections are open and
  // the schedule starts.
  OpenLoop(boost::asio::io_context& loop, boost::asio::ssl::context& tls, const Requests& requests,
           const LoadPlan& plan, std::function<void()> started);

  // Runs the loop until every request has a result. Returns false if not all connections were open
  // within a minute; then it has no records.
  bool run();

  const std::vector<Record>& records() const { return records_; }
  const LoadSummary& summary() const { return summary_; }

 private:
  using Clock = std::chrono::steady_clock;

  struct Pending {
    Clock::time_point due;
    std::uint16_t request = 0;
  };
  enum class State : std::uint8_t { kClosed, kOpening, kIdle, kBusy };
  struct Slot {
    State state = State::kClosed;
    std::shared_ptr<Connection> connection;
    Clock::time_point since;  // of kOpening and kBusy
    std::uint64_t responses = 0;
    Pending pending;  // while busy
  };

  void on_open(std::size_t slot, const std::string& leaf) override;
  void on_response(std::size_t slot, Outcome outcome, bool is_reusable) override;
  void on_end(std::size_t slot, const boost::system::error_code& error) override;

  void sweep();
  void expire(Clock::time_point now);
  void open_closed(Clock::time_point now);
  void start();
  void issue();
  void send(std::size_t slot, const Pending& pending);
  void make_idle(std::size_t slot);
  void close(std::size_t slot);
  void record(const Pending& pending, Clock::time_point sent, Outcome outcome);
  void end_if_complete();

  boost::asio::io_context& loop_;
  boost::asio::ssl::context& tls_;
  const Requests& requests_;
  const LoadPlan plan_;
  const std::uint64_t total_;
  const std::function<void()> started_;
  boost::asio::steady_timer schedule_;
  boost::asio::steady_timer sweeps_;
  std::vector<Slot> slots_;
  std::deque<std::size_t> idle_;  // slots, the one idle longest first
  std::deque<Pending> waiting_;   // due, without a connection
  std::size_t opening_ = 0;
  Clock::time_point began_;  // of opening
  Clock::time_point start_;  // of the schedule
  bool is_started_ = false;
  std::uint64_t issued_ = 0;
  std::vector<Record> records_;
  LoadSummary summary_;
};

}  // namespace dynamo::bench
