// Variations of the measured manifests (measured_test.cpp): no manifest is denied that the operator
// of the February or August release and the API server are known to accept, or not known to refuse.
#include <gtest/gtest.h>

#include <chrono>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "admission/dry_run.hpp"
#include "schema/table.hpp"
#include "tests/support/findings.hpp"
#include "tests/support/objects.hpp"
#include "tests/support/review_fixture.hpp"

namespace dynamo::admission {
namespace {

using api::Fact;
using api::OperatorGeneration;

// The operators with which a manifest is denied, on every pathway on which a known one denies at
// all.
enum class DenyingOperator : unsigned char { kNever, kByFirst, kByLater, kAlways };

struct Variation {
  std::string_view name;
  std::string object;
  DenyingOperator denied;
};
void PrintTo(const Variation& variation, std::ostream* out) {
  *out << variation.name;
}

// A graph with a frontend and a worker; `extra` is for the worker, `main` for its main container,
// `pod` for its pod, `top` for the graph's spec.
struct Parts {
  std::string_view extra = "resources: {limits: {gpu: '1'}}";
  std::string_view main = {};
  std::string_view pod = {};
  std::string_view top = {};
  std::string_view metadata = {};
  std::string_view type = "worker";
};

std::string with_comma(std::string_view text) {
  return text.empty() ? "" : ", " + std::string(text);
}

std::string graph(const Parts& parts) {
  return "{apiVersion: nvidia.com/v1alpha1, kind: DynamoGraphDeployment, metadata: {name: chat, "
         "namespace: a" +
         with_comma(parts.metadata) +
         "}, spec: {services: {Frontend: {componentType: frontend, replicas: 1, extraPodSpec: "
         "{mainContainer: {image: 'a/b:1.0.0'}}}, Worker: {componentType: " +
         std::string(parts.type) + ", replicas: 1" + with_comma(parts.extra) +
         ", extraPodSpec: {mainContainer: {image: 'a/b:1.0.0', command: [python3, -m, "
         "dynamo.vllm], "
         "args: [--model, m]" +
         with_comma(parts.main) + "}" + with_comma(parts.pod) + "}}}" + with_comma(parts.top) +
         "}}";
}

std::string of_memory(std::string_view quantity) {
  return graph(
      {.extra = "resources: {limits: {gpu: '1', memory: '" + std::string(quantity) + "'}}"});
}

std::string of_gpus(std::string_view quantity) {
  return graph({.extra = "resources: {limits: {gpu: '" + std::string(quantity) + "'}}"});
}

std::string of_shared_memory(std::string_view volume, std::string_view path,
                             std::string_view extra = "resources: {limits: {gpu: '1'}}") {
  const std::string mount =
      "volumeMounts: [{name: " + std::string(volume) + ", mountPath: " + std::string(path) + "}]";
  const std::string pod =
      "volumes: [{name: " + std::string(volume) + ", emptyDir: {medium: Memory}}]";
  return graph({.extra = extra, .main = mount, .pod = pod});
}

std::string of_checkpoint(std::string_view name, std::string_view job = {},
                          std::string_view identity = "model: m", std::string_view pod = {}) {
  return "{apiVersion: nvidia.com/v1alpha1, kind: DynamoCheckpoint, metadata: {namespace: a, "
         "name: " +
         std::string(name) + "}, spec: {identity: {backendFramework: vllm, " +
         std::string(identity) + "}, job: {podTemplateSpec: {spec: {restartPolicy: Never" +
         with_comma(pod) +
         ", containers: [{name: main, image: 'a/b:1.0.0', command: [python3, -m, dynamo.vllm]}]}}" +
         with_comma(job) + "}}}";
}

std::string of_request(std::string_view section) {
  return "{apiVersion: nvidia.com/v1alpha1, kind: DynamoGraphDeploymentRequest, metadata: {name: "
         "r, "
         "namespace: a}, spec: {model: m, backend: vllm, profilingConfig: {profilerImage: "
         "'a/b:1.0.0', "
         "config: {" +
         std::string(section) + "}}}}";
}

std::string of_label(std::string_view of, std::string_view label) {
  const std::string labels = "labels: {" + std::string(label) + "}";
  return graph({.extra = of == "pod"
                             ? "resources: {limits: {gpu: '1'}}, extraPodMetadata: {" + labels + "}"
                             : "resources: {limits: {gpu: '1'}}, " + labels});
}

constexpr std::string_view kClaim = "pvcs: [{name: c, create: false}]";
constexpr std::string_view kMounts = "volumeMounts: [{name: c, mountPoint: /c}]";

std::vector<Variation> quantities() {
  return {
      {"memory_ends_with_a_point", of_memory("1."), DenyingOperator::kNever},
      {"memory_begins_with_a_point", of_memory(".5"), DenyingOperator::kNever},
      {"memory_with_an_exponent", of_memory("5e3"), DenyingOperator::kNever},
      {"memory_with_a_sign", of_memory("+5"), DenyingOperator::kNever},
      {"memory_in_exa", of_memory("1E"), DenyingOperator::kNever},
      {"memory_in_thousandths", of_memory("1m"), DenyingOperator::kNever},
      {"memory_of_nothing", of_memory(""), DenyingOperator::kNever},
      // Later operators drop the limit, as the rule's explanation states.
      {"memory_with_a_blank", of_memory("1Gi "), DenyingOperator::kAlways},
      {"memory_in_lower_case", of_memory("1gi"), DenyingOperator::kAlways},
      {"memory_in_gigabytes", of_memory("1GB"), DenyingOperator::kAlways},
      {"gpu_as_a_fraction_that_is_whole", of_gpus("1.0"), DenyingOperator::kNever},
      {"gpu_in_thousandths_that_are_whole", of_gpus("1000m"), DenyingOperator::kNever},
      {"gpu_with_a_zero_in_front", of_gpus("01"), DenyingOperator::kNever},
      {"half_a_gpu", of_gpus("0.5"), DenyingOperator::kAlways},
      {"gpus_of_both_sides_differ", graph({.main = "resources: {limits: {nvidia.com/gpu: '2'}}"}),
       DenyingOperator::kNever},
      {"gpus_of_both_sides_differ_and_are_requested",
       graph(
           {.main = "resources: {limits: {nvidia.com/gpu: '2'}, requests: {nvidia.com/gpu: '2'}}"}),
       DenyingOperator::kByFirst},
  };
}

std::vector<Variation> discoveries() {
  std::vector<Variation> all;
  for (const std::string_view backend :
       {"k8s", "nats", "''", "Kubernetes", "'etcd '", "file", "ETCD"}) {
    const std::string annotation =
        "annotations: {nvidia.com/dynamo-discovery-backend: " + std::string(backend) + "}";
    // With first-generation operators, pods of Dynamo lose the labels by which they are found.
    all.push_back(
        {"a_discovery_of_the_graph", graph({.metadata = annotation}), DenyingOperator::kByFirst});
  }
  return all;
}

std::vector<Variation> probes() {
  std::vector<Variation> all;
  for (const std::string_view probe : {"livenessProbe", "readinessProbe"}) {
    for (const std::string_view handler :
         {"exec: {command: [a]}", "tcpSocket: {port: 9090}", "grpc: {port: 9090}"}) {
      const std::string of_main = std::string(probe) + ": {" + std::string(handler) + "}";
      all.push_back({"another_handler", graph({.main = of_main}), DenyingOperator::kByFirst});
      const std::string of_service = "resources: {limits: {gpu: '1'}}, " + of_main;
      all.push_back(
          {"the_services_own_probe", graph({.extra = of_service}), DenyingOperator::kNever});
    }
    all.push_back({"no_handler", graph({.main = std::string(probe) + ": {periodSeconds: 7}"}),
                   DenyingOperator::kByLater});
    all.push_back(
        {"two_handlers",
         graph({.main = std::string(probe) + ": {httpGet: {port: 1}, tcpSocket: {port: 1}}"}),
         DenyingOperator::kAlways});
  }
  all.push_back({"a_startup_probe_without_a_handler",
                 graph({.main = "startupProbe: {periodSeconds: 7}"}), DenyingOperator::kAlways});
  return all;
}

std::vector<Variation> volumes() {
  return {
      {"shared_memory_of_ones_own", of_shared_memory("shm", "/dev/shm"), DenyingOperator::kByFirst},
      {"shared_memory_of_ones_own_with_a_slash", of_shared_memory("shm", "/dev/shm/"),
       DenyingOperator::kNever},
      {"shared_memory_below", of_shared_memory("shm", "/dev/shm/x"), DenyingOperator::kNever},
      {"shared_memory_where_it_is_disabled",
       of_shared_memory("shm", "/dev/shm", "sharedMemory: {disabled: true}"),
       DenyingOperator::kNever},
      {"the_operators_name_for_it", of_shared_memory("shared-memory", "/x"),
       DenyingOperator::kByFirst},
      {"the_operators_name_where_it_is_disabled",
       of_shared_memory("shared-memory", "/dev/shm", "sharedMemory: {disabled: true}"),
       DenyingOperator::kNever},
      {"podinfo_of_ones_own", graph({.pod = "volumes: [{name: podinfo, emptyDir: {}}]"}),
       DenyingOperator::kNever},
      {"a_claim_also_in_volumes",
       graph({.extra = kMounts,
              .pod = "volumes: [{name: c, persistentVolumeClaim: {claimName: c}}]",
              .top = kClaim}),
       DenyingOperator::kByFirst},
      {"a_claim_that_main_mounts_too",
       graph({.extra = kMounts, .main = "volumeMounts: [{name: c, mountPath: /c}]", .top = kClaim}),
       DenyingOperator::kByFirst},
      {"a_claim_that_main_mounts_alone",
       graph({.main = "volumeMounts: [{name: c, mountPath: /c}]", .top = kClaim}),
       DenyingOperator::kByFirst},
      {"a_claim_that_only_a_sidecar_mounts",
       graph({.pod = "containers: [{name: s, image: 'a/b:1.0.0', volumeMounts: [{name: c, "
                     "mountPath: /c}]}]",
              .top = kClaim}),
       DenyingOperator::kAlways},
      {"a_bad_name_without_users", graph({.top = "pvcs: [{name: Bad_Name, create: false}]"}),
       DenyingOperator::kNever},
  };
}

std::vector<Variation> names() {
  return {
      {"main_with_another_name", graph({.main = "name: engine"}), DenyingOperator::kNever},
      {"main_with_capitals", graph({.main = "name: Engine"}), DenyingOperator::kByFirst},
      {"main_with_a_point", graph({.main = "name: a.b"}), DenyingOperator::kByFirst},
      {"a_sidecar_called_main", graph({.pod = "containers: [{name: main, image: 'a/b:1.0.0'}]"}),
       DenyingOperator::kByFirst},
      {"a_sidecar_with_capitals", graph({.pod = "containers: [{name: Log, image: 'a/b:1.0.0'}]"}),
       DenyingOperator::kAlways},
      {"an_init_container_called_main",
       graph({.pod = "initContainers: [{name: main, image: 'a/b:1.0.0'}]"}),
       DenyingOperator::kAlways},
      {"a_type_of_ones_own", graph({.type = "gateway"}), DenyingOperator::kNever},
      {"the_selector_of_a_service", of_label("service", "nvidia.com/selector: x"),
       DenyingOperator::kNever},
      {"the_selector_of_a_pod", of_label("pod", "nvidia.com/selector: x"),
       DenyingOperator::kByFirst},
      {"the_selector_out_of_form", of_label("pod", "nvidia.com/selector: '-x'"),
       DenyingOperator::kByFirst},
      {"the_component_out_of_form", of_label("pod", "nvidia.com/dynamo-component: '-x'"),
       DenyingOperator::kByFirst},
      {"the_component_of_a_service_out_of_form",
       of_label("service", "nvidia.com/dynamo-component: '-x'"), DenyingOperator::kByFirst},
      {"a_label_of_ones_own_out_of_form", of_label("pod", "app: '-x'"), DenyingOperator::kAlways},
  };
}

std::vector<Variation> other_kinds() {
  std::vector<Variation> all;
  for (const std::size_t length : {53U, 55U, 58U, 63U}) {
    all.push_back({"a_long_name_of_a_checkpoint", of_checkpoint(std::string(length, 'a')),
                   DenyingOperator::kByFirst});
  }
  all.push_back({"a_name_of_52", of_checkpoint(std::string(52, 'a')), DenyingOperator::kNever});
  all.push_back({"an_empty_model", of_checkpoint("c", "", "model: ''"), DenyingOperator::kNever});
  // The Job ends at once, as the explanation states.
  all.push_back({"a_deadline_of_0", of_checkpoint("c", "activeDeadlineSeconds: 0"),
                 DenyingOperator::kAlways});
  all.push_back(
      {"a_deadline_of_1", of_checkpoint("c", "activeDeadlineSeconds: 1"), DenyingOperator::kNever});
  all.push_back({"no_retries", of_checkpoint("c", "backoffLimit: 0"), DenyingOperator::kNever});
  all.push_back({"podinfo_of_a_checkpoint",
                 of_checkpoint("c", "", "model: m", "volumes: [{name: podinfo, emptyDir: {}}]"),
                 DenyingOperator::kNever});
  for (const std::string_view section : {"planner: text", "planner: []", "sla: true", "sweep: ''",
                                         "hardware: [1]", "modelCache: text"}) {
    all.push_back({"a_section_that_is_no_map", of_request(section), DenyingOperator::kNever});
  }
  for (const std::string_view section :
       {"engine: text", "engine: []", "deployment: ''", "deployment: true"}) {
    all.push_back(
        {"a_section_that_first_operators_read", of_request(section), DenyingOperator::kByFirst});
  }
  return all;
}

std::vector<Variation> variations() {
  std::vector<Variation> all;
  for (const auto& group :
       {quantities(), discoveries(), probes(), volumes(), names(), other_kinds()}) {
    all.insert(all.end(), group.begin(), group.end());
  }
  return all;
}

class VariationTest : public testing::TestWithParam<Variation> {
 protected:
  static std::vector<test::Finding> denials(OperatorGeneration generation, Fact grove, Fact lws) {
    const api::ClusterFacts facts{.inference_pool_served = Fact::kYes,
                                  .grove_served = grove,
                                  .leader_worker_set_served = lws,
                                  .kubernetes_discovery = Fact::kYes,
                                  .operator_generation = generation,
                                  .kubernetes_minor = 35};
    const api::Settings settings{
        .operator_version = "1.2.3", .operator_service_account = {}, .restricted_namespace = ""};
    const test::FakeNamespaceLeases leases;
    const EvaluationInputs inputs{settings, facts, leases,
                                  std::chrono::system_clock::from_time_t(1'770'091'506)};
    const json::Document object = test::from_yaml(GetParam().object);
    DryRun dry_run;
    return test::errors_of(
        dry_run
            .run({.resource = *schema::find_resource(object.root()["kind"].string_or_empty()),
                  .object = object.root(),
                  .old_object = {},
                  .strict = false},
                 inputs)
            .findings);
  }

  // On the pathway with the most denials.
  static std::vector<test::Finding> denied_by(OperatorGeneration generation) {
    std::vector<test::Finding> all;
    for (const auto& [grove, lws] :
         {std::pair(Fact::kNo, Fact::kNo), std::pair(Fact::kYes, Fact::kYes),
          std::pair(Fact::kNo, Fact::kYes)}) {
      for (const test::Finding& finding : denials(generation, grove, lws)) all.push_back(finding);
    }
    return all;
  }
};

TEST_P(VariationTest, DenialMatchesBreakingOperators) {
  const DenyingOperator denied = GetParam().denied;
  const bool first = denied == DenyingOperator::kByFirst || denied == DenyingOperator::kAlways;
  const bool later = denied == DenyingOperator::kByLater || denied == DenyingOperator::kAlways;
  const auto of_first = denied_by(OperatorGeneration::kFirst);
  const auto of_later = denied_by(OperatorGeneration::kLater);
  const auto of_unknown = denied_by(OperatorGeneration::kUnknown);
  EXPECT_EQ(!of_first.empty(), first) << testing::PrintToString(of_first) << GetParam().object;
  EXPECT_EQ(!of_later.empty(), later) << testing::PrintToString(of_later) << GetParam().object;
  EXPECT_EQ(!of_unknown.empty(), first && later)
      << testing::PrintToString(of_unknown) << GetParam().object;
}

INSTANTIATE_TEST_SUITE_P(Every, VariationTest, testing::ValuesIn(variations()));

}  // namespace
}  // namespace dynamo::admission
