#include "cli/fix/token.hpp"

#include <algorithm>

#include "text/blanks.hpp"

namespace dynamo::cli {
namespace {

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '+' || c == '.' || c == '_' || c == '/' || c == '~';
}

char at_or_end(std::string_view text, std::size_t at) {
  return at < text.size() ? text[at] : '\n';
}

// True if a scalar or a name may end before `at`.
bool ends_token(std::string_view text, std::size_t at) {
  const char c = at_or_end(text, at);
  if (c == ':') return true;
  return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == ',' || c == ']' || c == '}';
}

// The rest of the line must not belong to the token: `a b` is one plain scalar.
bool is_whole(std::string_view text, std::size_t end) {
  if (!ends_token(text, end)) return false;
  const std::size_t next = std::min(text.find_first_not_of(" \t\r", end), text.size());
  const char c = at_or_end(text, next);
  if (c == '#') return next > end;
  return c == '\n' || c == ',' || c == ']' || c == '}' || c == ':';
}

// Whether the word before the offset on its line begins with `&` or `!`.
bool is_decorated(std::string_view text, std::size_t offset) {
  const std::string_view before =
      text.substr(line_start(text, offset), offset - line_start(text, offset));
  const std::size_t last = before.find_last_not_of(" \t");
  if (last == std::string_view::npos) return false;
  const std::size_t gap = before.find_last_of(" \t,[{", last);
  const char first = before[gap == std::string_view::npos ? 0 : gap + 1];
  return first == '&' || first == '!';
}

// The offset after the quoted text that begins here; npos if it does not end.
std::size_t end_of_quoted(std::string_view text, std::size_t at) {
  const char quote = text[at];
  for (++at; at < text.size(); ++at) {
    if (text[at] == '\\' && quote == '"') {
      ++at;
    } else if (text[at] == quote) {
      return at + 1;
    }
  }
  return std::string_view::npos;
}

// The offset after the value in braces that begins here; nullopt if it contains a comment.
std::optional<std::size_t> end_of_flow_value(std::string_view text, std::size_t at) {
  std::size_t depth = 0;
  const std::size_t start = at;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '"' || c == '\'') {
      at = end_of_quoted(text, at);
      if (at == std::string_view::npos) return std::nullopt;
      if (depth == 0) return at;
      continue;
    }
    if (c == '#') return std::nullopt;
    if (c == '{' || c == '[') ++depth;
    if (c == '}' || c == ']') {
      if (depth == 0) break;
      if (--depth == 0) return at + 1;
    }
    if (depth == 0 && (c == ',' || c == '\n')) break;
    ++at;
  }
  while (at > start && text::kBlanks.find(text[at - 1]) != std::string_view::npos) --at;
  return at;
}

}  // namespace

std::size_t line_start(std::string_view text, std::size_t offset) {
  if (offset == 0) return 0;
  const std::size_t feed = text.rfind('\n', offset - 1);
  return feed == std::string_view::npos ? 0 : feed + 1;
}

std::size_t line_end(std::string_view text, std::size_t offset) {
  const std::size_t feed = text.find('\n', offset);
  return feed == std::string_view::npos ? text.size() : feed + 1;
}

std::string_view line_break_of(std::string_view text, std::size_t offset) {
  const std::string_view line = text.substr(0, line_end(text, offset));
  return line.ends_with("\r\n") ? "\r\n" : "\n";
}

std::optional<std::size_t> indent_before(std::string_view text, std::size_t offset) {
  const std::size_t start = line_start(text, offset);
  const std::string_view before = text.substr(start, offset - start);
  if (before.find_first_not_of(' ') != std::string_view::npos) return std::nullopt;
  return before.size();
}

std::optional<Token> token_at(std::string_view text, std::size_t offset) {
  if (offset >= text.size() || is_decorated(text, offset)) return std::nullopt;
  Token token{offset, {}, '\0'};
  std::size_t end = offset;
  if (text[offset] == '"' || text[offset] == '\'') {
    token.quote = text[offset];
    ++token.offset;
    end = text.find(token.quote, token.offset);
    if (end == std::string_view::npos) return std::nullopt;
    token.text = text.substr(token.offset, end - token.offset);
    const bool is_simple = token.text.find_first_of("\\\n\r") == std::string_view::npos;
    if (!is_simple || at_or_end(text, end + 1) == token.quote) return std::nullopt;
    ++end;
  } else {
    while (end < text.size() && is_plain(text[end])) ++end;
    token.text = text.substr(offset, end - offset);
  }
  if (token.text.empty() || !is_whole(text, end)) return std::nullopt;
  return token;
}

std::optional<Extent> block_member(std::string_view text, std::size_t name, bool is_list) {
  const auto indent = indent_before(text, name);
  if (!indent) return std::nullopt;
  const std::size_t start = name - *indent;
  std::size_t end = line_end(text, name);  // after its last line
  for (std::size_t at = end; at < text.size();) {
    const std::size_t next = line_end(text, at);
    const std::string_view line = text.substr(at, next - at);
    at = next;
    const std::size_t first = line.find_first_not_of(' ');
    const bool is_blank = line.find_first_not_of(text::kBlanks) == std::string_view::npos;
    if (is_blank || line[first] == '#') continue;
    const bool is_item = is_list && first == *indent && line[first] == '-' &&
                         text::kBlanks.find(at_or_end(line, first + 1)) != std::string_view::npos;
    if (first <= *indent && !is_item) break;
    end = next;
  }
  return Extent{start, end - start};
}

std::optional<Extent> flow_member(std::string_view text, std::size_t name, std::size_t value) {
  const auto end = end_of_flow_value(text, value);
  if (!end) return std::nullopt;
  const std::size_t next = text.find_first_not_of(text::kBlanks, *end);
  if (next == std::string_view::npos || text[next] == '#') return std::nullopt;
  if (text[next] == ',') {
    const std::size_t follower = text.find_first_not_of(text::kBlanks, next + 1);
    if (follower == std::string_view::npos || text[follower] == '#') return std::nullopt;
    return Extent{name, follower - name};
  }
  if (text[next] != '}' || name == 0) return std::nullopt;
  const std::size_t before = text.find_last_not_of(text::kBlanks, name - 1);
  if (before == std::string_view::npos) return std::nullopt;
  // The cut would split a comment on a previous line.
  if (text.substr(line_start(text, before), before - line_start(text, before)).find('#') !=
      std::string_view::npos) {
    return std::nullopt;
  }
  if (text[before] == ',') return Extent{before, *end - before};
  if (text[before] == '{') return Extent{name, *end - name};
  return std::nullopt;
}

}  // namespace dynamo::cli
