#include "json/visible.hpp"

#include <gtest/gtest.h>

#include <string>

#include "json/parser.hpp"
#include "text/printable.hpp"

namespace dynamo::json {
namespace {

std::string visible(std::string_view json) {
  std::string out;
  append_visible(out, json);
  return out;
}

TEST(Visible, KeepsVisibleText) {
  EXPECT_EQ(visible(""), "");
  EXPECT_EQ(visible("{\"a\":\t\"\u00e9\\n\"}\n"), "{\"a\":\t\"\u00e9\\n\"}\n");
}

TEST(Visible, EscapesInvisibleCharacters) {
  EXPECT_EQ(visible("\"\u202Ea\u2066\u0085\x7F\""), R"("\u202ea\u2066\u0085\u007f")");
  EXPECT_EQ(visible("{\"\uFEFF\":\"\u2028\u061C\"}"), R"({"\ufeff":"\u2028\u061c"})");
}

TEST(Visible, KeepsValueOfEachCharacter) {
  for (char32_t code = 0x80; code <= 0x10FFFF; code += code < 0x10000 ? 1 : 0x101) {
    if (code >= 0xD800 && code <= 0xDFFF) continue;
    std::string name;
    text::append_escape(name, code);
    // Written by our parser from the escape of each unit.
    std::string escape;
    const auto unit = [&](char32_t value) { text::append_escape(escape, value); };
    if (code > 0xFFFF) {
      unit(0xD800 + ((code - 0x10000) >> 10U));
      unit(0xDC00 + (code & 0x3FFU));
    } else {
      unit(code);
    }
    const auto parsed = parse_copy("\"" + escape + "\"");
    const std::string text(parsed->root().string_or_empty());
    const std::string shown = visible("\"" + text + "\"");
    EXPECT_EQ(parse_copy(shown)->root().string_or_empty(), text) << name;
    EXPECT_EQ(text::find_invisible(shown), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace dynamo::json
