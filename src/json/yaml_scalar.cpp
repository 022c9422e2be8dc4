#include "json/yaml_scalar.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "json/scan.hpp"
#include "text/base64.hpp"

namespace dynamo::json {
namespace {

using Kind = YamlScalar::Kind;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

struct Word {
  std::string_view text;
  Kind kind;
  bool boolean;
  double number;
};

constexpr double kInfinity = HUGE_VAL;

// Only these spellings count: "yEs" is a string.
constexpr std::array kWords{
    Word{"~", Kind::kNull, false, 0},
    Word{"null", Kind::kNull, false, 0},
    Word{"Null", Kind::kNull, false, 0},
    Word{"NULL", Kind::kNull, false, 0},
    Word{"true", Kind::kBoolean, true, 0},
    Word{"True", Kind::kBoolean, true, 0},
    Word{"TRUE", Kind::kBoolean, true, 0},
    Word{"false", Kind::kBoolean, false, 0},
    Word{"False", Kind::kBoolean, false, 0},
    Word{"FALSE", Kind::kBoolean, false, 0},
    Word{"y", Kind::kBoolean, true, 0},
    Word{"Y", Kind::kBoolean, true, 0},
    Word{"yes", Kind::kBoolean, true, 0},
    Word{"Yes", Kind::kBoolean, true, 0},
    Word{"YES", Kind::kBoolean, true, 0},
    Word{"n", Kind::kBoolean, false, 0},
    Word{"N", Kind::kBoolean, false, 0},
    Word{"no", Kind::kBoolean, false, 0},
    Word{"No", Kind::kBoolean, false, 0},
    Word{"NO", Kind::kBoolean, false, 0},
    Word{"on", Kind::kBoolean, true, 0},
    Word{"On", Kind::kBoolean, true, 0},
    Word{"ON", Kind::kBoolean, true, 0},
    Word{"off", Kind::kBoolean, false, 0},
    Word{"Off", Kind::kBoolean, false, 0},
    Word{"OFF", Kind::kBoolean, false, 0},
    Word{".inf", Kind::kFloat, false, kInfinity},
    Word{".Inf", Kind::kFloat, false, kInfinity},
    Word{".INF", Kind::kFloat, false, kInfinity},
    Word{"+.inf", Kind::kFloat, false, kInfinity},
    Word{"+.Inf", Kind::kFloat, false, kInfinity},
    Word{"+.INF", Kind::kFloat, false, kInfinity},
    Word{"-.inf", Kind::kFloat, false, -kInfinity},
    Word{"-.Inf", Kind::kFloat, false, -kInfinity},
    Word{"-.INF", Kind::kFloat, false, -kInfinity},
    Word{".nan", Kind::kFloat, false, NAN},
    Word{".NaN", Kind::kFloat, false, NAN},
    Word{".NAN", Kind::kFloat, false, NAN},
};
constexpr std::size_t kLongestWord = 5;
constexpr std::string_view kFirstOfWord = "~nNtTfFyYoO.+-";

std::optional<YamlScalar> resolve_word(std::string_view text) {
  if (text.size() > kLongestWord) return std::nullopt;
  for (const Word& word : kWords) {
    if (word.text != text) continue;
    YamlScalar scalar;
    scalar.kind = word.kind;
    scalar.boolean = word.boolean;
    scalar.number = word.number;
    return scalar;
  }
  return std::nullopt;
}

// The digits of 0x1F, 0o17, 0b101 and 017, and their base. A prefix alone ("0x") is not a number.
std::string_view split_base(std::string_view digits, int& base) {
  base = 10;
  if (digits.size() < 2 || digits.front() != '0') return digits;
  base = 8;
  switch (digits[1]) {
    case 'x':
    case 'X':
      base = 16;
      return digits.substr(2);
    case 'b':
    case 'B':
      base = 2;
      return digits.substr(2);
    case 'o':
    case 'O':
      return digits.substr(2);
    default:
      return digits.substr(1);
  }
}

std::optional<YamlScalar> resolve_integer(std::string_view text) {
  std::string_view digits = text;
  const bool negative = digits.front() == '-';
  const bool has_sign = negative || digits.front() == '+';
  if (has_sign) digits.remove_prefix(1);
  if (digits.empty() || !is_digit(digits.front())) return std::nullopt;
  int base = 10;
  digits = split_base(digits, base);
  std::uint64_t magnitude = 0;
  const char* const last = digits.data() + digits.size();
  const auto [end, error] = std::from_chars(digits.data(), last, magnitude, base);
  if (error != std::errc{} || end != last) return std::nullopt;
  YamlScalar scalar;
  constexpr std::uint64_t kHighest = INT64_MAX;
  if (magnitude <= kHighest + (negative ? 1 : 0)) {
    scalar.kind = Kind::kInteger;
    scalar.integer = static_cast<std::int64_t>(negative ? std::uint64_t{0} - magnitude : magnitude);
    return scalar;
  }
  // A decimal number with a sign that exceeds 64 bits is read as floating-point.
  if (has_sign) return std::nullopt;
  scalar.kind = Kind::kUnsigned;
  scalar.unsigned_integer = magnitude;
  return scalar;
}

std::size_t count_digits(std::string_view text) {
  return std::min(text.find_first_not_of("0123456789"), text.size());
}

// [-+]? ( .d+ | d+ (. d*)? ) ([eE] [-+]? d+)?
bool looks_like_float(std::string_view text) {
  if (text.front() == '-' || text.front() == '+') text.remove_prefix(1);
  const std::size_t whole = count_digits(text);
  text.remove_prefix(whole);
  if (!text.empty() && text.front() == '.') {
    text.remove_prefix(1);
    const std::size_t fraction = count_digits(text);
    if (whole + fraction == 0) return false;
    text.remove_prefix(fraction);
  } else if (whole == 0) {
    return false;
  }
  if (text.empty()) return true;
  if (text.front() != 'e' && text.front() != 'E') return false;
  text.remove_prefix(1);
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  return !text.empty() && count_digits(text) == text.size();
}

std::optional<YamlScalar> resolve_float(std::string_view text) {
  if (!looks_like_float(text)) return std::nullopt;
  if (text.front() == '+') text.remove_prefix(1);
  YamlScalar scalar;
  scalar.kind = Kind::kFloat;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), scalar.number);
  if (result.ec == std::errc::result_out_of_range) {
    // from_chars does not report the direction: too small becomes 0, too large stays a string.
    const double value = std::strtod(std::string(text).c_str(), nullptr);
    if (!std::isfinite(value)) return std::nullopt;
    scalar.number = value;
  }
  return scalar;
}

