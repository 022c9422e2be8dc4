// The texts about rules: one for each, in a form that can be printed, and examples that are true.
#include "validators/texts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "admission/policy.hpp"
#include "schema/table.hpp"
#include "schema/validate.hpp"
#include "tests/support/findings.hpp"
#include "tests/support/known_objects.hpp"
#include "tests/support/objects.hpp"
#include "validators/catalog.hpp"
#include "validators/content/semver.hpp"
#include "validators/operator_profile.hpp"
#include "validators/rule_groups.hpp"
#include "validators/severities.hpp"
#include "validators/validate.hpp"

namespace dynamo::validators {
namespace {

// Rules that say what the installed definitions say as well, so that no example can break only
// them.
constexpr std::string_view kAlsoInTheSchema[] = {
    "type.mismatch",      "dgd.restart.id",          "service.replicas.non-negative",
    "dgdr.config.parses", "dgdsa.ref.name",          "dgdsa.replicas.non-negative",
    "dgdsa.ref.service",  "ckpt.identity.immutable", "dgd.services.limit",
};

// Rules whose example cannot but break another one too; say why beside the row.
struct Company {
  std::string_view rule;
  std::string_view other;
};
const std::vector<Company> kCompany{};

std::vector<const RuleText*> all_texts() {
  std::vector<const RuleText*> all;
  for (const std::span<const RuleText> group : text_groups()) {
    for (const RuleText& text : group) all.push_back(&text);
  }
  return all;
}

std::vector<std::string_view> split(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  for (std::size_t at = text.find(separator); at != text.npos; at = text.find(separator)) {
    parts.push_back(text.substr(0, at));
    text.remove_prefix(at + separator.size());
  }
  parts.push_back(text);
  return parts;
}

// The documents of an example: one, or two of an update.
std::vector<json::Document> documents(std::string_view example) {
  const std::vector<std::string_view> parts = split(example, "\n---\n");
  std::vector<json::Document> all(parts.size());  // never grows: a copy would not own its texts
  std::ranges::transform(parts, all.begin(), test::from_yaml);
  return all;
}

std::optional<api::Kind> kind_of(json::Value object) {
  const auto at =
      std::ranges::find(api::kKinds, object["kind"].string_or_empty(), &api::KindNames::name);
  if (at == api::kKinds.end()) return std::nullopt;
  return at->kind;
}

// What an example is judged with, as its comment lines say.
struct World {
  std::string_view user = "jane@example.com";
  api::Settings settings = {};
  api::ClusterFacts facts = {.inference_pool_served = api::Fact::kYes};
  admission::Policy policy = {};
  std::vector<test::KnownObject> objects = {};
};

// "# cluster: serves GROUP", or "does not serve".
struct Group {
  std::string_view name;
  api::Fact api::ClusterFacts::*fact;
};
constexpr Group kGroups[] = {
    {"inference.networking.k8s.io", &api::ClusterFacts::inference_pool_served},
    {"grove.io", &api::ClusterFacts::grove_served},
    {"leaderworkerset.x-k8s.io", &api::ClusterFacts::leader_worker_set_served},
    {"scheduling.run.ai", &api::ClusterFacts::kai_scheduler_served},
};

// The rest of a line behind its beginning, or nothing.
std::optional<std::string_view> behind(std::string_view start, std::string_view line) {
  if (!line.starts_with(start)) return std::nullopt;
  return line.substr(start.size());
}

bool read_fact(std::string_view group, api::Fact fact, World& world) {
  const auto at = std::ranges::find(kGroups, group, &Group::name);
  if (at == std::end(kGroups)) return false;
  world.facts.*(at->fact) = fact;
  return true;
}

// "KIND NAME"; the namespace is the example's.
bool read_object(std::string_view object, api::Fact there, World& world) {
  const std::vector<std::string_view> words = split(object, " ");
  const auto at = std::ranges::find(api::kLookedUpNames, words.front());
  if (words.size() != 2 || at == api::kLookedUpNames.end()) return false;
  world.objects.push_back({.there = there,
                           .kind = static_cast<api::LookedUp>(at - api::kLookedUpNames.begin()),
                           .name = words.back()});
  return true;
}

// Turns a comment line of an example into what it says; texts.hpp lists them. False for any other.
bool read_comment(std::string_view line, World& world) {
  if (line == "# before" || line == "# after") return true;
  if (const auto group = behind("# cluster: serves ", line)) {
    return read_fact(*group, api::Fact::kYes, world);
  }
  if (const auto group = behind("# cluster: does not serve ", line)) {
    return read_fact(*group, api::Fact::kNo, world);
  }
  if (const auto object = behind("# cluster: has no ", line)) {
    return read_object(*object, api::Fact::kNo, world);
  }
  if (const auto object = behind("# cluster: has ", line)) {
    return read_object(*object, api::Fact::kYes, world);
  }
  if (const auto minor = behind("# cluster: Kubernetes 1.", line)) {
    world.facts.kubernetes_minor = std::stoi(std::string(*minor));
  } else if (line == "# operator: finds services through the API server") {
    world.facts.kubernetes_discovery = api::Fact::kYes;
  } else if (line == "# operator: finds services through etcd") {
    world.facts.kubernetes_discovery = api::Fact::kNo;
  } else if (line == "# operator: of the first generation") {
    world.facts.operator_generation = api::OperatorGeneration::kFirst;
  } else if (line == "# operator: of a later generation") {
    world.facts.operator_generation = api::OperatorGeneration::kLater;
  } else if (const auto parameter = behind("# policy: ", line)) {
    admission::ReadPolicy read =
        admission::read_policy("version: 1\nparameters:\n  - " + std::string(*parameter) + "\n");
    if (!read.policy) return false;
    world.policy = *std::move(read.policy);
  } else if (const auto user = behind("# user: ", line)) {
    world.user = *user;
  } else if (const auto name = behind("# server: --restricted-namespace=", line)) {
    world.settings.restricted_namespace = *name;
  } else {
    return false;
  }
  return true;
}

World world_of(std::string_view example) {
  World world;
  for (const std::string_view line : split(example, "\n")) {
    if (!line.starts_with("#")) continue;
    EXPECT_TRUE(read_comment(line, world)) << line;
  }
  return world;
}

// What is said of an example of this rule, with the operator that the example names, or another. A
// rule that is off is switched on for its own examples.
api::ErrorList judged(const Rule& rule, std::string_view example,
                      std::optional<api::OperatorGeneration> generation = std::nullopt) {
  const std::vector<json::Document> objects = documents(example);
  World world = world_of(example);
  if (generation) world.facts.operator_generation = *generation;
  const json::Value object = objects.back().root();
  const json::Value old = objects.size() == 2 ? objects.front().root() : json::Value{};
  const api::ObjectMeta metadata = api::Object{object}.metadata();
  const api::Kind kind = kind_of(object).value();
  const api::Parameters parameters =
      world.policy.parameters_for({kind, metadata.namespace_name(), metadata.name()});
  for (test::KnownObject& known : world.objects) known.namespace_name = metadata.namespace_name();
  const test::KnownObjects objects_of_cluster{world.objects};
  const api::Context context{
      .kind = kind,
      .operation = old.exists() ? api::Operation::kUpdate : api::Operation::kCreate,
      .namespace_name = metadata.namespace_name(),
      .object_name = metadata.name(),
      .user = world.user,
      .sub_resource = {},
      .settings = world.settings,
      .facts = world.facts,
      .parameters = &parameters,
      .objects = &objects_of_cluster};
  Severities severities = default_severities();
  if (rule.severity == Severity::kOff) severities.set(index_of(rule), Severity::kWarn);
  api::ErrorList found;
  render::Arena arena;
  validate(context, object, old, found, severities, arena);
  return found;
}

// Which rules speak about an example of this rule, sorted, each once; errors and warnings alike.
std::vector<std::string> rules_that_speak(const Rule& rule, std::string_view example) {
  const api::ErrorList found = judged(rule, example);
  std::vector<std::string> rules;
  for (const test::Place& place : test::places_of(found)) rules.push_back(place.rule);
  for (const test::Place& place : test::warnings_of(found)) rules.push_back(place.rule);
  std::ranges::sort(rules);
  const auto rest = std::ranges::unique(rules);
  rules.erase(rest.begin(), rest.end());
  return rules;
}

// Which checks of the schema refuse an example, each as "field: id".
std::vector<std::string> schema_findings(std::string_view example) {
  const std::vector<json::Document> objects = documents(example);
  std::vector<std::string> refusals;
  json::Value old;
  for (const json::Document& object : objects) {
    const schema::Resource* const resource =
        schema::find_resource(object.root()["kind"].string_or_empty());
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

TEST(RuleTexts, ExistOnceForEveryRuleAndForNothingElse) {
  std::vector<std::string_view> rules;
  for (const Rule& rule : catalog()) rules.push_back(rule.id);
  std::vector<std::string_view> texts;
  for (const RuleText* text : all_texts()) texts.push_back(text->id);
  EXPECT_THAT(texts, testing::UnorderedElementsAreArray(rules));
}

TEST(RuleTexts, AreFoundByTheIdOfTheirRule) {
  for (const RuleText* text : all_texts()) EXPECT_EQ(find_text(text->id), text) << text->id;
  EXPECT_EQ(find_text("no.such.rule"), nullptr);
  EXPECT_EQ(find_text(""), nullptr);
}

TEST(RuleTexts, FitIntoAHundredColumnsAndEndWithALineBreak) {
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

TEST(RuleTexts, SayInOneLineWhatMustHold) {
  for (const RuleText* text : all_texts()) {
    EXPECT_FALSE(text->summary.empty()) << text->id;
    EXPECT_FALSE(text->summary.ends_with(".")) << text->id;
    EXPECT_EQ(text->summary.find_first_of("\n|"), text->summary.npos) << text->id;
  }
}

TEST(RuleTexts, ExplainInTwoToFiveSentencesThatEndWithAFullStop) {
  for (const RuleText* text : all_texts()) {
    std::string flat(text->explanation);
    std::ranges::replace(flat, '\n', ' ');
    EXPECT_TRUE(flat.ends_with(". ")) << text->id;
    const std::size_t sentences = split(flat, ". ").size() - 1;
    EXPECT_GE(sentences, 2U) << text->id;
    EXPECT_LE(sentences, 5U) << text->id << ": " << text->explanation;
  }
}

TEST(RuleTexts, SayWhyARuleDeniesOrOnlyWarns) {
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

// Major, minor and patch of a version without anything behind them.
std::array<int, 3> numbers_of(std::string_view version) {
  std::array<int, 3> numbers{};
  const std::vector<std::string_view> parts = split(version, ".");
  for (std::size_t i = 0; i < std::min(parts.size(), numbers.size()); ++i) {
    std::from_chars(parts[i].data(), parts[i].data() + parts[i].size(), numbers[i]);
  }
  return numbers;
}

TEST(RuleTexts, SayWhichVersionBroughtTheRule) {
  for (const RuleText* text : all_texts()) {
    EXPECT_TRUE(is_lenient_semver(text->since)) << text->id;
    EXPECT_LE(numbers_of(text->since), numbers_of(DYNAMO_VERSION)) << text->id;
  }
}

TEST(RuleTexts, ShowWholeObjectsOfTheRulesKinds) {
  for (const RuleText* text : all_texts()) {
    SCOPED_TRACE(text->id);
    const Rule* const rule = find_rule(text->id);
    ASSERT_NE(rule, nullptr);
    for (const std::string_view example : {text->wrong, text->right}) {
      const std::vector<json::Document> objects = documents(example);
      ASSERT_LE(objects.size(), 2U);
      for (const json::Document& object : objects) {
        const api::Object view{object.root()};
        EXPECT_EQ(view.value()["apiVersion"].string_or_empty(), "nvidia.com/v1alpha1");
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

TEST(RuleTexts, ShowWhatTheirRuleAloneRefusesOrWarnsOf) {
  for (const RuleText* text : all_texts()) {
    const Rule* const rule = find_rule(text->id);
    ASSERT_NE(rule, nullptr) << text->id;
    std::vector<std::string> expected{std::string(text->id)};
    for (const Company& company : kCompany) {
      if (company.rule == text->id) expected.emplace_back(company.other);
    }
    EXPECT_THAT(rules_that_speak(*rule, text->wrong), testing::UnorderedElementsAreArray(expected))
        << text->id << "\n"
        << text->wrong;
  }
}

// The worst that the rule itself says of its wrong example.
Severity outcome_of_example(const Rule& rule, const RuleText& text,
                            api::OperatorGeneration generation) {
  const api::ErrorList found = judged(rule, text.wrong, generation);
  const auto is_its = [&](const test::Place& place) { return place.rule == rule.id; };
  if (std::ranges::any_of(test::places_of(found), is_its)) return Severity::kDeny;
  const bool warns = std::ranges::any_of(test::warnings_of(found), is_its);
  return warns ? Severity::kWarn : Severity::kOff;
}

TEST(RuleTexts, BreakTheirRuleAsTheProfileOfOperatorsSays) {
  for (const RuleText* text : all_texts()) {
    const Rule* const rule = find_rule(text->id);
    ASSERT_NE(rule, nullptr) << text->id;
    Outcomes expected = outcomes_of(*rule);
    if (rule->severity == Severity::kOff) {
      EXPECT_EQ(expected, (Outcomes{Severity::kOff, Severity::kOff, Severity::kOff})) << text->id;
      expected = {Severity::kWarn, Severity::kWarn, Severity::kWarn};  // switched on
    }
    using enum api::OperatorGeneration;
    EXPECT_EQ(outcome_of_example(*rule, *text, kFirst), expected.first) << text->id;
    EXPECT_EQ(outcome_of_example(*rule, *text, kUnknown), expected.unknown) << text->id;
    EXPECT_EQ(outcome_of_example(*rule, *text, kLater), expected.later) << text->id;
  }
}

// Every row, also those that no example shows.
TEST(OperatorProfile, WarnsWhereOperatorsDifferAndTheirsIsNotKnown) {
  for (const HabitRow& row : habits()) {
    SCOPED_TRACE(row.what);
    const Rule* const rule = find_rule(row.rule);
    ASSERT_NE(rule, nullptr) << row.rule;
    const auto outcome = [&](api::OperatorGeneration generation) {
      return outcome_of(row.habit, api::ClusterFacts{.operator_generation = generation});
    };
    using enum api::OperatorGeneration;
    EXPECT_EQ(outcome(kFirst), row.first);
    EXPECT_EQ(outcome(kLater), row.later);
    EXPECT_NE(row.first, row.later) << "a habit in which operators do not differ is none";
    EXPECT_EQ(outcome(kUnknown), Severity::kWarn);
  }
}

TEST(RuleTexts, ShowWhatNoRuleObjectsTo) {
  for (const RuleText* text : all_texts()) {
    const Rule* const rule = find_rule(text->id);
    ASSERT_NE(rule, nullptr) << text->id;
    EXPECT_THAT(rules_that_speak(*rule, text->right), testing::IsEmpty()) << text->id << "\n"
                                                                          << text->right;
  }
}

// An example that says nothing of the cluster's objects would break its rule nowhere.
TEST(RuleTexts, OfRulesThatLookNamesUpSayWhatTheClusterHas) {
  for (const Rule& rule : lookup_rules()) {
    const RuleText* const text = find_text(rule.id);
    ASSERT_NE(text, nullptr) << rule.id;
    EXPECT_FALSE(world_of(text->wrong).objects.empty()) << rule.id;
    EXPECT_FALSE(world_of(text->right).objects.empty()) << rule.id;
    EXPECT_THAT(text->explanation, testing::HasSubstr("--cluster-lookups=")) << rule.id;
  }
}

TEST(RuleTexts, ShowObjectsThatCanBeApplied) {
  for (const RuleText* text : all_texts()) {
    EXPECT_THAT(schema_findings(text->right), testing::IsEmpty()) << text->id;
  }
}

// Else the API server would refuse the example first, in other words than those of the rule.
TEST(RuleTexts, ShowWhatTheSchemaLeavesToTheRule) {
  for (const RuleText* text : all_texts()) {
    const bool also = std::ranges::find(kAlsoInTheSchema, text->id) != std::end(kAlsoInTheSchema);
    EXPECT_EQ(!schema_findings(text->wrong).empty(), also)
        << text->id << testing::PrintToString(schema_findings(text->wrong));
  }
}

}  // namespace
}  // namespace dynamo::validators
