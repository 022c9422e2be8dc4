#include <array>

#include "validators/catalog.hpp"
#include "validators/field_types.hpp"
#include "validators/rule_groups.hpp"
#include "validators/rules/checkpoint.hpp"
#include "validators/rules/component_deployment.hpp"
#include "validators/rules/graph_deployment.hpp"
#include "validators/rules/graph_deployment_request.hpp"
#include "validators/rules/model.hpp"
#include "validators/rules/scaling_adapter.hpp"
#include "validators/rules/service.hpp"

namespace dynamo::validators {
namespace {

using api::Kind;
using api::Operation;
using Kinds = SetOf<Kind>;
using Operations = SetOf<Operation>;

constexpr Operations kAlways{Operation::kCreate, Operation::kUpdate};
constexpr Operations kOnUpdate{Operation::kUpdate};

constexpr Kinds kAll{Kind::kGraphDeployment, Kind::kComponentDeployment,
                     Kind::kModel,           Kind::kGraphDeploymentRequest,
                     Kind::kCheckpoint,      Kind::kScalingAdapter};
constexpr Kinds kGraph{Kind::kGraphDeployment};
constexpr Kinds kComponent{Kind::kComponentDeployment};
constexpr Kinds kServices{Kind::kGraphDeployment, Kind::kComponentDeployment};
constexpr Kinds kModels{Kind::kModel};
constexpr Kinds kRequests{Kind::kGraphDeploymentRequest};
constexpr Kinds kCheckpoints{Kind::kCheckpoint};
constexpr Kinds kAdapters{Kind::kScalingAdapter};

constexpr Severity kDeny = Severity::kDeny;
constexpr Severity kWarn = Severity::kWarn;
constexpr Ratchet kAsBefore = Ratchet::kNo;
constexpr Ratchet kStricter = Ratchet::kYes;

namespace graph = graph_deployment;
namespace request = graph_deployment_request;
namespace epp = endpoint_picker;
namespace adapter = scaling_adapter;

// P is spec.services[NAME] in a graph and spec in a component.
// clang-format off
constexpr std::array kRules = std::to_array<Rule>({
    {"type.mismatch", kAll, kAlways, kDeny, kAsBefore, &field_types,
     "any", "every field has the JSON type, and every quantity the form, that the API defines"},

    // DynamoGraphDeployment
    {"dgd.origin-version.semver", kGraph, kAlways, kDeny, kAsBefore, &graph::origin_version_semver,
     "metadata.annotations[nvidia.com/dynamo-operator-origin-version]", "the operator version that an object carries is a semantic version"},
    {"dgd.backend.immutable", kGraph, kOnUpdate, kDeny, kAsBefore, &graph::backend_immutable,
     "spec.backendFramework", "the backend framework never changes"},
    {"dgd.pvc.name", kGraph, kAlways, kDeny, kAsBefore, &graph::pvc_name,
     "spec.pvcs[i].name", "a volume claim has a name"},
    {"dgd.pvc.create.size", kGraph, kAlways, kDeny, kAsBefore, &graph::pvc_create_size,
     "spec.pvcs[i].size", "a volume claim that is to be created has a size"},
    {"dgd.pvc.create.storage-class", kGraph, kAlways, kDeny, kAsBefore, &graph::pvc_create_storage_class,
     "spec.pvcs[i].storageClass", "a volume claim that is to be created names its storage class"},
    {"dgd.pvc.create.access-mode", kGraph, kAlways, kDeny, kAsBefore, &graph::pvc_create_access_mode,
     "spec.pvcs[i].volumeAccessMode", "a volume claim that is to be created has an access mode"},
    {"dgd.restart.id", kGraph, kAlways, kDeny, kAsBefore, &graph::restart_id,
     "spec.restart.id", "a restart has an id"},
    {"dgd.restart.parallel-order", kGraph, kAlways, kDeny, kAsBefore, &graph::restart_parallel_order,
     "spec.restart.strategy.order", "a parallel restart has no order"},
    {"dgd.restart.order.unique", kGraph, kAlways, kDeny, kAsBefore, &graph::restart_order_unique,
     "spec.restart.strategy.order", "a restart order names each service once"},
    {"dgd.restart.order.complete", kGraph, kAlways, kDeny, kAsBefore, &graph::restart_order_complete,
     "spec.restart.strategy.order", "a restart order names as many services as there are"},
    {"dgd.restart.order.known", kGraph, kAlways, kDeny, kAsBefore, &graph::restart_order_known,
     "spec.restart.strategy.order[i]", "a restart order names only services of the graph"},
    {"dgd.services.required", kGraph, kAlways, kDeny, kAsBefore, &graph::services_required,
     "spec.services", "a graph has at least one service"},
    {"dgd.services.limit", kGraph, kAlways, kDeny, kAsBefore, &graph::services_limit,
     "spec.services", "a graph has no more services than are judged"},
    {"dgd.topology.services", kGraph, kOnUpdate, kDeny, kAsBefore, &graph::services_fixed,
     "spec.services", "services are neither added nor removed"},

    // DynamoComponentDeployment
    {"dcd.backend.immutable", kComponent, kOnUpdate, kDeny, kAsBefore, &component_deployment::backend_immutable,
     "spec.backendFramework", "the backend framework never changes"},

    // Services of both
    {"service.autoscaling.deprecated", kServices, kAlways, kWarn, kAsBefore, &service::autoscaling_deprecated,
     "P.autoscaling", "autoscaling is ignored; a scaling adapter takes its place"},
    {"service.dynamo-namespace.deprecated", kServices, kAlways, kWarn, kAsBefore, &service::dynamo_namespace_deprecated,
     "P.dynamoNamespace", "dynamoNamespace is ignored where a graph decides it"},
    {"epp.inference-pool.available", kGraph, kAlways, kDeny, kAsBefore, &epp::inference_pool_available,
     "P", "an endpoint picker needs the API group inference.networking.k8s.io"},
    {"epp.config.required", kServices, kAlways, kDeny, kAsBefore, &epp::config_required,
     "P.eppConfig", "an endpoint picker has a configuration"},
    {"epp.config.source", kServices, kAlways, kDeny, kAsBefore, &epp::config_source,
     "P.eppConfig", "an endpoint picker's configuration has exactly one source"},
    {"epp.config.ref-name", kServices, kAlways, kDeny, kAsBefore, &epp::config_reference_name,
     "P.eppConfig.configMapRef.name", "a reference to a ConfigMap has a name"},
    {"service.ingress.host", kServices, kAlways, kDeny, kAsBefore, &service::ingress_host,
     "P.ingress.host", "an enabled ingress has a host"},
    {"epp.single-node", kServices, kAlways, kDeny, kAsBefore, &epp::single_node,
     "P.multinode", "an endpoint picker runs on one node"},
    {"dgd.topology.node-class", kGraph, kOnUpdate, kDeny, kAsBefore, &service::node_class,
     "P.multinode", "a service does not change between one node and several"},
    {"dcd.topology.node-class", kComponent, kOnUpdate, kDeny, kStricter, &service::node_class,
     "P.multinode", "a component does not change between one node and several"},
    {"service.replicas.non-negative", kServices, kAlways, kDeny, kAsBefore, &service::replicas_non_negative,
     "P.replicas", "replicas are not negative"},
    {"epp.single-replica", kServices, kAlways, kDeny, kAsBefore, &epp::single_replica,
     "P.replicas", "an endpoint picker has one replica"},
    {"dgd.replicas.scaled-elsewhere", kGraph, kOnUpdate, kDeny, kAsBefore, &service::replicas_scaled_elsewhere,
     "P.replicas", "only the operator and the planner change the replicas of a service with a scaling adapter"},
    {"service.shared-memory.size", kServices, kAlways, kDeny, kAsBefore, &service::shared_memory_size,
     "P.sharedMemory.size", "shared memory that is not disabled has a size"},
    {"service.mount.point", kServices, kAlways, kDeny, kAsBefore, &service::mount_point,
     "P.volumeMounts[i].mountPoint", "a volume that is not a compilation cache has a mount point"},

    // DynamoModel
    {"dm.base-model-name", kModels, kAlways, kDeny, kAsBefore, &model::base_model_name,
     "spec.baseModelName", "a model names its base model"},
    {"dm.base.immutable", kModels, kOnUpdate, kDeny, kAsBefore, &model::base_model_immutable,
     "spec.baseModelName", "the base model never changes"},
    {"dm.model-name", kModels, kAlways, kDeny, kAsBefore, &model::model_name,
     "spec.modelName", "a model has a name"},
    {"dm.type.immutable", kModels, kOnUpdate, kDeny, kAsBefore, &model::model_type_immutable,
     "spec.modelType", "the type of a model never changes"},
    {"dm.lora.source", kModels, kAlways, kDeny, kAsBefore, &model::lora_source,
     "spec.source", "a LoRA model has a source"},
    {"dm.lora.scheme", kModels, kAlways, kDeny, kAsBefore, &model::lora_scheme,
     "spec.source.uri", "a LoRA model comes from s3://, hf:// or file:///"},

    // DynamoGraphDeploymentRequest
    {"dgdr.spec.immutable", kRequests, kOnUpdate, kDeny, kStricter, &request::spec_immutable,
     "spec", "the spec does not change once profiling has begun"},
    {"dgdr.gpu-discovery.scope", kRequests, kAlways, kDeny, kAsBefore, &request::gpu_discovery_scope,
     "spec.enableGpuDiscovery", "GPU discovery needs an operator for the whole cluster"},
    {"dgdr.config.required", kRequests, kAlways, kDeny, kAsBefore, &request::config_required,
     "spec.profilingConfig.config", "a request has a profiling configuration"},
    {"dgdr.config.parses", kRequests, kAlways, kDeny, kAsBefore, &request::config_parses,
     "spec.profilingConfig.config", "the profiling configuration is an object"},
    {"dgdr.config.backend-overwritten", kRequests, kAlways, kWarn, kAsBefore, &request::config_backend_overwritten,
     "spec.profilingConfig.config.engine.backend", "spec.backend wins over the backend in the configuration"},
    {"dgdr.config.model-overwritten", kRequests, kAlways, kWarn, kAsBefore, &request::config_model_overwritten,
     "spec.profilingConfig.config.deployment.model", "spec.model wins over the model in the configuration"},
    {"dgdr.profiler-image", kRequests, kAlways, kDeny, kAsBefore, &request::profiler_image,
     "spec.profilingConfig.profilerImage", "a request names the image of the profiler"},

    // DynamoCheckpoint
    {"ckpt.identity.immutable", kCheckpoints, kOnUpdate, kDeny, kStricter, &checkpoint::identity_immutable,
     "spec.identity", "the identity of a checkpoint never changes"},
    {"ckpt.identity.complete", kCheckpoints, kAlways, kDeny, kStricter, &checkpoint::identity_complete,
     "spec.identity", "an identity names model and backend framework"},
    {"ckpt.job.limits", kCheckpoints, kAlways, kDeny, kStricter, &checkpoint::job_limits,
     "spec.job", "the limits of the checkpoint job are in their bounds"},
    {"ckpt.job.pod", kCheckpoints, kAlways, kDeny, kStricter, &checkpoint::job_pod,
     "spec.job.podTemplateSpec.spec.containers", "the checkpoint job has a container"},

    // DynamoGraphDeploymentScalingAdapter
    {"dgdsa.ref.immutable", kAdapters, kOnUpdate, kWarn, kStricter, &adapter::reference_immutable,
     "spec.dgdRef", "an adapter never changes the service it scales"},
    {"dgdsa.ref.name", kAdapters, kAlways, kDeny, kStricter, &adapter::reference_name,
     "spec.dgdRef.name", "an adapter names a graph"},
    {"dgdsa.ref.service", kAdapters, kAlways, kDeny, kStricter, &adapter::reference_service,
     "spec.dgdRef.serviceName", "an adapter names a service of the graph"},
    {"dgdsa.replicas.non-negative", kAdapters, kAlways, kDeny, kStricter, &adapter::replicas_non_negative,
     "spec.replicas", "replicas are not negative"},
});
// clang-format on

}  // namespace

std::span<const Rule> operator_rules() {
  return kRules;
}

}  // namespace dynamo::validators
