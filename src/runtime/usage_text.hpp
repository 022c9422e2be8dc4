// Text helpers for usage and error messages of a command line.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace dynamo::runtime {

// Maximum width of a line of --help.
inline constexpr std::size_t kHelpColumns = 100;

// Number of characters, not bytes: a word may contain an ellipsis.
std::size_t columns(std::string_view text);

// Appends `text` in lines of at most kHelpColumns, each indented and terminated; a newline starts a
// paragraph. A longer word gets a line of its own.
void append_wrapped(std::string& out, std::string_view text, std::size_t indent);

// The same after a text that ends just before column `indent`: the first line is already started,
// and the last one is not terminated.
void append_wrapped_behind(std::string& out, std::string_view text, std::size_t indent);

// "--name"
std::string with_hyphens(std::string_view name);

// User input for one line of a message: in double quotes, escaped as in JSON, cut at 80 bytes.
std::string in_quotes(std::string_view typed);

}  // namespace dynamo::runtime
