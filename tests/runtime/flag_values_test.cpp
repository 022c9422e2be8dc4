#include "runtime/flag_values.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <limits>

namespace dynamo::runtime {
namespace {

using std::chrono::nanoseconds;
using std::chrono_literals::operator""h;
using std::chrono_literals::operator""min;
using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""ns;
using std::chrono_literals::operator""s;
using std::chrono_literals::operator""us;

TEST(Duration, GoFormatIsParsed) {
  const struct {
    std::string_view text;
    nanoseconds expected;
  } rows[] = {
      {"10s", 10s},
      {"1m30s", 90s},
      {"500ms", 500ms},
      {"2h45m30.5s", 2h + 45min + 30s + 500ms},
      {"1.5h", 90min},
      {".5s", 500ms},
      {"5.s", 5s},
      {"0", 0s},
      {"0s", 0s},
      {"-2s", -2s},
      {"+2s", 2s},
      {"-0", 0s},
      {"100us", 100us},
      {"100\xC2\xB5s", 100us},
      {"100\xCE\xBCs", 100us},
      {"7ns", 7ns},
      {"1.000000001s", 1s + 1ns},
      {"0.0000000019s", 1ns},
      {"30s1m", 90s},
      {"9223372036854775807ns", nanoseconds::max()},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.text);
    EXPECT_EQ(parse_duration(row.text), row.expected);
  }
}

TEST(Duration, OtherFormatsAreRefused) {
  for (const std::string_view text : {"",
                                      "-",
                                      "+",
                                      "s",
                                      ".s",
                                      "10",
                                      "10 s",
                                      " 10s",
                                      "10s ",
                                      "1d",
                                      "10S",
                                      "--1s",
                                      "1s-2s",
                                      "1..5s",
                                      "1e3s",
                                      "0x1s",
                                      "ten",
                                      "00",
                                      "9223372036854775808ns",
                                      "9223372037s",
                                      "2562048h",
                                      "99999999999999999999s",
                                      "9223372036s1s"}) {
    SCOPED_TRACE(text);
    EXPECT_EQ(parse_duration(text), std::nullopt);
  }
}

TEST(Duration, IsFormattedInShortestForm) {
  const struct {
    nanoseconds duration;
    std::string_view expected;
  } rows[] = {
      {0s, "0s"}, {500ms, "500ms"},     {10s, "10s"}, {90s, "1m30s"},  {120s, "2m"},
      {1h, "1h"}, {1500us, "1ms500us"}, {-2s, "-2s"}, {3601s, "1h1s"}, {1ns, "1ns"},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(format_duration(row.duration), row.expected);
    EXPECT_EQ(parse_duration(row.expected), row.duration);
  }
  EXPECT_EQ(format_duration(nanoseconds::min()), "-2562047h47m16s854ms775us808ns");
}

TEST(Size, BytesAndBinaryUnitsAreParsed) {
  const struct {
    std::string_view text;
    std::uint64_t expected;
  } rows[] = {
      {"0", 0},
      {"7340032", 7'340'032},
      {"7MiB", 7'340'032},
      {"7Mi", 7'340'032},
      {"64KiB", 65'536},
      {"64Ki", 65'536},
      {"1GiB", 1U << 30},
      {"1Gi", 1U << 30},
      {"18446744073709551615", std::numeric_limits<std::uint64_t>::max()},
      {"17179869183GiB", 17'179'869'183U * (std::uint64_t{1} << 30)},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.text);
    EXPECT_EQ(parse_size(row.text), row.expected);
  }
}

TEST(Size, OtherFormatsAreRefused) {
  for (const std::string_view text : {"", "MiB", "7MB", "7M", "7 MiB", "-1", "+1", "1.5MiB", "0x10",
                                      "18446744073709551616", "17179869184GiB", "7mib", "7MiBi"}) {
    SCOPED_TRACE(text);
    EXPECT_EQ(parse_size(text), std::nullopt);
  }
}

TEST(Size, IsFormattedInLargestExactUnit) {
  EXPECT_EQ(format_size(7'340'032), "7MiB");
  EXPECT_EQ(format_size(7'340'033), "7340033");
  EXPECT_EQ(format_size(65'536), "64KiB");
  EXPECT_EQ(format_size(std::uint64_t{3} << 30), "3GiB");
  EXPECT_EQ(format_size(1000), "1000");
  EXPECT_EQ(format_size(0), "0");
}

TEST(Count, ContainsOnlyDigits) {
  EXPECT_EQ(parse_count("0"), 0U);
  EXPECT_EQ(parse_count("00012"), 12U);
  EXPECT_EQ(parse_count("18446744073709551615"), std::numeric_limits<std::uint64_t>::max());
  for (const std::string_view text : {"", "-1", "+1", " 1", "1 ", "1.0", "18446744073709551616"}) {
    SCOPED_TRACE(text);
    EXPECT_EQ(parse_count(text), std::nullopt);
  }
}

TEST(Address, IsParsedWithAndWithoutHost) {
  const struct {
    std::string_view text;
    Address expected;
    std::string_view written;
  } rows[] = {
      {"0.0.0.0:9443", {"0.0.0.0", 9443}, "0.0.0.0:9443"},
      {":8081", {"", 8081}, ":8081"},
      {":0", {"", 0}, ":0"},
      {"127.0.0.1:65535", {"127.0.0.1", 65535}, "127.0.0.1:65535"},
      {"[::1]:9443", {"::1", 9443}, "[::1]:9443"},
      {"[::]:9443", {"::", 9443}, "[::]:9443"},
      {"localhost:9443", {"127.0.0.1", 9443}, "127.0.0.1:9443"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.text);
    ASSERT_EQ(parse_address(row.text), row.expected);
    EXPECT_EQ(format_address(row.expected), row.written);
  }
}

TEST(Address, OtherFormatsAreRefused) {
  using std::string_view_literals::operator""sv;
  for (const std::string_view text : std::initializer_list<std::string_view>{
           "", "9443", ":", "0.0.0.0", "0.0.0.0:", ":65536", ":-1", ":http", "::1:9443", "[::1]",
           "[::1]9443", "[127.0.0.1]:80", "[]:80", "[localhost]:80", "example.org:443", "1.2.3:80",
           "256.1.1.1:80", "127.0.0.1 :80", "127.0.0.1\0x:80"sv}) {
    SCOPED_TRACE(text);
    EXPECT_EQ(parse_address(text), std::nullopt);
  }
}

TEST(ServiceAccountName, HasNamespaceAndName) {
  EXPECT_EQ(parse_service_account("dynamo-system/dynamo.operator-1"),
            (ServiceAccount{"dynamo-system", "dynamo.operator-1"}));
  for (const std::string_view text : {"", "/", "a", "a/", "/b", "a/b/c", "A/b", "a/B", "a.b/c",
                                      "a/b..c", "-a/b", "a/b-", "system:serviceaccount:a:b"}) {
    SCOPED_TRACE(text);
    EXPECT_EQ(parse_service_account(text), std::nullopt);
  }
}

TEST(DnsName, HasAtMost253Bytes) {
  for (const std::size_t length :
       {std::size_t{1}, std::size_t{63}, std::size_t{64}, std::size_t{253}}) {
    EXPECT_TRUE(is_dns_name(std::string(length, 'x'))) << length;
  }
  EXPECT_TRUE(is_dns_name(std::string(100, 'x') + '.' + std::string(152, 'y')));
  EXPECT_FALSE(is_dns_name(std::string(100, 'x') + '.' + std::string(153, 'y')));
  EXPECT_FALSE(is_dns_name(std::string(254, 'x')));
  for (const std::string_view text :
       {"", ".", "a.", ".a", "a..b", "-a", "a-", "a.-b", "a-.b", "A", "a_b"}) {
    EXPECT_FALSE(is_dns_name(text)) << text;
  }
  EXPECT_TRUE(parse_service_account("a/" + std::string(253, 'x')));
  EXPECT_FALSE(parse_service_account(std::string(64, 'x') + "/a"));
}

TEST(NamespaceName, IsDnsLabelOfAtMost63Characters) {
  EXPECT_TRUE(is_namespace_name("a"));
  EXPECT_TRUE(is_namespace_name("0-a"));
  EXPECT_TRUE(is_namespace_name(std::string(63, 'x')));
  EXPECT_FALSE(is_namespace_name(std::string(64, 'x')));
  for (const std::string_view text : {"", "-", "-a", "a-", "a.b", "A", "a_b", "\xC3\xA4"}) {
    SCOPED_TRACE(text);
    EXPECT_FALSE(is_namespace_name(text));
  }
}

}  // namespace
}  // namespace dynamo::runtime
