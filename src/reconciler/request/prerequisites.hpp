// Objects that must exist before a request is profiled.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/kinds/objects.hpp"
#include "desired/observed_objects.hpp"

namespace dynamo::reconciler::request {

// The objects of the namespace that the spec names; empty texts: none.
struct NamedObjects {
  std::string_view config_map = {};
  std::string_view config_map_key = {};
  std::string_view claim = {};  // of the model cache
};
NamedObjects named_objects(const api::GraphDeploymentRequest& request);

// One line for each prerequisite that is missing among `objects`, with the path of the field. Also
// for a name that is too long for the Job. Pure.
std::vector<std::string> missing_prerequisites(const api::GraphDeploymentRequest& request,
                                               const ObservedObjects& objects);

}  // namespace dynamo::reconciler::request
