// Whole objects: rendered without heap allocations, for every sample, and written as a pod that an
// API server accepts.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "json/parser.hpp"
#include "json/yaml.hpp"
#include "render/component/component.hpp"
#include "render/component/labels.hpp"
#include "render/component/services.hpp"
#include "render/document/arena.hpp"
#include "render/document/well_known.hpp"
#include "render/pod/launch.hpp"
#include "render/pod/pod.hpp"
#include "tests/render/rendering.hpp"
#include "tests/support/allocation_counter.hpp"

namespace dynamo::render {
namespace {

using test::OneService;
using test::path_of;
using test::plain_profile;
using test::text_of;

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::filesystem::path source(std::string_view below) {
  return std::filesystem::path(DYNAMO_SOURCE_DIR) / below;
}

const std::initializer_list<Pathway> kPathways = {
    Pathway::kUnknown, Pathway::kNotGrove, Pathway::kComponent, Pathway::kLws, Pathway::kGrove};

// Calls `visit(component)` for each component of every graph and component in the samples.
template <typename Visit>
void for_each_sample(const Profile& profile, Visit visit) {
  std::size_t seen = 0;
  for (const auto& entry : std::filesystem::directory_iterator(source("deploy/samples"))) {
    if (entry.path().extension() != ".yaml") continue;
    const std::string text = read_file(entry.path());
    json::YamlReader reader(text);
    json::Document document;
    while (reader.next(document) == json::YamlReader::ReadResult::kDocument) {
      const std::string_view kind = document.root()["kind"].string_or_empty();
      if (kind == "DynamoComponentDeployment") {
        visit(component_of(api::ComponentDeployment{document.root()}, "ml", profile));
        ++seen;
      }
      if (kind != "DynamoGraphDeployment") continue;
      const api::GraphDeployment graph{document.root()};
      for (const auto [name, service] : graph.services().members()) {
        visit(component_of(graph, "ml", name, service, profile));
        ++seen;
      }
    }
  }
  EXPECT_GT(seen, 30U);
}

std::string spec_of(const Component& component, const Pod& pod, Arena& arena,
                    const PodWriteOptions& options = {}) {
  std::string text;
  json::Writer writer(text);
  write_pod_spec(writer, component, pod, arena, options);
  return text;
}

TEST(Roles, FirstPodIsLeader) {
  const OneService manifest("multinode: {nodeCount: 2}", plain_profile(Pathway::kGrove));
  EXPECT_EQ(roles_of(manifest.component()).front(), PodRole::kLeader);
}

TEST(Rendering, WarmArenaAllocatesNothing) {
  const std::string review = read_file(source("bench/reviews/update_28k.json"));
  const auto parsed = json::parse_copy(review);
  const api::GraphDeployment graph{parsed->root()["request"]["object"]};
  Arena arena;
  for (const Pathway pathway : kPathways) {
    const Profile profile = plain_profile(pathway);
    const auto render_all = [&] {
      for (const auto [name, service] : graph.services().members()) {
        const Component component = component_of(graph, "ml", name, service, profile);
        for (const PodRole role : roles_of(component)) {
          render_pod(component, role, arena);
          pod_labels(component, role, arena);
        }
        render_services(component, arena);
      }
      arena.reset();
    };
    render_all();
    const std::uint64_t before = test::allocations();
    render_all();
    EXPECT_EQ(test::allocations(), before);
  }
}

TEST(Rendering, SamplesRenderCompletePodsOnEveryPathway) {
  for (const Pathway pathway : kPathways) {
    const Profile profile = plain_profile(pathway);
    Arena arena;
    for_each_sample(profile, [&](const Component& component) {
      SCOPED_TRACE(std::string(component.object_name) + "/" + std::string(component.service_name));
      for (const PodRole role : roles_of(component)) {
        const Pod pod = render_pod(component, role, arena);
        EXPECT_EQ(pod.backend.problem, BackendProblem::kNone);
        EXPECT_FALSE(pod.main().image.empty());
        // Every mount has a volume, and no path is used twice.
        for (const Mount& mount : pod.main().mounts) {
          EXPECT_EQ(
              std::count_if(pod.volumes.begin(), pod.volumes.end(),
                            [&](const Volume& volume) { return volume.name == mount.volume; }),
              1)
              << mount.volume;
          EXPECT_EQ(std::count_if(pod.main().mounts.begin(), pod.main().mounts.end(),
                                  [&](const Mount& other) {
                                    return other.certain && other.path == mount.path;
                                  }),
                    mount.certain ? 1 : 0)
              << mount.path;
        }
        const auto parsed = json::parse_copy(spec_of(component, pod, arena, {.launch = true}));
        EXPECT_FALSE(parsed->error.has_value()) << parsed->error->message();
        EXPECT_EQ(parsed->root()["containers"].size(), pod.containers.size());
      }
    });
  }
}

TEST(Rendering, MalformedObjectsAreHandled) {
  // Wrong types read as absent; other rules report them.
  const std::string_view wrong[] = {"1",  "text", "[]",   "[1, {}, null]",
                                    "{}", "null", "true", "{a: [1]}"};
  const std::string_view fields[] = {
      "componentType",    "envs",          "resources",    "volumeMounts",
      "sharedMemory",     "livenessProbe", "extraPodSpec", "labels",
      "extraPodMetadata", "annotations",   "modelRef",     "multinode",
      "checkpoint",       "eppConfig",     "ingress",      "envFromSecret"};
  for (const std::string_view field : fields) {
    for (const std::string_view value : wrong) {
      const std::string type = field == "componentType" ? "" : "componentType: epp\n";
      const OneService manifest(type + std::string(field) + ": " + std::string(value),
                                plain_profile(Pathway::kGrove));
      const Component component = manifest.component();
      for (const PodRole role :
           {PodRole::kMain, PodRole::kLeader, PodRole::kWorker, PodRole::kCheckpoint}) {
        pod_labels(component, role, manifest.arena());
        const Pod pod = render_pod(component, role, manifest.arena());
        const auto parsed =
            json::parse_copy(spec_of(component, pod, manifest.arena(), {.launch = true}));
        EXPECT_FALSE(parsed->error.has_value()) << field << ": " << value;
      }
      render_services(component, manifest.arena());
      render_ingress(component);
      pod_annotations(component, manifest.arena());
      workload_annotations(component, manifest.arena());
    }
  }
}

TEST(Rendering, MalformedContainersAreHandled) {
  const std::string_view wrong[] = {"1", "text", "[]", "[1, {}, null, [x]]", "{}", "null"};
  const std::string_view fields[] = {
      "name",    "image",     "command",      "args",          "ports",        "env",
      "envFrom", "resources", "volumeMounts", "livenessProbe", "startupProbe", "securityContext"};
  for (const std::string_view field : fields) {
    for (const std::string_view value : wrong) {
      const std::string container = "{" + std::string(field) + ": " + std::string(value) + "}";
      std::string spec = "extraPodSpec: {mainContainer: ";
      spec.append(container).append(", containers: [").append(container);
      spec.append("], initContainers: [").append(container);
      spec.append("], volumes: ").append(value).append("}");
      const OneService manifest(spec);
      const Pod pod = manifest.pod();
      const auto parsed = json::parse_copy(spec_of(manifest.component(), pod, manifest.arena()));
      EXPECT_FALSE(parsed->error.has_value()) << field << ": " << value;
    }
  }
}

TEST(Rendering, MalformedPodsAreHandled) {
  for (const std::string_view value : {"1", "text", "[]", "[1, {}, null, [x]]", "{}", "null"}) {
    for (const std::string_view field :
         {"containers", "initContainers", "volumes", "serviceAccountName", "securityContext",
          "terminationGracePeriodSeconds", "hostIPC", "mainContainer"}) {
      const OneService manifest("extraPodSpec: {" + std::string(field) + ": " + std::string(value) +
                                "}");
      const auto parsed =
          json::parse_copy(spec_of(manifest.component(), manifest.pod(), manifest.arena()));
      EXPECT_FALSE(parsed->error.has_value()) << field << ": " << value;
    }
  }
}

TEST(WritePod, SimpleWorkerHasExpectedPodSpec) {
  Profile profile = plain_profile();
  profile.discovery = DiscoveryBackend::kEtcd;
  const OneService manifest(
      "componentType: planner\n"
      "envFromSecret: token\n"
      "resources: {limits: {cpu: '1'}}\n"
      "extraPodSpec:\n"
      "  nodeSelector: {disk: ssd}\n"
      "  mainContainer: {image: i, args: [a], workingDir: /w, securityContext: {runAsUser: 1}}",
      profile);
  EXPECT_EQ(
      spec_of(manifest.component(), manifest.pod(), manifest.arena()),
      R"({"containers":[{"name":"main","image":"i","command":["/bin/sh","-c"],"args":["a"],)"
      R"("ports":[{"name":"metrics","containerPort":9085,"protocol":"TCP"}],"env":[)"
      R"({"name":"DYN_COMPONENT","value":"planner"},{"name":"DYN_NAMESPACE","value":"ml-llama"},)"
      R"({"name":"DYN_PARENT_DGD_K8S_NAME","value":"llama"},)"
      R"({"name":"DYN_PARENT_DGD_K8S_NAMESPACE","value":"ml"},)"
      R"({"name":"PLANNER_PROMETHEUS_PORT","value":"9085"},)"
      R"({"name":"POD_NAME","valueFrom":{"fieldRef":{"fieldPath":"metadata.name"}}},)"
      R"({"name":"POD_NAMESPACE","valueFrom":{"fieldRef":{"fieldPath":"metadata.namespace"}}},)"
      R"({"name":"POD_UID","valueFrom":{"fieldRef":{"fieldPath":"metadata.uid"}}}],)"
      R"("envFrom":[{"secretRef":{"name":"token"}}],)"
      R"("resources":{"limits":{"cpu":"1"}},)"
      R"("volumeMounts":[{"name":"shared-memory","mountPath":"/dev/shm"}],)"
      R"("securityContext":{"runAsUser":1},"workingDir":"/w"}],)"
      R"("volumes":[{"name":"shared-memory","emptyDir":{"medium":"Memory","sizeLimit":"8Gi"}}],)"
      R"("serviceAccountName":"planner-serviceaccount","restartPolicy":"Always",)"
      R"("terminationGracePeriodSeconds":60,"securityContext":{"fsGroup":1000},)"
      R"("nodeSelector":{"disk":"ssd"}})");
}

TEST(WritePod, TemplateHasMetadata) {
  const OneService manifest("extraPodMetadata: {annotations: {a: b}}");
  std::string text;
  json::Writer writer(text);
  write_pod_template(writer, manifest.component(), manifest.pod(), manifest.arena());
  const auto parsed = json::parse_copy(text);
  const json::Value metadata = parsed->root()["metadata"];
  EXPECT_EQ(metadata["labels"][label::kSelector].string_or_empty(), "llama-worker");
  EXPECT_EQ(text_of(metadata["annotations"]), R"({"a":"b"})");
  EXPECT_EQ(parsed->root()["spec"]["containers"].size(), 1U);
}

TEST(WritePod, UncertainItemsCanBeOmitted) {
  const OneService manifest("replicas: 1", Profile{});
  const Pod pod = manifest.pod();
  EXPECT_THAT(spec_of(manifest.component(), pod, manifest.arena()),
              testing::HasSubstr("NATS_SERVER"));
  EXPECT_THAT(spec_of(manifest.component(), pod, manifest.arena(), {.uncertain = false}),
              testing::Not(testing::AnyOf(testing::HasSubstr("NATS_SERVER"),
                                          testing::HasSubstr("serviceAccountName"))));
}

TEST(WritePod, CheckpointReplacesSeccompProfile) {
  const OneService manifest(
      "checkpoint: {enabled: true, checkpointRef: warm}\n"
      "extraPodSpec: {securityContext: {runAsUser: 5, seccompProfile: {type: RuntimeDefault}}, "
      "hostIPC: false, mainContainer: {securityContext: {privileged: false, runAsUser: 6}}}");
  const auto parsed =
      json::parse_copy(spec_of(manifest.component(), manifest.pod(), manifest.arena()));
  const json::Value spec = parsed->root();
  EXPECT_EQ(text_of(spec["securityContext"]),
            R"({"runAsUser":5,"seccompProfile":{"type":"Localhost",)"
            R"("localhostProfile":"profiles/block-iouring.json"}})");
  EXPECT_EQ(text_of(spec["hostIPC"]), "true");
  for (const json::Value container : spec["containers"].elements()) {
    EXPECT_EQ(text_of(container["securityContext"]), R"({"runAsUser":6,"privileged":true})");
  }
}

TEST(WritePod, DebuggerIsWrittenCompletely) {
  const OneService manifest("annotations: {nvidia.com/enable-debug-mode: 'true'}");
  const std::string text = spec_of(manifest.component(), manifest.pod(), manifest.arena());
  EXPECT_THAT(text, testing::HasSubstr(
                        R"({"name":"debugger","command":["sleep","infinity"],"stdin":true,)"));
  EXPECT_THAT(text, testing::HasSubstr(R"("shareProcessNamespace":true)"));
}

TEST(Origin, IsRenderedAsPathOfUserField) {
  const struct {
    Origin origin;
    const char* path;
  } rows[] = {
      {{}, "spec.services[Worker]"},
      {origin_in(Block::kService, "envs").at(2).child("name"),
       "spec.services[Worker].envs[2].name"},
      {origin_in(Block::kPod, "tolerations").at(0),
       "spec.services[Worker].extraPodSpec.tolerations[0]"},
      {origin_in(Block::kMainContainer, ""), "spec.services[Worker].extraPodSpec.mainContainer"},
      {{.block = Block::kSidecar, .container = 3, .item = 1, .field = "ports", .leaf = "name"},
       "spec.services[Worker].extraPodSpec.containers[3].ports[1].name"},
      {{.block = Block::kInitContainer, .container = 1},
       "spec.services[Worker].extraPodSpec.initContainers[1]"},
      {origin_in(Block::kGraphSpec, "pvcs").at(4), "spec.pvcs[4]"},
      {origin_in(Block::kMetadata, "annotations").at_key("a/b"), "metadata.annotations[a/b]"},
      {origin_in(Block::kService, "resources.limits.custom").at_key("a/b"),
       "spec.services[Worker].resources.limits.custom[a/b]"},
  };
  for (const auto& row : rows) EXPECT_EQ(path_of(row.origin), row.path);
}

}  // namespace
}  // namespace dynamo::render
