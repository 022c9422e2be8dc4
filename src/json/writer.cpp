#include "json/writer.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "json/scan.hpp"
#include "json/special_bytes.hpp"

namespace dynamo::json {
namespace {

// ASCII that needs no escape.
bool is_plain(char c) {
  return !is_special(c) && static_cast<unsigned char>(c) < 0x80;
}

#if defined(__SSE2__)
bool is_plain(__m128i bytes) {
  return (special_bytes(bytes) | static_cast<unsigned>(_mm_movemask_epi8(bytes))) == 0;
}

// Loads eight bytes into both halves.
__m128i load_half(const char* from) {
  const __m128i half = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from));
  return _mm_unpacklo_epi64(half, half);
}
#endif

// Whether all of it is ASCII that needs no escape, as nearly all output is. The last block, or half
// block, overlaps the previous one: single bytes are read only for texts shorter than that.
bool is_plain(std::string_view text) {
#if defined(__SSE2__)
  const char* const end = text.data() + text.size();
  constexpr std::size_t kBlock = sizeof(__m128i);
  if (text.size() >= kBlock) {
    for (const char* at = text.data(); at + kBlock < end; at += kBlock) {
      if (!is_plain(load_block(at))) return false;
    }
    return is_plain(load_block(end - kBlock));
  }
  if (text.size() >= kBlock / 2) {
    return is_plain(load_half(text.data())) && is_plain(load_half(end - kBlock / 2));
  }
#endif
  return std::ranges::all_of(text, [](char c) { return is_plain(c); });
}

// Writes the escape of a special byte, and returns its end.
char* write_escape(char* at, char c) {
  constexpr std::string_view kHex = "0123456789abcdef";
  *at++ = '\\';
  switch (c) {
    case '"':
    case '\\':
      *at++ = c;
      return at;
    case '\n':
      *at++ = 'n';
      return at;
    case '\r':
      *at++ = 'r';
      return at;
    case '\t':
      *at++ = 't';
      return at;
    default:
      for (const char each : {'u', '0', '0', kHex[static_cast<unsigned char>(c) >> 4U],
                              kHex[static_cast<unsigned char>(c) & 0xFU]}) {
        *at++ = each;
      }
      return at;
  }
}

// Texts with escapes have many of them, such as JSON in an annotation. So each chunk is escaped in
// one buffer and appended once.
void append_escaped(std::string& out, std::string_view text) {
  constexpr std::size_t kChunk = 64;
  constexpr std::size_t kLongestEscape = 6;
  std::array<char, kChunk * kLongestEscape> escaped;
  while (!text.empty()) {
    const std::string_view chunk = text.substr(0, kChunk);
    char* end = escaped.data();
    for (const char c : chunk) {
      if (is_special(c)) {
        end = write_escape(end, c);
      } else {
        *end++ = c;
      }
    }
    out.append(escaped.data(), static_cast<std::size_t>(end - escaped.data()));
    text.remove_prefix(chunk.size());
  }
}

}  // namespace

void append_quoted(std::string& out, std::string_view text) {
  if (is_plain(text)) {
    // Append quotes of the final length and copy the text between them: one growth instead of
    // three.
    const std::size_t start = out.size();
    out.append(text.size() + 2, '"');
    text.copy(out.data() + start + 1, text.size());
    return;
  }
  out += '"';
  while (const auto invalid = find_invalid_utf8(text)) {
    append_escaped(out, text.substr(0, *invalid));
    out += "\xEF\xBF\xBD";  // U+FFFD
    text.remove_prefix(*invalid + 1);
  }
  append_escaped(out, text);
  out += '"';
}

Writer& Writer::integer(std::int64_t value) {
  std::array<char, 24> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  return raw({digits.data(), static_cast<std::size_t>(end - digits.data())});
}

Writer& Writer::number(double value) {
  if (!std::isfinite(value)) return null();  // JSON cannot express it
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  return raw({digits.data(), static_cast<std::size_t>(end - digits.data())});
}

namespace {

// Writes the tape in order, with an explicit stack of open containers, so that depth needs no
// recursion.
class TapeWriter {
 public:
  explicit TapeWriter(Writer& writer) : writer_(writer) {}

  void write(Value value) {
    const Node* at = value.node();
    const Node* const last = at + at->span;
    while (at != last) {
      at = one(at);
      close_finished(at);
    }
  }

 private:
  struct OpenContainer {
    const Node* end;
    bool object;
    bool name_next;
  };

  const Node* one(const Node* at) {
    if (!open_.empty() && open_.back().object) {
      if (open_.back().name_next) {
        writer_.key({at->text, at->length});
        open_.back().name_next = false;
        return at + 1;
      }
      open_.back().name_next = true;
    }
    switch (static_cast<Type>(at->type)) {
      case Type::kObject:
        writer_.start_object();
        open_.push_back({at + at->span, true, true});
        break;
      case Type::kArray:
        writer_.start_array();
        open_.push_back({at + at->span, false, false});
        break;
      case Type::kString:
        writer_.string({at->text, at->length});
        break;
      case Type::kInteger:
        writer_.integer(at->integer);
        break;
      case Type::kNumber:
        writer_.number(at->number);
        break;
      case Type::kBoolean:
        writer_.boolean(at->integer != 0);
        break;
      case Type::kNull:
        writer_.null();
        break;
    }
    return at + 1;
  }

  void close_finished(const Node* at) {
    while (!open_.empty() && open_.back().end == at) {
      if (open_.back().object) {
        writer_.end_object();
      } else {
        writer_.end_array();
      }
      open_.pop_back();
    }
  }

  Writer& writer_;
  std::vector<OpenContainer> open_;
};

}  // namespace

Writer& Writer::value(Value value) {
  if (!value.exists()) return null();
  if (value.is_string()) return string(value.string_or_empty());
  TapeWriter(*this).write(value);
  return *this;
}

std::string to_text(Value value) {
  std::string text;
  if (value.exists()) Writer(text).value(value);
  return text;
}

}  // namespace dynamo::json
