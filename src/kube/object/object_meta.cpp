#include "kube/object/object_meta.hpp"

#include <algorithm>

namespace dynamo::kube {
namespace {

OwnerReference read_owner(json::Value owner) {
  return {.api_version = std::string(owner["apiVersion"].string_or_empty()),
          .kind = std::string(owner["kind"].string_or_empty()),
          .name = std::string(owner["name"].string_or_empty()),
          .uid = std::string(owner["uid"].string_or_empty()),
          .is_controller = owner["controller"].boolean().value_or(false),
          .blocks_deletion = owner["blockOwnerDeletion"].boolean().value_or(false)};
}

json::Elements elements_of(const Object& object, std::string_view field) {
  return object.root()["metadata"][field].elements();
}

}  // namespace

OwnerReference controller_reference(const Resource& resource, const Object& owner) {
  return {.api_version = resource.api_version(),
          .kind = std::string(resource.kind),
          .name = std::string(owner.name()),
          .uid = std::string(owner.uid()),
          .is_controller = true,
          .blocks_deletion = true};
}

std::vector<OwnerReference> owners_of(const Object& object) {
  std::vector<OwnerReference> owners;
  const json::Elements all = elements_of(object, "ownerReferences");
  for (const json::Value owner : all) owners.push_back(read_owner(owner));
  return owners;
}

std::optional<OwnerReference> controller_of(const Object& object) {
  const json::Elements all = elements_of(object, "ownerReferences");
  for (const json::Value owner : all) {
    if (owner["controller"].boolean().value_or(false)) return read_owner(owner);
  }
  return std::nullopt;
}

bool is_owned_by(const Object& object, std::string_view uid) {
  const json::Elements all = elements_of(object, "ownerReferences");
  for (const json::Value owner : all) {
    if (!uid.empty() && owner["uid"].string_or_empty() == uid) return true;
  }
  return false;
}

void write_owner(json::Writer& writer, const OwnerReference& owner) {
  writer.start_object();
  writer.member("apiVersion", owner.api_version).member("kind", owner.kind);
  writer.member("name", owner.name).member("uid", owner.uid);
  if (owner.is_controller) writer.key("controller").boolean(true);
  if (owner.blocks_deletion) writer.key("blockOwnerDeletion").boolean(true);
  writer.end_object();
}

bool is_terminating(const Object& object) {
  return !object.root()["metadata"]["deletionTimestamp"].is_nothing();
}

std::vector<std::string> finalizers_of(const Object& object) {
  std::vector<std::string> finalizers;
  const json::Elements all = elements_of(object, "finalizers");
  for (const json::Value each : all) finalizers.emplace_back(each.string_or_empty());
  return finalizers;
}

bool has_finalizer(const Object& object, std::string_view finalizer) {
  const std::vector<std::string> all = finalizers_of(object);
  return std::find(all.begin(), all.end(), finalizer) != all.end();
}

std::int64_t generation_of(const Object& object) {
  return object.root()["metadata"]["generation"].integer().value_or(0);
}

}  // namespace dynamo::kube
