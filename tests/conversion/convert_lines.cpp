// Reads one JSON object per line and writes it in the other version, or {"error": REASON}.
#include <iostream>
#include <string>

#include "conversion/convert.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"

namespace dynamo::test {
namespace {

std::string convert_line(conversion::Converter& converter, const std::string& line) {
  const auto parsed = json::parse_copy(line);
  std::optional<std::string> error;
  std::string out;
  if (parsed->error) {
    error = parsed->error->message();
  } else {
    const auto version =
        conversion::parse_api_version(parsed->root()["apiVersion"].string_or_empty());
    const bool is_beta = version == conversion::Version::kV1beta1;
    error = converter.convert(
        parsed->root(), is_beta ? conversion::Version::kV1alpha1 : conversion::Version::kV1beta1,
        out);
  }
  if (!error) return out;
  json::Writer(out).start_object().member("error", *error).end_object();
  return out;
}

}  // namespace
}  // namespace dynamo::test

int main() {
  dynamo::conversion::Converter converter;
  std::string line;
  while (std::getline(std::cin, line)) {
    std::cout << dynamo::test::convert_line(converter, line) << '\n';
  }
}
