#include "server/request_deadline.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace dynamo::server {

namespace {

using std::chrono::nanoseconds;

constexpr nanoseconds kLongest = std::chrono::hours(24);

struct Unit {
  std::string_view name;
  nanoseconds length;
};

// Longer names first, so that "ms" is not parsed as "m".
constexpr Unit kUnits[] = {
    {"ns", nanoseconds(1)},
    {"us", std::chrono::microseconds(1)},
    {"\u00b5s", std::chrono::microseconds(1)},  // micro sign
    {"\u03bcs", std::chrono::microseconds(1)},  // Greek mu
    {"ms", std::chrono::milliseconds(1)},
    {"s", std::chrono::seconds(1)},
    {"m", std::chrono::minutes(1)},
    {"h", std::chrono::hours(1)},
};

// Removes a number such as 10, 1.5 or .5 from the front of `text`.
std::optional<double> take_number(std::string_view& text) {
  double number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  const char first = text.empty() ? '\0' : text.front();
  const bool starts_well = (first >= '0' && first <= '9') || first == '.';  // no sign, no "inf"
  if (error != std::errc() || !starts_well) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

std::optional<nanoseconds> take_unit(std::string_view& text) {
  for (const Unit& unit : kUnits) {
    if (!text.starts_with(unit.name)) continue;
    text.remove_prefix(unit.name.size());
    return unit.length;
  }
  return std::nullopt;
}

}  // namespace

std::optional<nanoseconds> parse_timeout(std::string_view text) {
  double total = 0;
  if (text.empty()) return std::nullopt;
  while (!text.empty()) {
    const std::optional<double> number = take_number(text);
    if (!number) return std::nullopt;
    const std::optional<nanoseconds> unit = take_unit(text);
    if (!unit) return std::nullopt;
    total += *number * static_cast<double>(unit->count());
  }
  if (total < 1) return std::nullopt;
  if (total >= static_cast<double>(kLongest.count())) return kLongest;
  return nanoseconds(static_cast<nanoseconds::rep>(total));
}

std::optional<nanoseconds> timeout_in_query(std::string_view query) {
  constexpr std::string_view kKey = "timeout=";
  while (!query.empty()) {
    const std::string_view parameter = query.substr(0, query.find('&'));
    if (parameter.starts_with(kKey)) return parse_timeout(parameter.substr(kKey.size()));
    query.remove_prefix(std::min(query.size(), parameter.size() + 1));
  }
  return std::nullopt;
}

nanoseconds usable_part(nanoseconds timeout) {
  const nanoseconds margin = std::max<nanoseconds>(std::chrono::seconds(1), timeout / 10);
  return std::max(timeout - margin, timeout / 2);
}

}  // namespace dynamo::server
