// Request bodies of a controller's writes. Pure functions that return the JSON for Client.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "json/writer.hpp"
#include "kube/object/object.hpp"
#include "kube/object/object_key.hpp"
#include "kube/object/object_meta.hpp"
#include "kube/object/resource.hpp"

namespace dynamo::kube {

// JSON patches (PatchType::kJson). The server refuses them with 409 or 422 if the object has
// changed since it was read. So they never affect another object of the same name, and never drop a
// finalizer of another controller.
std::string add_finalizer_patch(const Object& seen, std::string_view finalizer);
std::string remove_finalizer_patch(const Object& seen, std::string_view finalizer);

// The beginning of an apply. An apply with a uid never recreates an object that was deleted in the
// meantime: the server refuses it with 409.
struct ApplyHeader {
  ObjectKey key = {};
  std::string uid = {};  // of the observed object; empty: create
  // Version of the observed object: the server refuses the apply with 409 if it has changed. Empty:
  // any version.
  std::string resource_version = {};
  std::map<std::string, std::string> labels = {};
  std::map<std::string, std::string> annotations = {};
  std::vector<OwnerReference> owners = {};
};
// Writes apiVersion, kind and metadata into an object that the caller starts and ends.
void write_apply_header(json::Writer& writer, const Resource& resource, const ApplyHeader& header);

// The object with this status, for PatchType::kApply to `/status`.
std::string apply_status(const Resource& resource, const Object& seen, std::string_view status);
// The same for PatchType::kMerge, to `/status` or, for resources without that subresource, to the
// object. The server refuses it with 409 if the object has changed since it was read.
std::string merge_status(const Object& seen, std::string_view status);

}  // namespace dynamo::kube
