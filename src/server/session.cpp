#include "server/session.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <boost/asio/post.hpp>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <utility>

#include "server/peer_key.hpp"
#include "server/request_deadline.hpp"
#include "text/http_status.hpp"

namespace dynamo::server {

namespace {

using std::chrono::steady_clock;

// Work of one connection before others on its loop are served, in bytes read; an answer counts as
// kAnswerCost.
constexpr int kTurnBudget = 1024 * 1024;
constexpr int kAnswerCost = 32 * 1024;
// Minimum cost of a read: a record may contain a single byte.
constexpr int kLeastReadCost = 512;

// How long a client that is no longer trusted may take for its current request.
constexpr std::chrono::seconds kDistrustGrace{10};

// A slot for a request that is being answered, unless all are in use.
class Slot {
 public:
  Slot(std::atomic<std::int64_t>& taken, std::size_t most)
      : taken_(taken),
        is_taken_(taken.fetch_add(1, std::memory_order_relaxed) < static_cast<std::int64_t>(most)) {
  }
  ~Slot() { taken_.fetch_sub(1, std::memory_order_relaxed); }
  Slot(const Slot&) = delete;
  Slot& operator=(const Slot&) = delete;

  bool is_taken() const { return is_taken_; }

 private:
  std::atomic<std::int64_t>& taken_;
  const bool is_taken_;
};

}  // namespace

Session::Session(LoopResources& loop, runtime::FileDescriptor socket,
                 std::shared_ptr<SSL_CTX> context)
    : loop_(loop),
      socket_(loop.io, socket.get()),
      receive_buffer_(socket.get(), loop.wide_sockets),
      tls_(std::move(context), socket.release()),
      deadline_(now() + loop.limits.handshake_timeout) {
  join_budget();
}

Session::~Session() {
  leave_in_flight();
  end_receiving();
  loop_.budget.leave(*this);
}

void Session::start() {
  loop_.eviction.enforce_quota(*this);
  on_ready();
  end_if_closed();
}

void Session::on_ready() {
  try {
    run();
  } catch (const std::bad_alloc&) {
    loop_.incidents.out_of_memory(socket_.native_handle());
    end_without_memory();
  } catch (const std::exception& error) {
    loop_.incidents.defect("", error.what());
    close_now();
  }
}

// The answer is a constant, and the rest of the way may fail again.
void Session::end_without_memory() {
  bool in_request = state_ == State::kBody || (state_ == State::kHeader && filled_ > 0);
  try {
    if (is_idle()) {  // a request may have arrived for which buffer_ could not be allocated
      char first = 0;
      in_request = tls_.read({&first, 1}).status == TlsStatus::kDone;
    }
    if (in_request) tls_.write(text::kNoMemoryResponse);
    if (in_request || state_ == State::kHandshake || state_ == State::kHeader) {
      close_in_order();
      wait(Step::kWaitRead);
    } else {
      close_now();
    }
  } catch (const std::exception&) {
    close_now();
  }
}

void Session::end_if_closed() {
  if (state_ == State::kClosed && !waiting_) loop_.on_end(*this);
}

void Session::run() {
  budget_ = kTurnBudget;
  for (;;) {
    const Step step = take_step();
    if (step == Step::kStop) return;
    if (step != Step::kGoOn) return wait(step);
    if (budget_ <= 0) return wait(Step::kYield);
  }
}

Session::Step Session::take_step() {
  switch (state_) {
    case State::kHandshake:
      return do_handshake();
    case State::kHeader:
      return read_header();
    case State::kBody:
      return parser_->chunked() ? read_chunks() : read_body();
    case State::kWriting:
      return write_pending();
    case State::kLingering:
      return linger();
    case State::kClosed:
      break;
  }
  return Step::kStop;
}

// The handler runs later on this thread, so the marks may follow the calls, which may throw.
void Session::wait(Step step) {
  if (step == Step::kYield) {
    boost::asio::post(loop_.io, [this] {
      waiting_ = false;
      yields_ = false;
      on_ready();
      end_if_closed();
    });
    waiting_ = true;
    yields_ = true;
    return;
  }
  using Descriptor = boost::asio::posix::descriptor_base;
  const auto type = step == Step::kWaitWrite ? Descriptor::wait_write : Descriptor::wait_read;
  socket_.async_wait(type, [this](const boost::system::error_code& error) {
    waiting_ = false;
    if (!error) {
      on_ready();
    } else {
      close_now();
    }
    end_if_closed();
  });
  waiting_ = true;
}

Session::Step Session::do_handshake() {
  switch (tls_.handshake().status) {
    case TlsStatus::kDone:
      state_ = State::kHeader;
      deadline_ = now() + time_to_ask();
      charge_by_certificate();
      client_.begin(tls_.connection());
      return Step::kGoOn;
    case TlsStatus::kWantRead:
      return Step::kWaitRead;
    case TlsStatus::kAgain:
      return Step::kYield;
    case TlsStatus::kWantWrite:
      return Step::kWaitWrite;
    case TlsStatus::kClosed:
    case TlsStatus::kFailed:
      break;
  }
  loop_.incidents.handshake_failed(tls_.handshake_failure(), tls_.failure_text(),
                                   !tls_.has_received(), socket_.native_handle());
  // A clean close, so that the peer reads OpenSSL's alert and not a reset.
  return tls_.handshake_failure() == HandshakeFailure::kEof ? close_now() : close_in_order();
}

std::chrono::milliseconds Session::time_to_ask() const {
  const auto usual = loop_.limits.header_timeout;
  const bool stops = loop_.phase.load(std::memory_order_relaxed) == ServingPhase::kStopping;
  return stops ? std::min(usual, kFreshGrace) : usual;
}

// Reads once into buffer_ up to offset `end`. Step::kGoOn: there are more bytes in it.
Session::Step Session::read_more(std::size_t end) {
  const TlsResult result = tls_.read({buffer_.data() + filled_, end - filled_});
  switch (result.status) {
    case TlsStatus::kDone:
      filled_ += result.bytes;
      budget_ -= std::max(static_cast<int>(result.bytes), kLeastReadCost);
      has_fresh_ = true;
      return Step::kGoOn;
    case TlsStatus::kWantRead:
      return Step::kWaitRead;
    case TlsStatus::kAgain:
      return Step::kYield;
    case TlsStatus::kWantWrite:
      return Step::kWaitWrite;
    case TlsStatus::kClosed:
    case TlsStatus::kFailed:
      break;
  }
  if (tls_.has_only_empty_records()) {
    loop_.incidents.handshake_failed(HandshakeFailure::kOther,
                                     "records of TLS came, and no data in them", false,
                                     socket_.native_handle());
  }
  tls_.close_notify();
  return close_now();
}

Session::Step Session::read_header() {
  if (has_fresh_) {
    has_fresh_ = false;
    std::size_t consumed = 0;
    const auto progress = parser_->parse_header(slice(parsed_, filled_ - parsed_), consumed);
    parsed_ += consumed;
    switch (progress) {
      case RequestParser::Progress::kHeader:
      case RequestParser::Progress::kDone:
        if (parsed_ <= kMaxHeaderBytes) return on_header();
        [[fallthrough]];
      case RequestParser::Progress::kHeaderTooLong:
        filled_ = kMaxHeaderBytes;
        [[fallthrough]];
      case RequestParser::Progress::kMore:
        if (filled_ < kMaxHeaderBytes) break;
        return refuse_by_limit(Limit::kHeader,
                               {431, "request line and headers must not exceed " +
                                         std::to_string(kMaxHeaderBytes) + " bytes, found more"});
      case RequestParser::Progress::kBroken:
      case RequestParser::Progress::kBodyTooLong:
        return refuse(
            {400, "the request must be well-formed HTTP/1.1, found: " + parser_->broken_text()});
    }
  }
  if (!buffer_) buffer_ = loop_.buffers.acquire();
  const Step step = read_more(buffer_.capacity() - kBodyPadding);
  if (state_ == State::kClosed) return step;
  if (step != Step::kGoOn) {
    if (filled_ == 0) give_back_buffers();
    return step;
  }
  if (!parser_) begin_request(now());
  return Step::kGoOn;
}

void Session::begin_request(TimePoint now) {
  parser_.emplace(loop_.limits.max_body_bytes);
  request_started_ = loop_.arrivals.arrived(socket_.native_handle(), now);
  request_deadline_ = TimePoint::max();
  deadline_ = now + loop_.limits.header_timeout;
}

text::RequestTarget Session::target() const {
  return text::split_target(slice(parser_->target_offset(), parser_->target_size()));
}

// The header is complete: decides whether the body is wanted.
Session::Step Session::on_header() {
  header_size_ = parsed_;
  const auto [path, query] = target();
  if (loop_.phase.load(std::memory_order_relaxed) == ServingPhase::kStopping) {
    return refuse_by_limit(Limit::kDraining,
                           {503, "the server is stopping; ask another one", kRetryAfterLine});
  }
  if (const auto refusal =
          refusal_of(*parser_, path, *loop_.handler, loop_.limits.max_body_bytes)) {
    return refusal->status == 413 ? refuse_by_limit(Limit::kBody, *refusal) : refuse(*refusal);
  }
  in_flight_ = true;
  loop_.incidents.counters().requests_in_flight.fetch_add(1, std::memory_order_relaxed);
  close_after_answer_ = !parser_->keep_alive() || parser_->is_http_1_0();
  if (const auto timeout = timeout_in_query(query)) {
    request_deadline_ = request_started_ +
                        std::chrono::duration_cast<steady_clock::duration>(usable_part(*timeout));
  }
  state_ = State::kBody;
  has_fresh_ = filled_ > parsed_;
  body_size_ = parser_->chunked() ? 0 : parser_->content_length().value_or(0);
  request_end_ = header_size_ + body_size_;
  const bool is_complete = !parser_->chunked() && filled_ >= request_end_;
  if (!is_complete) begin_receiving(request_end_ + kBodyPadding);
  if (request_end_ + kBodyPadding > buffer_.capacity()) {
    Buffer larger = loop_.buffers.acquire(request_end_ + kBodyPadding);
    std::memcpy(larger.data(), buffer_.data(), filled_);
    loop_.buffers.release(std::exchange(buffer_, std::move(larger)));
  }
  if (is_complete) return Step::kGoOn;
  start_body_deadline();
  // A client that already sends the body does not wait for 100 Continue.
  if (parser_->expects_continue() && !has_fresh_) return send(kContinue, State::kBody);
  return Step::kGoOn;
}

void Session::start_body_deadline() {
  deadline_ = std::min({now() + loop_.limits.body_timeout, request_deadline_, close_by_});
}

Session::Step Session::read_body() {
  if (filled_ < request_end_) return read_more(request_end_);
  return answer_request({buffer_.data() + header_size_, body_size_});
}

Session::Step Session::read_chunks() {
  const std::size_t most = buffer_.capacity() - kBodyPadding;
  if (has_fresh_) {
    has_fresh_ = false;
    std::size_t consumed = 0;
    const auto progress = parser_->parse_chunks(slice(parsed_, filled_ - parsed_), consumed,
                                                loop_.buffers, chunks_, body_size_);
    parsed_ += consumed;
    switch (progress) {
      case RequestParser::Progress::kDone:
        request_end_ = parsed_;
        return answer_request({chunks_.data(), body_size_});
      case RequestParser::Progress::kBodyTooLong:
        return refuse_by_limit(Limit::kBody, {413, "the body must not exceed " +
                                                       std::to_string(loop_.limits.max_body_bytes) +
                                                       " bytes, found more in chunks"});
      case RequestParser::Progress::kMore:
      case RequestParser::Progress::kHeader:
        break;
      case RequestParser::Progress::kBroken:
      case RequestParser::Progress::kHeaderTooLong:
        return refuse(
            {400, "the chunks of the body must be well-formed, found: " + parser_->broken_text()});
    }
    loop_.eviction.charge_body(*this, buffer_.capacity() + chunks_.capacity());
    // The header stays, for the path; the unparsed bytes move down behind it.
    const std::size_t rest = filled_ - parsed_;
    std::memmove(buffer_.data() + header_size_, buffer_.data() + parsed_, rest);
    parsed_ = header_size_;
    filled_ = header_size_ + rest;
    if (filled_ == most) {
      return refuse({400,
                     "the chunks of the body must be well-formed, found: a size line or "
                     "trailers of more than " +
                         std::to_string(rest - 1) + " bytes"});
    }
  }
  return read_more(most);
}

Session::Step Session::answer_request(std::span<char> body) {
  if (request_deadline_ != TimePoint::max() && now() >= request_deadline_) {
    return refuse_by_limit(Limit::kDeadline,
                           {503,
                            "the body must be complete within the timeout that the request "
                            "named, less a margin; it came too late",
                            kRetryAfterLine});
  }
  end_receiving();
  const Slot slot(loop_.incidents.counters().requests_complete, loop_.limits.max_in_flight);
  if (!slot.is_taken()) {
    return refuse_by_limit(Limit::kInFlight,
                           {503,
                            "at most " + std::to_string(loop_.limits.max_in_flight) +
                                " requests may be in flight; ask again",
                            kRetryAfterLine});
  }
  HttpAnswer& answer = loop_.answer;
  answer.clear();
  // The next request may already be in the padding that the handler expects to be zero.
  std::array<char, kBodyPadding> covered;
  char* const padding = body.data() + body.size();
  std::memcpy(covered.data(), padding, kBodyPadding);
  std::memset(padding, 0, kBodyPadding);
  const auto [path, query] = target();
  bool is_defect = false;
  try {
    loop_.handler->handle({path, query, body, request_deadline_}, answer);
  } catch (const std::bad_alloc&) {
    throw;  // no defect: on_ready() answers 503
  } catch (const std::exception& error) {
    is_defect = true;
    loop_.incidents.defect(path, error.what());
  } catch (...) {
    is_defect = true;
    loop_.incidents.defect(path, "not an exception of the standard library");
  }
  std::memcpy(padding, covered.data(), kBodyPadding);
  leave_in_flight();
  if (is_defect) {
    return refuse({500, "a defect of the server stopped the request; its log says where"});
  }

  if (answer.status >= 400 && answer.status < 500) {
    loop_.incidents.bad_request(answer.status, answer.body, socket_.native_handle());
  }
  const bool unavailable = answer.status == 503;
  if (unavailable || !is_serving() || close_by_ != TimePoint::max()) close_after_answer_ = true;
  clear_answer_buffer(loop_.output);
  append_answer(loop_.output,
                {answer.status, answer.content_type, close_after_answer_, false,
                 unavailable ? kRetryAfterLine : std::string_view()},
                answer.body, loop_.date);
  return send(loop_.output, close_after_answer_ ? State::kLingering : State::kHeader);
}

// Sends what the socket accepts immediately and keeps the rest.
Session::Step Session::send(std::string_view bytes, State next) {
  next_ = next;
  while (!bytes.empty()) {
    const TlsResult result = tls_.write(bytes);
    if (result.status == TlsStatus::kDone) {
      bytes.remove_prefix(result.bytes);
      continue;
    }
    if (result.status == TlsStatus::kClosed || result.status == TlsStatus::kFailed) {
      return close_now();
    }
    return wait_to_send(
        bytes, result.status == TlsStatus::kWantWrite ? Step::kWaitWrite : Step::kWaitRead);
  }
  return after_write();
}

// While it waits, the request is released, unless its body is still arriving.
Session::Step Session::wait_to_send(std::string_view rest, Step wait) {
  state_ = State::kWriting;  // first: a part of the answer is sent, whatever fails now
  pending_.assign(rest);
  pending_sent_ = 0;
  begin_flow();
  deadline_ = std::min(flow_started_ + loop_.limits.body_timeout, close_by_);
  loop_.budget.set_eviction_class(*this, EvictionClass::kBusy);
  if (next_ == State::kBody) return wait;
  receive_buffer_.narrow(socket_.native_handle());
  if (next_ == State::kHeader) {
    keep_what_follows();
  } else {
    give_back_buffers();
  }
  return hold_answer() ? wait : close_now();
}

Session::Step Session::write_pending() {
  while (pending_sent_ < pending_.size()) {
    const TlsResult result = tls_.write(std::string_view(pending_).substr(pending_sent_));
    switch (result.status) {
      case TlsStatus::kDone:
        pending_sent_ += result.bytes;
        break;
      case TlsStatus::kWantRead:
      case TlsStatus::kAgain:
        return Step::kWaitRead;
      case TlsStatus::kWantWrite:
        return Step::kWaitWrite;
      case TlsStatus::kClosed:
      case TlsStatus::kFailed:
        return close_now();
    }
  }
  pending_ = {};
  if (next_ == State::kBody) {
    start_body_deadline();
    begin_flow();
    loop_.budget.set_eviction_class(*this, EvictionClass::kReceiving);
    loop_.budget.set_memory_class(*this, MemoryClass::kBody);
  } else {
    end_receiving();
  }
  return after_write();
}

Session::Step Session::after_write() {
  if (next_ == State::kLingering) return close_in_order();
  state_ = next_;
  if (next_ == State::kBody) return Step::kGoOn;
  finish_request();
  budget_ -= kAnswerCost;
  // Waiting reports bytes that have already arrived, so the socket need not be read first.
  return filled_ > 0 || tls_.has_pending() ? Step::kGoOn : Step::kWaitRead;
}

void Session::finish_request() {
  has_served_ = true;
  loop_.budget.set_eviction_class(*this, EvictionClass::kIdle);
  parser_.reset();
  keep_what_follows();
  has_fresh_ = filled_ > 0;
  if (filled_ == 0) {
    deadline_ = now() + loop_.limits.idle_timeout;
    return;
  }
  begin_request(now());
}

// The buffer of a large body never contains a part of the next request.
void Session::keep_what_follows() {
  const std::size_t rest = filled_ - request_end_;
  if (rest == 0) {
    give_back_buffers();
  } else {
    std::memmove(buffer_.data(), buffer_.data() + request_end_, rest);
    loop_.buffers.release(std::move(chunks_));
  }
  filled_ = rest;
  parsed_ = request_end_ = 0;
}

void Session::compose_refusal(const RequestRefusal& refusal) {
  clear_answer_buffer(loop_.output);
  const bool omit_body = parser_ && parser_->is_head();
  append_answer(loop_.output, {refusal.status, kTextPlain, true, omit_body, refusal.extra},
                refusal.text + "\n", loop_.date);
}

Session::Step Session::refuse(const RequestRefusal& refusal) {
  leave_in_flight();
  if (refusal.status < 500) {
    loop_.incidents.bad_request(refusal.status, refusal.text, socket_.native_handle());
  }
  compose_refusal(refusal);
  return send(loop_.output, State::kLingering);
}

Session::Step Session::refuse_by_limit(Limit limit, const RequestRefusal& refusal) {
  loop_.incidents.rejected(limit, socket_.native_handle());
  return refuse(refusal);
}

// Reads and discards what the peer still sends: closing with unread bytes would reset the
// connection and could lose our last answer.
Session::Step Session::linger() {
  std::array<char, 4096> dropped;
  for (;;) {
    const ssize_t received = ::recv(socket_.native_handle(), dropped.data(), dropped.size(), 0);
    if (received < 0 && errno == EINTR) continue;
    if (received < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return Step::kWaitRead;
    if (received <= 0) return close_now();
    budget_ -= static_cast<int>(received);
    if (budget_ <= 0) return Step::kGoOn;
  }
}

Session::Step Session::close_in_order() {
  leave_in_flight();
  end_receiving();
  give_back_buffers();
  loop_.budget.set_eviction_class(*this, EvictionClass::kNoProgress);
  tls_.close_notify();
  ::shutdown(socket_.native_handle(), SHUT_WR);
  state_ = State::kLingering;
  deadline_ = now() + kLingerTimeout;
  return Step::kGoOn;
}

Session::Step Session::close_now() {
  leave_in_flight();
  end_receiving();
  give_back_buffers();
  loop_.budget.leave(*this);
  boost::system::error_code ignored;
  socket_.close(ignored);
  state_ = State::kClosed;
  return Step::kStop;
}

void Session::leave_in_flight() {
  if (!std::exchange(in_flight_, false)) return;
  loop_.incidents.counters().requests_in_flight.fetch_sub(1, std::memory_order_relaxed);
}

void Session::give_back_buffers() {
  loop_.buffers.release(std::move(buffer_));
  loop_.buffers.release(std::move(chunks_));
}

// --- Memory and places, which other connections may need.

void Session::join_budget() {
  loop_.budget.join(*this, peer_by_address(socket_.native_handle()));
}

// After the handshake, a client with a certificate is no longer charged by its address, which it
// may share with others.
void Session::charge_by_certificate() {
  if (const auto key = peer_by_certificate(tls_.ssl())) {
    loop_.budget.rename(*this, *key);
    loop_.eviction.enforce_quota(*this);
  }
}

void Session::begin_receiving(std::size_t buffer_bytes) {
  begin_flow();
  loop_.budget.set_eviction_class(*this, EvictionClass::kReceiving);
  loop_.eviction.charge_body(*this, std::max(buffer_bytes, buffer_.capacity()));
  receive_buffer_.begin_body(socket_.native_handle(), buffer_bytes);
}

void Session::end_receiving() {
  if (body_bytes > 0) loop_.eviction.charge_body(*this, 0);
  receive_buffer_.end_body(socket_.native_handle());
}

// False: there is no memory for the answer.
bool Session::hold_answer() {
  end_receiving();
  if (loop_.eviction.charge_answer(*this, pending_.capacity() + buffer_.capacity())) return true;
  loop_.incidents.evicted(Eviction::kWrite, socket_.native_handle());
  return false;
}

void Session::drop_body() {
  const bool is_answer = state_ == State::kWriting && next_ != State::kBody;
  loop_.incidents.evicted(is_answer ? Eviction::kWrite : Eviction::kBodyMemory,
                          socket_.native_handle());
  if (state_ != State::kBody) {  // an answer, or "100 Continue", is being sent
    close_now();
    end_if_closed();
    return;
  }
  answer_late({503,
               "the memory for unfinished bodies is used up, and this body was the first to be "
               "evicted; ask again, and send the body without a pause",
               kRetryAfterLine});
}

void Session::begin_flow() {
  flow_started_ = now();
  flow_counted_ = 0;
}

void Session::detect_stall(TimePoint now) {
  const bool receives = state_ == State::kBody && memory_class != MemoryClass::kStalled;
  const bool sends = state_ == State::kWriting && eviction_class == EvictionClass::kBusy;
  if (!(receives || sends) || now - flow_started_ < kFlowWindow) return;
  std::size_t moved = pending_sent_;
  if (receives) moved = parser_->chunked() ? body_size_ : filled_ - header_size_;
  if (moved >= flow_counted_ + kLeastBytesInWindow) {
    flow_started_ = now;
    flow_counted_ = moved;
    return;
  }
  loop_.budget.set_memory_class(*this, MemoryClass::kStalled);
  loop_.budget.set_eviction_class(*this, EvictionClass::kNoProgress);
}

Eviction Session::activity() const {
  switch (state_) {
    case State::kHandshake:
      return Eviction::kHandshake;
    case State::kHeader:
      return is_idle() && has_served_ ? Eviction::kIdle : Eviction::kHeader;
    case State::kBody:
      return Eviction::kBody;
    case State::kWriting:
      return Eviction::kWrite;
    case State::kLingering:
    case State::kClosed:
      break;
  }
  return Eviction::kClosing;
}

// While the session waits, OpenSSL holds at most a part of a record, and buffer_ a part of a
// request.
bool Session::has_unread_data() {
  if (yields_) return true;
  if (state_ == State::kLingering) return false;
  char next = 0;
  return ::recv(socket_.native_handle(), &next, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

void Session::evict() {
  const int socket = socket_.native_handle();
  loop_.incidents.evicted(activity(), socket);
  if (state_ == State::kBody || (state_ == State::kHeader && filled_ > 0)) {
    compose_refusal(
        {503, "another connection needed the place of this one; ask again", kRetryAfterLine});
    tls_.write(loop_.output);
  }
  if (state_ != State::kWriting) tls_.close_notify();
  close_now();
  end_if_closed();
}

// --- The loop's sweep.

void Session::check_deadline(TimePoint now) {
  if (state_ == State::kClosed) return;
  detect_stall(now);
  if (now < deadline_) return;
  const int socket = socket_.native_handle();
  const auto& limits = loop_.limits;
  const auto in = [](std::chrono::milliseconds time) {
    return std::to_string(time.count()) + " ms";
  };
  switch (state_) {
    case State::kHandshake:
      loop_.incidents.handshake_failed(HandshakeFailure::kTimeout, "the handshake took too long",
                                       !tls_.has_received(), socket);
      loop_.incidents.timed_out(TimeoutPhase::kHandshake, socket);
      close_now();
      break;
    case State::kHeader:
      // A request that arrived while the loop was busy: the socket is about to report it. The
      // second limit is for a peer that sends, but never a whole record.
      if (is_idle() && now < deadline_ + limits.header_timeout && has_waiting_bytes()) return;
      loop_.incidents.timed_out(
          is_idle() && has_served_ ? TimeoutPhase::kIdle : TimeoutPhase::kHeader, socket);
      if (is_idle()) {
        close_in_order();
      } else {
        answer_late({408, "the header must be complete within " + in(limits.header_timeout)});
      }
      break;
    case State::kBody:
      if (now >= request_deadline_) {
        loop_.incidents.rejected(Limit::kDeadline, socket);
        answer_late({503,
                     "the body must be complete within the timeout that the request named, "
                     "less a margin; found " +
                         std::to_string(filled_ - header_size_) + " bytes of it",
                     kRetryAfterLine});
      } else {
        loop_.incidents.timed_out(TimeoutPhase::kBody, socket);
        answer_late({408, "the body must be complete within " + in(limits.body_timeout)});
      }
      break;
    case State::kWriting:
      loop_.incidents.timed_out(TimeoutPhase::kWrite, socket);
      close_now();
      break;
    case State::kLingering:
      close_now();
      break;
    case State::kClosed:
      break;
  }
  end_if_closed();
}

// Called from the sweep while we wait for the socket: sends what it accepts, without waiting again.
void Session::answer_late(const RequestRefusal& refusal) {
  if (refusal.status < 500) {
    loop_.incidents.bad_request(refusal.status, refusal.text, socket_.native_handle());
  }
  compose_refusal(refusal);
  tls_.write(loop_.output);
  close_in_order();
}

void Session::check_client(const ServedTrust& now_served, ClientTrust::WallTime wall,
                           int& verifications) {
  if (state_ != State::kHeader && state_ != State::kBody && state_ != State::kWriting) return;
  const auto distrust = client_.check(tls_.connection(), now_served, wall, verifications);
  if (!distrust) {
    close_by_ = TimePoint::max();  // trusted again
    return;
  }
  if (close_by_ == TimePoint::max()) {
    close_by_ = now() + kDistrustGrace;
    deadline_ = std::min(deadline_, close_by_);
    loop_.incidents.distrusted(*distrust, socket_.native_handle());
  }
  if (!is_idle()) return;
  close_in_order();
  end_if_closed();
}

void Session::stop_when_idle() {
  if (state_ == State::kHandshake || (is_idle() && !has_served_)) {
    deadline_ = std::min(deadline_, now() + kFreshGrace);
    return;
  }
  if (is_idle() && !has_waiting_bytes()) close_in_order();
}

bool Session::has_waiting_bytes() {
  if (tls_.has_pending()) return true;
  char next = 0;
  return ::recv(socket_.native_handle(), &next, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

}  // namespace dynamo::server
