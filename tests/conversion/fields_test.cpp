// Every field of every type survives a conversion there and back, alone in its object.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "conversion/convert.hpp"
#include "conversion/types.hpp"
#include "json/parser.hpp"
#include "tests/conversion/convert_fixture.hpp"

namespace dynamo::test {
namespace {

using conversion::Field;
using conversion::Shape;
using conversion::Type;

std::string_view sample(Shape shape) {
  switch (shape) {
    case Shape::kBoolean:
      return "true";
    case Shape::kInteger32:
    case Shape::kInteger64:
    case Shape::kPort:
      return "7";
    case Shape::kNumber:
    case Shape::kNumber32:
      return "0.5";
    case Shape::kQuantity:
      return R"("3Gi")";
    case Shape::kTime:
      return R"("2026-08-21T12:00:00Z")";
    case Shape::kDuration:
      return R"("200ms")";
    case Shape::kOpaque:
      return R"({"a":{"b":1}})";
    case Shape::kString:
    case Shape::kObject:
      break;
  }
  return R"("x")";
}

// Calls `visit` for each field of the type and of the types below, with an object that has only
// that field, and with its JSON pointer.
using Wrap = std::function<std::string(const std::string& value)>;
using Visit = std::function<void(const std::string& pointer, const std::string& object)>;

void for_each_field(const Type& type, const std::string& path, const Wrap& wrap,
                    const Visit& visit) {
  for (const Field& field : type.fields) {
    const std::string field_path = path + "/" + std::string(field.name) +
                                   (field.is_list()  ? "/0"
                                    : field.is_map() ? "/k"
                                                     : "");
    const auto wrap_field = [&](const std::string& value) {
      const std::string value_of_field = field.is_list()  ? "[" + value + "]"
                                         : field.is_map() ? R"({"k":)" + value + "}"
                                                          : value;
      return wrap("{\"" + std::string(field.name) + "\":" + value_of_field + "}");
    };
    if (field.type == nullptr) {
      visit(field_path, wrap_field(std::string(sample(field.shape))));
    } else {
      if (!field.is_by_value()) visit(field_path, wrap_field("{}"));
      for_each_field(*field.type, field_path, wrap_field, visit);
    }
  }
}

struct KindCase {
  std::string_view name;
  std::string_view kind;
  std::string_view version;
  const Type& type;
  // Values that the operator's conversion loses, or that need other values next to them.
  std::vector<std::string_view> lost;
};

class FieldTest : public testing::TestWithParam<KindCase> {};

TEST_P(FieldTest, ReturnsAfterConversionThereAndBack) {
  const KindCase& kind = GetParam();
  std::size_t count = 0;
  for_each_field(
      kind.type, "",
      [&kind](const std::string& value) {
        return R"({"apiVersion":")" + std::string(kind.version) + R"(","kind":")" +
               std::string(kind.kind) + "\"," + value.substr(1);
      },
      [&](const std::string& path, const std::string& text) {
        ++count;
        if (std::ranges::find(kind.lost, path) != kind.lost.end()) return;
        const auto object = json::parse_copy(text);
        EXPECT_EQ(field(converted_there_and_back(text), path),
                  field(normalised(object->root()), path))
            << path << "\n"
            << converted(text);
      });
  EXPECT_GT(count, 10U);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, FieldTest,
    testing::Values(KindCase{"AlphaGraph",
                             "DynamoGraphDeployment",
                             "nvidia.com/v1alpha1",
                             conversion::types::kAlphaGraphDeployment,
                             {"/spec/services/k/extraPodSpec/mainContainer"}},
                    KindCase{"BetaGraph",
                             "DynamoGraphDeployment",
                             "nvidia.com/v1beta1",
                             conversion::types::kBetaGraphDeployment,
                             {}},
                    KindCase{"AlphaDeployment",
                             "DynamoComponentDeployment",
                             "nvidia.com/v1alpha1",
                             conversion::types::kAlphaComponentDeployment,
                             {"/spec/extraPodSpec/mainContainer"}},
                    KindCase{"BetaDeployment",
                             "DynamoComponentDeployment",
                             "nvidia.com/v1beta1",
                             conversion::types::kBetaComponentDeployment,
                             {}},
                    KindCase{"AlphaRequest",
                             "DynamoGraphDeploymentRequest",
                             "nvidia.com/v1alpha1",
                             conversion::types::kAlphaGraphDeploymentRequest,
                             {"/spec/deploymentOverrides", "/spec/profilingConfig/resources"}},
                    KindCase{"BetaRequest",
                             "DynamoGraphDeploymentRequest",
                             "nvidia.com/v1beta1",
                             conversion::types::kBetaGraphDeploymentRequest,
                             {"/spec/features", "/spec/modelCache", "/spec/overrides",
                              "/spec/overrides/profilingJob",
                              "/spec/overrides/profilingJob/template/spec/containers/0",
                              "/spec/sla", "/spec/sla/optimizationType", "/spec/workload",
                              "/status/phase", "/status/profilingJobName", "/status/profilingPhase",
                              "/status/profilingResults"}},
                    KindCase{"AlphaAdapter",
                             "DynamoGraphDeploymentScalingAdapter",
                             "nvidia.com/v1alpha1",
                             conversion::types::kAlphaGraphDeploymentScalingAdapter,
                             {}},
                    KindCase{"BetaAdapter",
                             "DynamoGraphDeploymentScalingAdapter",
                             "nvidia.com/v1beta1",
                             conversion::types::kBetaGraphDeploymentScalingAdapter,
                             {}}),
    [](const testing::TestParamInfo<KindCase>& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace dynamo::test
