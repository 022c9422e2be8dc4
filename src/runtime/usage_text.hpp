// Pieces of text with which a command line is explained and its mistakes are told.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dynamo::runtime {

// No line of --help is wider.
inline constexpr std::size_t kHelpColumns = 100;

// How many characters that is, not bytes: a word may carry an ellipsis.
std::size_t columns(std::string_view text);

// Appends `text` in lines of at most kHelpColumns, each indented and ended; a newline in it begins
// a paragraph. A longer word has a line of its own.
void append_wrapped(std::string& out, std::string_view text, std::size_t indent);

// The same behind something that ends right before column `indent`: the first line is begun
// already, and the last one is not ended.
void append_wrapped_behind(std::string& out, std::string_view text, std::size_t indent);

// "--name"
std::string with_hyphens(std::string_view name);

// What was typed, fit to stand in one line: in double quotes, escaped as in JSON, cut at 80 bytes.
std::string in_quotes(std::string_view typed);

}  // namespace dynamo::runtime
