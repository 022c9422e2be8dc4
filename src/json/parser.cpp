#include "json/parser.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "json/rapidjson_config.hpp"
#include "json/scan.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace dynamo::json {
namespace {

// Numbers come as text: RapidJSON's own conversion to the nearest double is undefined for 0e1.
constexpr unsigned kParseFlags = rapidjson::kParseInsituFlag | rapidjson::kParseIterativeFlag |
                                 rapidjson::kParseNumbersAsStringsFlag |
                                 rapidjson::kParseValidateEncodingFlag;

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
  return power + static_cast<std::int64_t>(point) > static_cast<std::int64_t>(first);
}

// What ends a run of ordinary characters in a string: a quote, a backslash or a control character.
#if defined(__SSE2__)
unsigned special_bytes(__m128i bytes) {
  const __m128i quote = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'));
  const __m128i backslash = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'));
  const __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1F)), bytes);
  return static_cast<unsigned>(
      _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(quote, backslash), control)));
}

__m128i load(const char* from) {
  __m128i bytes;
  std::memcpy(&bytes, from, sizeof bytes);
  return bytes;
}

char* skip_run(char* at) {
  for (;;) {
    const unsigned special = special_bytes(load(at));
    if (special != 0) return at + std::countr_zero(special);
    at += sizeof(__m128i);
  }
}

