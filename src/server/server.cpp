#include "server/server.hpp"

#include <fcntl.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <condition_variable>
#include <exception>
#include <future>
#include <mutex>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "aio/handler_memory.hpp"
#include "aio/listen_socket.hpp"
#include "server/event_loop.hpp"
#include "server/incidents.hpp"
#include "server/socket_buffers.hpp"

namespace dynamo::server {

namespace asio = boost::asio;

namespace {

// Pause of accepting after descriptors ran out even for rejecting connections.
constexpr std::chrono::milliseconds kAcceptPause{100};

// No operation on the control loop takes this long; if it does not run at all, stop() continues
// without it.
constexpr std::chrono::seconds kControlLoopPatience{5};

// An event loop ends after its current handler. One that takes longer is stuck.
constexpr std::chrono::seconds kLoopPatience{1};
// Connections per loop that may exceed the limit while others are being evicted, or if those turned
// out to be active.
constexpr std::size_t kAboveLimit = 2 * PeerTable::kMaxPendingPerLoop;
// If all loops have enough pending evictions, accepting pauses in steps, with a limit in case a
// loop is stuck.
constexpr std::chrono::milliseconds kEvictionPause{2};
constexpr int kEvictionPauses = 100;

// More than a kernel queues for one socket by default.
constexpr int kMaxInBacklog = 8192;

// Limit of accepts per wake-up, so that probes on the same thread are served.
constexpr int kAcceptsAtOnce = 64;

std::size_t loops_of(const ServerOptions& options) {
  return std::max<std::size_t>(options.threads, 1);
}

// Half of the memory is divided among the loops, so that none depends on another; the other half is
// shared.
BodyMemory body_memory_for(const ServerOptions& options) {
  const std::size_t half = options.limits.max_body_memory / 2;
  return {.bytes = 0, .share_of_loop = half / loops_of(options), .bound = half};
}

}  // namespace

struct Server::Impl : std::enable_shared_from_this<Server::Impl> {
  Impl(ServerOptions the_options, ServerDependencies the_dependencies)
      : options(std::move(the_options)),
        dependencies(std::move(the_dependencies)),
        incidents(dependencies.counters, dependencies.logger, dependencies.clock),
        listener(dependencies.control.io()),
        pause(dependencies.control.io()),
        watch_timer(dependencies.control.io()),
        watchdog(std::make_shared<Watchdog>(dependencies.counters.loops, dependencies.logger,
                                            dependencies.clock)),
        body_memory(body_memory_for(options)),
        peers(loops_of(options)) {}

  runtime::Result<void> start();
  void wait_for_connections();
  void accept_waiting(int most);
  void place_or_close(runtime::FileDescriptor connection);
  void place(runtime::FileDescriptor connection);
  void hand_over(EventLoop::NewConnection connection);
  std::optional<std::size_t> loop_for_one_more() const;
  bool waits_for_evictions();
  bool loops_are_behind() const;
  bool make_room();
  void accept_later(std::chrono::milliseconds delay);
  void reject_one_connection();
  void close_listener();
  void watch_loops();
  void rescue_connections();
  void follow_trust(std::shared_ptr<SSL_CTX> context);
  bool end_loops();
  void on_loop_empty();
  std::size_t connections() const;
  bool stop();

  const ServerOptions options;
  const ServerDependencies dependencies;
  Incidents incidents;
  std::atomic<ServingPhase> phase{ServingPhase::kServing};
  std::atomic<bool> is_listening{false};
  std::atomic<bool> is_abandoned{false};  // stop() no longer waits for the control loop
  std::atomic<std::uint16_t> port{0};

  // On the control loop.
  asio::posix::stream_descriptor listener;
  asio::steady_timer pause;
  const std::shared_ptr<aio::HandlerMemory> listener_memory =
      std::make_shared<aio::HandlerMemory>();
  const std::shared_ptr<aio::HandlerMemory> pause_memory = std::make_shared<aio::HandlerMemory>();
  runtime::FileDescriptor reserve;  // released for a moment when descriptors run out

  int eviction_pauses = 0;  // on the control loop

  asio::steady_timer watch_timer;
  const std::shared_ptr<aio::HandlerMemory> watch_memory = std::make_shared<aio::HandlerMemory>();
  std::shared_ptr<const ServedTrust> trust;  // null: none was served yet

  std::mutex watch_mutex;  // excludes checks of the loops during their end
  bool are_loops_ending = false;
  const std::shared_ptr<Watchdog> watchdog;

