#include "aio/interrupt.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <exception>
#include <utility>

namespace dynamo::aio {

namespace asio = boost::asio;

struct Interrupt::PendingAwait {
  asio::cancellation_signal cancel;
  bool was_rung = false;
};

void Interrupt::ring() {
  const auto awaited = awaited_.lock();
  if (!awaited) return;
  awaited->was_rung = true;
  awaited->cancel.emit(asio::cancellation_type::terminal);
}

Task<bool> Interrupt::await(Task<> task) {
  const auto executor = co_await asio::this_coro::executor;
  const auto state = co_await asio::this_coro::cancellation_state;
  // A canceller may run after this frame has ended.
  const auto awaited = std::make_shared<PendingAwait>();
  awaited_ = awaited;
  auto outer = state.slot();
  if (outer.is_connected()) {
    outer.assign([awaited](asio::cancellation_type type) { awaited->cancel.emit(type); });
  }
  std::exception_ptr defect;
  try {
    co_await asio::co_spawn(
        executor, std::move(task),
        asio::bind_cancellation_slot(awaited->cancel.slot(), asio::use_awaitable));
  } catch (...) {
    defect = std::current_exception();
  }
  awaited_.reset();
  if (outer.is_connected()) outer.clear();
  if (awaited->was_rung) co_return false;
  if (defect) std::rethrow_exception(defect);
  co_return true;
}

}  // namespace dynamo::aio
