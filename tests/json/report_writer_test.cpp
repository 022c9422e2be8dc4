#include "json/report_writer.hpp"

#include <gtest/gtest.h>

#include <cctype>
#include <limits>
#include <string>
#include <vector>

#include "json/writer.hpp"

namespace dynamo::json {
namespace {

TEST(ReportWriter, AppendsToText) {
  std::string text = "before ";
  ReportWriter writer(text);
  writer.start_object().member("a", "b").key("list").start_array();
  writer.integer(-1).number(0.25).boolean(true).null().string("").raw(R"({"raw":[]})");
  writer.end_array().end_object();
  EXPECT_EQ(text, R"(before {"a":"b","list":[-1,0.25,true,null,"",{"raw":[]}]})");
}

TEST(ReportWriter, WritesNullForNonFiniteNumbers) {
  std::string text;
  ReportWriter(text).start_array().number(std::numeric_limits<double>::infinity()).end_array();
  EXPECT_EQ(text, "[null]");
}

// Every single byte, and the longest and truncated characters.
TEST(ReportWriter, QuotesLikeTheFastWriter) {
  std::vector<std::string> texts{"\xF4\x8F\xBF\xBD", "\xF4\x8F\xBF", "a\xC3", "ü\xFF\"\\/"};
  for (int byte = 0; byte < 256; ++byte)
    texts.push_back("a" + std::string(20, static_cast<char>(byte)) + "z");
  for (const std::string& text : texts) {
    std::string ours;
    append_quoted(ours, text);
    std::string theirs;
    ReportWriter(theirs).string(text);
    // Both spellings of a control character are valid JSON for the same text.
    const auto lower = [](std::string escaped) {
      for (char& c : escaped) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      return escaped;
    };
    // \b and \f have two spellings, and only this writer escapes DEL.
    if (text[1] == '\b' || text[1] == '\f' || text[1] == '\x7F') continue;
    EXPECT_EQ(lower(theirs), lower(ours));
  }
}

TEST(ReportWriter, EscapesInvisibleCharacters) {
  std::string text;
  ReportWriter writer(text);
  writer.start_object().member("a\u202E", "\u00e9\u2066\x7F").key("b").raw("[\"\u200F\"]");
  writer.end_object();
  EXPECT_EQ(text, "{\"a\\u202e\":\"\u00e9\\u2066\\u007f\",\"b\":[\"\\u200f\"]}");
}

}  // namespace
}  // namespace dynamo::json
