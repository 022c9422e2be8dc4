// The rules that apply a parameter of a policy.
#include "tests/validators/pod_rows.hpp"
#include "tests/validators/rule_table.hpp"

namespace dynamo::test {

// One row per line if it fits.
// clang-format off

using enum api::ErrorType;
using enum api::Kind;

namespace {

const std::vector<std::string> kTwoRegistries{"nvcr.io/nvidia", "docker.io/library"};
const std::vector<std::string> kS3Only{"s3"};
const std::vector<std::string> kGoogleToo{"s3", "gs"};
const std::vector<std::string> kCpuAndMemory{"cpu", "memory"};
const std::vector<std::string> kGpu{"gpu"};
const std::vector<std::string> kNvidiaGpu{"nvidia.com/gpu"};

const api::Parameters kRegistries{.allowed_registries = kTwoRegistries};
const api::Parameters kFour{.max_replicas_per_service = 4};
const api::Parameters kS3{.allowed_lora_schemes = kS3Only};
const api::Parameters kLimits{.required_resource_limits = kCpuAndMemory};
const api::Parameters kGpus{.required_resource_limits = kGpu};
const api::Parameters kGpusOfNvidia{.required_resource_limits = kNvidiaGpu};

const std::vector<std::string> kNothing{};
const std::vector<std::string> kAccounts{"default", "model-*"};
const std::vector<std::string> kModels{"/mnt/models"};
const std::vector<std::string> kNetworkAndIpc{"network", "ipc"};
const std::vector<std::string> kExampleHosts{"*.example.com"};
const std::vector<std::string> kAnyOfOneLetter{"?.example.com", "*.*", "**"};
const std::vector<std::string> kEveryHost{"*"};
const std::vector<std::string> kPublicGateway{"istio-system/public"};

const api::Parameters kNoAccount{.allowed_service_accounts = kNothing};
const api::Parameters kSomeAccounts{.allowed_service_accounts = kAccounts};
const api::Parameters kNoPath{.allowed_host_paths = kNothing};
const api::Parameters kModelPath{.allowed_host_paths = kModels};
const api::Parameters kNoAccess{.allowed_host_access = kNothing};
const api::Parameters kSomeAccess{.allowed_host_access = kNetworkAndIpc};
const api::Parameters kHosts{.allowed_ingress_hosts = kExampleHosts};
const api::Parameters kHostsOfOneLetter{.allowed_ingress_hosts = kAnyOfOneLetter};
const api::Parameters kNoHost{.allowed_ingress_hosts = kNothing};
const api::Parameters kAnyHost{.allowed_ingress_hosts = kEveryHost};
const api::Parameters kGateways{.allowed_istio_gateways = kPublicGateway};

// An object that the operator creates from a graph. The rules apply to other writers only.
#define OWNED(kind, spec) "{metadata: {name: c, ownerReferences: [{apiVersion: nvidia.com/v1alpha1, kind: " kind ", name: g, uid: u}]}, spec: " spec "}"
constexpr std::string_view kOperator = "system:serviceaccount:dynamo:operator";
const api::Settings kKnowsTheOperator{.operator_version = "", .operator_service_account = api::ServiceAccount{"dynamo", "operator"}, .restricted_namespace = ""};

RuleTable registries() {
  const std::vector<Finding> main{{kForbidden, in_main("image")}};
  return {"policy.registry", kGraphDeployment, {
      {.name = "no_parameter", .spec = MAIN("image: evil.com/a")},
      {.name = "another_parameter", .spec = MAIN("image: evil.com/a"), .parameters = kFour},
      {.name = "a_registry_of_the_list", .spec = MAIN("image: 'nvcr.io/nvidia/a:1'"), .parameters = kRegistries},
      {.name = "another_registry_of_the_list", .spec = MAIN("image: redis"), .parameters = kRegistries},
      {.name = "another_registry", .spec = MAIN("image: evil.com/nvcr.io/nvidia/a"), .errors = main, .parameters = kRegistries},
      {.name = "another_folder_of_a_registry", .spec = MAIN("image: nvcr.io/nvidia2/a"), .errors = main, .parameters = kRegistries},
      {.name = "a_placeholder_for_a_registry", .spec = MAIN("image: '${REGISTRY}/a'"), .errors = main, .parameters = kRegistries},
      {.name = "no_image_is_another_rules", .spec = MAIN("command: [a]"), .parameters = kRegistries},
      {.name = "every_container",
       .spec = POD("mainContainer: {image: redis}, initContainers: [{name: i, image: redis}, {name: j, image: evil.com/a}], containers: [{name: s, image: evil.com/b}]"),
       .errors = {{kForbidden, in_pod("containers[0].image")}, {kForbidden, in_pod("initContainers[1].image")}}, .parameters = kRegistries},
      {.name = "a_volume_that_is_an_image",
       .spec = POD("mainContainer: {image: redis}, volumes: [{name: a, image: {reference: redis}}, {name: b, image: {reference: evil.com/a}}]"),
       .errors = {{kForbidden, in_pod("volumes[1].image")}}, .parameters = kRegistries},
      {.name = "a_component", .spec = "{dynamoNamespace: x, extraPodSpec: {mainContainer: {image: evil.com/a}}}",
       .errors = {{kForbidden, "spec.extraPodSpec.mainContainer.image"}}, .kind = kComponentDeployment, .parameters = kRegistries},
      {.name = "a_component_that_the_operator_makes_of_a_graph", .user = kOperator, .settings = kKnowsTheOperator,
       .object = OWNED("DynamoGraphDeployment", "{extraPodSpec: {mainContainer: {image: evil.com/a}}}"), .kind = kComponentDeployment, .parameters = kRegistries},
      {.name = "the_job_of_a_checkpoint", .spec = JOB("containers: [{name: main, image: evil.com/a}]"),
       .errors = {{kForbidden, in_job("containers[0].image")}}, .kind = kCheckpoint, .parameters = kRegistries},
      {.name = "a_request", .spec = "{model: m, backend: vllm, profilingConfig: {profilerImage: evil.com/a, config: {}}, deploymentOverrides: {workersImage: evil.com/b}}",
       .errors = {{kForbidden, "spec.deploymentOverrides.workersImage"}, {kForbidden, "spec.profilingConfig.profilerImage"}},
       .kind = kGraphDeploymentRequest, .parameters = kRegistries},
      {.name = "a_good_request", .spec = "{model: m, backend: vllm, profilingConfig: {profilerImage: nvcr.io/nvidia/a, config: {}}}",
       .kind = kGraphDeploymentRequest, .parameters = kRegistries},
      {.name = "an_old_image_stays", .spec = MAIN("image: evil.com/a, command: [b]"), .old_spec = MAIN("image: evil.com/a"), .parameters = kRegistries},
      {.name = "a_new_image", .spec = MAIN("image: 'evil.com/a:2'"), .old_spec = MAIN("image: 'evil.com/a:1'"), .errors = main, .parameters = kRegistries},
  }};
}

RuleTable replicas() {
  const std::vector<Finding> denied{{kForbidden, in_service("replicas")}};
  return {"policy.replicas", kGraphDeployment, {
      {.name = "no_parameter", .spec = SERVICE("replicas: 5")},
      {.name = "as_many_as_allowed", .spec = SERVICE("replicas: 4"), .parameters = kFour},
      {.name = "one_more", .spec = SERVICE("replicas: 5"), .errors = denied, .parameters = kFour},
      {.name = "not_said", .spec = SERVICE("envs: []"), .parameters = kFour},
      {.name = "several_services", .spec = "{services: {B: {replicas: 9}, A: {replicas: 5}, C: {replicas: 1}}}",
       .errors = {{kForbidden, "spec.services[A].replicas"}, {kForbidden, "spec.services[B].replicas"}}, .parameters = kFour},
      {.name = "a_component", .spec = "{dynamoNamespace: x, replicas: 5}", .errors = {{kForbidden, "spec.replicas"}},
       .kind = kComponentDeployment, .parameters = kFour},
      {.name = "a_component_that_the_operator_makes_of_a_graph", .user = kOperator, .settings = kKnowsTheOperator,
       .object = OWNED("DynamoGraphDeployment", "{replicas: 5}"), .kind = kComponentDeployment, .parameters = kFour},
      {.name = "a_component_that_somebody_else_makes_of_a_graph", .errors = {{kForbidden, "spec.replicas"}},
       .settings = kKnowsTheOperator, .object = OWNED("DynamoGraphDeployment", "{replicas: 5}"), .kind = kComponentDeployment, .parameters = kFour},
      {.name = "a_component_that_the_operator_makes_of_something_else", .errors = {{kForbidden, "spec.replicas"}},
       .user = kOperator, .settings = kKnowsTheOperator, .object = OWNED("ConfigMap", "{dynamoNamespace: x, replicas: 5}"), .kind = kComponentDeployment, .parameters = kFour},
      {.name = "a_component_of_an_operator_that_is_only_guessed", .errors = {{kForbidden, "spec.replicas"}},
       .user = "system:serviceaccount:a:x-dynamo-operator-controller-manager",
       .object = OWNED("DynamoGraphDeployment", "{replicas: 5}"), .kind = kComponentDeployment, .parameters = kFour},
      {.name = "a_graph_that_the_operator_scales", .spec = SERVICE("replicas: 5"), .errors = denied, .user = kOperator,
       .settings = kKnowsTheOperator, .parameters = kFour},
      {.name = "a_scaling_adapter", .spec = "{dgdRef: {name: g, serviceName: s}, replicas: 5}", .errors = {{kForbidden, "spec.replicas"}},
       .kind = kScalingAdapter, .parameters = kFour},
      {.name = "a_scaling_adapter_within", .spec = "{dgdRef: {name: g, serviceName: s}, replicas: 4}", .kind = kScalingAdapter, .parameters = kFour},
      {.name = "unchanged", .spec = SERVICE("replicas: 9, envs: [{name: a}]"), .old_spec = SERVICE("replicas: 9"), .parameters = kFour},
      {.name = "fewer", .spec = SERVICE("replicas: 8"), .old_spec = SERVICE("replicas: 9"), .parameters = kFour},
      {.name = "more", .spec = SERVICE("replicas: 9"), .old_spec = SERVICE("replicas: 8"), .errors = denied, .parameters = kFour},
      {.name = "more_than_before_within", .spec = SERVICE("replicas: 4"), .old_spec = SERVICE("replicas: 3"), .parameters = kFour},
      {.name = "said_for_the_first_time", .spec = SERVICE("replicas: 5"), .old_spec = SERVICE("envs: []"), .errors = denied, .parameters = kFour},
  }};
}

RuleTable schemes() {
#define FROM(uri) "{modelName: m, baseModelName: b, modelType: lora, source: {uri: '" uri "'}}"
  const std::vector<Finding> denied{{kForbidden, "spec.source.uri"}};
  const Finding base{kInvalid, "spec.source.uri", "dm.lora.scheme"};
  const std::vector<Finding> both{base, {kForbidden, "spec.source.uri"}};
  return {"policy.lora-scheme", kModel, {
      {.name = "no_parameter", .spec = FROM("hf://a/b")},
      {.name = "a_scheme_of_the_list", .spec = FROM("s3://a/b"), .parameters = kS3},
      {.name = "another_scheme", .spec = FROM("hf://a/b"), .errors = denied, .parameters = kS3},
      {.name = "a_file", .spec = FROM("file:///a"), .errors = denied, .parameters = kS3},
      {.name = "in_upper_case", .spec = FROM("S3://a/b"), .errors = both, .parameters = kS3},
      {.name = "no_scheme", .spec = FROM("s3"), .errors = both, .parameters = kS3},
      {.name = "a_scheme_that_the_operator_refuses", .spec = FROM("gs://a/b"), .errors = {base}, .parameters = {.allowed_lora_schemes = kGoogleToo}},
      {.name = "no_source_is_another_rules", .spec = "{modelName: m, baseModelName: b, modelType: lora}",
       .errors = {{kRequired, "spec.source", "dm.lora.source"}}, .parameters = kS3},
      {.name = "a_base_model", .spec = "{modelName: m, baseModelName: b, modelType: base, source: {uri: 'hf://a'}}", .parameters = kS3},
      {.name = "an_old_scheme_stays", .spec = FROM("hf://a/c"), .old_spec = FROM("hf://a/b"), .parameters = kS3},
      {.name = "a_new_scheme", .spec = FROM("file:///a"), .old_spec = FROM("hf://a/b"), .errors = denied, .parameters = kS3},
  }};
#undef FROM
}

RuleTable limits() {
  const std::vector<Finding> one{{kRequired, in_service("resources.limits")}};
  const std::vector<Finding> two{{kRequired, in_service("resources.limits")}, {kRequired, in_service("resources.limits")}};
  return {"policy.resource-limits", kGraphDeployment, {
      {.name = "no_parameter", .spec = SERVICE("envs: []")},
      {.name = "none", .spec = SERVICE("envs: []"), .errors = two, .parameters = kLimits},
      {.name = "one_of_two", .spec = SERVICE("resources: {limits: {cpu: '1'}}"), .errors = one, .parameters = kLimits},
      {.name = "both", .spec = SERVICE("resources: {limits: {cpu: '1', memory: 1Gi}}"), .parameters = kLimits},
      {.name = "both_from_two_places",
       .spec = SERVICE("resources: {limits: {cpu: '1'}}, extraPodSpec: {mainContainer: {resources: {limits: {memory: 1Gi}}}}"), .parameters = kLimits},
      {.name = "requests_are_no_limits", .spec = SERVICE("resources: {requests: {cpu: '1', memory: 1Gi}}"), .errors = two, .parameters = kLimits},
      {.name = "nothing_is_no_limit", .spec = SERVICE("resources: {limits: {cpu: '0', memory: 1Gi}}"), .errors = one, .parameters = kLimits},
      {.name = "a_sidecar_is_not_asked",
       .spec = SERVICE("resources: {limits: {cpu: '1', memory: 1Gi}}, extraPodSpec: {containers: [{name: s, image: i}]}"), .parameters = kLimits},
      {.name = "a_worker_without_a_gpu", .spec = SERVICE("envs: []"), .errors = one, .parameters = kGpus},
      {.name = "a_worker_with_a_gpu", .spec = SERVICE("resources: {limits: {gpu: '1'}}"), .parameters = kGpus},
      {.name = "a_worker_with_a_gpu_of_another_name", .spec = SERVICE("resources: {limits: {gpu: '1', gpuType: example.com/fast}}"), .parameters = kGpus},
      {.name = "a_worker_with_a_gpu_of_the_container", .spec = MAIN("resources: {limits: {amd.com/gpu: 1}}"), .parameters = kGpus},
      {.name = "a_worker_with_a_slice", .spec = MAIN("resources: {limits: {nvidia.com/mig-1g.5gb: 1}}"), .parameters = kGpus},
      {.name = "a_worker_with_no_gpus", .spec = SERVICE("resources: {limits: {gpu: '0'}}"), .errors = one, .parameters = kGpus},
      {.name = "a_worker_with_a_claim", .spec = SERVICE("resources: {claims: [{name: gpu}]}"), .parameters = kGpus},
      {.name = "a_gpu_of_another_vendor", .spec = MAIN("resources: {limits: {amd.com/gpu: 1}}"), .errors = one, .parameters = kGpusOfNvidia},
      {.name = "a_gpu_of_the_vendor", .spec = SERVICE("resources: {limits: {gpu: '1'}}"), .parameters = kGpusOfNvidia},
      {.name = "a_frontend_needs_no_gpu", .spec = "{services: {F: {componentType: frontend}}}", .parameters = kGpus},
      {.name = "a_component", .spec = "{dynamoNamespace: x, componentType: worker}", .errors = {{kRequired, "spec.resources.limits"}},
       .kind = kComponentDeployment, .parameters = kGpus},
      {.name = "a_component_that_the_operator_makes_of_a_graph", .user = kOperator, .settings = kKnowsTheOperator,
       .object = OWNED("DynamoGraphDeployment", "{componentType: worker}"), .kind = kComponentDeployment, .parameters = kGpus},
      {.name = "the_job_of_a_checkpoint", .spec = JOB("containers: [{name: main, image: i}]"),
       .errors = {{kRequired, in_job("containers[0].resources.limits")}}, .kind = kCheckpoint, .parameters = kGpus},
      {.name = "the_job_of_a_checkpoint_with_a_gpu", .spec = JOB("containers: [{name: main, image: i, resources: {limits: {nvidia.com/gpu: 1}}}]"),
       .kind = kCheckpoint, .parameters = kGpus},
      {.name = "still_none", .spec = SERVICE("replicas: 2"), .old_spec = SERVICE("replicas: 1"), .parameters = kGpus},
      {.name = "none_any_more", .spec = SERVICE("replicas: 1"), .old_spec = SERVICE("resources: {limits: {gpu: '1'}}"), .errors = one, .parameters = kGpus},
      {.name = "none_of_a_new_service", .spec = "{services: {W: {componentType: worker}}}", .old_spec = "{services: {W: {componentType: frontend}}}",
       .errors = one, .parameters = kGpus},
  }};
}

RuleTable service_accounts() {
  const std::vector<Finding> denied{{kForbidden, in_pod("serviceAccountName")}};
  return {"policy.service-account", kGraphDeployment, {
      {.name = "no_parameter", .spec = POD("serviceAccountName: admin")},
      {.name = "no_account", .spec = SERVICE("envs: []"), .parameters = kNoAccount},
      {.name = "an_account_of_the_list", .spec = POD("serviceAccountName: default"), .parameters = kSomeAccounts},
      {.name = "an_account_that_matches_a_glob", .spec = POD("serviceAccountName: model-reader"), .parameters = kSomeAccounts},
      {.name = "another_account", .spec = POD("serviceAccountName: admin"), .errors = denied, .parameters = kSomeAccounts},
      {.name = "every_account_with_an_empty_list", .spec = POD("serviceAccountName: default"), .errors = denied, .parameters = kNoAccount},
      {.name = "the_old_name_of_the_field", .spec = POD("serviceAccount: admin"), .errors = {{kForbidden, in_pod("serviceAccount")}}, .parameters = kSomeAccounts},
      {.name = "a_component", .spec = "{dynamoNamespace: x, extraPodSpec: {serviceAccountName: admin}}",
       .errors = {{kForbidden, "spec.extraPodSpec.serviceAccountName"}}, .kind = kComponentDeployment, .parameters = kSomeAccounts},
      {.name = "a_component_that_the_operator_creates_for_a_graph", .user = kOperator, .settings = kKnowsTheOperator,
       .object = OWNED("DynamoGraphDeployment", "{extraPodSpec: {serviceAccountName: admin}}"), .kind = kComponentDeployment, .parameters = kSomeAccounts},
      {.name = "the_job_of_a_checkpoint", .spec = JOB("serviceAccountName: admin, containers: [{name: main, image: i}]"),
       .errors = {{kForbidden, in_job("serviceAccountName")}}, .kind = kCheckpoint, .parameters = kSomeAccounts},
      {.name = "an_old_account_stays", .spec = POD("serviceAccountName: admin"), .old_spec = POD("serviceAccountName: admin"), .parameters = kSomeAccounts},
      {.name = "a_new_account", .spec = POD("serviceAccountName: admin"), .old_spec = POD("serviceAccountName: default"), .errors = denied, .parameters = kSomeAccounts},
  }};
}

RuleTable host_paths() {
#define AT(path) POD("volumes: [{name: a, emptyDir: {}}, {name: v, hostPath: {path: '" path "'}}]")
  const std::vector<Finding> denied{{kForbidden, in_pod("volumes[1].hostPath")}};
  return {"policy.host-path", kGraphDeployment, {
      {.name = "no_parameter", .spec = AT("/")},
      {.name = "no_volume", .spec = SERVICE("envs: []"), .parameters = kNoPath},
      {.name = "the_path_itself", .spec = AT("/mnt/models"), .parameters = kModelPath},
      {.name = "a_path_below", .spec = AT("/mnt//models/./llama/"), .parameters = kModelPath},
      {.name = "a_path_above", .spec = AT("/mnt"), .errors = denied, .parameters = kModelPath},
      {.name = "a_path_with_the_same_beginning", .spec = AT("/mnt/models2"), .errors = denied, .parameters = kModelPath},
      {.name = "a_path_that_climbs", .spec = AT("/mnt/models/../../etc"), .errors = denied, .parameters = kModelPath},
      {.name = "a_relative_path", .spec = AT("mnt/models"), .errors = denied, .parameters = kModelPath},
      {.name = "every_path_with_an_empty_list", .spec = AT("/mnt/models"), .errors = denied, .parameters = kNoPath},
      {.name = "a_component", .spec = "{dynamoNamespace: x, extraPodSpec: {volumes: [{name: v, hostPath: {path: /}}]}}",
       .errors = {{kForbidden, "spec.extraPodSpec.volumes[0].hostPath"}}, .kind = kComponentDeployment, .parameters = kModelPath},
      {.name = "the_job_of_a_checkpoint", .spec = JOB("volumes: [{name: v, hostPath: {path: /}}], containers: [{name: main, image: i}]"),
       .errors = {{kForbidden, in_job("volumes[0].hostPath")}}, .kind = kCheckpoint, .parameters = kModelPath},
      {.name = "an_old_path_stays", .spec = AT("/"), .old_spec = AT("/"), .parameters = kModelPath},
      {.name = "a_new_path", .spec = AT("/"), .old_spec = AT("/mnt/models"), .errors = denied, .parameters = kModelPath},
  }};
#undef AT
}

RuleTable host_access() {
#define SECURE(fields) MAIN("securityContext: {" fields "}")
  const auto denied = [](std::string_view field) { return std::vector<Finding>{{kForbidden, in_pod(field)}}; };
  return {"policy.host-access", kGraphDeployment, {
      {.name = "no_parameter", .spec = POD("hostPID: true, hostIPC: true, hostNetwork: true, mainContainer: {securityContext: {privileged: true}}")},
      {.name = "nothing", .spec = SERVICE("envs: []"), .parameters = kNoAccess},
      {.name = "false", .spec = POD("hostPID: false, mainContainer: {securityContext: {privileged: false}}"), .parameters = kNoAccess},
      {.name = "allowed", .spec = POD("hostIPC: true, hostNetwork: true, mainContainer: {ports: [{containerPort: 80, hostPort: 80}]}"), .parameters = kSomeAccess},
      {.name = "network", .spec = POD("hostNetwork: true"), .errors = denied("hostNetwork"), .parameters = kNoAccess},
      {.name = "pid", .spec = POD("hostPID: true"), .errors = denied("hostPID"), .parameters = kSomeAccess},
      {.name = "ipc", .spec = POD("hostIPC: true"), .errors = denied("hostIPC"), .parameters = kNoAccess},
      {.name = "a_host_port", .spec = MAIN("ports: [{containerPort: 80, hostPort: 80}]"), .errors = denied("mainContainer.ports[0].hostPort"), .parameters = kNoAccess},
      {.name = "privileged", .spec = SECURE("privileged: true"), .errors = denied("mainContainer.securityContext.privileged"), .parameters = kSomeAccess},
      {.name = "unmasked", .spec = SECURE("procMount: Unmasked"), .errors = denied("mainContainer.securityContext.procMount"), .parameters = kSomeAccess},
      {.name = "capabilities", .spec = SECURE("capabilities: {add: [IPC_LOCK, CHOWN, SYS_ADMIN]}"),
       .errors = denied("mainContainer.securityContext.capabilities"), .parameters = kSomeAccess},
      {.name = "all_capabilities", .spec = SECURE("capabilities: {add: [all]}"), .errors = denied("mainContainer.securityContext.capabilities"), .parameters = kSomeAccess},
      {.name = "dropped_capabilities", .spec = SECURE("capabilities: {drop: [ALL]}"), .parameters = kNoAccess},
      {.name = "windows", .spec = POD("securityContext: {windowsOptions: {hostProcess: true}}"), .errors = denied("securityContext.windowsOptions"), .parameters = kSomeAccess},
      {.name = "every_container",
       .spec = POD("initContainers: [{name: i, image: i, securityContext: {privileged: true}}], containers: [{name: s, image: i, securityContext: {privileged: true}}]"),
       .errors = {{kForbidden, in_pod("containers[0].securityContext.privileged")}, {kForbidden, in_pod("initContainers[0].securityContext.privileged")}}, .parameters = kSomeAccess},
      {.name = "a_component", .spec = "{dynamoNamespace: x, extraPodSpec: {hostPID: true}}", .errors = {{kForbidden, "spec.extraPodSpec.hostPID"}},
       .kind = kComponentDeployment, .parameters = kSomeAccess},
      {.name = "the_job_of_a_checkpoint", .spec = JOB("hostPID: true, containers: [{name: main, image: i, securityContext: {privileged: true}}]"),
       .errors = {{kForbidden, in_job("containers[0].securityContext.privileged")}, {kForbidden, in_job("hostPID")}}, .kind = kCheckpoint, .parameters = kSomeAccess},
      {.name = "old_access_stays", .spec = POD("hostPID: true"), .old_spec = POD("hostPID: true"), .parameters = kNoAccess},
      {.name = "new_access", .spec = POD("hostPID: true"), .old_spec = POD("hostPID: false"), .errors = denied("hostPID"), .parameters = kNoAccess},
  }};
#undef SECURE
}

RuleTable ingress_hosts() {
#define INGRESS(fields) SERVICE("ingress: {enabled: true, ingressControllerClassName: nginx, " fields "}")
  const std::vector<Finding> denied{{kForbidden, in_service("ingress.host")}};
  return {"policy.ingress-host", kGraphDeployment, {
      {.name = "no_parameter", .spec = INGRESS("host: a, hostSuffix: example.org")},
      {.name = "no_ingress", .spec = SERVICE("envs: []"), .parameters = kHosts},
      {.name = "a_host_that_matches", .spec = INGRESS("hostPrefix: b-, host: a, hostSuffix: example.com"), .parameters = kHosts},
      {.name = "another_host", .spec = INGRESS("host: a, hostSuffix: example.org"), .errors = denied, .parameters = kHosts},
      {.name = "a_wildcard", .spec = INGRESS("host: '*', hostSuffix: example.com"), .errors = denied, .parameters = kHosts},
      {.name = "a_wildcard_below_a_name", .spec = INGRESS("host: '*', hostSuffix: a.example.com"), .errors = denied, .parameters = kHosts},
      {.name = "a_wildcard_of_a_virtual_service", .spec = SERVICE("ingress: {enabled: true, useVirtualService: true, host: '*', hostSuffix: example.com}"), .errors = denied, .parameters = kHosts},
      {.name = "a_wildcard_that_globs_match", .spec = INGRESS("host: '*', hostSuffix: example.com"), .errors = denied, .parameters = kHostsOfOneLetter},
      {.name = "a_wildcard_with_nothing_allowed", .spec = INGRESS("host: '*', hostSuffix: example.com"), .errors = denied, .parameters = kNoHost},
      {.name = "a_wildcard_with_everything_allowed", .spec = INGRESS("host: '*', hostSuffix: example.com"), .parameters = kAnyHost},
      {.name = "an_old_wildcard_stays", .spec = INGRESS("host: '*', hostSuffix: example.com"), .old_spec = INGRESS("host: '*', hostSuffix: example.com"), .parameters = kHosts},
      {.name = "a_new_wildcard", .spec = INGRESS("host: '*', hostSuffix: example.com"), .old_spec = INGRESS("host: a, hostSuffix: example.com"), .errors = denied, .parameters = kHosts},
      {.name = "another_wildcard_after_an_old_one", .spec = INGRESS("host: '*', hostSuffix: example.com"), .old_spec = INGRESS("host: '*', hostSuffix: a.example.com"), .errors = denied,
       .parameters = kHosts},
      {.name = "an_annotation_that_no_ingress_gets", .spec = INGRESS("host: a, hostSuffix: example.com, annotations: {nginx.ingress.kubernetes.io/server-alias: b.example.org}"), .parameters = kHosts},
      {.name = "the_default_suffix", .spec = INGRESS("host: a"), .errors = denied, .parameters = kHosts},
      {.name = "not_enabled", .spec = SERVICE("ingress: {enabled: false, host: a, hostSuffix: example.org}"), .parameters = kHosts},
      {.name = "a_virtual_service", .spec = SERVICE("ingress: {enabled: true, useVirtualService: true, host: a, hostSuffix: example.org}"), .errors = denied, .parameters = kHosts},
      {.name = "a_component", .spec = "{dynamoNamespace: x, ingress: {enabled: true, host: a, hostSuffix: example.org}}", .errors = {{kForbidden, "spec.ingress.host"}},
       .kind = kComponentDeployment, .parameters = kHosts},
      {.name = "an_old_host_stays", .spec = INGRESS("host: a"), .old_spec = INGRESS("host: a"), .parameters = kHosts},
      {.name = "a_new_host", .spec = INGRESS("host: a"), .old_spec = INGRESS("host: b"), .errors = denied, .parameters = kHosts},
  }};
#undef INGRESS
}

RuleTable istio_gateways() {
#define GATEWAY(name) SERVICE("ingress: {enabled: true, useVirtualService: true, host: a, virtualServiceGateway: " name "}")
  const std::vector<Finding> denied{{kForbidden, in_service("ingress.virtualServiceGateway")}};
  return {"policy.istio-gateway", kGraphDeployment, {
      {.name = "no_parameter", .spec = GATEWAY("team-b/own")},
      {.name = "the_gateway_of_the_list", .spec = GATEWAY("istio-system/public"), .parameters = kGateways},
      {.name = "another_gateway", .spec = GATEWAY("team-b/own"), .errors = denied, .parameters = kGateways},
      {.name = "a_gateway_of_the_same_name", .spec = GATEWAY("public"), .errors = denied, .parameters = kGateways},
      {.name = "not_used", .spec = SERVICE("ingress: {enabled: true, host: a, virtualServiceGateway: team-b/own}"), .parameters = kGateways},
      {.name = "not_enabled", .spec = SERVICE("ingress: {useVirtualService: true, virtualServiceGateway: team-b/own}"), .parameters = kGateways},
      {.name = "a_component", .spec = "{dynamoNamespace: x, ingress: {enabled: true, host: a, useVirtualService: true, virtualServiceGateway: b/own}}",
       .errors = {{kForbidden, "spec.ingress.virtualServiceGateway"}}, .kind = kComponentDeployment, .parameters = kGateways},
      {.name = "an_old_gateway_stays", .spec = GATEWAY("b/own"), .old_spec = GATEWAY("b/own"), .parameters = kGateways},
      {.name = "a_new_gateway", .spec = GATEWAY("b/own"), .old_spec = GATEWAY("istio-system/public"), .errors = denied, .parameters = kGateways},
  }};
#undef GATEWAY
}

}  // namespace

std::vector<RuleTable> policy_tables() {
  return {registries(),   replicas(),    schemes(),       limits(),        service_accounts(),
          host_paths(), host_access(), ingress_hosts(), istio_gateways()};
}

// clang-format on

}  // namespace dynamo::test

#undef OWNED
