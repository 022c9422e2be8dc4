// Annotations that control the operator: their values, and misspelt keys.
#include <algorithm>
#include <array>

#include "render/document/origin.hpp"
#include "render/document/well_known.hpp"
#include "schema/suggest.hpp"
#include "validators/rendered/pod/visit.hpp"
#include "validators/rendered/proof.hpp"
#include "validators/rule.hpp"

namespace dynamo::validators::topology {

using api::Context;

namespace {

using api::ErrorType;
using api::FieldPath;

constexpr FieldPath kMetadata{"metadata"};
constexpr FieldPath kAnnotations = kMetadata.child("annotations");
constexpr std::string_view kGroup = "nvidia.com/";

// Keys that any operator generation reads or writes, without the group. Those after "selector" are
// of later operators; the last six hold what only one API version can express.
constexpr std::array<std::string_view, 27> kKeys = {
    "enable-grove",
    "enable-metrics",
    "dynamo-discovery-backend",
    "disable-image-pull-secret-discovery",
    "kai-scheduler-queue",
    "deployment-strategy",
    "deployment-rolling-update-max-surge",
    "deployment-rolling-update-max-unavailable",
    "enable-debug-mode",
    "enable-stealing-traffic-debug-mode",
    "dynamo-operator-origin-version",
    "restartAt",
    "dynamo-base-model",
    "last-applied-hash",
    "last-applied-generation",
    "metrics-enabled",
    "selector",
    "vllm-distributed-executor-backend",
    "grove-update-strategy",
    "dynamo-kube-discovery-mode",
    "workload-provider",
    "dgd-spec",
    "dgd-status",
    "dcd-spec",
    "dcd-status",
    "dgdr-spec",
    "dgdr-status",
};
// Unknown keys are compared by edit distance, so only this many of them are.
constexpr std::size_t kMaxUnknown = 32;

bool is_true_or_false(std::string_view text) {
  return text == "true" || text == "false";
}

// `reaches_pods`: a discovery annotation certainly reaches pods of Dynamo.
void check_value(const Context& context, std::string_view key, std::string_view value,
                 const FieldPath& path, bool reaches_pods, Report& report) {
  namespace annotation = render::annotation;
  if (key == annotation::kDiscoveryBackend) {
    if (value == "kubernetes" || value == "etcd") return;
    add_finding(
        report,
        if_certain(reaches_pods, severity_of(OperatorBehaviour::kUnknownDiscovery, context)),
        ErrorType::kNotSupported, path,
        pod::found("must be kubernetes or etcd, or the pods get neither", value));
  } else if (key == annotation::kEnableGrove) {
    if (pod::are_equal_ignoring_case(value, "true") ||
        pod::are_equal_ignoring_case(value, "false")) {
      return;
    }
    report.also_warn(path,
                     pod::found("must be true or false; anything else counts as true", value));
  } else if (key == annotation::kEnableMetrics || key == annotation::kDisablePullSecrets) {
    if (is_true_or_false(value)) return;
    report.also_warn(path,
                     pod::found("must be true or false in lower case, or it has no effect", value));
  }
}

// Reports annotations of services on discovery and metrics that differ from the graph's, which
// override them.
bool is_replaced(std::string_view key, std::string_view value, json::Value of_graph,
                 const FieldPath& path, Report& report) {
  namespace annotation = render::annotation;
  if (key != annotation::kDiscoveryBackend && key != annotation::kEnableMetrics) return false;
  const json::Value taken = of_graph[key];
  if (!taken.is_string()) return false;
  if (taken.string_or_empty() == value) return true;
  report.also_warn(path.key(key),
                   pod::found("must be left out where the annotations of the graph have it too, as "
                              "theirs takes its place",
                              value, "remove one of the two"));
  return true;
}

// `of_graph`: the overriding annotations; absent if there are none.
void check_annotations(const Context& context, json::Value annotations, json::Value of_graph,
                       const FieldPath& path, bool reaches_pods, Report& report) {
  std::size_t unknown = 0;
  for (const auto [key, value] : annotations.members()) {
    if (!key.starts_with(kGroup)) continue;
    const std::string_view name = key.substr(kGroup.size());
    if (std::ranges::find(kKeys, name) != kKeys.end()) {
      if (!value.is_string()) continue;
      const std::string_view text = value.string_or_empty();
      if (is_replaced(key, text, of_graph, path, report)) continue;
      check_value(context, key, text, path.key(key), reaches_pods, report);
      continue;
    }
    if (++unknown > kMaxUnknown) continue;
    const std::string_view suggestion = schema::nearest_word(kKeys, name);
    if (suggestion.empty()) continue;
    report.also_warn(path.key(key), "must be spelled " + std::string(kGroup) +
                                        std::string(suggestion) + " to have an effect; rename it");
  }
}

// Whether the component discovers others and no variable sets how.
bool discovers(const RenderedPod& pod) {
  constexpr std::string_view kVariable = "DYN_DISCOVERY_BACKEND";
  if (pod.component->type == render::ComponentType::kGeneric) return false;
  return std::ranges::none_of(pod.pod->main().variables, [&](const render::Variable& variable) {
    return variable.name == kVariable && !variable.origin.is_generated();
  });
}

void annotation_value(const Context& context, const RenderedObject& object, Report& report) {
  if (context.kind == api::Kind::kGraphDeployment) {
    const bool reaches_pods = std::ranges::any_of(object.pods, discovers);
    check_annotations(context, object.object.metadata().annotations(), {}, kAnnotations,
                      reaches_pods, report);
  }
  for (const RenderedPod& pod : object.pods) {
    const json::Value annotations = pod.component->service.value()["annotations"];
    if (annotations.size() == 0) continue;
    // Grove overwrites a service's discovery annotation.
    const bool reaches_pods =
        runs_through_grove(context, *pod.component) == api::Fact::kNo && discovers(pod);
    const json::Value of_graph =
        pod.component->in_graph ? pod.component->object_annotations : json::Value{};
    check_annotations(context, annotations, of_graph, pod.path->child("annotations"), reaches_pods,
                      report);
  }
}

void pathway_toggle(const Context& context, const api::GraphDeployment& now,
                    const api::GraphDeployment* old, Report& report) {
  if (old == nullptr || context.facts.grove_served == api::Fact::kNo) return;
  if (severity_of(OperatorBehaviour::kPathwayOfAnnotation, context) == Severity::kOff) return;
  const bool disabled = render::is_grove_disabled(now.metadata().annotations());
  if (disabled == render::is_grove_disabled(old->metadata().annotations())) return;
  report.add(ErrorType::kForbidden, kAnnotations.key(render::annotation::kEnableGrove),
             "must not be switched on a graph that exists: what runs stays in addition to what is "
             "created again and holds its GPUs; delete the graph and create it again");
}

}  // namespace

extern constexpr Rule kAnnotationValueRule{
    .id = "dgd.annotation.value",
    .kinds = kinds::kServices,
    .function = &annotation_value,
    .field = "metadata.annotations",
};

extern constexpr Rule kPathwayToggleRule{
    .id = "dgd.update.pathway-toggle",
    .kinds = kinds::kGraphs,
    .operations = kOnUpdate,
    .severity = Severity::kWarn,
    .function = &pathway_toggle,
    .field = "metadata.annotations[nvidia.com/enable-grove]",
};

}  // namespace dynamo::validators::topology
