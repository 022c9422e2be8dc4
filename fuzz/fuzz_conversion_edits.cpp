// Random objects that the schema admits, of each kind and version, converted there and back with
// edits in between. Nothing crashes, conversions succeed, and the spec returns as it was or as the
// user edited it, except where the operator's conversion is known to lose a part.
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <string>
#include <string_view>

#include "api/context.hpp"
#include "conversion/convert.hpp"
#include "fuzz/check.hpp"
#include "json/parser.hpp"
#include "schema/table.hpp"
#include "tests/support/conversion_round_trip.hpp"
#include "tests/support/random_objects.hpp"

namespace fuzz = dynamo::fuzz;
namespace json = dynamo::json;
namespace conversion = dynamo::conversion;
namespace schema = dynamo::schema;
namespace test = dynamo::test;

using conversion::Version;

namespace {

constexpr json::ParseOptions kConvertedOptions{.max_depth = 256};

constexpr Version other(Version version) {
  return version == Version::kV1alpha1 ? Version::kV1beta1 : Version::kV1alpha1;
}

const schema::Resource& resource_of(std::string_view kind, Version version) {
  return *schema::find_resource(kind, conversion::api_version(version),
                                dynamo::api::OperatorGeneration::kLater);
}

std::string convert(conversion::Converter& converter, const std::string& object, Version target) {
  const auto parsed = json::parse_copy(object, kConvertedOptions);
  fuzz::require(!parsed->error, "an object is JSON");
  std::string out;
  const auto error = converter.convert(parsed->root(), target, out);
  if (error) std::fprintf(stderr, "%s\n%s\n", error->c_str(), object.c_str());
  fuzz::require(!error, "an object that the schema admits is convertible");
  return out;
}

// Two specs are alike if the operator's encoder writes them alike.
bool are_alike(const std::string& one, const std::string& other) {
  const auto re_encode = [](const std::string& object) {
    const auto parsed = json::parse_copy(object, kConvertedOptions);
    return json::parse_copy(test::reencoded(parsed->root()), kConvertedOptions);
  };
  return json::equal(re_encode(one)->root()["spec"], re_encode(other)->root()["spec"]);
}

void require_alike(const std::string& one, const std::string& other, const char* property) {
  if (are_alike(one, other)) return;
  std::fprintf(stderr, "%s\n%s\n", one.c_str(), other.c_str());
  fuzz::require(false, property);
}

// Converts the object of that version there and back, and checks the result.
void check_round_trip(conversion::Converter& converter, const std::string& object,
                      Version version) {
  const auto there_and_back = [&](const std::string& text) {
    return convert(converter, convert(converter, text, other(version)), version);
  };
  const std::string back = there_and_back(object);
  const auto parsed = json::parse_copy(object, kConvertedOptions);
  const auto wanted = json::parse_copy(test::reencoded(parsed->root()), kConvertedOptions);
  for (const json::Value each : {parsed->root(), wanted->root()}) {
    if (!test::find_known_loss(each).empty()) return;
  }
  require_alike(back, object, "the spec returns");
  require_alike(back, there_and_back(back), "a second conversion there and back changes nothing");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kLargest = 4'096;
  if (size == 0 || size > kLargest) return 0;
  constexpr std::string_view kKinds[] = {"DynamoGraphDeployment", "DynamoComponentDeployment",
                                         "DynamoGraphDeploymentRequest",
                                         "DynamoGraphDeploymentScalingAdapter"};
  test::Choices choices(fuzz::as_text(data, size));
  const Version version = choices.below(2) == 0 ? Version::kV1alpha1 : Version::kV1beta1;
  const std::string_view kind = kKinds[choices.below(std::size(kKinds))];
  conversion::Converter converter;
  const std::string object = test::random_object(resource_of(kind, version), choices);
  check_round_trip(converter, object, version);

  // A user of the other version edits the object.
  const std::string there = convert(converter, object, other(version));
  const std::string live = test::random_object(resource_of(kind, other(version)), choices);
  const std::string edited =
      test::edited_object(json::parse_copy(there, kConvertedOptions)->root(),
                          json::parse_copy(live, kConvertedOptions)->root(), choices);
  check_round_trip(converter, edited, other(version));
  return 0;
}
