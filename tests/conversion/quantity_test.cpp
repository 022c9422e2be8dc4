#include "conversion/quantity.hpp"

#include <gtest/gtest.h>

#include <string>

#include "conversion/time_text.hpp"

namespace dynamo::test {
namespace {

std::string canonical(std::string_view text) {
  char buffer[conversion::kMaxQuantity];
  const auto found = conversion::canonical_quantity(text, buffer);
  return found ? std::string(*found) : "none";
}

std::string canonical_time(std::string_view text) {
  char buffer[conversion::kTimeLength];
  const auto found = conversion::canonical_time(text, buffer);
  return found ? std::string(*found) : "none";
}

struct QuantityCase {
  std::string_view text;
  std::string_view canonical;
};

class QuantityFormTest : public testing::TestWithParam<QuantityCase> {};

TEST_P(QuantityFormTest, IsCanonical) {
  EXPECT_EQ(canonical(GetParam().text), GetParam().canonical);
}

INSTANTIATE_TEST_SUITE_P(
    Texts, QuantityFormTest,
    testing::Values(
        QuantityCase{"0", "0"}, QuantityCase{"-0", "0"}, QuantityCase{"0Gi", "0"},
        QuantityCase{"1", "1"}, QuantityCase{"+1", "1"}, QuantityCase{"1000m", "1"},
        QuantityCase{"0.5", "500m"}, QuantityCase{".5", "500m"}, QuantityCase{"1.", "1"},
        QuantityCase{"1024Mi", "1Gi"}, QuantityCase{"512Ki", "512Ki"}, QuantityCase{"0.5Ki", "512"},
        QuantityCase{"1Ki", "1Ki"}, QuantityCase{"1.5Gi", "1536Mi"}, QuantityCase{"1000", "1k"},
        QuantityCase{"1500", "1500"}, QuantityCase{"1e3", "1e3"}, QuantityCase{"1E3", "1e3"},
        QuantityCase{"12e5", "1200e3"}, QuantityCase{"1e-3", "1e-3"}, QuantityCase{"10E", "10E"},
        QuantityCase{"1e300", "1e300"}, QuantityCase{"12e301", "120e300"},
        QuantityCase{"100000E", "100000E"}, QuantityCase{"0.1n", "1n"},
        QuantityCase{"-0.1n", "-1n"}, QuantityCase{"1.0000000001", "1000000001n"},
        QuantityCase{"-1Ki", "-1Ki"}, QuantityCase{"99999999999999999999", "9223372036854775807"},
        QuantityCase{"1.00000000000000000000000", "1"},
        QuantityCase{"1.00000000000000000000001", "1000000001n"},
        QuantityCase{"8Ei", "9223372036854775807"},
        QuantityCase{"17000000000.000000002", "17000000000000000002n"}));

INSTANTIATE_TEST_SUITE_P(Faults, QuantityFormTest,
                         testing::Values(QuantityCase{"", "none"}, QuantityCase{"x", "none"},
                                         QuantityCase{"1g", "none"}, QuantityCase{"1 Gi", "none"},
                                         QuantityCase{"e3", "none"}, QuantityCase{"1e", "none"},
                                         QuantityCase{"1e3Ki", "none"}, QuantityCase{".", "none"},
                                         QuantityCase{"--1", "none"},
                                         QuantityCase{"1e99999999999", "none"}));

TEST(QuantityTest, ComparesByValue) {
  EXPECT_TRUE(conversion::are_equal_quantities("1Gi", "1073741824"));
  EXPECT_TRUE(conversion::are_equal_quantities("1", "1e0"));
  EXPECT_FALSE(conversion::are_equal_quantities("1", "-1"));
  EXPECT_EQ(conversion::sign_of_quantity("-1m"), -1);
  EXPECT_EQ(conversion::sign_of_quantity("0"), 0);
}

TEST(TimeTextTest, IsInUtcWithoutFraction) {
  EXPECT_EQ(canonical_time("2708-03-03T20:17:42Z"), "2708-03-03T20:17:42Z");
  EXPECT_EQ(canonical_time("2026-03-01T00:30:00.25+01:00"), "2026-02-28T23:30:00Z");
  EXPECT_EQ(canonical_time("2026-03-01T00:30:00.05Z"), "2026-03-01T00:30:00Z");
  EXPECT_EQ(canonical_time("1969-12-31T23:59:59-05:00"), "1970-01-01T04:59:59Z");
}

TEST(TimeTextTest, RefusesOtherTexts) {
  for (const std::string_view text :
       {"", "2026-02-30T00:00:00Z", "2026-01-01", "2026-01-01T24:00:00Z", "2026-01-01T00:00:00",
        "2026-01-01T00:00:00.Z", "2026-01-01T00:00:00Zx", "0000-01-01T00:00:00+23:59"}) {
    EXPECT_EQ(canonical_time(text), "none") << text;
  }
}

}  // namespace
}  // namespace dynamo::test
