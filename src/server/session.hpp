// One connection, from the TLS handshake to the last byte, as a state machine: each step does what
// the socket allows and then waits for it once. It owns no timer; its loop compares deadlines.
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
#include "server/handler.hpp"
#include "server/incidents.hpp"
#include "server/limits.hpp"
#include "server/request_parser.hpp"
#include "server/request_rules.hpp"
#include "server/socket_buffers.hpp"
#include "server/tls_stream.hpp"

namespace dynamo::server {

class Session;

// What all loops' unfinished bodies, and answers that wait, take together.
struct BodyMemory {
  std::atomic<std::size_t> bytes{0};
  // What a loop may take without asking the others; it takes more while all have less than `bound`.
  const std::size_t share_of_loop;
  const std::size_t bound;
};

// One loop among the others; what it points to is theirs, too, and must outlive it.
struct LoopPlace {
  BodyMemory& body_memory;
  HolderTable& table;
  std::size_t number;  // from 0
};

// What the connections of one event loop share. Used by the loop's thread only, but for `phase`,
// which any thread may move, `incidents` and `place`.
struct LoopResources {
  boost::asio::io_context& io;
  const Limits& limits;
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
  LoopPlace place;
  ConnectionBudget budget{place.table, place.number};
  WideSockets wide_sockets{};
};

// Lives on its loop's thread. Destroy it in on_end, or when that thread is no more.
class Session : public BudgetEntry {
 public:
  // Takes over `socket`, connected and non-blocking. Throws std::bad_alloc, or
  // boost::system::system_error when the loop cannot watch the socket; the socket is closed then.
  Session(LoopResources& loop, runtime::FileDescriptor socket, std::shared_ptr<SSL_CTX> context);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Begins the handshake. May call on_end.
  void start();

  // Called by the loop's sweep: acts if the deadline of the present state has passed.
  void check_deadline(std::chrono::steady_clock::time_point now);

  // Called by the loop's sweep as long as clients must show a certificate: one that would not be
  // let in any more may finish the request on its way, soon. See ClientTrust for `verifications`.
  void judge_client(const ServedTrust& now_served, ClientTrust::WallTime now, int& verifications);

  // The phase has become kStopping: an idle connection is closed in good order, a request on its
  // way goes on. A connection that is too young to have asked gets a moment to do so.
  void stop_when_idle();

  // Ends the connection at once because another one needs its place. May call on_end.
  void give_way();

  // Are so many connections open that holders have to keep to their quotas?
  static bool quotas_bite(const LoopResources& loop);

  // Ends connections of this holder on this loop, but not `spared`, while it has more than its
  // quota, all loops together, and has to keep to it: HolderTable::ask_above(). May call on_end.
  static void keep_quota_of(LoopResources& loop, const HolderKey& key, bool they_bite,
                            const Session* spared);

  // Bytes of the peer have come that were not looked at yet: perhaps a request.
  bool has_news();

  // For the owner's list, see EventLoop.
  std::size_t position = 0;

 private:
  using TimePoint = std::chrono::steady_clock::time_point;

  enum class State : std::uint8_t {
    kHandshake,
    kHeader,  // nothing of a request is here yet, or a part of its header
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

  Step take_step();
  Step do_handshake();
  std::chrono::milliseconds time_to_ask() const;  // from the end of the handshake on
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

  // The answers that the endpoint gives by itself; each is the last one on its connection.
  Step refuse(const Refusal& refusal);
  Step refuse_by_limit(Limit limit, const Refusal& refusal);
  void answer_late(const Refusal& refusal);
  void compose_refusal(const Refusal& refusal);

  // In session_budget.cpp.
  void join_budget();
  void know_client();
  void keep_quota();
  void begin_receiving(std::size_t buffer_bytes);
  void charge_body(std::size_t bytes);
  void end_receiving();
  void make_room_for_body(std::size_t more);
  bool lacks_memory(std::size_t more) const;
  bool hold_answer();
  void give_body_up();
  void begin_flow();
  void notice_stall(TimePoint now);
  Eviction doing() const;

  void begin_request(TimePoint now);
  void finish_request();
  void keep_what_follows();
  void start_body_deadline();
  void leave_in_flight();
  void give_back_buffers();

  std::string_view slice(std::size_t offset, std::size_t size) const {
    return {buffer_.data() + offset, size};
  }
  bool serving() const {
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

  Buffer buffer_;           // header, then the body when its length is known
  Buffer chunks_;           // the decoded body when it is chunked
  std::size_t filled_ = 0;  // bytes of buffer_
  std::size_t parsed_ = 0;  // bytes of buffer_ that the parser needs no more
  std::size_t header_size_ = 0;
  std::size_t body_size_ = 0;    // announced, or decoded so far
  std::size_t request_end_ = 0;  // in buffer_: what follows belongs to the next request
  // The target's parts in buffer_, by offset because a large body moves the buffer.
  std::size_t path_offset_ = 0;
  std::size_t path_size_ = 0;
  std::size_t query_offset_ = 0;
  std::size_t query_size_ = 0;

  std::string pending_;  // of an answer that the socket did not take at once
  std::size_t pending_sent_ = 0;

  ClientTrust client_;
  TimePoint close_by_ = TimePoint::max();  // the client is not trusted any more

  TimePoint deadline_;            // of the present state
  TimePoint request_started_;     // the first bytes had come
  TimePoint flow_started_;        // of the window of kFlowWindow, of a body or of pending_
  std::size_t flow_counted_ = 0;  // its bytes before that window
  TimePoint request_deadline_;    // from ?timeout=

  State state_ = State::kHandshake;
  State next_ = State::kHeader;  // after kWriting
  bool waiting_ = false;         // a handler with our address is on its way
  bool yields_ = false;          // and it goes on by itself
  bool has_fresh_ = false;       // buffer_ has bytes that the parser has not seen
  bool in_flight_ = false;
  bool close_after_answer_ = false;
  bool has_served_ = false;
  int budget_ = 0;  // of this turn, so that one client cannot keep the loop
};

}  // namespace dynamo::server
