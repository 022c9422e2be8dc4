#include "validators/list_index.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <functional>
#include <utility>

namespace dynamo::validators {
namespace {

// Lists up to this size are searched without an index.
constexpr std::size_t kFew = 16;

// The number of lists indexed at a time. Beyond it all indexes are dropped, so that inserting one
// more stays cheap.
constexpr std::size_t kMaxIndexed = 512;

// Replaces every index. No path contains it, because control characters are rendered as spaces.
constexpr char kAnyIndex = '\1';

bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// One step of a rendered path: ".services", "[Decode]" or "[3]", without the delimiters.
struct Step {
  std::string_view text;
  bool is_index = false;  // a number in brackets: a list index or a map key
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

std::size_t number_of(std::string_view digits, std::size_t none) {
  std::size_t number = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return read.ec == std::errc{} ? number : none;
}

}  // namespace

void append_without_indexes(std::string& out, std::string_view field) {
  while (!field.empty()) {
    const std::string_view before = field;
    const Step step = take_step(field);
    if (step.is_index) {
      out += kAnyIndex;
    } else {
      out += before.substr(0, before.size() - field.size());
    }
  }
}

const ListIndex::Entries& ListIndex::entries_of(json::Value list) {
  const auto find_entry = [&] {
    return std::ranges::lower_bound(entries_, list.node(), std::less{},
                                    [](const auto& entry) { return entry.first; });
  };
  const auto known = find_entry();
  if (known != entries_.end() && known->first == list.node()) return known->second;
  // All rules share these entries, so new ones are inserted in order.
  if (entries_.size() == kMaxIndexed) entries_.clear();
  Entries entries;
  entries.elements.reserve(list.size());
  entries.names.reserve(list.size());
  for (const json::Value element : list.elements()) {
    entries.elements.push_back(element);
    entries.names.push_back(name_of(element));
  }
  std::ranges::sort(entries.names);
  return entries_.emplace(find_entry(), list.node(), std::move(entries))->second;
}

std::string_view ListIndex::name_of(json::Value element) {
  return element["name"].string_or_empty();
}

json::Value ListIndex::follow(json::Value value, std::string_view step) {
  if (!value.is_array()) return value[step];
  std::size_t left = number_of(step, value.size());
  if (left >= value.size()) return {};
  if (value.size() > kFew) return entries_of(value).elements[left];
  for (const json::Value element : value.elements()) {
    if (left-- == 0) return element;
  }
  return {};
}

bool ListIndex::has_name(json::Value list, std::string_view name) {
  if (list.is_array() && list.size() > kFew) {
    return std::ranges::binary_search(entries_of(list).names, name);
  }
  for (const json::Value element : list.elements()) {
    if (name_of(element) == name) return true;
  }
  return false;
}

std::vector<std::string_view> ListIndex::names_on_path(std::string_view field) {
  std::vector<std::string_view> names;
  json::Value value = object_;
  while (!field.empty()) {
    const Step step = take_step(field);
    const bool in_list = value.is_array();
    value = follow(value, step.text);
    // A map key is the name itself.
    if (step.is_index) names.push_back(in_list || !value.exists() ? name_of(value) : step.text);
  }
  return names;
}

json::Value ListIndex::value_at(std::string_view field) {
  json::Value value = object_;
  while (!field.empty() && value.exists()) value = follow(value, take_step(field).text);
  return value;
}

bool is_only_renamed(std::string_view field, ListIndex& now, ListIndex& before) {
  json::Value after = now.object();
  json::Value old = before.object();
  while (!field.empty()) {
    const Step step = take_step(field);
    const json::Value list = after;
    const json::Value old_list = old;
    after = now.follow(after, step.text);
    old = before.follow(old, step.text);
    if (!list.is_array()) continue;
    const std::string_view name = ListIndex::name_of(after);
    const std::string_view old_name = ListIndex::name_of(old);
    if (name == old_name) continue;
    if (!name.empty() && before.has_name(old_list, name)) return false;
    if (!old_name.empty() && now.has_name(list, old_name)) return false;
  }
  return true;
}

}  // namespace dynamo::validators
