// Replicas without effect, and replicas that an adapter sets.
#include "render/component/names.hpp"
#include "text/names.hpp"
#include "validators/rendered/pod/visit.hpp"
#include "validators/rendered/proof.hpp"
#include "validators/rule.hpp"

namespace dynamo::validators::scaling {

using api::Context;

namespace {

using api::ErrorType;
using api::FieldPath;

constexpr FieldPath kSpec{"spec"};
constexpr FieldPath kReference = kSpec.child("dgdRef");

bool has_no_replica(const RenderedPod& pod) {
  return pod.component->service.effective_replicas() == 0;
}

// The adapter of an endpoint picker can request only one replica.
void check_endpoint_pickers(const RenderedObject& object, Report& report) {
  for (const RenderedPod& pod : object.pods) {
    const api::Service& service = pod.component->service;
    if (!service.is_endpoint_picker() || !service.is_scaling_adapter_enabled()) continue;
    const FieldPath adapter = pod.path->child("scalingAdapter");
    report.add(api::ErrorType::kForbidden, adapter.child("enabled"),
               "must be false for componentType epp, which has 1 replica: with another "
               "number every update of the graph is refused; remove it");
  }
}

void check_adapter(const api::ScalingAdapter& adapter, Report& report) {
  const json::Value reference = adapter.graph_reference();
  const std::string_view graph = reference["name"].string_or_empty();
  const std::string_view service = reference["serviceName"].string_or_empty();
  const std::string_view name = adapter.metadata().name();
  if (!graph.empty() && !text::is_dns_subdomain(graph)) {
    return report.add(api::ErrorType::kInvalid, kReference.child("name"),
                      pod::found(pod::kDnsSubdomainForm, graph));
  }
  if (graph.empty() || service.empty() || name.empty()) return;
  const render::Name right = render::Name(graph).with("-").lowered(service);
  if (right == name) return;
  report.add(api::ErrorType::kInvalid, kReference.child("serviceName"),
             "must be scaled by " + quoted(right.str()) +
                 ", the adapter that the operator makes where the service enables "
                 "scalingAdapter; found another name, so the two set replicas in turns");
}

void zero_replicas(const Context& context, const RenderedObject& object, Report& report) {
  std::size_t workers = 0;
  std::size_t parked = 0;
  for (const RenderedPod& pod : object.pods) {
    const bool none = has_no_replica(pod);
    if (render::is_worker_like(pod.component->type)) {
      ++workers;
      parked += none ? 1 : 0;
    }
    if (!none || !pod.component->is_multinode()) continue;
    const api::Fact grove = runs_through_grove(context, *pod.component);
    if (grove == api::Fact::kNo) continue;
    const Severity outcome = context.operation == api::Operation::kUpdate
                                 ? severity_of(OperatorBehaviour::kNoReplicaLeft, context)
                                 : Severity::kDeny;
    add_finding(
        report, if_certain(grove == api::Fact::kYes, outcome), ErrorType::kInvalid,
        pod.path->child("replicas"),
        "must be 1 or more for a service of several nodes, as Grove refuses 0 for it; found 0; to "
        "free its GPUs delete the graph");
  }
  if (workers == 0 || parked < workers) return;
  report.also_warn(kSpec.child("services"),
                   "must have a replica of a worker for the model to be served; found 0 replicas "
                   "of all workers, so the model is gone from /v1/models; leave it so only to park "
                   "the graph");
}

void adapter_replicas(const Context&, const ServiceView& now, const ServiceView* old,
                      Report& report) {
  if (old == nullptr || !now.is_scaling_adapter_enabled() || !old->is_scaling_adapter_enabled())
    return;
  if (!now.value()["replicas"].is_nothing() || old->effective_replicas() == 1) return;
  report.add(ErrorType::kRequired, now.path.child("replicas"),
             "must be given on an update while scalingAdapter is enabled, as none counts as 1 and "
             "takes back what the adapter has set; found none; write " +
                 std::to_string(old->effective_replicas()) + ", which is live");
}

void adapter_target(const Context& context, const RenderedObject& object, Report& report) {
  if (context.kind == api::Kind::kGraphDeployment) return check_endpoint_pickers(object, report);
  // Neither the name nor the reference can change later.
  if (context.operation != api::Operation::kCreate) return;
  check_adapter(api::ScalingAdapter{object.object.value()}, report);
}

}  // namespace

extern constexpr Rule kZeroReplicasRule{
    .id = "scale.zero",
    .kinds = kinds::kGraphs,
    .function = &zero_replicas,
    .field = "P.replicas",
};

extern constexpr Rule kAdapterReplicasRule{
    .id = "scale.adapter-replicas",
    .kinds = kinds::kGraphs,
    .operations = kOnUpdate,
    .severity = Severity::kWarn,
    .function = &adapter_replicas,
    .field = "P.replicas",
};

extern constexpr Rule kAdapterTargetRule{
    .id = "dgdsa.target",
    .kinds = {api::Kind::kGraphDeployment, api::Kind::kScalingAdapter},
    .severity = Severity::kWarn,
    .function = &adapter_target,
    .field = "spec.dgdRef",
};

}  // namespace dynamo::validators::scaling
