// Invisible characters are escaped in all text for users.
#include "text/printable.hpp"

#include <gtest/gtest.h>

#include "text/presentable.hpp"
#include "text/quoted.hpp"

namespace dynamo::text {
namespace {

using namespace std::string_literals;

TEST(Printable, EscapesInvisibleCharacters) {
  EXPECT_EQ(printable("nim/vllm:1.0"), "nim/vllm:1.0");
  EXPECT_EQ(printable("größe 東京 ☃"), "größe 東京 ☃");
  EXPECT_EQ(printable("a\u202Eb\u2066c"), R"(a\u202eb\u2066c)");
  EXPECT_EQ(printable("\u200Bx\u00A0y\u00ADz\u3000"), R"(\u200bx\u00a0y\u00adz\u3000)");
  EXPECT_EQ(printable("\uFEFF\u2060\u034F\u3164\u2028"), R"(\ufeff\u2060\u034f\u3164\u2028)");
  EXPECT_EQ(printable("\U000E0041!"), R"(\U000e0041!)");
  EXPECT_EQ(printable("a\n\t\x1B[2J\u009B"), R"(a\x0a\x09\x1b[2J\u009b)");
  EXPECT_EQ(printable("\0"s), R"(\x00)");
  std::string with_tab;
  append_printable(with_tab, "a\tb\n", true);
  EXPECT_EQ(with_tab, "a\tb\\x0a");
}

TEST(Printable, EscapesBytesThatAreNotUtf8) {
  EXPECT_EQ(printable("a\xFF"), R"(a\xff)");
  EXPECT_EQ(printable("\x9B\x32J"), R"(\x9b2J)");
  EXPECT_EQ(printable("\xE2\x80"), R"(\xe2\x80)") << "a cut character";
  EXPECT_EQ(printable("\xC0\x80"), R"(\xc0\x80)") << "an overlong form";
  EXPECT_EQ(printable("\xED\xA0\x80"), R"(\xed\xa0\x80)") << "a surrogate";
  EXPECT_EQ(printable("\xF4\x90\x80\x80"), R"(\xf4\x90\x80\x80)") << "behind U+10FFFF";
}

TEST(Printable, FindsTheFirstInvisibleCharacter) {
  EXPECT_EQ(find_invisible("größe"), std::string_view::npos);
  EXPECT_EQ(find_invisible("ab\u200Bc\u200B"), 2U);
  EXPECT_EQ(find_invisible("ab\u200Bc\u200B", 5), 6U);
  EXPECT_EQ(find_invisible("ab\xFF"), 2U);
}

TEST(Printable, RecognizesTheEdgesOfEachRange) {
  for (const char32_t code :
       {U'\x1F', U'\x7F', U'\u0085', U'\u00A0', U'\u061C', U'\u1680', U'\u2000', U'\u200F',
        U'\u2028', U'\u202F', U'\u205F', U'\u206F', U'\u2800', U'\uFE0F', U'\uFFFB', U'\uFFFE',
        U'\U0001D173', U'\U000E0FFF'}) {
    EXPECT_TRUE(is_invisible(code)) << describe_character(code);
  }
  for (const char32_t code : {U' ', U'~', U'\u00A1', U'\u00AC', U'\u00AE', U'\u0600', U'\u1FFF',
                              U'\u2010', U'\u2027', U'\u2030', U'\u205E', U'\u2070', U'\uFFFC',
                              U'\uFFFD', U'\U0001F600', U'\U000E1000', U'\U0010FFFD'}) {
    EXPECT_FALSE(is_invisible(code)) << describe_character(code);
  }
}

TEST(Printable, DescribesCharactersByCodeAndName) {
  EXPECT_EQ(describe_character(U'\u200B'), "U+200B ZERO WIDTH SPACE");
  EXPECT_EQ(describe_character(U'\u202E'), "U+202E RIGHT-TO-LEFT OVERRIDE");
  EXPECT_EQ(describe_character(U'\u00A0'), "U+00A0 NO-BREAK SPACE");
  EXPECT_EQ(describe_character(U'\t'), "U+0009 TAB");
  EXPECT_EQ(describe_character(U'A'), "U+0041");
  EXPECT_EQ(describe_character(U'\U000E0041'), "U+E0041");
}

TEST(Presentable, EscapesInvisibleCharactersWithinItsLimit) {
  EXPECT_EQ(quoted("a\u202Eb", 20), R"("a\u202eb" (contains U+202E RIGHT-TO-LEFT OVERRIDE))");
  EXPECT_EQ(quoted("a\u202Eb", 7), R"("a\u202e…" (contains U+202E RIGHT-TO-LEFT OVERRIDE))");
  EXPECT_EQ(quoted("a\u202Eb", 6), R"("a…" (contains U+202E RIGHT-TO-LEFT OVERRIDE))")
      << "never a part of an escape";
  EXPECT_EQ(quoted("a\u0085b\n", 20), R"("a  b " (contains U+0085 NEXT LINE))")
      << "control characters are spaces";
  EXPECT_EQ(quoted("a\xFF", 20), R"("a\xff")");
}

}  // namespace
}  // namespace dynamo::text
