#include "validators/content/amount.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

#include "schema/quantity.hpp"

namespace dynamo::validators {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::uint64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::uint32_t kBillion = 1'000'000'000;
constexpr int kMaxDigits = 19;
constexpr int kMaxPlaces = 27;

bool is_digit(char letter) {
  return letter >= '0' && letter <= '9';
}

Wide power_of_ten(int exponent) {
  Wide power = 1;
  for (int i = 0; i < exponent; ++i) power *= 10;
  return power;
}

// The digits of a number, and how many of them are after the point. Digits that do not fit only set
// `more`.
struct Digits {
  Wide value = 0;
  int places = 0;
  bool more = false;
};

Digits read_digits(std::string_view text) {
  Digits digits;
  int count = 0;
  bool behind_point = false;
  for (const char letter : text) {
    if (letter == '.') {
      behind_point = true;
    } else if (count < kMaxDigits) {
      digits.value = digits.value * 10 + static_cast<Wide>(letter - '0');
      if (digits.value != 0) ++count;
      if (behind_point) ++digits.places;
    } else {
      digits.more = digits.more || letter != '0';
      if (!behind_point) --digits.places;  // as if multiplied by ten
    }
  }
  return digits;
}

// A fast path for the usual forms, "8" and "16Gi"; nullopt for all others.
std::optional<Amount> parse_usual(std::string_view text) {
  constexpr std::size_t kMaxUsualDigits = 15;
  std::uint64_t whole = 0;
  std::size_t at = 0;
  while (at < text.size() && at <= kMaxUsualDigits && is_digit(text[at])) {
    whole = whole * 10 + static_cast<std::uint64_t>(text[at++] - '0');
  }
  if (at == 0 || at > kMaxUsualDigits) return std::nullopt;
  if (at == text.size()) return Amount{false, whole, 0};
  if (at + 2 != text.size() || text[at + 1] != 'i') return std::nullopt;
  unsigned shift = 0;
  switch (text[at]) {
    case 'K':
      shift = 10;
      break;
    case 'M':
      shift = 20;
      break;
    case 'G':
      shift = 30;
      break;
    case 'T':
      shift = 40;
      break;
    default:
      return std::nullopt;
  }
  if (whole > kMax >> shift) return std::nullopt;
  return Amount{false, whole << shift, 0};
}

struct Suffix {
  Wide factor = 1;
  int exponent = 0;  // of ten
};

Suffix read_suffix(std::string_view text) {
  constexpr std::string_view kBinary = "KMGTPE";
  constexpr std::string_view kDecimal = "num kMGTPE";  // 10^-9 to 10^18; ' ' is not a suffix
  if (text.size() == 2 && text[1] == 'i') {
    const std::size_t place = kBinary.find(text[0]) + 1;
    return {Wide{1} << (10 * place), 0};
  }
  if (text.size() == 1) {
    return {1, (static_cast<int>(kDecimal.find(text[0])) - 3) * 3};
  }
  if (text.empty()) return {};
  text.remove_prefix(text[1] == '+' ? 2 : 1);
  constexpr int kFar = 1000;
  int exponent = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), exponent);
  if (error != std::errc{}) exponent = text.front() == '-' ? -kFar : kFar;
  return {1, std::clamp(exponent, -kFar, kFar)};
}

// value / 10^places, rounded away from zero.
Amount scaled(Wide value, int places, bool more) {
  constexpr int kFarthest = 19;
  if (places < 0) {
    if (value == 0) return {};
    const bool fits = -places <= kFarthest && value <= Wide{kMax} / power_of_ten(-places);
    const Wide whole = fits ? value * power_of_ten(-places) : Wide{kMax};
    return {false, static_cast<std::uint64_t>(whole), 0};
  }
  while (places > kMaxPlaces) {
    more = more || value % 10 != 0;
    value /= 10;
    if (value == 0) {
      places = kMaxPlaces;
    } else {
      --places;
    }
  }
  const Wide unit = power_of_ten(places);
  Wide whole = value / unit;
  const Wide rest = (value % unit) * kBillion;
  Wide billionths = rest / unit;
  if (rest % unit != 0 || more) ++billionths;
  if (billionths == kBillion) {
    billionths = 0;
    ++whole;
  }
  if (whole >= kMax) return {false, kMax, 0};
  return {false, static_cast<std::uint64_t>(whole), static_cast<std::uint32_t>(billionths)};
}

}  // namespace

std::strong_ordering operator<=>(const Amount& left, const Amount& right) {
  if (left.is_below_zero() != right.is_below_zero()) {
    return left.is_below_zero() ? std::strong_ordering::less : std::strong_ordering::greater;
  }
  const Amount& smaller = left.is_below_zero() ? right : left;
  const Amount& larger = left.is_below_zero() ? left : right;
  if (smaller.whole != larger.whole) return smaller.whole <=> larger.whole;
  return smaller.billionths <=> larger.billionths;
}

std::optional<Amount> parse_amount(std::string_view text) {
  if (const auto usual = parse_usual(text)) return usual;
  if (!schema::is_quantity(text)) return std::nullopt;
  const bool negative = text.front() == '-';
  if (negative || text.front() == '+') text.remove_prefix(1);
  const auto end =
      std::ranges::find_if(text, [](char letter) { return !is_digit(letter) && letter != '.'; });
  const auto length = static_cast<std::size_t>(end - text.begin());
  const Digits digits = read_digits(text.substr(0, length));
  const Suffix suffix = read_suffix(text.substr(length));
  Amount amount =
      scaled(digits.value * suffix.factor, digits.places - suffix.exponent, digits.more);
  amount.negative = negative;
  return amount;
}

std::optional<Amount> amount_of(json::Value value) {
  if (const auto text = value.string()) return parse_amount(*text);
  const auto number = value.integer();
  if (!number) return std::nullopt;
  const auto size = static_cast<std::uint64_t>(*number);
  return Amount{*number < 0, *number < 0 ? std::uint64_t{0} - size : size, 0};
}

}  // namespace dynamo::validators
