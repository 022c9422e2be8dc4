#include "schema/cel_rules.hpp"

#include "schema/check_ids.hpp"
#include "schema/properties.hpp"
#include "schema/same_value.hpp"

namespace dynamo::schema {
namespace {

bool has(json::Value object, std::string_view name) {
  return !object[name].is_nothing();
}

// !has(self.create) || self.create == false ||
// (has(self.size) && has(self.storageClass) && has(self.volumeAccessMode))
bool claim_creation(json::Value claim) {
  if (!claim["create"].boolean().value_or(false)) return true;
  return has(claim, "size") && has(claim, "storageClass") && has(claim, "volumeAccessMode");
}

// !self.enabled || (has(self.checkpointRef) && size(self.checkpointRef) > 0) ||
// (has(self.identity) && has(self.identity.model) && has(self.identity.backendFramework))
bool checkpoint_source(json::Value checkpoint) {
  if (!checkpoint["enabled"].boolean().value_or(false)) return true;
  const json::Value reference = checkpoint["checkpointRef"];
  const json::Value identity = checkpoint["identity"];
  if (!reference.is_nothing() && !reference.is_string()) return true;
  if (!identity.is_nothing() && !identity.is_object()) return true;
  return !reference.string_or_empty().empty() ||
         (has(identity, "model") && has(identity, "backendFramework"));
}

// !has(oldSelf.spec.identity) || self.spec.identity == oldSelf.spec.identity
bool identity_unchanged(const CelSubject& subject) {
  if (!subject.old_self.is_object() || !subject.self["spec"].is_object()) return true;
  // CEL reports an error: an object stored without a spec cannot be updated.
  if (!subject.old_self["spec"].is_object()) return false;
  const json::Value before = subject.old_self["spec"]["identity"];
  if (before.is_nothing()) return true;
  const Property* const spec = find_property(subject.schema, "spec");
  const Property* const identity =
      spec == nullptr ? nullptr : find_property(*spec->schema, "identity");
  const json::Value now = subject.self["spec"]["identity"];
  if (identity == nullptr) return json::equal(now, before);
  return are_same_value(*identity->schema, now, before);
}

}  // namespace

bool holds(CelRule rule, const CelSubject& subject) {
  switch (rule) {
    case CelRule::kClaimCreation:
      return claim_creation(subject.self);
    case CelRule::kCheckpointSource:
      return checkpoint_source(subject.self);
    case CelRule::kIdentityUnchanged:
      return identity_unchanged(subject);
  }
  return true;
}

std::string_view id_of(CelRule rule) {
  switch (rule) {
    case CelRule::kClaimCreation:
      return ids::kClaimCreation;
    case CelRule::kCheckpointSource:
      return ids::kCheckpointSource;
    case CelRule::kIdentityUnchanged:
      return ids::kIdentityUnchanged;
  }
  return {};
}

}  // namespace dynamo::schema
