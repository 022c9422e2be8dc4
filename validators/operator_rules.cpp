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
     "any"},

    // DynamoGraphDeployment
    {"dgd.origin-version.semver", kGraph, kAlways, kDeny, kAsBefore, &graph::origin_version_semver,
     "metadata.annotations[nvidia.com/dynamo-operator-origin-version]"},
    {"dgd.backend.immutable", kGraph, kOnUpdate, kDeny, kAsBefore, &graph::backend_immutable,
     "spec.backendFramework"},
    {"dgd.pvc.name", kGraph, kAlways, kDeny, kAsBefore, &graph::pvc_name,
     "spec.pvcs[i].name"},
    {"dgd.pvc.create.size", kGraph, kAlways, kDeny, kAsBefore, &graph::pvc_create_size,
     "spec.pvcs[i].size"},
    {"dgd.pvc.create.storage-class", kGraph, kAlways, kDeny, kAsBefore, &graph::pvc_create_storage_class,
     "spec.pvcs[i].storageClass"},
    {"dgd.pvc.create.access-mode", kGraph, kAlways, kDeny, kAsBefore, &graph::pvc_create_access_mode,
     "spec.pvcs[i].volumeAccessMode"},
    {"dgd.restart.id", kGraph, kAlways, kDeny, kAsBefore, &graph::restart_id,
     "spec.restart.id"},
    {"dgd.restart.parallel-order", kGraph, kAlways, kDeny, kAsBefore, &graph::restart_parallel_order,
     "spec.restart.strategy.order"},
    {"dgd.restart.order.unique", kGraph, kAlways, kDeny, kAsBefore, &graph::restart_order_unique,
     "spec.restart.strategy.order"},
    {"dgd.restart.order.complete", kGraph, kAlways, kDeny, kAsBefore, &graph::restart_order_complete,
     "spec.restart.strategy.order"},
    {"dgd.restart.order.known", kGraph, kAlways, kDeny, kAsBefore, &graph::restart_order_known,
     "spec.restart.strategy.order[i]"},
    {"dgd.services.required", kGraph, kAlways, kDeny, kAsBefore, &graph::services_required,
     "spec.services"},
    {"dgd.services.limit", kGraph, kAlways, kDeny, kAsBefore, &graph::services_limit,
     "spec.services"},
    {"dgd.topology.services", kGraph, kOnUpdate, kDeny, kAsBefore, &graph::services_fixed,
     "spec.services"},

    // DynamoComponentDeployment
    {"dcd.backend.immutable", kComponent, kOnUpdate, kDeny, kAsBefore, &component_deployment::backend_immutable,
     "spec.backendFramework"},

    // Services of both
    {"service.autoscaling.deprecated", kServices, kAlways, kWarn, kAsBefore, &service::autoscaling_deprecated,
     "P.autoscaling"},
    {"service.dynamo-namespace.deprecated", kServices, kAlways, kWarn, kAsBefore, &service::dynamo_namespace_deprecated,
     "P.dynamoNamespace"},
    {"epp.inference-pool.available", kGraph, kAlways, kDeny, kAsBefore, &epp::inference_pool_available,
     "P"},
    {"epp.config.required", kServices, kAlways, kDeny, kAsBefore, &epp::config_required,
     "P.eppConfig"},
    {"epp.config.source", kServices, kAlways, kDeny, kAsBefore, &epp::config_source,
     "P.eppConfig"},
    {"epp.config.ref-name", kServices, kAlways, kDeny, kAsBefore, &epp::config_reference_name,
     "P.eppConfig.configMapRef.name"},
    {"service.ingress.host", kServices, kAlways, kDeny, kAsBefore, &service::ingress_host,
     "P.ingress.host"},
    {"epp.single-node", kServices, kAlways, kDeny, kAsBefore, &epp::single_node,
     "P.multinode"},
    {"dgd.topology.node-class", kGraph, kOnUpdate, kDeny, kAsBefore, &service::node_class,
     "P.multinode"},
    {"dcd.topology.node-class", kComponent, kOnUpdate, kDeny, kStricter, &service::node_class,
     "P.multinode"},
    {"service.replicas.non-negative", kServices, kAlways, kDeny, kAsBefore, &service::replicas_non_negative,
     "P.replicas"},
    {"epp.single-replica", kServices, kAlways, kDeny, kAsBefore, &epp::single_replica,
     "P.replicas"},
    {"dgd.replicas.scaled-elsewhere", kGraph, kOnUpdate, kDeny, kAsBefore, &service::replicas_scaled_elsewhere,
     "P.replicas"},
    {"service.shared-memory.size", kServices, kAlways, kDeny, kAsBefore, &service::shared_memory_size,
     "P.sharedMemory.size"},
    {"service.mount.point", kServices, kAlways, kDeny, kAsBefore, &service::mount_point,
     "P.volumeMounts[i].mountPoint"},

    // DynamoModel
    {"dm.base-model-name", kModels, kAlways, kDeny, kAsBefore, &model::base_model_name,
     "spec.baseModelName"},
    {"dm.base.immutable", kModels, kOnUpdate, kDeny, kAsBefore, &model::base_model_immutable,
     "spec.baseModelName"},
    {"dm.model-name", kModels, kAlways, kDeny, kAsBefore, &model::model_name,
     "spec.modelName"},
    {"dm.type.immutable", kModels, kOnUpdate, kDeny, kAsBefore, &model::model_type_immutable,
     "spec.modelType"},
    {"dm.lora.source", kModels, kAlways, kDeny, kAsBefore, &model::lora_source,
     "spec.source"},
    {"dm.lora.scheme", kModels, kAlways, kDeny, kAsBefore, &model::lora_scheme,
     "spec.source.uri"},

    // DynamoGraphDeploymentRequest
    {"dgdr.spec.immutable", kRequests, kOnUpdate, kDeny, kStricter, &request::spec_immutable,
     "spec"},
    {"dgdr.gpu-discovery.scope", kRequests, kAlways, kDeny, kAsBefore, &request::gpu_discovery_scope,
     "spec.enableGpuDiscovery"},
    {"dgdr.config.required", kRequests, kAlways, kDeny, kAsBefore, &request::config_required,
     "spec.profilingConfig.config"},
    {"dgdr.config.parses", kRequests, kAlways, kDeny, kAsBefore, &request::config_parses,
     "spec.profilingConfig.config"},
    {"dgdr.config.backend-overwritten", kRequests, kAlways, kWarn, kAsBefore, &request::config_backend_overwritten,
     "spec.profilingConfig.config.engine.backend"},
    {"dgdr.config.model-overwritten", kRequests, kAlways, kWarn, kAsBefore, &request::config_model_overwritten,
     "spec.profilingConfig.config.deployment.model"},
    {"dgdr.profiler-image", kRequests, kAlways, kDeny, kAsBefore, &request::profiler_image,
     "spec.profilingConfig.profilerImage"},

    // DynamoCheckpoint
    {"ckpt.identity.immutable", kCheckpoints, kOnUpdate, kDeny, kStricter, &checkpoint::identity_immutable,
     "spec.identity"},
    {"ckpt.identity.complete", kCheckpoints, kAlways, kDeny, kStricter, &checkpoint::identity_complete,
     "spec.identity"},
    {"ckpt.job.limits", kCheckpoints, kAlways, kDeny, kStricter, &checkpoint::job_limits,
     "spec.job"},
    {"ckpt.job.pod", kCheckpoints, kAlways, kDeny, kStricter, &checkpoint::job_pod,
     "spec.job.podTemplateSpec.spec.containers"},

    // DynamoGraphDeploymentScalingAdapter
    {"dgdsa.ref.immutable", kAdapters, kOnUpdate, kWarn, kStricter, &adapter::reference_immutable,
     "spec.dgdRef"},
    {"dgdsa.ref.name", kAdapters, kAlways, kDeny, kStricter, &adapter::reference_name,
     "spec.dgdRef.name"},
    {"dgdsa.ref.service", kAdapters, kAlways, kDeny, kStricter, &adapter::reference_service,
     "spec.dgdRef.serviceName"},
    {"dgdsa.replicas.non-negative", kAdapters, kAlways, kDeny, kStricter, &adapter::replicas_non_negative,
     "spec.replicas"},
});
// clang-format on

}  // namespace

std::span<const Rule> operator_rules() {
  return kRules;
}

}  // namespace dynamo::validators
