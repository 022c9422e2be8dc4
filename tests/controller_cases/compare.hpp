// How an object that was made is compared with the one that was measured.
#pragma once

#include <string>
#include <vector>

#include "tests/controller_cases/value.hpp"

namespace dynamo::cases {

// Of members and, in brackets, of places in lists: {"metadata", "labels", "nvidia.com/selector"},
// {"ports", "[0]", "name"}.
using Keys = std::vector<std::string>;

// A place where they differ. The values belong to what was compared; null for an absent one.
struct Difference {
  Keys keys;
  std::string path;  // the keys as they are told: "spec.template.spec.containers[0].image"
  const Value* measured = nullptr;
  const Value* made = nullptr;
  std::string line;  // "spec.replicas: must be 2; found 1"
};

// Lists compare in their order; quantities by value; texts that hold YAML by what they hold; what a
// cluster adds is left out. A difference inside of two objects or of two lists of one length is
// told where it is.
std::vector<Difference> differences_of(const Value& measured, const Value& made);

// Null where there is none.
const Value& at_keys(const Value& whole, const Keys& keys);

// The lines alone.
std::vector<std::string> differences(const Value& measured, const Value& made);

}  // namespace dynamo::cases
