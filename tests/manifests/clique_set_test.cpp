// The objects of a graph that Grove runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/parser.hpp"
#include "json/writer.hpp"
#include "manifests/builders.hpp"
#include "manifests/desired_objects.hpp"
#include "tests/render/rendering.hpp"

namespace dynamo::render {
namespace {

using test::Yaml;
using testing::ElementsAre;
using testing::HasSubstr;

RenderEnvironment grove() {
  RenderEnvironment environment{.profile = default_operator_profile()};
  environment.profile.pathway = Pathway::kGrove;
  environment.profile.discovery = DiscoveryBackend::kEtcd;
  environment.profile.mpi_secret_name = "mpi";
  environment.namespace_restricted = true;
  return environment;
}

DesiredObjects objects_of(std::string_view spec, const RenderEnvironment& environment = grove(),
                          std::string_view metadata = "") {
  const Yaml yaml("metadata: {name: g, uid: u" + std::string(metadata) + "}\nspec:\n" +
                  std::string(spec));
  return desired_objects_of(api::GraphDeployment{yaml.root()}, "ml", environment);
}

// The template of the set.
class SetTemplate {
 public:
  explicit SetTemplate(const DesiredObjects& objects) {
    if (objects.refused) ADD_FAILURE() << objects.refused->path << objects.refused->reason;
    for (const DesiredObject& each : objects.items) {
      if (each.kind == kPodCliqueSetKind) manifest_ = json::parse_copy(each.manifest);
    }
  }
  json::Value root() const { return manifest_->root()["spec"]["template"]; }
  json::Value clique(std::string_view name) const {
    for (const json::Value each : root()["cliques"].elements()) {
      if (each["name"].string_or_empty() == name) return each;
    }
    return {};
  }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const json::Value each : root()["cliques"].elements()) {
      names.emplace_back(each["name"].string_or_empty());
    }
    return names;
  }

 private:
  std::unique_ptr<json::ParsedText> manifest_;
};

std::vector<std::string> names_after_set(const DesiredObjects& objects) {
  std::vector<std::string> out;
  for (const DesiredObject& each : objects.items) {
    if (each.kind == kPodCliqueSetKind) out.clear();
    out.push_back((each.wanted ? "" : "no ") + std::string(each.kind) + " " + each.name);
  }
  return out;
}

constexpr std::string_view kSeveral =
    "  backendFramework: trtllm\n"
    "  services:\n"
    "    B: {componentType: frontend, replicas: 2}\n"
    "    A:\n"
    "      componentType: worker\n"
    "      multinode: {nodeCount: 3}\n"
    "      resources: {limits: {gpu: '4'}}\n"
    "      extraPodSpec: {mainContainer: {image: i, command: [python3], args: [-m, "
    "dynamo.trtllm]}}\n";

TEST(CliqueSet, CliquesAreSortedWithLeaderBeforeWorker) {
  const SetTemplate set(objects_of(kSeveral));
  EXPECT_THAT(set.names(), ElementsAre("a-ldr", "a-wkr", "b"));
  EXPECT_EQ(set.clique("a-ldr")["spec"]["replicas"].integer(), 1);
  EXPECT_EQ(set.clique("a-wkr")["spec"]["replicas"].integer(), 2);
  EXPECT_EQ(set.clique("b")["spec"]["replicas"].integer(), 2);
  EXPECT_EQ(json::to_text(set.root()["podCliqueScalingGroups"]),
            R"([{"name":"a","cliqueNames":["a-ldr","a-wkr"],"minAvailable":1}])");
}

TEST(CliqueSet, TensorRtLeaderStartsAfterItsWorkers) {
  const SetTemplate set(objects_of(kSeveral));
  EXPECT_EQ(json::to_text(set.clique("a-ldr")["spec"]["startsAfter"]), R"(["a-wkr"])");
  EXPECT_FALSE(set.clique("a-wkr")["spec"]["startsAfter"].exists());
  EXPECT_EQ(set.root()["cliqueStartupType"].string(), "CliqueStartupTypeExplicit");
  const SetTemplate single(objects_of("  services: {A: {componentType: worker}}\n"));
  EXPECT_EQ(single.root()["cliqueStartupType"].string(), "CliqueStartupTypeAnyOrder");
}

// Q15.
TEST(CliqueSet, ServiceWithoutReplicaCountHasOne) {
  const SetTemplate set(objects_of("  services: {A: {componentType: worker}}\n"));
  EXPECT_EQ(set.clique("a")["spec"]["replicas"].integer(), 1);
}

