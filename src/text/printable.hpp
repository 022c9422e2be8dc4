// Escapes invisible characters in text for users: log lines, messages, tables.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dynamo::text {

// One character at the start of a text.
struct Character {
  char32_t code = 0;       // the byte itself if it is not UTF-8
  std::size_t length = 1;  // bytes; 0 at the end of the text
  bool is_utf8 = true;
};

Character first_character(std::string_view text);

// True for characters that show nothing, or that change how a terminal shows adjacent characters:
// control characters, blanks other than U+0020, line separators, and Unicode's format characters
// (bidirectional, zero width, tags), variation selectors, fillers and noncharacters.
bool is_invisible(char32_t code);

// Position of the first invisible character, or of the first byte that is not UTF-8, from `from`
// on; npos if there is none.
std::size_t find_invisible(std::string_view text, std::size_t from = 0);

// "U+200B ZERO WIDTH SPACE": common invisible characters with their name, other characters by code
// alone ("U+0041").
std::string describe_character(char32_t code);

// Appends "\x1b" for ASCII, "\u200b", or "\U000e0041" for a character above U+FFFF.
void append_escape(std::string& out, char32_t code);

// Appends "\u200b", and two units of UTF-16 for a character above U+FFFF, as JSON has it.
void append_json_escape(std::string& out, char32_t code);

// Appends `text` on one line, with each invisible character as append_escape() writes it and each
// byte that is not UTF-8 as "\xff". A tab stays if `keep_tabs`. Backslashes are not escaped: the
// result is for users, not for parsing.
void append_printable(std::string& out, std::string_view text, bool keep_tabs = false);
std::string printable(std::string_view text);

}  // namespace dynamo::text
