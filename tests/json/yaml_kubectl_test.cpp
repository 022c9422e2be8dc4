// Our YAML reader compared with kubectl's: tests/testdata/yaml/kubectl.jsonl.
#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "json/equality.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"
#include "json/yaml.hpp"
#include "json/yaml_dialect.hpp"

namespace dynamo::json {
namespace {

std::string source(std::string_view below) {
  std::ifstream file(std::string(DYNAMO_SOURCE_DIR) + "/" + std::string(below));
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// Whether our reader finds the same documents as kubectl. If both fail, it does not matter how much
// each has read before.
bool agrees(Value row) {
  std::string text{row["text"].string_or_empty()};
  normalise_yaml(text);
  YamlReader reader(text);
  Document document;
  for (const Value expected : row["documents"].elements()) {
    const YamlReader::ReadResult read = reader.next(document);
    if (read == YamlReader::ReadResult::kError) return row["refused"].exists();
    if (read == YamlReader::ReadResult::kEnd) return false;
    if (!equal(document.root(), expected)) return row["refused"].exists();
  }
  const YamlReader::ReadResult last = reader.next(document);
  if (!row["refused"].exists()) return last == YamlReader::ReadResult::kEnd;
  for (auto read = last; read != YamlReader::ReadResult::kEnd; read = reader.next(document)) {
    if (read == YamlReader::ReadResult::kError) return true;
  }
  return false;
}

class YamlKubectlTest : public testing::Test {
 protected:
  // The names of the rows that do (or do not) agree, among those with (or without) a documented
  // difference.
  static std::vector<std::string> names(bool with_difference, bool which_agree) {
    std::vector<std::string> found;
    std::istringstream lines(source("tests/testdata/yaml/kubectl.jsonl"));
    std::size_t rows = 0;
    for (std::string line; std::getline(lines, line); ++rows) {
      const auto row = parse_copy(line);
      if (row->error) {
        found.push_back("line " + std::to_string(rows + 1) + " is no JSON");
        continue;
      }
      if (row->root()["difference"].exists() != with_difference) continue;
      if (agrees(row->root()) == which_agree) {
        found.emplace_back(row->root()["name"].string_or_empty());
      }
    }
    EXPECT_GT(rows, 4000U);
    return found;
  }
};

TEST_F(YamlKubectlTest, ReaderAgreesWithKubectl) {
  EXPECT_EQ(names(false, false), std::vector<std::string>{});
}

TEST_F(YamlKubectlTest, DeliberateDifferencesStillExist) {
  EXPECT_EQ(names(true, true), std::vector<std::string>{});
}

TEST_F(YamlKubectlTest, DeliberateDifferencesAreDocumented) {
  const std::string page = source("docs/kubectl-dynamo.md");
  std::istringstream lines(source("tests/testdata/yaml/kubectl.jsonl"));
  for (std::string line; std::getline(lines, line);) {
    const auto row = parse_copy(line);
    const std::string difference{row->root()["difference"].string_or_empty()};
    if (difference.empty()) continue;
    EXPECT_NE(page.find("| `" + difference + "` |"), std::string::npos) << difference;
  }
}

// Separators that end a document again need the lines before them.
TEST(YamlDialectTest, LoneCarriageReturnEndsALine) {
  std::string text = "a: 1\rb: 2\r\nc: 3\r";
  normalise_yaml(text);
  EXPECT_EQ(text, "a: 1\nb: 2\r\nc: 3\n");
}

TEST(YamlDialectTest, CarriageReturnBeforeSeparatorStays) {
  std::string text = "a: 1\r---\rb: 2";
  normalise_yaml(text);
  EXPECT_EQ(text, "a: 1\r---\nb: 2") << "kubectl drops what follows, so the reader must refuse it";
  YamlReader reader(text);
  Document document;
  EXPECT_EQ(reader.next(document), YamlReader::ReadResult::kError);
}

TEST(YamlDialectTest, ByteOrderMarkAfterSeparatorIsRemoved) {
  std::string text =
      "\xEF\xBB\xBF"
      "a: 1\n---\n\xEF\xBB\xBF"
      "b: 2\n";
  normalise_yaml(text);
  EXPECT_EQ(text, "a: 1\n---\nb: 2\n");
}

}  // namespace
}  // namespace dynamo::json
