// The catalog: its ids are public, and a rule that got lost would fail open.
#include "validators/catalog.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "json/parser.hpp"
#include "tests/support/findings.hpp"
#include "validators/operator_profile.hpp"
#include "validators/rule_groups.hpp"
#include "validators/severities.hpp"
#include "validators/validate.hpp"

namespace dynamo::validators {
namespace {

std::vector<std::string> ids() {
  std::vector<std::string> found;
  for (const std::span<const Rule> group : rule_groups()) {
    for (const Rule& rule : group) found.emplace_back(rule.id);
  }
  return found;
}

TEST(Catalog, RuleIdsAreUnique) {
  std::vector<std::string> sorted = ids();
  std::ranges::sort(sorted);
  EXPECT_EQ(std::ranges::adjacent_find(sorted), sorted.end());
}

TEST(Catalog, RuleIsFoundById) {
  for (const Rule& rule : catalog()) EXPECT_EQ(find_rule(rule.id), &rule) << rule.id;
  EXPECT_EQ(find_rule("no.such.rule"), nullptr);
  EXPECT_EQ(find_rule(""), nullptr);
}

TEST(Catalog, RuleOfFindingIsFoundByAddress) {
  std::string_view before;
  for (const Rule& rule : catalog()) {
    EXPECT_EQ(find_rule_index(rule.id), index_of(rule)) << rule.id;
    if (!before.empty()) {
      EXPECT_EQ(before.data() + before.size(), rule.id.data()) << rule.id;
    }
    before = rule.id;
  }
}

TEST(Catalog, RuleOfOtherTextIsFoundByName) {
  const std::string_view id = catalog()[3].id;
  EXPECT_EQ(find_rule_index(std::string(id)), 3U);
  EXPECT_EQ(find_rule_index(id.substr(1)), std::nullopt);
  EXPECT_EQ(find_rule_index(id.substr(0, 3)), std::nullopt);
  EXPECT_EQ(find_rule_index("no.such.rule"), std::nullopt);
  EXPECT_EQ(find_rule_index({}), std::nullopt);
}

TEST(Catalog, FindingsHoldViewsOfCatalogIds) {
  const auto object = json::parse_copy(R"({"metadata":{"name":"a"},"spec":{"services":{}}})");
  const api::ErrorList found = test::evaluate_rules({}, object->root());
  ASSERT_FALSE(found.errors().empty());
  for (const api::Error& error : found.errors()) {
    EXPECT_EQ(error.rule.data(), find_rule(error.rule)->id.data()) << error.rule;
  }
}

TEST(Catalog, EachRuleDocumentsItsFields) {
  for (const Rule& rule : catalog()) {
    EXPECT_FALSE(rule.field.empty()) << rule.id;
  }
}

TEST(Catalog, AdviceRulesAreOffByDefault) {
  std::vector<std::string> off;
  for (const std::span<const Rule> group : rule_groups()) {
    for (const Rule& rule : group) {
      if (rule.severity == Severity::kOff) off.emplace_back(rule.id);
    }
  }
  EXPECT_THAT(off, testing::ElementsAre("ckpt.manual.hash", "dgd.frontend.missing",
                                        "storage.pvc.unused", "storage.shm.implicit",
                                        "pod.labels.dropped", "pod.image.floating-tag",
                                        "pod.placeholder", "pod.scheduling.component-label"));
}

TEST(Catalog, RulesRunOnCreatesAndUpdatesOnly) {
  for (const Rule& rule : catalog()) {
    EXPECT_TRUE(rule.operations.has(api::Operation::kUpdate)) << rule.id;
    EXPECT_FALSE(rule.operations.has(api::Operation::kDelete)) << rule.id;
    EXPECT_FALSE(rule.operations.has(api::Operation::kConnect)) << rule.id;
  }
}

TEST(Catalog, ExactlyStricterRulesAreRatcheted) {
  std::vector<std::string> ratcheted;
  for (const Rule& rule : rule_group("operator")) {
    if (rule.ratchet == Ratchet::kYes) ratcheted.emplace_back(rule.id);
  }
  EXPECT_THAT(ratcheted, testing::UnorderedElementsAre(
                             "dcd.topology.node-class", "dgdr.spec.immutable",
                             "ckpt.identity.immutable", "ckpt.identity.complete", "ckpt.job.limits",
                             "ckpt.job.pod", "dgdsa.ref.immutable", "dgdsa.ref.name",
                             "dgdsa.ref.service", "dgdsa.replicas.non-negative"));
  for (const std::span<const Rule> group : rule_groups()) {
    if (group.data() == rule_group("operator").data()) continue;
    for (const Rule& rule : group) {
      if (phase_of(rule.function) == Phase::kHub) {
        EXPECT_EQ(rule.ratchet, Ratchet::kNo) << rule.id;  // it compares the states itself
        continue;
      }
      // These warn on every change, because no change of the object would help.
      const bool is_unserved = rule.id == "dgdr.controller" || rule.id == "ckpt.controller";
      EXPECT_EQ(rule.ratchet, is_unserved ? Ratchet::kNo : Ratchet::kYes) << rule.id;
    }
  }
}

// Rules on the written object come first, rules on services are consecutive, and those of later
// operators come last.
TEST(Catalog, CatalogHoldsEachGroupRuleOnceInOrder) {
  std::size_t rules = 0;
  for (const std::span<const Rule> group : rule_groups()) rules += group.size();
  EXPECT_EQ(catalog().size(), rules);
  const auto phase = [](const Rule& rule) {
    if (std::holds_alternative<RuleOn<ServiceView>>(rule.function)) return 1;
    if (phase_of(rule.function) == Phase::kHub) return 3;
    return std::holds_alternative<PodRule>(rule.function) ||
                   std::holds_alternative<RenderedRule>(rule.function)
               ? 2
               : 0;
  };
  EXPECT_TRUE(std::ranges::is_sorted(catalog(), {}, phase));
  EXPECT_EQ(phase(catalog().front()), 0);
}

TEST(Catalog, LaterOperatorsKeepSeveritiesOfOtherRules) {
  Severities denying = default_severities();
  for (std::size_t rule = 0; rule < catalog().size(); ++rule) denying.set(rule, Severity::kDeny);
  const Severities relaxed = severities_with_later_operator(api::Kind::kGraphDeployment, denying);
  const auto relaxed_for = [&](std::string_view id) { return relaxed.at(*find_rule_index(id)); };
  EXPECT_EQ(relaxed_for("service.autoscaling.deprecated"), Severity::kOff) << "an operator's rule";
  EXPECT_EQ(relaxed_for("dgd.name.length.grove"), Severity::kOff) << "repeated in validators/hub";
  EXPECT_EQ(relaxed_for("pod.image"), Severity::kDeny);
  EXPECT_EQ(relaxed_for("pod.command.default-shell"), Severity::kDeny) << "a warning by default";
  EXPECT_EQ(severities_with_later_operator(api::Kind::kScalingAdapter, denying)
                .at(*find_rule_index("dgd.name.length.grove")),
            Severity::kDeny);
}

TEST(Catalog, DefaultSeveritiesApplyWithoutOthers) {
  const auto object = json::parse_copy(R"({"metadata":{"name":"a"},"spec":{"services":{}}})");
  const api::Settings settings;
  const api::ClusterFacts facts;
  const api::Context context{.kind = api::Kind::kGraphDeployment,
                             .operation = api::Operation::kCreate,
                             .namespace_name = "default",
                             .object_name = "a",
                             .user = "jane",
                             .sub_resource = {},
                             .settings = settings,
                             .facts = facts};
  api::ErrorList found;
  validate(context, object->root(), {}, found);
  EXPECT_TRUE(found.has_errors());
}

}  // namespace
}  // namespace dynamo::validators
