#include "server/request_deadline.hpp"

#include <gtest/gtest.h>

#include <string>

namespace dynamo::server {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

TEST(RequestDeadline, GoDurationsAreParsed) {
  const struct {
    std::string_view text;
    nanoseconds expected;
  } rows[] = {
      {"10s", 10s},     {"1s", 1s},       {"30s", 30s},      {"500ms", 500ms},
      {"1m30s", 90s},   {"1.5h", 90min},  {".5s", 500ms},    {"1h1m1s1ms", 3661001ms},
      {"100us", 100us}, {"7ns", 7ns},     {"5\u00b5s", 5us}, {"5\u03bcs", 5us},
      {"24h", 24h},     {"25h", 24h},     {"9999999h", 24h}, {"007s", 7s},
      {"1s1s", 2s},     {"1.5s", 1500ms}, {"1.s", 1s},       {"0s5ms", 5ms},
  };
  for (const auto& row : rows) {
    const auto parsed = parse_timeout(row.text);
    ASSERT_TRUE(parsed.has_value()) << row.text;
    EXPECT_EQ(*parsed, row.expected) << row.text;
  }
}

TEST(RequestDeadline, InvalidTextIsIgnored) {
  for (const std::string_view text :
       {"",      "s",     "10",
        "-1s",   "+1s",   "0s",
        "0",     "1x",    "1 s",
        " 1s",   "1s ",   "s10",
        "nan",   "infs",  "1e3s",
        "0x10s", "1..5s", ".s",
        "10S",   "1d",    "99999999999999999999999999999999999999999999x"}) {
    EXPECT_EQ(parse_timeout(text), std::nullopt) << text;
  }
}

TEST(RequestDeadline, TimeoutIsFoundAmongOtherParameters) {
  EXPECT_EQ(timeout_in_query("timeout=10s"), 10s);
  EXPECT_EQ(timeout_in_query("a=b&timeout=2s&c=d"), 2s);
  EXPECT_EQ(timeout_in_query("&&timeout=2s"), 2s);
  EXPECT_EQ(timeout_in_query("timeout=1s&timeout=9s"), 1s);
  EXPECT_EQ(timeout_in_query(""), std::nullopt);
  EXPECT_EQ(timeout_in_query("timeouts=1s"), std::nullopt);
  EXPECT_EQ(timeout_in_query("xtimeout=1s"), std::nullopt);
  EXPECT_EQ(timeout_in_query("timeout"), std::nullopt);
  EXPECT_EQ(timeout_in_query("timeout="), std::nullopt);
}

TEST(RequestDeadline, MarginIsOneSecondTenthOrHalf) {
  EXPECT_EQ(usable_part(30s), 27s);
  EXPECT_EQ(usable_part(10s), 9s);
  EXPECT_EQ(usable_part(5s), 4s);
  EXPECT_EQ(usable_part(2s), 1s);
  EXPECT_EQ(usable_part(1s), 500ms);
  EXPECT_EQ(usable_part(100ms), 50ms);
}

}  // namespace
}  // namespace dynamo::server
