// kubectl dynamo render and diff.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/commands/commands.hpp"
#include "json/parser.hpp"
#include "json/yaml.hpp"
#include "tests/cli/command_line.hpp"
#include "tests/cli/workspace.hpp"

namespace dynamo::cli {
namespace {

using test::RunResult;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::string graph(std::string_view service) {
  return "apiVersion: nvidia.com/v1alpha1\nkind: DynamoGraphDeployment\nmetadata: {name: g, "
         "namespace: ml}\nspec:\n  services:\n    A: {componentType: worker" +
         std::string(service) + "}\n";
}

constexpr std::string_view kImage = ", extraPodSpec: {mainContainer: {image: 'i:1'}}";
constexpr std::string_view kOther = ", extraPodSpec: {mainContainer: {image: 'i:2'}}";

TEST(Render, PrintsOwnedObjectsDownToWorkloads) {
  const test::Workspace workspace;
  const RunResult ran =
      workspace.run({"render", "-f", "-", "--discovery-backend", "etcd"}, graph(kImage));
  EXPECT_EQ(ran.code, kExitValid) << ran.err;
  json::YamlReader reader(ran.out);
  json::Document document;
  for (const std::string_view kind : {"DynamoComponentDeployment", "Deployment", "Service"}) {
    ASSERT_EQ(reader.next(document), json::YamlReader::ReadResult::kDocument) << ran.out;
    EXPECT_EQ(document.root()["kind"].string(), kind);
    EXPECT_EQ(document.root()["metadata"]["name"].string(), "g-a");
    EXPECT_EQ(document.root()["metadata"]["namespace"].string(), "ml");
  }
  EXPECT_EQ(reader.next(document), json::YamlReader::ReadResult::kEnd);
  const RunResult json = workspace.run({"render", "-f", "-", "-o", "json"}, graph(kImage));
  const std::size_t end = json.out.find('\n');
  EXPECT_FALSE(json::parse_copy(json.out.substr(0, end))->error);
}

TEST(Render, EscapesInvisibleCharacters) {
  const test::Workspace workspace;
  const std::string input =
      graph(std::string(kImage) + ", envs: [{name: X, value: \"\\u202Ea\\u2069\\x85\"}]");
  const RunResult yaml = workspace.run({"render", "-f", "-", "--discovery-backend", "etcd"}, input);
  EXPECT_EQ(yaml.code, kExitValid) << yaml.err;
  EXPECT_THAT(yaml.out, AllOf(HasSubstr("value: \"\\u202Ea\\u2069\\x85\"\n"),
                              Not(HasSubstr("\u202E")), Not(HasSubstr("\u0085"))));
  const RunResult json =
      workspace.run({"render", "-f", "-", "-o", "json", "--discovery-backend", "etcd"}, input);
  EXPECT_THAT(json.out, AllOf(HasSubstr("\"\\u202ea\\u2069\\u0085\""), Not(HasSubstr("\u202E")),
                              Not(HasSubstr("\u0085"))));
}

TEST(Render, GeneratedNameHasPlaceholder) {
  const test::Workspace workspace;
  std::string text = graph(kImage);
  text.replace(text.find("name: g"), 7, "generateName: chat-");
  const RunResult ran = workspace.run({"render", "-f", "-", "--discovery-backend", "etcd"}, text);
  EXPECT_EQ(ran.code, kExitValid) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("name: chat-xxxxx-a\n"));
  EXPECT_THAT(ran.out, HasSubstr("# chat-xxxxx is a placeholder for a generated name\n"));
  EXPECT_THAT(ran.err, HasSubstr("generates the name of DynamoGraphDeployment chat-*; chat-xxxxx "
                                 "is a placeholder for it"));
  const RunResult json =
      workspace.run({"render", "-f", "-", "-o", "json", "--discovery-backend", "etcd"}, text);
  EXPECT_EQ(json.code, kExitValid) << json.err;
  EXPECT_THAT(json.out, HasSubstr(R"("name":"chat-xxxxx-a")"));
  const RunResult diff = workspace.run({"diff", "-f", "-", "--discovery-backend", "etcd"}, text);
  EXPECT_THAT(diff.out, HasSubstr("DynamoGraphDeployment chat-xxxxx (generated name):\n"));
  EXPECT_THAT(diff.out, HasSubstr("+ DynamoComponentDeployment chat-xxxxx-a"));
}

TEST(Render, EqualGeneratedNamesHaveDistinctPlaceholders) {
  const test::Workspace workspace;
  std::string text = graph(kImage);
  text.replace(text.find("name: g"), 7, "generateName: chat-");
  std::string elsewhere = text;
  elsewhere.replace(elsewhere.find("namespace: ml"), 13, "namespace: lab");
  const std::string three = text + "---\n" + text + "---\n" + elsewhere;
  const RunResult ran =
      workspace.run({"render", "-f", "-", "-o", "json", "--discovery-backend", "etcd"}, three);
  EXPECT_EQ(ran.code, kExitValid) << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr(R"("name":"chat-xxxxx-a","namespace":"ml")"),
                             HasSubstr(R"("name":"chat-xxxx2-a","namespace":"ml")"),
                             HasSubstr(R"("name":"chat-xxxxx-a","namespace":"lab")"),
                             Not(HasSubstr("chat-xxxx3"))));
  EXPECT_THAT(ran.err, HasSubstr("chat-*; chat-xxxx2 is a placeholder for it"));
  std::string many = text;
  for (int more = 0; more < 11; ++more) many += "---\n" + text;
  const RunResult diff = workspace.run({"diff", "-f", "-", "--discovery-backend", "etcd"}, many);
  EXPECT_THAT(diff.out, AllOf(HasSubstr("DynamoGraphDeployment chat-xxxx9 (generated name):\n"),
                              HasSubstr("DynamoGraphDeployment chat-xxx12 (generated name):\n"),
                              HasSubstr("+ Deployment chat-xxx10-a\n")));
}

