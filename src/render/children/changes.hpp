// Whether an object is what was asked for, whatever others have put into it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "json/document.hpp"

namespace dynamo::render {

// Each member of `wanted` stands in `live`. Lists whose elements have a key (containers, variables,
// ports, volumes, mounts, owners) may hold more, as sidecars that were injected; other lists must
// be equal. Quantities count by value, and what the API leaves out when it is empty ("", false, 0,
// {}, []) may be absent; replicas may not. Pure; nests calls as deep as the values.
bool covers(json::Value live, json::Value wanted);

// A field that is another than it was.
struct Change {
  std::string path = {};  // below the two values: "template.spec.containers[main].image"
  json::Value before = {};
  json::Value after = {};
};

// The two are one amount in other words ("1Gi", "1024Mi"), where an amount stands.
bool is_same_amount(const Change& change);

// In the order of `after`, removals after the rest; at most `most`.
std::vector<Change> changes(json::Value before, json::Value after, std::size_t most);

// For people, such as `image of main is "b:2" and was "a:1", 2 environment variables`. Values are
// told of images and replicas alone: others might be secrets. "" for no change.
std::string wording_of(const std::vector<Change>& changes);

}  // namespace dynamo::render
