// Writes responses, and reads them as the API server does.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "api/admission_review.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"
#include "tests/support/api_server.hpp"
#include "tests/support/objects.hpp"

namespace dynamo::api {
namespace {

using test::Webhook;

const std::string kReview =
    R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u-1",)"
    R"("operation":"CREATE","object":{"metadata":{"name":"n"},"spec":{}}}})";

std::string written(const AdmissionResponse& response) {
  std::string answer;
  write_review(response, answer);
  return answer;
}

TEST(WriteReview, WritesMinimalAllowResponse) {
  EXPECT_EQ(written({.uid = "u-1"}),
            R"({"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1",)"
            R"("response":{"uid":"u-1","allowed":true}})");
}

TEST(WriteReview, AppendsToExistingText) {
  std::string answer = "before";
  write_review({.uid = "u-1"}, answer);
  EXPECT_EQ(answer, "before" + written({.uid = "u-1"}));
}

TEST(WriteReview, SendsPatchAndPatchTypeTogether) {
  const std::string answer =
      written({.uid = "u-1", .patch = R"([{"op":"add","path":"/spec/a","value":"ä"}])"});
  const test::ResponseCheck accepted = test::accept_answer(kReview, answer, Webhook::kMutating);
  EXPECT_EQ(accepted.complaint, "");
  EXPECT_TRUE(accepted.allowed);
  EXPECT_EQ(accepted.patched, R"({"metadata":{"name":"n"},"spec":{"a":"ä"}})");
}

TEST(WriteReview, OmitsPatchTypeWithoutPatch) {
  const auto answer = json::parse_copy(written({.uid = "u-1"}));
  EXPECT_FALSE(answer->root()["response"]["patch"].exists());
  EXPECT_FALSE(answer->root()["response"]["patchType"].exists());
}

TEST(WriteReview, DeniesWithOneCauseForEachError) {
  const std::vector<StatusCause> causes{{"FieldValueRequired", "spec.a", "must be \"there\""},
                                        {"FieldValueInvalid", "spec.b", "must\nhold"}};
  const std::string text = written({.uid = "u-1",
                                    .allowed = false,
                                    .message = "all of it",
                                    .details_group = "nvidia.com",
                                    .details_kind = "DynamoModel",
                                    .details_name = "n",
                                    .causes = causes});
  const test::ResponseCheck accepted = test::accept_answer(kReview, text, Webhook::kValidating);
  EXPECT_EQ(accepted.complaint, "");
  EXPECT_FALSE(accepted.allowed);
  const auto answer = json::parse_copy(text);
  const json::Value status = answer->root()["response"]["status"];
  EXPECT_EQ(status["code"].integer(), 422);
  EXPECT_EQ(status["message"].string(), "all of it");
  EXPECT_EQ(status["details"]["group"].string(), "nvidia.com");
  EXPECT_EQ(status["details"]["kind"].string(), "DynamoModel");
  EXPECT_EQ(status["details"]["name"].string(), "n");
  EXPECT_EQ(json::to_text(status["details"]["causes"]),
            R"([{"reason":"FieldValueRequired","message":"must be \"there\"","field":"spec.a"},)"
            R"({"reason":"FieldValueInvalid","message":"must\nhold","field":"spec.b"}])");
}

TEST(WriteReview, SendsWarningsAlsoWithADenial) {
  const std::vector<std::string> warnings{"first", "second"};
  const std::vector<StatusCause> causes{{"FieldValueInvalid", "spec", "m"}};
  for (const bool allowed : {true, false}) {
    const std::string answer = written({.uid = "u-1",
                                        .allowed = allowed,
                                        .warnings = warnings,
                                        .message = "m",
                                        .details_group = "nvidia.com",
                                        .details_kind = "DynamoModel",
                                        .details_name = "n",
                                        .causes = causes});
    const test::ResponseCheck accepted = test::accept_answer(kReview, answer, Webhook::kValidating);
    EXPECT_EQ(accepted.complaint, "");
    EXPECT_EQ(accepted.warnings, warnings);
  }
}