// The API server cuts both to the same beginning.
TEST(Render, TruncatedGeneratedNamesHaveDistinctPlaceholders) {
  const test::Workspace workspace;
  std::string text;
  for (const char* const end : {"b-", "c-"}) {
    text += "---\n" + graph(kImage);
    text.replace(text.find("name: g"), 7, "generateName: " + std::string(80, 'a') + end);
  }
  const RunResult ran = workspace.run({"diff", "-f", "-", "--discovery-backend", "etcd"}, text);
  const std::string base(58, 'a');
  EXPECT_THAT(ran.out,
              AllOf(HasSubstr(base + "xxxxx (generated"), HasSubstr(base + "xxxx2 (generated")))
      << ran.err;
}

TEST(Render, LongGeneratedNameIsCut) {
  const test::Workspace workspace;
  std::string text = graph(kImage);
  text.replace(text.find("name: g"), 7, "generateName: " + std::string(80, 'a') + "-");
  const RunResult ran = workspace.run({"diff", "-f", "-", "--discovery-backend", "etcd"}, text);
  EXPECT_THAT(ran.out, HasSubstr("DynamoGraphDeployment " + std::string(58, 'a') + "xxxxx (gen"))
      << ran.err;
}

TEST(Render, ExplainsOmittedObjects) {
  const test::Workspace workspace;
  const RunResult ran = workspace.run({"render", "-f", "-"},
                                      graph(std::string(kImage) + ", multinode: {nodeCount: 2}"));
  EXPECT_EQ(ran.code, kExitInvalid);
  EXPECT_THAT(ran.err, HasSubstr("cannot be rendered further: DynamoGraphDeployment g "
                                 "spec.services[A].multinode"));
  const RunResult refused = workspace.run({"render", "-f", "-"}, graph(", replicas: -1"));
  EXPECT_EQ(refused.code, kExitInvalid);
  EXPECT_THAT(refused.out, IsEmpty());
}

