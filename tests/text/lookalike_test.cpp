// Finds and names characters that a reader does not see, or mistakes for ASCII.
#include "text/lookalike.hpp"

#include <gtest/gtest.h>

#include <string>

#include "text/quoted.hpp"

namespace dynamo::text {
namespace {

TEST(Lookalike, NamesTheInvisibleCharacterInQuotedText) {
  EXPECT_EQ(quoted("hf-token\u200B", 64), "\"hf-token\\u200b\" (contains U+200B ZERO WIDTH SPACE)");
  EXPECT_EQ(quoted("a\u202Eb", 64), "\"a\\u202eb\" (contains U+202E RIGHT-TO-LEFT OVERRIDE)");
  EXPECT_EQ(quoted("a\U000E0041", 64), "\"a\\U000e0041\" (contains U+E0041)");
}

TEST(Lookalike, NamesTheLookalikeCharacter) {
  EXPECT_EQ(quoted("m\u043Edel", 64),
            "\"m\u043Edel\" (contains U+043E CYRILLIC SMALL LETTER O, which looks like \"o\")");
  EXPECT_EQ(quoted("\u2013x", 64), "\"\u2013x\" (contains U+2013 EN DASH, which looks like \"-\")");
  EXPECT_EQ(suspect_note("\u201Cx\u201D"),
            "contains U+201C LEFT DOUBLE QUOTATION MARK, which looks like '\"'");
  EXPECT_EQ(suspect_note("\uFF21b"),
            "contains U+FF21 FULLWIDTH LATIN CAPITAL LETTER A, which looks like \"A\"");
  EXPECT_EQ(suspect_note("8\uFF10"), "contains U+FF10, which looks like \"0\"");
}

TEST(Lookalike, PrefersTheInvisibleCharacter) {
  EXPECT_EQ(suspect_note("\u2013a\u00A0b"), "contains U+00A0 NO-BREAK SPACE");
}

TEST(Lookalike, NoteReadsOnlyTheBeginningOfLongText) {
  const std::string prefix(4000, 'a');
  EXPECT_NE(suspect_note(prefix + "\u200B"), "");
  EXPECT_EQ(suspect_note(prefix + prefix + "\u200B"), "");
}

TEST(Lookalike, AcceptsAsciiAndWordsOfOtherScripts) {
  EXPECT_EQ(suspect_note("plain \"text\"\t\n"), "");
  EXPECT_EQ(suspect_note("\u043C\u043E\u0434\u0435\u043B\u044C"), "");
  EXPECT_EQ(suspect_note("caf\u00E9"), "");
  EXPECT_EQ(quoted("", 64), "\"\"");
}

TEST(Lookalike, ReadsBytesThatAreNotUtf8) {
  EXPECT_FALSE(find_suspect("a\xC3"));
  EXPECT_FALSE(find_suspect("\x80\xFF"));
  const auto found = find_suspect("\xFFx\u200B");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->offset, 2U);
}

TEST(Lookalike, FindsOneKindAfterAnother) {
  const std::string text = "a\u200Bb \u2013model";
  EXPECT_EQ(find_suspect(text, SuspectKind::kInvisible)->code, U'\u200B');
  EXPECT_EQ(find_suspect(text, SuspectKind::kLookalike)->code, U'\u2013');
}

TEST(Lookalike, FindsControlCharactersAtEveryOffset) {
  for (std::size_t size = 1; size < 40; ++size) {
    std::string text(size, 'a');
    for (std::size_t at = 0; at < size; ++at) {
      for (int code = 0; code < 256; ++code) {
        text[at] = static_cast<char>(code);
        const bool is_plain_code = (code >= ' ' && code < 0x7F) || code == '\t' || code == '\n';
        ASSERT_EQ(is_plain(text), is_plain_code) << size << ' ' << at << ' ' << code;
        const auto found = find_suspect(text, SuspectKind::kInvisible);
        if (code < 0x80) {
          ASSERT_EQ(found.has_value(), !is_plain_code) << size << ' ' << code;
        }
        if (found) {
          ASSERT_EQ(found->offset, at);
        }
      }
      text[at] = 'a';
    }
  }
}

TEST(Lookalike, AcceptsEndsOfLines) {
  EXPECT_FALSE(find_suspect("a\r\nb\r\n\tc\n"));
  EXPECT_EQ(find_suspect("a\r\nb\r")->offset, 4U);
  EXPECT_EQ(find_suspect("\u043Cb\x1B", SuspectKind::kLookalike), std::nullopt);
}

TEST(Lookalike, FindsNonAsciiAtEveryOffset) {
  for (std::size_t size = 0; size < 40; ++size) {
    std::string text(size, 'a');
    EXPECT_FALSE(has_non_ascii(text)) << size;
    for (std::size_t at = 0; at < size; ++at) {
      text[at] = '\xC3';
      EXPECT_TRUE(has_non_ascii(text)) << size << ' ' << at;
      text[at] = 'a';
    }
  }
}

}  // namespace
}  // namespace dynamo::text
