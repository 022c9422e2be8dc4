// The catalogue itself: its ids are public, and a rule that is lost would fail open.
#include "validators/catalog.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace dynamo::validators {
namespace {

std::vector<std::string> ids() {
  std::vector<std::string> found;
  for (const Rule& rule : catalog()) found.emplace_back(rule.id);
  return found;
}

TEST(Catalog, HoldsExactlyTheseRulesInThisOrder) {
  EXPECT_THAT(
      ids(),
      testing::ElementsAre(
          "type.mismatch", "dgd.origin-version.semver", "dgd.backend.immutable", "dgd.pvc.name",
          "dgd.pvc.create.size", "dgd.pvc.create.storage-class", "dgd.pvc.create.access-mode",
          "dgd.restart.id", "dgd.restart.parallel-order", "dgd.restart.order.unique",
          "dgd.restart.order.complete", "dgd.restart.order.known", "dgd.services.required",
          "dgd.topology.services", "dcd.backend.immutable", "service.autoscaling.deprecated",
          "service.dynamo-namespace.deprecated", "epp.inference-pool.available",
          "epp.config.required", "epp.config.source", "epp.config.ref-name", "service.ingress.host",
          "epp.single-node", "dgd.topology.node-class", "dcd.topology.node-class",
          "service.replicas.non-negative", "epp.single-replica", "dgd.replicas.scaled-elsewhere",
          "service.shared-memory.size", "service.mount.point", "dm.base-model-name",
          "dm.base.immutable", "dm.model-name", "dm.type.immutable", "dm.lora.source",
          "dm.lora.scheme", "dgdr.spec.immutable", "dgdr.gpu-discovery.scope",
          "dgdr.config.required", "dgdr.config.parses", "dgdr.config.backend-overwritten",
          "dgdr.config.model-overwritten", "dgdr.profiler-image", "ckpt.identity.immutable",
          "ckpt.identity.complete", "ckpt.job.limits", "ckpt.job.pod", "dgdsa.ref.immutable",
          "dgdsa.ref.name", "dgdsa.ref.service", "dgdsa.replicas.non-negative"));
}

TEST(Catalog, NamesEachRuleOnce) {
  std::vector<std::string> sorted = ids();
  std::ranges::sort(sorted);
  EXPECT_EQ(std::ranges::adjacent_find(sorted), sorted.end());
}

TEST(Catalog, FindsEachRuleByItsId) {
  for (const Rule& rule : catalog()) EXPECT_EQ(find_rule(rule.id), &rule) << rule.id;
  EXPECT_EQ(find_rule("no.such.rule"), nullptr);
  EXPECT_EQ(find_rule(""), nullptr);
}

TEST(Catalog, SaysOfEachRuleWhereItLooksAndWhatMustHold) {
  for (const Rule& rule : catalog()) {
    EXPECT_FALSE(rule.field.empty()) << rule.id;
    EXPECT_FALSE(rule.summary.empty()) << rule.id;
    EXPECT_NE(rule.severity, Severity::kOff) << rule.id;
  }
}

TEST(Catalog, JudgesCreatesAndUpdatesOnly) {
  for (const Rule& rule : catalog()) {
    EXPECT_TRUE(rule.operations.has(api::Operation::kUpdate)) << rule.id;
    EXPECT_FALSE(rule.operations.has(api::Operation::kDelete)) << rule.id;
    EXPECT_FALSE(rule.operations.has(api::Operation::kConnect)) << rule.id;
  }
}

TEST(Catalog, RatchetsExactlyTheRulesThatAreStricterThanTheOperatorWas) {
  std::vector<std::string> ratcheted;
  for (const Rule& rule : catalog()) {
    if (rule.ratchet == Ratchet::kYes) ratcheted.emplace_back(rule.id);
  }
  EXPECT_THAT(ratcheted, testing::UnorderedElementsAre(
                             "dcd.topology.node-class", "dgdr.spec.immutable",
                             "ckpt.identity.immutable", "ckpt.identity.complete", "ckpt.job.limits",
                             "ckpt.job.pod", "dgdsa.ref.immutable", "dgdsa.ref.name",
                             "dgdsa.ref.service", "dgdsa.replicas.non-negative"));
}

}  // namespace
}  // namespace dynamo::validators
