// Runs the tables, and checks that none is missing.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "render/document/arena.hpp"
#include "render/object/object_renderer.hpp"
#include "tests/support/golden.hpp"
#include "tests/support/objects.hpp"
#include "tests/validators/rule_table.hpp"
#include "tests/validators/text_cases.hpp"
#include "validators/catalog.hpp"
#include "validators/ratchet.hpp"
#include "validators/report.hpp"
#include "validators/rule_groups.hpp"

namespace dynamo::test {
namespace {

const std::vector<RuleTable>& all_tables() {
  static const std::vector<RuleTable> tables = [] {
    std::vector<RuleTable> all = text_tables();
    std::ranges::move(limit_tables(), std::back_inserter(all));
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

std::vector<Finding> expected_errors(const Case& tested) {
  std::vector<Finding> errors = tested.row->errors;
  for (Finding& error : errors) {
    if (error.rule.empty()) error.rule = tested.table->rule;
  }
  return errors;
}

std::vector<Place> expected_warnings(const Case& tested) {
  std::vector<Place> warnings = tested.row->warnings;
  for (Place& warning : warnings) {
    if (warning.rule.empty()) warning.rule = tested.table->rule;
  }
  return warnings;
}

bool says_something(const Case& tested) {
  const auto by_rule = [&](const auto& finding) { return finding.rule == tested.table->rule; };
  return std::ranges::any_of(expected_errors(tested), by_rule) ||
         std::ranges::any_of(expected_warnings(tested), by_rule);
}

bool is_operator_rule(std::string_view id) {
  return std::ranges::find(validators::rule_group("operator"), id, &validators::Rule::id) !=
         validators::rule_group("operator").end();
}

bool is_hub_rule(std::string_view id) {
  const validators::Rule* const rule = validators::find_rule(id);
  return rule != nullptr && validators::phase_of(rule->function) == validators::Phase::kHub;
}

// The findings of the operator's own rules and of the table's rule.
template <typename Finding>
std::vector<Finding> counted(std::vector<Finding> all, std::string_view rule) {
  std::erase_if(all, [&](const Finding& finding) {
    return finding.rule != rule && !is_operator_rule(finding.rule) && !is_hub_rule(finding.rule);
  });
  return all;
}

// All findings on the object, or on the update, of a case.
api::ErrorList evaluate(const Case& tested) {
  const Row& row = *tested.row;
  const api::Kind kind = row.kind.value_or(tested.table->kind);
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
  const std::string_view rule = tested.table->rule;
  const EvaluationInputs inputs{.kind = kind,
                                .user = row.user,
                                .settings = row.settings,
                                .facts = facts,
                                .parameters = row.parameters,
                                .switched_on = rule,
                                .objects = row.known.empty() ? nullptr : &known};
  return (is_hub_rule(rule) ? evaluate_hub_rules : evaluate_rules)(inputs, object.root(),
                                                                   old.root());
}

class RuleTableTest : public testing::TestWithParam<Case> {};

TEST_P(RuleTableTest, RowsMatch) {
  const api::ErrorList found = evaluate(GetParam());
  const std::string_view rule = GetParam().table->rule;
  EXPECT_EQ(counted(errors_of(found), rule), expected_errors(GetParam()));
  EXPECT_EQ(counted(warnings_of(found), rule), expected_warnings(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Rule, RuleTableTest, testing::ValuesIn(all_cases()), [](const auto& test) {
  return identifier(test.param.table->rule) + "__" + std::string(test.param.row->name);
});

TEST(RuleTables, EachRuleHasOneTable) {
  for (const validators::Rule& rule : validators::catalog()) {
    EXPECT_EQ(std::ranges::count(all_tables(), rule.id, &RuleTable::rule), 1) << rule.id;
  }
  EXPECT_EQ(all_tables().size(), validators::catalog().size());
}

TEST(RuleTables, EachRuleHasBreakingAndPassingCases) {
  for (const RuleTable& table : all_tables()) {
    const auto breaks = [&](const Row& row) { return says_something({&table, &row}); };
    EXPECT_TRUE(std::ranges::any_of(table.rows, breaks)) << table.rule << " has no failing row";
    EXPECT_FALSE(std::ranges::all_of(table.rows, breaks)) << table.rule << " has no passing row";
  }
}

TEST(RuleTables, EachRatchetedRuleHasRefusedAndAllowedUpdates) {
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

// A finding of a rule, and its identity for the ratchet.
struct ReportedFinding {
  std::optional<api::ErrorType> type;
  std::string field;
  std::string detail;
  validators::FindingOrigin origin;
};

class FindingRecorder final : public validators::ReportFilter {
 public:
  bool passes(std::optional<api::ErrorType> type, const api::FieldPath& path,
              std::string_view detail, const validators::FindingOrigin& origin) override {
    ReportedFinding finding{
        .type = type, .field = {}, .detail = std::string(detail), .origin = origin};
    path.append_to(finding.field);
    findings.push_back(std::move(finding));
    return false;
  }

  std::vector<ReportedFinding> findings;
};

// Runs one rule on one state of an object, like the ratchet.
class RuleRun {
 public:
  RuleRun(const validators::Rule& rule, const api::Context& context, json::Value object)
      : rule_(rule), context_(context), object_(object), renderer_(context, object, arena_) {}

  std::vector<ReportedFinding> findings() {
    std::visit([this](const auto& function) { run(function); }, rule_.function);
    return std::move(recorder_.findings);
  }

 private:
  template <typename View>
  void run(validators::RuleOn<View> function) {
    const View now{object_};
    function(context_, now, nullptr, report_);
  }
  void run(validators::RuleOn<validators::ServiceView> function) {
    const api::Object holder{object_};
    const api::FieldPath spec{"spec"};
    const auto run_on_service = [&](json::Value service, const api::FieldPath& path) {
      if (!service.is_object()) return;
      const validators::ServiceView now{service, path, holder};
      function(context_, now, nullptr, report_);
    };
    if (context_.kind == api::Kind::kComponentDeployment)
      return run_on_service(holder.spec(), spec);
    const api::FieldPath services = spec.child("services");
    for (const json::Member service : holder.spec()["services"].members()) {
      run_on_service(service.value, services.key(service.name));
    }
  }
  template <typename View>
  void run(validators::HubRule<View>) {}  // not ratcheted
  void run(validators::PodRule function) {
    for (const render::RenderedPod& pod : renderer_.object().pods) {
      function(context_, pod, report_);
    }
  }
  void run(validators::RenderedRule function) {
    if (renderer_.object().limit_violations.empty())
      function(context_, renderer_.object(), report_);
  }

  const validators::Rule& rule_;
  const api::Context& context_;
  json::Value object_;
  render::Arena arena_;
  render::ObjectRenderer renderer_;
  FindingRecorder recorder_;
  api::ErrorList nothing_;
  validators::Report report_{rule_.id, validators::Severity::kDeny, nothing_, &recorder_};
};

// The new object of a case, and the context in which its rule runs.
class CaseInput {
 public:
  CaseInput(const Case& tested, api::Kind kind, api::Operation operation)
      : row_(*tested.row),
        document_(from_yaml(row_.object.empty() ? object_text(kind, row_.spec)
                                                : std::string(row_.object))),
        known_{row_.known},
        facts_(row_.facts) {
    facts_.inference_pool_served = row_.inference_pool_served;
    const api::ObjectMeta metadata = api::Object{object()}.metadata();
    context_.emplace(api::Context{.kind = kind,
                                  .operation = operation,
                                  .namespace_name = metadata.namespace_name(),
                                  .object_name = metadata.name(),
                                  .user = row_.user,
                                  .sub_resource = {},
                                  .settings = row_.settings,
                                  .facts = facts_,
                                  .parameters = &row_.parameters,
                                  .objects = row_.known.empty() ? nullptr : &known_});
  }
  CaseInput(const CaseInput&) = delete;
  CaseInput& operator=(const CaseInput&) = delete;

  json::Value object() const { return document_.root(); }
  const api::Context& context() const { return *context_; }

 private:
  const Row& row_;
  const json::Document document_;
  const KnownObjects known_;
  api::ClusterFacts facts_;
  std::optional<api::Context> context_;
};

// A line per finding of each case's rule on the new object: the cause if the rule denies, the field
// and the detail. The tables have no details, and no causes of warnings.
TEST(RuleTables, FindingsMatchGoldenFile) {
  std::string text;
  for (const Case& tested : all_cases()) {
    const validators::Rule& rule = *validators::find_rule(tested.table->rule);
    const api::Kind kind = tested.row->kind.value_or(tested.table->kind);
    if (!rule.operations.has(api::Operation::kCreate) || !rule.kinds.has(kind)) continue;
    const CaseInput input{tested, kind, api::Operation::kCreate};
    std::string_view before;
    for (const ReportedFinding& finding :
         RuleRun(rule, input.context(), input.object()).findings()) {
      if (before != tested.row->name)
        text.append(rule.id).append(": ").append(before = tested.row->name) += '\n';
      text.append("  ").append(finding.type ? api::cause_reason(*finding.type) : "warning");
      text.append(" ").append(finding.field).append(": ").append(finding.detail) += '\n';
    }
  }
  EXPECT_EQ(differs_from_golden("rule_findings.lines", text), "");
}

// The same for each update, and for the rules of later operators, which the test above does not
// run.
TEST(RuleTables, FindingsOnUpdatesMatchGoldenFile) {
  std::string text;
  for (const Case& tested : all_cases()) {
    const Row& row = *tested.row;
    const std::string_view rule = tested.table->rule;
    if (!is_hub_rule(rule) && !row.old_spec && row.old_object.empty()) continue;
    const api::ErrorList found = evaluate(tested);
    std::string lines;
    for (const api::Error& error : found.errors()) {
      if (error.rule != rule) continue;
      lines.append("  ").append(api::cause_reason(error.type)).append(" ");
      lines.append(error.field).append(": ").append(error.detail) += '\n';
    }
    for (const api::Warning& warning : found.warnings()) {
      if (warning.rule != rule) continue;
      lines.append("  warning ").append(warning.field).append(": ").append(warning.detail) += '\n';
    }
    if (!lines.empty()) text.append(rule).append(": ").append(row.name).append("\n").append(lines);
  }
  EXPECT_EQ(differs_from_golden("update_findings.lines", text), "");
}

// If several parts at one field are wrong, each is a separate finding: an old mistake in one part
// excuses none in another. If the value at the field does not distinguish them, the rule must.
TEST(RuleTables, FindingsOnSeveralPartsAreDistinct) {
  int pairs = 0;
  for (const Case& tested : all_cases()) {
    const validators::Rule& rule = *validators::find_rule(tested.table->rule);
    const Row& row = *tested.row;
    if (rule.ratchet == validators::Ratchet::kNo) continue;
    if (!rule.operations.has(api::Operation::kUpdate)) continue;
    const api::Kind kind = row.kind.value_or(tested.table->kind);
    if (!rule.kinds.has(kind)) continue;
    const CaseInput input{tested, kind, api::Operation::kUpdate};
    const json::Value object = input.object();
    const std::vector<ReportedFinding> all = RuleRun(rule, input.context(), object).findings();
    for (auto one = all.begin(); one != all.end(); ++one) {
      for (auto other = all.begin(); other != one; ++other) {
        if (one->type != other->type || one->field != other->field) continue;
        if (one->detail == other->detail) continue;
        ++pairs;
        validators::ObjectUpdate update(object, object);
        validators::RatchetComparison comparison(update);
        comparison.add_new(one->type, one->field, one->detail, one->origin);
        comparison.add_old(other->type, other->field, other->detail, other->origin);
        EXPECT_EQ(comparison.excused(), std::vector<bool>{false})
            << rule.id << ", " << row.name << ": at " << one->field << " both \"" << one->detail
            << "\" and \"" << other->detail << "\": the rule must give a discriminator, about()";
      }
    }
  }
  EXPECT_GE(pairs, 3) << "rows must show rules that speak of several parts at one field";
}

}  // namespace
}  // namespace dynamo::test
