#include "validators/hub/provider_override.hpp"

#include <algorithm>
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

// Why no override may exist here; "" if it may.
std::string_view why_refused(const ObjectView& object) {
  if (!object.is_graph()) {
    return "must not be set here: only a DynamoGraphDeployment has provider overrides; remove it";
  }
  if (object.annotation(kProviderAnnotation).is_nothing()) {
    return "must not be set before the annotation nvidia.com/workload-provider is; wait until the "
           "operator has chosen the provider";
  }
  if (object.has_grove_provider()) return {};
  return "must not be set unless the annotation nvidia.com/workload-provider is grove; remove it";
}

void check_target(std::string_view target, json::Value provider_override, const FieldPath& path,
                  Report& report) {
  const std::string_view given = provider_override["target"].string_or_empty();
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
  check_target(target, provider_override, path, report);
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