std::optional<YamlScalar> resolve_number(std::string_view text) {
  if (auto integer = resolve_integer(text)) return integer;
  return resolve_float(text);
}

YamlScalar string_scalar() {
  YamlScalar scalar;
  scalar.kind = Kind::kString;
  return scalar;
}

}  // namespace

YamlTag yaml_tag(std::string_view name) {
  constexpr std::string_view kPrefix = "tag:yaml.org,2002:";
  if (name == "?" || name.empty()) return YamlTag::kNone;
  if (!name.starts_with(kPrefix)) return YamlTag::kString;
  name.remove_prefix(kPrefix.size());
  if (name == "int") return YamlTag::kInteger;
  if (name == "float") return YamlTag::kFloat;
  if (name == "bool") return YamlTag::kBoolean;
  if (name == "null") return YamlTag::kNull;
  if (name == "binary") return YamlTag::kBinary;
  if (name == "merge") return YamlTag::kMerge;
  if (name == "timestamp") return YamlTag::kTimestamp;
  return YamlTag::kString;
}

std::string_view yaml_tag_name(YamlTag tag) {
  switch (tag) {
    case YamlTag::kNone:
      return "no tag";
    case YamlTag::kString:
      return "!!str";
    case YamlTag::kInteger:
      return "!!int";
    case YamlTag::kFloat:
      return "!!float";
    case YamlTag::kBoolean:
      return "!!bool";
    case YamlTag::kNull:
      return "!!null";
    case YamlTag::kBinary:
      return "!!binary";
    case YamlTag::kMerge:
      return "!!merge";
    case YamlTag::kTimestamp:
      return "!!timestamp";
  }
  return "!!str";
}

