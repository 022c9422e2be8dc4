// Lists whose items are identified by keys (list type map), or by their values (set).
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "json/document.hpp"
#include "schema/table.hpp"

namespace dynamo::schema {

// An item that repeats an earlier one.
struct Repetition {
  std::size_t index;
  std::size_t first;  // the earlier one
};

// The values of an item's keys, in schema order; for a set the item itself. The tables have at most
// two keys, which is asserted.
inline constexpr std::size_t kMaxKeys = 2;
using ItemKeys = std::array<json::Value, kMaxKeys>;

// The items of a keyed list, searchable by their keys. Refers to both arguments.
class KeyedItems {
 public:
  // Sorts the items unless they are already sorted.
  KeyedItems(const Schema& list, json::Value items);

  // The first item with the keys of `wanted`, or an absent value. Logarithmic.
  json::Value find(json::Value wanted) const;

 private:
  // Keys are looked up once: an item may have many other members, and is compared many times.
  struct Item {
    json::Value value;
    ItemKeys keys;
  };
  const Schema* list_;
  std::vector<Item> items_;
};

// The items that repeat another, one per key, in item order: as the API server lists them. Empty
// for an atomic list, and for a keyed list with items that are not objects. Items of a set that are
// lists or objects are not compared; the tables have none. Allocates only for a repetition or for a
// long list.
std::vector<Repetition> find_repetitions(const Schema& list, json::Value items);

// Whether any list of the value has a repetition, or is keyed and has an item that is not an
// object.
bool has_key_violation(const Schema& schema, json::Value value);

// "name", "containerPort and protocol", or "value" for a set.
std::string key_names(const Schema& list);

}  // namespace dynamo::schema
