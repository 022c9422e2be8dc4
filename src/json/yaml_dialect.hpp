// Differences between kubectl's YAML and that of yaml-cpp. kubectl uses Go's port of libyaml, which
// reads YAML 1.1 and has its own limits. tests/testdata/yaml holds its results.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace dynamo::json {

// Replaces what kubectl reads as a line break with a line feed: a lone carriage return, and U+0085.
// Before "---" both stay, since kubectl only recognizes separators after a line feed. Removes a
// byte order mark at the beginning and after a separator. Offsets change; later lines and columns
// count as in an editor.
void normalise_yaml(std::string& text);

// True for a line that begins with "---" and otherwise holds only white space and a comment.
bool is_yaml_separator(std::string_view line);

// The offset of a value after its tag, anchor and the comments between them.
std::size_t skip_yaml_properties(std::string_view text);

// Why kubectl refuses the tag, anchor or alias at the beginning of `text`; empty if it accepts it.
std::string_view refusal_of_properties(std::string_view text, bool in_flow);

// Why kubectl refuses a tab before the value at `at`, which is part of a block; empty if it accepts
// it. Also checks the blank lines and comments before the value, back to `from`.
std::string_view refusal_of_tabs(std::string_view text, std::size_t from, std::size_t at);

// Like refusal_of_tabs(), for the blank lines and comments at the end of the text.
std::string_view refusal_of_last_tabs(std::string_view text, std::size_t from);

// Why kubectl refuses the plain text in brackets at the beginning of `text`, or what follows it;
// empty if it accepts it. `least_indent` is one more than the column of the block around the
// brackets.
std::string_view refusal_of_flow_text(std::string_view text, std::size_t least_indent);

// A quoted scalar as kubectl reads it.
struct QuotedYaml {
  std::string value;
  std::size_t length = 0;           // bytes of the text, including both quotes
  std::string_view refusal = {};    // empty if kubectl accepts it
  std::size_t line_separators = 0;  // unescaped U+2028 and U+2029
};

// Reads the quoted scalar at the beginning of `text`. Returns nullopt if the quote is not closed,
// or if only yaml-cpp can interpret an escape.
std::optional<QuotedYaml> read_quoted_yaml(std::string_view text);

// Why kubectl refuses the block scalar (| or >) at the beginning of `text`; empty if it accepts it.
std::string_view refusal_of_block(std::string_view text);

// The number of line breaks at the end of a folded block scalar that keeps them (>+), or nullopt
// for any other scalar. Its lines are indented by at least `least_indent`: one more than the
// collection around it.
std::optional<std::size_t> kept_line_breaks(std::string_view text, std::size_t least_indent);

// The number of U+2028 and U+2029 in a text; kubectl treats them as line breaks.
std::size_t count_line_separators(std::string_view text);

}  // namespace dynamo::json
