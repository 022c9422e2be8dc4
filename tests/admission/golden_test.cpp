// Every invalid object of tests/testdata as a whole AdmissionReview: the fields and rules that its
// header lists, and the exact answer.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "json/parser.hpp"
#include "tests/admission/cases.hpp"
#include "tests/support/api_server.hpp"
#include "tests/support/golden.hpp"
#include "tests/support/review_fixture.hpp"

namespace dynamo::test {
namespace {

struct Exchange {
  std::string review;
  ReviewResponse reviewed;
};

Exchange answer_to(const InvalidCase& invalid_case) {
  const json::Document object = from_yaml(invalid_case.object);
  json::Document old;
  if (!invalid_case.old_object.empty()) old = from_yaml(invalid_case.old_object);
  ReviewParts parts{.kind = invalid_case.kind,
                    .operation = old.empty() ? api::Operation::kCreate : api::Operation::kUpdate,
                    .name = object.root()["metadata"]["name"].string_or_empty(),
                    .object = object.root(),
                    .old_object = old.root()};
  parts.user.reset();
  if (invalid_case.user) parts.user = *invalid_case.user;
  ReviewFixture fixture;
  fixture.settings = invalid_case.settings;
  fixture.facts = invalid_case.facts;
  Exchange answered{review_text(parts), {}};
  answered.reviewed = fixture.review(validating(invalid_case.kind), answered.review);
  return answered;
}

std::string rule_at_the_end_of(std::string_view message) {
  const std::size_t start = message.rfind('[');
  if (start == std::string_view::npos || !message.ends_with(']')) return "";
  return std::string(message.substr(start + 1, message.size() - start - 2));
}

std::vector<Place> causes_in(json::Value response) {
  std::vector<Place> places;
  for (const json::Value cause : response["status"]["details"]["causes"].elements()) {
    places.push_back({std::string(cause["field"].string_or_empty()),
                      rule_at_the_end_of(cause["message"].string_or_empty())});
  }
  std::ranges::sort(places);
  return places;
}

std::vector<Place> warnings_in(json::Value response) {
  std::vector<Place> places;
  for (const json::Value warning : response["warnings"].elements()) {
    const std::string_view text = warning.string_or_empty();
    places.push_back({std::string(text.substr(0, text.find(": "))), rule_at_the_end_of(text)});
  }
  std::ranges::sort(places);
  return places;
}

class InvalidObjectTest : public testing::TestWithParam<InvalidCase> {};

TEST_P(InvalidObjectTest, FindingsMatchHeader) {
  const Exchange answered = answer_to(GetParam());
  ASSERT_EQ(answered.reviewed.http_status, 200U) << answered.reviewed.answer;
  const ResponseCheck accepted =
      accept_answer(answered.review, answered.reviewed.answer, Webhook::kValidating);
  EXPECT_EQ(accepted.complaint, "");
  EXPECT_EQ(accepted.allowed, GetParam().errors.empty());
  const auto answer = json::parse_copy(answered.reviewed.answer);
  EXPECT_EQ(causes_in(answer->root()["response"]), GetParam().errors);
  EXPECT_EQ(warnings_in(answer->root()["response"]), GetParam().warnings);
}

TEST_P(InvalidObjectTest, AnswerMatchesGoldenFile) {
  const auto answer = json::parse_copy(answer_to(GetParam()).reviewed.answer);
  EXPECT_EQ(differs_from_golden(GetParam().name + ".json", pretty(answer->root()) + "\n"), "");
}

std::string test_name(const testing::TestParamInfo<InvalidCase>& test) {
  std::string name = test.param.name;
  std::ranges::replace(name, '/', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Case, InvalidObjectTest, testing::ValuesIn(invalid_cases()), test_name);

TEST(InvalidObjects, CoverEveryKindAndOperation) {
  const std::vector<InvalidCase> cases = invalid_cases();
  for (const api::KindNames& kind : api::kKinds) {
    for (const bool update : {false, true}) {
      EXPECT_GE(std::ranges::count_if(cases,
                                      [&](const InvalidCase& known) {
                                        return known.kind == kind.kind &&
                                               known.old_object.empty() != update;
                                      }),
                2)
          << kind.name << (update ? " updates" : " creates");
    }
  }
}

TEST(InvalidObjects, EachGoldenFileHasAnObject) {
  std::vector<std::string> wanted;
  for (const InvalidCase& known : invalid_cases()) wanted.push_back(known.name + ".json");
  for (const std::string_view set : {"invalid", "invalid_updates"}) {
    for (const auto& path : files_below(testdata("golden") / set, ".json")) {
      const std::string name = std::filesystem::relative(path, testdata("golden")).string();
      EXPECT_TRUE(std::ranges::find(wanted, name) != wanted.end()) << name << " is left over";
    }
  }
}

TEST(Kubectl, DenialIsPrintedAsFieldList) {
  const std::vector<InvalidCase> cases = invalid_cases();
  const auto everything = std::ranges::find(
      cases, "invalid/dynamographdeployment/everything_at_once", &InvalidCase::name);
  ASSERT_NE(everything, cases.end());
  EXPECT_EQ(differs_from_golden("kubectl/everything_at_once.txt",
                                kubectl_text(answer_to(*everything).reviewed.answer)),
            "");
}

}  // namespace
}  // namespace dynamo::test
