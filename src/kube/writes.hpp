// The bodies of a controller's writes. Pure: each answers the JSON that Client sends.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "json/writer.hpp"
#include "kube/object.hpp"
#include "kube/object_key.hpp"
#include "kube/object_meta.hpp"
#include "kube/resource.hpp"

namespace dynamo::kube {

// JSON patches (PatchType::kJson) that the server refuses, with 409 or 422, when the object is no
// longer the one that was seen: nothing is done to another of that name, and nobody's finalizer is
// lost.
std::string add_finalizer_patch(const Object& seen, std::string_view finalizer);
std::string remove_finalizer_patch(const Object& seen, std::string_view finalizer);

// What an apply begins with. An apply with a uid never makes anew what somebody has deleted
// meanwhile: it is refused with 409.
struct ApplyHeader {
  ObjectKey key = {};
  std::string uid = {};  // of what was seen; empty: make it
  // That was seen: refused with 409 when it is no longer; empty: whatever it is by now.
  std::string resource_version = {};
  std::map<std::string, std::string> labels = {};
  std::map<std::string, std::string> annotations = {};
  std::vector<OwnerReference> owners = {};
};
// Writes apiVersion, kind and metadata into an object that the caller has begun, and ends.
void write_apply_header(json::Writer& writer, const Resource& resource, const ApplyHeader& header);

// The object with this status, for PatchType::kApply to `/status`.
std::string apply_status(const Resource& resource, const Object& seen, std::string_view status);
// The same as PatchType::kMerge, to `/status` or, for resources without it, to the object: refused
// with 409 when the object is no longer the version that was seen.
std::string merge_status(const Object& seen, std::string_view status);

// For `/scale`: PatchType::kMerge, and PatchType::kApply.
std::string merge_scale(std::int64_t replicas);
std::string apply_scale(const ObjectKey& key, std::int64_t replicas);

}  // namespace dynamo::kube
