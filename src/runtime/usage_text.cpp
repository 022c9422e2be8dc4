#include "runtime/usage_text.hpp"

#include "runtime/log_format.hpp"

namespace dynamo::runtime {

std::size_t columns(std::string_view text) {
  std::size_t count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) & 0xC0) != 0x80 ? 1 : 0;
  return count;
}

namespace {

// `column`: position of `out` in its line; at `indent` or before it the line has no text yet.
void append_words(std::string& out, std::string_view text, std::size_t indent, std::size_t column) {
  bool is_begun = false;  // the line has a word of the text
  while (!text.empty()) {
    const std::size_t end = text.find_first_of(" \n");
    const std::string_view word = text.substr(0, end);
    const std::size_t width = columns(word);
    if (is_begun && column + 1 + width > kHelpColumns) {
      out += '\n';
      column = 0;
      is_begun = false;
    }
    if (is_begun) {
      out += ' ';
      ++column;
    } else {
      out.append(indent - column, ' ');
      column = indent;
    }
    out += word;
    column += width;
    is_begun = true;
    if (end != std::string_view::npos && text[end] == '\n') {
      out += '\n';
      column = 0;
      is_begun = false;
    }
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
}

}  // namespace

void append_wrapped(std::string& out, std::string_view text, std::size_t indent) {
  append_words(out, text, indent, 0);
  out += '\n';
}

void append_wrapped_behind(std::string& out, std::string_view text, std::size_t indent) {
  append_words(out, text, indent, indent);
}

std::string with_hyphens(std::string_view name) {
  return std::string("--").append(name);
}

std::string in_quotes(std::string_view typed) {
  constexpr std::size_t kShownBytes = 80;
  const std::string_view shown = cut_utf8(typed, kShownBytes);
  std::string line;
  append_json_string(line, shown.size() < typed.size() ? std::string(shown) + "…" : shown);
  return line;
}

}  // namespace dynamo::runtime
