// What stands at a place of a manifest's text, as far as an edit has to know: YAML and JSON alike.
// Everything that is not plain to see is answered with nothing, and then left as it is.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace dynamo::cli {

// A scalar on one line.
struct Token {
  std::size_t offset = 0;  // of what is between the quotes, if there are any
  std::string_view text;   // without the quotes
  char quote = '\0';       // '"', '\'', or none
};

// The scalar that begins at the offset: plain text of letters, digits and -+._/~, or quoted text
// without escapes. Nothing behind an anchor or a tag, for an alias, and where something else
// follows it than what ends a scalar or a name.
std::optional<Token> token_at(std::string_view text, std::size_t offset);

// The offset where the line begins that holds this one.
std::size_t line_start(std::string_view text, std::size_t offset);

// The offset behind the end of that line, line break included.
std::size_t line_end(std::string_view text, std::size_t offset);

// "\r\n" or "\n", as the line that holds the offset ends.
std::string_view line_break_of(std::string_view text, std::size_t offset);

// How far the line is indented, when nothing but spaces stands in front of the offset.
std::optional<std::size_t> indent_before(std::string_view text, std::size_t offset);

// A piece of the text.
struct Extent {
  std::size_t offset = 0;
  std::size_t length = 0;
};

// What goes when a member is removed from a block mapping: whole lines. The member's name begins at
// the offset. Comments behind it stay. Nothing unless the name is the first on its line.
std::optional<Extent> block_member(std::string_view text, std::size_t name, bool is_list);

// The same in {braces}: with its comma and the blanks up to what follows. Nothing where a comment
// would go with it.
std::optional<Extent> flow_member(std::string_view text, std::size_t name, std::size_t value);

}  // namespace dynamo::cli
