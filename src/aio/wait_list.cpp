#include "aio/wait_list.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace dynamo::aio {

// A waiter's entry in the list, removed by the destructor.
class WaitList::Entry {
 public:
  Entry(WaitList& list, Waiter& waiter) : list_(list), waiter_(waiter) {
    list_.waiters_.push_back(&waiter_);
  }
  ~Entry() {
    if (!waiter_.woken) list_.waiters_.remove(&waiter_);
  }
  Entry(const Entry&) = delete;
  Entry& operator=(const Entry&) = delete;

 private:
  WaitList& list_;
  Waiter& waiter_;
};

Task<bool> WaitList::wait(std::chrono::steady_clock::time_point deadline) {
  Waiter waiter{boost::asio::steady_timer(executor_, deadline)};
  const Entry entry(*this, waiter);
  co_await waiter.timer.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
  co_return waiter.woken;
}

bool WaitList::wake_one() {
  if (waiters_.empty()) return false;
  Waiter& first = *waiters_.front();
  waiters_.pop_front();
  first.woken = true;
  first.timer.cancel();
  return true;
}

void WaitList::wake_all() {
  while (wake_one()) {
  }
}

}  // namespace dynamo::aio
