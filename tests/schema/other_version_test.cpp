// Unknown fields that the other version of the kind has.
#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "api/context.hpp"
#include "json/parser.hpp"
#include "schema/validate.hpp"

namespace dynamo::test {
namespace {

using api::OperatorGeneration;

struct Case {
  const char* kind;
  const char* version;
  const char* spec;   // with one unknown field
  const char* other;  // the version that has the field; "" for none
  OperatorGeneration generation = OperatorGeneration::kLater;
};

void PrintTo(const Case& test, std::ostream* out) {
  *out << test.kind << ' ' << test.version << ' ' << test.spec;
}

std::string detail_of(const Case& test) {
  const std::string api_version = std::string("nvidia.com/") + test.version;
  const auto object =
      json::parse_copy(std::string(R"({"apiVersion":")") + api_version + R"(","kind":")" +
                       test.kind + R"(","metadata":{"name":"x"},"spec":)" + test.spec + "}");
  api::ErrorList findings;
  schema::validate(*schema::find_resource(test.kind, api_version, test.generation), object->root(),
                   {}, findings);
  for (const api::Error& error : findings.errors()) {
    if (error.rule == "schema.unknown-field") return error.detail;
  }
  return "no unknown field";
}

class OtherVersionTest : public testing::TestWithParam<Case> {};

TEST_P(OtherVersionTest, IsNamedWithConversion) {
  const std::string detail = detail_of(GetParam());
  const std::string other = GetParam().other;
  const std::string advice = other + " has this field: for an object of that version set " +
                             "apiVersion to nvidia.com/" + other + ", and `kubectl dynamo " +
                             "convert --to " + GetParam().version + "` converts it";
  EXPECT_EQ(detail.ends_with(advice), !other.empty()) << detail;
  EXPECT_EQ(detail.find("convert") != std::string::npos, !other.empty()) << detail;
}

constexpr const char* kGraph = "DynamoGraphDeployment";
constexpr const char* kComponent = "DynamoComponentDeployment";
constexpr const char* kRequest = "DynamoGraphDeploymentRequest";
constexpr const char* kAdapter = "DynamoGraphDeploymentScalingAdapter";

INSTANTIATE_TEST_SUITE_P(
    Of, OtherVersionTest,
    testing::Values(
        Case{kGraph, "v1beta1", R"({"services":{}})", "v1alpha1"},
        Case{kGraph, "v1beta1", R"({"components":[{"name":"a","extraPodSpec":{}}]})", "v1alpha1"},
        Case{kGraph, "v1beta1",
             R"({"components":[{"name":"a","scalingAdapter":{"enabled":true}}]})", "v1alpha1"},
        Case{kGraph, "v1beta1",
             R"({"components":[{"name":"a","experimental":{"failover":{"enabled":true}}}]})",
             "v1alpha1"},
        Case{kGraph, "v1beta1", R"({"components":[{"name":"a","zzzzzz":1}]})", ""},
        Case{kGraph, "v1alpha1", R"({"components":[]})", "v1beta1"},
        Case{kGraph, "v1alpha1", R"({"env":[]})", "v1beta1"},
        Case{kGraph, "v1alpha1", R"({"services":{"A":{"podTemplate":{}}}})", "v1beta1"},
        Case{kGraph, "v1alpha1", R"({"services":{"A":{"experimental":{}}}})", "v1beta1"},
        Case{kGraph, "v1alpha1", R"({"services":{"A":{"zzzzzz":1}}})", ""},
        Case{kGraph, "v1alpha1", R"({"components":[]})", "v1beta1", OperatorGeneration::kFirst},
        Case{kComponent, "v1beta1", R"({"serviceName":"a"})", "v1alpha1"},
        Case{kComponent, "v1alpha1", R"({"type":"worker"})", "v1beta1"},
        Case{kRequest, "v1beta1", R"({"model":"m","profilingConfig":{}})", "v1alpha1"},
        Case{kRequest, "v1alpha1", R"({"model":"m","hardware":{}})", "v1beta1"},
        Case{kAdapter, "v1beta1",
             R"({"dgdRef":{"name":"a","componentName":"b","serviceName":"b"}})", "v1alpha1"},
        Case{"DynamoModel", "v1alpha1", R"({"modelName":"m","zzzzzz":1})", ""}));

TEST(OtherGeneration, IsNamedForItsField) {
  EXPECT_EQ(detail_of({kGraph, "v1alpha1", R"({"services":{"A":{"minAvailable":1}}})", "",
                       OperatorGeneration::kFirst}),
            "must be a field that the API knows; later operators know it: set "
            "--operator-generation later if yours is one");
}

}  // namespace
}  // namespace dynamo::test