TEST(Diff, ReportsCreatedChangedAndRolledObjects) {
  const test::Workspace workspace;
  workspace.write("old.yaml", graph(kImage));
  const auto diff = [&](const std::string& now) {
    return workspace.run({"diff", "-f", "-", "--old", workspace.path("old.yaml")}, now);
  };
  EXPECT_EQ(diff(graph(kImage)).out, "DynamoGraphDeployment g: no object changes\n");
  const RunResult changed = diff(graph(kOther));
  EXPECT_EQ(changed.code, kExitValid) << changed.err;
  EXPECT_THAT(changed.out, AllOf(HasSubstr("  ~ Deployment g-a rolls: "),
                                 HasSubstr("containers[main].image is \"i:2\" and was \"i:1\""),
                                 Not(HasSubstr("Service"))));
  const RunResult scaled = diff(graph(std::string(kImage) + ", replicas: 2"));
  EXPECT_THAT(scaled.out, AllOf(HasSubstr("  ~ Deployment g-a: spec.replicas is 2 and was 1"),
                                Not(HasSubstr("rolls"))));
  const RunResult fresh = workspace.run({"diff", "-f", "-"}, graph(kImage));
  EXPECT_THAT(fresh.out, HasSubstr("  + Deployment g-a\n"));
}

// No component can be rendered from this variable.
const std::string kUnrendered =
    std::string(kImage) + ", envs: [{name: DYN_DEPLOYMENT_CONFIG, value: '[1]'}]";

TEST(Diff, UnrenderedObjectIsNotCompared) {
  const test::Workspace workspace;
  workspace.write("old.yaml", graph(kImage));
  const RunResult refused =
      workspace.run({"diff", "-f", "-", "--old", workspace.path("old.yaml")}, graph(kUnrendered));
  EXPECT_EQ(refused.code, kExitInvalid);
  EXPECT_EQ(refused.out,
            "DynamoGraphDeployment g: not compared, because it cannot be rendered; standard error "
            "has the reason\n");
  EXPECT_THAT(refused.err, AllOf(HasSubstr("g spec.services[A].envs: must hold a JSON object"),
                                 Not(HasSubstr("the old state"))));
  const RunResult fresh =
      workspace.run({"diff", "-f", "-", "--discovery-backend", "kubernetes"}, graph(kUnrendered));
  EXPECT_EQ(fresh.code, kExitInvalid);
  EXPECT_THAT(fresh.out, AllOf(HasSubstr("DynamoGraphDeployment g: compared in part, because"),
                               HasSubstr("  + ServiceAccount ")));
}

// An object that only one side renders is neither created nor deleted.
TEST(Diff, ObjectMissingFromIncompleteSideIsNoChange) {
  const test::Workspace workspace;
  workspace.write("complete.yaml", graph(kImage));
  workspace.write("incomplete.yaml", graph(kUnrendered));
  const auto diff = [&](const char* old, const std::string& now) {
    return workspace.run({"diff", "-f", "-", "--old", workspace.path(old)}, now);
  };
  const RunResult to_incomplete = diff("complete.yaml", graph(kUnrendered));
  EXPECT_EQ(to_incomplete.code, kExitInvalid);
  EXPECT_THAT(to_incomplete.out, AllOf(HasSubstr("not compared"), Not(HasSubstr("  - "))));
  const RunResult from_incomplete = diff("incomplete.yaml", graph(kImage));
  EXPECT_EQ(from_incomplete.code, kExitInvalid);
  EXPECT_THAT(from_incomplete.out, AllOf(HasSubstr("not compared"), Not(HasSubstr("  + "))));
  EXPECT_THAT(from_incomplete.err, HasSubstr("the old state cannot be rendered further: "));
}

TEST(Diff, CliqueThatRollsIsNamed) {
  const test::Workspace workspace;
  workspace.write("old.yaml", graph(kImage));
  const auto diff = [&](const std::string& now) {
    return workspace
        .run({"diff", "-f", "-", "--old", workspace.path("old.yaml"), "--pathway", "grove"}, now)
        .out;
  };
  EXPECT_THAT(diff(graph(kOther)),
              AllOf(HasSubstr("  ~ PodCliqueSet g rolls: "), HasSubstr("cliques[a]")));
  EXPECT_THAT(
      diff(graph(std::string(kImage) + ", replicas: 2")),
      HasSubstr("  ~ PodCliqueSet g: spec.template.cliques[a].spec.replicas is 2 and was 1"));
}

TEST(Render, GraphOverGroveIsOneSet) {
  const test::Workspace workspace;
  const RunResult rendered =
      workspace.run({"render", "-f", "-", "--pathway", "grove"}, graph(kImage));
  EXPECT_EQ(rendered.code, kExitValid);
  EXPECT_THAT(rendered.out, AllOf(HasSubstr("kind: PodCliqueSet"),
                                  Not(HasSubstr("kind: DynamoComponentDeployment"))));
}

