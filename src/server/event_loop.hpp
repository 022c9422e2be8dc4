// One thread with its connections. A connection stays on its loop, so requests share nothing
// between threads except counters.
#pragma once

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "aio/handler_memory.hpp"
#include "runtime/file_descriptor.hpp"
#include "server/session.hpp"

namespace dynamo::server {

class EventLoop {
 public:
  // References must outlive the loop. `on_empty` is called on the loop's thread whenever its last
  // connection has ended, and by take_back().
  EventLoop(const ServerLimits& limits, const std::atomic<ServingPhase>& phase,
            const runtime::Clock& clock, Incidents& incidents,
            std::unique_ptr<RequestHandler> handler, TimeSinceReceived time_since_received,
            std::function<void()> on_empty, const LoopShare& place);

  // Stops and joins the thread, without a time limit; remaining connections are cut.
  ~EventLoop();

  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  // Starts the thread. Throws std::system_error if no thread can be created.
  void start();

  // A connection on its way to the loop's thread: connected, non-blocking.
  struct NewConnection {
    runtime::FileDescriptor socket;
    std::shared_ptr<SSL_CTX> context;
  };

  // Hands over a connection. Any thread.
  void adopt(NewConnection connection);

  // Returns the handed-over connections that the thread has not started because it is blocked. Any
  // thread.
  std::deque<NewConnection> take_back();

  // Runs `task` on the loop's thread, unless the thread ends first. Any thread.
  void post(std::function<void()> task);

  // Includes handed-over connections that are not started yet. Any thread.
  std::size_t connections() const { return connections_.load(); }

  // True if there are handed-over connections that are not started yet. Any thread.
  bool has_new_connections() const;

  // Closes a connection of the peer that the table has chosen, and settles the choice. Any
  // thread.
  void evict(const PeerTable::Choice& choice);

  // After the phase has become kStopping: closes idle connections and lets the others finish. Any
  // thread.
  void close_idle();

  // From now on clients are gradually re-checked against that context; null: clients show no
  // certificate. Any thread.
  void check_clients(std::shared_ptr<const ServedTrust> now_served);

  // Ends the thread after its current handler, and waits at most `patience`. Returns false if it
  // still runs. Any thread except its own.
  bool end_within(std::chrono::milliseconds patience);

 private:
  void begin_next();
  void begin(NewConnection connection);
  void end(Session& session);
  void forget_one();
  void for_each_session(const std::function<void(Session&)>& action);
  void sweep();
  void check_some_clients();

  boost::asio::io_context io_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  boost::asio::steady_timer sweep_timer_;
  const std::shared_ptr<aio::HandlerMemory> sweep_memory_ = std::make_shared<aio::HandlerMemory>();
  bool sweeping_ = false;
  LoopResources resources_;
  const std::function<void()> on_empty_;
  std::shared_ptr<const ServedTrust> trust_;  // null: clients show no certificate
  std::vector<std::unique_ptr<Session>> sessions_;
  std::atomic<std::size_t> connections_{0};
  mutable std::mutex new_connections_mutex_;
  std::deque<NewConnection> new_connections_;  // oldest first
  std::promise<void> ended_;
  std::future<void> has_ended_ = ended_.get_future();
  std::thread thread_;
};

}  // namespace dynamo::server
