#include "webhook/shutdown.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <future>
#include <utility>

namespace dynamo::webhook {

namespace {

constexpr std::chrono::seconds kWatchInterval{1};

// After a second signal, a loop that is late by this much counts as stuck.
constexpr std::chrono::seconds kPatienceOfTheHurried{3};

// The control thread has no operation that takes this long.
constexpr std::chrono::seconds kThreadPatience{5};

}  // namespace

Shutdown::Shutdown(Dependencies dependencies, Times times)
    : times_(times),
      server_(&dependencies.server),
      event_loops_(dependencies.server.watchdog()),
      control_watch_(dependencies.counters, dependencies.logger, dependencies.clock),
      thread_(dependencies.logger),
      watch_timer_(thread_.io()),
      signals_(thread_, [this](int number) { on_signal(number); }),
      last_resort_({.thread = thread_,
                    .logger = dependencies.logger,
                    .what_is_stuck = [this] { return stuck(); },
                    .end_process = std::move(dependencies.end_process)}) {
  control_watch_.watch("control loop",
                       [&control = dependencies.control](std::function<void()> task) {
                         boost::asio::post(control.io(), std::move(task));
                       });
}

Shutdown::~Shutdown() {
  thread_.stop();
}

void Shutdown::start() {
  boost::asio::post(thread_.io(), [this] { watch_control(); });
  thread_.start();
}

void Shutdown::watch_control() {
  watch_timer_.expires_after(kWatchInterval);
  watch_timer_.async_wait(
      aio::in_memory(watch_memory_, [this](const boost::system::error_code& error) {
        if (!error) watch_control();
      }));
  control_watch_.check_loops();
}

void Shutdown::on_signal(int number) {
  control_watch_.check_loops();  // starts a check, so that a second signal has its result
  if (number == 2) {
    if (server_ != nullptr) server_->skip_shutdown_delay();
    last_resort_.arm(times_.drain + times_.grace);
    if (!late_loops(kPatienceOfTheHurried).empty()) {
      last_resort_.end("a second signal came, and an event loop is stuck");
    }
  } else if (number > 2) {
    last_resort_.end("a third signal came");
  }
}

void Shutdown::forget_server() {
  if (!thread_.is_running()) return;
  const auto done = std::make_shared<std::promise<void>>();
  boost::asio::post(thread_.io(), [this, done] {
    server_ = nullptr;
    done->set_value();
  });
  done->get_future().wait_for(kThreadPatience);
}

std::string Shutdown::late_loops(std::chrono::nanoseconds least) const {
  std::string late = control_watch_.late_loops(least);
  const std::string loops = event_loops_->late_loops(least);
  if (!late.empty() && !loops.empty()) late += ", ";
  return late + loops;
}

}  // namespace dynamo::webhook
