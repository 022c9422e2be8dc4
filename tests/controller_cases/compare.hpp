// Compares a created object with the recorded one.
#pragma once

#include <string>
#include <vector>

#include "tests/controller_cases/value.hpp"

namespace dynamo::cases {

// Path of member names and list indexes in brackets: {"metadata", "labels", "nvidia.com/selector"},
// {"ports", "[0]", "name"}.
using Keys = std::vector<std::string>;

// A difference between two values. The pointers refer to the compared values; null if absent.
struct Difference {
  Keys keys;
  std::string path;  // the keys as text: "spec.template.spec.containers[0].image"
  const Value* recorded = nullptr;
  const Value* actual = nullptr;
  std::string line;  // "spec.replicas: must be 2; found 1"
};

// Compares lists in order, quantities by value, and YAML texts by content; ignores fields that a
// cluster adds. Reports the innermost path for differences inside two objects or two lists of equal
// length.
std::vector<Difference> differences_of(const Value& recorded, const Value& actual);

// The recorded PodCliqueSet with its cliques and scaling groups in the order of the actual one,
// because upstream visits the services in no particular order, and without the zero counts that Go
// writes into a status.
Object with_cliques_in_order(const Value& recorded, const Value& actual);

// Null if absent.
const Value& at_keys(const Value& whole, const Keys& keys);

// Only the lines of differences_of().
std::vector<std::string> differences(const Value& recorded, const Value& actual);

}  // namespace dynamo::cases
