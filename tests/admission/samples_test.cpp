// Every manifest of deploy/samples is allowed without warnings, on CREATE and on an UPDATE without
// changes, and is defaulted by a minimal patch. So is every one of deploy/samples-v1beta1.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "admission/dry_run.hpp"
#include "json/parser.hpp"
#include "schema/table.hpp"
#include "tests/support/api_server.hpp"
#include "tests/support/findings.hpp"
#include "tests/support/golden.hpp"
#include "tests/support/review_fixture.hpp"

namespace dynamo::test {
namespace {

struct Sample {
  std::string name;
  std::string yaml;
};
void PrintTo(const Sample& sample, std::ostream* out) {
  *out << sample.name;
}

std::vector<Sample> samples(std::string_view folder = "../../deploy/samples") {
  std::vector<Sample> all;
  for (const auto& path : files_below(testdata(folder), ".yaml")) {
    all.push_back({path.stem().string(), read_file(path)});
  }
  return all;
}

api::Kind kind_of(json::Value object) {
  const auto at =
      std::ranges::find(api::kKinds, object["kind"].string_or_empty(), &api::KindNames::name);
  if (at == api::kKinds.end()) throw std::runtime_error("a sample of an unknown kind");
  return at->kind;
}

// The rule of the expected warning: first-generation operators do not support one field, and later
// ones ignore another. "" if none.
std::string_view expected_warning(const Sample& sample, api::OperatorGeneration generation,
                                  bool is_update) {
  const bool is_later = generation == api::OperatorGeneration::kLater;
  if (sample.name == "model_lora_hf" && !is_later && !is_update) return "[model.lora.scheme]";
  if (sample.name == "component_vllm_worker" && is_later) return "[hub.alpha.deprecated]";
  return "";
}

class SampleTest : public testing::TestWithParam<Sample> {};

TEST_P(SampleTest, IsAllowedWithoutAWarning) {
  const json::Document object = from_yaml(GetParam().yaml);
  for (const bool update : {false, true}) {
    const std::string review =
        review_text({.kind = kind_of(object.root()),
                     .operation = update ? api::Operation::kUpdate : api::Operation::kCreate,
                     .object = object.root(),
                     .old_object = update ? object.root() : json::Value{}});
    for (const auto generation :
         {api::OperatorGeneration::kUnknown, api::OperatorGeneration::kLater}) {
      ReviewFixture fixture;
      fixture.facts.operator_generation = generation;
      const ReviewResponse reviewed = fixture.review(validating(kind_of(object.root())), review);
      const ResponseCheck accepted = accept_answer(review, reviewed.answer, Webhook::kValidating);
      EXPECT_EQ(accepted.complaint, "");
      EXPECT_TRUE(accepted.allowed) << reviewed.answer;
      const std::string_view rule = expected_warning(GetParam(), generation, update);
      ASSERT_EQ(accepted.warnings.size(), rule.empty() ? 0U : 1U) << reviewed.answer;
      for (const std::string& warning : accepted.warnings) {
        EXPECT_THAT(warning, testing::EndsWith(std::string(rule)));
      }
    }
  }
}

TEST_P(SampleTest, DefaultingPatchIsMinimal) {
  const json::Document object = from_yaml(GetParam().yaml);
  if (kind_of(object.root()) != api::Kind::kGraphDeployment)
    return;  // other kinds have no defaults
  const std::string review = review_text({.object = object.root()});
  ReviewFixture fixture;
  const ResponseCheck accepted =
      accept_answer(review, fixture.review(mutating(), review).answer, Webhook::kMutating);
  ASSERT_EQ(accepted.complaint, "");
  const auto patch = json::parse_copy(accepted.patch);
  EXPECT_EQ(differs_from_golden("samples/" + GetParam().name + ".patch.json",
                                pretty(patch->root()) + "\n"),
            "");
}

TEST_P(SampleTest, DefaultedSampleIsAllowedAndStable) {
  const json::Document object = from_yaml(GetParam().yaml);
  if (kind_of(object.root()) != api::Kind::kGraphDeployment) return;
  const std::string review = review_text({.object = object.root()});
  ReviewFixture fixture;
  const ResponseCheck accepted =
      accept_answer(review, fixture.review(mutating(), review).answer, Webhook::kMutating);
  const auto defaulted = json::parse_copy(accepted.patched);
  const std::string again = review_text({.object = defaulted->root()});
  EXPECT_EQ(
      accept_answer(again, fixture.review(mutating(), again).answer, Webhook::kMutating).patch, "");
  const ReviewResponse review_outcome =
      fixture.review(validating(api::Kind::kGraphDeployment), again);
  EXPECT_EQ(review_outcome.verdict, admission::ReviewVerdict::kAllowed) << review_outcome.answer;
}

INSTANTIATE_TEST_SUITE_P(Case, SampleTest, testing::ValuesIn(samples()),
                         [](const auto& test) { return test.param.name; });

std::vector<Sample> beta_samples() {
  return samples("../../deploy/samples-v1beta1");
}

class BetaSampleTest : public testing::TestWithParam<Sample> {};

TEST_P(BetaSampleTest, IsValidWithoutAWarning) {
  const json::Document object = from_yaml(GetParam().yaml);
  const schema::Resource* const resource =
      schema::find_resource(object.root()["kind"].string_or_empty(), "nvidia.com/v1beta1",
                            api::OperatorGeneration::kLater);
  ASSERT_NE(resource, nullptr);
  EXPECT_EQ(object.root()["apiVersion"].string(), resource->api_version);
  for (const auto generation :
       {api::OperatorGeneration::kUnknown, api::OperatorGeneration::kLater}) {
    ReviewFixture fixture;
    fixture.facts.operator_generation = generation;
    for (const bool update : {false, true}) {
      admission::DryRun dry_run;
      const admission::DryRunResult& result =
          dry_run.run({.resource = *resource,
                       .object = object.root(),
                       .old_object = update ? object.root() : json::Value{}},
                      {fixture.settings, fixture.facts, fixture.leases, fixture.now});
      EXPECT_THAT(places_of(result.findings), testing::IsEmpty());
      EXPECT_THAT(warnings_of(result.findings), testing::IsEmpty());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Case, BetaSampleTest, testing::ValuesIn(beta_samples()),
                         [](const auto& test) { return test.param.name; });

TEST(Samples, CoverEveryKindOfBothVersions) {
  std::vector<api::Kind> found;
  for (const Sample& sample : beta_samples()) {
    found.push_back(kind_of(from_yaml(sample.yaml).root()));
  }
  for (const api::KindNames& kind : api::kKinds) {
    EXPECT_EQ(std::ranges::count(found, kind.kind) > 0, api::has_two_versions(kind.kind))
        << kind.name;
  }
}

TEST(Samples, CoverEveryKind) {
  std::vector<api::Kind> found;
  for (const Sample& sample : samples()) {
    found.push_back(kind_of(from_yaml(sample.yaml).root()));
  }
  EXPECT_GE(found.size(), 12U);
  for (const api::KindNames& kind : api::kKinds) {
    EXPECT_GE(std::ranges::count(found, kind.kind), 1) << kind.name;
  }
}

}  // namespace
}  // namespace dynamo::test
