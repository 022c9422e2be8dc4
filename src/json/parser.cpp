#include "json/parser.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "json/scan.hpp"
#include "json/special_bytes.hpp"

namespace dynamo::json {
namespace {

bool is_space(char c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// The value of a hexadecimal digit, or nothing.
std::optional<unsigned> hex_value(char c) {
  if (is_digit(c)) return static_cast<unsigned>(c - '0');
  const char lower = static_cast<char>(c | 0x20);
  if (lower < 'a' || lower > 'f') return std::nullopt;
  return static_cast<unsigned>(lower - 'a') + 10;
}

bool is_high_surrogate(unsigned code) {
  return code >= 0xD800 && code <= 0xDBFF;
}
bool is_low_surrogate(unsigned code) {
  return code >= 0xDC00 && code <= 0xDFFF;
}

// Writes a code point as UTF-8; returns the end.
char* encode(unsigned code_point, char* to) {
  const auto put = [&](unsigned byte) { *to++ = static_cast<char>(byte); };
  const auto put_rest = [&](unsigned shift) { put(0x80U | ((code_point >> shift) & 0x3FU)); };
  if (code_point < 0x80) {
    put(code_point);
  } else if (code_point < 0x800) {
    put(0xC0U | (code_point >> 6U));
    put_rest(0);
  } else if (code_point < 0x10000) {
    put(0xE0U | (code_point >> 12U));
    put_rest(6);
    put_rest(0);
  } else {
    put(0xF0U | (code_point >> 18U));
    put_rest(12);
    put_rest(6);
    put_rest(0);
  }
  return to;
}

// Whether a JSON number outside of what a double can hold is too big rather than too small: what
// counts is the decimal place of its first digit that is not 0.
bool is_huge(std::string_view number) {
  const std::size_t exponent_at = std::min(number.find_first_of("eE"), number.size());
  const std::string_view digits = number.substr(0, exponent_at);
  const std::size_t point = std::min(digits.find('.'), digits.size());
  const std::size_t first = digits.find_first_of("123456789");
  std::string_view exponent = number.substr(exponent_at);
  if (!exponent.empty()) exponent.remove_prefix(1);
  if (exponent.starts_with('+')) exponent.remove_prefix(1);
  std::int64_t power = 0;
  const auto [end, error] =
      std::from_chars(exponent.data(), exponent.data() + exponent.size(), power);
  if (error == std::errc::result_out_of_range) return !exponent.starts_with('-');
  // More than any number of digits makes up for, and far from the edge of what can be added to.
  constexpr std::int64_t kFar = std::int64_t{1} << 40U;
  power = std::clamp(power, -kFar, kFar);
  return power + static_cast<std::int64_t>(point) > static_cast<std::int64_t>(first);
}

#if defined(__SSE2__)
char* skip_run(char* at) {
  for (;;) {
    const unsigned special = special_bytes(load_block(at));
    if (special != 0) return at + std::countr_zero(special);
    at += sizeof(__m128i);
  }
}

// Moves a run down from `from` to `to`, which lies before it; sets both behind the run.
void move_run(char*& from, char*& to) {
  for (;;) {
    const __m128i bytes = load_block(from);
    const unsigned special = special_bytes(bytes);
    const auto length =
        special == 0 ? sizeof bytes : static_cast<std::size_t>(std::countr_zero(special));
    // What is written beyond the run must not reach what is still to be read.
    if (to + sizeof bytes <= from + length) {
      std::memcpy(to, &bytes, sizeof bytes);
    } else {
      std::memmove(to, from, length);
    }
    from += length;
    to += length;
    if (special != 0) return;
  }
}
#else
char* skip_run(char* at) {
  while (!is_special(*at)) ++at;
  return at;
}

void move_run(char*& from, char*& to) {
  while (!is_special(*from)) *to++ = *from++;
}
#endif

// Reads one text into a document. It looks at each byte before the next one is known to be there:
// the zero byte behind the text is no part of any token and ends each of them.
class Reader {
 public:
  // `open` is scratch memory.
  Reader(std::span<char> text, const ParseOptions& options, std::vector<std::uint32_t>& open,
         Document& document)
      : at_(text.data()),
        first_(text.data()),
        end_(text.data() + text.size()),
        options_(options),
        builder_(document),
        open_(open) {
    open_.clear();
  }

  std::optional<ParseError> read() {
    skip_space();
    if (at_ == end_) {
      return ParseError{ParseFailure::kEmpty, text_size(), "the text is empty"};
    }
    if (!read_values()) return std::move(error_);
    skip_space();
    if (at_ == end_) return std::nullopt;
    return ParseError{ParseFailure::kTrailing, static_cast<std::size_t>(at_ - first_),
                      *at_ == '\0' ? "a zero byte follows the JSON value"
                                   : "more text follows the end of the JSON value"};
  }

 private:
  // What comes next. Containers lie on a stack of our own, so that depth costs no calls.
  enum class Next : unsigned char { kValue, kName, kBehindValue, kFailed };

  bool read_values() {
    Next next = Next::kValue;
    for (;;) {
      if (next == Next::kName) next = read_name();
      if (next == Next::kValue) next = read_value();
      if (next == Next::kFailed) return false;
      if (next != Next::kBehindValue) continue;
      if (open_.empty()) return true;
      next = go_on();
    }
  }

  Next read_value() {
    switch (*at_) {
      case '"':
        return read_text();
      case '{':
        return open_object();
      case '[':
        return open_array();
      case 't':
        return read_word("true", [&] { builder_.boolean(true); });
      case 'f':
        return read_word("false", [&] { builder_.boolean(false); });
      case 'n':
        return read_word("null", [&] { builder_.null(); });
      default:
        return read_number();
    }
  }

  Next open_object() {
    if (!enter()) return Next::kFailed;
    ++at_;
    if (next_is_metadata_) metadata_depth_ = open_.size() + 1;
    next_is_metadata_ = false;
    builder_.start_object();
    open_.push_back(kObject);
    skip_space();
    return *at_ == '}' ? close_object() : Next::kName;
  }

  Next open_array() {
    if (!enter()) return Next::kFailed;
    ++at_;
    next_is_metadata_ = false;
    builder_.start_array();
    open_.push_back(0);
    skip_space();
    return *at_ == ']' ? close_array() : Next::kValue;
  }

  // Behind a value in a container.
  Next go_on() {
    skip_space();
    const bool in_object = (open_.back() & kObject) != 0;
    const char c = *at_;
    if (c == ',') {
      ++at_;
      skip_space();
      return in_object ? Next::kName : Next::kValue;
    }
    if (in_object) {
      return c == '}' ? close_object() : fail("expected ',' or '}' after a member");
    }
    return c == ']' ? close_array() : fail("expected ',' or ']' after an element");
  }

  Next close_object() {
    if (open_.size() == metadata_depth_) metadata_depth_ = 0;
    builder_.end_object(open_.back() / kOne);
    open_.pop_back();
    if (options_.refuse_duplicate_keys && !last_object_has_unique_keys()) return Next::kFailed;
    ++at_;
    return closed();
  }

  Next close_array() {
    builder_.end_array(open_.back() / kOne);
    open_.pop_back();
    ++at_;
    return closed();
  }

  // A container counts where it closes, everything else where it is read.
  Next closed() {
    count_one();
    return Next::kBehindValue;
  }

  void count_one() {
    if (!open_.empty()) open_.back() += kOne;
  }

  Next read_name() {
    if (*at_ != '"') return fail("expected a member name in double quotes");
    const char* const start = at_ + 1;
    std::string_view name;
    if (!read_string(name)) return Next::kFailed;
    if (open_.size() == metadata_depth_ && name == "managedFields" &&
        at_ == start + name.size() + 1) {
      char* const array = managed_fields();
      if (array != nullptr) return skip_managed_fields(array);
    }
    next_is_metadata_ = options_.skip_managed_fields_at == open_.size() && name == "metadata";
    builder_.key(name);
    skip_space();
    if (*at_ != ':') return fail("expected ':' after a member name");
    ++at_;
    skip_space();
    return Next::kValue;
  }

  // The array behind the name, or null when there is something else: that becomes a member like any
  // other, so that rules see its type.
  char* managed_fields() const {
    char* at = at_;
    while (is_space(*at)) ++at;
    if (*at != ':') return nullptr;
    do ++at;
    while (is_space(*at));
    return *at == '[' ? at : nullptr;
  }

  Next skip_managed_fields(char* array) {
    const auto length = find_end_of_container({array, static_cast<std::size_t>(end_ - array)});
    if (!length) {
      return stop(ParseFailure::kTruncated, "metadata.managedFields is not closed");
    }
    at_ = array + *length;
    return Next::kBehindValue;
  }

  Next read_text() {
    std::string_view text;
    if (!read_string(text)) return Next::kFailed;
    builder_.string(text);
    return scalar();
  }

  Next scalar() {
    next_is_metadata_ = false;
    count_one();
    return Next::kBehindValue;
  }

  template <typename Emit>
  Next read_word(std::string_view word, Emit emit) {
    for (const char letter : word) {
      if (*at_ != letter) return fail("expected a JSON value");
      ++at_;
    }
    emit();
    return scalar();
  }

  // From the opening quote to behind the closing one. What is unescaped moves down in its place.
  bool read_string(std::string_view& text) {
    char* const start = ++at_;
    at_ = skip_run(at_);
    if (*at_ == '"') {
      text = {start, static_cast<std::size_t>(at_ - start)};
      ++at_;
      return true;
    }
    char* to = at_;
    while (*at_ != '"') {
      if (*at_ != '\\') {
        fail(*at_ == '\0' ? "a string is not closed"
                          : "a control character in a string must be escaped");
        return false;
      }
      if (!read_escape(to)) return false;
      move_run(at_, to);
    }
    ++at_;
    text = {start, static_cast<std::size_t>(to - start)};
    return true;
  }

  // Errors are told at the backslash.
  bool read_escape(char*& to) {
    char* const backslash = at_++;
    switch (const char c = *at_++; c) {
      case '"':
      case '\\':
      case '/':
        *to++ = c;
        return true;
      case 'b':
        *to++ = '\b';
        return true;
      case 'f':
        *to++ = '\f';
        return true;
      case 'n':
        *to++ = '\n';
        return true;
      case 'r':
        *to++ = '\r';
        return true;
      case 't':
        *to++ = '\t';
        return true;
      case 'u':
        return read_code_point(backslash, to);
      default:
        --at_;
        if (at_ != end_) at_ = backslash;
        fail("unknown escape in a string");
        return false;
    }
  }

  bool read_code_point(char* backslash, char*& to) {
    constexpr unsigned kReplacement = 0xFFFD;
    unsigned code = 0;
    if (!read_hex(backslash, code)) return false;
    if (is_high_surrogate(code)) {
      unsigned low = 0;
      if (at_[0] != '\\' || at_[1] != 'u') return lone_surrogate(backslash);
      at_ += 2;
      if (!read_hex(backslash, low)) return false;
      if (!is_low_surrogate(low)) return lone_surrogate(backslash);
      code = 0x10000 + ((code - 0xD800) << 10U) + (low - 0xDC00);
    } else if (is_low_surrogate(code)) {
      // Go reads the second half of a pair alone so.
      code = kReplacement;
    }
    to = encode(code, to);
    return true;
  }

  bool read_hex(char* backslash, unsigned& code) {
    for (int digit = 0; digit < 4; ++digit) {
      const auto value = hex_value(*at_);
      if (!value) {
        if (at_ != end_) at_ = backslash;
        fail("\\u must be followed by four hexadecimal digits");
        return false;
      }
      code = code * 16 + *value;
      ++at_;
    }
    return true;
  }

  bool lone_surrogate(char* backslash) {
    if (at_ != end_) at_ = backslash;
    fail("\\u escape is half of a surrogate pair");
    return false;
  }

  Next read_number() {
    char* const start = at_;
    const bool negative = *at_ == '-';
    if (negative) ++at_;
    if (!is_digit(*at_)) return fail("expected a JSON value");
    std::uint64_t magnitude = 0;
    if (*at_ == '0') {
      ++at_;
    } else {
      // Wraps for more digits than are taken this way.
      for (; is_digit(*at_); ++at_) magnitude = magnitude * 10 + static_cast<unsigned>(*at_ - '0');
    }
    constexpr std::ptrdiff_t kSurelyFit = 18;
    if (*at_ != '.' && *at_ != 'e' && *at_ != 'E' && at_ - start <= kSurelyFit) {
      const auto value = static_cast<std::int64_t>(magnitude);
      builder_.integer(negative ? -value : value);
      return scalar();
    }
    if (*at_ == '.') {
      ++at_;
      if (!is_digit(*at_)) return fail("digits must follow the decimal point");
      while (is_digit(*at_)) ++at_;
    }
    if (*at_ == 'e' || *at_ == 'E') {
      ++at_;
      if (*at_ == '+' || *at_ == '-') ++at_;
      if (!is_digit(*at_)) return fail("digits must follow the exponent");
      while (is_digit(*at_)) ++at_;
    }
    return convert({start, static_cast<std::size_t>(at_ - start)});
  }

  Next convert(std::string_view text) {
    const char* const last = text.data() + text.size();
    std::int64_t integer = 0;
    if (const auto read = std::from_chars(text.data(), last, integer);
        read.ec == std::errc{} && read.ptr == last) {
      builder_.integer(integer);
      return scalar();
    }
    double number = 0;
    if (std::from_chars(text.data(), last, number).ec == std::errc::result_out_of_range) {
      if (is_huge(text)) {
        at_ -= text.size();
        return stop(ParseFailure::kSyntax, "the number is too big");
      }
      number = 0;
    }
    builder_.number(number);
    return scalar();
  }

  bool enter() {
    if (open_.size() < options_.max_depth) return true;
    stop(ParseFailure::kTooDeep,
         "nested deeper than " + std::to_string(options_.max_depth) + " levels");
    return false;
  }

  bool last_object_has_unique_keys() {
    std::vector<std::string_view> names;
    const Value object = builder_.last_closed();
    names.reserve(object.size());
    for (const Member member : object.members()) names.push_back(member.name);
    std::sort(names.begin(), names.end());
    const auto twice = std::adjacent_find(names.begin(), names.end());
    if (twice == names.end()) return true;
    stop(ParseFailure::kDuplicateKey,
         "the key \"" + std::string(*twice) + "\" occurs twice in one object");
    return false;
  }

  void skip_space() {
    while (is_space(*at_)) ++at_;
  }

  std::size_t text_size() const { return static_cast<std::size_t>(end_ - first_); }

  // What stands at at_ breaks the grammar: where the text ends, because it is cut off.
  Next fail(const char* reason) {
    if (at_ < end_) return stop(ParseFailure::kSyntax, reason);
    at_ = end_;
    return stop(ParseFailure::kTruncated, "the text ends before the JSON value is complete");
  }

  Next stop(ParseFailure failure, std::string reason) {
    error_ = {failure, static_cast<std::size_t>(at_ - first_), std::move(reason)};
    return Next::kFailed;
  }

  // An open container in one word: how many values it has so far, and which of the two it is.
  static constexpr std::uint32_t kObject = 1;
  static constexpr std::uint32_t kOne = 2;

  char* at_;
  char* const first_;
  char* const end_;
  const ParseOptions& options_;
  Builder builder_;
  std::vector<std::uint32_t>& open_;
  std::size_t metadata_depth_ = 0;  // depth inside the `metadata` object being read, 0 outside
  bool next_is_metadata_ = false;
  ParseError error_{};
};

}  // namespace

std::string ParseError::message() const {
  return "byte " + std::to_string(offset) + ": " + reason;
}

struct Parser::Scratch {
  std::vector<std::uint32_t> open;
};

Parser::Parser() : scratch_(std::make_unique<Scratch>()) {}
Parser::~Parser() = default;
Parser::Parser(Parser&&) noexcept = default;
Parser& Parser::operator=(Parser&&) noexcept = default;

std::optional<ParseError> Parser::parse(std::span<char> text, const ParseOptions& options,
                                        Document& document) {
  const std::string_view view{text.data(), text.size()};
  document.clear();
  if (text.size() > kMaxLength) {
    return ParseError{ParseFailure::kTooLarge, 0,
                      "the text is longer than " + std::to_string(kMaxLength) + " bytes"};
  }
  if (const auto offset = find_invalid_utf8(view)) {
    return ParseError{ParseFailure::kEncoding, *offset, "the text is not UTF-8"};
  }
  auto error = Reader{text, options, scratch_->open, document}.read();
  if (error) document.clear();
  return error;
}

std::unique_ptr<ParsedText> parse_copy(std::string_view text, const ParseOptions& options) {
  auto parsed = std::make_unique<ParsedText>();
  parsed->text.reserve(text.size() + kParsePadding);
  parsed->text.assign(text);
  parsed->text.append(kParsePadding, '\0');
  Parser parser;
  parsed->error =
      parser.parse(std::span{parsed->text.data(), text.size()}, options, parsed->document);
  return parsed;
}

}  // namespace dynamo::json