// They may contain data, and running pods may still need them.
TEST(Diff, UnusedClaimsAndAccountsAreKept) {
  const test::Workspace workspace;
  workspace.write("old.yaml", graph(kImage) +
                                  "  pvcs: [{name: models, create: true, size: 1Gi, storageClass: "
                                  "s, volumeAccessMode: ReadWriteMany}]\n");
  const RunResult made = workspace.run({"diff", "-f", workspace.path("old.yaml")});
  EXPECT_THAT(made.out, HasSubstr("  + PersistentVolumeClaim models\n"));
  const RunResult gone =
      workspace.run({"diff", "-f", "-", "--old", workspace.path("old.yaml")}, graph(kImage));
  EXPECT_EQ(gone.out, "DynamoGraphDeployment g: no object changes\n");
}

// As printed by `kubectl get --output yaml`: owned objects refer to it by a uid that a file cannot
// contain.
TEST(Diff, ServerFieldsAreNoChange) {
  const test::Workspace workspace;
  const auto stored = [](std::string_view service, std::string_view uid) {
    std::string text = graph(service);
    const std::string_view head = "metadata: {name: g, namespace: ml";
    text.insert(text.find(head) + head.size(),
                ", uid: " + std::string(uid) +
                    ", resourceVersion: '7', generation: 3, creationTimestamp: "
                    "'2026-01-01T00:00:00Z', finalizers: [nvidia.com/finalizer], annotations: "
                    "{kubectl.kubernetes.io/last-applied-configuration: '{}'}");
    return text + "status: {state: successful}\n";
  };
  workspace.write("old.yaml", stored(kImage, "u-1"));
  const auto diff = [&](const std::string& now) {
    return workspace.run({"diff", "-f", "-", "--old", workspace.path("old.yaml")}, now).out;
  };
  const std::string none = "DynamoGraphDeployment g: no object changes\n";
  EXPECT_EQ(diff(graph(kImage)), none);
  EXPECT_EQ(diff(stored(kImage, "u-1")), none);
  EXPECT_EQ(diff(stored(kImage, "u-2")), none) << "created again with its name";
  EXPECT_THAT(diff(graph(kOther)),
              AllOf(HasSubstr("  ~ Deployment g-a rolls: "), HasSubstr("image is \"i:2\""),
                    Not(HasSubstr("ownerReferences")), Not(HasSubstr("ServiceAccount"))));
  workspace.write("old.yaml", graph(kImage));
  EXPECT_EQ(diff(stored(kImage, "u-1")), none);
}

TEST(Render, AppliesOperatorFlags) {
  const test::Workspace workspace;
  const std::string frontend =
      "apiVersion: nvidia.com/v1alpha1\nkind: DynamoGraphDeployment\nmetadata: {name: g, "
      "namespace: ml}\nspec:\n  services:\n    A: {componentType: frontend, extraPodSpec: "
      "{mainContainer: {image: 'i:1'}}}\n";
  const std::string without = workspace.run({"render", "-f", "-"}, frontend).out;
  EXPECT_THAT(without, Not(HasSubstr("nats://")));
  EXPECT_THAT(without, Not(HasSubstr("VirtualService")));
  const RunResult ran =
      workspace.run({"render", "-f", "-", "--natsAddr", "nats://n:4222",
                     "--ingress-controller-class-name", "nginx", "--ingress-host-suffix",
                     "example.com", "--istio-virtual-service-gateway", "istio/gate"},
                    frontend);
  EXPECT_EQ(ran.code, kExitValid) << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("nats://n:4222"), HasSubstr("host: g.example.com"),
                             HasSubstr("ingressClassName: nginx"),
                             HasSubstr("kind: VirtualService"), HasSubstr("istio/gate")));
}

