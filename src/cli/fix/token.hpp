// Reads tokens and lines at a place of a manifest, as far as edits need them: YAML and JSON alike.
// Returns nullopt for anything ambiguous, which is then not edited.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace dynamo::cli {

// A scalar on one line.
struct Token {
  std::size_t offset = 0;  // of the text between the quotes, if any
  std::string_view text;   // without the quotes
  char quote = '\0';       // '"', '\'', or none
};

// The scalar that begins at the offset: plain text of letters, digits and -+._/~, or quoted text
// without escapes. Returns nullopt after an anchor or a tag, for an alias, and if anything follows
// that does not end a scalar or a name.
std::optional<Token> token_at(std::string_view text, std::size_t offset);

// The offset of the beginning of the line that contains this one.
std::size_t line_start(std::string_view text, std::size_t offset);

// The offset after the end of that line, including its line break.
std::size_t line_end(std::string_view text, std::size_t offset);

// "\r\n" or "\n", whichever ends the line that contains the offset.
std::string_view line_break_of(std::string_view text, std::size_t offset);

// The indentation of the line, if only spaces precede the offset; else nullopt.
std::optional<std::size_t> indent_before(std::string_view text, std::size_t offset);

// A range of the text.
struct Extent {
  std::size_t offset = 0;
  std::size_t length = 0;
};

// The whole lines to delete in order to remove a member from a block mapping. The member's name
// begins at the offset. Comments after it stay. Returns nullopt unless the name is the first text
// on its line.
std::optional<Extent> block_member(std::string_view text, std::size_t name, bool is_list);

// The range to delete in {braces}: includes its comma and the blanks up to the next token. Returns
// nullopt if that would delete a comment.
std::optional<Extent> flow_member(std::string_view text, std::size_t name, std::size_t value);

}  // namespace dynamo::cli
