// All objects that result from an object, down to the workloads: its owned objects and those of its
// components.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "api/kind.hpp"
#include "json/document.hpp"
#include "manifests/desired_object.hpp"
#include "manifests/environment.hpp"

namespace dynamo::render {

struct Tree {
  // Wanted objects only; each component is followed by its own objects.
  std::vector<DesiredObject> items = {};
  // Why objects are missing, each with the refusing object: "DynamoComponentDeployment g-decode
  // spec.ingress: must ...".
  std::vector<std::string> refused = {};
};

// Empty for kinds without owned objects. Like desired_objects_of(), thread-safe; it allocates.
Tree tree_of(api::Kind kind, json::Value object, std::string_view namespace_name,
             const RenderEnvironment& environment);

// The same for what later operators create. `hub` is the object in v1beta1; `alpha` is the same
// object in v1alpha1, or absent. `to_written` turns a field path of v1alpha1 into that of the
// version that the user wrote. Empty for kinds other than graphs, components and requests.
Tree hub_tree_of(api::Kind kind, json::Value hub, json::Value alpha,
                 std::string_view namespace_name, const RenderEnvironment& environment,
                 const std::function<std::string(const std::string&)>& to_written);

// One difference between two trees.
struct TreeChange {
  enum class Operation : std::uint8_t { kCreate, kUpdate, kDelete };
  Operation operation = Operation::kUpdate;
  std::string kind = {};
  std::string name = {};
  bool rolls = false;        // its pods are replaced
  std::string changes = {};  // of a changed object, in the form of wording_of()
};

// The changes in the order of `after`, then the deletions.
std::vector<TreeChange> changes_of(const Tree& before, const Tree& after);

}  // namespace dynamo::render
