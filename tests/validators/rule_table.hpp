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

// An object and the expected findings of its table's rule and of the operator's own rules; for a
// rule of later operators, of all their rules. Findings
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

// Cases with lists that are too long for the texts; text_cases.hpp has all others.
std::vector<RuleTable> limit_tables();

}  // namespace dynamo::test
