#include "server/incidents.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/fake_clock.hpp"
#include "tests/support/recording_logger.hpp"

namespace dynamo::server {
namespace {

// As in production: no debug lines.
class InfoLogger final : public runtime::Logger {
 public:
  using runtime::Logger::log;
  void log(runtime::Level level, std::string_view message,
           std::span<const runtime::Field> fields) override {
    lines.log(level, message, fields);
  }
  bool enabled(runtime::Level level) const override { return level >= runtime::Level::kInfo; }

  test::RecordingLogger lines;
};

class IncidentsTest : public ::testing::Test {
 protected:
  std::size_t line_count() const { return logger.lines.lines().size(); }

  InfoLogger logger;
  test::FakeClock clock;
  ServerCounters counters;
  Incidents incidents{counters, logger, clock};
};

TEST_F(IncidentsTest, OfOneClassAreSaidOnceAMinute) {
  for (int scan = 0; scan < 1000; ++scan) {
    incidents.handshake_failed(HandshakeFailure::kNotTls, "http request", false, -1);
  }
  ASSERT_EQ(line_count(), 1U);
  EXPECT_TRUE(logger.lines.lines()[0].mentions("not_tls"));
  EXPECT_EQ(counters.handshake_failures.value(HandshakeFailure::kNotTls), 1000U);
  clock.tick(std::chrono::seconds(61));
  incidents.handshake_failed(HandshakeFailure::kNotTls, "http request", false, -1);
  ASSERT_EQ(line_count(), 2U);
  EXPECT_TRUE(logger.lines.lines()[1].mentions("999"));
}

TEST_F(IncidentsTest, OfOneClassDoNotHideAnother) {
  incidents.handshake_failed(HandshakeFailure::kNotTls, "x", false, -1);
  incidents.handshake_failed(HandshakeFailure::kVersion, "x", false, -1);
  incidents.timed_out(TimeoutPhase::kBody, -1);
  incidents.timed_out(TimeoutPhase::kHeader, -1);
  incidents.rejected(Limit::kInFlight, -1);
  incidents.rejected(Limit::kDraining, -1);
  EXPECT_EQ(line_count(), 6U);
}

TEST_F(IncidentsTest, OfEverydayLifeAreCountedInSilence) {
  incidents.handshake_failed(HandshakeFailure::kEof, "closed", true, -1);
  incidents.handshake_failed(HandshakeFailure::kTimeout, "too long", true, -1);
  incidents.timed_out(TimeoutPhase::kIdle, -1);
  incidents.bad_request(404, "no such path", -1);
  EXPECT_EQ(line_count(), 0U);
  EXPECT_EQ(counters.handshake_failures.value(HandshakeFailure::kEof), 1U);
  EXPECT_EQ(counters.timeouts.value(TimeoutPhase::kIdle), 1U);
  EXPECT_EQ(counters.bad_requests.value(1), 1U);
}

TEST_F(IncidentsTest, ThatAreDefectsAreErrorsWithPathAndReason) {
  incidents.defect("/validate", "out of range");
  ASSERT_EQ(line_count(), 1U);
  EXPECT_EQ(logger.lines.lines()[0].level, runtime::Level::kError);
  EXPECT_TRUE(logger.lines.lines()[0].mentions("/validate"));
  EXPECT_TRUE(logger.lines.lines()[0].mentions("out of range"));
  EXPECT_EQ(counters.handler_defects, 1U);
}

}  // namespace
}  // namespace dynamo::server
