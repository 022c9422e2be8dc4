// Lists whose items are told apart by keys (list type map), or by their values (set).
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

// The values of an item's keys, in the order of the schema; of a set the item itself. The tables
// have at most two keys, which is asserted.
inline constexpr std::size_t kMostKeys = 2;
using ItemKeys = std::array<json::Value, kMostKeys>;

// Whether two items of a keyed list have all keys, and the same; a key that is left out has its
// default.
bool same_keys(const Schema& list, json::Value left, json::Value right);

// The items of a keyed list, to be found by their keys. Refers to both.
class KeyedItems {
 public:
  // Sorts what is not sorted.
  KeyedItems(const Schema& list, json::Value items);

  // The first item with the keys of `wanted`, or an absent value. Logarithmic.
  json::Value find(json::Value wanted) const;

 private:
  // Looked up once: an item may have many other members, and is compared with many items.
  struct Item {
    json::Value value;
    ItemKeys keys;
  };
  const Schema* list_;
  std::vector<Item> items_;
};

// The items that repeat another, one for each key, in their order: as the API server lists them.
// None for an atomic list, nor for a keyed one that holds something else than objects. Items of a
// set that are lists or objects are not compared; the tables have none. Allocates only for a
// repetition or for a long list.
std::vector<Repetition> find_repetitions(const Schema& list, json::Value items);

// Whether any list of the value has a repetition, or is keyed and holds something else than
// objects.
bool breaks_its_keys(const Schema& schema, json::Value value);

// "name", "containerPort and protocol", or "value" for a set.
std::string key_names(const Schema& list);

}  // namespace dynamo::schema
