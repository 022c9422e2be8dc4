#include "tests/validators/pod_rows.hpp"

namespace dynamo::test {

// One row per line if it fits.
// clang-format off

using enum api::ErrorType;
using enum api::Kind;

namespace {

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

}  // namespace

std::vector<RuleTable> pod_size_tables() {
  static const Specs specs;
  return {with_updates({"pod.too-much", kGraphDeployment, {
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
      {.name = "as_many_as_may_be_in_all_pods_together", .spec = specs.most_together},
      {.name = "too_many_in_all_pods_together", .spec = specs.together, .errors = {{kTooMany, "spec.services"}}},
      {.name = "longest_name", .object = specs.longest_name},
      {.name = "name_too_long", .errors = {{kTooMany, "metadata.name"}}, .object = specs.name},
      {.name = "in_the_job_of_a_checkpoint", .spec = specs.job_containers, .errors = {{kTooMany, in_job("containers")}}, .kind = kCheckpoint},
      {.name = "volumes_of_the_job", .spec = specs.job_volumes, .errors = {{kTooMany, in_job("volumes")}}, .kind = kCheckpoint},
      {.name = "resources_of_the_profiling_job", .spec = specs.profiling,
       .errors = {{kTooMany, "spec.profilingConfig.resources.limits"}}, .kind = kGraphDeploymentRequest},
      {.name = "of_what_was_too_much_more", .spec = specs.containers, .old_spec = specs.init_containers, .errors = {{kTooMany, in_pod("containers")}}},
  }}, specs.containers, specs.most_containers, {{kTooMany, in_pod("containers")}})};
}

}  // namespace dynamo::test
