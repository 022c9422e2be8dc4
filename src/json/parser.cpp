#include "json/parser.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "json/code_point.hpp"
#include "json/repeated_containers.hpp"
#include "json/scan.hpp"
#include "json/special_bytes.hpp"

namespace dynamo::json {
namespace {

// The API server sends no spaces, so one comparison excludes all four first.
bool is_space(char c) {
  if (static_cast<unsigned char>(c) > ' ') return false;
  return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// The value of a hexadecimal digit, or nullopt.
std::optional<unsigned> hex_value(char c) {
  if (is_digit(c)) return static_cast<unsigned>(c - '0');
  const char lower = static_cast<char>(c | 0x20);
  if (lower < 'a' || lower > 'f') return std::nullopt;
  return static_cast<unsigned>(lower - 'a') + 10;
}

// Whether a JSON number outside the range of double is too large rather than too small: decided by
// the decimal place of its first nonzero digit.
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
  // More than any number of digits can offset, and small enough to add to without overflow.
  constexpr std::int64_t kFar = std::int64_t{1} << 40U;
  power = std::clamp(power, -kFar, kFar);
  return power + static_cast<std::int64_t>(point) > static_cast<std::int64_t>(first);
}

// The character for the letter after a backslash; 0 for 'u', invalid escapes and rare_escape().
constexpr std::array<char, 256> kEscapes = [] {
  std::array<char, 256> escapes{};
  escapes['"'] = '"';
  escapes['\\'] = '\\';
  escapes['/'] = '/';
  escapes['n'] = '\n';
  escapes['t'] = '\t';
  return escapes;
}();

// Control characters that are not plain; on the slow path, so that others need no test.
constexpr char rare_escape(char letter) {
  switch (letter) {
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'r':
      return '\r';
    default:
      return '\0';
  }
}

#if defined(__SSE2__)
char* skip_run(char* at) {
  for (;;) {
    const unsigned special = special_bytes(load_block(at));
    if (special != 0) return at + std::countr_zero(special);
    at += sizeof(__m128i);
  }
}

// Moves the run at `from` down to `to`, which is before it; returns its length.
std::size_t move_run(const char* from, char* to) {
  for (std::size_t moved = 0;; moved += sizeof(__m128i)) {
    const __m128i bytes = load_block(from + moved);
    const unsigned special = special_bytes(bytes);
    // The whole block if it has no special byte.
    const auto length = static_cast<std::size_t>(std::countr_zero(special | 0x10000U));
    // Bytes written after the run must not overwrite unread input.
    if (to + sizeof bytes <= from + length) {
      std::memcpy(to + moved, &bytes, sizeof bytes);
    } else {
      std::memmove(to + moved, from + moved, length);
    }
    if (special != 0) return moved + length;
  }
}

// Moves text from `from` down to `to`, runs and one-letter escapes, while a whole block fits
// between the two: then each block is written exactly as read, without computing how much of it
// counts. Stops at the first other special byte. An annotation that contains an object as text,
// such as kubectl's last-applied-configuration, has an escape every few bytes.
void move_escaped(char*& from, char*& to) {
  char* at = from;
  char* end = to;
  while (at - end >= static_cast<std::ptrdiff_t>(sizeof(__m128i))) {
    const __m128i bytes = load_block(at);
    std::memcpy(end, &bytes, sizeof bytes);
    const unsigned special = special_bytes(bytes);
    const int length = std::countr_zero(special | 0x10000U);
    at += length;
    end += length;
    if (special == 0) continue;
    if (*at != '\\') break;
    const char letter = kEscapes[static_cast<unsigned char>(at[1])];
    if (letter == '\0') break;
    *end++ = letter;
    at += 2;
  }
  from = at;
  to = end;
}
#else
char* skip_run(char* at) {
  while (!is_special(*at)) ++at;
  return at;
}

std::size_t move_run(const char* from, char* to) {
  std::size_t moved = 0;
  for (; !is_special(from[moved]); ++moved) to[moved] = from[moved];
  return moved;
}

void move_escaped(char*&, char*&) {}  // move_run() does it
#endif

constexpr std::string_view kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";

// A container that is still open. Without initializers, so that an unused stack costs nothing: most
// texts are small and shallow.
struct OpenContainer {
  std::uint32_t node;  // its position on the tape
  bool is_object;
  std::uint32_t count;    // values so far
  std::uint64_t classes;  // union of the name classes so far
};

// Memory for the stack of open containers.
class OpenContainers {
 public:
  OpenContainer* make_room(std::size_t levels) {
    if (size_ < levels) {
      open_ = std::make_unique_for_overwrite<OpenContainer[]>(levels);
      size_ = levels;
    }
    return open_.get();
  }

