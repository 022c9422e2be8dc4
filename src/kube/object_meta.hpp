// What controllers read of an object's metadata: owners, finalizers, whether it is going.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/writer.hpp"
#include "kube/object.hpp"
#include "kube/resource.hpp"

namespace dynamo::kube {

struct OwnerReference {
  std::string api_version = {};
  std::string kind = {};
  std::string name = {};
  std::string uid = {};  // an owner is its uid: another object of that name is none
  bool is_controller = false;
  // Who deletes the owner in the foreground waits for this object.
  bool blocks_deletion = false;
};

// For an object that `owner`'s controller makes.
OwnerReference controller_reference(const Resource& resource, const Object& owner);

std::vector<OwnerReference> owners_of(const Object& object);
// The one that controls it; an object has at most one.
std::optional<OwnerReference> controller_of(const Object& object);
// By uid, whether it controls the object or not.
bool is_owned_by(const Object& object, std::string_view uid);
void write_owner(json::Writer& writer, const OwnerReference& owner);

// It was deleted, and is there for as long as finalizers keep it: nothing may be made for it.
bool is_going(const Object& object);
std::vector<std::string> finalizers_of(const Object& object);
bool has_finalizer(const Object& object, std::string_view finalizer);
// 0: the resource has none.
std::int64_t generation_of(const Object& object);

}  // namespace dynamo::kube
