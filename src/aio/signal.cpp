#include "aio/signal.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace dynamo::aio {

Task<bool> Signal::wait(std::chrono::milliseconds at_most) {
  if (!rung_) {
    boost::system::error_code failure;
    timer_.expires_after(at_most);
    co_await timer_.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, failure));
  }
  rung_ = false;
  const auto state = co_await boost::asio::this_coro::cancellation_state;
  co_return state.cancelled() == boost::asio::cancellation_type::none;
}

}  // namespace dynamo::aio
