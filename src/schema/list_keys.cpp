#include "schema/list_keys.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <functional>
#include <span>
#include <string_view>

#include "schema/defaults.hpp"
#include "schema/properties.hpp"

namespace dynamo::schema {
namespace {

int sign(bool less, bool greater) {
  return less ? -1 : (greater ? 1 : 0);
}

// A sort order of scalars in which equal ones are adjacent. Lists and objects equal only
// themselves.
int compare(json::Value left, json::Value right) {
  json::count_step();
  if (!left.exists() || !right.exists())
    return sign(!left.exists() && right.exists(), left.exists() && !right.exists());
  const auto left_number = left.number();
  const auto right_number = right.number();
  if (left_number && right_number) {
    return sign(*left_number<*right_number, *left_number> * right_number);
  }
  if (left.type() != right.type()) return sign(left.type() < right.type(), true);
  if (const auto text = left.string()) return text->compare(*right.string());
  if (const auto boolean = left.boolean()) {
    return sign(*boolean<*right.boolean(), *boolean> * right.boolean());
  }
  if (left.is(json::Type::kNull)) return 0;
  return sign(std::less<>{}(left.node(), right.node()), std::less<>{}(right.node(), left.node()));
}

json::Value key_of(const Schema& list, json::Value item, std::string_view name) {
  const Property* const property = find_property(*list.each, name);
  return property == nullptr ? item[name] : effective(*property->schema, item[name]);
}

ItemKeys keys_of(const Schema& list, json::Value item) {
  if (list.list_type == ListType::kSet) return {item};
  assert(list.list_map_keys.size() <= kMaxKeys);
  ItemKeys keys;
  std::size_t count = 0;
  for (const std::string_view key : list.list_map_keys) keys[count++] = key_of(list, item, key);
  return keys;
}

int compare_keys(const ItemKeys& left, const ItemKeys& right) {
  for (std::size_t at = 0; at < kMaxKeys; ++at) {
    const int order = compare(left[at], right[at]);
    if (order != 0) return order;
  }
  return 0;
}

struct IndexedKeys {
  ItemKeys keys;
  std::size_t index;
};

// Whether a keyed list contains an item without keys.
bool has_unkeyed_items(const Schema& list, json::Value items) {
  if (list.list_type != ListType::kMap) return false;
  for (const json::Value item : items.elements()) {
    if (!item.is_object() && !item.is_nothing()) return true;
  }
  return false;
}

// Few enough to compare all pairs, which needs no memory.
constexpr std::size_t kFew = 16;

// Whether all first keys differ: then the items differ, whatever their other keys are.
// Precondition: at most kFew items.
bool first_keys_differ(const Schema& list, json::Value items) {
  std::array<json::Value, kFew> keys;
  std::size_t count = 0;
  for (const json::Value item : items.elements()) {
    const json::Value key =
        list.list_type == ListType::kSet ? item : key_of(list, item, list.list_map_keys.front());
    for (std::size_t earlier = 0; earlier < count; ++earlier) {
      if (compare(keys[earlier], key) == 0) return false;
    }
    keys[count++] = key;
  }
  return true;
}

}  // namespace

KeyedItems::KeyedItems(const Schema& list, json::Value items) : list_(&list) {
  items_.reserve(items.size());
  for (const json::Value item : items.elements()) items_.push_back({item, keys_of(list, item)});
  const auto before = [](const Item& left, const Item& right) {
    return compare_keys(left.keys, right.keys) < 0;
  };
  if (!std::ranges::is_sorted(items_, before)) std::ranges::stable_sort(items_, before);
}

json::Value KeyedItems::find(json::Value wanted) const {
  const auto before = [](const ItemKeys& left, const ItemKeys& right) {
    return compare_keys(left, right) < 0;
  };
  const ItemKeys keys = keys_of(*list_, wanted);
  const auto at = std::ranges::lower_bound(items_, keys, before, &Item::keys);
  if (at == items_.end() || compare_keys(at->keys, keys) != 0) return {};
  const bool has_all = wanted.is_object() && at->value.is_object() &&
                       std::ranges::all_of(std::span(at->keys).first(list_->list_map_keys.size()),
                                           &json::Value::exists);
  return has_all ? at->value : json::Value{};
}

std::vector<Repetition> find_repetitions(const Schema& list, json::Value items) {
  if (list.list_type == ListType::kAtomic || list.each == nullptr || items.size() < 2) return {};
  if (has_unkeyed_items(list, items)) return {};
  if (items.size() <= kFew && first_keys_differ(list, items)) return {};
  std::vector<IndexedKeys> sorted;
  sorted.reserve(items.size());
  for (const json::Value item : items.elements()) {
    sorted.push_back({keys_of(list, item), sorted.size()});
  }
  std::ranges::stable_sort(sorted, [](const IndexedKeys& left, const IndexedKeys& right) {
    return compare_keys(left.keys, right.keys) < 0;
  });
  std::vector<Repetition> repetitions;
  std::size_t first = 0;
  for (std::size_t at = 1; at < sorted.size(); ++at) {
    if (compare_keys(sorted[first].keys, sorted[at].keys) != 0) {
      first = at;
    } else if (at == first + 1) {
      repetitions.push_back({sorted[at].index, sorted[first].index});
    }
  }
  std::ranges::sort(repetitions, {}, &Repetition::index);
  return repetitions;
}

bool has_key_violation(const Schema& schema, json::Value value) {
  if (value.is_array() && schema.type == Type::kArray && schema.each != nullptr) {
    if (has_unkeyed_items(schema, value) || !find_repetitions(schema, value).empty()) return true;
    for (const json::Value item : value.elements()) {
      if (has_key_violation(*schema.each, item)) return true;
    }
    return false;
  }
  for (const json::Member member : value.members()) {
    const Property* const property = find_property(schema, member.name);
    const Schema* const known = property != nullptr ? property->schema : schema.each;
    if (known != nullptr && has_key_violation(*known, member.value)) return true;
  }
  return false;
}

std::string key_names(const Schema& list) {
  if (list.list_type == ListType::kSet) return "value";
  std::string names;
  for (const std::string_view key : list.list_map_keys) {
    if (!names.empty()) names += " and ";
    names += key;
  }
  return names;
}

}  // namespace dynamo::schema
