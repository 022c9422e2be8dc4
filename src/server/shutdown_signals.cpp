#include "server/shutdown_signals.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <future>
#include <utility>

namespace dynamo::server {

struct ShutdownSignals::Impl {
  Impl(boost::asio::io_context& loop, std::function<void()> second)
      : signals(loop, SIGTERM, SIGINT), on_second(std::move(second)) {}

  void wait_for_next() {
    signals.async_wait([this](const boost::system::error_code& error, int) {
      if (error) return;
      if (came) {
        on_second();
      } else {
        end();
      }
      wait_for_next();
    });
  }

  void end() {
    if (!std::exchange(came, true)) first.set_value();
  }

  boost::asio::signal_set signals;
  std::function<void()> on_second;
  std::promise<void> first;
  bool came = false;
};

ShutdownSignals::ShutdownSignals(ControlLoop& control, std::function<void()> on_second)
    : impl_(std::make_unique<Impl>(control.io(), std::move(on_second))) {
  impl_->wait_for_next();
}

ShutdownSignals::~ShutdownSignals() = default;

void ShutdownSignals::end() {
  impl_->end();
}

void ShutdownSignals::wait() {
  impl_->first.get_future().wait();
}

}  // namespace dynamo::server
