// Both webhooks in a row, as an API server calls them.
#include "admission/request_evaluator.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "json/writer.hpp"
#include "tests/support/objects.hpp"
#include "tests/support/review_fixture.hpp"

namespace dynamo::admission {
namespace {

using testing::HasSubstr;

class Admit : public testing::Test {
 protected:
  Admission admit(api::Kind kind, std::string_view object, std::string_view old_object = "") {
    object_ = test::from_yaml(object);
    old_ = old_object.empty() ? json::Document{} : test::from_yaml(old_object);
    const api::AdmissionRequest request{
        .uid = "u",
        .kind = {api::kGroup, api::kVersion, api::names(kind).name},
        .sub_resource = {},
        .name = "a",
        .namespace_name = "default",
        .operation = old_object.empty() ? api::Operation::kCreate : api::Operation::kUpdate,
        .user = "jane",
        .object = object_.root(),
        .old_object = old_.root()};
    return request_evaluator_.evaluate_both(
        kind, request, {settings_, facts_, leases_, std::chrono::system_clock::time_point{}});
  }

  api::Settings settings_{
      .operator_version = "1.2.3", .operator_service_account = {}, .restricted_namespace = {}};
  api::ClusterFacts facts_{.inference_pool_served = api::Fact::kYes};
  test::FakeNamespaceLeases leases_;
  json::Document object_;
  json::Document old_;
  RequestEvaluator request_evaluator_;
};

TEST_F(Admit, DefaultsAreAppliedBeforeValidation) {
  const Admission admission =
      admit(api::Kind::kGraphDeployment,
            "{metadata: {name: a}, spec: {services: {A: {" DYNAMO_UNSCALED_SERVICE "}}}}");
  EXPECT_TRUE(admission.decision.is_allowed());
  EXPECT_THAT(admission.patch, HasSubstr("1.2.3"));
  EXPECT_THAT(json::to_text(admission.object), HasSubstr("1.2.3"));
}

TEST_F(Admit, KindWithoutDefaultsStaysUnchanged) {
  const Admission admission =
      admit(api::Kind::kModel, "{metadata: {name: a}, spec: {modelName: m, baseModelName: b}}");
  EXPECT_EQ(admission.patch, "");
  EXPECT_EQ(json::to_text(admission.object), json::to_text(object_.root()));
}

TEST_F(Admit, PatchOfPreviousRequestIsCleared) {
  ASSERT_NE(admit(api::Kind::kGraphDeployment, "{spec: {services: {A: {image: a:1}}}}").patch, "");
  EXPECT_EQ(admit(api::Kind::kModel, "{metadata: {name: a}, spec: {}}").patch, "");
}

TEST_F(Admit, DeletingObjectIsAllowed) {
  constexpr std::string_view kObject =
      "{metadata: {name: a, deletionTimestamp: '2026-01-01T00:00:00Z'}, "
      "spec: {services: {A: {replicas: -1}}}}";
  const Admission admission = admit(api::Kind::kGraphDeployment, kObject, kObject);
  EXPECT_EQ(admission.decision.exemption, Exemption::kTerminating);
  EXPECT_EQ(admission.patch, "");
}

}  // namespace
}  // namespace dynamo::admission
