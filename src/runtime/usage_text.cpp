#include "runtime/usage_text.hpp"

#include "runtime/log_format.hpp"

namespace dynamo::runtime {

std::size_t columns(std::string_view text) {
  std::size_t count = 0;
  for (const char c : text) count += (static_cast<unsigned char>(c) & 0xC0) != 0x80 ? 1 : 0;
  return count;
}

void append_wrapped(std::string& out, std::string_view text, std::size_t indent) {
  std::size_t column = 0;
  while (!text.empty()) {
    const std::size_t end = text.find_first_of(" \n");
    const std::string_view word = text.substr(0, end);
    const std::size_t width = columns(word);
    if (column > 0 && column + 1 + width > kHelpColumns) {
      out += '\n';
      column = 0;
    }
    if (column == 0) {
      out.append(indent, ' ');
      column = indent;
    } else {
      out += ' ';
      ++column;
    }
    out += word;
    column += width;
    if (end != std::string_view::npos && text[end] == '\n') {
      out += '\n';
      column = 0;
    }
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  out += '\n';
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
