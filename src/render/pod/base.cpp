#include "render/pod/base.hpp"

#include <algorithm>
#include <cstddef>

#include "render/document/tape.hpp"
#include "render/document/well_known.hpp"

namespace dynamo::render {
namespace {

using tape::array;
using tape::field;
using tape::object;

constexpr auto port_of(std::string_view name, std::int64_t number) {
  return object(field("name", name), field("containerPort", number), field("protocol", "TCP"));
}

constexpr auto http_get(std::string_view path, std::string_view name) {
  return field("httpGet", object(field("path", path), field("port", name)));
}

constexpr auto health_service() {
  return field("grpc",
               object(field("port", port::kGrpcHealth), field("service", "inference-extension")));
}

constexpr auto period(std::int64_t seconds) {
  return field("periodSeconds", seconds);
}
constexpr auto timeout(std::int64_t seconds) {
  return field("timeoutSeconds", seconds);
}
constexpr auto failures(std::int64_t count) {
  return field("failureThreshold", count);
}
constexpr auto delay(std::int64_t seconds) {
  return field("initialDelaySeconds", seconds);
}

constexpr auto kFrontendPorts = array(port_of("http", port::kHttp));
constexpr auto kFrontendLiveness =
    object(http_get("/live", "http"), delay(15), period(10), timeout(1), failures(3));
constexpr auto kFrontendReadiness =
    object(http_get("/health", "http"), delay(10), period(10), timeout(3), failures(3));

constexpr auto kWorkerPorts = array(port_of("system", port::kSystem));
constexpr auto kWorkerLiveness =
    object(http_get("/live", "system"), period(5), timeout(4), failures(1));
constexpr auto kWorkerReadiness =
    object(http_get("/health", "system"), period(10), timeout(4), failures(3));
constexpr auto kWorkerStartup =
    object(http_get("/live", "system"), period(10), timeout(5), failures(720));

constexpr auto kPlannerPorts = array(port_of("metrics", port::kPlannerMetrics));

constexpr auto kPickerPorts =
    array(port_of("grpc", port::kGrpc), port_of("grpc-health", port::kGrpcHealth),
          port_of("metrics", port::kSystem));
constexpr auto kPickerProbe = object(health_service(), delay(5), period(10));
constexpr auto kPickerStartup = object(health_service(), period(10), failures(180));

constexpr std::array<std::string_view, 2> kShell = {"/bin/sh", "-c"};
constexpr std::array<std::string_view, 1> kPython = {"python3"};
constexpr std::array<std::string_view, 2> kFrontendModule = {"-m", "dynamo.frontend"};

constexpr std::array kCommonVariables = {
    BaseVariable{"DYN_COMPONENT", "", ValueFrom::kComponentType},
    BaseVariable{"DYN_DISCOVERY_BACKEND", "kubernetes", ValueFrom::kDiscovery},
    BaseVariable{"DYN_NAMESPACE", "", ValueFrom::kDynamoNamespace},
    BaseVariable{"DYN_PARENT_DGD_K8S_NAME", "", ValueFrom::kGraphName},
    BaseVariable{"DYN_PARENT_DGD_K8S_NAMESPACE", "", ValueFrom::kNamespace},
    BaseVariable{"ETCD_ENDPOINTS", "", ValueFrom::kEtcdAddress},
    BaseVariable{"MODEL_EXPRESS_URL", "", ValueFrom::kModelExpressUrl},
    BaseVariable{"NATS_SERVER", "", ValueFrom::kNatsAddress},
    BaseVariable{"POD_NAME", "metadata.name", ValueFrom::kPodField},
    BaseVariable{"POD_NAMESPACE", "metadata.namespace", ValueFrom::kPodField},
    BaseVariable{"POD_UID", "metadata.uid", ValueFrom::kPodField},
    BaseVariable{"PROMETHEUS_ENDPOINT", "", ValueFrom::kPrometheusEndpoint}};

// Of every component of later operators, in addition.
constexpr std::array kLaterVariables = {
    BaseVariable{"CONTAINER_NAME", "main", ValueFrom::kDiscoveryMode},
    BaseVariable{"DYN_KUBE_DISCOVERY_MODE", "container", ValueFrom::kDiscoveryMode}};

// The variables of every component and of one type, sorted by name.
template <typename... OfType>
constexpr auto variables(const OfType&... of_type) {
  constexpr std::size_t kOfAll = kCommonVariables.size() + kClientTlsFiles.size();
  std::array<BaseVariable, kOfAll + sizeof...(OfType)> all{};
  std::size_t count = 0;
  for (const BaseVariable& variable : kCommonVariables) all[count++] = variable;
  for (const auto& [name, file] : kClientTlsFiles) {
    all[count++] = BaseVariable{name, file, ValueFrom::kClientTlsFile};
  }
  ((all[count++] = of_type), ...);
  std::sort(all.begin(), all.end(), [](const BaseVariable& left, const BaseVariable& right) {
    return left.name < right.name;
  });
  return all;
}

constexpr auto kFrontendVariables =
    variables(BaseVariable{"DYNAMO_PORT", "8000"}, BaseVariable{"DYN_HTTP_PORT", "8000"});
constexpr auto kWorkerVariables = variables(
    BaseVariable{"DYN_SYSTEM_ENABLED", "true"},
    BaseVariable{"DYN_SYSTEM_USE_ENDPOINT_HEALTH_STATUS", R"(["generate"])"},
    BaseVariable{"DYN_SYSTEM_PORT", "9090"}, BaseVariable{"DYN_HEALTH_CHECK_ENABLED", "false"});
constexpr auto kPlannerVariables = variables(BaseVariable{"PLANNER_PROMETHEUS_PORT", "9085"});
constexpr auto kPickerVariables =
    variables(BaseVariable{"DYN_KV_BLOCK_SIZE", "16"}, BaseVariable{"USE_STREAMING", "true"},
              BaseVariable{"RUST_LOG", "debug,dynamo_llm::kv_router=trace"});
constexpr auto kGenericVariables = variables();

// Later operators: 5.1 of their rendering.
template <typename... OfType>
constexpr auto later_variables(const OfType&... of_type) {
  return variables(kLaterVariables[0], kLaterVariables[1], of_type...);
}
constexpr BaseVariable kNamespacePrefix{"DYN_NAMESPACE_PREFIX", "", ValueFrom::kDynamoNamespace};
constexpr auto kLaterFrontendVariables = later_variables(
    BaseVariable{"DYNAMO_PORT", "8000"}, BaseVariable{"DYN_HTTP_PORT", "8000"}, kNamespacePrefix);
constexpr auto kLaterWorkerVariables = later_variables(
    BaseVariable{"DYN_SYSTEM_ENABLED", "true"},
    BaseVariable{"DYN_SYSTEM_USE_ENDPOINT_HEALTH_STATUS", R"(["generate"])"},
    BaseVariable{"DYN_SYSTEM_PORT", "9090"}, BaseVariable{"DYN_HEALTH_CHECK_ENABLED", "false"},
    BaseVariable{"DYN_FORWARDPASS_METRIC_PORT", "20380"},
    BaseVariable{"DYN_NAMESPACE_WORKER_SUFFIX", "", ValueFrom::kWorkerHash},
    BaseVariable{"NIXL_TELEMETRY_ENABLE", "n"},
    BaseVariable{"NIXL_TELEMETRY_EXPORTER", "prometheus"},
    BaseVariable{"NIXL_TELEMETRY_PROMETHEUS_PORT", "19090"});
constexpr auto kLaterPlannerVariables = later_variables(
    BaseVariable{"DYN_SYSTEM_PORT", "9090"}, BaseVariable{"PLANNER_PROMETHEUS_PORT", "9085"});
constexpr auto kLaterPickerVariables =
    later_variables(BaseVariable{"DYN_ENFORCE_DISAGG", "false"}, BaseVariable{"RUST_LOG", "info"},
                    BaseVariable{"USE_STREAMING", "true"}, kNamespacePrefix);
constexpr auto kLaterGenericVariables = later_variables();

constexpr auto kLaterWorkerPorts =
    array(port_of("system", port::kSystem), port_of("nixl", port::kNixl));
constexpr auto kLaterPlannerPorts =
    array(port_of("metrics", port::kPlannerMetrics), port_of("system", port::kSystem));

constexpr std::int64_t kGracePeriod = 60;
constexpr std::int64_t kPickerGracePeriod = 130;

constexpr Base kFrontend{.command = kPython,
                         .args = kFrontendModule,
                         .ports = kFrontendPorts.first(),
                         .liveness = kFrontendLiveness.first(),
                         .readiness = kFrontendReadiness.first(),
                         .variables = kFrontendVariables,
                         .service_account = {},
                         .grace_period_seconds = kGracePeriod};
constexpr Base kWorker{.command = kShell,
                       .args = {},
                       .ports = kWorkerPorts.first(),
                       .liveness = kWorkerLiveness.first(),
                       .readiness = kWorkerReadiness.first(),
                       .startup = kWorkerStartup.first(),
                       .variables = kWorkerVariables,
                       .service_account = {},
                       .grace_period_seconds = kGracePeriod};
constexpr Base kPlanner{.command = kShell,
                        .args = {},
                        .ports = kPlannerPorts.first(),
                        .variables = kPlannerVariables,
                        .service_account = kPlannerServiceAccount,
                        .grace_period_seconds = kGracePeriod};
constexpr Base kPicker{.command = {},
                       .args = {},
                       .ports = kPickerPorts.first(),
                       .liveness = kPickerProbe.first(),
                       .readiness = kPickerProbe.first(),
                       .startup = kPickerStartup.first(),
                       .variables = kPickerVariables,
                       .service_account = kEndpointPickerServiceAccount,
                       .grace_period_seconds = kPickerGracePeriod};
constexpr Base kGeneric{.command = kShell,
                        .args = {},
                        .variables = kGenericVariables,
                        .service_account = {},
                        .grace_period_seconds = kGracePeriod};

// The base of later operators where only variables differ.
constexpr Base with_variables(Base base, std::span<const BaseVariable> own) {
  base.variables = own;
  return base;
}

constexpr Base with_ports(Base base, const json::Node* ports) {
  base.ports = ports;
  return base;
}

// A planner serves the probes of a worker.
constexpr Base with_worker_probes(Base base) {
  base.liveness = kWorkerLiveness.first();
  base.readiness = kWorkerReadiness.first();
  base.startup = kWorkerStartup.first();
  return base;
}

constexpr Base kLaterFrontend = with_variables(kFrontend, kLaterFrontendVariables);
constexpr Base kLaterWorker =
    with_ports(with_variables(kWorker, kLaterWorkerVariables), kLaterWorkerPorts.first());
constexpr Base kLaterPlanner = with_worker_probes(
    with_ports(with_variables(kPlanner, kLaterPlannerVariables), kLaterPlannerPorts.first()));
constexpr Base kLaterPicker = with_variables(kPicker, kLaterPickerVariables);
constexpr Base kLaterGeneric = with_variables(kGeneric, kLaterGenericVariables);

}  // namespace

const Base& base_of(ComponentType type) {
  switch (type) {
    case ComponentType::kFrontend:
      return kFrontend;
    case ComponentType::kWorker:
    case ComponentType::kPrefill:
    case ComponentType::kDecode:
      return kWorker;
    case ComponentType::kPlanner:
      return kPlanner;
    case ComponentType::kEndpointPicker:
      return kPicker;
    case ComponentType::kGeneric:
      break;
  }
  return kGeneric;
}

const Base& later_base_of(ComponentType type) {
  switch (type) {
    case ComponentType::kFrontend:
      return kLaterFrontend;
    case ComponentType::kWorker:
    case ComponentType::kPrefill:
    case ComponentType::kDecode:
      return kLaterWorker;
    case ComponentType::kPlanner:
      return kLaterPlanner;
    case ComponentType::kEndpointPicker:
      return kLaterPicker;
    case ComponentType::kGeneric:
      break;
  }
  return kLaterGeneric;
}

std::array<std::string_view, kEndpointPickerArgs> endpoint_picker_args(std::string_view pool,
                                                                       std::string_view space) {
  return {"-pool-name",
          pool,
          "-pool-namespace",
          space,
          "-pool-group",
          "inference.networking.k8s.io",
          "-v",
          "4",
          "--zap-encoder",
          "json",
          "-grpc-port",
          "9002",
          "-grpc-health-port",
          "9003",
          "-config-file",
          "/etc/epp/epp-config-dynamo.yaml"};
}

std::array<std::string_view, kEndpointPickerArgs> later_picker_args(std::string_view pool,
                                                                    std::string_view space) {
  return {"--pool-name",
          pool,
          "--pool-namespace",
          space,
          "--pool-group",
          "inference.networking.k8s.io",
          "-v",
          "4",
          "--zap-encoder",
          "json",
          "--grpc-port",
          "9002",
          "--grpc-health-port",
          "9003",
          "--config-file",
          "/etc/epp/epp-config-dynamo.yaml"};
}

}  // namespace dynamo::render
