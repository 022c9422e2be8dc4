// Coroutines of the cluster's side: all of them run on one loop's thread.
#pragma once

#include <boost/asio/awaitable.hpp>

namespace dynamo::aio {

// Three things to know when writing one, as g++ 12 is among our compilers:
// - no co_await inside of a condition (`while (co_await f(1ms))`): in a coroutine without variables
//   of its own the parameters are lost. Put its result into a variable first.
// - no braced aggregate inside of a co_await expression (`co_await f({.a = b})`, `f(T{b})`): it is
//   destroyed twice. Make a variable of it before. The options of kube are no aggregates, so that
//   the compiler refuses this.
// - no lambda with captures as a coroutine that outlives the lambda: pass parameters instead, or
//   give it to TaskGroup::spawn(), which keeps it.
template <class T = void>
using Task = boost::asio::awaitable<T>;

}  // namespace dynamo::aio
