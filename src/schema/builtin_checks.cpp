#include "schema/builtin_checks.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "api/field_path.hpp"
#include "schema/check_ids.hpp"
#include "schema/defaults.hpp"
#include "schema/properties.hpp"
#include "schema/quantity.hpp"
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
bool claim_creation(const CelSubject& subject) {
  const json::Value claim = subject.self;
  if (!claim["create"].boolean().value_or(false)) return true;
  return has(claim, "size") && has(claim, "storageClass") && has(claim, "volumeAccessMode");
}

// !self.enabled || (has(self.checkpointRef) && size(self.checkpointRef) > 0) ||
// (has(self.identity) && has(self.identity.model) && has(self.identity.backendFramework))
bool checkpoint_source(const CelSubject& subject) {
  const json::Value checkpoint = subject.self;
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

// !has(self.checkpointRef) || size(self.checkpointRef) == 0 || !has(self.job)
bool checkpoint_job(const CelSubject& subject) {
  return subject.self["checkpointRef"].string_or_empty().empty() || !has(subject.self, "job");
}

bool is_equal_ignoring_case(std::string_view left, std::string_view right) {
  const auto lower = [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  return std::ranges::equal(left, right, {}, lower, lower);
}

// Whether the list is no longer than its schema allows: the API server evaluates no rule of a
// longer one, and a comparison of all pairs would take too long.
bool has_allowed_length(const CelSubject& subject) {
  const Limits* const limits = subject.schema.limits;
  return limits != nullptr && limits->max_items && subject.self.size() <= *limits->max_items;
}

template <typename Predicate>
std::size_t count_elements(json::Value list, Predicate matches) {
  std::size_t count = 0;
  for (const json::Value each : list.elements()) {
    if (matches(each)) ++count;
  }
  return count;
}

// self.all(each, !has(each.name) || self.filter(other, has(other.name) &&
// other.name.lowerAscii() == each.name.lowerAscii()).size() == 1)
bool component_names(const CelSubject& subject) {
  if (!has_allowed_length(subject)) return true;
  for (const json::Value each : subject.self.elements()) {
    const std::string_view name = each["name"].string_or_empty();
    const auto is_same = [name](json::Value other) {
      return is_equal_ignoring_case(other["name"].string_or_empty(), name);
    };
    if (!name.empty() && count_elements(subject.self, is_same) > 1) return false;
  }
  return true;
}

// self.filter(each, has(each.type) && each.type == 'epp').size() <= 1
bool single_epp(const CelSubject& subject) {
  return count_elements(subject.self, [](json::Value each) {
           return each["type"].string_or_empty() == "epp";
         }) <= 1;
}

// has(self.image) && size(self.image) > 0
bool init_container_image(const CelSubject& subject) {
  const json::Value image = subject.self["image"];
  return image.is_nothing() ? false : !image.is_string() || !image.string_or_empty().empty();
}

// self.name == 'main' || (has(self.image) && size(self.image) > 0)
bool container_image(const CelSubject& subject) {
  const json::Value name = subject.self["name"];
  return !name.is_string() || name.string_or_empty() == "main" || init_container_image(subject);
}

// has(self.configMapRef) != has(self.config)
bool epp_config_source(const CelSubject& subject) {
  return has(subject.self, "configMapRef") != has(subject.self, "config");
}

// !has(self.eppConfig) || (has(self.type) && self.type == 'epp')
bool epp_config_type(const CelSubject& subject) {
  return !has(subject.self, "eppConfig") || subject.self["type"].string_or_empty() == "epp";
}

// !('nvidia.com/vllm-distributed-executor-backend' in self) ||
// self['nvidia.com/vllm-distributed-executor-backend'].lowerAscii() in ['mp', 'ray']
bool executor_backend(const CelSubject& subject) {
  const json::Value value = subject.self["nvidia.com/vllm-distributed-executor-backend"];
  if (!value.is_string()) return true;
  const std::string_view text = value.string_or_empty();
  return is_equal_ignoring_case(text, "mp") || is_equal_ignoring_case(text, "ray");
}

// A member that has a default, as the API server reads it.
std::string_view text_or_default(const CelSubject& subject, std::string_view name) {
  const Property* const property = find_property(subject.schema, name);
  const json::Value value = subject.self[name];
  if (property == nullptr) return value.string_or_empty();
  return effective(*property->schema, value).string_or_empty();
}

// The versions spell the modes intraPod and IntraPod.
bool has_mode(const CelSubject& subject, std::string_view mode) {
  return is_equal_ignoring_case(text_or_default(subject, "mode"), mode);
}

// !has(self.extraClientContainers) || size(self.extraClientContainers) == 0 || self.mode ==
// 'intraPod'
bool gms_client_containers(const CelSubject& subject) {
  return subject.self["extraClientContainers"].size() == 0 || has_mode(subject, "intrapod");
}

// !has(self.extraClientPods) || size(self.extraClientPods) == 0 || self.mode == 'interPod'
bool gms_client_pods(const CelSubject& subject) {
  return subject.self["extraClientPods"].size() == 0 || has_mode(subject, "interpod");
}

// !has(self.extraClientPods) || size(self.extraClientPods) == 0
bool gms_client_pods_reserved(const CelSubject& subject) {
  return subject.self["extraClientPods"].size() == 0;
}

bool is_preferred(const CelSubject& policy) {
  return text_or_default(policy, "enforcement") == "preferred";
}

// self.enforcement != 'preferred' || has(self.preferredWeight)
bool kv_preferred_weight(const CelSubject& subject) {
  return !is_preferred(subject) || has(subject.self, "preferredWeight");
}

// has(self.labelKey) != has(self.clusterTopologyName)
bool kv_topology(const CelSubject& subject) {
  return has(subject.self, "labelKey") != has(subject.self, "clusterTopologyName");
}

// !has(self.preferredWeight) || self.enforcement == 'preferred'
bool kv_weight_enforcement(const CelSubject& subject) {
  return !has(subject.self, "preferredWeight") || is_preferred(subject);
}

// self.indexOf('/') <= 253
bool label_prefix(const CelSubject& subject) {
  constexpr std::size_t kLongest = 253;
  const std::size_t slash = subject.self.string_or_empty().find('/');
  return slash == std::string_view::npos || slash <= kLongest;
}

// !has(self.minAvailable) ||
// (has(self.replicas) ? self.replicas == 0 || self.minAvailable <= self.replicas
//                     : self.minAvailable <= 1)
bool min_available(const CelSubject& subject) {
  const auto least = subject.self["minAvailable"].integer();
  if (!least) return true;
  const json::Value replicas = subject.self["replicas"];
  if (replicas.is_nothing()) return *least <= 1;
  const auto count = replicas.integer();
  return !count || *count == 0 || *least <= *count;
}

// !has(oldSelf.minAvailable) ||
// (has(self.minAvailable) && self.minAvailable == oldSelf.minAvailable)
bool min_available_unchanged(const CelSubject& subject) {
  const auto before = subject.old_self["minAvailable"].integer();
  const json::Value now = subject.self["minAvailable"];
  if (!before) return true;
  return now.is_nothing() ? false : !now.integer() || now.integer() == before;
}

// oldSelf.hasValue() || !has(self.restart), with optionalOldSelf
bool restart_on_create(const CelSubject& subject) {
  return subject.old_self.exists() || !has(subject.self, "restart");
}

// (has(self.disabled) && self.disabled) || (has(self.size) &&
// (type(self.size) == int ? self.size > 0 : quantity(self.size).isGreaterThan(quantity('0'))))
bool shared_memory_size(const CelSubject& subject) {
  if (subject.self["disabled"].boolean().value_or(false)) return true;
  const json::Value size = subject.self["size"];
  if (size.is_nothing()) return false;
  if (const auto number = size.number()) return *number > 0;
  const std::string_view text = size.string_or_empty();
  return !is_quantity(text) || (!text.starts_with('-') && !is_zero_quantity(text));
}

struct RuleRow {
  CelRule rule;
  std::string_view id;
  bool (*holds)(const CelSubject&);
  bool needs_old_value = false;
};

// By the value of CelRule.
constexpr std::array kRules = std::to_array<RuleRow>({
    {CelRule::kClaimCreation, ids::kClaimCreation, claim_creation},
    {CelRule::kCheckpointSource, ids::kCheckpointSource, checkpoint_source},
    {CelRule::kIdentityUnchanged, ids::kIdentityUnchanged, identity_unchanged, true},
    {CelRule::kCheckpointJob, ids::kCheckpointJob, checkpoint_job},
    {CelRule::kComponentNames, ids::kComponentNames, component_names},
    {CelRule::kContainerImage, ids::kContainerImage, container_image},
    {CelRule::kEppConfigSource, ids::kEppConfigSource, epp_config_source},
    {CelRule::kEppConfigType, ids::kEppConfigType, epp_config_type},
    {CelRule::kExecutorBackend, ids::kExecutorBackend, executor_backend},
    {CelRule::kGmsClientContainers, ids::kGmsClientContainers, gms_client_containers},
    {CelRule::kGmsClientPods, ids::kGmsClientPods, gms_client_pods},
    {CelRule::kGmsClientPodsReserved, ids::kGmsClientPodsReserved, gms_client_pods_reserved},
    {CelRule::kInitContainerImage, ids::kInitContainerImage, init_container_image},
    {CelRule::kKvPreferredWeight, ids::kKvPreferredWeight, kv_preferred_weight},
    {CelRule::kKvTopology, ids::kKvTopology, kv_topology},
    {CelRule::kKvWeightEnforcement, ids::kKvWeightEnforcement, kv_weight_enforcement},
    {CelRule::kLabelPrefix, ids::kLabelPrefix, label_prefix},
    {CelRule::kMinAvailable, ids::kMinAvailable, min_available},
    {CelRule::kMinAvailableUnchanged, ids::kMinAvailableUnchanged, min_available_unchanged, true},
    {CelRule::kRestartOnCreate, ids::kRestartOnCreate, restart_on_create, true},
    {CelRule::kSharedMemorySize, ids::kSharedMemorySize, shared_memory_size},
    {CelRule::kSingleEpp, ids::kSingleEpp, single_epp},
});
static_assert(std::ranges::is_sorted(kRules, {}, &RuleRow::rule));
static_assert(kRules.size() == static_cast<std::size_t>(CelRule::kSingleEpp) + 1);

const RuleRow& row_of(CelRule rule) {
  return kRules[static_cast<std::size_t>(rule)];
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

bool needs_old_value(CelRule rule) {
  return row_of(rule).needs_old_value;
}

bool holds(CelRule rule, const CelSubject& subject) {
  return row_of(rule).holds(subject);
}

std::string_view id_of(CelRule rule) {
  return row_of(rule).id;
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
