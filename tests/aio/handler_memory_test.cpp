#include "aio/handler_memory.hpp"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <memory>

namespace dynamo::aio {
namespace {

TEST(HandlerMemory, OneHandlerAtATimeUsesReservedRoom) {
  HandlerMemory memory;
  void* const first = memory.allocate(100);
  void* const second = memory.allocate(100);
  EXPECT_NE(first, second);
  memory.deallocate(second);
  memory.deallocate(first);
  EXPECT_EQ(memory.allocate(100), first);
  memory.deallocate(first);
}

TEST(HandlerMemory, LargerHandlersComeFromHeap) {
  HandlerMemory memory;
  void* const reserved = memory.allocate(1);
  memory.deallocate(reserved);
  void* const large = memory.allocate(100'000);
  EXPECT_NE(large, reserved);
  memory.deallocate(large);
}

TEST(HandlerMemory, RepeatedWaitsReuseReservedRoom) {
  const auto memory = std::make_shared<HandlerMemory>();
  void* const reserved = memory->allocate(1);
  memory->deallocate(reserved);
  boost::asio::io_context io;
  boost::asio::steady_timer timer(io);
  int left = 3;
  const std::function<void()> wait = [&] {
    timer.expires_after(std::chrono::milliseconds(1));
    timer.async_wait(in_memory(memory, [&](const boost::system::error_code&) {
      if (--left > 0) wait();
    }));
    void* const other = memory->allocate(1);  // the reserved room is taken
    EXPECT_NE(other, reserved);
    memory->deallocate(other);
  };
  wait();
  io.run();
  EXPECT_EQ(left, 0);
}

// As when a loop is destroyed before its handlers have run.
TEST(HandlerMemory, OutlivesItsOwnerWhileHandlerWaits) {
  auto memory = std::make_shared<HandlerMemory>();
  const std::weak_ptr<HandlerMemory> watched = memory;
  {
    boost::asio::io_context io;
    boost::asio::steady_timer timer(io, std::chrono::hours(1));
    timer.async_wait(in_memory(memory, [](const boost::system::error_code&) {}));
    memory.reset();
    EXPECT_FALSE(watched.expired());
  }
  EXPECT_TRUE(watched.expired());
}

}  // namespace
}  // namespace dynamo::aio
