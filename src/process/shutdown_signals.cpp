#include "process/shutdown_signals.hpp"

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <exception>
#include <future>
#include <memory>
#include <utility>

#include "aio/handler_memory.hpp"

namespace dynamo::process {

struct ShutdownSignals::Impl {
  Impl(boost::asio::io_context& loop, std::function<void(int)> the_handler)
      : signals(loop, SIGTERM, SIGINT), on_signal(std::move(the_handler)) {}

  void wait_for_next() {
    signals.async_wait(aio::in_memory(memory, [this](const boost::system::error_code& error, int) {
      if (!error) take_signal();
    }));
  }

  // A failed allocation in `on_signal` loses neither this signal nor the next one.
  void take_signal() {
    wait_for_next();
    const int number = came.fetch_add(1) + 1;
    try {
      on_signal(number);
    } catch (const std::exception&) {
      if (number == 1) first.set_value();
      throw;
    }
    if (number == 1) first.set_value();
  }

  void end() {
    int none = 0;
    if (came.compare_exchange_strong(none, 1)) first.set_value();
  }

  const std::shared_ptr<aio::HandlerMemory> memory = std::make_shared<aio::HandlerMemory>();
  boost::asio::signal_set signals;
  std::function<void(int)> on_signal;
  std::promise<void> first;
  std::atomic<int> came{0};
};

ShutdownSignals::ShutdownSignals(aio::ControlLoop& thread, std::function<void(int)> on_signal)
    : impl_(std::make_unique<Impl>(thread.io(), std::move(on_signal))) {
  impl_->wait_for_next();
}

ShutdownSignals::~ShutdownSignals() = default;

void ShutdownSignals::end() {
  impl_->end();
}

void ShutdownSignals::wait() {
  impl_->first.get_future().wait();
}

}  // namespace dynamo::process
