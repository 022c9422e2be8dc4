#include "validators/list_places.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <functional>

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

json::Value follow(json::Value value, const Step& step, PathWalk& walk, std::size_t depth) {
  return value.is_array() ? walk.at(value, step.text, depth) : value[step.text];
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

std::size_t hash_but_for_places(std::string_view field) {
  constexpr std::size_t kFactor = 0x9E3779B97F4A7C15U;
  std::size_t hash = 0;
  while (!field.empty()) {
    const Step step = take_step(field);
    hash = hash * kFactor + (step.is_place ? 1 : std::hash<std::string_view>{}(step.text));
  }
  return hash;
}

PathWalk::Place& PathWalk::place_of(json::Value list, std::size_t depth) {
  if (places_.size() <= depth) places_.resize(depth + 1);
  Place& place = places_[depth];
  if (place.list != list.node()) {
    place.list = list.node();
    place.index = 0;
    place.element = list.node() + 1;
    place.names_known = false;
  }
  return place;
}

json::Value PathWalk::at(json::Value list, std::string_view place_text, std::size_t depth) {
  std::size_t wanted = 0;
  const auto read =
      std::from_chars(place_text.data(), place_text.data() + place_text.size(), wanted);
  if (read.ec != std::errc{} || wanted >= list.size()) return {};
  Place& place = place_of(list, depth);
  if (wanted < place.index) {
    place.index = 0;
    place.element = list.node() + 1;
  }
  for (; place.index < wanted; ++place.index) place.element += place.element->span;
  return json::Value{place.element};
}

bool PathWalk::has_name(json::Value list, std::string_view name, std::size_t depth) {
  if (!list.is_array()) return false;
  Place& place = place_of(list, depth);
  if (!place.names_known) {
    place.names.clear();
    for (const json::Value element : list.elements()) {
      if (const std::string_view found = name_of(element); !found.empty()) {
        place.names.push_back(found);
      }
    }
    std::ranges::sort(place.names);
    place.names_known = true;
  }
  return std::ranges::binary_search(place.names, name);
}

std::vector<std::string_view> names_on_the_way(std::string_view field, PathWalk& walk) {
  std::vector<std::string_view> names;
  json::Value value = walk.object();
  std::size_t depth = 0;
  while (!field.empty()) {
    const Step step = take_step(field);
    const bool in_list = value.is_array();
    value = follow(value, step, walk, depth);
    if (in_list) ++depth;
    // The key of a map is its name.
    if (step.is_place) names.push_back(in_list || !value.exists() ? name_of(value) : step.text);
  }
  return names;
}

bool only_renamed(std::string_view field, PathWalk& now_walk, PathWalk& before_walk) {
  json::Value now = now_walk.object();
  json::Value before = before_walk.object();
  std::size_t depth = 0;
  while (!field.empty()) {
    const Step step = take_step(field);
    const json::Value list = now;
    const json::Value old_list = before;
    now = follow(now, step, now_walk, depth);
    before = follow(before, step, before_walk, depth);
    const std::size_t at = depth;
    if (list.is_array() || old_list.is_array()) ++depth;
    if (!list.is_array()) continue;
    const std::string_view name = name_of(now);
    const std::string_view old_name = name_of(before);
    if (name == old_name) continue;
    if (!name.empty() && before_walk.has_name(old_list, name, at)) return false;
    if (!old_name.empty() && now_walk.has_name(list, old_name, at)) return false;
  }
  return true;
}

}  // namespace dynamo::validators
