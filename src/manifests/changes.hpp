// Compares a live object with the desired one and ignores additions of other writers.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "json/document.hpp"

namespace dynamo::render {

// Whether every member of `wanted` is in `live`. Lists whose elements have a key (containers,
// variables, ports, volumes, mounts, owners) may have more elements, such as injected sidecars;
// other lists must be equal. Quantities are compared by value. Values that the API omits when empty
// ("", false, 0, {}, []) may be absent, except replicas. Pure; recurses as deep as the values.
bool is_superset(json::Value live, json::Value wanted);

struct Change {
  std::string path = {};  // below the two values: "template.spec.containers[main].image"
  json::Value before = {};
  json::Value after = {};
};

// Whether the field is a quantity and both sides are the same amount ("1Gi", "1024Mi").
bool is_same_amount(const Change& change);

// The changes in the order of `after`, then the removals; at most `most`.
std::vector<Change> changes(json::Value before, json::Value after, std::size_t most);

// A summary for users, such as `image of main is "b:2" and was "a:1", 2 environment variables`.
// Only images and replicas are shown with their values, because others might be secrets. "" for no
// change.
std::string wording_of(const std::vector<Change>& changes);

}  // namespace dynamo::render