// A cluster-wide operator creates the planners' accounts in each namespace.
TEST(Render, PlannerClusterRoleSelectsClusterScope) {
  const test::Workspace workspace;
  const std::vector<std::string> whole = {"render", "-f", "-", "--planner-cluster-role-name", "r"};
  const std::string account = "name: planner-serviceaccount";
  EXPECT_THAT(workspace.run({"render", "-f", "-"}, graph(kImage)).out, Not(HasSubstr(account)));
  EXPECT_THAT(workspace.run(whole, graph(kImage)).out, HasSubstr(account));
  std::vector<std::string> restricted = whole;
  restricted.insert(restricted.end(), {"--namespace-scope", "ml"});
  EXPECT_THAT(workspace.run(restricted, graph(kImage)).out, Not(HasSubstr(account)));
}

std::string request(std::string_view more = "") {
  return "apiVersion: nvidia.com/v1alpha1\nkind: DynamoGraphDeploymentRequest\nmetadata: {name: "
         "ask, namespace: ml}\nspec:\n  model: m\n  backend: vllm\n  profilingConfig:\n    "
         "profilerImage: 'p:1'\n    config: {sla: {isl: 3000, osl: 150, ttft: 200, itl: 20}}\n" +
         std::string(more);
}

std::string checkpoint(std::string_view image = "i:1", std::string_view more = "") {
  return "apiVersion: nvidia.com/v1alpha1\nkind: DynamoCheckpoint\nmetadata: {name: saved, "
         "namespace: ml}\nspec:\n  identity: {model: m, backendFramework: vllm}\n  job: "
         "{podTemplateSpec: {spec: {containers: [{name: main, image: '" +
         std::string(image) + "'}]}}}\n" + std::string(more);
}

std::vector<std::string> names_in(const std::string& yaml) {
  std::vector<std::string> names;
  json::YamlReader reader(yaml);
  json::Document document;
  while (reader.next(document) == json::YamlReader::ReadResult::kDocument) {
    const json::Value root = document.root();
    names.push_back(std::string(root["kind"].string_or_empty()) + " " +
                    std::string(root["metadata"]["name"].string_or_empty()));
  }
  return names;
}

TEST(Render, RequestPrintsAccountBindingAndJob) {
  const test::Workspace workspace;
  const RunResult ran = workspace.run(
      {"render", "-f", "-", "--dgdr-profiling-cluster-role-name", "profilers"}, request());
  EXPECT_EQ(ran.code, kExitValid) << ran.err;
  EXPECT_THAT(names_in(ran.out),
              ElementsAre("ServiceAccount dgdr-profiling-job",
                          "RoleBinding dgdr-profiling-job-binding", "Job profile-ask"));
  EXPECT_THAT(ran.out, AllOf(HasSubstr("name: profilers\n"), HasSubstr("image: p:1\n")));
}

TEST(Render, RequestOfOneNamespacePrintsJob) {
  const test::Workspace workspace;
  const RunResult ran = workspace.run({"render", "-f", "-"}, request());
  EXPECT_EQ(ran.code, kExitValid) << ran.err;
  EXPECT_THAT(names_in(ran.out), ElementsAre("Job profile-ask"));
}

TEST(Render, RequestNeedsProfilingRoleOfClusterOperator) {
  const test::Workspace workspace;
  const RunResult ran =
      workspace.run({"render", "-f", "-", "--planner-cluster-role-name", "planners"}, request());
  EXPECT_EQ(ran.code, kExitInvalid);
  EXPECT_THAT(ran.err, HasSubstr("dgdr-profiling-cluster-role-name"));
}

TEST(Render, CheckpointPrintsJob) {
  const test::Workspace workspace;
  const RunResult ran = workspace.run({"render", "-f", "-", "--checkpoint-storage-type", "s3",
                                       "--checkpoint-s3-uri", "s3://bucket"},
                                      checkpoint());
  EXPECT_EQ(ran.code, kExitValid) << ran.err;
  EXPECT_THAT(names_in(ran.out), ElementsAre("Job checkpoint-saved"));
  EXPECT_THAT(ran.out, HasSubstr("value: s3://bucket/"));
}