 private:
  std::unique_ptr<OpenContainer[]> open_;
  std::size_t size_ = 0;
};

// Reads one text into a document. It reads each byte without a bounds check: the zero byte after
// the text is part of no token and ends every one.
//
// The read position `at` is passed from function to function: as a member it would be stored and
// reloaded for every byte.
class Reader {
 public:
  // `open` and `repeated` are scratch memory.
  Reader(std::span<char> text, const ParseOptions& options, OpenContainers& open,
         RepeatedContainers& repeated, Document& document, bool is_plain)
      : first_(text.data()),
        end_(text.data() + text.size()),
        options_(options),
        repeated_(repeated),
        builder_(document),
        is_plain_(is_plain) {
    // One per level, plus one for the text itself, so that every value has a container.
    const std::size_t levels = std::min(options.max_depth, text.size());
    outermost_ = innermost_ = open.make_room(levels + 1);
    *outermost_ = {};
    deepest_ = outermost_ + levels;
    const std::size_t skip_at = options.skip_managed_fields_at;
    if (skip_at > 0 && skip_at <= levels) parent_of_metadata_ = outermost_ + skip_at;
    if (options.is_admission_review && parent_of_metadata_ != nullptr) {
      request_ = parent_of_metadata_ - 1;
      repeated_.clear();
    }
    // A value or a name takes at least two bytes, including its separator. Only open containers and
    // the outermost value take one.
    builder_.expect_at_most(text.size() / 2 + levels + 1);
  }

  std::optional<ParseError> read() {
    char* at = skip_space(first_);
    if (at == end_) {
      return ParseError{ParseFailure::kEmpty, text_size(), "the text is empty"};
    }
    at = read_values(at);
    if (at == nullptr) return std::move(error_);
    at = skip_space(at);
    if (at == end_) {
      builder_.set_is_plain(is_plain_);
      return std::nullopt;
    }
    return ParseError{ParseFailure::kTrailing, static_cast<std::size_t>(at - first_),
                      *at == '\0' ? "a zero byte follows the JSON value"
                                  : "more text follows the end of the JSON value"};
  }

 private:
  // The next token and its position. Open containers are on an explicit stack, so that depth needs
  // no recursion.
  enum class TokenKind : unsigned char { kValue, kName, kBehindValue, kFailed };
  struct Step {
    char* at;
    TokenKind next;
  };

  // Returns the end of the outermost value, null after an error.
  char* read_values(char* at) {
    Step step{at, TokenKind::kValue};
    for (;;) {
      if (step.next == TokenKind::kName) step = read_name(step.at);
      if (step.next == TokenKind::kValue) step = read_value(step.at);
      if (step.next == TokenKind::kFailed) return nullptr;
      if (step.next != TokenKind::kBehindValue) continue;
      if (innermost_ == outermost_) return step.at;
      step = go_on(step.at);
    }
  }

  Step read_value(char* at) {
    switch (*at) {
      case '"':
        return read_text(at);
      case '{':
      case '[':
        return open_container(at);
      case 't':
        return read_word(at, "true", [&] { builder_.boolean(true); });
      case 'f':
        return read_word(at, "false", [&] { builder_.boolean(false); });
      case 'n':
        return read_word(at, "null", [&] { builder_.null(); });
      default:
        return read_number(at);
    }
  }

  Step open_container(char* at) {
    if (innermost_ == deepest_) return too_deep(at);
    const bool is_object = *at == '{';
    if (side_ != Side::kNeither && is_compared(innermost_ + 1)) {
      const std::string_view name = innermost_->is_object ? builder_.last_key() : "";
      const std::size_t level = level_of(innermost_ + 1);
      if (side_ == Side::kObject) {
        repeated_.open(level, name, at, builder_.position(), unescaped_);
      } else if (const auto* const found = repeated_.find(level, name, at, end_)) {
        builder_.repeat(found->node);
        return behind_value(at + found->length);
      }
    }
    *++innermost_ = {builder_.start(is_object ? Type::kObject : Type::kArray), is_object, 0, 0};
    at = skip_space(at + 1);
    if (*at == (is_object ? '}' : ']')) return {at, TokenKind::kBehindValue};
    return {at, is_object ? TokenKind::kName : TokenKind::kValue};
  }

