// A FIFO list of waiting coroutines.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>

#include "aio/task.hpp"

namespace dynamo::aio {

// Belongs to the thread of its executor, and must outlive all waiters.
class WaitList {
 public:
  explicit WaitList(boost::asio::any_io_executor executor) : executor_(std::move(executor)) {}
  WaitList(const WaitList&) = delete;
  WaitList& operator=(const WaitList&) = delete;

  // True if woken. False at the deadline or if the coroutine is cancelled. If both happen at once,
  // it counts as woken.
  Task<bool> wait(std::chrono::steady_clock::time_point deadline);

  // Wakes the longest waiter. False if there is none.
  bool wake_one();
  void wake_all();

  std::size_t size() const { return waiters_.size(); }

 private:
  struct Waiter {
    boost::asio::steady_timer timer;
    bool woken = false;
  };
  class Entry;

  boost::asio::any_io_executor executor_;
  std::list<Waiter*> waiters_;
};

}  // namespace dynamo::aio