TEST(Diff, RequestComparesJobsExceptTheUid) {
  const test::Workspace workspace;
  std::string stored = request();
  stored.insert(stored.find("namespace: ml") + 13, ", uid: u-1");
  workspace.write("old.yaml", stored);
  const auto diff = [&](const std::string& now) {
    return workspace.run({"diff", "-f", "-", "--old", workspace.path("old.yaml")}, now).out;
  };
  EXPECT_EQ(diff(request()), "DynamoGraphDeploymentRequest ask: no object changes\n");
  std::string other = request();
  other.replace(other.find("p:1"), 3, "p:2");
  EXPECT_THAT(diff(other), AllOf(HasSubstr("  ~ Job profile-ask: "), Not(HasSubstr("rolls"))));
  EXPECT_THAT(diff(other), HasSubstr("image is \"p:2\" and was \"p:1\""));
}

TEST(Diff, CheckpointComparesJobs) {
  const test::Workspace workspace;
  EXPECT_EQ(workspace.run({"diff", "-f", "-"}, checkpoint()).out,
            "DynamoCheckpoint saved:\n  + Job checkpoint-saved\n");
  workspace.write("old.yaml", checkpoint());
  const RunResult ran =
      workspace.run({"diff", "-f", "-", "--old", workspace.path("old.yaml")}, checkpoint("i:2"));
  EXPECT_THAT(ran.out, HasSubstr("  ~ Job checkpoint-saved: ")) << ran.err;
}

TEST(Diff, JobOfPendingOrFailedRequestIsCreated) {
  const test::Workspace workspace;
  std::string other = request();
  other.replace(other.find("p:1"), 3, "p:2");
  for (const std::string state : {"Pending", "Failed"}) {
    workspace.write("old.yaml", request("status: {state: " + state + "}\n"));
    const RunResult ran =
        workspace.run({"diff", "-f", "-", "--old", workspace.path("old.yaml")}, other);
    EXPECT_THAT(ran.out, AllOf(HasSubstr("  + Job profile-ask: "), HasSubstr("image is \"p:2\""),
                               Not(HasSubstr("rolls"))))
        << ran.err;
  }
}

TEST(Diff, JobOfReadyCheckpointIsKept) {
  const test::Workspace workspace;
  workspace.write("old.yaml", checkpoint("i:1", "status: {phase: Ready}\n"));
  const RunResult ran =
      workspace.run({"diff", "-f", "-", "--old", workspace.path("old.yaml")}, checkpoint("i:2"));
  EXPECT_EQ(ran.out, "DynamoCheckpoint saved: no object changes\n");
  EXPECT_THAT(ran.err, HasSubstr("DynamoCheckpoint saved is Ready: its Job checkpoint-saved stays "
                                 "unchanged\n"));
}

TEST(Render, ReportsSkippedObjects) {
  const test::Workspace workspace;
  const std::string later =
      "apiVersion: nvidia.com/v1beta1\nkind: DynamoGraphDeployment\nmetadata: {name: g}\nspec: {}\n"
      "---\napiVersion: v1\nkind: Service\nmetadata: {name: s}\n";
  for (const std::string command : {"render", "diff"}) {
    const RunResult ran =
        workspace.run({command, "-f", "-", "--operator-generation", "first"}, later);
    EXPECT_EQ(ran.code, kExitValid);
    EXPECT_THAT(ran.out, IsEmpty());
    EXPECT_THAT(ran.err, HasSubstr("left out 1 object of another kind\n"));
    EXPECT_THAT(ran.err, HasSubstr("which operators of the first generation do not serve"));
  }
}

// A frontend and a worker in v1beta1; `more` follows the worker's image.
std::string later_graph(std::string_view more = "", std::string_view component = "") {
  return "apiVersion: nvidia.com/v1beta1\nkind: DynamoGraphDeployment\nmetadata: {name: g, "
         "namespace: ml}\nspec:\n  components:\n  - name: F\n    type: frontend\n    replicas: 1\n"
         "    podTemplate: {spec: {containers: [{name: main, image: 'nvcr.io/x/y:1.5.0'}]}}\n"
         "  - name: W\n    type: worker\n    replicas: 1\n" +
         std::string(component) +
         "    podTemplate: {spec: {containers: [{name: main, image: 'nvcr.io/x/y:1.5.0', command: "
         "[python3, -m, dynamo.vllm], args: [--model, q]" +
         std::string(more) + "}]}}\n";
}

const std::vector<std::string> kLaterFlags = {
    "-f", "-", "--discovery-backend", "etcd", "--pathway", "component", "--config", "none"};

