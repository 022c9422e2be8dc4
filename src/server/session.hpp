// One connection, from the TLS handshake to the last byte, as a state machine: each step does what
// the socket allows and then waits for it once. It has no timer; its loop compares deadlines.
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "runtime/clock.hpp"
#include "runtime/file_descriptor.hpp"
#include "server/answer_text.hpp"
#include "server/arrival.hpp"
#include "server/buffer_pool.hpp"
#include "server/client_trust.hpp"
#include "server/connection_budget.hpp"
#include "server/eviction_policy.hpp"
#include "server/handler.hpp"
#include "server/incidents.hpp"
#include "server/limits.hpp"
#include "server/request_parser.hpp"
#include "server/socket_buffers.hpp"
#include "server/tls_stream.hpp"
#include "text/http_target.hpp"

namespace dynamo::server {

class Session;

// Shared by the connections of one event loop. Used only by the loop's thread, except `phase`,
// which any thread may change, `incidents` and `place`.
struct LoopResources {
  boost::asio::io_context& io;
  const ServerLimits& limits;
  const std::atomic<ServingPhase>& phase;
  const runtime::Clock& clock;
  Incidents& incidents;
  std::unique_ptr<RequestHandler> handler;
  std::function<void(Session&)> on_end;  // the session may be destroyed now
  ArrivalClock arrivals;
  BufferPool buffers;
  HttpAnswer answer;
  std::string output;  // the answer as sent
  DateField date;
  LoopShare place;
  ConnectionBudget budget{place.table, place.number};
  EvictionPolicy eviction{limits, incidents, place, budget};
  WideSockets wide_sockets{};
};

// Lives on its loop's thread. Destroy it in on_end, or after that thread has ended.
class Session final : public BudgetEntry {
 public:
  // Takes ownership of `socket`, connected and non-blocking. Throws std::bad_alloc, or
  // boost::system::system_error if the loop cannot watch the socket; the socket is then closed.
  Session(LoopResources& loop, runtime::FileDescriptor socket, std::shared_ptr<SSL_CTX> context);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Starts the handshake. May call on_end.
  void start();

  // Called by the loop's sweep: acts if the deadline of the current state has passed.
  void check_deadline(std::chrono::steady_clock::time_point now);

  // Called by the loop's sweep while clients must show a certificate. A client that would be
  // refused now may still finish its current request, within a short time. See ClientTrust for
  // `verifications`.
  void check_client(const ServedTrust& now_served, ClientTrust::WallTime now, int& verifications);

  // Called after the phase has become kStopping: closes an idle connection cleanly and lets a
  // current request finish. A new connection without a request gets a short time to send one.
  void stop_when_idle();

  // Of BudgetEntry. The first two may call on_end.
  void evict() override;
  void drop_body() override;
  bool has_unread_data() override;

  // For the owner's list, see EventLoop.
  std::size_t position = 0;

 private:
  using TimePoint = std::chrono::steady_clock::time_point;

  enum class State : std::uint8_t {
    kHandshake,
    kHeader,  // before a request, or within its header
    kBody,
    kWriting,
    kLingering,  // the last answer and close_notify are sent; reads until the peer closes
    kClosed,
  };
  enum class Step : std::uint8_t { kGoOn, kWaitRead, kWaitWrite, kYield, kStop };

  void run();
  void on_ready();
  void wait(Step step);
  void end_if_closed();
  void end_without_memory();

  Step take_step();
  Step do_handshake();
  std::chrono::milliseconds time_to_ask() const;  // after the handshake
  Step read_header();
  Step read_more(std::size_t end);
  Step on_header();
  Step read_body();
  Step read_chunks();
  Step answer_request(std::span<char> body);
  Step send(std::string_view bytes, State next);
  Step wait_to_send(std::string_view rest, Step wait);
  Step write_pending();
  Step after_write();
  Step linger();
  Step close_in_order();
  Step close_now();

  // Answers of the endpoint itself; each is the last one on its connection.
  Step refuse(const RequestRefusal& refusal);
  Step refuse_by_limit(Limit limit, const RequestRefusal& refusal);
  void answer_late(const RequestRefusal& refusal);
  void compose_refusal(const RequestRefusal& refusal);

  void join_budget();
  void charge_by_certificate();
  void begin_receiving(std::size_t buffer_bytes);
  void end_receiving();
  bool hold_answer();
  void begin_flow();
  void detect_stall(TimePoint now);
  Eviction activity() const;

  void begin_request(TimePoint now);
  void finish_request();
  void keep_what_follows();
  void start_body_deadline();
  void leave_in_flight();
  void give_back_buffers();

  std::string_view slice(std::size_t offset, std::size_t size) const {
    return {buffer_.data() + offset, size};
  }
  // Valid from the end of the header on. A large body moves the buffer with it.
  text::RequestTarget target() const;
  bool is_serving() const {
    return loop_.phase.load(std::memory_order_relaxed) == ServingPhase::kServing;
  }
  bool has_waiting_bytes();
  bool is_idle() const { return state_ == State::kHeader && filled_ == 0; }
  TimePoint now() const { return loop_.clock.monotonic(); }

  LoopResources& loop_;
  boost::asio::posix::basic_stream_descriptor<boost::asio::io_context::executor_type> socket_;
  ReceiveBuffer receive_buffer_;
  TlsStream tls_;
  std::optional<RequestParser> parser_;

  Buffer buffer_;           // header, then the body if its length is known
  Buffer chunks_;           // the decoded body if it is chunked
  std::size_t filled_ = 0;  // bytes of buffer_
  std::size_t parsed_ = 0;  // bytes of buffer_ that the parser no longer needs
  std::size_t header_size_ = 0;
  std::size_t body_size_ = 0;    // announced, or decoded so far
  std::size_t request_end_ = 0;  // in buffer_: the next request starts here

  std::string pending_;  // the part of an answer that the socket has not accepted yet
  std::size_t pending_sent_ = 0;

  ClientTrust client_;
  TimePoint close_by_ = TimePoint::max();  // the client is no longer trusted

  TimePoint deadline_;            // of the current state
  TimePoint request_started_;     // arrival of the first bytes
  TimePoint flow_started_;        // start of the current kFlowWindow, for a body or pending_
  std::size_t flow_counted_ = 0;  // bytes before that window
  TimePoint request_deadline_;    // from ?timeout=

  State state_ = State::kHandshake;
  State next_ = State::kHeader;  // after kWriting
  bool waiting_ = false;         // a handler with our address is queued
  bool yields_ = false;          // and it is already due
  bool has_fresh_ = false;       // buffer_ has bytes that the parser has not seen
  bool in_flight_ = false;
  bool close_after_answer_ = false;
  bool has_served_ = false;
  int budget_ = 0;  // of this run, so that one client cannot monopolise the loop
};

}  // namespace dynamo::server
