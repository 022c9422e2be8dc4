#include "text/timestamp.hpp"

#include <gtest/gtest.h>

#include "text/micro_time.hpp"

namespace dynamo::text {
namespace {

using std::chrono::system_clock;
using namespace std::chrono_literals;

system_clock::time_point at(std::int64_t seconds) {
  return system_clock::time_point{std::chrono::seconds{seconds}};
}

TEST(Timestamp, ReadsKubernetesTimestamps) {
  EXPECT_EQ(parse_timestamp("1970-01-01T00:00:00Z"), at(0));
  EXPECT_EQ(parse_timestamp("2026-11-21T14:30:05Z"), at(1795271405));
  EXPECT_EQ(parse_timestamp("2024-02-29T23:59:59Z"), at(1709251199));
  EXPECT_EQ(parse_timestamp("2026-11-21T14:30:05.123456Z"), at(1795271405) + 123456us);
}

TEST(Timestamp, KeepsMicrosecondsOfAnyFraction) {
  EXPECT_EQ(parse_timestamp("1970-01-01T00:00:00.5Z"), at(0) + 500ms);
  EXPECT_EQ(parse_timestamp("1970-01-01T00:00:00.123456789Z"), at(0) + 123456us);
}

TEST(Timestamp, AppliesOffsets) {
  EXPECT_EQ(parse_timestamp("1970-01-01T01:00:00+01:00"), at(0));
  EXPECT_EQ(parse_timestamp("1970-01-01T00:00:00-05:30"), at(19800));
}

TEST(Timestamp, CountsALeapSecondAsTheNextMinute) {
  EXPECT_EQ(parse_timestamp("2016-12-31T23:59:60Z"), at(1483228800));
}

TEST(Timestamp, RefusesEverythingElse) {
  for (const char* text :
       {"", "2026-11-21", "2026-11-21T14:30Z", "2026-11-21T14:30:05", "2026-11-21 14:30:05Z",
        "2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-00-10T00:00:00Z",
        "2026-11-31T00:00:00Z", "2026-11-21T24:00:00Z", "2026-11-21T00:60:00Z",
        "2026-11-21T00:00:61Z", "2026-11-21T00:00:00.Z", "2026-11-21T00:00:00+24:00",
        "2026-11-21T00:00:00+0100", "2026-11-21T00:00:00Zx", "1969-12-31T23:59:59Z",
        "26-11-21T00:00:00Z", "2026-11-21T0a:00:00Z"}) {
    EXPECT_FALSE(parse_timestamp(text)) << text;
  }
}

TEST(Timestamp, IsCappedAtTheClocksMaximum) {
  EXPECT_EQ(parse_timestamp("9999-12-31T23:59:59.9Z"), system_clock::time_point::max());
  EXPECT_EQ(parse_day_or_timestamp("9999-12-31"), system_clock::time_point::max());
  EXPECT_LT(*parse_timestamp("2262-01-01T00:00:00Z"), system_clock::time_point::max());
}

TEST(Timestamp, MayBeADateIfAllowed) {
  EXPECT_EQ(parse_day_or_timestamp("1970-01-02"), at(86400));
  EXPECT_EQ(parse_day_or_timestamp("1970-01-02T00:00:01Z"), at(86401));
  EXPECT_FALSE(parse_day_or_timestamp("1970-01-02T"));
  EXPECT_FALSE(parse_day_or_timestamp("1970-01-32"));
}

TEST(Timestamp, IsWrittenWithoutAFraction) {
  EXPECT_EQ(format_timestamp(at(1795271405) + 999ms), "2026-11-21T14:30:05Z");
  EXPECT_EQ(format_timestamp(at(0)), "1970-01-01T00:00:00Z");
}

TEST(FormatAge, UsesOneOrTwoUnits) {
  struct {
    std::chrono::seconds age;
    const char* text;
  } const rows[] = {
      {0s, "0s"}, {59s, "59s"},        {60s, "1m"}, {59min + 59s, "59m"},
      {1h, "1h"}, {2h + 5min, "2h5m"}, {24h, "1d"}, {24h * 3 + 4h + 59min, "3d4h"},
  };
  for (const auto& row : rows) EXPECT_EQ(format_age(row.age), row.text);
}

TEST(MicroTime, SixDigitsAreAlwaysWritten) {
  const auto second = std::chrono::system_clock::from_time_t(1'770'091'506);
  EXPECT_EQ(format_micro_time(second), "2026-02-03T04:05:06.000000Z");
  EXPECT_EQ(format_micro_time(second + std::chrono::microseconds(1'002'003)),
            "2026-02-03T04:05:07.002003Z");
  EXPECT_EQ(format_micro_time(second + std::chrono::nanoseconds(999'999'999)),
            "2026-02-03T04:05:06.999999Z")
      << "cut, not rounded";
}

}  // namespace
}  // namespace dynamo::text
