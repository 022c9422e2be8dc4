#include "certs/rehearsal.hpp"

#include <gtest/gtest.h>
#include <openssl/err.h>

#include <chrono>

#include "tests/support/fake_clock.hpp"

namespace dynamo::certs {
namespace {

TEST(RehearsedHandshake, SucceedsAtAnyTime) {
  test::FakeClock clock;
  for (const auto step : {std::chrono::hours(0), std::chrono::hours(24 * 365 * 30)}) {
    clock.tick(step);
    const auto done = rehearse_handshake(clock);
    EXPECT_TRUE(done) << done.error().text;
    EXPECT_EQ(ERR_peek_error(), 0U);
  }
}

}  // namespace
}  // namespace dynamo::certs
