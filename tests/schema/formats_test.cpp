// Formats, patterns, quantities and name syntaxes.
#include <gtest/gtest.h>
#include <re2/re2.h>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "schema/formats.hpp"
#include "schema/quantity.hpp"
#include "text/names.hpp"

namespace dynamo::schema {
namespace {

struct Row {
  std::string_view text;
  bool holds;
};

TEST(Base64, IsPaddedAndNotEmpty) {
  for (const Row& row :
       {Row{"aGVsbG8=", true}, Row{"aGVsbA==", true}, Row{"aGVs", true}, Row{"", false},
        Row{"aGVsbG8", false}, Row{"aGV=bG8=", false}, Row{"aG==", true}, Row{"a===", false},
        Row{"====", false}, Row{"aGVs\n", false}, Row{"-_-_", false}, Row{"+/+/", true}}) {
    EXPECT_EQ(has_format(row.text, Format::kByte), row.holds) << row.text;
  }
}

TEST(DateTimes, AreAsLenientAsTheApiServer) {
  for (const Row& row : {Row{"2025-01-31T12:00:00Z", true},
                         Row{"2025-01-31t12:00:00z", true},
                         Row{"2025-01-31T12:00:00+01:00", true},
                         Row{"2025-01-31T12:00:00.5Z", true},
                         Row{"2025-01-31T12:00:00,5Z", true},
                         Row{"2025-01-31T12:00:00+12:30", true},
                         Row{"2025-01-31T12:00:00.123456-01:00", true},
                         Row{"2024-02-29T00:00:00Z", true},
                         Row{"2000-02-29T00:00:00Z", true},
                         Row{"2025-01-31T12:00:00Zt", true},
                         Row{"2025-01-31T12:00:00+99:99", true},
                         Row{"", false},
                         Row{"2025", false},
                         Row{"2025-01-31", false},
                         Row{"2025-01-31 12:00:00Z", false},
                         Row{"2025-02-29T00:00:00Z", false},
                         Row{"1900-02-29T00:00:00Z", false},
                         Row{"2025-13-01T00:00:00Z", false},
                         Row{"2025-00-01T00:00:00Z", false},
                         Row{"2025-04-31T00:00:00Z", false},
                         Row{"2025-01-00T00:00:00Z", false},
                         Row{"2025-01-31T24:00:00Z", false},
                         Row{"2025-01-31T23:60:00Z", false},
                         Row{"2025-01-31T23:59:60Z", false},
                         Row{"2025-01-31T12:00:00", false},
                         Row{"2025-01-31T12:00Z", false},
                         Row{"2025-01-31T12:00:00.Z", false},
                         Row{"2025-1-31T12:00:00Z", false}}) {
    EXPECT_EQ(has_format(row.text, Format::kDateTime), row.holds) << row.text;
  }
}

TEST(Timestamps, AreStrict) {
  for (const Row& row :
       {Row{"2025-01-31T12:00:00Z", true}, Row{"2025-01-31T12:00:00.5Z", true},
        Row{"2025-01-31T12:00:00+01:00", true}, Row{"2025-01-31T12:00:00.25-01:00", true},
        Row{"2025-01-31t12:00:00Z", false}, Row{"2025-01-31T12:00:00z", false},
        Row{"2025-01-31T12:00:00x5Z", false}, Row{"2025-01-31T12:00:00.Z", false},
        Row{"2025-01-31T12:00:00", false}, Row{"2025-01-31", false}, Row{"", false},
        Row{"2025-01-31T12:00:00+25:00", false}, Row{"2025-01-31T12:00:00ZZ", false}}) {
    EXPECT_EQ(is_timestamp(row.text), row.holds) << row.text;
  }
}

TEST(Integers, HaveNoTextFormat) {
  EXPECT_TRUE(has_format("x", Format::kInt32));
  EXPECT_TRUE(has_format("x", Format::kInt64));
  EXPECT_TRUE(has_format("x", Format::kNone));
}

TEST(Patterns, MatchAnywhereUnlessAnchored) {
  EXPECT_TRUE(matches("xay", "a"));
  EXPECT_FALSE(matches("xay", "^a$"));
  EXPECT_TRUE(matches("", "^$"));
  EXPECT_FALSE(matches("a", "("));
}

TEST(Patterns, TablePatternsCompile) {
  constexpr std::string_view kReason = "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$";
  EXPECT_TRUE(matches("MinimumReplicasAvailable", kReason));
  EXPECT_FALSE(matches("0", kReason));
}

// Every text of up to six characters of this alphabet, which has one of each kind.
TEST(QuantityPattern, MatchesTheHandWrittenCheck) {
  const re2::RE2 pattern{kQuantityPattern};
  ASSERT_TRUE(pattern.ok()) << pattern.error();
  constexpr std::string_view kAlphabet = "1.-eEKim ";
  constexpr int kLongest = 6;
  std::size_t matched = 0;
  std::string text;
  std::array<std::size_t, kLongest> letters{};
  for (int length = 0; length <= kLongest; ++length) {
    letters.fill(0);
    for (bool more = true; more;) {
      text.clear();
      for (int i = 0; i < length; ++i) text += kAlphabet[letters[static_cast<std::size_t>(i)]];
      const bool expected = re2::RE2::PartialMatch(text, pattern);
      matched += expected ? 1U : 0U;
      ASSERT_EQ(matches_quantity_pattern(text), expected) << '"' << text << '"';
      more = false;
      for (int i = 0; i < length && !more; ++i) {
        std::size_t& letter = letters[static_cast<std::size_t>(i)];
        letter = (letter + 1) % kAlphabet.size();
        more = letter != 0;
      }
    }
  }
  EXPECT_GT(matched, 100U);
}

TEST(QuantityPattern, AcceptsEverySuffix) {
  const re2::RE2 pattern{kQuantityPattern};
  for (const std::string_view suffix :
       {"n",  "u", "m", "k",  "M",  "G",  "T",   "P",   "E",    "Ki",  "Mi", "Gi", "Ti", "Pi",
        "Ei", "K", "i", "ki", "GB", "e3", "E+3", "e-3", "e3.5", "e.5", "e",  "x",  "3",  "\n"}) {
    const std::string text = "+1.5" + std::string(suffix);
    EXPECT_EQ(matches_quantity_pattern(text), re2::RE2::PartialMatch(text, pattern)) << text;
  }
}

TEST(Quantities, HaveNoFractionInTheExponent) {
  EXPECT_TRUE(is_quantity("1e3"));
  EXPECT_FALSE(is_quantity("1e3.5"));
  EXPECT_TRUE(matches_quantity_pattern("1e3.5"));
}

TEST(CodePoints, AreNotBytes) {
  EXPECT_EQ(count_code_points(""), 0U);
  EXPECT_EQ(count_code_points("abc"), 3U);
  EXPECT_EQ(count_code_points("äö𝄞"), 3U);
}

TEST(Names, SubdomainsHaveParts) {
  const std::string longest(253, 'a');
  for (const Row& row :
       {Row{"a", true}, Row{"a-b.c", true}, Row{"0.1", true}, Row{longest, true}, Row{"", false},
        Row{"A", false}, Row{"a_b", false}, Row{"-a", false}, Row{"a-", false}, Row{"a..b", false},
        Row{".a", false}, Row{"a.", false}, Row{"a.-b", false}, Row{"ä", false}}) {
    EXPECT_EQ(text::is_dns_subdomain(row.text), row.holds) << row.text;
  }
  EXPECT_FALSE(text::is_dns_subdomain(longest + "a"));
}

TEST(Names, LabelsAreShort) {
  const std::string longest(63, 'a');
  EXPECT_TRUE(text::is_dns_label(longest));
  EXPECT_FALSE(text::is_dns_label(longest + "a"));
  EXPECT_FALSE(text::is_dns_label("a.b"));
  EXPECT_FALSE(text::is_dns_label(""));
}

TEST(Names, GenerateNamesMayEndWithADash) {
  for (const Row& row : {Row{"a-", true}, Row{"ab-", true}, Row{"a", true}, Row{"a.b-", true},
                         Row{"-", false}, Row{"A-", false}, Row{"a.", false}, Row{"a--", true}}) {
    EXPECT_EQ(text::is_dns_subdomain_prefix(row.text), row.holds) << row.text;
  }
}

TEST(Names, QualifiedNamesMayHaveADomain) {
  const std::string longest(63, 'a');
  for (const Row& row :
       {Row{"a", true}, Row{"A_b.c-d", true}, Row{"nvidia.com/x", true}, Row{longest, true},
        Row{"", false}, Row{"/x", false}, Row{"a/", false}, Row{"a/b/c", false}, Row{"_a", false},
        Row{"a_", false}, Row{"Nvidia.com/x", false}, Row{"a b", false}}) {
    EXPECT_EQ(text::is_qualified_name(row.text), row.holds) << row.text;
  }
  EXPECT_FALSE(text::is_qualified_name(longest + "a"));
  EXPECT_TRUE(text::is_annotation_key("Nvidia.com/X"));
  EXPECT_FALSE(text::is_annotation_key("Nvidia.com/X/"));
}

TEST(LabelValues, MayBeEmpty) {
  EXPECT_TRUE(text::is_label_value(""));
  EXPECT_TRUE(text::is_label_value("a_B.9"));
  EXPECT_FALSE(text::is_label_value("a/b"));
  EXPECT_FALSE(text::is_label_value(std::string(64, 'a')));
}

}  // namespace
}  // namespace dynamo::schema