  // After a value in a container, or at the end of an empty one.
  Step go_on(char* at) {
    at = skip_space(at);
    const bool in_object = innermost_->is_object;
    if (*at == ',') return {skip_space(at + 1), in_object ? TokenKind::kName : TokenKind::kValue};
    if (*at == (in_object ? '}' : ']')) return close_container(at);
    return fail(at, in_object ? "expected ',' or '}' after a member"
                              : "expected ',' or ']' after an element");
  }

  Step close_container(char* at) {
    if (innermost_ == metadata_) metadata_ = nullptr;
    if (innermost_ == annotations_) annotations_ = nullptr;
    if (side_ == Side::kObject && is_compared(innermost_)) {
      repeated_.close(level_of(innermost_), at + 1, unescaped_);
    }
    builder_.end(innermost_->node, innermost_->count, innermost_->classes);
    const bool is_object = innermost_->is_object;
    --innermost_;
    if (is_object && options_.refuse_duplicate_keys && !last_object_has_unique_keys(at)) {
      return {nullptr, TokenKind::kFailed};
    }
    return behind_value(at + 1);
  }

  // A container is counted when it closes, every other value when it is read.
  Step behind_value(char* at) {
    ++innermost_->count;
    return {at, TokenKind::kBehindValue};
  }

  Step read_name(char* at) {
    if (*at != '"') return fail(at, "expected a member name in double quotes");
    const char* const start = at + 1;
    std::string_view name;
    if (!read_string(at, name)) return {nullptr, TokenKind::kFailed};
    if (innermost_ == metadata_ && name == "managedFields" && at == start + name.size() + 1) {
      char* const array = managed_fields(at);
      if (array != nullptr) return skip_managed_fields(at, array);
    }
    if (innermost_ == annotations_ && name == kLastApplied) {
      if (char* const end = end_of_text_value(at)) return {end, TokenKind::kBehindValue};
    }
    if (innermost_ == request_ && options_.copy_repeated) side_ = side_of(name);
    builder_.key(name);
    innermost_->classes |= name_class(name);
    at = skip_space(at);
    if (*at != ':') return fail(at, "expected ':' after a member name");
    at = skip_space(at + 1);
    if (innermost_ == parent_of_metadata_ && *at == '{' && name == "metadata") {
      metadata_ = innermost_ + 1;
    }
    if (innermost_ == metadata_ && request_ != nullptr && *at == '{' && name == "annotations") {
      annotations_ = innermost_ + 1;
    }
    return {at, TokenKind::kValue};
  }

  // The end of the string after the name, null for any other value and for an unclosed string.
  char* end_of_text_value(char* at) const {
    at = skip_space(at);
    if (*at != ':') return nullptr;
    at = skip_space(at + 1);
    if (*at != '"') return nullptr;
    const auto length = find_end_of_string({at, static_cast<std::size_t>(end_ - at)});
    return length ? at + *length : nullptr;
  }

  // The object of the review that is being read.
  enum class Side : unsigned char { kNeither, kObject, kOldObject };
  static Side side_of(std::string_view name) {
    if (name == "object") return Side::kObject;
    return name == "oldObject" ? Side::kOldObject : Side::kNeither;
  }

  // Whether RepeatedContainers has the level of a container of `object` or `oldObject`.
  bool is_compared(const OpenContainer* container) const {
    const std::ptrdiff_t below = container - parent_of_metadata_;
    return below >= 1 && below <= static_cast<std::ptrdiff_t>(RepeatedContainers::kLevels);
  }
  std::size_t level_of(const OpenContainer* container) const {
    return static_cast<std::size_t>(container - parent_of_metadata_) - 1;
  }

  // The array after the name, or null for any other value: that becomes a normal member, so that
  // rules see its type.
  static char* managed_fields(char* at) {
    at = skip_space(at);
    if (*at != ':') return nullptr;
    at = skip_space(at + 1);
    return *at == '[' ? at : nullptr;
  }

  Step skip_managed_fields(char* at, char* array) {
    const auto length = find_end_of_container({array, static_cast<std::size_t>(end_ - array)});
    if (!length) {
      return stop(at, ParseFailure::kTruncated, "metadata.managedFields is not closed");
    }
    return {array + *length, TokenKind::kBehindValue};
  }

  Step read_text(char* at) {
    std::string_view text;
    if (!read_string(at, text)) return {nullptr, TokenKind::kFailed};
    builder_.string(text);
    return behind_value(at);
  }

