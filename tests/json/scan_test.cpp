#include "json/scan.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "json/parser.hpp"

namespace dynamo::json {
namespace {

using namespace std::string_literals;

struct Utf8Case {
  const char* name;
  std::string bytes;
  bool valid;
};

void PrintTo(const Utf8Case& row, std::ostream* out) {
  *out << row.name;
}

class Utf8Scan : public testing::TestWithParam<Utf8Case> {};

TEST_P(Utf8Scan, ValidatesSequencesAtEveryBlockOffset) {
  const Utf8Case& row = GetParam();
  for (std::size_t before = 0; before < 70; ++before) {
    for (const std::size_t after : {0U, 1U, 2U, 3U, 40U}) {
      const std::string text = std::string(before, 'a') + row.bytes + std::string(after, 'z');
      const auto invalid = find_invalid_utf8(text);
      ASSERT_EQ(invalid.has_value(), !row.valid) << before << ' ' << after;
      if (invalid) {
        ASSERT_EQ(*invalid, before) << "the offset is where the bad sequence begins";
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sequences, Utf8Scan,
                         testing::Values(Utf8Case{"Nothing", "", true},
                                         Utf8Case{"ZeroByte", "\0"s, true},
                                         Utf8Case{"HighestOfOneByte", "\x7F", true},
                                         Utf8Case{"LowestOfTwoBytes", "\xC2\x80", true},
                                         Utf8Case{"HighestOfTwoBytes", "\xDF\xBF", true},
                                         Utf8Case{"LowestOfThreeBytes", "\xE0\xA0\x80", true},
                                         Utf8Case{"BelowTheSurrogates", "\xED\x9F\xBF", true},
                                         Utf8Case{"AboveTheSurrogates", "\xEE\x80\x80", true},
                                         Utf8Case{"HighestOfThreeBytes", "\xEF\xBF\xBF", true},
                                         Utf8Case{"LowestOfFourBytes", "\xF0\x90\x80\x80", true},
                                         Utf8Case{"HighestCharacter", "\xF4\x8F\xBF\xBF", true},
                                         Utf8Case{"ContinuationAlone", "\x80", false},
                                         Utf8Case{"HighestContinuationAlone", "\xBF", false},
                                         Utf8Case{"OverlongOfTwo", "\xC1\xBF", false},
                                         Utf8Case{"OverlongOfThree", "\xE0\x9F\xBF", false},
                                         Utf8Case{"OverlongOfFour", "\xF0\x8F\xBF\xBF", false},
                                         Utf8Case{"LowestSurrogate", "\xED\xA0\x80", false},
                                         Utf8Case{"HighestSurrogate", "\xED\xBF\xBF", false},
                                         Utf8Case{"AboveTheHighest", "\xF4\x90\x80\x80", false},
                                         Utf8Case{"LeadF5", "\xF5\x80\x80\x80", false},
                                         Utf8Case{"LeadFF", "\xFF", false},
                                         Utf8Case{"CutAfterOneOfTwo", "\xC2", false},
                                         Utf8Case{"CutAfterTwoOfThree", "\xE0\xA0", false},
                                         Utf8Case{"CutAfterThreeOfFour", "\xF0\x90\x80", false}),
                         [](const auto& instance) { return std::string(instance.param.name); });

TEST(EndOfContainer, IsAfterTheClosingBracket) {
  EXPECT_EQ(find_end_of_container("[]"), 2U);
  EXPECT_EQ(find_end_of_container("{}rest"), 2U);
  EXPECT_EQ(find_end_of_container("[[1],{\"a\":[2]}] ]"), 15U);
}

TEST(EndOfContainer, IgnoresBracketsInStrings) {
  EXPECT_EQ(find_end_of_container(R"(["]","}","[","{"],)"), 17U);
  EXPECT_EQ(find_end_of_container(R"(["\"]","\\"],)"), 12U);
}

TEST(EndOfContainer, IsNulloptForUnclosedText) {
  for (const std::string_view text : {"[", "[[]", "[\"]", "[\"\\\"]", "{\"a\":[}", "[\"\\"}) {
    EXPECT_EQ(find_end_of_container(text), std::nullopt) << text;
    EXPECT_EQ(find_end_of_container_bytewise(text), std::nullopt) << text;
  }
}

void expect_same(const std::string& text) {
  ASSERT_EQ(find_end_of_container(text), find_end_of_container_bytewise(text)) << text;
  ASSERT_EQ(find_end_of_container_baseline(text), find_end_of_container_bytewise(text)) << text;
}

TEST(EndOfContainer, FastScanHandlesEscapesAcrossBlockEdges) {
  for (std::size_t before = 0; before < 140; ++before) {
    for (std::size_t backslashes = 0; backslashes < 6; ++backslashes) {
      for (const std::string_view tail : {"\"]", "]\"]", "\"]]\"]", "\",\"]\"]"}) {
        std::string text = "[\"" + std::string(before, 'a');
        text.append(backslashes, '\\').append(tail);
        expect_same(text);
      }
    }
  }
}

TEST(EndOfContainer, FastScanHandlesLongBackslashRuns) {
  for (std::size_t backslashes = 55; backslashes < 200; ++backslashes) {
    expect_same("[\"" + std::string(backslashes, '\\') + "\"]\"]");
    expect_same("[" + std::string(backslashes, '\\') + "\"]\"]");
  }
}

TEST(EndOfContainer, FastScanHandlesDeepNestingAcrossBlockEdges) {
  for (std::size_t depth = 1; depth < 200; ++depth) {
    const std::string text = std::string(depth, '[') + std::string(depth, ']');
    ASSERT_EQ(find_end_of_container(text + "]]"), text.size());
    expect_same(text);
    expect_same(std::string(depth, '{') + "\"" + std::string(depth, '}') + "\"" +
                std::string(depth, '}'));
  }
}

TEST(EndOfContainer, FastScanMatchesBytewiseForRandomTexts) {
  std::mt19937 random{20240817};  // the same texts in every run
  constexpr std::string_view kAlphabet = "[]{}\"\\\\ab,:";
  std::uniform_int_distribution<std::size_t> letter{0, kAlphabet.size() - 1};
  std::uniform_int_distribution<std::size_t> length{0, 300};
  std::size_t found = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::string text = "[";
    for (std::size_t rest = length(random); rest > 0; --rest) text += kAlphabet[letter(random)];
    expect_same(text);
    found += find_end_of_container(text).has_value() ? 1 : 0;
  }
  EXPECT_GT(found, 2'000U) << "the texts have to exercise both outcomes";
  EXPECT_LT(found, 19'000U);
}

TEST(EndOfContainer, FastScanMatchesBytewiseForWellFormedTexts) {
  std::mt19937 random{42};  // the same texts in every run
  std::uniform_int_distribution<int> step{0, 6};
  for (int round = 0; round < 2'000; ++round) {
    std::string text = "[";
    std::string open = "]";
    while (text.size() < 500 && !open.empty()) {
      switch (step(random)) {
        case 0:
          text += "[";
          open += ']';
          break;
        case 1:
          text += "{\"k\":";
          open += '}';
          break;
        case 2:
          text += "\"[\\\"]{\",";
          break;
        case 3:
          text += "\"\\\\\",";
          break;
        case 4:
          text += "123456,";
          break;
        default:
          text += open.back();
          open.pop_back();
      }
    }
    while (!open.empty()) {
      text += open.back();
      open.pop_back();
    }
    ASSERT_EQ(find_end_of_container(text), text.size());
    ASSERT_EQ(find_end_of_container(text + "]}\"["), text.size());
    expect_same(text);
  }
}

TEST(EndOfString, IsAfterTheClosingQuote) {
  EXPECT_EQ(find_end_of_string(R"("")"), 2U);
  EXPECT_EQ(find_end_of_string(R"("a\"b",)"), 6U);
  EXPECT_EQ(find_end_of_string(R"("a\\","b")"), 5U);
  EXPECT_EQ(find_end_of_string("\"]}[{" + std::string(100, 'a') + "\"b\""), 106U);
}

TEST(EndOfString, IsNulloptForUnclosedText) {
  for (const std::string_view text : {"\"", "\"a", "\"\\\"", "\"\\"}) {
    EXPECT_EQ(find_end_of_string(text), std::nullopt) << text;
    EXPECT_EQ(find_end_of_string_bytewise(text), std::nullopt) << text;
  }
}

void expect_same_string(const std::string& text) {
  ASSERT_EQ(find_end_of_string(text), find_end_of_string_bytewise(text)) << text;
  ASSERT_EQ(find_end_of_string_baseline(text), find_end_of_string_bytewise(text)) << text;
}

TEST(EndOfString, FastScanHandlesBackslashRunsAcrossEdges) {
  for (std::size_t before = 0; before < 140; ++before) {
    for (std::size_t backslashes = 0; backslashes < 140; backslashes += 1 + backslashes / 6) {
      std::string text = "\"" + std::string(before, 'a');
      text.append(backslashes, '\\').append("\"b\"");
      expect_same_string(text);
    }
  }
}

TEST(EndOfString, FastScanMatchesBytewiseForRandomTexts) {
  std::mt19937 random{20261130};  // the same texts in every run
  constexpr std::string_view kAlphabet = "\"\\\\\\\\\\\\a";
  std::uniform_int_distribution<std::size_t> letter{0, kAlphabet.size() - 1};
  for (int round = 0; round < 20'000; ++round) {
    std::string text = "\"";
    while (text.size() < 200) text += kAlphabet[letter(random)];
    expect_same_string(text);
  }
}

TEST(MaxParseMemory, CoversEveryNode) {
  for (const std::string_view text :
       {"0", "[]", "{}", "[0,0,0]", R"({"a":{},"b":[{"c":[]},1]})", R"([["a",{"b":null}],[[]]])"}) {
    const std::size_t nodes = parse_copy(text)->root().node()->span;
    EXPECT_GE(max_parse_memory(text), 2 * text.size() + 3 * nodes * sizeof(Node)) << text;
  }
}

TEST(MaxParseMemory, CountsTextAsOneNode) {
  const std::string text = R"("1,2:{[\",)" + std::string(1000, ',') + '"';
  EXPECT_EQ(max_parse_memory(text), 2 * text.size() + 3 * sizeof(Node));
  EXPECT_EQ(max_parse_memory("\",,,"), 2 * 4 + 3 * sizeof(Node)) << "a text without its end";
}

}  // namespace
}  // namespace dynamo::json
