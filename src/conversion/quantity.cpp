#include "conversion/quantity.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>

namespace dynamo::conversion {

namespace {

__extension__ using Wide = unsigned __int128;

enum class Notation : std::uint8_t { kDecimal, kBinary, kExponent };

// Digits and the power of ten by which to multiply them.
struct Digits {
  Wide value = 0;
  int exponent = 0;
  bool has_rest = false;  // further digits, which only round the value up
};

// A quantity is at most 2^63-1, so its billionths fit into 128 bits. Go does not limit decimal
// numbers of up to 18 digits: these have their digits in `exact`.
struct Quantity {
  bool negative = false;
  Wide nano = 0;
  Notation notation = Notation::kDecimal;
  std::optional<Digits> exact;
};

constexpr int kNanoDigits = 9;
constexpr int kMaxExponent = 10'000;
constexpr std::size_t kShort = 18;  // digits that Go keeps in 64 bits, without a limit of the value
constexpr Wide kNano = 1'000'000'000;
constexpr Wide kMaxNano = Wide{std::numeric_limits<std::int64_t>::max()} * kNano;
constexpr std::string_view kSuffixes = "numkMGTPE";  // without the empty one, before k
constexpr std::string_view kBinarySuffixes = "KMGTPE";

struct Scale {
  Notation notation = Notation::kDecimal;
  int exponent = 0;  // of 10, or of 2
};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::optional<Scale> parse_exponent(std::string_view digits) {
  if (digits.starts_with('+')) digits.remove_prefix(1);
  int exponent = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
  if (error != std::errc{} || end != digits.data() + digits.size()) return std::nullopt;
  return Scale{Notation::kExponent, std::clamp(exponent, -kMaxExponent, kMaxExponent)};
}

std::optional<Scale> parse_suffix(std::string_view suffix) {
  if (suffix.empty()) return Scale{};
  if (suffix.size() == 1) {
    const std::size_t found = kSuffixes.find(suffix[0]);
    if (found == std::string_view::npos) return std::nullopt;
    const int step = static_cast<int>(found);
    return Scale{Notation::kDecimal, step < 3 ? 3 * step - kNanoDigits : 3 * (step - 2)};
  }
  if (suffix.size() == 2 && suffix[1] == 'i') {
    const std::size_t found = kBinarySuffixes.find(suffix[0]);
    if (found == std::string_view::npos) return std::nullopt;
    return Scale{Notation::kBinary, 10 * (static_cast<int>(found) + 1)};
  }
  if (suffix[0] == 'e' || suffix[0] == 'E') return parse_exponent(suffix.substr(1));
  return std::nullopt;
}

// Multiplies with saturation.
void multiply(Wide& value, unsigned factor) {
  constexpr Wide kMost = ~Wide{0};
  value = value > kMost / factor ? kMost : value * factor;
}

// Digits beyond those that a value of 2^63-1 can have are the rest.
Digits read_digits(std::string_view digits, std::string_view fraction) {
  constexpr Wide kEnough = ~Wide{0} / (Wide{1} << 64U);  // leaves 64 bits for the scale
  Digits read;
  const auto add = [&read](char c, bool fractional) {
    if (read.value > (kEnough - 9) / 10) {
      read.has_rest |= c != '0';
      if (!fractional && read.exponent < 1000) ++read.exponent;
      return;
    }
    read.value = read.value * 10 + static_cast<unsigned>(c - '0');
    if (fractional) --read.exponent;
  };
  for (const char c : digits) add(c, false);
  for (const char c : fraction) add(c, true);
  return read;
}

Wide to_nano(Digits read, Scale scale) {
  if (read.value == 0) return 0;
  int decimal = read.exponent + kNanoDigits;
  if (scale.notation == Notation::kBinary) {
    read.value <<= static_cast<unsigned>(scale.exponent);
  } else {
    decimal += scale.exponent;
  }
  for (; decimal > 0 && read.value < kMaxNano; --decimal) multiply(read.value, 10);
  for (; decimal < 0; ++decimal) {
    read.has_rest |= read.value % 10 != 0;
    read.value /= 10;
    if (read.value == 0) break;
  }
  if (read.has_rest) ++read.value;
  return read.value > kMaxNano ? kMaxNano : read.value;
}

std::optional<Quantity> parse_quantity(std::string_view text) {
  Quantity quantity;
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) {
    quantity.negative = text[0] == '-';
    text.remove_prefix(1);
  }
  std::size_t at = 0;
  while (at < text.size() && is_digit(text[at])) ++at;
  const std::string_view whole = text.substr(0, at);
  std::string_view fraction;
  if (at < text.size() && text[at] == '.') {
    const std::size_t begin = ++at;
    while (at < text.size() && is_digit(text[at])) ++at;
    fraction = text.substr(begin, at - begin);
  }
  if (whole.empty() && fraction.empty()) return std::nullopt;
  const auto scale = parse_suffix(text.substr(at));
  if (!scale) return std::nullopt;
  quantity.notation = scale->notation;
  const Digits read = read_digits(whole, fraction);
  quantity.nano = to_nano(read, *scale);
  const int exponent = read.exponent + scale->exponent;
  if (scale->notation != Notation::kBinary && whole.size() + fraction.size() <= kShort &&
      exponent >= -kNanoDigits) {
    quantity.exact = Digits{.value = read.value, .exponent = exponent, .has_rest = false};
  }
  if (quantity.nano == 0) quantity.negative = false;
  return quantity;
}

class TextBuffer {
 public:
  explicit TextBuffer(char (&out)[kMaxQuantity]) : out_(out) {}
  void put(char c) { out_[size_++] = c; }
  void put_number(Wide value) {
    std::array<char, kMaxQuantity> reversed;
    std::size_t count = 0;
    do {
      reversed[count++] = static_cast<char>('0' + static_cast<int>(value % 10));
      value /= 10;
    } while (value != 0);
    while (count > 0) put(reversed[--count]);
  }
  std::string_view text() const { return {out_, size_}; }

