// The published sample objects are valid.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "json/writer.hpp"
#include "json/yaml.hpp"
#include "schema/complete.hpp"
#include "schema/validate.hpp"
#include "tests/support/findings.hpp"

namespace dynamo::test {
namespace {

std::vector<std::string> sample_files() {
  std::vector<std::string> names;
  const std::filesystem::path folder = std::filesystem::path(DYNAMO_SOURCE_DIR) / "deploy/samples";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

std::string read(const std::string& name) {
  std::ifstream file{std::filesystem::path(DYNAMO_SOURCE_DIR) / "deploy/samples" /
                     (name + ".yaml")};
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

class SampleTest : public testing::TestWithParam<std::string> {};

TEST_P(SampleTest, IsValidAndLosesNothing) {
  const std::string text = read(GetParam());
  json::YamlReader reader{text, {.keep_duplicate_keys = true}};
  json::Document document;
  std::size_t objects = 0;
  for (auto read = reader.next(document); read != json::YamlReader::ReadResult::kEnd;
       read = reader.next(document)) {
    ASSERT_EQ(read, json::YamlReader::ReadResult::kDocument) << reader.error().message();
    const auto* const resource = schema::find_resource(document.root()["kind"].string_or_empty());
    if (resource == nullptr) continue;
    ++objects;
    api::ErrorList findings;
    schema::validate(*resource, document.root(), {}, findings);
    EXPECT_EQ(errors_of(findings), std::vector<Finding>{});
    EXPECT_EQ(warnings_of(findings), std::vector<Place>{});

    json::Document completed;
    schema::complete(*resource, document.root(), {}, completed);
    findings.clear();
    schema::validate(*resource, completed.root(), document.root(), findings);
    EXPECT_TRUE(findings.empty());
    for (const json::Member member : document.root().members()) {
      EXPECT_TRUE(completed.root()[member.name].exists()) << member.name;
    }
  }
  EXPECT_GE(objects, 1U);
}

INSTANTIATE_TEST_SUITE_P(Of, SampleTest, testing::ValuesIn(sample_files()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace dynamo::test
