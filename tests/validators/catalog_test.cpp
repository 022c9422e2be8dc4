// The catalog: its ids are public, and a rule that got lost would fail open.
#include "validators/catalog.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "json/parser.hpp"
#include "tests/support/findings.hpp"
#include "validators/rule_groups.hpp"
#include "validators/severities.hpp"

namespace dynamo::validators {
namespace {

std::vector<std::string> ids() {
  std::vector<std::string> found;
  for (const std::span<const Rule> group : rule_groups()) {
    for (const Rule& rule : group) found.emplace_back(rule.id);
  }
  return found;
}

TEST(Catalog, RulesHaveDocumentedOrder) {
  // A vector, because a matcher with so many arguments takes half a minute to compile.
  const std::vector<std::string> documented = {"type.mismatch",
                                               "dgd.origin-version.semver",
                                               "dgd.backend.immutable",
                                               "dgd.pvc.name",
                                               "dgd.pvc.create.size",
                                               "dgd.pvc.create.storage-class",
                                               "dgd.pvc.create.access-mode",
                                               "dgd.restart.id",
                                               "dgd.restart.parallel-order",
                                               "dgd.restart.order.unique",
                                               "dgd.restart.order.complete",
                                               "dgd.restart.order.known",
                                               "dgd.services.required",
                                               "dgd.services.limit",
                                               "dgd.topology.services",
                                               "dcd.backend.immutable",
                                               "service.autoscaling.deprecated",
                                               "service.dynamo-namespace.deprecated",
                                               "epp.inference-pool.available",
                                               "epp.config.required",
                                               "epp.config.source",
                                               "epp.config.ref-name",
                                               "service.ingress.host",
                                               "epp.single-node",
                                               "dgd.topology.node-class",
                                               "dcd.topology.node-class",
                                               "service.replicas.non-negative",
                                               "epp.single-replica",
                                               "dgd.replicas.scaled-elsewhere",
                                               "service.shared-memory.size",
                                               "service.mount.point",
                                               "dm.base-model-name",
                                               "dm.base.immutable",
                                               "dm.model-name",
                                               "dm.type.immutable",
                                               "dm.lora.source",
                                               "dm.lora.scheme",
                                               "dgdr.spec.immutable",
                                               "dgdr.gpu-discovery.scope",
                                               "dgdr.config.required",
                                               "dgdr.config.parses",
                                               "dgdr.config.backend-overwritten",
                                               "dgdr.config.model-overwritten",
                                               "dgdr.profiler-image",
                                               "ckpt.identity.immutable",
                                               "ckpt.identity.complete",
                                               "ckpt.job.limits",
                                               "ckpt.job.pod",
                                               "dgdsa.ref.immutable",
                                               "dgdsa.ref.name",
                                               "dgdsa.ref.service",
                                               "dgdsa.replicas.non-negative",
                                               "text.invisible",
                                               "text.lookalike",
                                               "dgd.services.name-collision",
                                               "dgd.services.name-dns",
                                               "dgd.name.dot-or-digit",
                                               "dgd.name.length.grove",
                                               "dgd.name.length.label",
                                               "dgd.name.length.service",
                                               "dgd.name.length.lws",
                                               "dgd.component-type.unknown",
                                               "dgd.component-type.missing",
                                               "job.name.length",
                                               "cross.namespace-scope",
                                               "dgd.backend.mismatch",
                                               "dgd.planner.targets",
                                               "dgd.disagg.role-flag",
                                               "dgd.annotation.value",
                                               "dgd.update.pathway-toggle",
                                               "dgd.epp.topology",
                                               "dgd.router.block-size",
                                               "dcd.standalone.incomplete",
                                               "dcd.owned-edit",
                                               "storage.mount.duplicate-volume",
                                               "storage.mount.path",
                                               "storage.mount.unknown-volume",
                                               "storage.pvc.access-mode",
                                               "storage.pvc.spec",
                                               "storage.cache.backend",
                                               "storage.shm.size",
                                               "update.ignored-fields",
                                               "res.gpu.requests-only",
                                               "res.gpu.missing",
                                               "res.quantity.invalid",
                                               "res.quantity.implausible",
                                               "res.request-exceeds-limit",
                                               "res.extended.rules",
                                               "res.claims.unknown",
                                               "res.parallelism.exceeds-gpus",
                                               "multinode.vllm.flag-form",
                                               "multinode.gpu-location",
                                               "multinode.no-injection",
                                               "multinode.args.unquoted",
                                               "multinode.lws.container",
                                               "cross.orchestrator-missing",
                                               "net.port.named-lost",
                                               "net.port.moved",
                                               "net.env.reserved",
                                               "net.ingress.host",
                                               "net.ingress.no-effect",
                                               "net.host-network",
                                               "net.service-account",
                                               "rolling.annotations",
                                               "restart.request",
                                               "scale.zero",
                                               "scale.adapter-replicas",
                                               "dgdsa.target",
                                               "pod.too-much",
                                               "pod.command.default-shell",
                                               "pod.command.shell-multiarg",
                                               "pod.command.frontend-merge",
                                               "pod.command.unexpanded-var",
                                               "pod.command.undefined-ref",
                                               "pod.image",
                                               "pod.image.placeholder",
                                               "pod.container.names",
                                               "pod.env",
                                               "pod.ports",
                                               "pod.probe.two-handlers",
                                               "pod.probe",
                                               "pod.lifecycle",
                                               "pod.security",
                                               "pod.volumes",
                                               "pod.labels",
                                               "pod.forbidden-in-template",
                                               "pod.dns",
                                               "pod.references",
                                               "pod.scheduling",
                                               "pod.scheduler.mixed",
                                               "pod.vocabulary",
                                               "ckpt.pod-template",
                                               "model.update.stale",
                                               "model.type.adapter",
                                               "model.lora.scheme",
                                               "model.ref.mismatch",
                                               "model.lora.worker-support",
                                               "dgdr.update.frozen",
                                               "dgdr.values",
                                               "dgdr.config.shape",
                                               "dgdr.config.unknown-key",
                                               "dgdr.aic.system",
                                               "dgdr.model-cache",
                                               "dgdr.images",
                                               "dgdr.controller",
                                               "ckpt.manual.no-label",
                                               "ckpt.manual.hash",
                                               "ckpt.identity.mismatch",
                                               "ckpt.unsupported",
                                               "ckpt.controller",
                                               "dgdsa.ref.exists",
                                               "cross.pvc-missing",
                                               "cross.secret-missing",
                                               "cross.configmap-missing",
                                               "cross.dgdr-dgd-exists",
                                               "dgd.frontend.missing",
                                               "storage.pvc.unused",
                                               "storage.shm.implicit",
                                               "pod.labels.dropped",
                                               "pod.image.floating-tag",
                                               "pod.placeholder",
                                               "pod.scheduling.component-label",
                                               "policy.replicas",
                                               "policy.lora-scheme",
                                               "policy.registry",
                                               "policy.resource-limits",
                                               "policy.service-account",
                                               "policy.host-path",
                                               "policy.host-access",
                                               "policy.ingress-host",
                                               "policy.istio-gateway",
                                               "ignore.unknown-rule"};
  EXPECT_EQ(ids(), documented);
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
  for (const Rule& rule : operator_rules()) {
    if (rule.ratchet == Ratchet::kYes) ratcheted.emplace_back(rule.id);
  }
  EXPECT_THAT(ratcheted, testing::UnorderedElementsAre(
                             "dcd.topology.node-class", "dgdr.spec.immutable",
                             "ckpt.identity.immutable", "ckpt.identity.complete", "ckpt.job.limits",
                             "ckpt.job.pod", "dgdsa.ref.immutable", "dgdsa.ref.name",
                             "dgdsa.ref.service", "dgdsa.replicas.non-negative"));
  for (const std::span<const Rule> group : rule_groups()) {
    if (group.data() == operator_rules().data()) continue;
    for (const Rule& rule : group) {
      // These warn on every change, because no change of the object would help.
      const bool is_unserved = rule.id == "dgdr.controller" || rule.id == "ckpt.controller";
      EXPECT_EQ(rule.ratchet, is_unserved ? Ratchet::kNo : Ratchet::kYes) << rule.id;
    }
  }
}

// Rules on the written object come first, and rules on services are consecutive.
TEST(Catalog, CatalogHoldsEachGroupRuleOnceInOrder) {
  std::size_t rules = 0;
  for (const std::span<const Rule> group : rule_groups()) rules += group.size();
  EXPECT_EQ(catalog().size(), rules);
  const auto phase = [](const Rule& rule) {
    if (std::holds_alternative<RuleOn<ServiceView>>(rule.function)) return 1;
    return std::holds_alternative<PodRule>(rule.function) ||
                   std::holds_alternative<RenderedRule>(rule.function)
               ? 2
               : 0;
  };
  EXPECT_TRUE(std::ranges::is_sorted(catalog(), {}, phase));
  EXPECT_EQ(phase(catalog().front()), 0);
}

}  // namespace
}  // namespace dynamo::validators
