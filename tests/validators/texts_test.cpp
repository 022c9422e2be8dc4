// The texts about rules: one per rule, printable, with correct examples.
#include "validators/texts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <string_view>
#include <vector>

#include "schema/table.hpp"
#include "schema/validate.hpp"
#include "tests/support/findings.hpp"
#include "tests/validators/examples.hpp"
#include "validators/catalog.hpp"
#include "validators/content/semver.hpp"
#include "validators/operator_profile.hpp"
#include "validators/rule_groups.hpp"

namespace dynamo::validators {
namespace {

// Rules that the installed CRDs check as well, so that no example can break only the rule.
constexpr std::string_view kAlsoInTheSchema[] = {
    "type.mismatch",      "dgd.restart.id",          "service.replicas.non-negative",
    "dgdr.config.parses", "dgdsa.ref.name",          "dgdsa.replicas.non-negative",
    "dgdsa.ref.service",  "ckpt.identity.immutable", "dgd.services.limit",
};

// Rules whose example unavoidably breaks another one too; give the reason in the row.
struct ExpectedCompanion {
  std::string_view rule;
  std::string_view other;
};
const std::vector<ExpectedCompanion> kExpectedCompanions{};

// The rules that report a finding on an example of this rule, sorted, without duplicates; errors
// and warnings alike.
std::vector<std::string> rules_that_speak(const Rule& rule, std::string_view example) {
  const api::ErrorList found = evaluate_rule(rule, example);
  std::vector<std::string> rules;
  for (const test::Place& place : test::places_of(found)) rules.push_back(place.rule);
  for (const test::Place& place : test::warnings_of(found)) rules.push_back(place.rule);
  std::ranges::sort(rules);
  const auto rest = std::ranges::unique(rules);
  rules.erase(rest.begin(), rest.end());
  return rules;
}

// The schema checks that refuse an example, each as "field: id".
std::vector<std::string> schema_findings(std::string_view example) {
  const std::vector<json::Document> objects = documents(example);
  std::vector<std::string> refusals;
  json::Value old;
  for (const json::Document& object : objects) {
    const schema::Resource* const resource = schema::find_resource(
        object.root()["kind"].string_or_empty(), object.root()["apiVersion"].string_or_empty(),
        inputs_of(example).facts.operator_generation);
    if (resource == nullptr) return {"no such kind"};
    api::ErrorList found;
    schema::validate(*resource, object.root(), old, found);
    for (const test::Place& place : test::places_of(found)) {
      refusals.push_back(place.field + ": " + place.rule);
    }
    old = object.root();
  }
  return refusals;
}

TEST(RuleTexts, ExistOnceForEveryRule) {
  std::vector<std::string_view> rules;
  for (const Rule& rule : catalog()) rules.push_back(rule.id);
  std::vector<std::string_view> texts;
  for (const RuleText* text : all_texts()) texts.push_back(text->id);
  EXPECT_THAT(texts, testing::UnorderedElementsAreArray(rules));
}

TEST(RuleTexts, AreFoundByRuleId) {
  for (const RuleText* text : all_texts()) EXPECT_EQ(find_text(text->id), text) << text->id;
  EXPECT_EQ(find_text("no.such.rule"), nullptr);
  EXPECT_EQ(find_text(""), nullptr);
}

TEST(RuleTexts, FitInHundredColumns) {
  for (const RuleText* text : all_texts()) {
    for (const std::string_view part : {text->explanation, text->wrong, text->right}) {
      SCOPED_TRACE(text->id);
      ASSERT_TRUE(part.ends_with("\n"));
      EXPECT_FALSE(part.ends_with("\n\n"));
      for (const std::string_view line : split(part, "\n")) {
        EXPECT_LE(line.size(), 100U) << line;
        EXPECT_FALSE(line.ends_with(" ")) << line;
        const auto is_plain = [](char c) { return c >= ' ' && c <= '~'; };
        EXPECT_TRUE(std::ranges::all_of(line, is_plain)) << line;
      }
    }
  }
}

TEST(RuleTexts, SummaryIsOneLine) {
  for (const RuleText* text : all_texts()) {
    EXPECT_FALSE(text->summary.empty()) << text->id;
    EXPECT_FALSE(text->summary.ends_with(".")) << text->id;
    EXPECT_EQ(text->summary.find_first_of("\n|"), text->summary.npos) << text->id;
  }
}

TEST(RuleTexts, ExplanationHasTwoToFiveSentences) {
  for (const RuleText* text : all_texts()) {
    std::string flat(text->explanation);
    std::ranges::replace(flat, '\n', ' ');
    EXPECT_TRUE(flat.ends_with(". ")) << text->id;
    const std::size_t sentences = split(flat, ". ").size() - 1;
    EXPECT_GE(sentences, 2U) << text->id;
    EXPECT_LE(sentences, 5U) << text->id << ": " << text->explanation;
  }
}

TEST(RuleTexts, ExplanationJustifiesSeverity) {
  for (const RuleText* text : all_texts()) {
    const Rule* const rule = find_rule(text->id);
    ASSERT_NE(rule, nullptr) << text->id;
    if (rule->severity == Severity::kDeny) {
      EXPECT_THAT(text->explanation, testing::ContainsRegex("denie|refuse|demand")) << text->id;
    } else if (rule->severity == Severity::kWarn) {
      EXPECT_THAT(text->explanation, testing::HasSubstr("warn")) << text->id;
    }
  }
}

// Major, minor and patch of a version without a suffix.
std::array<int, 3> numbers_of(std::string_view version) {
  std::array<int, 3> numbers{};
  const std::vector<std::string_view> parts = split(version, ".");
  for (std::size_t i = 0; i < std::min(parts.size(), numbers.size()); ++i) {
    std::from_chars(parts[i].data(), parts[i].data() + parts[i].size(), numbers[i]);
  }
  return numbers;
}

TEST(RuleTexts, VersionIsNotNewerThanBuild) {
  for (const RuleText* text : all_texts()) {
    EXPECT_TRUE(is_lenient_semver(text->since)) << text->id;
    EXPECT_LE(numbers_of(text->since), numbers_of(DYNAMO_VERSION)) << text->id;
  }
}

TEST(RuleTexts, ExamplesAreWholeObjectsOfRuleKinds) {
  for (const RuleText* text : all_texts()) {
    SCOPED_TRACE(text->id);
    const Rule* const rule = find_rule(text->id);
    ASSERT_NE(rule, nullptr);
    for (const std::string_view example : {text->wrong, text->right}) {
      const std::vector<json::Document> objects = documents(example);
      ASSERT_LE(objects.size(), 2U);
      for (const json::Document& object : objects) {
        const api::Object view{object.root()};
        const std::string_view version = view.value()["apiVersion"].string_or_empty();
        const bool can_be_beta = phase_of(rule->function) == Phase::kHub;
        if (!can_be_beta || version != "nvidia.com/v1beta1") {
          EXPECT_EQ(version, "nvidia.com/v1alpha1");
        }
        EXPECT_FALSE(view.metadata().name().empty());
        EXPECT_TRUE(view.spec().is_object());
        ASSERT_TRUE(kind_of(object.root()).has_value());
        EXPECT_EQ(kind_of(object.root()), kind_of(objects.front().root()));
        EXPECT_EQ(view.metadata().name(), api::Object{objects.front().root()}.metadata().name());
      }
    }
    const std::vector<json::Document> wrong = documents(text->wrong);
    EXPECT_TRUE(rule->kinds.has(kind_of(wrong.back().root()).value()));
    EXPECT_TRUE(rule->operations.has(api::Operation::kCreate) || wrong.size() == 2);
  }
}

TEST(RuleTexts, WrongExampleBreaksOnlyItsRule) {
  for (const RuleText* text : all_texts()) {
    const Rule* const rule = find_rule(text->id);
    ASSERT_NE(rule, nullptr) << text->id;
    std::vector<std::string> expected{std::string(text->id)};
    for (const ExpectedCompanion& company : kExpectedCompanions) {
      if (company.rule == text->id) expected.emplace_back(company.other);
    }
    EXPECT_THAT(rules_that_speak(*rule, text->wrong), testing::UnorderedElementsAreArray(expected))
        << text->id << "\n"
        << text->wrong;
  }
}

// The highest severity that the rule itself reports on its wrong example.
Severity outcome_of_example(const Rule& rule, const RuleText& text,
                            api::OperatorGeneration generation) {
  const api::ErrorList found = evaluate_rule(rule, text.wrong, generation);
  const auto is_its = [&](const test::Place& place) { return place.rule == rule.id; };
  if (std::ranges::any_of(test::places_of(found), is_its)) return Severity::kDeny;
  const bool warns = std::ranges::any_of(test::warnings_of(found), is_its);
  return warns ? Severity::kWarn : Severity::kOff;
}

TEST(RuleTexts, WrongExampleMatchesOperatorProfile) {
  for (const RuleText* text : all_texts()) {
    const Rule* const rule = find_rule(text->id);
    ASSERT_NE(rule, nullptr) << text->id;
    Outcomes expected = outcomes_of(*rule);
    if (rule->severity == Severity::kOff) {
      EXPECT_EQ(expected, (Outcomes{Severity::kOff, Severity::kOff, Severity::kOff})) << text->id;
      expected = {Severity::kWarn, Severity::kWarn, Severity::kWarn};  // enabled
    }
    using enum api::OperatorGeneration;
    EXPECT_EQ(outcome_of_example(*rule, *text, kFirst), expected.first) << text->id;
    EXPECT_EQ(outcome_of_example(*rule, *text, kUnknown), expected.unknown) << text->id;
    EXPECT_EQ(outcome_of_example(*rule, *text, kLater), expected.later) << text->id;
  }
}

// Every row, including those without an example.
TEST(OperatorProfile, WarnsIfUnknownOperatorsDiffer) {
  for (const BehaviourRow& row : operator_behaviours()) {
    SCOPED_TRACE(row.what);
    const Rule* const rule = find_rule(row.rule);
    ASSERT_NE(rule, nullptr) << row.rule;
    const auto outcome = [&](api::OperatorGeneration generation) {
      return severity_of(row.behaviour, api::ClusterFacts{.operator_generation = generation});
    };
    using enum api::OperatorGeneration;
    EXPECT_EQ(outcome(kFirst), row.first);
    EXPECT_EQ(outcome(kLater), row.later);
    EXPECT_NE(row.first, row.later) << "a behaviour in which operators do not differ is none";
    EXPECT_EQ(outcome(kUnknown), Severity::kWarn);
  }
}

TEST(RuleTexts, RightExampleBreaksNoRule) {
  for (const RuleText* text : all_texts()) {
    const Rule* const rule = find_rule(text->id);
    ASSERT_NE(rule, nullptr) << text->id;
    EXPECT_THAT(rules_that_speak(*rule, text->right), testing::IsEmpty()) << text->id << "\n"
                                                                          << text->right;
  }
}

// An example that states nothing about the cluster's objects would not break its rule.
TEST(RuleTexts, LookupExamplesDescribeClusterObjects) {
  for (const Rule& rule : rule_group("lookup")) {
    const RuleText* const text = find_text(rule.id);
    ASSERT_NE(text, nullptr) << rule.id;
    EXPECT_FALSE(inputs_of(text->wrong).objects.empty()) << rule.id;
    EXPECT_FALSE(inputs_of(text->right).objects.empty()) << rule.id;
    EXPECT_THAT(text->explanation, testing::HasSubstr("--cluster-lookups=")) << rule.id;
  }
}

TEST(RuleTexts, ExamplesCanBeApplied) {
  for (const RuleText* text : all_texts()) {
    EXPECT_THAT(schema_findings(text->right), testing::IsEmpty()) << text->id;
  }
}

// Otherwise the API server would refuse the example first, with a different message.
TEST(RuleTexts, WrongExamplePassesSchema) {
  for (const RuleText* text : all_texts()) {
    const bool also = std::ranges::find(kAlsoInTheSchema, text->id) != std::end(kAlsoInTheSchema);
    EXPECT_EQ(!schema_findings(text->wrong).empty(), also)
        << text->id << testing::PrintToString(schema_findings(text->wrong));
  }
}

}  // namespace
}  // namespace dynamo::validators
