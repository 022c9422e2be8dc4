// Coroutine type for code that runs on one loop's thread.
#pragma once

#include <boost/asio/awaitable.hpp>

namespace dynamo::aio {

// Three rules for coroutines, because g++ 12 is among our compilers:
// - no co_await inside a condition (`while (co_await f(1ms))`): in a coroutine without local
//   variables the parameters are lost. Put the result into a variable first.
// - no braced aggregate inside a co_await expression (`co_await f({.a = b})`, `f(T{b})`): it is
//   destroyed twice. Create a variable first. The options in kube are not aggregates, so that the
//   compiler refuses this.
// - no lambda with captures as a coroutine that outlives the lambda: pass parameters instead, or
//   pass it to TaskGroup::spawn(), which keeps it.
template <class T = void>
using Task = boost::asio::awaitable<T>;

}  // namespace dynamo::aio
