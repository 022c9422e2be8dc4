// From bytes to bytes: the answer to a body that is not a review of the path's kind, and the
// independence of consecutive reviews.
#include "admission/review.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/api_server.hpp"
#include "tests/support/review_fixture.hpp"

namespace dynamo::admission {
namespace {

using test::ReviewFixture;
using test::ReviewResponse;

std::string good_review(api::Operation operation = api::Operation::kCreate) {
  const json::Document object = test::from_yaml(
      test::object_text(api::Kind::kGraphDeployment, "{services: {A: {" DYNAMO_GOOD_SERVICE "}}}"));
  const bool update = operation == api::Operation::kUpdate;
  return test::review_text({.operation = operation,
                            .object = object.root(),
                            .old_object = update ? object.root() : json::Value{}});
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

const Route& graph_route() {
  return test::validating(api::Kind::kGraphDeployment);
}

TEST(Review, ValidObjectIsAllowed) {
  ReviewFixture fixture;
  for (const auto operation : {api::Operation::kCreate, api::Operation::kUpdate}) {
    const ReviewResponse reviewed = fixture.review(graph_route(), good_review(operation));
    EXPECT_EQ(reviewed.verdict, ReviewVerdict::kAllowed);
    EXPECT_EQ(reviewed.http_status, 200U);
  }
}

TEST(Review, AnswerIsAppended) {
  ReviewFixture fixture;
  test::PaddedText body{good_review()};
  std::string answer = "before";
  const EvaluationInputs inputs{fixture.settings, fixture.facts, fixture.leases, fixture.now};
  fixture.reviewer.review(graph_route(), std::span{body.bytes.data(), body.size}, inputs, answer);
  EXPECT_EQ(answer, "before" + fixture.review(graph_route(), good_review()).answer);
}

struct BadBody {
  std::string_view name;
  std::string body;
  std::string_view answer;  // its beginning
};
void PrintTo(const BadBody& bad, std::ostream* out) {
  *out << bad.name;
}

class BadBodyTest : public testing::TestWithParam<BadBody> {};

TEST_P(BadBodyTest, BadBodyGetsOneLineWithLocation) {
  ReviewFixture fixture;
  for (const Route& route : routes()) {
    if (route.kind != api::Kind::kGraphDeployment) continue;
    const ReviewResponse reviewed = fixture.review(route, GetParam().body);
    EXPECT_EQ(reviewed.http_status, 400U);
    EXPECT_EQ(reviewed.verdict, ReviewVerdict::kBadRequest);
    EXPECT_TRUE(reviewed.answer.starts_with(GetParam().answer)) << reviewed.answer;
    EXPECT_EQ(std::ranges::count(reviewed.answer, '\n'), 1) << reviewed.answer;
    EXPECT_TRUE(reviewed.answer.ends_with('\n'));
    EXPECT_TRUE(std::ranges::none_of(reviewed.answer.substr(0, reviewed.answer.size() - 1),
                                     [](char c) { return static_cast<unsigned char>(c) < 0x20; }));
    EXPECT_LT(reviewed.answer.size(), 400U);
  }
}

std::vector<BadBody> bad_bodies() {
  const std::string good = good_review();
  const std::string update = good_review(api::Operation::kUpdate);
  const std::string kind = R"("kind":"DynamoGraphDeployment"})";
  return {
      {"empty", "", "AdmissionReview: byte 0: "},
      {"blank", " \n ", "AdmissionReview: byte "},
      {"truncated", good.substr(0, good.size() / 2), "AdmissionReview: byte "},
      {"one_byte_short", good.substr(0, good.size() - 1), "AdmissionReview: byte "},
      {"invalid_utf8", replaced(good, "example", "ex\xFFmple"), "AdmissionReview: byte "},
      {"not_a_number", replaced(good, "{\"image\":\"a\"}", "NaN"), "AdmissionReview: byte "},
      {"too_deep",
       replaced(good, "{\"image\":\"a\"}", std::string(200, '[') + std::string(200, ']')),
       "AdmissionReview: byte "},
      {"trailing_bytes", good + "x", "AdmissionReview: byte "},
      {"two_reviews", good + good, "AdmissionReview: byte "},
      {"zero_byte_at_the_end", good + std::string(1, '\0'), "AdmissionReview: byte "},
      {"no_json", "<html>", "AdmissionReview: byte 0: "},
      {"no_object", "[]", "AdmissionReview: must be a JSON object"},
      {"no_uid", replaced(good, "\"uid\"", "\"id\""), "request.uid: must not be empty"},
      {"long_uid", replaced(good, "\"uid\":\"", "\"uid\":\"" + std::string(200, 'u')),
       "request.uid: must be at most 128 bytes long; found 2"},
      {"old_version", replaced(good, "admission.k8s.io/v1", "admission.k8s.io/v1beta1"),
       "apiVersion: must be \"admission.k8s.io/v1\""},
      {"another_kind_of_review", replaced(good, "AdmissionReview", "ConversionReview"),
       "kind: must be \"AdmissionReview\""},
      {"another_kind_than_the_paths", replaced(good, kind, R"("kind":"DynamoModel"})"),
       "request.kind: must be nvidia.com/v1alpha1 DynamoGraphDeployment on this path; found "
       "nvidia.com/v1alpha1 DynamoModel"},
      {"another_version_than_the_paths", replaced(good, "v1alpha1", "v1beta1"),
       "request.kind: must be nvidia.com/v1alpha1 DynamoGraphDeployment on this path; found "
       "nvidia.com/v1beta1 DynamoGraphDeployment, whose path is /"},
      {"a_version_that_does_not_exist", replaced(good, "v1alpha1", "v2"),
       "request.kind: must be nvidia.com/v1alpha1 DynamoGraphDeployment on this path; found "
       "nvidia.com/v2 DynamoGraphDeployment, which is of an API version that this release does not "
       "validate\n"},
      {"another_group_than_the_paths", replaced(good, "nvidia.com", "example.com"),
       "request.kind: must be nvidia.com/v1alpha1"},
      {"a_kind_with_a_line_break", replaced(good, kind, R"("kind":"Dynamo\nGraph\u001b"})"),
       "request.kind: must be nvidia.com/v1alpha1"},
      {"a_kind_of_a_megabyte",
       replaced(good, kind, R"("kind":")" + std::string(1'000'000, 'K') + "\"}"),
       "request.kind: must be nvidia.com/v1alpha1"},
      {"no_object_to_create", replaced(good, R"("object":{)", R"("objekt":{)"),
       "request.object: must be an object for this operation; found nothing"},
      {"no_old_object_to_update", replaced(update, "oldObject", "old"),
       "request.oldObject: must be an object for this operation; found nothing"},
  };
}

INSTANTIATE_TEST_SUITE_P(That, BadBodyTest, testing::ValuesIn(bad_bodies()),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(Review, ParseErrorNamesByte) {
  ReviewFixture fixture;
  const std::string good = good_review();
  const ReviewResponse trailing = fixture.review(graph_route(), good + "x");
  EXPECT_TRUE(trailing.answer.starts_with("AdmissionReview: byte " + std::to_string(good.size())))
      << trailing.answer;
  const std::string nan = replaced(good, "{\"image\":\"a\"}", "NaN");
  const ReviewResponse syntax = fixture.review(graph_route(), nan);
  EXPECT_TRUE(syntax.answer.starts_with("AdmissionReview: byte " + std::to_string(nan.find("NaN"))))
      << syntax.answer;
}

TEST(Review, DepthLimitIsExact) {
  ReviewFixture fixture;
  fixture.reviewer = Reviewer(Enforcement::kDeny, {.max_depth = 20});
  // review > request > object > spec are four levels.
  const auto nested = [](std::size_t levels) {
    return replaced(
        good_review(), "\"services\":",
        "\"x\":" + std::string(levels, '[') + std::string(levels, ']') + ",\"services\":");
  };
  EXPECT_EQ(fixture.review(graph_route(), nested(16)).http_status, 200U);
  EXPECT_EQ(fixture.review(graph_route(), nested(17)).http_status, 400U);
}

TEST(Review, SubresourceKindIsAccepted) {
  ReviewFixture fixture;
  std::string review = replaced(good_review(), R"("requestKind")", R"("subResource":"scale","r")");
  review = replaced(review, R"("kind":"DynamoGraphDeployment"})", R"("kind":"Scale"})");
  const ReviewResponse reviewed = fixture.review(graph_route(), review);
  EXPECT_EQ(reviewed.http_status, 200U) << reviewed.answer;
  EXPECT_EQ(reviewed.verdict, ReviewVerdict::kExempted);
}

TEST(Review, DeleteIsAllowed) {
  ReviewFixture fixture;
  const json::Document object = test::from_yaml("{metadata: {name: a}, spec: 7}");
  const std::string review = test::review_text(
      {.operation = api::Operation::kDelete, .object = {}, .old_object = object.root()});
  for (const Route* const route : {&graph_route(), &test::mutating()}) {
    const ReviewResponse reviewed = fixture.review(*route, review);
    EXPECT_EQ(reviewed.verdict, ReviewVerdict::kExempted);
    const test::ResponseCheck accepted =
        test::accept_answer(review, reviewed.answer, test::Webhook::kMutating);
    EXPECT_EQ(accepted.complaint, "");
    EXPECT_TRUE(accepted.allowed);
    EXPECT_EQ(accepted.patch, "");
  }
}

TEST(Review, AuditAnnotationNamesLeaseHolder) {
  ReviewFixture fixture;
  fixture.leases.set("default", {fixture.now, std::chrono::seconds(30), "another-operator-1.2.3"});
  const std::string review = good_review();
  const ReviewResponse reviewed = fixture.review(graph_route(), review);
  EXPECT_EQ(reviewed.verdict, ReviewVerdict::kExempted);
  const test::ResponseCheck accepted =
      test::accept_answer(review, reviewed.answer, test::Webhook::kValidating);
  EXPECT_EQ(accepted.complaint, "");
  EXPECT_EQ(accepted.audit_key, "namespace-lease-holder");
  EXPECT_EQ(accepted.audit_value, "another-operator-1.2.3");

  EXPECT_EQ(
      accepted.warnings,
      std::vector<std::string>{
          "not validated: Lease default/dynamo-operator-namespace-scope leaves this namespace "
          "to another operator until 2026-02-03T04:05:36Z; holder: another-operator-1.2.3"});

  // The next request contains nothing of the previous answer.
  fixture.now += std::chrono::seconds(30);
  const ReviewResponse review_outcome = fixture.review(graph_route(), review);
  EXPECT_EQ(review_outcome.verdict, ReviewVerdict::kAllowed);
  const test::ResponseCheck last =
      test::accept_answer(review, review_outcome.answer, test::Webhook::kValidating);
  EXPECT_EQ(last.audit_key, "");
  EXPECT_TRUE(last.warnings.empty());
}

TEST(Review, LeaseHolderIsSanitised) {
  const struct {
    std::string_view holder;
    std::string expected;
  } rows[] = {{"", "unknown"}, {"a\nb\x7f", "a b "}, {"\"quoted\\", "\"quoted\\"}};
  for (const auto& row : rows) {
    ReviewFixture fixture;
    fixture.leases.set("default", {fixture.now, std::chrono::seconds(30), row.holder});
    const std::string review = good_review();
    const ReviewResponse reviewed = fixture.review(graph_route(), review);
    const test::ResponseCheck accepted =
        test::accept_answer(review, reviewed.answer, test::Webhook::kValidating);
    EXPECT_EQ(accepted.complaint, "");
    EXPECT_EQ(accepted.audit_value, row.expected);
  }
}

TEST(Review, DefaultingPatchAppliesToSentObject) {
  ReviewFixture fixture;
  const json::Document object = test::from_yaml(test::object_text(
      api::Kind::kGraphDeployment, "{services: {'a/b~c': {unknown: [null, 1.5]}}}"));
  const std::string review = test::review_text({.object = object.root()});
  const test::ResponseCheck accepted = test::accept_answer(
      review, fixture.review(test::mutating(), review).answer, test::Webhook::kMutating);
  EXPECT_EQ(accepted.complaint, "");
  EXPECT_EQ(accepted.patched,
            R"({"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment",)"
            R"("metadata":{"name":"example","namespace":"default","annotations":)"
            R"({"nvidia.com/dynamo-operator-origin-version":"1.2.3"}},)"
            R"("spec":{"services":{"a/b~c":{"unknown":[null,1.5],"replicas":1}}}})");
}

TEST(Review, MutatingPathDoesNotDeny) {
  ReviewFixture fixture;
  const json::Document object = test::from_yaml(test::object_text(
      api::Kind::kGraphDeployment, "{services: {A: {" DYNAMO_UNSCALED_SERVICE ", replicas: -1}}}"));
  const std::string review = test::review_text({.object = object.root()});
  EXPECT_EQ(fixture.review(test::mutating(), review).verdict, ReviewVerdict::kAllowed);
}

TEST(Review, ReviewsAreIndependent) {
  const json::Document broken = test::from_yaml(test::object_text(
      api::Kind::kGraphDeployment, "{services: {A: {" DYNAMO_UNSCALED_SERVICE ", replicas: -1}}}"));
  const std::vector<std::string> bodies{
      good_review(), test::review_text({.object = broken.root()}), "",
      "{}",          good_review(api::Operation::kUpdate),         good_review() + "x"};
  ReviewFixture used;
  for (int round = 0; round < 3; ++round) {
    for (const Route& route : routes()) {
      for (const std::string& body : bodies) {
        ReviewFixture fresh;
        const ReviewResponse wanted = fresh.review(route, body);
        const ReviewResponse found = used.review(route, body);
        EXPECT_EQ(found.answer, wanted.answer);
        EXPECT_EQ(found.http_status, wanted.http_status);
        EXPECT_EQ(found.verdict, wanted.verdict);
      }
    }
  }
}

TEST(Review, UidIsKeptForLog) {
  ReviewFixture fixture;
  test::PaddedText body{good_review()};
  std::string answer;
  const EvaluationInputs inputs{fixture.settings, fixture.facts, fixture.leases, fixture.now};
  const std::span text{body.bytes.data(), body.size};
  const ReviewResult outcome = fixture.reviewer.review(graph_route(), text, inputs, answer);
  ASSERT_NE(outcome.request, nullptr);
  EXPECT_EQ(fixture.reviewer.last_uid(), outcome.request->uid);
  fixture.review(graph_route(), "");
  EXPECT_EQ(fixture.reviewer.last_uid(), "");
}

}  // namespace
}  // namespace dynamo::admission
