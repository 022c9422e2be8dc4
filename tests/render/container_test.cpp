// The main container: the base by component type, with the user's overrides.
#include "render/pod/container.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/render/rendering.hpp"

namespace dynamo::render {
namespace {

using test::OneService;
using test::path_of;
using test::plain_profile;
using test::text_of;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;

// The main container of a service.
struct Main : OneService {
  explicit Main(std::string_view service, Profile with = plain_profile(),
                std::string_view spec = "", PodRole role = PodRole::kMain)
      : OneService(service, std::move(with), spec), rendered(pod(role)), main(rendered.main()) {}
  Pod rendered;
  const Container& main;
};

constexpr const char* kWorkerPort = R"([{"name":"system","containerPort":9090,"protocol":"TCP"}])";

TEST(MainContainer, FrontendServesHttp) {
  const Main it("componentType: frontend");
  EXPECT_EQ(it.main.name, "main");
  EXPECT_EQ(it.main.image, "");
  EXPECT_THAT(text_of(it.main.command.items), ElementsAre("python3"));
  EXPECT_THAT(text_of(it.main.args.items), ElementsAre("-m", "dynamo.frontend"));
  EXPECT_EQ(text_of(it.main.ports), R"([{"name":"http","containerPort":8000,"protocol":"TCP"}])");
  EXPECT_EQ(text_of(it.main.liveness.fields),
            R"({"httpGet":{"path":"/live","port":"http"},"initialDelaySeconds":15,)"
            R"("periodSeconds":10,"timeoutSeconds":1,"failureThreshold":3})");
  EXPECT_EQ(text_of(it.main.readiness.fields),
            R"({"httpGet":{"path":"/health","port":"http"},"initialDelaySeconds":10,)"
            R"("periodSeconds":10,"timeoutSeconds":3,"failureThreshold":3})");
  EXPECT_FALSE(it.main.startup.exists());
  EXPECT_THAT(
      text_of(it.main.variables),
      ElementsAre("DYNAMO_PORT=8000", "DYN_COMPONENT=frontend", "DYN_DISCOVERY_BACKEND=kubernetes",
                  "DYN_HTTP_PORT=8000", "DYN_NAMESPACE=ml-llama", "DYN_PARENT_DGD_K8S_NAME=llama",
                  "DYN_PARENT_DGD_K8S_NAMESPACE=ml", "POD_NAME=<metadata.name>",
                  "POD_NAMESPACE=<metadata.namespace>", "POD_UID=<metadata.uid>"));
}

TEST(MainContainer, WorkerTypesDifferOnlyInName) {
  for (const std::string type : {"worker", "prefill", "decode"}) {
    const Main it("componentType: " + type);
    EXPECT_THAT(text_of(it.main.command.items), ElementsAre("/bin/sh", "-c"));
    EXPECT_THAT(text_of(it.main.args.items), IsEmpty());
    EXPECT_EQ(text_of(it.main.ports), kWorkerPort);
    EXPECT_EQ(text_of(it.main.liveness.fields),
              R"({"httpGet":{"path":"/live","port":"system"},"periodSeconds":5,)"
              R"("timeoutSeconds":4,"failureThreshold":1})");
    EXPECT_EQ(text_of(it.main.readiness.fields),
              R"({"httpGet":{"path":"/health","port":"system"},"periodSeconds":10,)"
              R"("timeoutSeconds":4,"failureThreshold":3})");
    EXPECT_EQ(text_of(it.main.startup.fields),
              R"({"httpGet":{"path":"/live","port":"system"},"periodSeconds":10,)"
              R"("timeoutSeconds":5,"failureThreshold":720})");
    EXPECT_THAT(text_of(it.main.variables),
                ElementsAre("DYN_COMPONENT=" + type, "DYN_DISCOVERY_BACKEND=kubernetes",
                            "DYN_HEALTH_CHECK_ENABLED=false", "DYN_NAMESPACE=ml-llama",
                            "DYN_PARENT_DGD_K8S_NAME=llama", "DYN_PARENT_DGD_K8S_NAMESPACE=ml",
                            "DYN_SYSTEM_ENABLED=true", "DYN_SYSTEM_PORT=9090",
                            "DYN_SYSTEM_USE_ENDPOINT_HEALTH_STATUS=[\"generate\"]",
                            "POD_NAME=<metadata.name>", "POD_NAMESPACE=<metadata.namespace>",
                            "POD_UID=<metadata.uid>"));
  }
}

TEST(MainContainer, PlannerHasMetricsAndNoProbes) {
  const Main it("componentType: planner");
  EXPECT_THAT(text_of(it.main.command.items), ElementsAre("/bin/sh", "-c"));
  EXPECT_EQ(text_of(it.main.ports),
            R"([{"name":"metrics","containerPort":9085,"protocol":"TCP"}])");
  EXPECT_FALSE(it.main.liveness.exists());
  EXPECT_FALSE(it.main.readiness.exists());
  EXPECT_FALSE(it.main.startup.exists());
  EXPECT_THAT(text_of(it.main.variables, "PLANNER"), ElementsAre("PLANNER_PROMETHEUS_PORT=9085"));
}

TEST(MainContainer, EndpointPickerGetsPoolArguments) {
  const Main it("componentType: epp");
  EXPECT_THAT(text_of(it.main.command.items), IsEmpty());
  EXPECT_THAT(text_of(it.main.args.items),
              ElementsAre("-pool-name", "llama-pool", "-pool-namespace", "ml", "-pool-group",
                          "inference.networking.k8s.io", "-v", "4", "--zap-encoder", "json",
                          "-grpc-port", "9002", "-grpc-health-port", "9003", "-config-file",
                          "/etc/epp/epp-config-dynamo.yaml"));
  EXPECT_EQ(text_of(it.main.ports),
            R"([{"name":"grpc","containerPort":9002,"protocol":"TCP"},)"
            R"({"name":"grpc-health","containerPort":9003,"protocol":"TCP"},)"
            R"({"name":"metrics","containerPort":9090,"protocol":"TCP"}])");
  const char* probe =
      R"({"grpc":{"port":9003,"service":"inference-extension"},"initialDelaySeconds":5,)"
      R"("periodSeconds":10})";
  EXPECT_EQ(text_of(it.main.liveness.fields), probe);
  EXPECT_EQ(text_of(it.main.readiness.fields), probe);
  EXPECT_EQ(text_of(it.main.startup.fields),
            R"({"grpc":{"port":9003,"service":"inference-extension"},"periodSeconds":10,)"
            R"("failureThreshold":180})");
  EXPECT_THAT(text_of(it.main.variables),
              IsSupersetOf({"DYN_KV_BLOCK_SIZE=16", "USE_STREAMING=true",
                            "RUST_LOG=debug,dynamo_llm::kv_router=trace"}));
  EXPECT_THAT(text_of(it.main.mounts), ElementsAre("epp-config at /etc/epp ro",
                                                   "hf-cache at /home/"
                                                   "nonroot/.cache",
                                                   "shared-memory at /dev/shm"));
}

TEST(MainContainer, OtherTypesHaveOnlyShellCommand) {
  for (const std::string type : {"main", "Frontend"}) {
    const Main it("componentType: " + type);
    EXPECT_THAT(text_of(it.main.command.items), ElementsAre("/bin/sh", "-c"));
    EXPECT_FALSE(it.main.ports.exists());
    EXPECT_FALSE(it.main.liveness.exists());
    EXPECT_THAT(text_of(it.main.variables, "DYN_COMPONENT"), ElementsAre("DYN_COMPONENT=" + type));
  }
}

TEST(MainContainer, UserNameImageCommandAndArgsReplaceDefaults) {
  const Main it(
      "componentType: frontend\n"
      "extraPodSpec: {mainContainer: {name: web, image: 'a/b:1', command: [run], args: [x, z]}}");
  EXPECT_EQ(it.main.name, "web");
  EXPECT_EQ(it.main.image, "a/b:1");
  EXPECT_THAT(text_of(it.main.command.items), ElementsAre("run"));
  EXPECT_THAT(text_of(it.main.args.items), ElementsAre("x", "z"));
  EXPECT_EQ(path_of(it.main.command.origin_of(0)),
            "spec.services[Worker].extraPodSpec.mainContainer.command[0]");
  EXPECT_EQ(path_of(it.main.args.origin_of(1)),
            "spec.services[Worker].extraPodSpec.mainContainer.args[1]");
}

TEST(MainContainer, EmptyListsKeepDefaults) {
  const Main it(
      "componentType: frontend\n"
      "extraPodSpec: {mainContainer: {name: '', command: [], args: [], ports: []}}");
  EXPECT_EQ(it.main.name, "main");
  EXPECT_THAT(text_of(it.main.command.items), ElementsAre("python3"));
  EXPECT_THAT(text_of(it.main.args.items), ElementsAre("-m", "dynamo.frontend"));
  EXPECT_TRUE(it.main.ports_origin.is_generated());
  EXPECT_TRUE(it.main.args.origin_of(0).is_generated());
}

TEST(MainContainer, UserCommandKeepsDefaultArgs) {
  const Main it("componentType: frontend\nextraPodSpec: {mainContainer: {command: [sh, -c, x]}}");
  EXPECT_THAT(text_of(it.main.command.items), ElementsAre("sh", "-c", "x"));
  EXPECT_THAT(text_of(it.main.args.items), ElementsAre("-m", "dynamo.frontend"));
}

TEST(MainContainer, UserPortsReplaceDefaults) {
  const Main it("extraPodSpec: {mainContainer: {ports: [{containerPort: 1}]}}");
  EXPECT_EQ(text_of(it.main.ports), R"([{"containerPort":1}])");
  EXPECT_EQ(path_of(it.main.ports_origin.at(0)),
            "spec.services[Worker].extraPodSpec.mainContainer.ports[0]");
}

TEST(Probes, MainContainerProbesMergeWithDefaults) {
  const Main it(
      "extraPodSpec:\n  mainContainer:\n"
      "    livenessProbe: {exec: {command: [ls]}, timeoutSeconds: 0, periodSeconds: 7}\n"
      "    readinessProbe: {httpGet: {port: 8080, path: /ok}}");
  EXPECT_EQ(text_of(it.main.liveness.fields),
            R"({"exec":{"command":["ls"]},"timeoutSeconds":4,"periodSeconds":7,)"
            R"("httpGet":{"path":"/live","port":"system"},"failureThreshold":1})");
  EXPECT_EQ(text_of(it.main.readiness.fields["httpGet"]), R"({"port":"system","path":"/ok"})");
  EXPECT_EQ(path_of(it.main.liveness.origin),
            "spec.services[Worker].extraPodSpec.mainContainer.livenessProbe");
}

TEST(Probes, ServiceProbesReplaceBoth) {
  const Main it(
      "livenessProbe: {exec: {command: [ls]}}\n"
      "readinessProbe: {}\n"
      "extraPodSpec: {mainContainer: {livenessProbe: {periodSeconds: 3}}}");
  EXPECT_EQ(text_of(it.main.liveness.fields), R"({"exec":{"command":["ls"]}})");
  EXPECT_EQ(path_of(it.main.liveness.origin), "spec.services[Worker].livenessProbe");
  EXPECT_EQ(text_of(it.main.readiness.fields), "{}");
}

TEST(Probes, NullServiceProbesReplaceNothing) {
  const Main it("livenessProbe: null");
  EXPECT_TRUE(it.main.liveness.exists());
  EXPECT_TRUE(it.main.liveness.origin.is_generated());
}

TEST(Probes, StartupProbeReplacesDefault) {
  const Main it("extraPodSpec: {mainContainer: {startupProbe: {tcpSocket: {port: 1}}}}");
  EXPECT_EQ(text_of(it.main.startup.fields), R"({"tcpSocket":{"port":1}})");
}

TEST(Probes, MultinodeWorkerProbesDependOnEngine) {
  const struct {
    std::string backend;
    std::string liveness;
    std::string readiness;
    bool startup;
  } rows[] = {
      {"vllm", "", "", false},
      {"sglang", "", "", false},
      {"trtllm", "",
       R"({"tcpSocket":{"port":2222},"initialDelaySeconds":20,"periodSeconds":20,)"
       R"("timeoutSeconds":5,"failureThreshold":10})",
       false},
  };
  for (const auto& row : rows) {
    const std::string spec = "backendFramework: " + row.backend;
    const std::string_view service = "multinode: {nodeCount: 2}";
    const Main worker(service, plain_profile(Pathway::kGrove), spec, PodRole::kWorker);
    EXPECT_EQ(text_of(worker.main.liveness.fields), row.liveness) << row.backend;
    EXPECT_EQ(text_of(worker.main.readiness.fields), row.readiness) << row.backend;
    EXPECT_EQ(worker.main.startup.exists(), row.startup) << row.backend;
    const Main leader(service, plain_profile(Pathway::kGrove), spec, PodRole::kLeader);
    EXPECT_TRUE(leader.main.liveness.exists()) << row.backend;
    EXPECT_TRUE(leader.main.startup.exists()) << row.backend;
  }
  const Main unknown("multinode: {nodeCount: 2}", plain_profile(Pathway::kGrove), "",
                     PodRole::kWorker);
  EXPECT_TRUE(unknown.main.liveness.exists());
}

TEST(Variables, AreSortedAndLastDuplicateWins) {
  const Main it(
      "envs: [{name: A, value: service}, {name: DYN_NAMESPACE, value: mine}]\n"
      "extraPodSpec: {mainContainer: {env: [{name: B, value: main}, {name: A, value: main}, "
      "{name: C, value: main}, {name: D, value: first}, {name: D, value: second}]}}",
      plain_profile(), "envs: [{name: A, value: graph}, {name: B, value: graph}]");
  const auto& variables = it.main.variables;
  EXPECT_THAT(text_of(variables),
              IsSupersetOf({"A=service", "B=graph", "C=main", "D=second", "DYN_NAMESPACE=mine"}));
  EXPECT_TRUE(std::is_sorted(
      variables.begin(), variables.end(),
      [](const Variable& left, const Variable& right) { return left.name < right.name; }));
  const auto path = [&](std::string_view name) {
    for (const Variable& variable : variables) {
      if (variable.name == name) return path_of(variable.origin);
    }
    return std::string("none");
  };
  EXPECT_EQ(path("A"), "spec.services[Worker].envs[0]");
  EXPECT_EQ(path("B"), "spec.envs[1]");
  EXPECT_EQ(path("C"), "spec.services[Worker].extraPodSpec.mainContainer.env[2]");
  EXPECT_EQ(path("D"), "spec.services[Worker].extraPodSpec.mainContainer.env[4]");
  EXPECT_EQ(path("POD_UID"), "spec.services[Worker]");
}

TEST(Variables, UserOverridesAddressVariables) {
  Profile profile = plain_profile();
  profile.nats_address = "nats://n:4222";
  profile.etcd_address = std::nullopt;
  profile.model_express_url = "http://m";
  profile.prometheus_endpoint = "";
  const Main it("envs: [{name: MODEL_EXPRESS_URL, value: mine}]", profile);
  EXPECT_THAT(
      text_of(it.main.variables),
      IsSupersetOf({"NATS_SERVER=nats://n:4222", "ETCD_ENDPOINTS=?", "MODEL_EXPRESS_URL=mine"}));
  EXPECT_THAT(text_of(it.main.variables, "PROMETHEUS"), IsEmpty());
}

TEST(Variables, ClientTlsFilesAreNamedIfConfigured) {
  Profile profile = plain_profile();
  EXPECT_THAT(text_of(Main("replicas: 1", profile).main.variables, "ETCD_AUTH"), IsEmpty());
  profile.client_tls_secret = "client";
  const Main it("envs: [{name: ETCD_AUTH_CA, value: mine}]", profile);
  EXPECT_THAT(
      text_of(it.main.variables),
      IsSupersetOf({"ETCD_AUTH_CA=mine", "ETCD_AUTH_CLIENT_CERT=/etc/dynamo-client-tls/tls.crt",
                    "ETCD_AUTH_CLIENT_KEY=/etc/dynamo-client-tls/tls.key",
                    "NATS_TLS_CA_CERT_PATH=/etc/dynamo-client-tls/ca.crt"}));
}

TEST(Variables, DiscoveryVariableIsSetUnlessEtcd) {
  Profile profile = plain_profile();
  profile.discovery = DiscoveryBackend::kEtcd;
  EXPECT_THAT(text_of(Main("replicas: 1", profile).main.variables, "DYN_DISC"), IsEmpty());
  profile.discovery = DiscoveryBackend::kUnknown;
  EXPECT_THAT(text_of(Main("replicas: 1", profile).main.variables, "DYN_DISC"),
              ElementsAre("DYN_DISCOVERY_BACKEND=kubernetes?"));
  const OneService other("annotations: {nvidia.com/dynamo-discovery-backend: nats}");
  EXPECT_THAT(text_of(other.pod().main().variables, "DYN_DISC"),
              ElementsAre("DYN_DISCOVERY_BACKEND=kubernetes"));
}

TEST(Variables, VllmCacheVariableIsAppendedNextToUsers) {
  const Main it(
      "envs: [{name: VLLM_CACHE_ROOT, value: /mine}]\n"
      "volumeMounts: [{name: data, mountPoint: /data}, "
      "{name: cache, mountPoint: /cache, useAsCompilationCache: true}]",
      plain_profile(), "backendFramework: vllm");
  EXPECT_THAT(text_of(it.main.variables, "VLLM"),
              ElementsAre("VLLM_CACHE_ROOT=/mine", "VLLM_CACHE_ROOT=/cache"));
  EXPECT_EQ(path_of(it.main.variables.back().origin),
            "spec.services[Worker].volumeMounts[1].useAsCompilationCache");
}

TEST(Variables, ListFitsAllOperatorVariables) {
  const Main it("volumeMounts: [{name: cache, mountPoint: /cache, useAsCompilationCache: true}]",
                Profile{}, "backendFramework: vllm");
  EXPECT_EQ(it.main.variables.size(), 17U);
  EXPECT_EQ(it.main.variables.back().name, "VLLM_CACHE_ROOT");
}

TEST(Variables, VllmCacheVariableNeedsMountPoint) {
  const Main it("volumeMounts: [{name: cache, useAsCompilationCache: true}]", plain_profile(),
                "backendFramework: vllm");
  EXPECT_THAT(text_of(it.main.variables, "VLLM"), IsEmpty());
  EXPECT_THAT(text_of(it.main.mounts), Contains("cache at /root"
                                                "/.cache/vllm"));
}

TEST(Variables, ServiceSecretFollowsContainerSources) {
  const Main it(
      "envFromSecret: tokens\n"
      "extraPodSpec: {mainContainer: {envFrom: [{configMapRef: {name: c}}]}}");
  EXPECT_EQ(text_of(it.main.env_from), R"([{"configMapRef":{"name":"c"}}])");
  EXPECT_EQ(it.main.env_from_secret, "tokens");
}

TEST(ResourcesOfMain, ServiceOverridesContainerByName) {
  const Main it(
      "resources:\n"
      "  limits: {cpu: '4', gpu: '2', custom: {rdma/ib: '1'}}\n"
      "  requests: {memory: 8Gi, gpu: '2', custom: {ephemeral-storage: 1Gi}}\n"
      "  claims: [{name: b}]\n"
      "extraPodSpec: {mainContainer: {resources: {limits: {cpu: 2, memory: 16Gi}, "
      "requests: {cpu: 1}, claims: [{name: a}]}}}");
  EXPECT_THAT(text_of(it.main.resources),
              ElementsAre(R"(cpu "4"/1)", R"(ephemeral-storage /"1Gi")", R"(memory "16Gi"/"8Gi")",
                          R"(nvidia.com/gpu "2"/)", R"(rdma/ib "1"/)"));
  const Resource& cpu = *it.main.resources.find("cpu");
  EXPECT_EQ(path_of(cpu.limit_origin), "spec.services[Worker].resources.limits.cpu");
  EXPECT_EQ(path_of(cpu.request_origin),
            "spec.services[Worker].extraPodSpec.mainContainer.resources.requests[cpu]");
  EXPECT_EQ(path_of(it.main.resources.find("rdma/ib")->limit_origin),
            "spec.services[Worker].resources.limits.custom[rdma/ib]");
  ASSERT_EQ(it.main.resources.claims.size(), 2U);
  EXPECT_EQ(path_of(it.main.resources.claims[0].origin),
            "spec.services[Worker].extraPodSpec.mainContainer.resources.claims[0]");
  EXPECT_EQ(path_of(it.main.resources.claims[1].origin),
            "spec.services[Worker].resources.claims[0]");
  EXPECT_EQ(it.main.resources.find("nothing"), nullptr);
}

TEST(ResourcesOfMain, GpuTypeSetsGpuName) {
  const Main it("resources: {limits: {gpu: '1', gpuType: amd.com/gpu}}");
  EXPECT_THAT(text_of(it.main.resources), ElementsAre(R"(amd.com/gpu "1"/)"));
}

TEST(ResourcesOfMain, RequestedGpuWithoutLimitIsDropped) {
  const Main it("resources: {requests: {gpu: '1'}}");
  EXPECT_THAT(text_of(it.main.resources), IsEmpty());
}

TEST(ResourcesOfMain, EmptyQuantitiesAreIgnored) {
  const Main it(
      "resources: {limits: {cpu: '', memory: null}}\n"
      "extraPodSpec: {mainContainer: {resources: {limits: {cpu: '1'}}}}");
  EXPECT_THAT(text_of(it.main.resources), ElementsAre(R"(cpu "1"/)"));
}

TEST(ResourcesOfMain, OnlyServiceLimitCountsGpus) {
  const auto count = [](std::string_view service) {
    return counted_gpus(OneService(service).component());
  };
  EXPECT_EQ(count("resources: {limits: {gpu: '8'}}"), 8);
  EXPECT_EQ(count("resources: {requests: {gpu: '8'}}"), 0);
  EXPECT_EQ(count("resources: {limits: {gpu: '1k'}}"), 0);
  EXPECT_EQ(count("resources: {limits: {gpu: '-1'}}"), 0);
  EXPECT_EQ(count("resources: {limits: {custom: {nvidia.com/gpu: '8'}}}"), 0);
}

TEST(Mounts, UserMountsPrecedeServiceAndOperatorMounts) {
  const Main it(
      "volumeMounts: [{name: weights, mountPoint: /models}]\n"
      "extraPodSpec: {mainContainer: {volumeMounts: [{name: own, mountPath: /own, "
      "readOnly: true}]}}");
  EXPECT_THAT(text_of(it.main.mounts),
              ElementsAre("own at /own ro", "weights at /models", "shared-memory at /dev/shm"));
  EXPECT_EQ(path_of(it.main.mounts[0].origin),
            "spec.services[Worker].extraPodSpec.mainContainer.volumeMounts[0]");
  EXPECT_EQ(path_of(it.main.mounts[1].origin), "spec.services[Worker].volumeMounts[0]");
  EXPECT_TRUE(it.main.mounts[2].origin.is_generated());
}

TEST(Mounts, UserMountsReplaceEndpointPickerDefaults) {
  const Main it(
      "componentType: epp\n"
      "extraPodSpec: {mainContainer: {volumeMounts: [{name: own, mountPath: /own}]}}");
  EXPECT_THAT(text_of(it.main.mounts), ElementsAre("own at /own", "shared-memory at /dev/shm"));
}

TEST(Mounts, DisabledSharedMemoryIsNotMounted) {
  const Main it("sharedMemory: {disabled: true}");
  EXPECT_THAT(text_of(it.main.mounts), IsEmpty());
}

TEST(Mounts, CacheWithoutDefaultHasNoPath) {
  const Main it("volumeMounts: [{name: cache, useAsCompilationCache: true}]", plain_profile(),
                "backendFramework: sglang");
  EXPECT_THAT(text_of(it.main.mounts), Contains("cache at "));
}

TEST(Mounts, MultinodeTensorRtMountsKeys) {
  for (const PodRole role : {PodRole::kLeader, PodRole::kWorker}) {
    const Main it("multinode: {nodeCount: 2}", plain_profile(Pathway::kGrove),
                  "backendFramework: trtllm", role);
    EXPECT_THAT(text_of(it.main.mounts), Contains("mpi-ssh at /ssh-pk ro"));
    EXPECT_THAT(text_of(it.main.variables), Contains("OMPI_MCA_orte_keep_fqdn_hostnames=1"));
  }
  const Main single("replicas: 1", plain_profile(), "backendFramework: trtllm");
  EXPECT_THAT(text_of(single.main.mounts), Not(Contains("mpi-ssh at /ssh-pk ro")));
}

TEST(PlainContainer, IsCopiedUnchanged) {
  const OneService manifest(
      "envs: [{name: A, value: x}]\n"
      "resources: {limits: {cpu: '1'}}\n"
      "extraPodSpec:\n  containers:\n  - name: side\n    image: i\n    command: [c]\n"
      "    env: [{name: Z}, {name: A, value: '1'}, {name: Z}]\n"
      "    resources: {limits: {memory: 1Gi}}\n"
      "    volumeMounts: [{name: v, mountPath: /v}]\n"
      "    livenessProbe: {exec: {command: [x]}}\n");
  const Pod pod = manifest.pod();
  ASSERT_EQ(pod.containers.size(), 2U);
  const Container& side = pod.containers[0];
  EXPECT_FALSE(side.is_main());
  EXPECT_EQ(side.name, "side");
  EXPECT_EQ(side.image, "i");
  EXPECT_THAT(text_of(side.command.items), ElementsAre("c"));
  EXPECT_TRUE(side.args.empty());
  EXPECT_THAT(text_of(side.variables), ElementsAre("Z=", "A=1", "Z="));
  EXPECT_THAT(text_of(side.resources), ElementsAre(R"(memory "1Gi"/)"));
  EXPECT_THAT(text_of(side.mounts), ElementsAre("v at /v"));
  EXPECT_EQ(path_of(side.variables[2].origin),
            "spec.services[Worker].extraPodSpec.containers[0].env[2]");
  EXPECT_EQ(path_of(side.resources.find("memory")->limit_origin),
            "spec.services[Worker].extraPodSpec.containers[0].resources.limits[memory]");
  EXPECT_EQ(path_of(side.mounts[0].origin.child("mountPath")),
            "spec.services[Worker].extraPodSpec.containers[0].volumeMounts[0].mountPath");
  EXPECT_EQ(path_of(side.liveness.origin),
            "spec.services[Worker].extraPodSpec.containers[0].livenessProbe");
  EXPECT_FALSE(side.readiness.exists());
}

// The pod of a worker with one sidecar, which its v1beta1 form names as the frontend's.
struct WithFrontendSidecar : OneService {
  explicit WithFrontendSidecar(std::string_view sidecar)
      : OneService("extraPodSpec: {containers: [{name: log}, {name: fs, " + std::string(sidecar) +
                   "}]}"),
        of_hub("frontendSidecar: fs"),
        of_worker(component()) {
    of_worker.hub = of_hub.root();
    rendered = render_pod(of_worker, PodRole::kMain, arena());
  }
  const Container& sidecar() const { return rendered.containers[1]; }
  test::Yaml of_hub;
  Component of_worker;
  Pod rendered;
};

TEST(FrontendSidecar, HasDefaultsOfFrontend) {
  const WithFrontendSidecar it("image: i, args: [-m, mine]");
  EXPECT_THAT(text_of(it.sidecar().command.items), ElementsAre("python3"));
  EXPECT_THAT(text_of(it.sidecar().args.items), ElementsAre("-m", "mine"));
  EXPECT_EQ(text_of(it.sidecar().ports),
            R"([{"name":"http","containerPort":8000,"protocol":"TCP"}])");
  EXPECT_TRUE(it.sidecar().liveness.origin.is_generated());
  EXPECT_THAT(text_of(it.sidecar().variables), Contains("DYN_HTTP_PORT=8000"));
  EXPECT_THAT(text_of(it.rendered.containers[0].variables), IsEmpty());
}

TEST(FrontendSidecar, MergesProbesByField) {
  const WithFrontendSidecar it("livenessProbe: {periodSeconds: 7}");
  EXPECT_EQ(text_of(it.sidecar().liveness.fields),
            R"({"periodSeconds":7,"httpGet":{"path":"/live","port":"http"},)"
            R"("initialDelaySeconds":15,"timeoutSeconds":1,"failureThreshold":3})");
  EXPECT_EQ(path_of(it.sidecar().liveness.origin),
            "spec.services[Worker].extraPodSpec.containers[1].livenessProbe");
}

TEST(FrontendSidecar, KeepsItsVariablesAndTheirPlace) {
  const WithFrontendSidecar it("env: [{name: Z, value: a}, {name: DYN_HTTP_PORT, value: '1'}]");
  EXPECT_THAT(text_of(it.sidecar().variables, "DYN_HTTP_PORT"), ElementsAre("DYN_HTTP_PORT=1"));
  EXPECT_EQ(it.sidecar().variables.back().name, "Z");
  EXPECT_EQ(path_of(it.sidecar().variables.back().origin),
            "spec.services[Worker].extraPodSpec.containers[1].env[0]");
}

}  // namespace
}  // namespace dynamo::render