  template <typename Emit>
  Step read_word(char* at, std::string_view word, Emit emit) {
    for (const char letter : word) {
      if (*at != letter) return fail(at, "expected a JSON value");
      ++at;
    }
    emit();
    return behind_value(at);
  }

  // From the opening quote to after the closing one. Inlined, so that `at` stays in its register:
  // most strings are short and have no escapes.
  [[gnu::always_inline]] bool read_string(char*& at, std::string_view& text) {
    char* const start = at + 1;
    char* quote = skip_run(start);
    const char* text_end = quote;
    if (*quote != '"') {
      const UnescapedString unescaped = unescape(quote);
      if (unescaped.quote == nullptr) return false;
      quote = unescaped.quote;
      text_end = unescaped.text_end;
    }
    text = {start, static_cast<std::size_t>(text_end - start)};
    at = quote + 1;
    return true;
  }

  // The closing quote, null after an error; and the end of the unescaped text.
  struct UnescapedString {
    char* quote;
    char* text_end;
  };

  // As Document::is_plain() has it.
  static bool is_plain(unsigned code_point) {
    return (code_point >= 0x20 && code_point < 0x7F) || code_point == '\t' || code_point == '\n';
  }

  static const char* why_not_in_string(char c) {
    if (c == '\0') return "a string is not closed";
    if (c == '\n' || c == '\r') {
      return "a string is not closed in its line; a line break in it must be written \\n";
    }
    return "a control character in a string must be escaped";
  }

  // Starts at the first byte that cannot be kept in place; unescaped text moves down over it.
  UnescapedString unescape(char* at) {
    ++unescaped_;
    char* to = at;
    while (*at != '"') {
      if (*at != '\\') {
        fail(at, why_not_in_string(*at));
        return {};
      }
      if (const char c = kEscapes[static_cast<unsigned char>(at[1])]; c != '\0') {
        *to++ = c;
        at += 2;
      } else if (const char rare = rare_escape(at[1]); rare != '\0') {
        is_plain_ = false;
        *to++ = rare;
        at += 2;
      } else {
        unsigned code_point = 0;
        at = read_code_point(at, code_point);
        if (at == nullptr) return {};
        is_plain_ = is_plain_ && is_plain(code_point);
        to = encode(code_point, to);
      }
      const std::size_t length = move_run(at, to);
      at += length;
      to += length;
      move_escaped(at, to);
    }
    return {at, to};
  }

  // Reads from the backslash to after "\uXXXX", or after both of a surrogate pair. Returns null
  // after an error, which is reported at the backslash. Precondition: `code` is 0.
  char* read_code_point(char* backslash, unsigned& code) {
    constexpr unsigned kReplacement = 0xFFFD;
    char* at = backslash + 1;
    if (*at != 'u') return bad_escape(backslash, at, "unknown escape in a string");
    ++at;
    if (!read_hex(at, code)) return bad_hex(backslash, at);
    if (is_high_surrogate(code)) {
      constexpr const char* kLone = "\\u escape is half of a surrogate pair";
      unsigned low = 0;
      if (at[0] != '\\' || at[1] != 'u') return bad_escape(backslash, at, kLone);
      at += 2;
      if (!read_hex(at, low)) return bad_hex(backslash, at);
      if (!is_low_surrogate(low)) return bad_escape(backslash, at, kLone);
      code = 0x10000 + ((code - 0xD800) << 10U) + (low - 0xDC00);
    } else if (is_low_surrogate(code)) {
      // Go replaces a lone low surrogate the same way.
      code = kReplacement;
    }
    return at;
  }

  // Stops at the first byte that is not a hexadecimal digit.
  static bool read_hex(char*& at, unsigned& code) {
    for (int digit = 0; digit < 4; ++digit, ++at) {
      const auto value = hex_value(*at);
      if (!value) return false;
      code = code * 16 + *value;
    }
    return true;
  }

  char* bad_hex(char* backslash, char* at) {
    return bad_escape(backslash, at, "\\u must be followed by four hexadecimal digits");
  }

  // `at` is where the error was noticed, possibly the end of the text.
  char* bad_escape(char* backslash, char* at, const char* reason) {
    fail(at == end_ ? at : backslash, reason);
    return nullptr;
  }

