// Compact form of an object in a store.
#pragma once

#include <string>
#include <vector>

#include "json/document.hpp"
#include "kube/object/resource.hpp"

namespace dynamo::kube {

struct PackOptions {
  // Members of the object, or of one of its members: "status", "spec.versions".
  std::vector<std::string> left_out = {};
  bool metadata_only = false;
};

// Compact JSON without metadata.managedFields and the fields to leave out, but with apiVersion and
// kind, which lists omit in their items.
void append_packed(std::string& text, const Resource& resource, json::Value object,
                   const PackOptions& options);
// The common beginning of these texts.
std::string packed_head(const Resource& resource);
std::string packed(const Resource& resource, json::Value object, const PackOptions& options);

}  // namespace dynamo::kube
