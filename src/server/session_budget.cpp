// Eviction state of a connection: its class when places or the memory for bodies run out, and
// how it is evicted.
#include <sys/socket.h>

#include <algorithm>
#include <chrono>

#include "server/peer_key.hpp"
#include "server/session.hpp"

namespace dynamo::server {

namespace {

// Limit of evictions of one peer per call; the next sweep continues.
constexpr std::size_t kMaxEvictionsPerCall = 64;

// Settles a requested eviction on every path; otherwise its peer would look smaller forever.
class RequestedEviction {
 public:
  RequestedEviction(PeerTable& table, PeerTable::Row& row) : table_(table), row_(row) {}
  ~RequestedEviction() { table_.settle(row_); }
  RequestedEviction(const RequestedEviction&) = delete;
  RequestedEviction& operator=(const RequestedEviction&) = delete;

 private:
  PeerTable& table_;
  PeerTable::Row& row_;
};

}  // namespace

void Session::join_budget() {
  loop_.budget.join(*this, peer_by_address(socket_.native_handle()));
}

// After the handshake, a client with a certificate is no longer charged by its address, which it
// may share with others.
void Session::charge_by_certificate() {
  if (const auto key = peer_by_certificate(tls_.ssl())) {
    loop_.budget.rename(*this, *key);
    enforce_quota();
  }
}

void Session::enforce_quota() {
  if (peer == nullptr || !has_quotas(loop_.limits)) return;
  const PeerKey key = *peer->key;
  enforce_quota_of(loop_, key, are_quotas_active(loop_), this);
}

bool Session::are_quotas_active(const LoopResources& loop) {
  const Limits& limits = loop.limits;
  const auto open = static_cast<std::size_t>(
      loop.incidents.counters().connections_open.load(std::memory_order_relaxed));
  return open >= limits.max_connections - limits.max_connections / 4;
}

// Evicts its oldest connections on this loop; other loops' sweeps handle theirs.
void Session::enforce_quota_of(LoopResources& loop, const PeerKey& key, bool quotas_active,
                               const Session* spared) {
  const std::size_t quota = is_client(key) ? loop.limits.max_connections_per_client
                                           : loop.limits.max_connections_per_address;
  if (quota == 0) return;
  for (std::size_t tries = kMaxEvictionsPerCall; tries > 0; --tries) {
    PeerTable::Row* const row = loop.budget.row_of(key);
    if (row == nullptr || !loop.place.table.request_eviction(*row, quota, quotas_active)) return;
    const RequestedEviction requested(loop.place.table, *row);
    BudgetEntry* const first = loop.budget.next_to_evict(key, spared);
    if (first == nullptr) return;
    auto& session = static_cast<Session&>(*first);
    if (session.has_unread_data()) {
      loop.budget.set_eviction_class(session, session.eviction_class);  // the youngest now
    } else {
      session.evict();
    }
  }
}

void Session::begin_receiving(std::size_t buffer_bytes) {
  begin_flow();
  loop_.budget.set_eviction_class(*this, EvictionClass::kReceiving);
  charge_body(std::max(buffer_bytes, buffer_.capacity()));
  receive_buffer_.begin_body(socket_.native_handle(), buffer_bytes);
}

void Session::charge_body(std::size_t bytes) {
  const std::size_t before = body_bytes;
  if (bytes > before) {
    make_room_for_body(bytes - before);
    loop_.place.body_memory.bytes.fetch_add(bytes - before, std::memory_order_relaxed);
  } else {
    loop_.place.body_memory.bytes.fetch_sub(before - bytes, std::memory_order_relaxed);
  }
  loop_.budget.set_body(*this, bytes);
}

void Session::end_receiving() {
  if (body_bytes > 0) charge_body(0);
  receive_buffer_.end_body(socket_.native_handle());
}

// Each loop considers only its own bodies, so that none waits for another: the shared half limits
// what the loops use beyond their shares.
bool Session::lacks_memory(std::size_t more) const {
  const BodyMemory& memory = loop_.place.body_memory;
  return loop_.budget.body_bytes() + more > memory.share_of_loop &&
         memory.bytes.load(std::memory_order_relaxed) + more > memory.bound;
}

void Session::make_room_for_body(std::size_t more) {
  while (lacks_memory(more)) {
    BudgetEntry* const first = loop_.budget.next_body_to_drop(this);
    if (first == nullptr) return;
    static_cast<Session*>(first)->drop_body();
  }
}

// A waiting answer must not take memory from bodies that flow. False: there is no memory for it.
bool Session::hold_answer() {
  end_receiving();
  const std::size_t bytes = pending_.capacity() + buffer_.capacity();
  loop_.place.body_memory.bytes.fetch_add(bytes, std::memory_order_relaxed);
  loop_.budget.set_body(*this, bytes);
  loop_.budget.set_memory_class(*this, MemoryClass::kAnswer);
  while (lacks_memory(0) && loop_.budget.body_bytes() > bytes) {
    auto* const first =
        static_cast<Session*>(loop_.budget.next_body_to_drop(nullptr, MemoryClass::kAnswer));
    if (first == this) {
      loop_.incidents.evicted(Eviction::kWrite, socket_.native_handle());
      return false;
    }
    first->drop_body();
  }
  return true;
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

}  // namespace dynamo::server
