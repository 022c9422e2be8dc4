// The manifests of the repository survive a conversion there and back.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "conversion/convert.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"
#include "json/yaml.hpp"
#include "tests/conversion/convert_fixture.hpp"

namespace dynamo::test {
namespace {

std::vector<std::filesystem::path> manifests() {
  std::vector<std::filesystem::path> paths;
  const std::filesystem::path root{DYNAMO_SOURCE_DIR};
  for (const std::string_view folder : {"deploy/samples", "deploy/samples-v1beta1", "docs/examples",
                                        "bench/reviews", "tests/testdata/repositories"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
      if (entry.path().extension() == ".yaml") paths.push_back(entry.path());
    }
  }
  std::ranges::sort(paths);
  return paths;
}

std::string read(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// The API server has set `autoApply` of a stored request, and v1alpha1 has no absent value for it.
bool lacks_default(json::Value object) {
  return object["apiVersion"].string_or_empty() ==
             conversion::api_version(conversion::Version::kV1beta1) &&
         object["kind"].string_or_empty() == "DynamoGraphDeploymentRequest" &&
         !object["spec"]["autoApply"].exists();
}

bool is_convertible(json::Value object) {
  return conversion::has_two_versions(object["kind"].string_or_empty()) &&
         conversion::parse_api_version(object["apiVersion"].string_or_empty()) &&
         !lacks_default(object);
}

void expect_spec_returns(json::Value object, const std::string& where) {
  const std::string back = converted_there_and_back(json::to_text(object));
  EXPECT_EQ(field(back, "/spec"), field(normalised(object), "/spec")) << where;
}

TEST(SampleConversionTest, SpecReturnsAfterConversionThereAndBack) {
  std::size_t count = 0;
  for (const std::filesystem::path& path : manifests()) {
    const std::string manifest = read(path);
    json::YamlReader reader{manifest};
    json::Document document;
    for (auto result = reader.next(document); result != json::YamlReader::ReadResult::kEnd;
         result = reader.next(document)) {
      if (!is_convertible(document.root())) continue;
      ++count;
      expect_spec_returns(document.root(), path);
    }
  }
  EXPECT_GT(count, 10U);
}

// The operator's conversion loses: a `componentType` that is a role, one mount in both lists, and a
// further container with the name `main`.
bool is_lost(std::string_view title) {
  constexpr std::string_view kLost[] = {":: decode ", "same path svc and main same volume",
                                        "only containers, no mainContainer"};
  return std::ranges::any_of(
      kLost, [title](std::string_view part) { return title.find(part) != std::string_view::npos; });
}

TEST(SampleConversionTest, SpecOfMeasuredManifestReturns) {
  std::ifstream cases(std::filesystem::path{DYNAMO_SOURCE_DIR} /
                      "tests/testdata/measured/cases.jsonl");
  std::size_t count = 0;
  for (std::string line; std::getline(cases, line);) {
    const auto measured = json::parse_copy(line);
    const json::Value object = measured->root()["object"];
    if (!is_convertible(object) || is_lost(measured->root()["title"].string_or_empty())) continue;
    ++count;
    expect_spec_returns(object, json::to_text(measured->root()["title"]));
  }
  EXPECT_GT(count, 100U);
}

}  // namespace
}  // namespace dynamo::test
