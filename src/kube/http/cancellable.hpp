// Turns cancellation into a result, as the transport promises its callers.
#pragma once

#include <boost/asio/error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/system/system_error.hpp>
#include <utility>

#include "aio/task.hpp"
#include "kube/object/error.hpp"

namespace dynamo::kube {

inline Error cancelled_error() {
  Error error;
  error.failure = FailureKind::kCancelled;
  error.text = "cancelled";
  return error;
}

// Awaits `task`. Returns kCancelled if the awaiting coroutine is or was cancelled. Inside the task
// each co_await then throws, so that its frames unwind.
template <class T>
aio::Task<Result<T>> cancellable(aio::Task<Result<T>> task) {
  namespace this_coro = boost::asio::this_coro;
  const bool throws = co_await this_coro::throw_if_cancelled();
  co_await this_coro::throw_if_cancelled(true);
  Result<T> result = cancelled_error();
  try {
    result = co_await std::move(task);
  } catch (const boost::system::system_error& error) {
    if (error.code() != boost::asio::error::operation_aborted) throw;
  }
  co_await this_coro::throw_if_cancelled(throws);
  const auto state = co_await this_coro::cancellation_state;
  if (!result && state.cancelled() != boost::asio::cancellation_type::none) {
    result = cancelled_error();
  }
  co_return result;
}

}  // namespace dynamo::kube
