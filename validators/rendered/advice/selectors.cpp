// Pod selectors that require a label which the pods of services do not have.
#include "render/document/origin.hpp"
#include "render/document/well_known.hpp"
#include "validators/rule.hpp"

namespace dynamo::validators::advice {

using api::Context;

namespace {

using api::ErrorType;
using api::FieldPath;

constexpr std::string_view kUsual = "app.kubernetes.io/component";

void add_finding(const FieldPath& path, Report& report) {
  report.add(ErrorType::kInvalid, path,
             "must be " + std::string(render::label::kComponent) +
                 ", which pods of services have; none has this label; rename it");
}

void check_selector(json::Value selector, const FieldPath& path, Report& report) {
  if (selector["matchLabels"][kUsual].exists()) {
    add_finding(path.child("matchLabels").key(kUsual), report);
  }
  const FieldPath expressions = path.child("matchExpressions");
  std::size_t index = 0;
  for (const json::Value requirement : selector["matchExpressions"].elements()) {
    const FieldPath at = expressions.index(index++);
    if (requirement["key"].string_or_empty() == kUsual) add_finding(at.child("key"), report);
  }
}

void check_affinity(json::Value affinity, const FieldPath& path, Report& report) {
  constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
  constexpr std::string_view kPreferred = "preferredDuringSchedulingIgnoredDuringExecution";
  const FieldPath required = path.child(kRequired);
  std::size_t index = 0;
  for (const json::Value term : affinity[kRequired].elements()) {
    const FieldPath at = required.index(index++);
    check_selector(term["labelSelector"], at.child("labelSelector"), report);
  }
  const FieldPath preferred = path.child(kPreferred);
  index = 0;
  for (const json::Value weighted : affinity[kPreferred].elements()) {
    const FieldPath at = preferred.index(index++);
    const FieldPath term = at.child("podAffinityTerm");
    check_selector(weighted["podAffinityTerm"]["labelSelector"], term.child("labelSelector"),
                   report);
  }
}

void component_selector(const Context&, const RenderedPod& pod, Report& report) {
  const json::Value service = pod.component->service.value();
  // The user sets the label on the pods.
  if (service["extraPodMetadata"]["labels"][kUsual].exists()) return;
  if (service["labels"][kUsual].exists()) return;
  const render::OriginPath origin(*pod.path, pod.pod->field(""));
  const FieldPath& path = origin.path();
  const json::Value affinity = pod.pod->user["affinity"];
  const FieldPath in_affinity = path.child("affinity");
  for (const std::string_view kind : {"podAffinity", "podAntiAffinity"}) {
    check_affinity(affinity[kind], in_affinity.child(kind), report);
  }
  const FieldPath constraints = path.child("topologySpreadConstraints");
  std::size_t index = 0;
  for (const json::Value constraint : pod.pod->user["topologySpreadConstraints"].elements()) {
    const FieldPath at = constraints.index(index++);
    check_selector(constraint["labelSelector"], at.child("labelSelector"), report);
  }
}

}  // namespace

extern constexpr Rule kComponentSelectorRule{
    .id = "pod.scheduling.component-label",
    .kinds = kinds::kServices,
    .severity = Severity::kOff,
    .function = &component_selector,
    .field = "E.affinity, E.topologySpreadConstraints",
};

}  // namespace dynamo::validators::advice
