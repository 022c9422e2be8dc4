// An update that replaces one mistake with another is reported, even if both break the same rule at
// the same field.
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/findings.hpp"
#include "tests/support/objects.hpp"

namespace dynamo::test {
namespace {

#define GRAPH(services) \
  "{metadata: {name: g, namespace: default}, spec: {services: {" services "}}}"
#define POD(fields) GRAPH("W: {componentType: worker, extraPodSpec: {" fields "}}")
#define NODES(term)                                                                \
  POD("affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: " \
      "{nodeSelectorTerms: [{" term "}]}}}")
#define VARIABLE(fields) GRAPH("W: {componentType: worker, envs: [{" fields "}]}")
#define DISAGGREGATED(role)                                                            \
  GRAPH("W: {componentType: worker, subComponentType: " role                           \
        ", extraPodSpec: {mainContainer: {image: a, args: ['python3 -m dynamo.sglang " \
        "--model-path a']}}}, P: {componentType: worker, subComponentType: prefill, "  \
        "extraPodSpec: {mainContainer: {image: a, args: ['python3 -m dynamo.sglang "   \
        "--model-path a --disaggregation-mode prefill']}}}")

struct Exchange {
  std::string_view rule;
  std::string_view name;
  std::string_view before;
  std::string_view after;
};

void PrintTo(const Exchange& exchange, std::ostream* out) {
  *out << exchange.rule << ": " << exchange.name;
}

class ExchangeTest : public testing::TestWithParam<Exchange> {};

// The number of findings of the rule.
std::size_t count_findings(std::string_view rule, std::string_view object,
                           std::string_view before) {
  static const std::vector<std::string> allowed{"nvcr.io"};
  EvaluationInputs inputs{.facts = {.kubernetes_minor = 35}};
  inputs.parameters.allowed_registries = allowed;
  const json::Document now = from_yaml(object);
  const json::Document old = before.empty() ? json::Document{} : from_yaml(before);
  const api::ErrorList list = evaluate_rules(inputs, now.root(), old.root());
  std::vector<Place> places = places_of(list);
  for (Place& warning : warnings_of(list)) places.push_back(std::move(warning));
  return static_cast<std::size_t>(std::ranges::count(places, rule, &Place::rule));
}

TEST_P(ExchangeTest, MistakeIsReportedInPlaceOfAnother) {
  const auto& [rule, name, before, after] = GetParam();
  const std::size_t at_first = count_findings(rule, after, {});
  ASSERT_GE(at_first, 1U);
  ASSERT_EQ(count_findings(rule, before, {}), at_first);
  EXPECT_EQ(count_findings(rule, before, before), 0U) << "what stays is excused";
  EXPECT_GE(count_findings(rule, after, before), 1U);
}

TEST(InvisibleCharacters, AreFoundInNestedFields) {
  constexpr std::size_t kLevels = 60;
  std::string nested = "\"a\\u200b\"";
  for (std::size_t i = 0; i < kLevels; ++i) nested = "{a: " + nested + "}";
  const std::string object = "{metadata: {name: g, namespace: default}, spec: {a: " + nested + "}}";
  EXPECT_EQ(count_findings("text.invisible", object, {}), 1U);
}

INSTANTIATE_TEST_SUITE_P(
    Ratchet, ExchangeTest,
    testing::Values(
        Exchange{"policy.registry", "the image of a volume",
                 POD("volumes: [{name: v, image: {reference: evil.io/a}}]"),
                 POD("volumes: [{name: v, image: {reference: evil.io/b}}]")},
        Exchange{"pod.security", "what is shared with the host",
                 POD("hostUsers: false, hostPID: true"), POD("hostUsers: false, hostIPC: true")},
        Exchange{"pod.scheduling", "the operator of a field",
                 NODES("matchFields: [{key: metadata.name, operator: Gt, values: [a]}]"),
                 NODES("matchFields: [{key: metadata.name, operator: Lt, values: [a]}]")},
        Exchange{"pod.scheduling", "an expression without values",
                 NODES("matchExpressions: [{key: a, operator: In}]"),
                 NODES("matchExpressions: [{key: b, operator: NotIn}]")},
        Exchange{"dgd.disagg.role-flag", "the role", DISAGGREGATED("decode"),
                 DISAGGREGATED("prefill")},
        Exchange{"net.env.reserved", "the variable", VARIABLE("name: POD_NAME, value: x"),
                 VARIABLE("name: POD_UID, value: x")},
        Exchange{"pod.probe", "a port that the container has not",
                 POD("mainContainer: {image: a, livenessProbe: {httpGet: {path: /, port: aa}}}"),
                 POD("mainContainer: {image: a, livenessProbe: {httpGet: {path: /, port: bb}}}")}));

}  // namespace
}  // namespace dynamo::test

#undef GRAPH
#undef POD
#undef NODES
#undef VARIABLE
#undef DISAGGREGATED