  Step read_number(char* at) {
    char* const start = at;
    const bool negative = *at == '-';
    if (negative) ++at;
    if (!is_digit(*at)) return fail(at, "expected a JSON value");
    std::uint64_t magnitude = 0;
    if (*at == '0') {
      ++at;
    } else {
      // Overflows for many digits, which are not parsed this way.
      for (; is_digit(*at); ++at) magnitude = magnitude * 10 + static_cast<unsigned>(*at - '0');
    }
    constexpr std::ptrdiff_t kSurelyFit = 18;
    if (*at != '.' && *at != 'e' && *at != 'E' && at - start <= kSurelyFit) {
      const auto value = static_cast<std::int64_t>(magnitude);
      builder_.integer(negative ? -value : value);
      return behind_value(at);
    }
    if (*at == '.') {
      ++at;
      if (!is_digit(*at)) return fail(at, "digits must follow the decimal point");
      while (is_digit(*at)) ++at;
    }
    if (*at == 'e' || *at == 'E') {
      ++at;
      if (*at == '+' || *at == '-') ++at;
      if (!is_digit(*at)) return fail(at, "digits must follow the exponent");
      while (is_digit(*at)) ++at;
    }
    return convert(start, at);
  }

  Step convert(char* start, char* end) {
    std::int64_t integer = 0;
    if (const auto read = std::from_chars(start, end, integer);
        read.ec == std::errc{} && read.ptr == end) {
      builder_.integer(integer);
      return behind_value(end);
    }
    double number = 0;
    if (std::from_chars(start, end, number).ec == std::errc::result_out_of_range) {
      if (is_huge({start, static_cast<std::size_t>(end - start)})) {
        return stop(start, ParseFailure::kSyntax, "the number is too big");
      }
      number = 0;
    }
    builder_.number(number);
    return behind_value(end);
  }

  bool last_object_has_unique_keys(const char* at) {
    std::vector<std::string_view> names;
    const Value object = builder_.last_closed();
    names.reserve(object.size());
    for (const Member member : object.members()) names.push_back(member.name);
    std::sort(names.begin(), names.end());
    const auto twice = std::adjacent_find(names.begin(), names.end());
    if (twice == names.end()) return true;
    stop(at, ParseFailure::kDuplicateKey,
         "the key \"" + std::string(*twice) + "\" occurs twice in one object");
    return false;
  }

  static char* skip_space(char* at) {
    while (is_space(*at)) ++at;
    return at;
  }

  std::size_t text_size() const { return static_cast<std::size_t>(end_ - first_); }

  // Reports the text at `at` as a syntax error, or as truncated if it is the end.
  [[gnu::cold]] Step fail(const char* at, const char* reason) {
    if (at < end_) return stop(at, ParseFailure::kSyntax, reason);
    return stop(end_, ParseFailure::kTruncated, "the text ends before the JSON value is complete");
  }

  Step too_deep(const char* at) {
    return stop(at, ParseFailure::kTooDeep,
                "nested deeper than " + std::to_string(options_.max_depth) + " levels");
  }

  Step stop(const char* at, ParseFailure failure, std::string reason) {
    error_ = {failure, static_cast<std::size_t>(at - first_), std::move(reason)};
    return {nullptr, TokenKind::kFailed};
  }

  char* const first_;
  char* const end_;
  const ParseOptions& options_;
  RepeatedContainers& repeated_;
  Builder builder_;
  bool is_plain_;  // all texts so far, including unescaped ones
  // The stack has one slot per level.
  OpenContainer* outermost_;
  OpenContainer* innermost_;
  const OpenContainer* deepest_;
  // managedFields is skipped in a `metadata` object inside this container; null: not skipped. And
  // that object while it is being read.
  const OpenContainer* parent_of_metadata_ = nullptr;
  const OpenContainer* metadata_ = nullptr;
  // For an AdmissionReview: its request, and the annotations of the metadata.
  const OpenContainer* request_ = nullptr;
  const OpenContainer* annotations_ = nullptr;
  Side side_ = Side::kNeither;
  std::uint32_t unescaped_ = 0;  // strings with escapes so far
  ParseError error_{};
};

}  // namespace

std::string ParseError::message() const {
  return "byte " + std::to_string(offset) + ": " + reason;
}

struct Parser::Scratch {
  OpenContainers open;
  RepeatedContainers repeated;
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
  bool is_plain = true;
  if (const auto offset = find_invalid_utf8(view, is_plain)) {
    return ParseError{ParseFailure::kEncoding, *offset, "the text is not UTF-8"};
  }
  auto error = Reader{text, options, scratch_->open, scratch_->repeated, document, is_plain}.read();
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