namespace {

// Removes up to `most` digits from the front; true if there were at least `least`.
bool take_digits(std::string_view& text, std::size_t least, std::size_t most) {
  const std::size_t digits = std::min(count_digits(text), most);
  text.remove_prefix(digits);
  return digits >= least;
}

bool take(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

// The forms that Go's reader accepts: 2001-12-14, 2001-12-14 21:59:43.1, or 2001-12-14T21:59:43.1Z
// with a zone.
bool looks_like_time(std::string_view text) {
  constexpr std::size_t kAny = 32;
  if (!take_digits(text, 4, 4) || !take(text, '-') || !take_digits(text, 1, 2) ||
      !take(text, '-') || !take_digits(text, 1, 2)) {
    return false;
  }
  if (text.empty()) return true;
  const bool has_zone = text.front() != ' ';
  if (!take(text, 'T') && !take(text, 't') && !take(text, ' ')) return false;
  if (!take_digits(text, 1, 2) || !take(text, ':') || !take_digits(text, 1, 2) ||
      !take(text, ':') || !take_digits(text, 1, 2)) {
    return false;
  }
  if (take(text, '.') && !take_digits(text, 1, kAny)) return false;
  if (!has_zone || take(text, 'Z')) return text.empty();
  if (!take(text, '+') && !take(text, '-')) return false;
  return take_digits(text, 2, 2) && take(text, ':') && take_digits(text, 2, 2) && text.empty();
}

// Precondition: the text does not begin with an underscore.
bool underscores_part_digits(std::string_view text) {
  assert(!text.starts_with('_'));
  for (std::size_t at = text.find('_'); at != std::string_view::npos; at = text.find('_', at + 1)) {
    if (at + 1 == text.size() || !is_digit(text[at - 1]) || !is_digit(text[at + 1])) {
      return false;
    }
  }
  return true;
}

}  // namespace

YamlScalar resolve_plain(std::string_view text) {
  if (text.empty()) return YamlScalar{};
  const char first = text.front();
  const bool maybe_number = is_digit(first) || first == '-' || first == '+' || first == '.';
  if (!maybe_number && kFirstOfWord.find(first) == std::string_view::npos) return string_scalar();
  if (!is_digit(first)) {
    if (const auto word = resolve_word(text)) return *word;
  }
  if (!maybe_number) return string_scalar();
  // Underscores may group the digits; after a leading point they must be between digits.
  if (text.find('_') != std::string_view::npos) {
    if (first == '.' && !underscores_part_digits(text)) return string_scalar();
    std::string digits{text};
    std::erase(digits, '_');
    return resolve_number(digits).value_or(string_scalar());
  }
  return resolve_number(text).value_or(string_scalar());
}

std::optional<YamlScalar> resolve_tagged(std::string_view text, YamlTag tag) {
  YamlScalar scalar = resolve_plain(text);
  switch (tag) {
    case YamlTag::kNone:
      return scalar;
    case YamlTag::kString:
    case YamlTag::kBinary:
    case YamlTag::kMerge:
      return string_scalar();
    case YamlTag::kTimestamp:
      if (looks_like_time(text)) return string_scalar();
      return std::nullopt;
    case YamlTag::kInteger:
      if (scalar.kind == Kind::kInteger || scalar.kind == Kind::kUnsigned) return scalar;
      return std::nullopt;
    case YamlTag::kFloat:
      if (scalar.kind == Kind::kString || scalar.kind == Kind::kNull ||
          scalar.kind == Kind::kBoolean) {
        return std::nullopt;
      }
      return scalar;
    case YamlTag::kBoolean:
      if (scalar.kind == Kind::kBoolean) return scalar;
      return std::nullopt;
    case YamlTag::kNull:
      if (scalar.kind == Kind::kNull) return scalar;
      return std::nullopt;
  }
  return std::nullopt;
}

namespace {

// In single precision, and in scientific notation from a million on, like Go's converter.
std::string float_key(double number) {
  if (std::isnan(number)) return ".nan";
  const auto value = static_cast<float>(number);
  if (std::isinf(value)) return value < 0 ? "-.inf" : ".inf";
  std::array<char, 32> text{};
  const float magnitude = std::abs(value);
  const bool scientific = magnitude != 0 && (magnitude < 1e-4F || magnitude >= 1e6F);
  const auto format = scientific ? std::chars_format::scientific : std::chars_format::fixed;
  const auto result = std::to_chars(text.data(), text.data() + text.size(), value, format);
  return {text.data(), result.ptr};
}

}  // namespace

std::optional<std::string> key_text(const YamlScalar& key) {
  switch (key.kind) {
    case Kind::kBoolean:
      return key.boolean ? "true" : "false";
    case Kind::kInteger:
      return std::to_string(key.integer);
    case Kind::kFloat:
      return float_key(key.number);
    case Kind::kNull:
    case Kind::kUnsigned:
    case Kind::kString:
      return std::nullopt;
  }
  return std::nullopt;
}

namespace {

std::string replace_invalid_utf8(std::string_view bytes) {
  std::string text;
  while (const auto invalid = find_invalid_utf8(bytes)) {
    text += bytes.substr(0, *invalid);
    text += "\xEF\xBF\xBD";  // U+FFFD
    bytes.remove_prefix(*invalid + 1);
  }
  text += bytes;
  return text;
}

}  // namespace

std::optional<std::string> decode_binary(std::string_view text) {
  const auto bytes = text::decode_base64(text, text::Base64Blanks::kLineBreaks);
  if (!bytes) return std::nullopt;
  return replace_invalid_utf8(*bytes);
}

}  // namespace dynamo::json
