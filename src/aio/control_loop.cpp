#include "aio/control_loop.hpp"

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

namespace dynamo::aio {

struct ControlLoop::Impl {
  Impl(runtime::Logger& the_logger, const WakeupBatching& the_batching)
      : logger(the_logger), batching(the_batching) {}

  void wait(std::chrono::microseconds length) {
    std::unique_lock lock(mutex);
    stopped.wait_for(lock, length, [this] { return is_stopped; });
  }

  // Logging may fail for the same reason, such as a failed allocation.
  void log_defect(const char* what) noexcept {
    try {
      logger.log(runtime::Level::kError, "a defect was caught on the control thread",
                 {{"what", what}});
    } catch (const std::exception&) {
      return;
    }
  }

  runtime::Logger& logger;
  const WakeupBatching batching;
  std::mutex mutex;
  std::condition_variable stopped;
  bool is_stopped = false;
  boost::asio::io_context io{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work{io.get_executor()};
  std::atomic<bool> is_running{false};
  std::thread thread;
};

ControlLoop::ControlLoop(runtime::Logger& logger, const WakeupBatching& batching)
    : impl_(std::make_unique<Impl>(logger, batching)) {}

ControlLoop::~ControlLoop() {
  stop();
}

boost::asio::io_context& ControlLoop::io() {
  return impl_->io;
}

bool ControlLoop::is_running() const {
  return impl_->is_running;
}

void ControlLoop::start() {
  impl_->is_running = true;
  impl_->thread = std::thread([impl = impl_.get()] {
    for (;;) {
      try {
        run_with_wakeup_batching(impl->io, impl->batching,
                                 [impl](std::chrono::microseconds length) { impl->wait(length); });
        return;
      } catch (const std::exception& error) {
        impl->log_defect(error.what());
      }
    }
  });
}

void ControlLoop::stop() {
  impl_->io.stop();
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->is_stopped = true;
  }
  impl_->stopped.notify_one();
  impl_->is_running = false;
  if (impl_->thread.joinable()) impl_->thread.join();
}

}  // namespace dynamo::aio
