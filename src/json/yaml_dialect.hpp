// The YAML of kubectl where it differs from that of yaml-cpp. kubectl reads with Go's port of
// libyaml, which takes YAML 1.1 and has limits of its own. tests/testdata/yaml holds its results.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace dynamo::json {

// Rewrites what kubectl reads as a line feed to one: a carriage return alone, and U+0085. In front
// of "---" both stay, since kubectl finds separators behind a line feed only. Removes a byte order
// mark at the beginning and behind a separator. Offsets change; lines and columns of what follows
// count as an editor counts them.
void normalise_yaml(std::string& text);

// True for a line that begins with "---" and holds nothing else but white space and a comment.
bool is_yaml_separator(std::string_view line);

// The offset of a value behind its tag and anchor, and the comments between them.
std::size_t skip_yaml_properties(std::string_view text);

// Why kubectl refuses the tag, anchor or alias that `text` begins with; empty: it does not.
std::string_view refusal_of_properties(std::string_view text, bool in_flow);

// Why kubectl refuses a tab in front of the value at `at`, which is part of a block; empty: it does
// not. Looks at the blank lines and comments in front of it too, back to `from`.
std::string_view refusal_of_tabs(std::string_view text, std::size_t from, std::size_t at);

// The same of the blank lines and comments at the end of the text.
std::string_view refusal_of_last_tabs(std::string_view text, std::size_t from);

// Why kubectl refuses the plain text in brackets that begins `text`, or what follows it; empty: it
// does not. `least_indent` is one more than the column of the block around the brackets.
std::string_view refusal_of_flow_text(std::string_view text, std::size_t least_indent);

// A scalar in quotes as kubectl reads it.
struct QuotedYaml {
  std::string value;
  std::size_t length = 0;           // bytes of the text, with both quotes
  std::string_view refusal = {};    // empty: kubectl reads it
  std::size_t line_separators = 0;  // U+2028 and U+2029 in it, as written
};

// Reads the quoted scalar that `text` begins with.
// Nothing when the quote is not closed, or where only yaml-cpp knows what an escape means.
std::optional<QuotedYaml> read_quoted_yaml(std::string_view text);

// Why kubectl refuses the block scalar (| or >) that `text` begins with; empty: it does not.
std::string_view refusal_of_block(std::string_view text);

// How many line breaks end a folded block scalar that keeps them (>+), or nothing for any other
// one. Its lines are indented by `least_indent` or more: one more than the collection around it.
std::optional<std::size_t> kept_line_breaks(std::string_view text, std::size_t least_indent);

// The number of U+2028 and U+2029 in a text: kubectl ends a line at them.
std::size_t count_line_separators(std::string_view text);

}  // namespace dynamo::json
