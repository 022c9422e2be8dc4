// Quantities in users' notations, and values that count as missing.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "schema/quantity.hpp"
#include "tests/support/objects.hpp"

namespace dynamo::schema {
namespace {

TEST(Quantity, AcceptsNumbersWithSuffixOrExponent) {
  for (const std::string_view text :
       {"0",   "1",    "16Gi", "1.5",  "1.",   ".5",    "+1",
        "-1",  "200m", "1n",   "1u",   "1k",   "1M",    "1G",
        "1T",  "1P",   "1E",   "1Ki",  "1Mi",  "1Ti",   "1Pi",
        "1Ei", "1e3",  "1E3",  "1e-3", "1e+3", "0.5Gi", "99999999999999999999"}) {
    EXPECT_TRUE(is_quantity(text)) << text;
  }
}

TEST(Quantity, RefusesEverythingElse) {
  for (const std::string_view text : {"",      ".",
                                      "+",     "-",
                                      "Gi",    "1GB",
                                      "1gi",   "1K",
                                      "1ki",   "1 Gi",
                                      " 1",    "1 ",
                                      "1e",    "1e+",
                                      "1ee3",  "1e3Gi",
                                      "1Gi2",  "1,5",
                                      "1.2.3", "0x10",
                                      "1_000", "--1",
                                      "inf",   "NaN",
                                      "1Gi\n", "1e9223372036854775808"}) {
    EXPECT_FALSE(is_quantity(text)) << text;
  }
}

TEST(Quantity, IsSuggestedForOtherNotations) {
  struct {
    std::string_view text;
    std::string_view suggestion;
  } constexpr kRows[] = {
      {"16g", R"("16Gi" or "16G")"},
      {"16GB", R"("16Gi" or "16G")"},
      {"16Gb", R"("16Gi" or "16G")"},
      {"16 GB", R"("16Gi" or "16G")"},
      {"16gi", R"("16Gi")"},
      {"16GiB", R"("16Gi")"},
      {"16 Gi", R"("16Gi")"},
      {" 16Gi", R"("16Gi")"},
      {"1K", R"("1Ki" or "1k")"},
      {"1,5Gi", R"("1.5Gi")"},
      {"500 m", R"("500m")"},
      {"500MB", R"("500Mi" or "500M")"},
      {"500mb", R"("500Mi" or "500M")"},
      {"512 bytes", R"("512")"},
      {"16Gi", ""},
      {"2", ""},
      {"", ""},
      {"much", ""},
      {"4 cores", ""},
      {"0x10", ""},
      {"1.2.3", ""},
      {"16Gix", ""},
  };
  for (const auto& row : kRows) EXPECT_EQ(suggested_quantity(row.text), row.suggestion) << row.text;
}

TEST(Quantity, IsZeroWhenEveryDigitIs) {
  for (const std::string_view text :
       {"0", "00", "0.0", ".0", "0.", "-0", "+0", "0Gi", "0m", "0e9", "0E5"}) {
    EXPECT_TRUE(is_zero_quantity(text)) << text;
  }
  for (const std::string_view text : {"1", "0.1", "10", "1n", "-1", "0.0000001", "1e-9"}) {
    EXPECT_FALSE(is_zero_quantity(text)) << text;
  }
}

TEST(Quantity, IsMissingWhenAbsentNullEmptyOrZero) {
  const auto missing = [](std::string_view json) {
    const json::Document document = test::from_yaml("{size: " + std::string(json) + "}");
    return is_missing_quantity(document.root()["size"]);
  };
  for (const std::string_view json : {"null", "''", "0", "'0'", "'0Gi'", "0.0", "-0.0"}) {
    EXPECT_TRUE(missing(json)) << json;
  }
  for (const std::string_view json :
       {"1", "'1'", "0.5", "-1", "'16Gi'", "'0GB'", "zero", "true", "[]", "{}"}) {
    EXPECT_FALSE(missing(json)) << json;
  }
  EXPECT_TRUE(is_missing_quantity(json::Value{}));
}

}  // namespace
}  // namespace dynamo::schema
