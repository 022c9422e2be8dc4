#include "server/buffer_pool.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace dynamo::server {
namespace {

TEST(BufferPool, LastReleasedBufferIsReusedFirst) {
  BufferPool pool;
  Buffer first = pool.acquire();
  Buffer second = pool.acquire(100);
  EXPECT_EQ(first.capacity(), BufferPool::kStandardBytes);
  EXPECT_EQ(second.capacity(), BufferPool::kStandardBytes);
  const char* const first_bytes = first.data();
  const char* const second_bytes = second.data();
  ASSERT_NE(first_bytes, second_bytes);
  pool.release(std::move(first));
  pool.release(std::move(second));
  EXPECT_EQ(pool.acquire().data(), second_bytes);
}

TEST(BufferPool, LargeBuffersAreReusedOnlyIfTheyFit) {
  BufferPool pool;
  Buffer large = pool.acquire(100'000);
  EXPECT_GE(large.capacity(), 100'000U);
  const char* const bytes = large.data();
  const std::size_t capacity = large.capacity();
  pool.release(std::move(large));
  EXPECT_NE(pool.acquire().data(), bytes);
  Buffer larger = pool.acquire(capacity + 1);
  EXPECT_GT(larger.capacity(), capacity);
  EXPECT_EQ(pool.acquire(capacity).data(), bytes);
}

TEST(BufferPool, MemoryBeyondLimitIsFreed) {
  BufferPool pool;
  constexpr std::size_t kTooLarge = BufferPool::kLargeBytesKept + 1;
  std::vector<Buffer> taken;
  taken.reserve(5);
  for (int buffer = 0; buffer < 5; ++buffer) taken.push_back(pool.acquire(1024 * 1024));
  for (Buffer& buffer : taken) pool.release(std::move(buffer));
  taken.clear();
  EXPECT_EQ(pool.kept_bytes(), 4U * 1024 * 1024);
  pool.release(pool.acquire(kTooLarge));
  EXPECT_EQ(pool.kept_bytes(), 4U * 1024 * 1024);
}

TEST(BufferPool, NumberOfStandardBuffersIsLimited) {
  BufferPool pool;
  std::vector<Buffer> taken;
  taken.reserve(BufferPool::kStandardKept + 1);
  for (std::size_t buffer = 0; buffer <= BufferPool::kStandardKept; ++buffer) {
    taken.push_back(pool.acquire());
  }
  for (Buffer& buffer : taken) pool.release(std::move(buffer));
  EXPECT_EQ(pool.kept_bytes(), BufferPool::kStandardKept * BufferPool::kStandardBytes);
}

TEST(BufferPool, EmptyBufferIsAccepted) {
  BufferPool pool;
  pool.release(Buffer());
  EXPECT_EQ(pool.kept_bytes(), 0U);
  EXPECT_TRUE(pool.acquire());
}

}  // namespace
}  // namespace dynamo::server
