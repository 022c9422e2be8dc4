// Reads the envelope: decoded fields, and the field that an error names.
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <string_view>

#include "api/admission_review.hpp"
#include "tests/support/objects.hpp"

namespace dynamo::api {
namespace {

constexpr std::string_view kWhole = R"(
apiVersion: admission.k8s.io/v1
kind: AdmissionReview
request:
  uid: u-1
  kind: {group: nvidia.com, version: v1alpha1, kind: DynamoModel}
  resource: {group: nvidia.com, version: v1alpha1, resource: dynamomodels}
  subResource: status
  name: example
  namespace: ns
  operation: UPDATE
  userInfo: {username: jane, groups: [a]}
  object: {spec: {a: 1}}
  oldObject: {spec: {a: 2}}
  dryRun: true
  options: null
  somethingNew: [1]
)";

TEST(DecodeReview, ReadsEveryFieldThatRulesNeed) {
  const json::Document review = test::from_yaml(kWhole);
  const DecodedReview decoded = decode_review(review.root());
  ASSERT_TRUE(decoded.request) << decoded.error.field << ": " << decoded.error.reason;
  const AdmissionRequest& request = *decoded.request;
  EXPECT_EQ(request.uid, "u-1");
  EXPECT_EQ(request.kind.group, "nvidia.com");
  EXPECT_EQ(request.kind.version, "v1alpha1");
  EXPECT_EQ(request.kind.kind, "DynamoModel");
  EXPECT_EQ(request.sub_resource, "status");
  EXPECT_EQ(request.name, "example");
  EXPECT_EQ(request.namespace_name, "ns");
  EXPECT_EQ(request.operation, Operation::kUpdate);
  EXPECT_EQ(request.user, "jane");
  EXPECT_TRUE(request.dry_run);
  EXPECT_EQ(request.object["spec"]["a"].integer(), 1);
  EXPECT_EQ(request.old_object["spec"]["a"].integer(), 2);
}

TEST(DecodeReview, TreatsNullAsAbsent) {
  const json::Document review = test::from_yaml(R"(
apiVersion: admission.k8s.io/v1
kind: AdmissionReview
request: {uid: u, operation: DELETE, name: null, namespace: null, subResource: null, kind: null,
          userInfo: null, dryRun: null, object: null, oldObject: null}
)");
  const DecodedReview decoded = decode_review(review.root());
  ASSERT_TRUE(decoded.request) << decoded.error.field << ": " << decoded.error.reason;
  EXPECT_FALSE(decoded.request->object.exists());
  EXPECT_FALSE(decoded.request->old_object.exists());
  EXPECT_EQ(decoded.request->user, std::nullopt);
  EXPECT_FALSE(decoded.request->dry_run);
  EXPECT_EQ(decoded.request->sub_resource, "");
}

TEST(DecodeReview, DistinguishesAnEmptyUserFromNone) {
  const auto user_of = [](std::string_view user_info) {
    const json::Document review = test::from_yaml(
        "{apiVersion: admission.k8s.io/v1, kind: AdmissionReview, "
        "request: {uid: u, operation: CREATE" +
        std::string(user_info) + "}}");
    return decode_review(review.root()).request.value().user.has_value();
  };
  EXPECT_FALSE(user_of(""));
  EXPECT_FALSE(user_of(", userInfo: {}"));
  EXPECT_FALSE(user_of(", userInfo: {username: null}"));
  EXPECT_TRUE(user_of(", userInfo: {username: ''}"));
}

struct Fault {
  std::string_view name;
  std::string_view review;
  std::string_view field;
  std::string_view reason;
};
void PrintTo(const Fault& fault, std::ostream* out) {
  *out << fault.name;
}

// A review whose request has these fields.
#define REQUEST(fields) \
  "{apiVersion: admission.k8s.io/v1, kind: AdmissionReview, request: {" fields "}}"
#define GOOD "uid: u, operation: CREATE, "

class BadEnvelopeTest : public testing::TestWithParam<Fault> {};

TEST_P(BadEnvelopeTest, ErrorNamesTheField) {
  const json::Document review = test::from_yaml(GetParam().review);
  const DecodedReview decoded = decode_review(review.root());
  EXPECT_FALSE(decoded.request);
  EXPECT_EQ(decoded.error.field, GetParam().field);
  EXPECT_EQ(decoded.error.reason, GetParam().reason);
}

INSTANTIATE_TEST_SUITE_P(
    With, BadEnvelopeTest,
    testing::ValuesIn(std::vector<Fault>{
        {"no_object", "[]", "AdmissionReview", "must be a JSON object"},
        {"text", "review", "AdmissionReview", "must be a JSON object"},
        {"no_api_version", "{kind: AdmissionReview, request: {}}", "apiVersion",
         "must be \"admission.k8s.io/v1\"; found nothing"},
        {"old_api_version", "{apiVersion: admission.k8s.io/v1beta1, kind: AdmissionReview}",
         "apiVersion", "must be \"admission.k8s.io/v1\"; found \"admission.k8s.io/v1beta1\""},
        {"api_version_of_wrong_type", "{apiVersion: 1, kind: AdmissionReview}", "apiVersion",
         "must be \"admission.k8s.io/v1\"; found integer"},
        {"api_version_with_a_line_break", "{apiVersion: \"a\\nb\", kind: AdmissionReview}",
         "apiVersion", "must be \"admission.k8s.io/v1\"; found \"a b\""},
        {"no_kind", "{apiVersion: admission.k8s.io/v1}", "kind",
         "must be \"AdmissionReview\"; found nothing"},
        {"another_kind", "{apiVersion: admission.k8s.io/v1, kind: ConversionReview}", "kind",
         "must be \"AdmissionReview\"; found \"ConversionReview\""},
        {"no_request", "{apiVersion: admission.k8s.io/v1, kind: AdmissionReview}", "request",
         "must be an object"},
        {"request_of_wrong_type",
         "{apiVersion: admission.k8s.io/v1, kind: AdmissionReview, request: []}", "request",
         "must be an object"},
        {"no_uid", REQUEST("operation: CREATE"), "request.uid", "must not be empty"},
        {"empty_uid", REQUEST("uid: '', operation: CREATE"), "request.uid", "must not be empty"},
        {"null_uid", REQUEST("uid: null, operation: CREATE"), "request.uid", "must not be empty"},
        {"uid_of_wrong_type", REQUEST("uid: 7, operation: CREATE"), "request.uid",
         "must be a string; found integer"},
        {"no_operation", REQUEST("uid: u"), "request.operation",
         "must be CREATE, UPDATE, DELETE or CONNECT"},
        {"unknown_operation", REQUEST("uid: u, operation: create"), "request.operation",
         "must be CREATE, UPDATE, DELETE or CONNECT"},
        {"operation_of_wrong_type", REQUEST("uid: u, operation: [CREATE]"), "request.operation",
         "must be a string; found list"},
        {"kind_of_wrong_type", REQUEST(GOOD "kind: DynamoModel"), "request.kind",
         "must be an object; found string"},
        {"sub_resource_of_wrong_type", REQUEST(GOOD "subResource: {}"), "request.subResource",
         "must be a string; found object"},
        {"name_of_wrong_type", REQUEST(GOOD "name: 7"), "request.name",
         "must be a string; found integer"},
        {"namespace_of_wrong_type", REQUEST(GOOD "namespace: 7"), "request.namespace",
         "must be a string; found integer"},
        {"user_info_of_wrong_type", REQUEST(GOOD "userInfo: jane"), "request.userInfo",
         "must be an object; found string"},
        {"user_name_of_wrong_type", REQUEST(GOOD "userInfo: {username: [jane]}"),
         "request.userInfo.username", "must be a string; found list"},
        {"dry_run_of_wrong_type", REQUEST(GOOD "dryRun: 'true'"), "request.dryRun",
         "must be true or false; found string"},
        {"object_of_wrong_type", REQUEST(GOOD "object: []"), "request.object",
         "must be an object; found list"},
        {"old_object_of_wrong_type", REQUEST(GOOD "oldObject: text"), "request.oldObject",
         "must be an object; found string"},
    }),
    [](const auto& test) { return std::string(test.param.name); });

TEST(DecodeReview, ErrorTruncatesLongValues) {
  const json::Document review =
      test::from_yaml("{apiVersion: '" + std::string(10'000, 'x') + "', kind: AdmissionReview}");
  EXPECT_LT(decode_review(review.root()).error.reason.size(), 200U);
}

}  // namespace
}  // namespace dynamo::api
