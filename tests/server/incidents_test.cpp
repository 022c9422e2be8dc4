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
  bool is_enabled(runtime::Level level) const override { return level >= runtime::Level::kInfo; }

  test::RecordingLogger lines;
};

class IncidentsTest : public ::testing::Test {
 protected:
  std::size_t line_count() const { return logger_.lines.lines().size(); }

  InfoLogger logger_;
  test::FakeClock clock_;
  ServerCounters counters_;
  Incidents incidents_{counters_, logger_, clock_};
};

TEST_F(IncidentsTest, OneClassIsLoggedOncePerMinute) {
  for (int scan = 0; scan < 1000; ++scan) {
    incidents_.handshake_failed(HandshakeFailure::kNotTls, "http request", false, -1);
  }
  ASSERT_EQ(line_count(), 1U);
  EXPECT_TRUE(logger_.lines.lines()[0].mentions("not_tls"));
  EXPECT_EQ(counters_.handshake_failures.value(HandshakeFailure::kNotTls), 1000U);
  clock_.tick(std::chrono::seconds(61));
  incidents_.handshake_failed(HandshakeFailure::kNotTls, "http request", false, -1);
  ASSERT_EQ(line_count(), 2U);
  EXPECT_TRUE(logger_.lines.lines()[1].mentions("999"));
}

TEST_F(IncidentsTest, ClassesDoNotHideEachOther) {
  incidents_.handshake_failed(HandshakeFailure::kNotTls, "x", false, -1);
  incidents_.handshake_failed(HandshakeFailure::kVersion, "x", false, -1);
  incidents_.timed_out(TimeoutPhase::kBody, -1);
  incidents_.timed_out(TimeoutPhase::kHeader, -1);
  incidents_.rejected(Limit::kInFlight, -1);
  incidents_.rejected(Limit::kDraining, -1);
  EXPECT_EQ(line_count(), 6U);
}

TEST_F(IncidentsTest, RoutineIncidentsAreOnlyCounted) {
  incidents_.handshake_failed(HandshakeFailure::kEof, "closed", true, -1);
  incidents_.handshake_failed(HandshakeFailure::kTimeout, "too long", true, -1);
  incidents_.timed_out(TimeoutPhase::kIdle, -1);
  incidents_.bad_request(404, "no such path", -1);
  EXPECT_EQ(line_count(), 0U);
  EXPECT_EQ(counters_.handshake_failures.value(HandshakeFailure::kEof), 1U);
  EXPECT_EQ(counters_.timeouts.value(TimeoutPhase::kIdle), 1U);
  EXPECT_EQ(counters_.bad_requests.value(1), 1U);
}

TEST_F(IncidentsTest, DefectsAreErrorsWithPathAndReason) {
  incidents_.defect("/validate", "out of range");
  ASSERT_EQ(line_count(), 1U);
  EXPECT_EQ(logger_.lines.lines()[0].level, runtime::Level::kError);
  EXPECT_TRUE(logger_.lines.lines()[0].mentions("/validate"));
  EXPECT_TRUE(logger_.lines.lines()[0].mentions("out of range"));
  EXPECT_EQ(counters_.handler_defects, 1U);
}

}  // namespace
}  // namespace dynamo::server
