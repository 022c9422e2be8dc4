#include "aio/pause.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace dynamo::aio {

Task<bool> pause(std::chrono::milliseconds length) {
  boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor, length);
  boost::system::error_code failure;
  co_await timer.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, failure));
  co_return !failure;
}

}  // namespace dynamo::aio
