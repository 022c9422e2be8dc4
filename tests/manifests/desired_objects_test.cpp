// Objects that are refused rather than guessed, and the fixed order of desired objects.
#include "manifests/desired_objects.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/parser.hpp"
#include "json/writer.hpp"
#include "tests/render/rendering.hpp"

namespace dynamo::render {
namespace {

using test::Yaml;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

RenderEnvironment plain() {
  return {.profile = default_operator_profile()};
}

DesiredObjects of_component(std::string_view spec, const RenderEnvironment& environment = plain()) {
  const Yaml yaml("metadata: {name: w, uid: u}\nspec:\n  dynamoNamespace: x\n  serviceName: W\n" +
                  std::string(spec));
  return desired_objects_of(api::ComponentDeployment{yaml.root()}, "ml", environment);
}

std::vector<std::string> names(const DesiredObjects& objects) {
  std::vector<std::string> out;
  for (const DesiredObject& desired : objects.items) {
    out.push_back((desired.wanted ? "" : "no ") + std::string(desired.kind) + " " + desired.name);
  }
  return out;
}

// The container that copies the output of the profiler.
std::string copier_of(const RenderEnvironment& environment) {
  const Yaml yaml(
      "metadata: {name: r, uid: u}\nspec: {model: m, backend: vllm, profilingConfig: {config: "
      "{sla: {ttft: 1}}, profilerImage: 'p:1'}}\n");
  RenderEnvironment in_cluster = environment;
  in_cluster.profiling_cluster_role = "profiling";
  const DesiredObjects objects =
      desired_objects_of(api::GraphDeploymentRequest{yaml.root()}, "ml", in_cluster);
  if (objects.refused) return objects.refused->reason;
  const std::string& manifest = objects.items.back().manifest;
  const std::size_t begin = manifest.find(R"({"name":"output-copier")");
  return manifest.substr(begin, manifest.find(R"("volumeMounts")", begin) - begin);
}

TEST(ProfilingJob, CopiesOutputWithScriptByDefault) {
  const std::string copier = copier_of(plain());
  EXPECT_THAT(copier, HasSubstr(R"("image":"bitnami/kubectl:latest","command":["/bin/sh","-c"])"));
  EXPECT_THAT(copier, HasSubstr("kubectl apply -f -"));
}

TEST(ProfilingJob, CopiesOutputWithConfiguredImage) {
  RenderEnvironment environment = plain();
  environment.profile_copier_image = "ours:1";
  EXPECT_EQ(copier_of(environment),
            R"({"name":"output-copier","image":"ours:1",)"
            R"("command":["/usr/bin/dynamo-reconciler","copy-profile"],)"
            R"("args":["--request=r","--namespace=ml"],)"
            R"("terminationMessagePolicy":"FallbackToLogsOnError",)"
            R"("securityContext":{"allowPrivilegeEscalation":false,"readOnlyRootFilesystem":true,)"
            R"("capabilities":{"drop":["ALL"]},"seccompProfile":{"type":"RuntimeDefault"}},)");
  environment.profile_copier_command = {"script"};
  EXPECT_THAT(copier_of(environment), HasSubstr(R"("image":"ours:1","command":["/bin/sh","-c"])"));
}

TEST(ComponentObjects, AreListedInCreationOrder) {
  EXPECT_THAT(
      names(of_component("  componentType: worker\n  modelRef: {name: m}\n")),
      ElementsAre("Deployment w", "no Deployment w-d", "Service w", "Service w-p", "Service w-d",
                  testing::StartsWith("Service dynamo-model-"), "no Ingress w"));
  RenderEnvironment etcd = plain();
  etcd.profile.discovery = DiscoveryBackend::kEtcd;
  etcd.profile.virtual_service_gateway = "gateway";
  EXPECT_THAT(names(of_component("  componentType: worker\n", etcd)),
              ElementsAre("Deployment w", "no Deployment w-d", "Service w", "no Service w-p",
                          "no Service w-d", "no Ingress w", "no VirtualService w"));
}

// A list with both cannot be applied.
TEST(ComponentObjects, SetEachVariableOnce) {
  const DesiredObjects objects = of_component(
      "  componentType: worker\n  backendFramework: vllm\n"
      "  envs: [{name: VLLM_CACHE_ROOT, value: /mine}]\n"
      "  volumeMounts: [{name: cache, mountPoint: /vc, useAsCompilationCache: true}]\n");
  const std::string& manifest = objects.items.front().manifest;
  EXPECT_THAT(manifest, testing::HasSubstr(R"({"name":"VLLM_CACHE_ROOT","value":"/mine"})"));
  EXPECT_THAT(manifest, Not(testing::HasSubstr(R"("value":"/vc")")));
}

// All groups are in memory at once.
TEST(ComponentObjects, GroupsAboveTotalSizeAreRefused) {
  RenderEnvironment served = plain();
  served.profile.pathway = Pathway::kLws;
  const auto groups = [&](std::string_view replicas, std::size_t length) {
    return of_component("  componentType: worker\n  multinode: {nodeCount: 2}\n  replicas: " +
                            std::string(replicas) +
                            "\n  resources: {limits: {gpu: '4'}}\n"
                            "  extraPodSpec: {mainContainer: {image: i, args: ['" +
                            std::string(length, 'a') + "']}}\n",
                        served);
  };
  EXPECT_FALSE(groups("1000", 10).refused);
  EXPECT_FALSE(groups("10", 400'000).refused);
  const DesiredObjects objects = groups("100", 400'000);
  ASSERT_TRUE(objects.refused);
  EXPECT_EQ(objects.refused->path, "spec.replicas");
  EXPECT_THAT(objects.refused->reason, HasSubstr("must be at most 41"));
  EXPECT_LT(objects.items.size(), 4U);
}

TEST(ComponentObjects, StolenTrafficGetsDebugTwin) {
  const DesiredObjects objects = of_component(
      "  annotations: {nvidia.com/enable-stealing-traffic-debug-mode: 'true'}\n  replicas: 3\n");
  ASSERT_THAT(names(objects), testing::Contains("Deployment w-d"));
  const auto main = json::parse_copy(objects.items[0].manifest);
  const auto twin = json::parse_copy(objects.items[1].manifest);
  EXPECT_EQ(main->root()["spec"]["template"]["spec"]["containers"].size(), 1U);
  const json::Value spec = twin->root()["spec"];
  EXPECT_EQ(spec["replicas"].integer(), 1);
  EXPECT_EQ(json::Value(spec["selector"]["matchLabels"])["nvidia.com/selector"].string(), "w-d");
  EXPECT_EQ(spec["template"]["spec"]["containers"].size(), 2U);
  EXPECT_EQ(
      spec["template"]["metadata"]["labels"]["nvidia.com/dynamo-deployment-target-type"].string(),
      "debug");
}

json::Value template_of(const json::ParsedText& manifest) {
  return manifest.root()["spec"]["template"]["metadata"];
}

// Q26.
TEST(ComponentObjects, AreSelectedByTheirOwnService) {
  for (const std::string_view spec :
       {"  replicas: 1\n", "  componentType: worker\n", "  multinode: {nodeCount: 2}\n",
        "  extraPodMetadata: {labels: {own: x}}\n"}) {
    const DesiredObjects objects = of_component(spec);
    ASSERT_FALSE(objects.refused) << objects.refused->reason;
    const auto deployment = json::parse_copy(objects.items[0].manifest);
    const json::Value labels = template_of(*deployment)["labels"];
    const auto service = json::parse_copy(objects.items[2].manifest);
    const json::Value selector = service->root()["spec"]["selector"];
    EXPECT_GT(selector.size(), 2U) << spec;
    for (const json::Member wanted : selector.members()) {
      EXPECT_EQ(labels[wanted.name].string(), wanted.value.string()) << spec << wanted.name;
    }
  }
  // The user's value is kept; the Service then selects by it, too.
  const DesiredObjects objects =
      of_component("  extraPodMetadata: {labels: {nvidia.com/dynamo-component: mine}}\n");
  EXPECT_THAT(objects.items[0].manifest, HasSubstr(R"("nvidia.com/dynamo-component":"mine")"));
}

constexpr std::string_view kWarmCheckpoint = "identity: {model: m, backendFramework: vllm}";

// A cluster that keeps the checkpoint on a claim, under the name "warm".
RenderEnvironment where_it_is_kept(const Yaml& checkpoint) {
  RenderEnvironment environment = plain();
  environment.profile.checkpointing = api::Fact::kYes;
  environment.profile.checkpoint_storage = CheckpointStorage::kPvc;
  environment.profile.checkpoint_pvc = "kept";
  environment.checkpoints = {{.name = "warm",
                              .identity_hash = "0123456789abcdef",
                              .labelled_hash = "",
                              .identity = checkpoint.root()["identity"]}};
  return environment;
}

// Q10.
TEST(ComponentObjects, CheckpointPodsHavePodInformationAnnotations) {
  const Yaml checkpoint(kWarmCheckpoint);
  const RenderEnvironment environment = where_it_is_kept(checkpoint);
  constexpr std::string_view kSpec =
      "  componentType: worker\n  checkpoint: {enabled: true, checkpointRef: warm}\n"
      "  extraPodMetadata: {annotations: {nvidia.com/dyn-namespace: mine}}\n";
  const DesiredObjects objects = of_component(kSpec, environment);
  ASSERT_FALSE(objects.refused) << objects.refused->reason;
  const auto deployment = json::parse_copy(objects.items[0].manifest);
  const json::Value annotations = template_of(*deployment)["annotations"];
  EXPECT_EQ(annotations["nvidia.com/dyn-component"].string(), "worker");
  EXPECT_EQ(annotations["nvidia.com/dyn-namespace"].string(), "mine");
  EXPECT_EQ(annotations["nvidia.com/dyn-parent-dgd-namespace"].string(), "ml");
  EXPECT_EQ(annotations["nvidia.com/dyn-discovery-backend"].string(), "kubernetes");
  // No graph owns it, and other pods have no such annotations.
  EXPECT_FALSE(annotations["nvidia.com/dyn-parent-dgd-name"].exists());
  EXPECT_THAT(of_component("  componentType: worker\n").items[0].manifest,
              testing::Not(HasSubstr("\"nvidia.com/dyn-component\":")));
}

// Q38: a checkpoint edits the container with that name.
TEST(ComponentObjects, CheckpointRequiresMainContainerName) {
  const Yaml checkpoint(kWarmCheckpoint);
  const RenderEnvironment environment = where_it_is_kept(checkpoint);
  const DesiredObjects renamed = of_component(
      "  componentType: worker\n  checkpoint: {enabled: true, checkpointRef: warm}\n"
      "  extraPodSpec: {mainContainer: {name: engine}}\n",
      environment);
  ASSERT_TRUE(renamed.refused.has_value());
  EXPECT_EQ(renamed.refused->path, "spec.extraPodSpec.mainContainer.name");
  EXPECT_THAT(renamed.refused->reason, HasSubstr("engine"));
}

struct GroupCase {
  std::string_view spec;
  std::string_view path;  // of the refusal; "" for a set that is created
};

// A set is not created if its nodes could not find each other.
TEST(ComponentObjects, MultinodeComponentsAreCreatedOrRefused) {
  RenderEnvironment groups = plain();
  groups.profile.pathway = Pathway::kLws;
  groups.profile.mpi_secret_name = "ssh";
  constexpr std::string_view kMain = "spec.extraPodSpec.mainContainer";
  constexpr std::string_view kGpu = "spec.resources.limits.gpu";
  const GroupCase cases[] = {
      {"  resources: {limits: {gpu: '4'}}\n  extraPodSpec: {mainContainer: {args: [python3 -m "
       "dynamo.vllm -tp 8]}}",
       ""},
      {"  resources: {limits: {gpu: '4'}}\n  extraPodSpec: {mainContainer: {args: [python3 -m "
       "dynamo.vllm -tp $TP]}}",
       ""},
      {"  resources: {limits: {gpu: '4'}}\n  extraPodSpec: {mainContainer: {args: [cd x; ./run], "
       "command: [bash, -c]}}",
       ""},
      {"  resources: {limits: {gpu: 4k}}\n  extraPodSpec: {mainContainer: {args: [python3 -m "
       "dynamo.vllm -tp 8]}}",
       ""},
      {"  resources: {limits: {gpu: 4k}}\n  extraPodSpec: {mainContainer: {args: [python3 -m "
       "dynamo.trtllm]}}",
       ""},
      {"  resources: {limits: {gpu: 4k}}\n  extraPodSpec: {mainContainer: {args: [python3 -m "
       "dynamo.sglang]}}",
       ""},
      {"  resources: {limits: {gpu: '4'}}\n  extraPodSpec: {mainContainer: {args: [cd x; python3 "
       "-m dynamo.trtllm]}}",
       ""},
      {"  resources: {limits: {cpu: '4'}}\n  extraPodSpec: {mainContainer: {args: [python3 -m "
       "dynamo.sglang]}}",
       kGpu},
      {"  resources: {limits: {gpu: '4'}}\n  extraPodSpec: {mainContainer: {command: [run], args: "
       "[python3 -m "
       "dynamo.sglang]}}",
       kMain},
  };
  for (const GroupCase& one : cases) {
    const DesiredObjects objects = of_component(
        "  componentType: worker\n  multinode: {nodeCount: 2}\n" + std::string(one.spec) + "\n",
        groups);
    EXPECT_EQ(objects.refused ? objects.refused->path : "", one.path) << one.spec;
    const std::vector<std::string> made = names(objects);
    EXPECT_EQ(std::ranges::count(made, "LeaderWorkerSet w-0"), one.path.empty() ? 1 : 0);
  }
}

// The entrypoint would replace its command, which a set must have.
TEST(ComponentObjects, MultinodeWithCheckpointIsRefused) {
  RenderEnvironment groups = plain();
  groups.profile.pathway = Pathway::kLws;
  groups.profile.checkpointing = api::Fact::kYes;
  groups.profile.checkpoint_storage = CheckpointStorage::kPvc;
  groups.profile.checkpoint_pvc = "kept";
  groups.profile.checkpoint_base_path = "/kept";
  const DesiredObjects objects = of_component(
      "  componentType: worker\n  multinode: {nodeCount: 2}\n  resources: {limits: {gpu: '4'}}\n"
      "  checkpoint: {enabled: true, identity: {model: m, backendFramework: sglang}}\n"
      "  extraPodSpec: {mainContainer: {args: [python3 -m dynamo.sglang]}}\n",
      groups);
  ASSERT_TRUE(objects.refused);
  EXPECT_EQ(objects.refused->path, "spec.checkpoint");
}

TEST(ComponentObjects, IngressMayUseTlsWithoutSecret) {
  const DesiredObjects objects = of_component(
      "  ingress: {enabled: true, host: h, ingressControllerClassName: nginx, tls: {}}\n");
  EXPECT_THAT(objects.items.back().manifest, HasSubstr(R"("tls":[{"hosts":["h.local"]}])"));
}

TEST(ComponentObjects, IngressHasTheOperatorsAnnotations) {
  RenderEnvironment environment = plain();
  environment.ingress_annotations = {{"cert-manager.io/cluster-issuer", "ca"}, {"a/b", "1,2"}};
  constexpr std::string_view kSpec =
      "  ingress: {enabled: true, host: h, ingressControllerClassName: nginx}\n";
  EXPECT_THAT(of_component(kSpec, environment).items.back().manifest,
              HasSubstr(R"("annotations":{"cert-manager.io/cluster-issuer":"ca","a/b":"1,2",)"));
}

constexpr std::string_view kClientTlsMount =
    R"({"name":"dynamo-client-tls","mountPath":"/etc/dynamo-client-tls","readOnly":true})";

RenderEnvironment with_client_secrets(RenderEnvironment environment) {
  environment.profile.client_tls_secret = "tls";
  environment.profile.client_credentials_secret = "user";
  return environment;
}

TEST(ComponentObjects, ClientSecretsReachThePod) {
  const std::string manifest =
      of_component("  componentType: worker\n  envFromSecret: own\n", with_client_secrets(plain()))
          .items.front()
          .manifest;
  // The user's variables win.
  EXPECT_THAT(manifest, HasSubstr(R"("envFrom":[{"secretRef":{"name":"user"}},)"
                                  R"({"secretRef":{"name":"own"}}])"));
  EXPECT_THAT(manifest, HasSubstr(kClientTlsMount));
  EXPECT_THAT(manifest, HasSubstr(R"({"name":"dynamo-client-tls","secret":{"secretName":"tls")"));
}

TEST(ComponentObjects, ComponentOwnsThem) {
  const DesiredObjects objects = of_component("  componentType: worker\n");
  for (const DesiredObject& desired : objects.items) {
    if (!desired.wanted) continue;
    const auto parsed = json::parse_copy(desired.manifest);
    const json::Value owners = parsed->root()["metadata"]["ownerReferences"];
    ASSERT_EQ(owners.size(), 1U) << desired.manifest;
    for (const json::Value owner : owners.elements()) {
      EXPECT_EQ(owner["uid"].string(), "u");
      EXPECT_EQ(owner["controller"].boolean(), true);
    }
  }
}

struct RefusedCase {
  std::string_view spec;
  std::string_view path;
  std::string_view reason;
};

TEST(ComponentObjects, InvalidFieldsAreRefused) {
  const RefusedCase cases[] = {
      {"  resources: {limits: {memory: lots}}\n", "spec.resources.limits.memory", "lots"},
      {"  sharedMemory: {size: much}\n", "spec.sharedMemory.size", "much"},
      {"  componentType: worker\n  backendFramework: mystery\n", "spec.backendFramework",
       "mystery"},
      {"  volumeMounts: [{name: cache, useAsCompilationCache: true}]\n", "spec.volumeMounts[0]",
       "mounted"},
      {"  checkpoint: {enabled: true, checkpointRef: warm}\n", "spec.checkpoint",
       "checkpoint-enabled"},
  };
  for (const RefusedCase& one : cases) {
    const DesiredObjects objects = of_component(one.spec);
    ASSERT_TRUE(objects.refused.has_value()) << one.spec;
    EXPECT_EQ(objects.refused->path, one.path);
    EXPECT_THAT(objects.refused->reason, HasSubstr(std::string(one.reason)));
    EXPECT_THAT(objects.items, IsEmpty());
  }
}

TEST(ComponentObjects, UnknownSettingIsRefused) {
  RenderEnvironment unknown = plain();
  unknown.profile.nats_address = std::nullopt;
  const DesiredObjects objects = of_component("  componentType: worker\n", unknown);
  ASSERT_TRUE(objects.refused.has_value());
  EXPECT_THAT(objects.refused->reason, HasSubstr("NATS_SERVER"));
}

TEST(ComponentObjects, ItemsBeforeRefusalAreReturned) {
  const Yaml yaml("metadata: {name: w}\nspec: {serviceName: W}");
  const DesiredObjects objects =
      desired_objects_of(api::ComponentDeployment{yaml.root()}, "ml", plain());
  ASSERT_TRUE(objects.refused.has_value());
  EXPECT_EQ(objects.refused->path, "spec.dynamoNamespace");
  EXPECT_THAT(names(objects), ElementsAre("Deployment w", "no Deployment w-d"));
}

DesiredObjects of_graph(std::string_view spec, const RenderEnvironment& environment) {
  const Yaml yaml("metadata: {name: g}\nspec:\n" + std::string(spec));
  return desired_objects_of(api::GraphDeployment{yaml.root()}, "ml", environment);
}

RenderEnvironment restricted() {
  RenderEnvironment environment = plain();
  environment.namespace_restricted = true;
  environment.profile.discovery = DiscoveryBackend::kEtcd;
  return environment;
}

TEST(GraphObjects, HaveCreationOrder) {
  RenderEnvironment environment = plain();
  environment.planner_cluster_role = "planner";
  EXPECT_THAT(
      names(of_graph("  pvcs: [{name: models, create: true, size: 1Gi, volumeAccessMode: "
                     "ReadWriteMany}, {name: old}]\n"
                     "  services: {B: {}, A: {scalingAdapter: {enabled: true}}}\n",
                     environment)),
      ElementsAre(
          "ServiceAccount planner-serviceaccount", "RoleBinding planner-serviceaccount-binding",
          "PersistentVolumeClaim models", "DynamoGraphDeploymentScalingAdapter g-a",
          "no DynamoGraphDeploymentScalingAdapter g-b", "ServiceAccount g-k8s-service-discovery",
          "Role g-k8s-service-discovery-role", "RoleBinding g-k8s-service-discovery-binding",
          "DynamoComponentDeployment g-a", "DynamoComponentDeployment g-b"));
}

TEST(GraphObjects, EqualIdentitiesShareOneCheckpoint) {
  constexpr std::string_view kService =
      "{componentType: worker, extraPodSpec: {mainContainer: {image: 'a:1'}}, checkpoint: "
      "{enabled: "
      "true, mode: Auto, identity: {model: m, backendFramework: vllm}}}";
  RenderEnvironment environment = plain();
  environment.profile.checkpointing = api::Fact::kYes;
  environment.profile.checkpoint_storage = CheckpointStorage::kPvc;
  environment.profile.checkpoint_pvc = "kept";
  environment.planner_cluster_role = "planner";
  const DesiredObjects objects =
      of_graph("  services: {A: " + std::string(kService) + ", B: " + std::string(kService) + "}\n",
               environment);
  ASSERT_FALSE(objects.refused) << objects.refused->path << ": " << objects.refused->reason;
  const auto is_checkpoint = [](const DesiredObject& each) {
    return each.kind == "DynamoCheckpoint";
  };
  EXPECT_EQ(std::ranges::count_if(objects.items, is_checkpoint), 1);
}

// Q30.
TEST(GraphObjects, CheckpointJobMatchesServingPod) {
  RenderEnvironment environment = restricted();
  environment.profile.checkpointing = api::Fact::kYes;
  environment.profile.checkpoint_storage = CheckpointStorage::kPvc;
  environment.profile.checkpoint_pvc = "kept";
  const Yaml yaml(
      "metadata: {name: g, annotations: {nvidia.com/dynamo-discovery-backend: kubernetes}}\n"
      "spec:\n  envs: [{name: GRAPH, value: '1'}]\n  services:\n"
      "    A: {componentType: worker, extraPodSpec: {mainContainer: {image: 'a:1'}}, checkpoint: "
      "{enabled: true, identity: {model: m, backendFramework: vllm}}}\n");
  const DesiredObjects objects =
      desired_objects_of(api::GraphDeployment{yaml.root()}, "ml", environment);
  ASSERT_FALSE(objects.refused) << objects.refused->reason;
  ASSERT_EQ(objects.items[0].kind, "DynamoCheckpoint");
  const std::string& manifest = objects.items[0].manifest;
  EXPECT_THAT(manifest, HasSubstr(R"({"name":"GRAPH","value":"1"})"));
  EXPECT_THAT(manifest, HasSubstr(R"({"name":"DYN_DISCOVERY_BACKEND","value":"kubernetes"})"));
  EXPECT_THAT(manifest, HasSubstr(R"("serviceAccountName":"g-k8s-service-discovery")"));
}

// The command line does not matter.
TEST(GraphObjects, CheckpointUsesFrameworkOfIdentity) {
  RenderEnvironment environment = restricted();
  environment.profile.checkpointing = api::Fact::kYes;
  environment.profile.checkpoint_storage = CheckpointStorage::kPvc;
  environment.profile.checkpoint_pvc = "kept";
  const auto captured = [&](std::string_view framework) {
    const Yaml yaml(
        "metadata: {name: g}\nspec:\n  services:\n    A: {componentType: worker, volumeMounts: "
        "[{name: c, mountPoint: /c, useAsCompilationCache: true}], extraPodSpec: {mainContainer: "
        "{args: [python3 -m dynamo.vllm]}}, checkpoint: {enabled: true, identity: {model: m, "
        "backendFramework: " +
        std::string(framework) + "}}}\n");
    const DesiredObjects objects =
        desired_objects_of(api::GraphDeployment{yaml.root()}, "ml", environment);
    return objects.items[0].manifest;
  };
  EXPECT_THAT(captured("vllm"), HasSubstr("VLLM_CACHE_ROOT"));
  EXPECT_THAT(captured("noop"), testing::Not(HasSubstr("VLLM_CACHE_ROOT")));
  EXPECT_THAT(captured("sglang"), HasSubstr(R"("kind":"DynamoCheckpoint")"));
}

// Q31.
TEST(GraphObjects, DiscoveryAnnotationCreatesServiceAccount) {
  const DesiredObjects objects = of_graph(
      "  services: {A: {annotations: {nvidia.com/dynamo-discovery-backend: kubernetes}}, B: {}}\n",
      restricted());
  EXPECT_THAT(names(objects), testing::Contains("ServiceAccount g-k8s-service-discovery"));
  EXPECT_THAT(names(of_graph("  services: {A: {}, B: {}}\n", restricted())),
              testing::Not(testing::Contains("ServiceAccount g-k8s-service-discovery")));
}

// Q13.
TEST(GraphObjects, OperatorLabelsOverrideServiceLabels) {
  const DesiredObjects objects = of_graph(
      "  services: {A: {labels: {team: x, nvidia.com/dynamo-component: mine}}}\n", restricted());
  const auto parsed = json::parse_copy(objects.items.back().manifest);
  for (const json::Value labels : {json::Value(parsed->root()["metadata"]["labels"]),
                                   json::Value(parsed->root()["spec"]["labels"])}) {
    EXPECT_EQ(json::to_text(labels),
              R"({"nvidia.com/dynamo-component":"A","nvidia.com/dynamo-graph-deployment-name":"g",)"
              R"("nvidia.com/dynamo-namespace":"ml-g","team":"x"})");
  }
}

// Q20: sidecars precede it.
TEST(CheckpointJob, CapturesTheContainerNamedMain) {
  const auto captured = [](std::string_view first, std::string_view second) {
    const Yaml yaml(
        "metadata: {name: warm}\nspec: {identity: {model: m, backendFramework: vllm}, job: "
        "{podTemplateSpec: {spec: {containers: [{name: " +
        std::string(first) + "}, {name: " + std::string(second) + "}]}}}}");
    RenderEnvironment environment = plain();
    environment.profile.checkpoint_pvc = "kept";
    const DesiredObjects objects =
        desired_objects_of(api::Checkpoint{yaml.root()}, "ml", environment);
    EXPECT_FALSE(objects.refused.has_value());
    const auto job = json::parse_copy(objects.items.at(0).manifest);
    const json::Value pod = job->root()["spec"]["template"]["spec"];
    std::string name;
    for (const json::Value container : pod["containers"].elements()) {
      if (container["readinessProbe"].exists()) name += container["name"].string_or_empty();
    }
    return name;
  };
  EXPECT_EQ(captured("side", "main"), "main");
  EXPECT_EQ(captured("main", "side"), "main");
  EXPECT_EQ(captured("one", "two"), "one");
}

TEST(ProfilingJob, AddressesAreThoseOfTheOperator) {
  const Yaml yaml("metadata: {name: r, uid: u}\nspec: {model: m, backend: vllm}");
  const api::GraphDeploymentRequest request{yaml.root()};
  RenderEnvironment environment = restricted();
  EXPECT_THAT(
      desired_objects_of(request, "ml", environment).items.back().manifest,
      AllOf(HasSubstr(R"("value":"nats://ml-nats:4222")"), HasSubstr(R"("value":"ml-etcd:2379")")));
  environment.profile.nats_address = "nats://shared:4222";
  environment.profile.etcd_address = "https://etcd:2379";
  EXPECT_THAT(desired_objects_of(request, "ml", environment).items.back().manifest,
              AllOf(HasSubstr(R"("value":"nats://shared:4222")"),
                    HasSubstr(R"("value":"https://etcd:2379")")));
}

TEST(ProfilingJob, ClientSecretsReachTheProfiler) {
  const Yaml yaml("metadata: {name: r, uid: u}\nspec: {model: m, backend: vllm}");
  const std::string manifest = desired_objects_of(api::GraphDeploymentRequest{yaml.root()}, "ml",
                                                  with_client_secrets(restricted()))
                                   .items.back()
                                   .manifest;
  EXPECT_THAT(manifest, HasSubstr(R"({"name":"NATS_TLS_CA_CERT_PATH","value":)"
                                  R"("/etc/dynamo-client-tls/ca.crt"})"));
  EXPECT_THAT(manifest, HasSubstr(R"("envFrom":[{"secretRef":{"name":"user"}}])"));
  EXPECT_THAT(manifest, HasSubstr(kClientTlsMount));
  EXPECT_THAT(manifest, HasSubstr(R"({"name":"dynamo-client-tls","secret":{"secretName":"tls"}})"));
}

// Pods restore from the configured storage, so the job stores there.
TEST(CheckpointJob, StoresWhereServicesRestoreFrom) {
  const Yaml yaml(
      "metadata: {name: warm}\nspec: {identity: {model: m, backendFramework: vllm}, job: "
      "{podTemplateSpec: {spec: {containers: [{name: main}]}}}}");
  RenderEnvironment environment = plain();
  environment.profile.checkpoint_storage = CheckpointStorage::kOci;
  const api::Checkpoint checkpoint{yaml.root()};
  EXPECT_TRUE(desired_objects_of(checkpoint, "ml", environment).refused.has_value()) << "no URI";
  environment.profile.checkpoint_uri = "registry/warm";
  const DesiredObjects objects = desired_objects_of(checkpoint, "ml", environment);
  ASSERT_FALSE(objects.refused.has_value());
  const std::string& job = objects.items.at(0).manifest;
  EXPECT_THAT(job, testing::HasSubstr(R"("value":"registry/warm:cfb060f4d0539cab")"));
  EXPECT_THAT(job, testing::HasSubstr(R"("DYN_CHECKPOINT_STORAGE_TYPE","value":"oci")"));
  EXPECT_THAT(job, testing::Not(testing::HasSubstr("persistentVolumeClaim")));
}

// The script that runs next to the profiler, for a request and a namespace with the same name.
std::string copier_of(std::string_view name) {
  const Yaml yaml("metadata: {name: '" + std::string(name) +
                  "', uid: u}\nspec: {model: m, backend: vllm}");
  const DesiredObjects objects =
      desired_objects_of(api::GraphDeploymentRequest{yaml.root()}, name, restricted());
  EXPECT_FALSE(objects.refused.has_value());
  const auto job = json::parse_copy(objects.items.back().manifest);
  std::string script;
  for (const json::Value container :
       job->root()["spec"]["template"]["spec"]["containers"].elements()) {
    if (container["name"].string_or_empty() != "output-copier") continue;
    for (const json::Value argument : container["args"].elements()) {
      script += argument.string_or_empty();
    }
  }
  return script;
}

TEST(ProfilingJob, NamesAreQuotedAsYamlText) {
  const struct {
    std::string_view name;
    std::string_view written;
  } rows[] = {{"fast", "fast"},     {"a-1", "a-1"},        {"123", R"("123")"},
              {"1e3", R"("1e3")"},  {"0x1f", R"("0x1f")"}, {"true", R"("true")"},
              {"null", R"("null")"}};
  for (const auto& row : rows) {
    const std::string written(row.written);
    EXPECT_THAT(copier_of(row.name),
                HasSubstr("\n  name: dgdr-output-" + std::string(row.name) + "\n  namespace: " +
                          written + "\n  labels:\n    dgdr.nvidia.com/name: " + written + "\n"));
  }
}

TEST(GraphObjects, InvalidFieldsAreRefused) {
  RenderEnvironment anywhere = plain();
  struct Case {
    const RenderEnvironment environment;
    std::string_view spec;
    std::string_view path;
  };
  const Case cases[] = {
      {anywhere, "  services: {A: {}}\n", "spec"},  // no role for the planner
      {restricted(), "  services: {A: {multinode: {nodeCount: 2}}}\n",
       "spec.services[A].multinode"},
      {restricted(), "  pvcs: [{name: m, create: true, size: big}]\n  services: {A: {}}\n",
       "spec.pvcs[0].size"},
      {restricted(), "  services: {E: {componentType: epp}}\n", "spec.services[E].eppConfig"},
      {restricted(), "  services: {A: {envs: [{name: DYN_DEPLOYMENT_CONFIG, value: '[1]'}]}}\n",
       "spec.services[A].envs"},
  };
  for (const Case& one : cases) {
    const DesiredObjects objects = of_graph(one.spec, one.environment);
    ASSERT_TRUE(objects.refused.has_value()) << one.spec;
    EXPECT_EQ(objects.refused->path, one.path);
    for (const DesiredObject& desired : objects.items) {
      EXPECT_NE(desired.kind, "DynamoComponentDeployment") << one.spec;
    }
  }
}

TEST(GraphObjects, LegacyConfigurationSetsReplicasAndResources) {
  const DesiredObjects objects = of_graph(
      "  envs: [{name: DYN_DEPLOYMENT_CONFIG, value: '{\"Frontend\":{\"port\":1,\"ServiceArgs\":"
      "{\"Workers\":3,\"Resources\":{\"CPU\":\"2\",\"gpu\":\"1\"}}},"
      "\"Worker\":{\"ServiceArgs\":{\"workers\":4}}}'}]\n"
      "  services:\n"
      "    Frontend: {componentType: frontend, resources: {requests: {memory: 1Gi}}}\n"
      "    Worker: {componentType: worker, replicas: 9}\n",
      restricted());
  ASSERT_FALSE(objects.refused.has_value()) << objects.refused->reason;
  ASSERT_EQ(objects.items.size(), 4U);
  const auto frontend = json::parse_copy(objects.items[2].manifest);
  const json::Value spec = frontend->root()["spec"];
  EXPECT_EQ(spec["replicas"].integer(), 3);
  EXPECT_EQ(json::to_text(spec["resources"]),
            R"({"requests":{"memory":"1Gi","cpu":"2","gpu":"1"},"limits":{"cpu":"2","gpu":"1"}})");
  EXPECT_THAT(json::to_text(spec["envs"]),
              HasSubstr(R"({\"Frontend\":{\"ServiceArgs\":{\"Resources\":{\"CPU\":\"2\",)"
                        R"(\"gpu\":\"1\"},\"Workers\":3},\"port\":8000})"));
  const auto worker = json::parse_copy(objects.items[3].manifest);
  EXPECT_EQ(worker->root()["spec"]["replicas"].integer(), 9);
  EXPECT_THAT(json::to_text(worker->root()["spec"]["envs"]), HasSubstr(R"(\"port\":1)"));
}

TEST(GraphObjects, RestartIdIsAnnotated) {
  RenderEnvironment environment = restricted();
  environment.restarts = {{"A", "r1"}};
  const DesiredObjects objects = of_graph("  services: {A: {}, B: {}}\n", environment);
  ASSERT_EQ(objects.items.size(), 4U);
  EXPECT_THAT(objects.items[2].manifest, HasSubstr(R"("nvidia.com/restartAt":"r1")"));
  EXPECT_THAT(objects.items[3].manifest, testing::Not(HasSubstr("restartAt")));
}

}  // namespace
}  // namespace dynamo::render
