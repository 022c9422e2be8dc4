#include "aio/time_limit.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <exception>
#include <memory>
#include <utility>

namespace dynamo::aio {
namespace {

namespace asio = boost::asio;

struct Limited {
  asio::cancellation_signal cancel;
  bool is_over = false;
};

}  // namespace

Task<bool> within(std::chrono::milliseconds limit, Task<> task) {
  const auto executor = co_await asio::this_coro::executor;
  const auto state = co_await asio::this_coro::cancellation_state;
  // Those who cancel may come when this frame is gone.
  const auto limited = std::make_shared<Limited>();
  auto outer = state.slot();
  if (outer.is_connected()) {
    outer.assign([limited](asio::cancellation_type type) { limited->cancel.emit(type); });
  }
  asio::steady_timer timer(executor, limit);
  timer.async_wait([weak = std::weak_ptr(limited)](const boost::system::error_code& error) {
    const auto running = weak.lock();
    if (error || !running) return;
    running->is_over = true;
    running->cancel.emit(asio::cancellation_type::terminal);
  });
  std::exception_ptr defect;
  try {
    co_await asio::co_spawn(
        executor, std::move(task),
        asio::bind_cancellation_slot(limited->cancel.slot(), asio::use_awaitable));
  } catch (...) {
    defect = std::current_exception();
  }
  if (outer.is_connected()) outer.clear();
  if (limited->is_over) co_return false;
  if (defect) std::rethrow_exception(defect);
  co_return true;
}

}  // namespace dynamo::aio
