// The workload of a component, its discovery and its engine.
#include "render/component/component.hpp"

#include <gtest/gtest.h>

#include "render/pod/backend.hpp"
#include "tests/render/rendering.hpp"

namespace dynamo::render {
namespace {

using test::Manifest;
using test::OneService;
using test::plain_profile;

constexpr std::string_view kTwoNodes = "multinode: {nodeCount: 2}";

TEST(ComponentType, NameMustMatchExactly) {
  const struct {
    const char* name;
    ComponentType type;
    bool worker_like;
  } rows[] = {
      {"frontend", ComponentType::kFrontend, false}, {"worker", ComponentType::kWorker, true},
      {"prefill", ComponentType::kPrefill, true},    {"decode", ComponentType::kDecode, true},
      {"planner", ComponentType::kPlanner, false},   {"epp", ComponentType::kEndpointPicker, false},
      {"Worker", ComponentType::kGeneric, false},    {"main", ComponentType::kGeneric, false},
      {"", ComponentType::kGeneric, false},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(component_type(row.name), row.type) << row.name;
    EXPECT_EQ(is_worker_like(row.type), row.worker_like) << row.name;
  }
}

TEST(Workload, GraphWorkloadDependsOnPathwayAnnotationAndNodes) {
  const std::string_view off = "{nvidia.com/enable-grove: 'False'}";
  const std::string_view on = "{nvidia.com/enable-grove: 'true'}";
  const struct {
    Pathway pathway;
    std::string_view annotations;
    Workload single;
    Workload several;
  } rows[] = {
      {Pathway::kUnknown, "{}", Workload::kUnknown, Workload::kUnknown},
      {Pathway::kUnknown, off, Workload::kDeployment, Workload::kUnknown},
      {Pathway::kNotGrove, "{}", Workload::kDeployment, Workload::kUnknown},
      {Pathway::kComponent, "{}", Workload::kDeployment, Workload::kNone},
      {Pathway::kComponent, off, Workload::kDeployment, Workload::kNone},
      {Pathway::kLws, "{}", Workload::kDeployment, Workload::kLeaderWorkerSet},
      {Pathway::kGrove, "{}", Workload::kPodClique, Workload::kPodCliqueScalingGroup},
      {Pathway::kGrove, on, Workload::kPodClique, Workload::kPodCliqueScalingGroup},
      {Pathway::kGrove, off, Workload::kDeployment, Workload::kUnknown},
  };
  for (const auto& row : rows) {
    const Manifest manifest("metadata: {name: llama, annotations: " + std::string(row.annotations) +
                                "}\nspec: {services: {One: {}, Two: {multinode: {nodeCount: 2}}}}",
                            plain_profile(row.pathway));
    EXPECT_EQ(workload_of(manifest.service("One")), row.single) << row.annotations;
    EXPECT_EQ(workload_of(manifest.service("Two")), row.several) << row.annotations;
  }
}

TEST(Workload, ComponentNeverRunsThroughGrove) {
  const struct {
    Pathway pathway;
    Workload single;
    Workload several;
  } rows[] = {
      {Pathway::kUnknown, Workload::kDeployment, Workload::kUnknown},
      {Pathway::kComponent, Workload::kDeployment, Workload::kDeployment},
      {Pathway::kLws, Workload::kDeployment, Workload::kLeaderWorkerSet},
      {Pathway::kGrove, Workload::kDeployment, Workload::kUnknown},
  };
  for (const auto& row : rows) {
    const Manifest one("spec: {componentType: worker}", plain_profile(row.pathway));
    const Manifest two("spec: {multinode: {nodeCount: 2}}", plain_profile(row.pathway));
    EXPECT_EQ(workload_of(one.component()), row.single);
    EXPECT_EQ(workload_of(two.component()), row.several);
  }
}

TEST(Roles, MultinodeHasLeaderAndWorker) {
  const auto count = [](std::string_view service, Pathway pathway) {
    const OneService manifest(service, plain_profile(pathway));
    return roles_of(manifest.component()).size();
  };
  EXPECT_EQ(count("replicas: 1", Pathway::kGrove), 1U);
  EXPECT_EQ(count(kTwoNodes, Pathway::kGrove), 2U);
  EXPECT_EQ(count(kTwoNodes, Pathway::kUnknown), 2U);
  EXPECT_EQ(count("multinode: {nodeCount: 1}", Pathway::kGrove), 1U);
  const Manifest plain("spec: {multinode: {nodeCount: 2}}", plain_profile(Pathway::kComponent));
  ASSERT_EQ(roles_of(plain.component()).size(), 1U);
  EXPECT_EQ(roles_of(plain.component()).front(), PodRole::kMain);
}

TEST(DiscoveryOfAComponent, GraphAnnotationPrecedesServiceAndOperator) {
  const std::string key = "nvidia.com/dynamo-discovery-backend: ";
  const struct {
    DiscoveryBackend of_operator;
    Pathway pathway;
    std::string graph;
    std::string service;
    DiscoveryBackend expected;
  } rows[] = {
      {DiscoveryBackend::kKubernetes, Pathway::kComponent, "", "", DiscoveryBackend::kKubernetes},
      {DiscoveryBackend::kUnknown, Pathway::kComponent, "", "", DiscoveryBackend::kUnknown},
      {DiscoveryBackend::kKubernetes, Pathway::kComponent, key + "etcd", "",
       DiscoveryBackend::kEtcd},
      {DiscoveryBackend::kKubernetes, Pathway::kComponent, "", key + "etcd",
       DiscoveryBackend::kEtcd},
      {DiscoveryBackend::kKubernetes, Pathway::kComponent, key + "kubernetes", key + "etcd",
       DiscoveryBackend::kKubernetes},
      {DiscoveryBackend::kKubernetes, Pathway::kComponent, key + "nats", "",
       DiscoveryBackend::kOther},
      // Grove overwrites the service's annotation with the effective one.
      {DiscoveryBackend::kKubernetes, Pathway::kGrove, "", key + "etcd",
       DiscoveryBackend::kKubernetes},
      {DiscoveryBackend::kKubernetes, Pathway::kGrove, key + "etcd", "", DiscoveryBackend::kEtcd},
      {DiscoveryBackend::kKubernetes, Pathway::kUnknown, "", key + "etcd",
       DiscoveryBackend::kUnknown},
      {DiscoveryBackend::kEtcd, Pathway::kUnknown, "", key + "etcd", DiscoveryBackend::kEtcd},
  };
  for (const auto& row : rows) {
    Profile profile = plain_profile(row.pathway);
    profile.discovery = row.of_operator;
    const Manifest manifest("metadata: {name: llama, annotations: {" + row.graph +
                                "}}\nspec: {services: {Worker: {annotations: {" + row.service +
                                "}}}}",
                            profile);
    EXPECT_EQ(discovery_of(manifest.service("Worker")), row.expected)
        << row.graph << " / " << row.service;
  }
}

TEST(Metrics, AreEnabledUnlessAnnotationIsFalse) {
  const std::string no = "nvidia.com/enable-metrics: 'false'";
  const std::string yes = "nvidia.com/enable-metrics: 'true'";
  const struct {
    Pathway pathway;
    std::string graph;
    std::string service;
    api::Fact expected;
  } rows[] = {
      {Pathway::kComponent, "", "", api::Fact::kYes},
      {Pathway::kComponent, no, "", api::Fact::kNo},
      {Pathway::kComponent, "", no, api::Fact::kNo},
      {Pathway::kComponent, yes, no, api::Fact::kYes},
      {Pathway::kGrove, no, "", api::Fact::kNo},
      {Pathway::kGrove, "", no, api::Fact::kYes},
      {Pathway::kUnknown, "", no, api::Fact::kUnknown},
      {Pathway::kUnknown, "", "", api::Fact::kYes},
  };
  for (const auto& row : rows) {
    const Manifest manifest("metadata: {name: llama, annotations: {" + row.graph +
                                "}}\nspec: {services: {Worker: {annotations: {" + row.service +
                                "}}}}",
                            plain_profile(row.pathway));
    EXPECT_EQ(metrics_enabled(manifest.service("Worker")), row.expected)
        << row.graph << " / " << row.service;
  }
}

struct BackendRow {
  std::string_view declared;
  std::string_view command;
  std::string_view args;
  Framework framework;
  BackendProblem problem = BackendProblem::kNone;
};

void expect_backends(std::initializer_list<BackendRow> rows) {
  for (const BackendRow& row : rows) {
    const OneService manifest(
        "extraPodSpec: {mainContainer: {command: " + std::string(row.command) +
            ", args: " + std::string(row.args) + "}}",
        plain_profile(),
        row.declared.empty() ? std::string() : "backendFramework: " + std::string(row.declared));
    const Backend backend = backend_of(manifest.component());
    EXPECT_EQ(framework_name(backend.framework), framework_name(row.framework))
        << row.command << row.args;
    EXPECT_EQ(backend.problem, row.problem) << row.command << row.args;
  }
}

TEST(BackendOfAComponent, IsDetectedFromCommandLine) {
  expect_backends({
      {"", "[python3, -m, dynamo.vllm]", "[]", Framework::kVllm},
      {"", "[python3]", "[-m, dynamo.sglang, --tp, '2']", Framework::kSglang},
      {"", "[/usr/bin/python3.11]", "[-u, -m, dynamo.trtllm]", Framework::kTrtllm},
      {"", "[sh, -c]", "['cd /x && python -m dynamo.vllm --model a']", Framework::kVllm},
      {"", "[sh, -c]", "[\"python3 -O\\n -m \\t dynamo.vllm\"]", Framework::kVllm},
  });
}

TEST(BackendOfAComponent, IsDetectedWithinOneShellSegment) {
  expect_backends({
      {"", "[sh, -c]", "['python3 -m pip; echo dynamo.vllm']", Framework::kNoop},
      {"", "[sh, -c]", "['python3 && -m dynamo.vllm']", Framework::kNoop},
      {"", "[sh, -c]", "['python3 -m a | dynamo.vllm']", Framework::kNoop},
      {"", "[sh, -c]", "['false; python3 -m dynamo.vllm & wait']", Framework::kVllm},
  });
}

TEST(BackendOfAComponent, NeedsInterpreterFlagAndModule) {
  expect_backends({
      {"", "[dynamo.vllm]", "[]", Framework::kNoop},
      {"", "[python3, dynamo.vllm]", "[]", Framework::kNoop},
      {"", "[-m, dynamo.vllm]", "[]", Framework::kNoop},
      {"", "[pythonista, -m, dynamo.vllm]", "[]", Framework::kNoop},
      {"", "[python3, -mx, dynamo.vllm]", "[]", Framework::kNoop},
      {"", "[python3, -m, vllm]", "[]", Framework::kNoop},
      {"", "[python3, -m, dynamo.frontend]", "[]", Framework::kNoop},
  });
}

TEST(BackendOfAComponent, MustMatchDeclaredBackend) {
  expect_backends({
      {"vllm", "[python3, -m, dynamo.vllm]", "[]", Framework::kVllm},
      {"sglang", "[python3, -m, dynamo.vllm]", "[]", Framework::kVllm, BackendProblem::kMismatch},
      {"vllm", "[run.sh]", "[]", Framework::kVllm},
      {"noop", "[run.sh]", "[]", Framework::kNoop, BackendProblem::kUnknownDeclared},
  });
}

TEST(BackendOfAComponent, SeveralBackendsNeedADeclaration) {
  const std::string_view both = "['python3 -m dynamo.vllm; python3 -m dynamo.sglang']";
  expect_backends({
      {"", "[sh, -c]", both, Framework::kNoop, BackendProblem::kSeveralDetected},
      {"trtllm", "[sh, -c]", both, Framework::kTrtllm},
      {"", "[sh, -c]", "['python3 -m dynamo.vllm; python3 -m dynamo.vllm']", Framework::kVllm},
  });
}

TEST(BackendOfAComponent, NonWorkersHaveNone) {
  for (const char* type : {"frontend", "planner", "epp", "other"}) {
    const OneService manifest("componentType: " + std::string(type) +
                                  "\nextraPodSpec: {mainContainer: {command: [python3, -m, "
                                  "dynamo.vllm]}}",
                              plain_profile(), "backendFramework: sglang");
    EXPECT_EQ(backend_of(manifest.component()).framework, Framework::kNoop) << type;
    EXPECT_EQ(backend_of(manifest.component()).problem, BackendProblem::kNone) << type;
  }
}

TEST(PythonInterpreter, BareNameAndPathAreRecognised) {
  for (const char* yes : {"python", "python3", "python3.11", "/usr/bin/python3", "bin/python3",
                          "venv/bin/python3.11"}) {
    EXPECT_TRUE(is_python_interpreter(yes)) << yes;
  }
  for (const char* no : {"", "sh", "pythonw", "bin/pythonw", "python3 -u", "/usr/bin/python3/x"}) {
    EXPECT_FALSE(is_python_interpreter(no)) << no;
  }
}

}  // namespace
}  // namespace dynamo::render