  BodyMemory body_memory;
  PeerTable peers;
  std::vector<std::unique_ptr<EventLoop>> loops;

  std::mutex mutex;
  std::condition_variable changed;  // skip_delay, or a loop without connections
  bool skip_delay = false;
};

runtime::Result<void> Server::Impl::start() {
  auto socket = aio::listen_on(options.address);
  if (socket.has_error()) return socket.error();
  bound_socket_buffers(socket->get());
  port = aio::port_of(socket->get());
  reserve.reset(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  try {
    for (std::size_t loop = 0; loop < loops_of(options); ++loop) {
      loops.push_back(std::make_unique<EventLoop>(
          options.limits, phase, dependencies.clock, incidents, dependencies.handlers(),
          dependencies.time_since_received, [this] { on_loop_empty(); },
          LoopShare{body_memory, peers, loop}));
    }
    for (std::size_t loop = 0; loop < loops.size(); ++loop) {
      watchdog->watch(
          "event loop " + std::to_string(loop + 1) + " of " + std::to_string(loops.size()),
          [to = loops[loop].get()](std::function<void()> task) { to->post(std::move(task)); });
      loops[loop]->start();
    }
    listener.assign(socket->get());
    socket->release();
  } catch (const std::exception& error) {
    watchdog->release();
    loops.clear();
    return runtime::Error{std::string("cannot start the event loops: ") + error.what()};
  }
  is_listening = true;
  asio::post(dependencies.control.io(), [self = shared_from_this()] {
    self->wait_for_connections();
    self->watch_loops();
  });
  return {};
}

void Server::Impl::wait_for_connections() {
  if (!listener.is_open() || is_abandoned) return;
  listener.async_wait(asio::posix::stream_descriptor::wait_read,
                      aio::in_memory(listener_memory, [self = shared_from_this()](
                                                          const boost::system::error_code& error) {
                        if (error || !self->listener.is_open() || self->is_abandoned) return;
                        self->accept_waiting(kAcceptsAtOnce);
                      }));
}

void Server::Impl::accept_waiting(int most) {
  for (int accepted = 0; accepted < most && !is_abandoned; ++accepted) {
    if (waits_for_evictions()) return accept_later(kEvictionPause);
    runtime::FileDescriptor connection;
    switch (aio::accept_one(listener.native_handle(), connection)) {
      case aio::AcceptResult::kConnection:
        place_or_close(std::move(connection));
        break;
      case aio::AcceptResult::kTransient:
        break;
      case aio::AcceptResult::kNone:
        return wait_for_connections();
      case aio::AcceptResult::kExhausted:
        reject_one_connection();
        return accept_later(kAcceptPause);
    }
  }
  wait_for_connections();  // reports immediately what still waits
}

void Server::Impl::accept_later(std::chrono::milliseconds delay) {
  try {
    pause.expires_after(delay);
    pause.async_wait(aio::in_memory(
        pause_memory, [self = shared_from_this()](const boost::system::error_code& error) {
          if (!error) self->wait_for_connections();
        }));
  } catch (const std::bad_alloc&) {
    wait_for_connections();
  }
}

// Connections may arrive faster than the loops can evict others. The rest, including legitimate
// ones, waits in the backlog.
bool Server::Impl::waits_for_evictions() {
  if (connections() < options.limits.max_connections || !loops_are_behind() ||
      eviction_pauses >= kEvictionPauses) {
    eviction_pauses = 0;
    return false;
  }
  ++eviction_pauses;
  return true;
}

// Evictable connections are known only after the loops have started what was handed to them, and
// they leave only after the loops have processed pending evictions.
bool Server::Impl::loops_are_behind() const {
  return peers.is_exhausted() ||
         (!peers.can_choose() &&
          std::ranges::any_of(loops, [](const auto& loop) { return loop->has_new_connections(); }));
}

// Whether one more connection is accepted: there is room, or an eviction is pending.
bool Server::Impl::make_room() {
  const std::size_t most = options.limits.max_connections;
  const std::size_t open = connections();
  if (open < most) return true;
  if (open >= most + kAboveLimit * loops.size()) return false;
  if (open < most + peers.pending()) return true;
  const auto choice = peers.choose();
  if (!choice) return false;
  try {
    loops.at(choice->loop)->evict(*choice);
  } catch (const std::bad_alloc&) {
    peers.settle(*choice);
    peers.forget_pending(choice->loop);
    throw;
  }
  return true;
}

// Without memory for one connection, the server goes on with the next.
void Server::Impl::place_or_close(runtime::FileDescriptor connection) {
  try {
    place(std::move(connection));
  } catch (const std::bad_alloc&) {
    incidents.out_of_memory(-1);
  }
}

void Server::Impl::place(runtime::FileDescriptor connection) {
  dependencies.counters.connections_accepted.fetch_add(1, std::memory_order_relaxed);
  if (!make_room()) {
    incidents.rejected(Limit::kConnections, connection.get());
    return;
  }
  std::shared_ptr<SSL_CTX> context = dependencies.tls_context();
  if (context == nullptr) {
    incidents.handshake_failed(HandshakeFailure::kOther, "there is no certificate to serve yet",
                               false, connection.get());
    return;
  }
  follow_trust(context);  // before the loops see a client that it accepts
  hand_over({std::move(connection), std::move(context)});
}

void Server::Impl::hand_over(EventLoop::NewConnection connection) {
  const std::optional<std::size_t> loop = loop_for_one_more();
  if (!loop) {  // closing lets the client retry on another replica immediately
    dependencies.counters.loops.connections.count(StalledConnection::kClosed);
    return;
  }
  loops[*loop]->adopt(std::move(connection));
}

// The responsive loop with the fewest connections; if all are late, the late one with the fewest;
// nullopt if all are stuck.
std::optional<std::size_t> Server::Impl::loop_for_one_more() const {
  std::optional<std::size_t> best;
  std::pair<bool, std::size_t> least;
  for (std::size_t loop = 0; loop < loops.size(); ++loop) {
    if (watchdog->is_stuck(loop)) continue;
    const std::pair cost(watchdog->is_late(loop), loops[loop]->connections());
    if (best && cost >= least) continue;
    best = loop;
    least = cost;
  }
  return best;
}

// On the control loop, repeated until the loops end.
void Server::Impl::watch_loops() {
  watch_timer.expires_after(options.watch_interval);
  watch_timer.async_wait(aio::in_memory(
      watch_memory, [weak = weak_from_this()](const boost::system::error_code& error) {
        if (error) return;
        if (const auto self = weak.lock()) self->watch_loops();
      }));
  const std::lock_guard lock(watch_mutex);
  if (are_loops_ending) {
    watch_timer.cancel();
    return;
  }
  watchdog->check_loops();
  rescue_connections();
  follow_trust(dependencies.tls_context());
}

// Moves connections that a late loop has not started to a responsive loop. If there is no other
// loop, those of a stuck loop are closed.
void Server::Impl::rescue_connections() {
  for (std::size_t loop = 0; loop < loops.size(); ++loop) {
    const bool is_stuck = watchdog->is_stuck(loop);
    if (!is_stuck && !watchdog->is_late(loop)) continue;
    const std::optional<std::size_t> other = loop_for_one_more();
    if (!is_stuck && other && watchdog->is_late(*other)) continue;
    for (EventLoop::NewConnection& connection : loops[loop]->take_back()) {
      if (other) dependencies.counters.loops.connections.count(StalledConnection::kMoved);
      hand_over(std::move(connection));
    }
  }
}

// Open connections are re-checked against the context of new ones.
void Server::Impl::follow_trust(std::shared_ptr<SSL_CTX> context) {
  if (context == nullptr || (trust != nullptr && context == trust->context)) return;
  const std::uint64_t generation = trust == nullptr ? 1 : trust->generation + 1;
  const auto next =
      std::make_shared<const ServedTrust>(ServedTrust{std::move(context), generation});
  for (const auto& loop : loops) loop->check_clients(next->asks_clients() ? next : nullptr);
  trust = next;  // last: what fails is repeated for all loops
}

// Accepts and closes a connection with the reserved descriptor. Otherwise it would wait in the
// backlog until its client times out.
void Server::Impl::reject_one_connection() {
  reserve.reset();
  runtime::FileDescriptor connection;
  if (aio::accept_one(listener.native_handle(), connection) == aio::AcceptResult::kConnection) {
    dependencies.counters.connections_accepted.fetch_add(1, std::memory_order_relaxed);
    incidents.rejected(Limit::kConnections, connection.get());
  }
  connection.reset();
  reserve.reset(::open("/dev/null", O_RDONLY | O_CLOEXEC));
}

// On the control loop. Closing would reset connections in the backlog, so they are accepted first,
// with a limit in case clients keep connecting.
void Server::Impl::close_listener() {
  if (!listener.is_open()) return;
  for (int left = kMaxInBacklog; left > 0 && !is_abandoned; --left) {
    runtime::FileDescriptor connection;
    const aio::AcceptResult accepted = aio::accept_one(listener.native_handle(), connection);
    if (accepted == aio::AcceptResult::kConnection) {
      place_or_close(std::move(connection));
    } else if (accepted != aio::AcceptResult::kTransient) {
      break;
    }
  }
  is_listening = false;
  pause.cancel();
  boost::system::error_code ignored;
  listener.close(ignored);
}

std::size_t Server::Impl::connections() const {
  std::size_t sum = 0;
  for (const auto& loop : loops) sum += loop->connections();
  return sum;
}

void Server::Impl::on_loop_empty() {
  const std::lock_guard lock(mutex);
  changed.notify_all();
}

// Stuck loops remain for the destructor.
bool Server::Impl::end_loops() {
  const auto give_up = std::chrono::steady_clock::now() + kLoopPatience;
  for (const auto& loop : loops) loop->end_within(std::chrono::milliseconds(0));
  std::erase_if(loops, [give_up](const auto& loop) {
    return loop->end_within(
        std::chrono::ceil<std::chrono::milliseconds>(give_up - std::chrono::steady_clock::now()));
  });
  if (loops.empty()) return true;
  dependencies.logger.log(runtime::Level::kError, "event loops are stuck and were abandoned",
                          {{"loops", loops.size()}});
  return false;
}

bool Server::Impl::stop() {
  if (are_loops_ending || loops.empty()) return loops.empty();
  {
    std::unique_lock lock(mutex);
    changed.wait_for(lock, options.shutdown_delay, [this] { return skip_delay; });
  }

  auto closed = std::make_shared<std::promise<void>>();
  asio::post(dependencies.control.io(), [self = shared_from_this(), closed] {
    if (!self->is_abandoned) self->close_listener();
    closed->set_value();
  });
  if (!dependencies.control.is_running() ||
      closed->get_future().wait_for(kControlLoopPatience) != std::future_status::ready) {
    is_abandoned = true;
    dependencies.logger.log(runtime::Level::kError,
                            "the control loop is stuck, the listener stays open");
  }

  {
    const std::lock_guard lock(watch_mutex);
    watchdog->check_loops();  // asks each loop, so that one that does not answer can be named
  }
  phase = ServingPhase::kStopping;
  for (const auto& loop : loops) loop->close_idle();
  {
    std::unique_lock lock(mutex);
    changed.wait_for(lock, options.drain_timeout, [this] { return connections() == 0; });
  }
  if (const std::size_t left = connections(); left > 0) {
    dependencies.logger.log(runtime::Level::kWarning, "connections were cut at the drain timeout",
                            {{"connections", left}});
  }
  {
    const std::lock_guard lock(watch_mutex);
    are_loops_ending = true;
    watchdog->release();
  }
  return end_loops();
}

Server::Server(ServerOptions options, ServerDependencies dependencies)
    : impl_(std::make_shared<Impl>(std::move(options), std::move(dependencies))) {}

Server::~Server() {
  skip_shutdown_delay();
  begin_drain();
  impl_->stop();
  impl_->loops.clear();  // here, not on the thread that holds the last reference
}

runtime::Result<void> Server::start() {
  return impl_->start();
}

std::uint16_t Server::port() const {
  return impl_->port;
}

void Server::begin_drain() {
  auto expected = ServingPhase::kServing;
  impl_->phase.compare_exchange_strong(expected, ServingPhase::kDraining);
}

bool Server::stop() {
  begin_drain();
  return impl_->stop();
}

void Server::skip_shutdown_delay() {
  const std::lock_guard lock(impl_->mutex);
  impl_->skip_delay = true;
  impl_->changed.notify_all();
}

std::optional<std::string> Server::unready_reason() const {
  if (impl_->phase.load() != ServingPhase::kServing) return "the server is shutting down";
  if (!impl_->is_listening) return "the listener is not up";
  if (impl_->watchdog->are_all_stuck()) return "all event loops are stuck";
  return std::nullopt;
}

std::shared_ptr<const Watchdog> Server::watchdog() const {
  return impl_->watchdog;
}

}  // namespace dynamo::server
