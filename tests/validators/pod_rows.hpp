// Shared parts of the tables about pods: objects around a few fields, and rows for updates.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/validators/rule_table.hpp"

// Specs in flow YAML with one service "W", a worker.
#define SERVICE(fields) "{services: {W: {componentType: worker, " fields "}}}"
#define POD(fields) SERVICE("extraPodSpec: {" fields "}")
#define MAIN(fields) POD("mainContainer: {" fields "}")
// The job of a checkpoint.
#define JOB(fields)                                       \
  "{identity: {model: m, backendFramework: vllm}, job: {" \
  "podTemplateSpec: {spec: {" fields "}}}}"

namespace dynamo::test {

inline std::string in_service(std::string_view field) {
  return "spec.services[W]." + std::string(field);
}
inline std::string in_pod(std::string_view field) {
  return "spec.services[W].extraPodSpec." + std::string(field);
}
inline std::string in_main(std::string_view field) {
  return "spec.services[W].extraPodSpec.mainContainer." + std::string(field);
}
inline std::string in_job(std::string_view field) {
  return "spec.job.podTemplateSpec.spec." + std::string(field);
}

// Adds two updates: one that keeps a mistake, and one that introduces it.
inline RuleTable with_updates(RuleTable table, std::string_view bad, std::string_view good,
                              std::vector<Finding> errors, std::vector<Place> warnings = {},
                              const api::ClusterFacts& facts = {}) {
  table.rows.push_back(
      {.name = "an_old_fault_stays", .spec = bad, .old_spec = bad, .facts = facts});
  table.rows.push_back({.name = "a_new_fault",
                        .spec = bad,
                        .old_spec = good,
                        .errors = std::move(errors),
                        .warnings = std::move(warnings),
                        .facts = facts});
  return table;
}

}  // namespace dynamo::test
