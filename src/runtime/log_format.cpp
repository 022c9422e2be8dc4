#include "runtime/log_format.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "text/printable.hpp"

namespace dynamo::runtime {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
constexpr std::string_view kCutMark = "\xE2\x80\xA6";  // …

// Appends the character at `at`, which is a control character or not ASCII.
std::size_t append_special(std::string& out, std::string_view text, std::size_t at) {
  const text::Character character = text::first_character(text.substr(at));
  if (!character.is_utf8) {
    out += kReplacement;
  } else if (text::is_invisible(character.code)) {
    text::append_json_escape(out, character.code);
  } else {
    out += text.substr(at, character.length);
  }
  return at + character.length;
}

void append_escaped(std::string& out, std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      default: {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte >= 0x7F) {
          at = append_special(out, text, at);
          continue;
        }
        out += c;
      }
    }
    ++at;
  }
}

void append_limited(std::string& out, std::string_view text) {
  const std::string_view kept = cut_utf8(text, kMaxLogTextBytes);
  append_escaped(out, kept);
  if (kept.size() < text.size()) out += kCutMark;
}

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  append_limited(out, text);
  out += '"';
}

// Only for integers and doubles; 32 characters fit any of them in the shortest form.
template <class Number>
void append_number(std::string& out, Number number) {
  std::array<char, 32> digits;
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  out.append(digits.data(), end);
}

void append_padded(std::string& out, int number, std::size_t width) {
  std::array<char, 12> digits;
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  const auto length = static_cast<std::size_t>(end - digits.data());
  if (length < width) out.append(width - length, '0');
  out.append(digits.data(), end);
}

template <class Quote>
void append_list(std::string& out, std::span<const std::string_view> list, Quote quote) {
  out += '[';
  for (std::size_t i = 0; i < list.size() && i < kMaxLogListItems; ++i) {
    if (i > 0) out += ',';
    quote(out, list[i]);
  }
  if (list.size() > kMaxLogListItems) {
    out += ",\"";
    out += kCutMark;
    append_number(out, list.size() - kMaxLogListItems);
    out += " more\"";
  }
  out += ']';
}

void append_json_value(std::string& out, const Field::Value& value) {
  std::visit(
      [&out](const auto& held) {
        using Value = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<Value, std::string_view>) {
          append_quoted(out, held);
        } else if constexpr (std::is_same_v<Value, bool>) {
          out += held ? "true" : "false";
        } else if constexpr (std::is_same_v<Value, double>) {
          if (std::isfinite(held)) {
            append_number(out, held);
          } else {
            out += "null";
          }
        } else if constexpr (std::is_same_v<Value, std::int64_t>) {
          append_number(out, held);
        } else {
          append_list(out, held, append_quoted);
        }
      },
      value);
}

bool needs_quotes(std::string_view text) {
  if (text.empty() || text.size() > kMaxLogTextBytes) return true;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte <= 0x20 || byte >= 0x7F || c == '"' || c == '\\' || c == '=') return true;
  }
  return false;
}

// Padded to one width, so that messages are aligned.
std::string_view text_level(Level level) {
  switch (level) {
    case Level::kDebug:
      return "DEBUG  ";
    case Level::kInfo:
      return "INFO   ";
    case Level::kWarning:
      return "WARNING";
    case Level::kError:
      return "ERROR  ";
  }
  return "?      ";
}

std::string_view level_colour(Level level) {
  switch (level) {
    case Level::kDebug:
      return "\x1b[2m";
    case Level::kInfo:
      return "\x1b[32m";
    case Level::kWarning:
      return "\x1b[33m";
    case Level::kError:
      return "\x1b[31m";
  }
  return "";
}

}  // namespace

std::string_view to_string(Level level) {
  switch (level) {
    case Level::kDebug:
      return "debug";
    case Level::kInfo:
      return "info";
    case Level::kWarning:
      return "warning";
    case Level::kError:
      return "error";
  }
  return "unknown";
}

std::string_view cut_utf8(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  std::size_t end = bytes;
  // A sequence has at most three continuation bytes; more than that is not UTF-8 anyway.
  while (end > 0 && bytes - end < 3 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80)
    --end;
  return text.substr(0, end);
}

void append_json_string(std::string& out, std::string_view text) {
  out += '"';
  append_escaped(out, text);
  out += '"';
}

void append_rfc3339(std::string& out, std::chrono::system_clock::time_point time) {
  using std::chrono::duration_cast;
  const auto millis = std::chrono::floor<std::chrono::milliseconds>(time);
  const auto day = std::chrono::floor<std::chrono::days>(millis);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(millis - day);
  append_padded(out, static_cast<int>(date.year()), 4);
  out += '-';
  append_padded(out, static_cast<int>(static_cast<unsigned>(date.month())), 2);
  out += '-';
  append_padded(out, static_cast<int>(static_cast<unsigned>(date.day())), 2);
  out += 'T';
  append_padded(out, static_cast<int>(clock.hours().count()), 2);
  out += ':';
  append_padded(out, static_cast<int>(clock.minutes().count()), 2);
  out += ':';
  append_padded(out, static_cast<int>(clock.seconds().count()), 2);
  out += '.';
  append_padded(out, static_cast<int>(clock.subseconds().count()), 3);
  out += 'Z';
}

void append_json_fields(std::string& out, std::span<const Field> fields) {
  bool first = true;
  for (const Field& field : fields) {
    if (!first) out += ',';
    first = false;
    append_quoted(out, field.name);
    out += ':';
    append_json_value(out, field.value);
  }
}

void append_json_line(std::string& out, std::chrono::system_clock::time_point time, Level level,
                      std::string_view message, std::span<const Field> fields) {
  out += "{\"time\":\"";
  append_rfc3339(out, time);
  out += "\",\"level\":\"";
  out += to_string(level);
  out += "\",\"message\":";
  append_quoted(out, message);
  if (!fields.empty()) {
    out += ',';
    append_json_fields(out, fields);
  }
  out += "}\n";
}

void append_text_line(std::string& out, std::chrono::system_clock::time_point time, Level level,
                      std::string_view message, std::span<const Field> fields, bool colour) {
  append_rfc3339(out, time);
  out += ' ';
  if (colour) out += level_colour(level);
  out += text_level(level);
  if (colour) out += "\x1b[0m";
  out += ' ';
  append_limited(out, message);
  for (const Field& field : fields) {
    out += ' ';
    append_limited(out, field.name);
    out += '=';
    const auto* text = std::get_if<std::string_view>(&field.value);
    if (text != nullptr && !needs_quotes(*text)) {
      out += *text;
    } else {
      append_json_value(out, field.value);
    }
  }
  out += '\n';
}

}  // namespace dynamo::runtime
