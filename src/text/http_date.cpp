#include "text/http_date.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>

namespace dynamo::text {
namespace {

using TimePoint = std::chrono::system_clock::time_point;

// Reads a text from left to right; the first mismatch makes the whole text invalid.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  int number(std::size_t digits) {
    int value = 0;
    for (std::size_t i = 0; i < digits; ++i) {
      if (!next_is_digit()) return fail();
      value = value * 10 + (rest_.front() - '0');
      rest_.remove_prefix(1);
    }
    return value;
  }
  void literal(std::string_view wanted) {
    if (!rest_.starts_with(wanted)) {
      fail();
      return;
    }
    rest_.remove_prefix(wanted.size());
  }
  // The index in `words`, which all have the same length.
  template <std::size_t Count>
  int word(const std::array<std::string_view, Count>& words) {
    for (std::size_t i = 0; i < Count; ++i) {
      if (!rest_.starts_with(words[i])) continue;
      rest_.remove_prefix(words[i].size());
      return static_cast<int>(i);
    }
    return fail();
  }
  int fail() {
    good_ = false;
    return 0;
  }
  bool is_done() const { return good_ && rest_.empty(); }

 private:
  bool next_is_digit() const {
    return !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9';
  }

  std::string_view rest_;
  bool good_ = true;
};

struct Parts {
  int year = 0;
  int month = 0;
  int day = 0;
  int hour = 0;
  int minute = 0;
  int second = 0;
};

// The clock counts nanoseconds in 64 bits, up to the year 2262.
std::optional<TimePoint> to_time(const Parts& parts) {
  const std::chrono::year_month_day day{std::chrono::year{parts.year},
                                        std::chrono::month{static_cast<unsigned>(parts.month)},
                                        std::chrono::day{static_cast<unsigned>(parts.day)}};
  if (!day.ok() || parts.year < 1970 || parts.year > 2261 || parts.hour > 23 || parts.minute > 59 ||
      parts.second > 60) {
    return std::nullopt;
  }
  return TimePoint(std::chrono::sys_days(day)) + std::chrono::hours(parts.hour) +
         std::chrono::minutes(parts.minute) + std::chrono::seconds(parts.second);
}

}  // namespace

std::optional<TimePoint> parse_http_date(std::string_view text) {
  static constexpr std::array<std::string_view, 7> kDays{"Mon", "Tue", "Wed", "Thu",
                                                         "Fri", "Sat", "Sun"};
  static constexpr std::array<std::string_view, 12> kMonths{
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  Reader in(text);
  Parts parts;
  in.word(kDays);
  in.literal(", ");
  parts.day = in.number(2);
  in.literal(" ");
  parts.month = in.word(kMonths) + 1;
  in.literal(" ");
  parts.year = in.number(4);
  in.literal(" ");
  parts.hour = in.number(2);
  in.literal(":");
  parts.minute = in.number(2);
  in.literal(":");
  parts.second = in.number(2);
  in.literal(" GMT");
  if (!in.is_done()) return std::nullopt;
  return to_time(parts);
}

std::optional<std::chrono::seconds> parse_retry_after(std::string_view text, TimePoint now) {
  constexpr std::chrono::seconds kNone{0};
  if (const auto date = parse_http_date(text)) {
    return std::clamp(std::chrono::ceil<std::chrono::seconds>(*date - now), kNone,
                      kLongestRetryAfter);
  }
  if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos) {
    return std::nullopt;
  }
  std::int64_t seconds = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), seconds);
  // the only remaining error: the number is too large
  if (read.ec != std::errc{}) return kLongestRetryAfter;
  return std::clamp(std::chrono::seconds(seconds), kNone, kLongestRetryAfter);
}

}  // namespace dynamo::text
