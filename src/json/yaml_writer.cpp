#include "json/yaml_writer.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <cstddef>
#include <vector>

#include "json/writer.hpp"
#include "json/yaml_scalar.hpp"
#include "text/printable.hpp"

namespace dynamo::json {
namespace {

constexpr std::size_t kStep = 2;
// YAML does not accept longer text before a colon as a key; `? ` marks it as one.
constexpr std::size_t kLongestSimpleKey = 1000;

// Whether no character must be escaped: neither the control characters and line ends that YAML does
// not accept, nor those that a terminal does not show or that change what it shows.
bool is_presentable(std::string_view text, std::string_view also) {
  std::size_t at = text::find_invisible(text);
  while (at != std::string_view::npos && also.find(text[at]) != std::string_view::npos) {
    at = text::find_invisible(text, at + 1);
  }
  return at == std::string_view::npos;
}

// kubectl reads dates, times and base-60 numbers ("2026-01-02", "1:30") as text, but other YAML
// readers do not.
bool reads_as_time(std::string_view text) {
  constexpr std::string_view kOfTimes = "0123456789-+:.,_TtZz ";
  if (text.find_first_not_of(kOfTimes) != std::string_view::npos) return false;
  const std::size_t digit = text.find_first_of("0123456789");
  return digit <= 1 && text.find_first_of(":-", digit) != std::string_view::npos;
}

// Whether unquoted text is read as that text.
bool is_plain(std::string_view text) {
  if (reads_as_time(text)) return false;
  if (text.empty() || text == "<<" || text == "=") return false;
  if (text.front() == ' ' || text.back() == ' ' || text.back() == ':') return false;
  constexpr std::string_view kIndicators = ",[]{}#&*!|>'\"%@`";
  if (kIndicators.find(text.front()) != std::string_view::npos) return false;
  constexpr std::string_view kBeforeText = "-?:";
  if (kBeforeText.find(text.front()) != std::string_view::npos &&
      (text.size() == 1 || text[1] == ' ' || kIndicators.find(text[1]) != std::string_view::npos)) {
    return false;
  }
  if (text.starts_with("---") || text.starts_with("...")) return false;
  if (text.find(": ") != std::string_view::npos || text.find(" #") != std::string_view::npos) {
    return false;
  }
  return is_presentable(text, "") && resolve_plain(text).kind == YamlScalar::Kind::kString;
}

// Whether a text can be written as a block of lines, the readable form for scripts and files.
bool is_block(std::string_view text) {
  if (text.find('\n') == std::string_view::npos) return false;
  // Leading blanks on the first line would be read as indentation.
  if (text.front() == ' ' || text.front() == '\n' || text.front() == '\t') return false;
  return is_presentable(text, "\n\t");
}

void append_escape(std::string& out, char32_t character) {
  switch (character) {
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      break;
  }
  constexpr std::string_view kHex = "0123456789ABCDEF";
  unsigned digits = 2;
  out += '\\';
  if (character < 0x100) {
    out += 'x';
  } else if (character <= 0xFFFF) {
    out += 'u';
    digits = 4;
  } else {
    out += 'U';
    digits = 8;
  }
  while (digits != 0) {
    --digits;
    out += kHex[(character >> (4 * digits)) & 0xFU];
  }
}

void append_double_quoted(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    const text::Character character = text::first_character(text);
    if (!character.is_utf8) {
      out += "\xEF\xBF\xBD";  // U+FFFD
    } else if (text::is_invisible(character.code)) {
      append_escape(out, character.code);
    } else {
      if (character.code == '"' || character.code == '\\') out += '\\';
      out += text.substr(0, character.length);
    }
    text.remove_prefix(character.length);
  }
  out += '"';
}

void append_block(std::string& out, std::string_view text, std::size_t indent) {
  const std::size_t last = text.find_last_not_of('\n');
  const std::size_t line_feeds = text.size() - 1 - last;
  out += '|';
  if (line_feeds == 0) out += '-';
  if (line_feeds > 1) out += '+';
  out += '\n';
  if (line_feeds == 0) {
    // Every block line ends with a line feed; `-` removes the last one.
  } else {
    text.remove_suffix(1);
  }
  for (;;) {
    const std::size_t feed = text.find('\n');
    const std::string_view line = text.substr(0, feed);
    if (!line.empty()) out.append(indent, ' ').append(line);
    if (feed == std::string_view::npos) return;
    out += '\n';
    text.remove_prefix(feed + 1);
  }
}

class YamlWriter {
 public:
  explicit YamlWriter(std::string& out) : out_(out) {}

  void write(Value root) {
    if (!push(root, 0)) {
      scalar(root, kStep);
      out_ += '\n';
    }
    while (!open_.empty()) {
      OpenContainer& top = open_.back();
      if (top.next == top.end) {
        open_.pop_back();
      } else if (top.is_object) {
        member(top);
      } else {
        element(top);
      }
    }
  }

 private:
  struct OpenContainer {
    const Node* next;
    const Node* end;
    bool is_object;
    std::size_t indent;
  };

  // Opens a container with content; its first entry may continue the current line.
  bool push(Value value, std::size_t indent) {
    if (value.size() == 0) return false;
    open_.push_back(
        {value.node() + 1, value.node() + value.node()->span, value.is_object(), indent});
    return true;
  }

  void begin_line(std::size_t indent) {
    if (!in_line_) out_.append(indent, ' ');
    in_line_ = false;
  }

  // A push invalidates `top`.
  void member(OpenContainer& top) {
    const std::string_view name{top.next->text, top.next->length};
    const Value value{top.next + 1};
    const std::size_t indent = top.indent;
    top.next += 1 + value.node()->span;
    begin_line(indent);
    const bool is_long = name.size() > kLongestSimpleKey;
    if (is_long) out_ += "? ";
    append_yaml_text(out_, name);
    if (is_long) out_.append("\n").append(indent, ' ');
    out_ += ':';
    const std::size_t inner = value.is_array() && !is_long ? indent : indent + kStep;
    if (push(value, inner)) {
      out_ += '\n';
      return;
    }
    out_ += ' ';
    scalar(value, indent + kStep);
    out_ += '\n';
  }

  void element(OpenContainer& top) {
    const Value value{top.next};
    const std::size_t indent = top.indent;
    top.next += value.node()->span;
    begin_line(indent);
    out_ += "- ";
    if (push(value, indent + kStep)) {
      in_line_ = true;
      return;
    }
    scalar(value, indent + kStep);
    out_ += '\n';
  }

  // A value without members or elements.
  void scalar(Value value, std::size_t indent) {
    switch (value.type()) {
      case Type::kObject:
        out_ += "{}";
        return;
      case Type::kArray:
        out_ += "[]";
        return;
      case Type::kString:
        return text(value.string_or_empty(), indent);
      case Type::kNull:
      case Type::kBoolean:
      case Type::kInteger:
      case Type::kNumber:
        Writer(out_).value(value);
        return;
    }
  }

  void text(std::string_view text, std::size_t indent) {
    if (is_block(text)) {
      append_block(out_, text, indent);
    } else {
      append_yaml_text(out_, text);
    }
  }

  std::string& out_;
  std::vector<OpenContainer> open_;
  bool in_line_ = false;  // "- " precedes the next value
};

}  // namespace

void append_yaml_text(std::string& out, std::string_view text) {
  if (is_plain(text)) {
    out += text;
  } else {
    append_double_quoted(out, text);
  }
}

void append_yaml(std::string& out, Value value) {
  assert(value.exists());
  YamlWriter(out).write(value);
}

}  // namespace dynamo::json
