#include "webhook/memory_bound.hpp"

#include <gtest/gtest.h>

#include "webhook/flags.hpp"

namespace dynamo::webhook {
namespace {

constexpr std::size_t kMiB = 1024 * 1024;

TEST(MemoryBound, CoversDefaultsInLessThanOneGiB) {
  const Options options = default_options();
  const MemoryBound bound = memory_bound(options, 2);
  EXPECT_GT(bound.process, options.max_body_memory + 2 * 24 * options.max_body_bytes);
  EXPECT_LT(bound.process, 1024 * kMiB);
  EXPECT_LT(bound.sockets, 512 * kMiB);
}

TEST(MemoryBound, GrowsWithEachLimit) {
  const Options options = default_options();
  const MemoryBound before = memory_bound(options, 2);
  EXPECT_GT(memory_bound(options, 3).process, before.process);
  Options more = options;
  more.max_body_memory += kMiB;
  EXPECT_EQ(memory_bound(more, 2).process, before.process + kMiB);
  more = options;
  more.max_body_bytes += kMiB;
  EXPECT_EQ(memory_bound(more, 2).process, before.process + 48 * kMiB);
  more = options;
  more.max_connections += 1;
  EXPECT_GT(memory_bound(more, 2).process, before.process);
  EXPECT_GT(memory_bound(more, 2).sockets, before.sockets);
}

}  // namespace
}  // namespace dynamo::webhook
