#include "schema/builtin_checks.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "api/field_path.hpp"
#include "schema/check_ids.hpp"
#include "schema/properties.hpp"
#include "schema/same_value.hpp"
#include "schema/wording.hpp"
#include "text/names.hpp"

namespace dynamo::schema {
namespace {

using enum api::ErrorType;

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

constexpr std::string_view kSubdomain =
    "must be a DNS subdomain: at most 253 lower case letters, digits, '-' and '.', each part "
    "beginning and ending with a letter or digit; found ";
constexpr std::string_view kQualifiedName =
    "must have as its key a name of at most 63 letters, digits, '-', '_' and '.', beginning and "
    "ending with a letter or digit, after an optional DNS subdomain and '/'";

class MetadataCheck {
 public:
  MetadataCheck(json::Value metadata, api::ErrorList& findings)
      : metadata_(metadata), findings_(findings) {}

  void names() {
    const json::Value generate_name = metadata_["generateName"];
    const std::string_view prefix = generate_name.string_or_empty();
    if (!prefix.empty() && !text::is_dns_subdomain_prefix(prefix)) {
      add(kInvalid, path_.child("generateName"), std::string(kSubdomain) + quoted(prefix),
          ids::kGenerateName);
    }
    const json::Value name = metadata_["name"];
    if (is_empty(name)) {
      if (is_empty(generate_name)) {
        add(kRequired, path_.child("name"), "must be set, or generateName", ids::kName);
      }
    } else if (name.is_string() && !text::is_dns_subdomain(name.string_or_empty())) {
      add(kInvalid, path_.child("name"), std::string(kSubdomain) + quoted(name.string_or_empty()),
          ids::kName);
    }
    const std::string_view space = metadata_["namespace"].string_or_empty();
    if (!space.empty() && !text::is_dns_label(space)) {
      add(kInvalid, path_.child("namespace"),
          "must be a DNS label: at most 63 lower case letters, digits and '-', beginning and "
          "ending with a letter or digit; found " +
              quoted(space),
          ids::kNamespace);
    }
  }

  void labels() {
    const api::FieldPath labels = path_.child("labels");
    for (const json::Member label : metadata_["labels"].members()) {
      if (!text::is_qualified_name(label.name)) {
        add(kInvalid, labels.key(label.name), std::string(kQualifiedName), ids::kLabels);
      }
      if (!text::is_label_value(label.value.string_or_empty())) {
        add(kInvalid, labels.key(label.name),
            "must be empty, or at most 63 letters, digits, '-', '_' and '.', beginning and ending "
            "with a letter or digit; found " +
                quoted(label.value.string_or_empty()),
            ids::kLabels);
      }
    }
  }

  void annotations() {
    constexpr std::size_t kMaxBytes = std::size_t{256} << 10U;
    const api::FieldPath annotations = path_.child("annotations");
    std::size_t bytes = 0;
    for (const json::Member annotation : metadata_["annotations"].members()) {
      bytes += annotation.name.size() + annotation.value.string_or_empty().size();
      if (text::is_annotation_key(annotation.name)) continue;
      add(kInvalid, annotations.key(annotation.name), std::string(kQualifiedName),
          ids::kAnnotations);
    }
    if (bytes <= kMaxBytes) return;
    add(kTooLong, annotations,
        "must take at most 262144 bytes together, keys and values; found " + std::to_string(bytes),
        ids::kAnnotations);
  }

  void owner_references() {
    const api::FieldPath owners = path_.child("ownerReferences");
    std::size_t index = 0;
    std::size_t controllers = 0;
    for (const json::Value owner : metadata_["ownerReferences"].elements()) {
      const api::FieldPath path = owners.index(index++);
      if (!owner.is_object() && !owner.is_nothing()) continue;
      for (const std::string_view name : {"kind", "name", "uid"}) {
        if (is_empty(owner[name])) {
          add(kInvalid, path.child(name), "must not be empty", ids::kOwnerReferences);
        }
      }
      const json::Value version = owner["apiVersion"];
      if (is_empty(version) || (version.is_string() && !names_a_version(version))) {
        add(kInvalid, path.child("apiVersion"),
            "must be GROUP/VERSION, or VERSION for the core group", ids::kOwnerReferences);
      }
      if (owner["controller"].boolean().value_or(false)) ++controllers;
    }
    if (controllers < 2) return;
    add(kInvalid, owners,
        "must have at most one owner with controller: true; found " + std::to_string(controllers),
        ids::kOwnerReferences);
  }

  void finalizers() {
    const api::FieldPath finalizers = path_.child("finalizers");
    std::size_t index = 0;
    bool orphans = false;
    bool deletes = false;
    for (const json::Value finalizer : metadata_["finalizers"].elements()) {
      const api::FieldPath path = finalizers.index(index++);
      if (!finalizer.is_string() && !finalizer.is_nothing()) continue;
      const std::string_view name = finalizer.string_or_empty();
      orphans = orphans || name == "orphan";
      deletes = deletes || name == "foregroundDeletion";
      if (text::is_qualified_name(name)) continue;
      add(kInvalid, path,
          "must be a qualified name such as example.com/clean-up; found " + quoted(name),
          ids::kFinalizers);
    }
    if (!orphans || !deletes) return;
    add(kInvalid, finalizers, "must not hold both orphan and foregroundDeletion; found both",
        ids::kFinalizers);
  }

 private:
  static bool is_empty(json::Value text) {
    return text.is_nothing() || (text.is_string() && text.string_or_empty().empty());
  }

  static bool names_a_version(json::Value api_version) {
    const std::string_view text = api_version.string_or_empty();
    const std::size_t slash = text.find('/');
    if (slash == std::string_view::npos) return true;
    const std::string_view version = text.substr(slash + 1);
    return !version.empty() && version.find('/') == std::string_view::npos;
  }

  void add(api::ErrorType type, const api::FieldPath& path, std::string detail,
           std::string_view id) {
    if (findings_.are_errors_full()) return findings_.omit_error();
    findings_.add({type, path.render(), std::move(detail), id});
  }

  const json::Value metadata_;
  const api::FieldPath path_{"metadata"};
  api::ErrorList& findings_;
};

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

void validate_metadata(json::Value metadata, bool is_update, api::ErrorList& findings) {
  // The type check already reports metadata that is not an object.
  if (!metadata.is_nothing() && !metadata.is_object()) return;
  MetadataCheck check{metadata, findings};
  if (!is_update) {
    check.names();
    check.finalizers();
  }
  check.labels();
  check.annotations();
  check.owner_references();
}

}  // namespace dynamo::schema