TEST(CliqueSet, RestartMarkOverridesOtherAnnotations) {
  RenderEnvironment environment = grove();
  environment.restarts = {{"A", "r2"}};
  const SetTemplate set(objects_of(
      "  services: {A: {annotations: {nvidia.com/restartAt: mine, a: b}}, B: {}}\n", environment));
  EXPECT_EQ(
      json::to_text(set.clique("a")["annotations"]),
      R"({"a":"b","nvidia.com/dynamo-discovery-backend":"etcd","nvidia.com/restartAt":"r2"})");
  EXPECT_EQ(json::to_text(set.clique("b")["annotations"]),
            R"({"nvidia.com/dynamo-discovery-backend":"etcd"})");
}

TEST(CliqueSet, QueueSchedulesPodsWithoutAnotherScheduler) {
  RenderEnvironment environment = grove();
  environment.profile.kai_scheduler = api::Fact::kYes;
  const SetTemplate set(
      objects_of("  services: {A: {}, B: {extraPodSpec: {schedulerName: mine}}}\n", environment));
  const auto queue = [&set](std::string_view clique) {
    const json::Value labels = set.clique(clique)["labels"];
    return std::string(labels["kai.scheduler/queue"].string_or_empty());
  };
  EXPECT_EQ(queue("a"), "dynamo");
  EXPECT_EQ(set.clique("a")["spec"]["podSpec"]["schedulerName"].string(), "kai-scheduler");
  EXPECT_EQ(queue("b"), "");
  EXPECT_EQ(set.clique("b")["spec"]["podSpec"]["schedulerName"].string(), "mine");
}

TEST(CliqueSet, IsFollowedByServicesAndExternalAccess) {
  RenderEnvironment environment = grove();
  environment.profile.discovery = DiscoveryBackend::kKubernetes;
  environment.profile.ingress_class = "nginx";
  environment.profile.virtual_service_gateway = "gateway";
  EXPECT_THAT(
      names_after_set(objects_of("  services:\n"
                                 "    A: {componentType: worker, modelRef: {name: m}}\n"
                                 "    B: {componentType: worker, modelRef: {name: m}}\n"
                                 "    F: {componentType: frontend}\n",
                                 environment)),
      ElementsAre("PodCliqueSet g", testing::StartsWith("Service dynamo-model-"), "Service g-a",
                  "Service g-b", "Service g-f", "Ingress g-f", "VirtualService g-f"));
  EXPECT_THAT(names_after_set(objects_of("  services: {A: {}, F: {componentType: frontend}}\n")),
              ElementsAre("PodCliqueSet g", "Service g-f", "no Ingress g-f"));
}

TEST(CliqueSet, TerminationDelayHasTheFormOfGo) {
  using std::chrono::milliseconds;
  EXPECT_EQ(go_duration(std::chrono::minutes(15)), "15m0s");
  EXPECT_EQ(go_duration(std::chrono::minutes(90)), "1h30m0s");
  EXPECT_EQ(go_duration(milliseconds(500)), "500ms");
  EXPECT_EQ(go_duration(milliseconds(61'050)), "1m1.05s");
  EXPECT_EQ(go_duration(milliseconds(0)), "0s");
  RenderEnvironment environment = grove();
  const std::string_view spec = "  services: {A: {}}\n";
  EXPECT_EQ(SetTemplate(objects_of(spec)).root()["terminationDelay"].string(), "15m0s");
  environment.grove_termination_delay = milliseconds(0);
  EXPECT_FALSE(SetTemplate(objects_of(spec, environment)).root()["terminationDelay"].exists());
}

TEST(CliqueSet, NamesThatGroveRefusesAreRefused) {
  const std::string longest(44, 'a');
  EXPECT_FALSE(objects_of("  services: {" + longest + ": {}}\n").refused);
  const DesiredObjects longer = objects_of("  services: {" + longest + "a: {}}\n");
  ASSERT_TRUE(longer.refused);
  EXPECT_THAT(longer.refused->reason, HasSubstr("at most 45 characters; found 46"));
  const DesiredObjects twice = objects_of("  services: {a: {}, A: {}}\n");
  ASSERT_TRUE(twice.refused);
  EXPECT_EQ(twice.refused->path, "spec.services[a]");
  EXPECT_THAT(names_after_set(twice), testing::Not(testing::Contains("PodCliqueSet g")));
}

TEST(CliqueSet, HashIgnoresTheOrderOfCliques) {
  const auto hash_of = [](const DesiredObjects& objects) {
    for (const DesiredObject& each : objects.items) {
      if (each.kind == kPodCliqueSetKind) return each.spec_hash;
    }
    return std::string();
  };
  const std::string hash = hash_of(objects_of("  services: {A: {}, B: {}}\n"));
  EXPECT_EQ(hash, hash_of(objects_of("  services: {B: {}, A: {}}\n")));
  EXPECT_NE(hash, hash_of(objects_of("  services: {A: {replicas: 2}, B: {}}\n")));
}

}  // namespace
}  // namespace dynamo::render