TEST(WriteReview, SendsTheAuditAnnotation) {
  const std::string answer =
      written({.uid = "u-1", .audit_key = "denied-by", .audit_value = "a.b,c.d"});
  const test::ResponseCheck accepted = test::accept_answer(kReview, answer, Webhook::kValidating);
  EXPECT_EQ(accepted.complaint, "");
  EXPECT_EQ(accepted.audit_key, "denied-by");
  EXPECT_EQ(accepted.audit_value, "a.b,c.d");
}

TEST(WriteReview, EscapesTheUid) {
  const std::string review = R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview",)"
                             R"("request":{"uid":"a\"\\\n"}})";
  EXPECT_EQ(
      test::accept_answer(review, written({.uid = "a\"\\\n"}), Webhook::kValidating).complaint, "");
}

// The fake server must refuse what a real API server refuses, or the tests above prove nothing.
TEST(FakeApiServer, RefusesInvalidResponsesLikeARealApiServer) {
  const auto complaint = [](const std::string& response, Webhook webhook = Webhook::kMutating) {
    return test::accept_answer(
               kReview,
               R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":)" +
                   response + "}",
               webhook)
        .complaint;
  };
  EXPECT_EQ(complaint(R"({"uid":"u-1","allowed":true})"), "");
  EXPECT_NE(test::accept_answer(kReview, R"({"response":{"uid":"u-1","allowed":true}})",
                                Webhook::kMutating)
                .complaint,
            "");
  EXPECT_NE(test::accept_answer(kReview, "", Webhook::kMutating).complaint, "");
  EXPECT_NE(complaint(R"({"uid":"u-2","allowed":true})"), "");
  EXPECT_NE(complaint(R"({"uid":"u-1"})"), "");
  EXPECT_NE(complaint(R"({"uid":"u-1","allowed":true,"patch":"W10="})"), "");
  EXPECT_NE(complaint(R"({"uid":"u-1","allowed":true,"patchType":"JSONPatch"})"), "");
  EXPECT_NE(complaint(R"({"uid":"u-1","allowed":true,"patch":"","patchType":"JSONPatch"})"), "");
  EXPECT_NE(complaint(R"({"uid":"u-1","allowed":true,"patch":"W10","patchType":"JSONPatch"})"), "");
  EXPECT_NE(complaint(R"({"uid":"u-1","allowed":true,"patch":"W10=","patchType":"JSONPatch"})",
                      Webhook::kValidating),
            "");
  EXPECT_EQ(complaint(R"({"uid":"u-1","allowed":true,"patch":"W10=","patchType":"JSONPatch"})"),
            "");
  EXPECT_NE(complaint(R"({"uid":"u-1","allowed":true,"warnings":["a\nb"]})"), "");
  EXPECT_NE(
      complaint(R"({"uid":"u-1","allowed":true,"warnings":[")" + std::string(257, 'w') + "\"]}"),
      "");
  EXPECT_EQ(
      complaint(R"({"uid":"u-1","allowed":true,"warnings":[")" + std::string(256, 'w') + "\"]}"),
      "");
  EXPECT_NE(complaint(R"({"uid":"u-1","allowed":true,"auditAnnotations":{"a/b":"c"}})"), "");
  EXPECT_NE(complaint(R"({"uid":"u-1","allowed":false})"), "");
  EXPECT_NE(complaint(R"({"uid":"u-1","allowed":false,"status":{"status":"Failure","code":422,)"
                      R"("reason":"Invalid","message":"no"}})"),
            "");
}

TEST(FakeApiServer, PrintsADenialLikeKubectl) {
  const auto text = [](std::string_view causes) {
    return test::kubectl_text(
        R"({"response":{"status":{"details":{"kind":"DynamoModel","name":"n","causes":[)" +
        std::string(causes) + "]}}}}");
  };
  EXPECT_EQ(text(R"({"field":"a","message":"m"})"), "The DynamoModel \"n\" is invalid: a: m\n");
  EXPECT_EQ(text(R"({"field":"a","message":"m"},{"field":"b","message":"o"},)"
                 R"({"field":"a","message":"m"})"),
            "The DynamoModel \"n\" is invalid: \n* a: m\n* b: o\n");
}

}  // namespace
}  // namespace dynamo::api
