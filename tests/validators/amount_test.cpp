// Quantities are compared like in Kubernetes.
#include "validators/content/amount.hpp"

#include <gtest/gtest.h>

#include "tests/support/objects.hpp"

namespace dynamo::validators {
namespace {

// "<", "=", ">", or "?" if one of the two is not a quantity.
std::string_view compared(std::string_view left, std::string_view right) {
  const std::optional<Amount> one = parse_amount(left);
  const std::optional<Amount> other = parse_amount(right);
  if (!one || !other) return "?";
  if (*one == *other) return "=";
  return *one < *other ? "<" : ">";
}

TEST(Amount, EqualQuantitiesCompareEqualInAnySpelling) {
  EXPECT_EQ(compared("1", "1000m"), "=");
  EXPECT_EQ(compared("1Gi", "1024Mi"), "=");
  EXPECT_EQ(compared("1.5Gi", "1536Mi"), "=");
  EXPECT_EQ(compared("0.5", ".5"), "=");
  EXPECT_EQ(compared("1e3", "1k"), "=");
  EXPECT_EQ(compared("1E3", "1000"), "=");
  EXPECT_EQ(compared("1E", "1000P"), "=");
  EXPECT_EQ(compared("12e-1", "1.2"), "=");
  EXPECT_EQ(compared("+1", "1."), "=");
  EXPECT_EQ(compared("-0", "0"), "=");
  EXPECT_EQ(compared("1500u", "1.5m"), "=");
  EXPECT_EQ(compared("0001", "1.000"), "=");
}

TEST(Amount, FastPathMatchesFullParser) {
  EXPECT_EQ(compared("999999999999999", "999999999999999.0"), "=");
  EXPECT_EQ(compared("1000000000000000", "1000000000000000.0"), "=");
  EXPECT_EQ(compared("0016Gi", "16.0Gi"), "=");
  EXPECT_EQ(compared("8388607Ti", "8388607.0Ti"), "=");
  EXPECT_EQ(compared("8388608Ti", "8388608.0Ti"), "=");
  EXPECT_EQ(compared("8388608Ti", "9223372036854775807"), "=");
  EXPECT_EQ(compared("7Ki", "7168"), "=");
  EXPECT_EQ(compared("7Pi", "7168Ti"), "=");
  EXPECT_EQ(compared("1i", "1"), "?");
  EXPECT_EQ(compared("1ki", "1"), "?");
  EXPECT_EQ(compared("1Kii", "1"), "?");
  EXPECT_EQ(compared("Ki", "1"), "?");
}

TEST(Amount, QuantitiesAreOrderedByValue) {
  EXPECT_EQ(compared("999m", "1"), "<");
  EXPECT_EQ(compared("1G", "1Gi"), "<");
  EXPECT_EQ(compared("10", "9"), ">");
  EXPECT_EQ(compared("8193Mi", "8Gi"), ">");
  EXPECT_EQ(compared("-1", "0"), "<");
  EXPECT_EQ(compared("-1", "-2"), ">");
  EXPECT_EQ(compared("-1500m", "-1"), "<");
  EXPECT_EQ(compared("1n", "0"), ">");
  EXPECT_EQ(compared("123456789012345678", "123456789012345677"), ">");
  EXPECT_EQ(compared("7Ei", "8E"), ">");
}

TEST(Amount, ExtremeQuantitiesAreClamped) {
  EXPECT_EQ(compared("0.1n", "1n"), "=");
  EXPECT_EQ(compared("12.34n", "13n"), "=");
  EXPECT_EQ(compared("1234567890123456789e-28", "1n"), "=");
  EXPECT_EQ(compared("1.23456789012", "1.234567891"), "=");
  EXPECT_EQ(compared("1e-400", "1n"), "=");
  EXPECT_EQ(compared("0e-400", "0"), "=");
  EXPECT_EQ(compared("9223372036854775807", "8Ei"), "=");
  EXPECT_EQ(compared("9223372036854775807", "1e400"), "=");
  EXPECT_EQ(compared("1e99999999999", "8Ei"), "=");
  EXPECT_EQ(compared("9223372036854775806", "8Ei"), "<");
  EXPECT_EQ(compared("123456789012345678901234567890", "8Ei"), "=");
  EXPECT_EQ(compared("0.0000000000000000000000000000000001", "1n"), "=");
}

TEST(Amount, InvalidQuantityHasNoAmount) {
  for (const std::string_view text : {"", "a", "1 Gi", "1gi", "1.2.3", "-", "Gi", "1e"}) {
    EXPECT_FALSE(parse_amount(text).has_value()) << text;
  }
}

TEST(Amount, TextsAndIntegersAreParsed) {
  const json::Document document =
      test::from_yaml("{a: '2', b: 2, c: -2, d: 2.5, e: true, f: null}");
  const json::Value root = document.root();
  EXPECT_EQ(amount_of(root["a"]), amount_of(root["b"]));
  EXPECT_TRUE(amount_of(root["c"])->is_below_zero());
  EXPECT_EQ(amount_of(root["c"])->whole, 2U);
  for (const std::string_view name : {"d", "e", "f", "absent"}) {
    EXPECT_FALSE(amount_of(root[name]).has_value()) << name;
  }
}

TEST(Amount, WholeNumbersAndZeroAreDetected) {
  EXPECT_TRUE(parse_amount("1000m")->is_whole());
  EXPECT_FALSE(parse_amount("1001m")->is_whole());
  EXPECT_TRUE(parse_amount("0Gi")->is_zero());
  EXPECT_FALSE(parse_amount("-0")->is_below_zero());
}

}  // namespace
}  // namespace dynamo::validators