 private:
  char (&out_)[kMaxQuantity];
  std::size_t size_ = 0;
};

void write_binary(TextBuffer& out, Wide value) {
  std::size_t step = 0;
  while (value % 1024 == 0 && step < kBinarySuffixes.size()) {
    value /= 1024;
    ++step;
  }
  out.put_number(value);
  if (step > 0) {
    out.put(kBinarySuffixes[step - 1]);
    out.put('i');
  }
}

void write_decimal(TextBuffer& out, Digits number, Notation notation) {
  while (number.value % 10 == 0) {
    number.value /= 10;
    ++number.exponent;
  }
  constexpr int kMaxSuffix = 18;
  const bool has_exponent = notation == Notation::kExponent;
  while (number.exponent % 3 != 0 || (!has_exponent && number.exponent > kMaxSuffix)) {
    number.value *= 10;
    --number.exponent;
  }
  out.put_number(number.value);
  if (number.exponent == 0) return;
  if (has_exponent) {
    out.put('e');
    if (number.exponent < 0) out.put('-');
    out.put_number(static_cast<Wide>(number.exponent < 0 ? -number.exponent : number.exponent));
    return;
  }
  const int step = number.exponent / 3;
  out.put(kSuffixes[static_cast<std::size_t>(step < 0 ? step + 3 : step + 2)]);
}

// The usual quantity: a short whole number that is canonical without a suffix, or with one that
// does not divide it.
bool is_obviously_canonical(std::string_view text) {
  if (text.empty() || text.size() > 5 || text[0] < '1' || text[0] > '9') return false;
  std::size_t at = 1;
  while (at < text.size() && is_digit(text[at])) ++at;
  if (at > 3) return false;
  const std::string_view suffix = text.substr(at);
  if (suffix.empty()) return true;
  return suffix.size() == 2 && suffix[1] == 'i' && suffix[0] != 'K' &&
         kBinarySuffixes.substr(0, 4).find(suffix[0]) != std::string_view::npos;
}

}  // namespace

std::optional<std::string_view> canonical_quantity(std::string_view text,
                                                   char (&out)[kMaxQuantity]) {
  if (is_obviously_canonical(text)) return text;
  const auto quantity = parse_quantity(text);
  if (!quantity) return std::nullopt;
  if (quantity->nano == 0) return "0";
  TextBuffer buffer(out);
  if (quantity->negative) buffer.put('-');
  const bool is_whole = quantity->nano % kNano == 0;
  if (quantity->notation == Notation::kBinary && is_whole && quantity->nano >= 1024 * kNano) {
    write_binary(buffer, quantity->nano / kNano);
  } else {
    const Digits number = quantity->exact.value_or(
        Digits{.value = quantity->nano, .exponent = -kNanoDigits, .has_rest = false});
    write_decimal(buffer, number, quantity->notation);
  }
  if (buffer.text() == text) return text;
  return buffer.text();
}

bool are_equal_quantities(std::string_view one, std::string_view other) {
  if (one == other) return true;
  const auto left = parse_quantity(one);
  const auto right = parse_quantity(other);
  return left && right && left->negative == right->negative && left->nano == right->nano;
}

int sign_of_quantity(std::string_view text) {
  const auto quantity = parse_quantity(text);
  if (!quantity || quantity->nano == 0) return 0;
  return quantity->negative ? -1 : 1;
}

}  // namespace dynamo::conversion
