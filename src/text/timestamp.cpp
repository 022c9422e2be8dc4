#include "text/timestamp.hpp"

#include <array>
#include <cstdio>

namespace dynamo::text {
namespace {

using std::chrono::system_clock;

constexpr int kFirstYear = 1970;

// Parses a text from the front; after a mismatch every later step fails.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  bool ok() const { return ok_; }
  bool at_end() const { return rest_.empty(); }

  int number(std::size_t digits) {
    int value = 0;
    for (std::size_t i = 0; i < digits; ++i) value = value * 10 + digit();
    return value;
  }

  void expect(std::string_view one_of) {
    if (!take(one_of)) ok_ = false;
  }

  bool take(std::string_view one_of) {
    if (rest_.empty() || one_of.find(rest_.front()) == std::string_view::npos) return false;
    rest_.remove_prefix(1);
    return true;
  }

  // The digits after a decimal point, at least one.
  std::chrono::microseconds fraction() {
    constexpr int kDigits = 6;
    int value = 0;
    int read = 0;
    do {
      const int next = digit();
      if (read < kDigits) value = value * 10 + next;
      ++read;
    } while (ok_ && !rest_.empty() && is_digit(rest_.front()));
    for (; read < kDigits; ++read) value *= 10;
    return std::chrono::microseconds{value};
  }

 private:
  static bool is_digit(char c) { return c >= '0' && c <= '9'; }

  int digit() {
    if (rest_.empty() || !is_digit(rest_.front())) {
      ok_ = false;
      return 0;
    }
    const int value = rest_.front() - '0';
    rest_.remove_prefix(1);
    return value;
  }

  std::string_view rest_;
  bool ok_ = true;
};

std::optional<std::chrono::sys_days> scan_day(Scanner& scanner) {
  const std::chrono::year year{scanner.number(4)};
  scanner.expect("-");
  const std::chrono::month month{static_cast<unsigned>(scanner.number(2))};
  scanner.expect("-");
  const std::chrono::day day{static_cast<unsigned>(scanner.number(2))};
  const std::chrono::year_month_day date{year, month, day};
  if (!scanner.ok() || !date.ok() || static_cast<int>(year) < kFirstYear) return std::nullopt;
  return std::chrono::sys_days{date};
}

// Clocks count nanoseconds in 64 bits, up to the year 2262.
system_clock::time_point saturated(std::chrono::sys_seconds time) {
  constexpr auto kLast = std::chrono::floor<std::chrono::seconds>(system_clock::time_point::max()) -
                         std::chrono::seconds{1};
  return time > kLast ? system_clock::time_point::max() : system_clock::time_point{time};
}

// "hh:mm" of an offset, within a day.
std::optional<std::chrono::minutes> scan_offset(Scanner& scanner) {
  const int hours = scanner.number(2);
  scanner.expect(":");
  const int minutes = scanner.number(2);
  if (!scanner.ok() || hours > 23 || minutes > 59) return std::nullopt;
  return std::chrono::minutes{hours * 60 + minutes};
}

}  // namespace

std::optional<system_clock::time_point> parse_timestamp(std::string_view text) {
  Scanner scanner{text};
  const auto day = scan_day(scanner);
  if (!day) return std::nullopt;
  scanner.expect("Tt");
  const int hours = scanner.number(2);
  scanner.expect(":");
  const int minutes = scanner.number(2);
  scanner.expect(":");
  const int seconds = scanner.number(2);
  const auto fraction = scanner.take(".") ? scanner.fraction() : std::chrono::microseconds{0};
  if (!scanner.ok() || hours > 23 || minutes > 59 || seconds > 60) return std::nullopt;
  std::chrono::sys_seconds time = *day + std::chrono::hours{hours} + std::chrono::minutes{minutes} +
                                  std::chrono::seconds{seconds};
  if (!scanner.take("Zz")) {
    const bool west = scanner.take("-");
    if (!west) scanner.expect("+");
    const auto offset = scan_offset(scanner);
    if (!offset) return std::nullopt;
    time += west ? *offset : -*offset;
  }
  if (!scanner.ok() || !scanner.at_end()) return std::nullopt;
  const system_clock::time_point whole = saturated(time);
  return whole == system_clock::time_point::max() ? whole : whole + fraction;
}

std::optional<system_clock::time_point> parse_day_or_timestamp(std::string_view text) {
  Scanner scanner{text};
  const auto day = scan_day(scanner);
  if (day && scanner.at_end()) return saturated(*day);
  return parse_timestamp(text);
}

std::string format_timestamp(system_clock::time_point time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  const auto day = std::chrono::floor<std::chrono::days>(seconds);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss clock{seconds - day};
  std::array<char, 64> text{};
  const int length = std::snprintf(
      text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02dZ", static_cast<int>(date.year()),
      static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
      static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
      static_cast<int>(clock.seconds().count()));
  return {text.data(), static_cast<std::size_t>(length)};
}

std::string format_age(system_clock::duration age) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(age).count();
  const auto units = [](long long large, const char* large_unit, long long small,
                        const char* small_unit) {
    std::string text = std::to_string(large) + large_unit;
    if (small != 0) text += std::to_string(small) + small_unit;
    return text;
  };
  if (seconds < 60) return std::to_string(seconds) + "s";
  if (seconds < 3600) return std::to_string(seconds / 60) + "m";
  if (seconds < 86400) return units(seconds / 3600, "h", seconds / 60 % 60, "m");
  return units(seconds / 86400, "d", seconds / 3600 % 24, "h");
}

}  // namespace dynamo::text
