#include "aio/backoff.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace dynamo::aio {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

TEST(BackoffTest, PausesDoubleUpToLongestWithJitter) {
  Backoff backoff(milliseconds(100), milliseconds(1000), 7);
  for (const int length : {100, 200, 400, 800, 1000, 1000}) {
    const auto pause = backoff.next();
    EXPECT_GE(pause, milliseconds(length / 2));
    EXPECT_LE(pause, milliseconds(length));
  }
  backoff.reset();
  EXPECT_LE(backoff.next(), milliseconds(100));
}

TEST(BackoffTest, ReplicasPauseDifferently) {
  Backoff one(hours(1), hours(1));
  Backoff other(hours(1), hours(1));
  EXPECT_NE(one.next(), other.next());
}

}  // namespace
}  // namespace dynamo::aio
