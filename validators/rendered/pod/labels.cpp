// The user's labels and annotations for pods and for their workloads.
#include <algorithm>
#include <array>

#include "render/component/hash.hpp"
#include "render/component/labels.hpp"
#include "render/document/well_known.hpp"
#include "text/names.hpp"
#include "validators/rendered/pod/visit.hpp"
#include "validators/rendered/proof.hpp"
#include "validators/rule.hpp"

namespace dynamo::validators::pod {

using api::Context;

namespace {

using api::ErrorType;
using api::FieldPath;
using render::Workload;

constexpr std::string_view kLabelKeyForm =
    "must have a key of at most 63 letters, digits, '-', '_' and '.', after an optional domain and "
    "'/'";
constexpr std::string_view kLabelValueForm =
    "must be at most 63 letters, digits, '-', '_' and '.', beginning and ending with a letter or "
    "digit";

// Labels that the operator sets on every pod.
constexpr std::array<std::string_view, 6> kOfOperator = {
    render::label::kSelector,      render::label::kComponent, render::label::kDynamoNamespace,
    render::label::kComponentType, render::label::kGraph,     render::label::kSubComponentType};

// Like add_finding(), with a text that is only built if it is kept: maps have any length.
template <typename MakeDetail>
void add_label_finding(Report& report, Severity outcome, const FieldPath& path,
                       MakeDetail make_detail,
                       std::source_location where = std::source_location::current()) {
  if (outcome == Severity::kDeny) return report.add(ErrorType::kInvalid, path, make_detail, where);
  if (outcome == Severity::kWarn) report.also_warn(path, make_detail, where);
}

// `outcome`: the severity for labels with an invalid form.
void check_labels(const Context& context, json::Value labels, const FieldPath& path,
                  Severity outcome, Report& report) {
  for (const auto [key, value] : labels.members()) {
    if (!text::is_qualified_name(key)) {
      add_label_finding(report, outcome, path.key(key),
                        [&] { return found(kLabelKeyForm, key, "rename it"); });
    }
    const std::string_view text = value.string_or_empty();
    if (text::is_label_value(text)) continue;
    const bool of_operator = std::ranges::find(kOfOperator, key) != kOfOperator.end();
    const Severity of_value = of_operator && outcome == Severity::kDeny
                                  ? severity_of(OperatorBehaviour::kOwnLabelOutOfForm, context)
                                  : outcome;
    add_label_finding(report, of_value, path.key(key), [&] {
      return found(kLabelValueForm, text, of_operator ? "remove it" : "change it");
    });
  }
}

// Returns the bytes of all keys and values.
std::size_t check_annotations(json::Value annotations, const FieldPath& path, Report& report) {
  std::size_t bytes = 0;
  for (const auto [key, value] : annotations.members()) {
    bytes += key.size() + value.string_or_empty().size();
    if (!text::is_annotation_key(key)) {
      report.add(ErrorType::kInvalid, path.key(key),
                 [&] { return found(kLabelKeyForm, key, "rename it"); });
    }
  }
  return bytes;
}

// Warns of labels that the operator sets, unless the value is known to be the same. `of_pods`: the
// labels are those of extraPodMetadata.
void check_operator_labels(const render::Component& component, json::Value labels, bool of_pods,
                           const FieldPath& path, Report& report) {
  const auto warn = [&](std::string_view key, bool as_set) {
    if (as_set || labels[key].is_nothing()) return;
    report.also_warn(path.key(key),
                     "must not be changed: the operator sets this label, and Services, metrics and "
                     "discovery find the pods by it; remove it");
  };
  const auto text = [&](std::string_view key) { return labels[key].string_or_empty(); };
  const json::Value service = component.service.value();
  namespace label = render::label;
  warn(label::kComponentType, text(label::kComponentType) == component.service.component_type());
  warn(label::kSubComponentType,
       text(label::kSubComponentType) == service["subComponentType"].string_or_empty());
  warn(label::kComponent, text(label::kComponent) == component.service_name);
  warn(label::kGraph, text(label::kGraph) == component.graph_name);
  warn(label::kDynamoNamespace,
       render::dynamo_namespace(component) == text(label::kDynamoNamespace));
  const std::string_view model = service["modelRef"]["name"].string_or_empty();
  const std::string_view hash = text(label::kBaseModelHash);
  warn(label::kBaseModelHash,
       !hash.empty() && !model.empty() && render::base_model_hash(model).view() == hash);
  // Grove's pods do not have this label, and only with Grove the labels of a service reach the
  // pods.
  if (of_pods && component.is_multinode()) warn(label::kRole, false);
}

void check_selector(const Context& context, const render::Component& component, json::Value labels,
                    const FieldPath& path, Report& report) {
  const json::Value value = labels[render::label::kSelector];
  if (!value.is_string()) return;
  // The Deployment and its twin use different selector values.
  if (!render::has_debug_twin(component)) {
    if (component.object_name.empty()) return;
    if (render::component_name(component) == value.string_or_empty()) return;
  }
  std::string detail =
      "must not be changed: a Deployment selects its pods by this label; remove it";
  const FieldPath at = path.key(render::label::kSelector);
  const bool certain = render::workload_of(component) == Workload::kDeployment;
  add_finding(report,
              if_certain(certain, severity_of(OperatorBehaviour::kSelectorChanged, context)),
              ErrorType::kForbidden, at, std::move(detail));
}

void labels(const Context& context, const RenderedPod& pod, Report& report) {
  const render::Component& component = *pod.component;
  if (pod.pod->block == render::Block::kTemplate) return;  // object_meta of the definition
  const json::Value service = component.service.value();
  const Workload workload = render::workload_of(component);

  // A graph's services that run as Deployments lose their labels.
  const bool dropped = component.in_graph && (workload == Workload::kDeployment ||
                                              workload == Workload::kLeaderWorkerSet);
  if (const json::Value own = service["labels"]; own.size() > 0) {
    const Severity if_dropped = severity_of(OperatorBehaviour::kServiceLabelDropped, context);
    const bool unsure = component.in_graph && workload == Workload::kUnknown;
    const Severity outcome = dropped                                   ? if_dropped
                             : unsure && if_dropped != Severity::kDeny ? Severity::kWarn
                                                                       : Severity::kDeny;
    const FieldPath path = pod.path->child("labels");
    check_labels(context, own, path, outcome, report);
    // If they reach the pods, they override the operator's.
    if (runs_through_grove(context, component) != api::Fact::kNo) {
      check_operator_labels(component, own, false, path, report);
    }
  }
  std::size_t bytes =
      check_annotations(service["annotations"], pod.path->child("annotations"), report);
  const json::Value extra = service["extraPodMetadata"];
  const FieldPath extra_path = pod.path->child("extraPodMetadata");
  if (const json::Value labels = extra["labels"]; labels.size() > 0) {
    const FieldPath path = extra_path.child("labels");
    check_labels(context, labels, path, Severity::kDeny, report);
    check_selector(context, component, labels, path, report);
    check_operator_labels(component, labels, true, path, report);
  }
  bytes += check_annotations(extra["annotations"], extra_path.child("annotations"), report);
  constexpr std::size_t kMaxBytes = std::size_t{256} * 1024;
  if (bytes > kMaxBytes) {
    report.add(ErrorType::kTooLong, *pod.path,
               "must not have annotations of more than 262144 bytes in all; found more");
  }
}

}  // namespace

extern constexpr Rule kLabelsRule{
    .id = "pod.labels",
    .kinds = kinds::kServices,
    .function = &labels,
    .field = "P.labels, P.annotations, P.extraPodMetadata",
};

}  // namespace dynamo::validators::pod
