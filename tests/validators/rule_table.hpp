// One table of cases per rule: cases that break it, cases that do not, and the boundary between
// them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/findings.hpp"
#include "tests/support/known_objects.hpp"

namespace dynamo::test {

// An object and the expected findings of its table's rule and of the operator's own rules. Findings
// of other rules on rendered objects are ignored, so that a row shows only its subject. The kind is
// the table's; with an old spec it is an update. In expectations an empty rule id means the rule of
// the table. A rule that is off is enabled as a warning.
struct Row {
  std::string_view name;
  std::string_view spec = {};  // flow YAML
  std::optional<std::string_view> old_spec = std::nullopt;
  std::vector<Finding> errors = {};
  std::vector<Place> warnings = {};
  std::optional<std::string_view> user = "jane@example.com";
  api::Settings settings = {};
  api::Fact inference_pool_served = api::Fact::kYes;
  // Whole objects (YAML) instead of the specs, if metadata or status matter.
  std::string_view object = {};
  std::string_view old_object = {};
  std::optional<api::Kind> kind = std::nullopt;
  api::ClusterFacts facts = {};         // inference_pool_served is taken from above
  api::Parameters parameters = {};      // of a policy
  std::vector<KnownObject> known = {};  // of the cluster; empty: no look-ups
};

struct RuleTable {
  std::string_view rule;
  api::Kind kind;
  std::vector<Row> rows;
};

// The tables of one file.
std::vector<RuleTable> graph_tables();
std::vector<RuleTable> graph_update_tables();
std::vector<RuleTable> service_tables();
std::vector<RuleTable> endpoint_picker_tables();
std::vector<RuleTable> scaling_tables();
std::vector<RuleTable> component_tables();
std::vector<RuleTable> model_tables();
std::vector<RuleTable> request_tables();
std::vector<RuleTable> checkpoint_tables();
std::vector<RuleTable> scaling_adapter_tables();
std::vector<RuleTable> type_tables();
std::vector<RuleTable> character_tables();
std::vector<RuleTable> naming_tables();
std::vector<RuleTable> topology_tables();
std::vector<RuleTable> storage_tables();
std::vector<RuleTable> resources_tables();
std::vector<RuleTable> multinode_tables();
std::vector<RuleTable> network_tables();
std::vector<RuleTable> scale_tables();
std::vector<RuleTable> pod_command_tables();
std::vector<RuleTable> pod_container_tables();
std::vector<RuleTable> pod_probe_tables();
std::vector<RuleTable> pod_size_tables();
std::vector<RuleTable> pod_template_tables();
std::vector<RuleTable> pod_scheduling_tables();
std::vector<RuleTable> pod_words_tables();
std::vector<RuleTable> rendered_model_tables();
std::vector<RuleTable> rendered_request_tables();
std::vector<RuleTable> rendered_checkpoint_tables();
std::vector<RuleTable> lookup_tables();
std::vector<RuleTable> advice_tables();
std::vector<RuleTable> policy_tables();
std::vector<RuleTable> ignore_tables();

}  // namespace dynamo::test
