// Rules of later operators for updates: fields of a graph, or of a component as a whole.
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "api/operator_account.hpp"
#include "validators/hub/provider_override.hpp"
#include "validators/hub/view.hpp"
#include "validators/rule.hpp"

namespace dynamo::validators::hub::graph_update {

using api::ErrorType;
using api::FieldPath;

namespace {

constexpr FieldPath kSpec{"spec"};
constexpr FieldPath kMetadata{"metadata"};
constexpr FieldPath kAnnotations = kMetadata.child("annotations");

void provider(const ObjectView& object, Report& report) {
  const json::Value now = object.annotation(kProviderAnnotation);
  const json::Value old = object.old_annotation(kProviderAnnotation);
  const FieldPath path = kAnnotations.key(kProviderAnnotation);
  const api::Context& context = object.context();
  if (old.is_nothing()) {
    const bool is_known = context.settings.operator_service_account.has_value();
    if (!now.is_nothing() && is_known && !api::is_operator(context.user, context.settings)) {
      report.add(ErrorType::kForbidden, path,
                 "must be added by the operator, which chooses the provider; remove it");
    }
  } else if (!are_same(old, now)) {
    report.add(ErrorType::kInvalid, path,
               "must not change; was " + quoted(old.string_or_empty()) + ", found " +
                   quoted_or(now.string_or_empty(), "nothing") +
                   "; restore it, or create the graph again");
  }
  require_same_override(object.old_spec()["providerOverride"], object.spec()["providerOverride"],
                        kSpec.child("providerOverride"), report);
}

std::vector<std::string_view> sorted_names(json::Value components) {
  std::vector<std::string_view> names;
  for (const json::Value component : components.elements()) {
    names.push_back(component["name"].string_or_empty());
  }
  std::ranges::sort(names);
  return names;
}

// "; added "a", "b" and 2 more".
void add_names(std::string& text, std::string_view verb,
               const std::vector<std::string_view>& names) {
  constexpr std::size_t kShown = 5;
  if (names.empty()) return;
  text.append("; ").append(verb);
  for (std::size_t at = 0; at < std::min(names.size(), kShown); ++at) {
    text.append(at == 0 ? " " : ", ").append(quoted(names[at]));
  }
  if (names.size() > kShown) {
    text.append(" and ").append(std::to_string(names.size() - kShown)).append(" more");
  }
}

void component_names(const ObjectView& object, Report& report) {
  const std::vector<std::string_view> now = sorted_names(object.components());
  const std::vector<std::string_view> old = sorted_names(object.old_spec()["components"]);
  std::vector<std::string_view> added;
  std::vector<std::string_view> removed;
  std::ranges::set_difference(now, old, std::back_inserter(added));
  std::ranges::set_difference(old, now, std::back_inserter(removed));
  if (added.empty() && removed.empty()) return;
  std::string detail = "must keep the components of the graph";
  add_names(detail, "added", added);
  add_names(detail, "removed", removed);
  report.add(ErrorType::kForbidden, kSpec.child("components"),
             detail + "; create a graph with the other components");
}

void backend_framework(const ObjectView& object, Report& report) {
  const std::string_view old = object.old_spec()["backendFramework"].string_or_empty();
  if (old == object.backend_framework()) return;
  const FieldPath path = kSpec.child("backendFramework");
  report.add(ErrorType::kInvalid, path,
             "must not change after creation; was " + quoted_or(old, "not set") + ", found " +
                 quoted_or(object.backend_framework(), "nothing") +
                 "; delete the object and create it again");
  report.also_warn(path, "is immutable: another framework may behave unexpectedly");
}

bool is_same_topology(json::Value old, json::Value now) {
  if (old.is_nothing() || now.is_nothing()) return old.is_nothing() == now.is_nothing();
  const auto same = [&](std::string_view field) {
    return old[field].string_or_empty() == now[field].string_or_empty();
  };
  return same("clusterTopologyName") && same("packDomain");
}

bool is_same_policy(json::Value old, json::Value now) {
  if (old.is_nothing() || now.is_nothing()) return old.is_nothing() == now.is_nothing();
  const auto enforcement = [](json::Value policy) {
    const std::string_view text = policy["enforcement"].string_or_empty();
    return text.empty() ? std::string_view("required") : text;
  };
  const auto same = [&](std::string_view field) { return are_same(old[field], now[field]); };
  return enforcement(old) == enforcement(now) && same("labelKey") && same("clusterTopologyName") &&
         same("domain") && same("preferredWeight");
}

void placement(const ObjectView& object, Report& report) {
  constexpr std::string_view kFixed =
      "must not be added, removed or changed after creation; restore it, or create the graph again";
  if (!is_same_topology(object.old_spec()["topologyConstraint"],
                        object.spec()["topologyConstraint"])) {
    report.add(ErrorType::kInvalid, kSpec.child("topologyConstraint"), std::string(kFixed));
  }
  const FieldPath experimental = kSpec.child("experimental");
  if (!is_same_policy(object.old_spec()["experimental"]["kvTransferPolicy"],
                      object.spec()["experimental"]["kvTransferPolicy"])) {
    report.add(ErrorType::kInvalid, experimental.child("kvTransferPolicy"), std::string(kFixed));
  }
}

void restart_id(const ObjectView& object, Report& report) {
  const std::string_view phase =
      object.input.old["status"]["rollingUpdate"]["phase"].string_or_empty();
  if (phase != "Pending" && phase != "InProgress") return;
  const std::string_view now = object.spec()["restart"]["id"].string_or_empty();
  const std::string_view old = object.old_spec()["restart"]["id"].string_or_empty();
  if (now == old) return;
  const FieldPath restart = kSpec.child("restart");
  report.add(ErrorType::kInvalid, restart.child("id"),
             "must not change while a rolling update is " + std::string(phase) + "; was " +
                 quoted_or(old, "not set") + ", found " + quoted_or(now, "nothing") +
                 "; wait until the update has ended");
}

}  // namespace

extern constexpr Rule kProviderRule{
    .id = "hub.graph.provider-fixed",
    .kinds = kinds::kGraphs,
    .operations = kOnUpdate,
    .ratchet = Ratchet::kNo,
    .function = &provider,
    .field = "metadata.annotations[nvidia.com/workload-provider], spec.providerOverride",
};

extern constexpr Rule kComponentNamesRule{
    .id = "hub.graph.components-fixed",
    .kinds = kinds::kGraphs,
    .operations = kOnUpdate,
    .ratchet = Ratchet::kNo,
    .function = &component_names,
    .field = "spec.components",
};

extern constexpr Rule kBackendFrameworkRule{
    .id = "hub.backend.fixed",
    .kinds = kinds::kServices,
    .operations = kOnUpdate,
    .ratchet = Ratchet::kNo,
    .function = &backend_framework,
    .field = "spec.backendFramework",
};

extern constexpr Rule kPlacementRule{
    .id = "hub.graph.placement-fixed",
    .kinds = kinds::kGraphs,
    .operations = kOnUpdate,
    .ratchet = Ratchet::kNo,
    .function = &placement,
    .field = "spec.topologyConstraint, spec.experimental.kvTransferPolicy",
};

extern constexpr Rule kRestartIdRule{
    .id = "hub.restart.during-update",
    .kinds = kinds::kGraphs,
    .operations = kOnUpdate,
    .ratchet = Ratchet::kNo,
    .function = &restart_id,
    .field = "spec.restart.id",
};

}  // namespace dynamo::validators::hub::graph_update
