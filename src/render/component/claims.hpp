// The PersistentVolumeClaims of a graph: those it creates, those it expects, and the services that
// mount them.
#pragma once

#include <span>
#include <string_view>

#include "api/kinds/objects.hpp"
#include "json/document.hpp"
#include "render/document/arena.hpp"
#include "render/document/origin.hpp"

namespace dynamo::render {

// An entry of spec.pvcs. The operator skips entries without a name.
struct Claim {
  std::string_view name = {};
  json::Value definition = {};
  Origin origin = {};
  bool created = false;  // the operator creates it if it does not exist

  std::string_view access_mode() const { return definition["volumeAccessMode"].string_or_empty(); }
  std::string_view storage_class() const { return definition["storageClass"].string_or_empty(); }
  json::Value size() const { return definition["size"]; }
};

std::span<const Claim> graph_claims(const api::GraphDeployment& graph, Arena& arena);

}  // namespace dynamo::render
