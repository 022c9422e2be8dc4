#include "server/event_loop.hpp"

#include <boost/asio/post.hpp>
#include <cassert>
#include <exception>
#include <new>
#include <utility>

namespace dynamo::server {

namespace asio = boost::asio;

namespace {

// Verifying a client's chain takes about 0.2 ms. All connections are checked within this many
// sweeps, 20 s.
constexpr int kVerificationsPerSweep = 16;
constexpr std::size_t kCheckedWithin = 200;

}  // namespace

EventLoop::EventLoop(const ServerLimits& limits, const std::atomic<ServingPhase>& phase,
                     const runtime::Clock& clock, Incidents& incidents,
                     std::unique_ptr<RequestHandler> handler, TimeSinceReceived time_since_received,
                     std::function<void()> on_empty, const LoopShare& place)
    : work_(asio::make_work_guard(io_)),
      sweep_timer_(io_),
      resources_{io_,
                 limits,
                 phase,
                 clock,
                 incidents,
                 std::move(handler),
                 [this](Session& session) { end(session); },
                 ArrivalClock(time_since_received),
                 {},
                 {},
                 {},
                 {},
                 place},
      on_empty_(std::move(on_empty)) {}

EventLoop::~EventLoop() {
  io_.stop();
  if (thread_.joinable()) thread_.join();
  auto& open = resources_.incidents.counters().connections_open;
  open.fetch_sub(static_cast<std::int64_t>(connections_.load()), std::memory_order_relaxed);
  sessions_.clear();
}

void EventLoop::start() {
  thread_ = std::thread([this] {
    for (;;) {
      try {
        io_.run();
        ended_.set_value();
        return;
      } catch (const std::exception& error) {
        // Sessions catch their own exceptions; this one is a defect of the loop, which continues.
        resources_.incidents.defect("", error.what());
      }
    }
  });
}

bool EventLoop::end_within(std::chrono::milliseconds patience) {
  io_.stop();
  if (!thread_.joinable()) return true;
  return has_ended_.wait_for(patience) == std::future_status::ready;
}

void EventLoop::post(std::function<void()> task) {
  asio::post(io_, std::move(task));
}

void EventLoop::adopt(NewConnection connection) {
  // Locked during both steps, so that a failed one leaves no connection that is never begun.
  const std::lock_guard lock(new_connections_mutex_);
  new_connections_.push_back(std::move(connection));
  try {
    asio::post(io_, [this] { begin_next(); });
  } catch (...) {
    new_connections_.pop_back();
    throw;
  }
  connections_.fetch_add(1);
  resources_.incidents.counters().connections_open.fetch_add(1, std::memory_order_relaxed);
}

bool EventLoop::has_new_connections() const {
  const std::lock_guard lock(new_connections_mutex_);
  return !new_connections_.empty();
}

std::deque<EventLoop::NewConnection> EventLoop::take_back() {
  std::deque<NewConnection> taken;
  {
    const std::lock_guard lock(new_connections_mutex_);
    taken.swap(new_connections_);
  }
  for (std::size_t count = 0; count < taken.size(); ++count) forget_one();
  return taken;
}

// Called once per handed-over connection; take_back() may have removed it.
void EventLoop::begin_next() {
  NewConnection next;
  {
    const std::lock_guard lock(new_connections_mutex_);
    if (new_connections_.empty()) return;
    next = std::move(new_connections_.front());
    new_connections_.pop_front();
  }
  begin(std::move(next));
}

void EventLoop::begin(NewConnection connection) {
  std::unique_ptr<Session> session;
  try {
    if (!sweeping_) sweep();
    session = std::make_unique<Session>(resources_, std::move(connection.socket),
                                        std::move(connection.context));
    session->position = sessions_.size();
    sessions_.push_back(std::move(session));
  } catch (const std::bad_alloc&) {
    resources_.incidents.out_of_memory(-1);
    forget_one();
    return;
  } catch (const std::exception& error) {
    resources_.incidents.defect("", error.what());
    forget_one();
    return;
  }
  sessions_.back()->start();
}

// The last session moves into the gap; the order is irrelevant.
void EventLoop::end(Session& session) {
  const std::size_t position = session.position;
  assert(sessions_[position].get() == &session);
  std::swap(sessions_[position], sessions_.back());
  sessions_[position]->position = position;
  sessions_.pop_back();
  forget_one();
}

void EventLoop::forget_one() {
  resources_.incidents.counters().connections_open.fetch_sub(1, std::memory_order_relaxed);
  if (connections_.fetch_sub(1) == 1) on_empty_();
}

// Backwards, because `action` may end its session, which moves the last one to that position.
void EventLoop::for_each_session(const std::function<void(Session&)>& action) {
  for (std::size_t left = sessions_.size(); left > 0; --left) action(*sessions_[left - 1]);
}

// The next sweep is scheduled before anything can throw, so that no defect stops the timeouts.
void EventLoop::sweep() {
  if (sessions_.empty() && connections_.load() == 0) {
    sweeping_ = false;
    return;
  }
  sweeping_ = false;  // if it cannot be scheduled, the next connection tries again
  sweep_timer_.expires_after(kSweepInterval);
  sweep_timer_.async_wait(
      aio::in_memory(sweep_memory_, [this](const boost::system::error_code& error) {
        if (!error) sweep();
      }));
  sweeping_ = true;
  const auto now = resources_.clock.monotonic();
  for_each_session([now](Session& session) {
    try {
      session.check_deadline(now);
    } catch (const std::bad_alloc&) {
      return;  // the next sweep tries again, and others do not wait for that
    }
  });
  if (trust_) check_some_clients();
  resources_.eviction.enforce_quotas();
}

void EventLoop::check_clients(std::shared_ptr<const ServedTrust> now_served) {
  post([this, now_served = std::move(now_served)] { trust_ = now_served; });
}

// A change of CAs affects every connection; verifying all at once would block the loop.
void EventLoop::check_some_clients() {
  const auto now = resources_.clock.wall();
  int verifications = kVerificationsPerSweep + static_cast<int>(sessions_.size() / kCheckedWithin);
  for_each_session([&](Session& session) { session.check_client(*trust_, now, verifications); });
}

void EventLoop::evict(const PeerTable::Choice& choice) {
  asio::post(io_, [this, choice] {
    // Always settle, otherwise the loop would count as busy forever.
    try {
      resources_.eviction.evict_first_of(choice.peer);
    } catch (const std::exception& error) {
      resources_.incidents.defect("", error.what());
    }
    resources_.place.table.settle(choice);
    // Runs after the handler that ends the closed session, which was queued earlier.
    const auto forget = [this] { resources_.place.table.forget_pending(resources_.place.number); };
    try {
      asio::post(io_, forget);
    } catch (const std::bad_alloc&) {
      forget();
    }
  });
}

void EventLoop::close_idle() {
  asio::post(io_, [this] { for_each_session([](Session& session) { session.stop_when_idle(); }); });
}

}  // namespace dynamo::server
