// A DynamoComponentDeployment without a graph, and one that a graph owns.
#include "api/operator_account.hpp"
#include "render/document/origin.hpp"
#include "render/document/well_known.hpp"
#include "validators/rendered/proof.hpp"
#include "validators/rule.hpp"

namespace dynamo::validators::topology {

using api::Context;

namespace {

using api::ErrorType;
using api::FieldPath;

constexpr FieldPath kSpec{"spec"};

bool owned_by_graph(const api::ComponentDeployment& component) {
  return component.metadata().is_owned_by("DynamoGraphDeployment");
}

// The value of a label of the pods.
std::string_view pod_label(const api::ComponentDeployment& component, std::string_view key) {
  const json::Value spec = component.spec();
  for (const json::Value labels : {spec["extraPodMetadata"]["labels"],
                                   component.value()["metadata"]["labels"], spec["labels"]}) {
    const json::Value value = labels[key];
    if (value.is_string()) return value.string_or_empty();
  }
  return {};
}

bool is_missing(json::Value text) {
  return text.is_nothing() || (text.is_string() && text.string_or_empty().empty());
}

// The Service selects pods by this label, so they must have it.
void check_label(const api::ComponentDeployment& component, std::string_view key,
                 std::string_view wanted, std::string_view field, Report& report) {
  if (wanted.empty() || pod_label(component, key) == wanted) return;
  const std::string_view found = pod_label(component, key);
  const FieldPath labels = kSpec.child("labels");
  report.also_warn(labels.key(key), "must be " + quoted(wanted) + " as " + std::string(field) +
                                        " is, or the Service finds no pods; found " +
                                        (found.empty() ? "none" : quoted(found)) +
                                        "; set the label");
}

void standalone_incomplete(const Context& context, const api::ComponentDeployment& now,
                           const api::ComponentDeployment*, Report& report) {
  if (!now.spec().is_object() || owned_by_graph(now)) return;
  const Severity outcome = severity_of(OperatorBehaviour::kNoDynamoNamespace, context);
  if (outcome == Severity::kOff) return;  // the operator also sets all labels itself
  const json::Value space = now.spec()["dynamoNamespace"];
  if (is_missing(space)) {
    // The operator accepts an empty text as a namespace, although it is useless.
    add_finding(report, if_certain(space.is_nothing(), outcome), ErrorType::kRequired,
                kSpec.child("dynamoNamespace"),
                "must be set where no graph owns the component, or its Services are never made; "
                "set the Dynamo namespace of the frontend it belongs to");
  }
  if (is_missing(now.spec()["serviceName"])) {
    report.also_warn(kSpec.child("serviceName"),
                     "must be set where no graph owns the component, as the Service selects its "
                     "pods by it; give it a name, and the label " +
                         std::string(render::label::kComponent) + " the same");
  }
  check_label(now, render::label::kComponent, now.spec()["serviceName"].string_or_empty(),
              "serviceName", report);
  check_label(now, render::label::kDynamoNamespace, space.string_or_empty(), "dynamoNamespace",
              report);
}

void owned_edit(const Context& context, const api::ComponentDeployment& now,
                const api::ComponentDeployment* old, Report& report) {
  if (old == nullptr || !context.user || !owned_by_graph(now)) return;
  if (can_scale(context)) return;
  if (json::equal(now.spec(), old->spec())) return;
  report.add(ErrorType::kForbidden, kSpec,
             "must be changed in the graph that owns the component, which overwrites it; edit the "
             "DynamoGraphDeployment");
}

}  // namespace

extern constexpr Rule kStandaloneIncompleteRule{
    .id = "dcd.standalone.incomplete",
    .kinds = kinds::kComponents,
    .function = &standalone_incomplete,
    .field = "spec",
};

extern constexpr Rule kOwnedEditRule{
    .id = "dcd.owned-edit",
    .kinds = kinds::kComponents,
    .operations = kOnUpdate,
    .severity = Severity::kWarn,
    .function = &owned_edit,
    .field = "spec",
};

}  // namespace dynamo::validators::topology
