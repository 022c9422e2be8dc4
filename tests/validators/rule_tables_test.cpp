// Runs the tables, and checks that none is missing.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <ostream>

#include "tests/support/objects.hpp"
#include "tests/validators/rule_table.hpp"
#include "validators/catalog.hpp"
#include "validators/rule_groups.hpp"

namespace dynamo::test {
namespace {

// The visible list: a file of tables that is not in it does not run.
constexpr std::array kTableFiles{
    &type_tables,
    &graph_tables,
    &graph_update_tables,
    &service_tables,
    &endpoint_picker_tables,
    &scaling_tables,
    &component_tables,
    &model_tables,
    &request_tables,
    &checkpoint_tables,
    &scaling_adapter_tables,
    &pod_command_tables,
    &pod_container_tables,
    &pod_probe_tables,
    &pod_size_tables,
    &pod_template_tables,
    &pod_scheduling_tables,
    &pod_words_tables,
    &naming_tables,
    &topology_tables,
    &storage_tables,
    &resources_tables,
    &multinode_tables,
    &network_tables,
    &scale_tables,
    &policy_tables,
    &preflight_model_tables,
    &preflight_request_tables,
    &preflight_checkpoint_tables,
    &lookup_tables,
    &advice_tables,
};

const std::vector<RuleTable>& all_tables() {
  static const std::vector<RuleTable> tables = [] {
    std::vector<RuleTable> all;
    for (const auto file : kTableFiles) std::ranges::move(file(), std::back_inserter(all));
    return all;
  }();
  return tables;
}

struct Case {
  const RuleTable* table;
  const Row* row;
};

void PrintTo(const Case& shown, std::ostream* out) {
  *out << shown.table->rule << ": " << shown.row->name;
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const RuleTable& table : all_tables()) {
    for (const Row& row : table.rows) cases.push_back({&table, &row});
  }
  return cases;
}

std::string identifier(std::string_view text) {
  std::string name(text);
  std::ranges::replace_if(
      name, [](char c) { return c == '.' || c == '-'; }, '_');
  return name;
}

std::vector<Finding> expected_errors(const Case& judged) {
  std::vector<Finding> errors = judged.row->errors;
  for (Finding& error : errors) {
    if (error.rule.empty()) error.rule = judged.table->rule;
  }
  return errors;
}

std::vector<Place> expected_warnings(const Case& judged) {
  std::vector<Place> warnings = judged.row->warnings;
  for (Place& warning : warnings) {
    if (warning.rule.empty()) warning.rule = judged.table->rule;
  }
  return warnings;
}

bool says_something(const Case& judged) {
  const auto by_rule = [&](const auto& said) { return said.rule == judged.table->rule; };
  return std::ranges::any_of(expected_errors(judged), by_rule) ||
         std::ranges::any_of(expected_warnings(judged), by_rule);
}

bool is_operator_rule(std::string_view id) {
  return std::ranges::find(validators::operator_rules(), id, &validators::Rule::id) !=
         validators::operator_rules().end();
}

// Of what was said, that of the operator's own rules and of the rule of the table.
template <typename Said>
std::vector<Said> counted(std::vector<Said> all, std::string_view rule) {
  std::erase_if(
      all, [&](const Said& said) { return said.rule != rule && !is_operator_rule(said.rule); });
  return all;
}

class RuleTableTest : public testing::TestWithParam<Case> {};

TEST_P(RuleTableTest, Judges) {
  const Row& row = *GetParam().row;
  const api::Kind kind = row.kind.value_or(GetParam().table->kind);
  const auto whole = [&](std::string_view object, std::string_view spec) {
    return object.empty() ? from_yaml(object_text(kind, spec)) : from_yaml(object);
  };
  const json::Document object = whole(row.object, row.spec);
  json::Document old;
  if (row.old_spec || !row.old_object.empty())
    old = whole(row.old_object, row.old_spec.value_or(""));
  api::ClusterFacts facts = row.facts;
  facts.inference_pool_served = row.inference_pool_served;
  const KnownObjects known{row.known};
  const std::string_view rule = GetParam().table->rule;
  const Judging judging{.kind = kind,
                        .user = row.user,
                        .settings = row.settings,
                        .facts = facts,
                        .parameters = row.parameters,
                        .switched_on = rule,
                        .objects = row.known.empty() ? nullptr : &known};

  const api::ErrorList found = judge(judging, object.root(), old.root());

  EXPECT_EQ(counted(errors_of(found), rule), expected_errors(GetParam()));
  EXPECT_EQ(counted(warnings_of(found), rule), expected_warnings(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Rule, RuleTableTest, testing::ValuesIn(all_cases()), [](const auto& test) {
  return identifier(test.param.table->rule) + "__" + std::string(test.param.row->name);
});

TEST(RuleTables, EveryRuleHasExactlyOneTable) {
  for (const validators::Rule& rule : validators::catalog()) {
    EXPECT_EQ(std::ranges::count(all_tables(), rule.id, &RuleTable::rule), 1) << rule.id;
  }
  EXPECT_EQ(all_tables().size(), validators::catalog().size());
}

TEST(RuleTables, EveryRuleHasACaseThatBreaksItAndOneThatDoesNot) {
  for (const RuleTable& table : all_tables()) {
    const auto breaks = [&](const Row& row) { return says_something({&table, &row}); };
    EXPECT_TRUE(std::ranges::any_of(table.rows, breaks)) << table.rule << " has no failing row";
    EXPECT_FALSE(std::ranges::all_of(table.rows, breaks)) << table.rule << " has no passing row";
  }
}

TEST(RuleTables, EveryRatchetedRuleHasUpdatesThatItRefusesAndThatItAllows) {
  for (const RuleTable& table : all_tables()) {
    const validators::Rule* const rule = validators::find_rule(table.rule);
    ASSERT_NE(rule, nullptr) << table.rule;
    if (rule->ratchet == validators::Ratchet::kNo) continue;
    const auto is_update = [](const Row& row) {
      return row.old_spec.has_value() || !row.old_object.empty();
    };
    EXPECT_TRUE(std::ranges::any_of(table.rows, [&](const Row& row) {
      return is_update(row) && says_something({&table, &row});
    })) << table.rule;
    EXPECT_TRUE(std::ranges::any_of(table.rows, [&](const Row& row) {
      return is_update(row) && !says_something({&table, &row});
    })) << table.rule;
  }
}

}  // namespace
}  // namespace dynamo::test
