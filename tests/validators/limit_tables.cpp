// Cases with lists at their limits, which are too long for the texts.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/validators/rule_table.hpp"

namespace dynamo::test {

// One row per line if it fits.
// clang-format off

using enum api::ErrorType;
using enum api::Kind;

namespace {

std::string in_service(std::string_view field) {
  return "spec.services[W]." + std::string(field);
}
std::string in_pod(std::string_view field) {
  return "spec.services[W].extraPodSpec." + std::string(field);
}
std::string in_main(std::string_view field) {
  return "spec.services[W].extraPodSpec.mainContainer." + std::string(field);
}
std::string in_job(std::string_view field) {
  return "spec.job.podTemplateSpec.spec." + std::string(field);
}

// Adds two updates: one that keeps a mistake, and one that introduces it.
RuleTable with_updates(RuleTable table, std::string_view bad, std::string_view good,
                       std::vector<Finding> errors) {
  table.rows.push_back({.name = "an_old_fault_stays", .spec = bad, .old_spec = bad});
  table.rows.push_back(
      {.name = "a_new_fault", .spec = bad, .old_spec = good, .errors = std::move(errors)});
  return table;
}

// "[ITEM, ITEM]" in flow YAML.
std::string list(std::size_t count, std::string_view item) {
  std::string text = "[";
  for (std::size_t i = 0; i < count; ++i) text.append(i > 0 ? ", " : "").append(item);
  return text + "]";
}

// "{k0: 1, k1: 1}"
std::string map(std::size_t count) {
  std::string text = "{";
  for (std::size_t i = 0; i < count; ++i) text.append(i > 0 ? ", k" : "k").append(std::to_string(i)).append(": 1");
  return text + "}";
}

std::string service(const std::string& fields) {
  return "{services: {W: {componentType: worker, " + fields + "}}}";
}
std::string pod(const std::string& fields) { return service("extraPodSpec: {" + fields + "}"); }
std::string job(const std::string& fields) {
  return "{identity: {model: m, backendFramework: vllm}, job: {podTemplateSpec: {spec: {" + fields + "}}}}";
}

// `services` services, and the graph's variables for all of them.
std::string graph(std::size_t services, std::size_t envs) {
  std::string text = "{envs: " + list(envs, "{name: A}") + ", services: {";
  for (std::size_t i = 0; i < services; ++i) text += "S" + std::to_string(i) + ": {componentType: worker}, ";
  return text + "}}";
}

constexpr std::size_t kContainers = 128;
constexpr std::size_t kEntries = 1024;
constexpr std::size_t kOthers = 256;
constexpr std::size_t kName = 1024;

// The rows hold views of these.
struct Specs {
  std::string most_containers = pod("containers: " + list(kContainers, "{name: a}") + ", initContainers: " + list(kContainers, "{name: b}"));
  std::string containers = pod("containers: " + list(kContainers + 1, "{name: a}"));
  std::string init_containers = pod("initContainers: " + list(kContainers + 1, "{name: a}"));
  std::string most_entries = service("envs: " + list(kEntries, "{name: A}") + ", extraPodSpec: {volumes: " + list(kOthers, "{name: v}") + ", mainContainer: {args: " + list(kEntries, "a") + "}}");
  std::string variables = service("envs: " + list(kEntries + 1, "{name: A}"));
  std::string mounts = pod("mainContainer: {volumeMounts: " + list(kOthers + 1, "{}") + "}");
  std::string of_sidecar = pod("containers: [{name: a}, {name: b, env: " + list(kEntries + 1, "{name: A}") + "}]");
  std::string volumes = pod("volumes: " + list(kOthers + 1, "{name: v}"));
  std::string arguments = pod("mainContainer: {args: " + list(kEntries + 1, "a") + "}");
  std::string resources = pod("mainContainer: {resources: {limits: " + map(kOthers + 1) + "}}");
  std::string longest_name = "{metadata: {name: " + std::string(kName, 'n') + "}, spec: " + service("replicas: 1") + "}";
  std::string name = "{metadata: {name: " + std::string(kName + 1, 'n') + "}, spec: " + service("replicas: 1") + "}";
  std::string graph_variables = graph(1, kEntries + 1);
  std::string most_together = graph(7, kEntries);
  std::string together = graph(9, kEntries);
  std::string job_containers = job("containers: " + list(kContainers + 1, "{name: a}"));
  std::string job_volumes = job("containers: [{name: a}], volumes: " + list(kOthers + 1, "{name: v}"));
  std::string profiling = "{model: m, backend: vllm, profilingConfig: {profilerImage: i, config: {a: b}, resources: {limits: " + map(kOthers + 1) + "}}, deploymentOverrides: {workersImage: i}}";
};

// `count` services; `last` contains the fields of the last one.
std::string services(int count, std::string_view last = "") {
  std::string text = "services: {";
  for (int i = 1; i < count; ++i) text += "S" + std::to_string(1000 + i) + ": {}, ";
  return text + "Z: {" + std::string(last) + "}}";
}

std::string graph_of(std::string_view annotations, int count) {
  return "{metadata: {name: a, annotations: {" + std::string(annotations) + "}}, spec: {" +
         services(count) + "}}";
}

RuleTable services_limit() {
  // The rows hold views of these texts.
  static const std::string most = "{" + services(64) + "}";
  static const std::string more = "{" + services(65) + "}";
  static const std::string many = "{" + services(90) + "}";
  static const std::string fewer = "{" + services(80) + "}";
  static const std::string reordered = "{pvcs: [], " + services(90) + ", envs: []}";
  static const std::string again = "{envs: [], " + services(90) + ", pvcs: []}";
  static const std::string changed = "{" + services(90, "replicas: 2") + "}";
  static const std::string removed_and_changed = "{" + services(80, "replicas: 2") + "}";
  static const std::string more_spec = "{" + services(90) + ", envs: [{name: A, value: b}]}";
  static const std::string less_spec = "{" + services(80) + "}";
  static const std::string plain = graph_of("", 90);
  static const std::string labelled = graph_of("example.com/a: b", 90);
  static const std::string versioned =
      graph_of("nvidia.com/dynamo-operator-origin-version: 1.2.3", 90);
  static const std::string without_grove = graph_of("nvidia.com/enable-grove: 'false'", 90);
  const Finding too_many{kTooMany, "spec.services"};
  const Finding fixed{kForbidden, "spec.services", "dgd.topology.services"};
  return {"dgd.services.limit", kGraphDeployment, {
      {.name = "as_many_as_are_validated", .spec = most},
      {.name = "one_more", .spec = more, .errors = {too_many}},
      {.name = "many", .spec = many, .errors = {too_many}},
      {.name = "more_than_before", .spec = more, .old_spec = most, .errors = {too_many, fixed}},
      {.name = "as_many_as_are_validated_of_more", .spec = most, .old_spec = many,
       .errors = {fixed}},
      {.name = "unchanged", .spec = many, .old_spec = many},
      {.name = "unchanged_in_another_order", .spec = again, .old_spec = reordered},
      {.name = "fewer_are_forgiven_here", .spec = fewer, .old_spec = many, .errors = {fixed}},
      {.name = "yet_more", .spec = many, .old_spec = fewer, .errors = {too_many, fixed}},
      {.name = "one_changed", .spec = changed, .old_spec = many, .errors = {too_many}},
      {.name = "fewer_and_one_changed", .spec = removed_and_changed, .old_spec = many,
       .errors = {too_many, fixed}},
      {.name = "the_rest_of_the_spec_changed", .spec = more_spec, .old_spec = many,
       .errors = {too_many}},
      {.name = "a_part_of_the_spec_removed", .spec = less_spec, .old_spec = more_spec,
       .errors = {too_many, fixed}},
      {.name = "an_annotation_of_somebody_else", .object = labelled, .old_object = plain},
      {.name = "the_annotation_that_defaulting_sets", .object = versioned, .old_object = plain},
      {.name = "an_annotation_of_the_operator", .errors = {too_many}, .object = without_grove,
       .old_object = plain},
      {.name = "an_annotation_of_the_operator_removed", .errors = {too_many}, .object = plain,
       .old_object = without_grove},
  }};
}

RuleTable too_much() {
  static const Specs specs;
  return with_updates({"pod.too-much", kGraphDeployment, {
      {.name = "most_containers", .spec = specs.most_containers},
      {.name = "too_many_containers", .spec = specs.containers, .errors = {{kTooMany, in_pod("containers")}}},
      {.name = "too_many_init_containers", .spec = specs.init_containers, .errors = {{kTooMany, in_pod("initContainers")}}},
      {.name = "most_entries", .spec = specs.most_entries},
      {.name = "too_many_variables", .spec = specs.variables, .errors = {{kTooMany, in_service("envs")}}},
      {.name = "too_many_mounts", .spec = specs.mounts, .errors = {{kTooMany, in_main("volumeMounts")}}},
      {.name = "too_many_variables_of_a_sidecar", .spec = specs.of_sidecar, .errors = {{kTooMany, in_pod("containers[1].env")}}},
      {.name = "too_many_volumes", .spec = specs.volumes, .errors = {{kTooMany, in_pod("volumes")}}},
      {.name = "too_many_arguments", .spec = specs.arguments, .errors = {{kTooMany, in_main("args")}}},
      {.name = "too_many_resources", .spec = specs.resources, .errors = {{kTooMany, in_main("resources.limits")}}},
      {.name = "too_many_variables_of_the_graph", .spec = specs.graph_variables, .errors = {{kTooMany, "spec.envs"}}},
      {.name = "most_in_all_pods_together", .spec = specs.most_together},
      {.name = "too_many_in_all_pods_together", .spec = specs.together, .errors = {{kTooMany, "spec.services"}}},
      {.name = "longest_name", .object = specs.longest_name},
      {.name = "name_too_long", .errors = {{kTooMany, "metadata.name"}}, .object = specs.name},
      {.name = "in_the_job_of_a_checkpoint", .spec = specs.job_containers, .errors = {{kTooMany, in_job("containers")}}, .kind = kCheckpoint},
      {.name = "volumes_of_the_job", .spec = specs.job_volumes, .errors = {{kTooMany, in_job("volumes")}}, .kind = kCheckpoint},
      {.name = "resources_of_the_profiling_job", .spec = specs.profiling,
       .errors = {{kTooMany, "spec.profilingConfig.resources.limits"}}, .kind = kGraphDeploymentRequest},
      {.name = "of_what_was_too_much_more", .spec = specs.containers, .old_spec = specs.init_containers, .errors = {{kTooMany, in_pod("containers")}}},
  }}, specs.containers, specs.most_containers, {{kTooMany, in_pod("containers")}});
}

}  // namespace

std::vector<RuleTable> limit_tables() {
  return {services_limit(), too_much()};
}

}  // namespace dynamo::test
