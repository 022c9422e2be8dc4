// An object as a store keeps it.
#pragma once

#include <string>
#include <vector>

#include "json/document.hpp"
#include "kube/resource.hpp"

namespace dynamo::kube {

struct PackOptions {
  // Members of the object, or of one of them: "status", "spec.versions".
  std::vector<std::string> left_out = {};
  bool metadata_only = false;
};

// Compact JSON, without metadata.managedFields and what is left out, with apiVersion and kind,
// which lists leave out of their items.
void append_packed(std::string& text, const Resource& resource, json::Value object,
                   const PackOptions& options);
// What each of them begins with.
std::string packed_head(const Resource& resource);
std::string packed(const Resource& resource, json::Value object, const PackOptions& options);

}  // namespace dynamo::kube