std::vector<std::string> later_command(std::string command, std::vector<std::string> more = {}) {
  std::vector<std::string> words = {std::move(command)};
  words.insert(words.end(), kLaterFlags.begin(), kLaterFlags.end());
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(Render, PrintsObjectsOfLaterOperators) {
  const test::Workspace workspace;
  const RunResult ran = workspace.run(later_command("render"), later_graph());
  EXPECT_EQ(ran.code, kExitValid) << ran.err;
  json::YamlReader reader(ran.out);
  json::Document document;
  std::vector<std::string> names;
  while (reader.next(document) == json::YamlReader::ReadResult::kDocument) {
    names.push_back(std::string(document.root()["kind"].string_or_empty()) + " " +
                    std::string(document.root()["metadata"]["name"].string_or_empty()));
  }
  EXPECT_THAT(names,
              ElementsAre("DynamoComponentDeployment g-f", "Deployment g-f", "Service g-f",
                          "DynamoComponentDeployment g-w-xxxxxxxx", "Deployment g-w-xxxxxxxx"));
  EXPECT_THAT(ran.out, HasSubstr("containerPort: 19090"));
}

TEST(Render, RefusalNamesFieldOfV1beta1) {
  const test::Workspace workspace;
  const RunResult ran = workspace.run(
      later_command("render"), later_graph("",
                                           "    compilationCache: {pvcName: c, mountPath: /c}\n"
                                           "    experimental: {checkpoint: {enabled: true}}\n"));
  EXPECT_EQ(ran.code, kExitInvalid);
  EXPECT_THAT(ran.err, HasSubstr("spec.components[1].experimental.checkpoint: needs an operator"));
}

TEST(Diff, ComparesObjectsOfLaterOperators) {
  const test::Workspace workspace;
  workspace.write("old.yaml", later_graph());
  const RunResult ran = workspace.run(later_command("diff", {"--old", workspace.path("old.yaml")}),
                                      later_graph(", env: [{name: A, value: b}]"));
  EXPECT_EQ(ran.code, kExitValid) << ran.err;
  EXPECT_THAT(ran.out, AllOf(HasSubstr("~ Deployment g-w-xxxxxxxx rolls: "),
                             Not(HasSubstr("Deployment g-f"))));
}

TEST(Diff, UnreachableClusterIsOneLine) {
  const test::Workspace workspace;
  const auto ran = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"diff", "-f", "-"};
    words.insert(words.end(), more.begin(), more.end());
    return workspace.run(words, graph(kImage));
  };
  const auto is_one_line = [](const RunResult& each) {
    EXPECT_EQ(each.code, kExitUnusable);
    EXPECT_THAT(each.out, IsEmpty());
    EXPECT_THAT(each.err, testing::StartsWith("kubectl-dynamo: "));
    EXPECT_EQ(each.err.find('\n'), each.err.size() - 1) << each.err;
  };
  is_one_line(ran({"--kubeconfig", workspace.path("nowhere")}));
  is_one_line(ran({"--context", "lab"}));
  // Nothing listens on the port of a system service that does not run.
  workspace.write("config",
                  "apiVersion: v1\nkind: Config\nclusters: [{name: c, cluster: {server: "
                  "'https://127.0.0.1:1'}}]\nusers: [{name: u, user: {token: t}}]\ncontexts: "
                  "[{name: lab, context: {cluster: c, user: u}}]\ncurrent-context: lab\n");
  is_one_line(ran({"--kubeconfig", workspace.path("config")}));
  is_one_line(ran({"--kubeconfig", workspace.path("config"), "--context", "other"}));
  // The message contains text from a file or a server, which must be escaped.
  const RunResult hostile = ran({"--kubeconfig", workspace.path("no\033[31mwhere")});
  is_one_line(hostile);
  EXPECT_EQ(hostile.err.find('\033'), std::string::npos) << hostile.err;
}

TEST(Diff, ClusterProvidesTheOldObjects) {
  EXPECT_EQ(test::refusal({"diff", "-f", "-", "--against", "main", "--context", "lab"}),
            "kubectl-dynamo: --old and --against must not come with --kubeconfig and --context: "
            "both set the old objects");
}

}  // namespace
}  // namespace dynamo::cli
