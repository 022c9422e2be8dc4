#include "validators/hub/provider_override.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <vector>

namespace dynamo::validators::hub {

using api::ErrorType;
using api::FieldPath;

namespace {

constexpr std::string_view kGroveVersion = "grove.io/v1alpha1";
constexpr std::string_view kGraphTarget = "PodCliqueSet";
constexpr std::string_view kGroupTarget = "PodCliqueScalingGroupConfig";
constexpr std::string_view kCliqueTarget = "PodCliqueTemplateSpec";
constexpr std::string_view kTopology = "topologyConstraint";

// A field of Grove's types; `path` begins at the value of an override for that target.
struct GroveField {
  std::string_view target;
  std::string_view path;
  json::Type type;
};
// Without the parents of a topology constraint and the constraint itself, which check_value()
// requires to be objects.
constexpr GroveField kGroveFields[] = {
    {kGraphTarget, "apiVersion", json::Type::kString},
    {kGraphTarget, "kind", json::Type::kString},
    {kGraphTarget, "metadata", json::Type::kObject},
    {kGraphTarget, "spec.replicas", json::Type::kInteger},
    {kGraphTarget, "spec.template.cliqueStartupType", json::Type::kString},
    {kGraphTarget, "spec.template.cliques", json::Type::kArray},
    {kGraphTarget, "spec.template.headlessServiceConfig", json::Type::kObject},
    {kGraphTarget, "spec.template.podCliqueScalingGroups", json::Type::kArray},
    {kGraphTarget, "spec.template.priorityClassName", json::Type::kString},
    {kGraphTarget, "spec.template.terminationDelay", json::Type::kString},
    {kGraphTarget, "spec.template.topologyConstraint.pack", json::Type::kObject},
    {kGraphTarget, "spec.template.topologyConstraint.packDomain", json::Type::kString},
    {kGraphTarget, "spec.template.topologyConstraint.topologyName", json::Type::kString},
    {kGraphTarget, "spec.updateStrategy", json::Type::kObject},
    {kGroupTarget, "cliqueNames", json::Type::kArray},
    {kGroupTarget, "minAvailable", json::Type::kInteger},
    {kGroupTarget, "name", json::Type::kString},
    {kGroupTarget, "replicas", json::Type::kInteger},
    {kGroupTarget, "topologyConstraint.pack", json::Type::kObject},
    {kGroupTarget, "topologyConstraint.packDomain", json::Type::kString},
    {kGroupTarget, "topologyConstraint.topologyName", json::Type::kString},
    {kCliqueTarget, "annotations", json::Type::kObject},
    {kCliqueTarget, "labels", json::Type::kObject},
    {kCliqueTarget, "name", json::Type::kString},
    {kCliqueTarget, "spec", json::Type::kObject},
    {kCliqueTarget, "topologyConstraint.pack", json::Type::kObject},
    {kCliqueTarget, "topologyConstraint.packDomain", json::Type::kString},
    {kCliqueTarget, "topologyConstraint.topologyName", json::Type::kString},
};

json::Value find_at(json::Value value, std::string_view path) {
  for (;;) {
    const std::size_t dot = path.find('.');
    value = value[path.substr(0, dot)];
    if (dot == path.npos) return value;
    path.remove_prefix(dot + 1);
  }
}

bool has_type(json::Value value, json::Type type) {
  return type == json::Type::kInteger ? value.integer().has_value() : value.is(type);
}

// The first field that Grove's type of the target cannot hold, or null.
const GroveField* find_mistyped(std::string_view target, json::Value value) {
  const auto* const found = std::ranges::find_if(kGroveFields, [&](const GroveField& field) {
    if (field.target != target) return false;
    const json::Value at = find_at(value, field.path);
    return !at.is_nothing() && !has_type(at, field.type);
  });
  return found == std::end(kGroveFields) ? nullptr : found;
}

// Reports the members other than `allowed`, sorted by name. Values are never repeated.
void refuse_other_members(json::Value object, std::string_view allowed, const FieldPath& path,
                          Report& report) {
  std::vector<std::string_view> others;
  for (const json::Member member : object.members()) {
    if (member.name != allowed) others.push_back(member.name);
  }
  std::ranges::sort(others);
  const auto repeated = std::ranges::unique(others);
  others.erase(repeated.begin(), repeated.end());
  for (const std::string_view name : others) {
    report.add(ErrorType::kForbidden, path.child(name), [&] {
      return "must not be set: an override may hold nothing but " + std::string(allowed) +
             " here; remove it";
    });
  }
}

// Whether `value` has the member, as an object. Otherwise reports it.
bool require_member(json::Value value, std::string_view name, const FieldPath& path,
                    Report& report) {
  if (value[name].is_object()) return true;
  report.add(ErrorType::kInvalid, path.child(name),
             std::string(value[name].is_nothing() ? "must be set" : "must be an object") +
                 "; write the topology constraint of Grove, or remove the override");
  return false;
}

void check_value(std::string_view target, json::Value value, const FieldPath& path,
                 Report& report) {
  if (!value.is_object()) {
    report.add(ErrorType::kInvalid, path,
               "must be an object that holds the topology constraint of Grove");
    return;
  }
  if (const GroveField* const field = find_mistyped(target, value)) {
    report.add(ErrorType::kInvalid, path,
               "must fit the " + std::string(target) + " of Grove, where " +
                   std::string(field->path) + " has type " +
                   std::string(json::type_name(field->type)) +
                   "; write nothing but the topology constraint");
    return;
  }
  if (target != kGraphTarget) {
    refuse_other_members(value, kTopology, path, report);
    require_member(value, kTopology, path, report);
    return;
  }
  refuse_other_members(value, "spec", path, report);
  if (!require_member(value, "spec", path, report)) return;
  const FieldPath spec = path.child("spec");
  refuse_other_members(value["spec"], "template", spec, report);
  if (!require_member(value["spec"], "template", spec, report)) return;
  const FieldPath pods = spec.child("template");
  refuse_other_members(value["spec"]["template"], kTopology, pods, report);
  require_member(value["spec"]["template"], kTopology, pods, report);
}

// A creation records the provider, from facts that may be unknown here.
bool is_provider_open(const ObjectView& object) {
  return !object.is_update() && object.is_on_grove() == api::Fact::kUnknown;
}

// Why no override may exist here; "" if it may.
std::string_view why_refused(const ObjectView& object) {
  if (!object.is_graph()) {
    return "must not be set here: only a DynamoGraphDeployment has provider overrides; remove it";
  }
  if (is_provider_open(object)) return {};
  if (object.annotation(kProviderAnnotation).is_nothing()) {
    return "must not be set before the annotation nvidia.com/workload-provider is; wait until the "
           "operator has chosen the provider";
  }
  if (object.has_grove_provider()) return {};
  return "must not be set unless the annotation nvidia.com/workload-provider is grove; remove it";
}

// `is_defaulted`: an empty target will be set.
void check_target(std::string_view target, bool is_defaulted, json::Value provider_override,
                  const FieldPath& path, Report& report) {
  std::string_view given = provider_override["target"].string_or_empty();
  if (given.empty() && is_defaulted) given = target;
  if (given.empty()) {
    report.add(ErrorType::kRequired, path.child("target"),
               "must be " + std::string(target) + "; found nothing");
  } else if (given != target) {
    report.add(ErrorType::kInvalid, path.child("target"),
               "must be " + std::string(target) + " here; found " + quoted(given));
  } else {
    check_value(target, provider_override["value"], path.child("value"), report);
  }
}

}  // namespace

std::string_view override_target(OverrideScope scope, json::Value component) {
  switch (scope) {
    case OverrideScope::kGraph:
      return kGraphTarget;
    case OverrideScope::kComponent:
      return renders_scaling_group(component) ? kGroupTarget : kCliqueTarget;
    case OverrideScope::kRole:
      return is_multinode(component) && !is_inter_pod(gpu_memory_of(component)) ? kCliqueTarget
                                                                                : "";
  }
  return {};
}

void check_override(const ObjectView& object, OverrideScope scope, json::Value component,
                    json::Value provider_override, const FieldPath& path, Report& report) {
  if (provider_override.is_nothing()) return;
  if (const std::string_view reason = why_refused(object); !reason.empty()) {
    return report.add(ErrorType::kForbidden, path, std::string(reason));
  }
  const std::string_view version = provider_override["apiVersion"].string_or_empty();
  if (version.empty()) {
    return report.add(ErrorType::kRequired, path.child("apiVersion"),
                      "must be " + std::string(kGroveVersion) + "; found nothing");
  }
  if (version != kGroveVersion) {
    return report.add(ErrorType::kNotSupported, path.child("apiVersion"),
                      "must be " + std::string(kGroveVersion) + "; found " + quoted(version));
  }
  const std::string_view target = override_target(scope, component);
  if (target.empty()) {
    return report.add(ErrorType::kForbidden, path,
                      "must not be set: a leader or worker has a part of its own in Grove only if "
                      "the component has several nodes and no InterPod GPU memory service; use "
                      "the providerOverride of the component");
  }
  check_target(target, is_provider_open(object), provider_override, path, report);
}

bool writes_topology(OverrideScope scope, json::Value component, json::Value provider_override) {
  std::string_view target = provider_override["target"].string_or_empty();
  if (target.empty()) target = override_target(scope, component);
  const json::Value value = provider_override["value"];
  if (target == kGraphTarget) return value["spec"]["template"][kTopology].exists();
  if (target != kGroupTarget && target != kCliqueTarget) return false;
  return value[kTopology].exists();
}

void require_same_override(json::Value old, json::Value now, const FieldPath& path,
                           Report& report) {
  if (old.is_nothing() || now.is_nothing()) return;
  for (const std::string_view field : {"apiVersion", "target"}) {
    const std::string_view before = old[field].string_or_empty();
    const std::string_view found = now[field].string_or_empty();
    if (before == found) continue;
    report.add(ErrorType::kInvalid, path.child(field),
               "must not change; was " + quoted_or(before, "not set") + ", found " +
                   quoted_or(found, "nothing") +
                   "; remove the override in one update and add the other one in a second");
  }
}

}  // namespace dynamo::validators::hub