// Moves a run down from `from` to `to`, which lies before it; sets both behind the run.
void move_run(char*& from, char*& to) {
  for (;;) {
    const __m128i bytes = load(from);
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
bool is_special(char c) {
  return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20;
}

char* skip_run(char* at) {
  while (!is_special(*at)) ++at;
  return at;
}

void move_run(char*& from, char*& to) {
  while (!is_special(*from)) *to++ = *from++;
}
#endif

// The encoding by which RapidJSON reads strings. With kParseValidateEncodingFlag it hands over the
// characters that need no unescaping. The whole text is known to be UTF-8, so they are moved, many
// at a time; the padding behind the text ends the last run.
struct Utf8 : rapidjson::UTF8<> {
  static bool Validate(rapidjson::InsituStringStream& text, rapidjson::InsituStringStream&) {
    if (text.src_ == text.dst_) {
      text.src_ = text.dst_ = skip_run(text.src_);
    } else {
      move_run(text.src_, text.dst_);
    }
    return true;
  }
  // Only compiled: RapidJSON has another way for texts that are not parsed in place.
  template <typename In, typename Out>
  static bool Validate(In&, Out&) {
    return false;
  }

  // RapidJSON refuses the first half of a surrogate pair without the second, but would encode a
  // second half alone into bytes that are not UTF-8. Go reads such an escape as U+FFFD; so does
  // this.
  template <typename Stream>
  static void Encode(Stream& out, unsigned code_point) {
    constexpr unsigned kReplacement = 0xFFFD;
    const bool half = code_point >= 0xDC00 && code_point <= 0xDFFF;
    rapidjson::UTF8<>::Encode(out, half ? kReplacement : code_point);
  }
};

// Receives RapidJSON's events and turns them into tape entries.
class TapeHandler {
 public:
  TapeHandler(std::span<char> text, const ParseOptions& options, Document& document)
      : text_(text), options_(options), builder_(document) {}

  bool Null() {
    return scalar([&] { builder_.null(); });
  }
  bool Bool(bool value) {
    return scalar([&] { builder_.boolean(value); });
  }
  bool RawNumber(const char* text, rapidjson::SizeType length, bool) {
    if (std::exchange(skip_next_, false)) return true;
    next_is_metadata_ = false;
    return number({text, length});
  }
  // Not called: numbers come as text.
  bool Int(int) { return false; }
  bool Uint(unsigned) { return false; }
  bool Int64(std::int64_t) { return false; }
  bool Uint64(std::uint64_t) { return false; }
  bool Double(double) { return false; }
  bool String(const char* text, rapidjson::SizeType length, bool) {
    return scalar([&] { builder_.string({text, length}); });
  }

  bool Key(const char* text, rapidjson::SizeType length, bool) {
    const std::string_view name{text, length};
    if (in_skipped_metadata() && name == "managedFields") return skip_value_after(text + length);
    next_is_metadata_ = options_.skip_managed_fields_at != 0 &&
                        builder_.depth() == options_.skip_managed_fields_at && name == "metadata";
    builder_.key(name);
    return true;
  }

  bool StartObject() {
    if (!enter()) return false;
    if (next_is_metadata_) {
      metadata_depth_ = builder_.depth() + 1;
      next_is_metadata_ = false;
    }
    builder_.start_object();
    return true;
  }
  bool EndObject(rapidjson::SizeType members) {
    if (builder_.depth() == metadata_depth_) {
      members -= skipped_members_;
      skipped_members_ = 0;
      metadata_depth_ = 0;
    }
    builder_.end_object(members);
    return options_.refuse_duplicate_keys ? last_object_has_unique_keys() : true;
  }
  bool StartArray() {
    if (!enter()) return false;
    next_is_metadata_ = false;
    builder_.start_array();
    return true;
  }
  bool EndArray(rapidjson::SizeType elements) {
    builder_.end_array(elements);
    return true;
  }

  // Why this handler stopped the parser, if it did.
  std::optional<ParseError> stopped(std::size_t offset) const {
    if (!stop_) return std::nullopt;
    return ParseError{*stop_, offset, stop_reason_};
  }

 private:
  bool in_skipped_metadata() const {
    return metadata_depth_ != 0 && builder_.depth() == metadata_depth_;
  }

  template <typename Emit>
  bool scalar(Emit emit) {
    next_is_metadata_ = false;
    if (std::exchange(skip_next_, false)) return true;
    emit();
    return true;
  }

  bool number(std::string_view text) {
    const char* const last = text.data() + text.size();
    std::int64_t integer = 0;
    if (const auto read = std::from_chars(text.data(), last, integer);
        read.ec == std::errc{} && read.ptr == last) {
      builder_.integer(integer);
      return true;
    }
    double number = 0;
    if (std::from_chars(text.data(), last, number).ec == std::errc::result_out_of_range) {
      if (is_huge(text)) return stop(ParseFailure::kSyntax, "the number is too big");
      number = 0;
    }
    builder_.number(number);
    return true;
  }

  bool enter() {
    if (builder_.depth() < options_.max_depth) return true;
    return stop(ParseFailure::kTooDeep,
                "nested deeper than " + std::to_string(options_.max_depth) + " levels");
  }

  bool stop(ParseFailure failure, std::string reason) {
    stop_ = failure;
    stop_reason_ = std::move(reason);
    return false;
  }

  // `end_of_name` is the closing quote of "managedFields" in the text. The array behind the colon
  // is blanked out but for one digit, so that the parser runs over it at the speed of a space scan
  // and meets a number that is not emitted. Anything but a closed array becomes a member like any
  // other, so that rules see its type; so does a name written with escapes, whose end is not found
  // here.
  bool skip_value_after(const char* end_of_name) {
    char* at = text_.data() + (end_of_name - text_.data()) + 1;
    char* const end = text_.data() + text_.size();
    at = std::find_if_not(at, end, is_space);
    if (at == end || *at != ':') return keep_managed_fields();
    at = std::find_if_not(at + 1, end, is_space);
    if (at == end || *at != '[') return keep_managed_fields();
    const auto length = find_end_of_container({at, static_cast<std::size_t>(end - at)});
    if (!length) return stop(ParseFailure::kTruncated, "metadata.managedFields is not closed");
    std::memset(at, ' ', *length);
    at[*length - 1] = '0';
    skip_next_ = true;
    ++skipped_members_;
    return true;
  }

  bool keep_managed_fields() {
    builder_.key("managedFields");
    return true;
  }

  static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

  bool last_object_has_unique_keys();

  std::span<char> text_;
  const ParseOptions& options_;
  Builder builder_;
  std::size_t metadata_depth_ = 0;  // depth inside the `metadata` object being read, 0 outside
  rapidjson::SizeType skipped_members_ = 0;
  bool next_is_metadata_ = false;
  bool skip_next_ = false;
  std::vector<std::string_view> names_;
  std::optional<ParseFailure> stop_;
  std::string stop_reason_;
};

std::string_view describe(rapidjson::ParseErrorCode code) {
  switch (code) {
    case rapidjson::kParseErrorDocumentEmpty:
      return "the text is empty";
    case rapidjson::kParseErrorDocumentRootNotSingular:
      return "more text follows the end of the JSON value";
    case rapidjson::kParseErrorValueInvalid:
      return "expected a JSON value";
    case rapidjson::kParseErrorObjectMissName:
      return "expected a member name in double quotes";
    case rapidjson::kParseErrorObjectMissColon:
      return "expected ':' after a member name";
    case rapidjson::kParseErrorObjectMissCommaOrCurlyBracket:
      return "expected ',' or '}' after a member";
    case rapidjson::kParseErrorArrayMissCommaOrSquareBracket:
      return "expected ',' or ']' after an element";
    case rapidjson::kParseErrorStringUnicodeEscapeInvalidHex:
      return "\\u must be followed by four hexadecimal digits";
    case rapidjson::kParseErrorStringUnicodeSurrogateInvalid:
      return "\\u escape is half of a surrogate pair";
    case rapidjson::kParseErrorStringEscapeInvalid:
      return "unknown escape in a string";
    case rapidjson::kParseErrorStringMissQuotationMark:
      return "a string is not closed";
    case rapidjson::kParseErrorNumberTooBig:
      return "the number is too big";
    case rapidjson::kParseErrorNumberMissFraction:
      return "digits must follow the decimal point";
    case rapidjson::kParseErrorNumberMissExponent:
      return "digits must follow the exponent";
    default:
      return "not valid JSON";
  }
}

ParseError syntax_error(rapidjson::ParseErrorCode code, std::size_t offset, std::string_view text) {
  ParseFailure failure = ParseFailure::kSyntax;
  if (code == rapidjson::kParseErrorDocumentEmpty) failure = ParseFailure::kEmpty;
  if (code == rapidjson::kParseErrorDocumentRootNotSingular) failure = ParseFailure::kTrailing;
  if (failure == ParseFailure::kSyntax && offset >= text.size()) {
    return {ParseFailure::kTruncated, text.size(),
            "the text ends before the JSON value is complete"};
  }
  // RapidJSON reports it like an unknown escape.
  if (code == rapidjson::kParseErrorStringEscapeInvalid &&
      static_cast<unsigned char>(text[offset]) < 0x20) {
    return {failure, offset, "a control character in a string must be escaped"};
  }
  return {failure, offset, std::string(describe(code))};
}

}  // namespace

bool TapeHandler::last_object_has_unique_keys() {
  const Value object = builder_.last_closed();
  names_.clear();
  for (const Member member : object.members()) names_.push_back(member.name);
  std::sort(names_.begin(), names_.end());
  const auto twice = std::adjacent_find(names_.begin(), names_.end());
  if (twice == names_.end()) return true;
  return stop(ParseFailure::kDuplicateKey,
              "the key \"" + std::string(*twice) + "\" occurs twice in one object");
}

std::string ParseError::message() const {
  return "byte " + std::to_string(offset) + ": " + reason;
}

struct Parser::Scratch {
  rapidjson::GenericReader<Utf8, Utf8> reader;
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
  TapeHandler handler{text, options, document};
  rapidjson::InsituStringStream stream{text.data()};
  const rapidjson::ParseResult result = scratch_->reader.Parse<kParseFlags>(stream, handler);
  std::optional<ParseError> error;
  if (result.IsError()) {
    const std::size_t offset = std::min(result.Offset(), text.size());
    error = handler.stopped(offset);
    if (!error) error = syntax_error(result.Code(), offset, view);
  } else if (stream.Tell() < text.size()) {
    // RapidJSON takes a zero byte for the end of the text.
    error =
        ParseError{ParseFailure::kTrailing, stream.Tell(), "a zero byte follows the JSON value"};
  }
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
