// Converting any object never crashes. The result is an object of the other version, and it can be
// converted back.
#include <cstdint>
#include <string>

#include "conversion/convert.hpp"
#include "fuzz/check.hpp"
#include "json/parser.hpp"

namespace fuzz = dynamo::fuzz;
namespace json = dynamo::json;
namespace conversion = dynamo::conversion;

namespace {

// Converts an object of either version; "" if it cannot be converted.
std::string convert(conversion::Converter& converter, json::Value object,
                    conversion::Version target) {
  std::string out;
  if (const auto error = converter.convert(object, target, out)) {
    fuzz::require(!error->empty(), "an error has a reason");
    fuzz::require(out.empty(), "an error writes nothing");
  }
  return out;
}

void check_result(conversion::Converter& converter, const std::string& text,
                  conversion::Version version) {
  const auto parsed = json::parse_copy(text, {.max_depth = 256});
  fuzz::require(!parsed->error, "the result is JSON");
  const json::Value root = parsed->root();
  fuzz::require(root["apiVersion"].string() == conversion::api_version(version),
                "the result has the version");
  fuzz::require(root["metadata"].is_object(), "the result has metadata");
  const auto other = version == conversion::Version::kV1beta1 ? conversion::Version::kV1alpha1
                                                              : conversion::Version::kV1beta1;
  fuzz::require(!convert(converter, root, other).empty(), "the result can be converted back");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto parsed = json::parse_copy(fuzz::as_text(data, size));
  if (parsed->error) return 0;
  conversion::Converter converter;
  for (const auto target : {conversion::Version::kV1alpha1, conversion::Version::kV1beta1}) {
    const std::string converted = convert(converter, parsed->root(), target);
    if (!converted.empty()) check_result(converter, converted, target);
  }
  return 0;
}
