#include "validators/list_places.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>

namespace dynamo::validators {
namespace {

bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// One step of a rendered path: ".services" or "[Decode]" or "[3]", without what is around it.
struct Step {
  std::string_view text;
  bool is_place = false;  // a number in brackets; of a list, or the key of a map
};

Step take_step(std::string_view& path) {
  if (path.front() != '[') {
    if (path.front() == '.') path.remove_prefix(1);
    const std::size_t end = std::min(path.find_first_of(".["), path.size());
    const Step step{path.substr(0, end)};
    path.remove_prefix(end);
    return step;
  }
  const std::size_t end = std::min(path.find(']'), path.size());
  const Step step{path.substr(1, end - 1), is_number(path.substr(1, end - 1))};
  path.remove_prefix(std::min(end + 1, path.size()));
  return step;
}

std::string_view name_of(json::Value element) {
  return element["name"].string_or_empty();
}

json::Value at(json::Value list, std::string_view place) {
  std::size_t left = 0;
  const auto read = std::from_chars(place.data(), place.data() + place.size(), left);
  if (read.ec != std::errc{} || left >= list.size()) return {};
  for (const json::Value element : list.elements()) {
    if (left-- == 0) return element;
  }
  return {};
}

json::Value follow(json::Value value, const Step& step) {
  return value.is_array() ? at(value, step.text) : value[step.text];
}

bool has_name(json::Value list, std::string_view name) {
  for (const json::Value element : list.elements()) {
    if (name_of(element) == name) return true;
  }
  return false;
}

}  // namespace

bool same_but_for_places(std::string_view one, std::string_view other) {
  while (!one.empty() && !other.empty()) {
    const Step left = take_step(one);
    const Step right = take_step(other);
    if (left.is_place != right.is_place || (!left.is_place && left.text != right.text))
      return false;
  }
  return one.empty() && other.empty();
}

std::vector<std::string_view> names_on_the_way(std::string_view field, json::Value object) {
  std::vector<std::string_view> names;
  json::Value value = object;
  while (!field.empty()) {
    const Step step = take_step(field);
    const bool in_list = value.is_array();
    value = follow(value, step);
    // The key of a map is its name.
    if (step.is_place) names.push_back(in_list || !value.exists() ? name_of(value) : step.text);
  }
  return names;
}

bool only_renamed(std::string_view field, json::Value now, json::Value before) {
  while (!field.empty()) {
    const Step step = take_step(field);
    const json::Value list = now;
    const json::Value old_list = before;
    now = follow(now, step);
    before = follow(before, step);
    if (!list.is_array()) continue;
    const std::string_view name = name_of(now);
    const std::string_view old_name = name_of(before);
    if (name == old_name) continue;
    if (!name.empty() && has_name(old_list, name)) return false;
    if (!old_name.empty() && has_name(list, old_name)) return false;
  }
  return true;
}

}  // namespace dynamo::validators
