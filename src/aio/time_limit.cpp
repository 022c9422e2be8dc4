#include "aio/time_limit.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <memory>
#include <utility>

#include "aio/interrupt.hpp"

namespace dynamo::aio {

Task<bool> within(std::chrono::milliseconds limit, Task<> task) {
  // The timer's handler may run after this frame has ended.
  const auto interrupt = std::make_shared<Interrupt>();
  boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor, limit);
  timer.async_wait([weak = std::weak_ptr(interrupt)](const boost::system::error_code& error) {
    const auto running = weak.lock();
    if (!error && running) running->ring();
  });
  co_return co_await interrupt->await(std::move(task));
}

}  // namespace dynamo::aio
