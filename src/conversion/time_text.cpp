#include "conversion/time_text.hpp"

#include <chrono>

namespace dynamo::conversion {

namespace {

// Reads the parts of a time from left to right.
class TimeScanner {
 public:
  explicit TimeScanner(std::string_view text) : rest_(text) {}

  // A number of exactly that many digits, within the bounds.
  std::optional<int> number(std::size_t digits, int least, int most) {
    if (rest_.size() < digits) return std::nullopt;
    int value = 0;
    for (const char c : rest_.substr(0, digits)) {
      if (c < '0' || c > '9') return std::nullopt;
      value = value * 10 + (c - '0');
    }
    rest_.remove_prefix(digits);
    if (value < least || value > most) return std::nullopt;
    return value;
  }
  bool skip(char wanted) {
    if (!rest_.starts_with(wanted)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  // False for a point without digits.
  bool skip_fraction() {
    if (!skip('.') && !skip(',')) return true;
    std::size_t digits = 0;
    while (digits < rest_.size() && rest_[digits] >= '0' && rest_[digits] <= '9') ++digits;
    rest_.remove_prefix(digits);
    return digits > 0;
  }
  bool is_at_end() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

std::optional<std::chrono::sys_days> scan_day(TimeScanner& scanner) {
  const auto year = scanner.number(4, 0, 9999);
  if (!year || !scanner.skip('-')) return std::nullopt;
  const auto month = scanner.number(2, 1, 12);
  if (!month || !scanner.skip('-')) return std::nullopt;
  const auto day = scanner.number(2, 1, 31);
  if (!day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year{*year},
                                         std::chrono::month{static_cast<unsigned>(*month)},
                                         std::chrono::day{static_cast<unsigned>(*day)}};
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days{date};
}

std::optional<std::chrono::seconds> scan_clock(TimeScanner& scanner) {
  const auto hour = scanner.number(2, 0, 23);
  if (!hour || !scanner.skip(':')) return std::nullopt;
  const auto minute = scanner.number(2, 0, 59);
  if (!minute || !scanner.skip(':')) return std::nullopt;
  const auto second = scanner.number(2, 0, 59);
  if (!second || !scanner.skip_fraction()) return std::nullopt;
  return std::chrono::hours{*hour} + std::chrono::minutes{*minute} + std::chrono::seconds{*second};
}

std::optional<std::chrono::seconds> scan_offset(TimeScanner& scanner) {
  if (scanner.skip('Z')) return std::chrono::seconds{0};
  const bool is_west = scanner.skip('-');
  if (!is_west && !scanner.skip('+')) return std::nullopt;
  const auto hour = scanner.number(2, 0, 23);
  if (!hour || !scanner.skip(':')) return std::nullopt;
  const auto minute = scanner.number(2, 0, 59);
  if (!minute) return std::nullopt;
  const std::chrono::seconds offset = std::chrono::hours{*hour} + std::chrono::minutes{*minute};
  return is_west ? -offset : offset;
}

void put_number(char* out, unsigned value, std::size_t digits) {
  while (digits > 0) {
    out[--digits] = static_cast<char>('0' + value % 10);
    value /= 10;
  }
}

}  // namespace

std::optional<std::string_view> canonical_time(std::string_view text, char (&out)[kTimeLength]) {
  TimeScanner scanner(text);
  const auto day = scan_day(scanner);
  if (!day || !scanner.skip('T')) return std::nullopt;
  const auto clock = scan_clock(scanner);
  if (!clock) return std::nullopt;
  const auto offset = scan_offset(scanner);
  if (!offset || !scanner.is_at_end()) return std::nullopt;
  if (text.size() == kTimeLength && text.back() == 'Z') return text;
  const std::chrono::sys_seconds instant = *day + *clock - *offset;
  const auto date = std::chrono::floor<std::chrono::days>(instant);
  const std::chrono::year_month_day parts{date};
  const int year = static_cast<int>(parts.year());
  if (year < 0 || year > 9999) return std::nullopt;
  const std::chrono::hh_mm_ss time{instant - date};
  constexpr std::string_view kForm = "0000-00-00T00:00:00Z";
  kForm.copy(out, kTimeLength);
  put_number(out, static_cast<unsigned>(year), 4);
  put_number(out + 5, static_cast<unsigned>(parts.month()), 2);
  put_number(out + 8, static_cast<unsigned>(parts.day()), 2);
  put_number(out + 11, static_cast<unsigned>(time.hours().count()), 2);
  put_number(out + 14, static_cast<unsigned>(time.minutes().count()), 2);
  put_number(out + 17, static_cast<unsigned>(time.seconds().count()), 2);
  return std::string_view{out, kTimeLength};
}

}  // namespace dynamo::conversion
