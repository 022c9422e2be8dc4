// Small text parsers below the transport.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "text/base64.hpp"
#include "text/http_date.hpp"
#include "text/quoted.hpp"

namespace dynamo::text {
namespace {

using namespace std::string_literals;

using std::chrono::seconds;
using std::chrono::system_clock;

TEST(Quoted, IsOneLineOfLimitedLength) {
  EXPECT_EQ(quoted("", 3), R"("")");
  EXPECT_EQ(quoted("abc", 3), R"("abc")");
  EXPECT_EQ(quoted("abcd", 3), R"("abc…")");
  EXPECT_EQ(quoted("abé", 3), R"("ab…")") << "never a part of a character";
  EXPECT_EQ(quoted("a\nb\x7F", 9), R"("a b ")");
}

// RFC 4648, section 10.
TEST(Base64, FollowsTheRfc) {
  EXPECT_EQ(encode_base64(""), "");
  EXPECT_EQ(encode_base64("f"), "Zg==");
  EXPECT_EQ(encode_base64("fo"), "Zm8=");
  EXPECT_EQ(encode_base64("foo"), "Zm9v");
  EXPECT_EQ(encode_base64("foob"), "Zm9vYg==");
  EXPECT_EQ(encode_base64("fooba"), "Zm9vYmE=");
  EXPECT_EQ(encode_base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(encode_base64("\xFB\xEF\xBE\xFF"), "++++/w==");
  EXPECT_EQ(encode_base64("\0\0\0"s), "AAAA");
}

TEST(Base64, SkipsBlanksAndLineBreaks) {
  EXPECT_EQ(decode_base64(""), "");
  EXPECT_EQ(decode_base64("Zg=="), "f");
  EXPECT_EQ(decode_base64("Zm8="), "fo");
  EXPECT_EQ(decode_base64("Zm9v"), "foo");
  EXPECT_EQ(decode_base64("Zm9v\nYmFy\r\n"), "foobar");
  EXPECT_EQ(decode_base64("Zm8\n=\n"), "fo");
  EXPECT_EQ(decode_base64("Zm8\r\n=\n", Base64Blanks::kLineBreaks), "fo");
  EXPECT_EQ(decode_base64(" Zm\t8= "), "fo");
  EXPECT_EQ(decode_base64(" Zm8=", Base64Blanks::kLineBreaks), std::nullopt);
  EXPECT_EQ(decode_base64("Zm\t8=", Base64Blanks::kLineBreaks), std::nullopt);
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  EXPECT_EQ(decode_base64(encode_base64(bytes)), bytes);
}

TEST(Base64, InvalidTextIsRefused) {
  for (const char* text : {"Z", "Zg", "Zg=", "Zm9", "Z===", "====", "=", "Zg==Zg==", "Zg=a",
                           "Zm9v!", "Zm9-", "Zm8=x", "Zg===", "Zm9v="}) {
    EXPECT_EQ(decode_base64(text), std::nullopt) << text;
  }
}

TEST(HttpDate, IsParsed) {
  EXPECT_EQ(parse_http_date("Sun, 06 Nov 1994 08:49:37 GMT"),
            system_clock::from_time_t(784'111'777));
  for (const char* text : {"", "Sun, 6 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
                           "Sun Nov  6 08:49:37 1994", "Sun, 06 Nov 1994 08:49:37 UTC",
                           "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT "}) {
    EXPECT_EQ(parse_http_date(text), std::nullopt) << text;
  }
}

TEST(RetryAfter, IsRoundedUpAndBounded) {
  const auto now = system_clock::from_time_t(784'111'777) - std::chrono::milliseconds(1);
  EXPECT_EQ(parse_retry_after("Sun, 06 Nov 1994 08:49:37 GMT", now), seconds(1));
  EXPECT_EQ(parse_retry_after("0", now), seconds(0));
  EXPECT_EQ(parse_retry_after("86401", now), seconds(86'400));
  EXPECT_EQ(parse_retry_after("Sun, 06 Nov 2094 08:49:37 GMT", now), seconds(86'400));
  EXPECT_EQ(parse_retry_after("1.5", now), std::nullopt);
  EXPECT_EQ(parse_retry_after("", now), std::nullopt);
}

}  // namespace
}  // namespace dynamo::text
