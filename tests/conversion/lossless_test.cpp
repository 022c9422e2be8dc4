// Objects that the schema admits survive a conversion there and back, and edits of live fields win
// over the payload annotations.
#include <gtest/gtest.h>

#include <cstddef>
#include <random>
#include <string>

#include "api/context.hpp"
#include "conversion/convert.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"
#include "schema/complete.hpp"
#include "schema/table.hpp"
#include "tests/conversion/convert_fixture.hpp"
#include "tests/support/conversion_round_trip.hpp"
#include "tests/support/random_objects.hpp"

namespace dynamo::test {
namespace {

constexpr int kObjects = 400;
constexpr std::size_t kMostChoices = 1'500;

const schema::Resource& resource_of(std::string_view kind, conversion::Version version) {
  return *schema::find_resource(kind, conversion::api_version(version),
                                api::OperatorGeneration::kLater);
}

std::string convert_text(const std::string& object, conversion::Version target) {
  const auto parsed = json::parse_copy(object);
  std::string out;
  const auto error = conversion::Converter().convert(parsed->root(), target, out);
  EXPECT_FALSE(error) << *error << "\n" << object;
  return out;
}

std::string random_bytes(std::mt19937& random) {
  std::string bytes(random() % kMostChoices, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random() & 0xFFU);
  return bytes;
}

// The object with the schema's defaults, as the API server stores it.
std::string stored(const schema::Resource& resource, const std::string& object) {
  const auto parsed = json::parse_copy(object);
  json::Document completed;
  schema::complete(resource, parsed->root(), {}, completed);
  return json::to_text(completed.root());
}

std::string random_stored_object(const schema::Resource& resource, std::mt19937& random) {
  const std::string bytes = random_bytes(random);
  Choices choices(bytes);
  return stored(resource, random_object(resource, choices));
}

struct LosslessCase {
  std::string_view name;
  std::string_view kind;
  conversion::Version version;
};

class LosslessTest : public testing::TestWithParam<LosslessCase> {
 protected:
  // Whether the object was compared: not if the operator's conversion is known to lose a part.
  bool expect_spec_returns(const std::string& object) const {
    const auto parsed = json::parse_copy(object);
    const std::string text = reencoded(parsed->root());
    EXPECT_FALSE(text.empty()) << object;
    const auto wanted = json::parse_copy(text);
    if (!find_known_loss(wanted->root()).empty()) return false;
    const auto back = json::parse_copy(convert_text(convert_text(object, other_), version_));
    EXPECT_EQ(field(sorted_text(back->root()), "/spec"),
              field(sorted_text(wanted->root()), "/spec"))
        << object;
    return true;
  }

  const conversion::Version version_ = GetParam().version;
  const conversion::Version other_ = version_ == conversion::Version::kV1beta1
                                         ? conversion::Version::kV1alpha1
                                         : conversion::Version::kV1beta1;
  const schema::Resource& resource_ = resource_of(GetParam().kind, version_);
  std::mt19937 random_{20'260'821};  // the same objects in every run
};

TEST_P(LosslessTest, AdmittedObjectReturnsAfterConversionThereAndBack) {
  int compared = 0;
  for (int i = 0; i < kObjects && !HasFailure(); ++i) {
    if (expect_spec_returns(random_stored_object(resource_, random_))) ++compared;
  }
  EXPECT_GT(compared, kObjects / 2);
}

// The payload annotation is that of another object, which has the same names of components.
TEST_P(LosslessTest, EditsOfLiveFieldsWinOverPayloads) {
  const schema::Resource& other = resource_of(GetParam().kind, other_);
  int compared = 0;
  for (int i = 0; i < kObjects && !HasFailure(); ++i) {
    const std::string there = convert_text(random_stored_object(other, random_), version_);
    const std::string live = random_stored_object(resource_, random_);
    const std::string bytes = random_bytes(random_);
    Choices choices(bytes);
    const std::string edited =
        edited_object(json::parse_copy(there)->root(), json::parse_copy(live)->root(), choices);
    if (expect_spec_returns(stored(resource_, edited))) ++compared;
  }
  EXPECT_GT(compared, kObjects / 3);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, LosslessTest,
    testing::Values(
        LosslessCase{"AlphaGraph", "DynamoGraphDeployment", conversion::Version::kV1alpha1},
        LosslessCase{"BetaGraph", "DynamoGraphDeployment", conversion::Version::kV1beta1},
        LosslessCase{"AlphaDeployment", "DynamoComponentDeployment",
                     conversion::Version::kV1alpha1},
        LosslessCase{"BetaDeployment", "DynamoComponentDeployment", conversion::Version::kV1beta1},
        LosslessCase{"AlphaRequest", "DynamoGraphDeploymentRequest",
                     conversion::Version::kV1alpha1},
        LosslessCase{"BetaRequest", "DynamoGraphDeploymentRequest", conversion::Version::kV1beta1},
        LosslessCase{"AlphaAdapter", "DynamoGraphDeploymentScalingAdapter",
                     conversion::Version::kV1alpha1},
        LosslessCase{"BetaAdapter", "DynamoGraphDeploymentScalingAdapter",
                     conversion::Version::kV1beta1}),
    [](const testing::TestParamInfo<LosslessCase>& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace dynamo::test
