// Metadata that controllers read: owners, finalizers, deletion.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/writer.hpp"
#include "kube/object/object.hpp"
#include "kube/object/resource.hpp"

namespace dynamo::kube {

struct OwnerReference {
  std::string api_version = {};
  std::string kind = {};
  std::string name = {};
  std::string uid = {};  // identifies the owner: another object of the same name is not it
  bool is_controller = false;
  // A foreground deletion of the owner waits for this object.
  bool blocks_deletion = false;
};

// For an object that the controller of `owner` creates.
OwnerReference controller_reference(const Resource& resource, const Object& owner);

std::vector<OwnerReference> owners_of(const Object& object);
// The controlling owner; an object has at most one.
std::optional<OwnerReference> controller_of(const Object& object);
// By uid, as controller or not.
bool is_owned_by(const Object& object, std::string_view uid);
void write_owner(json::Writer& writer, const OwnerReference& owner);

// The object is being deleted and exists only until its finalizers are removed: do not create
// anything for it.
bool is_terminating(const Object& object);
std::vector<std::string> finalizers_of(const Object& object);
bool has_finalizer(const Object& object, std::string_view finalizer);
// 0: the resource has none.
std::int64_t generation_of(const Object& object);

}  // namespace dynamo::kube
