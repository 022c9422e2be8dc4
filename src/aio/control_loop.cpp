#include "aio/control_loop.hpp"

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <exception>
#include <thread>

namespace dynamo::aio {

struct ControlLoop::Impl {
  explicit Impl(runtime::Logger& the_logger) : logger(the_logger) {}

  runtime::Logger& logger;
  boost::asio::io_context io{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work{io.get_executor()};
  std::atomic<bool> is_running{false};
  std::thread thread;
};

ControlLoop::ControlLoop(runtime::Logger& logger) : impl_(std::make_unique<Impl>(logger)) {}

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
        impl->io.run();
        return;
      } catch (const std::exception& error) {
        impl->logger.log(runtime::Level::kError, "a defect was caught on the control thread",
                         {{"what", error.what()}});
      }
    }
  });
}

void ControlLoop::stop() {
  impl_->io.stop();
  impl_->is_running = false;
  if (impl_->thread.joinable()) impl_->thread.join();
}

}  // namespace dynamo::aio
