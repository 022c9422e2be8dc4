// All that becomes of an object, down to what runs: its children, and the children of its
// components.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/kind.hpp"
#include "json/document.hpp"
#include "render/children/child.hpp"
#include "render/children/environment.hpp"

namespace dynamo::render {

struct Tree {
  // Wanted ones only: each component is followed by what is made of it.
  std::vector<Child> items = {};
  // Why there is not more, each with the object that says so: "DynamoComponentDeployment g-decode
  // spec.ingress: must …".
  std::vector<std::string> refused = {};
};

// Empty for the kinds that nothing is made of. As children_of(): thread-safe, allocates.
Tree tree_of(api::Kind kind, json::Value object, std::string_view namespace_name,
             const ChildEnvironment& environment);

// What changes when one tree becomes another.
struct TreeChange {
  enum class What : std::uint8_t { kMade, kChanged, kGone };
  What what = What::kChanged;
  std::string kind = {};
  std::string name = {};
  bool rolls = false;        // its pods are replaced
  std::string changes = {};  // of a changed one, as wording_of() says it
};

// In the order of `after`, then what goes.
std::vector<TreeChange> changes_of(const Tree& before, const Tree& after);

}  // namespace dynamo::render
