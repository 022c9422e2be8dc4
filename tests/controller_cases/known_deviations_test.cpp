// Every known deviation has a decision, a test that shows it, and an entry in the page.
#include "tests/controller_cases/known_deviations.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "tests/controller_cases/allowed_differences.hpp"
#include "tests/controller_cases/case_files.hpp"

namespace dynamo::cases {
namespace {

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::filesystem::path source(std::string_view below) {
  return std::filesystem::path(DYNAMO_SOURCE_DIR) / below;
}

void add_tests(const std::string& text, std::set<std::string>& names) {
  for (std::size_t at = text.find("\nTEST"); at != std::string::npos;
       at = text.find("\nTEST", at + 1)) {
    const std::size_t open = text.find('(', at);
    const std::size_t comma = text.find(',', open);
    const std::size_t close = text.find(')', comma);
    if (close == std::string::npos) break;
    const std::size_t name = text.find_first_not_of(" \n", comma + 1);
    names.insert(text.substr(open + 1, comma - open - 1) + "." + text.substr(name, close - name));
  }
}

void add_scenarios(const std::string& text, std::set<std::string>& names) {
  constexpr std::string_view kDef = "    def ";
  for (std::size_t at = text.find("    def test_"); at != std::string::npos;
       at = text.find("    def test_", at + 1)) {
    const std::size_t name = at + kDef.size();
    names.insert(text.substr(name, text.find('(', name) - name));
  }
}

// "Suite.Name" of each test in the tree, and "test_name" of each scenario.
std::set<std::string> all_tests() {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(source("tests"))) {
    if (entry.path().extension() == ".cpp") add_tests(read_file(entry.path()), names);
    if (entry.path().extension() == ".py") add_scenarios(read_file(entry.path()), names);
  }
  return names;
}

TEST(KnownDeviations, AreAllDecided) {
  const auto table = known_deviations();
  for (std::size_t i = 0; i < kKnownDeviationCount; ++i) {
    const KnownDeviation& each = table[i];
    EXPECT_EQ(each.id, "Q" + std::to_string(i + 1));
    EXPECT_FALSE(each.fact.empty()) << each.id;
    EXPECT_FALSE(each.about.empty()) << each.id;
  }
}

// "case NAME" of each golden case.
std::set<std::string> all_cases() {
  std::vector<std::string> folders;
  for (const char* const name : {"controllers", "controllers-detail", "controllers-stated"}) {
    folders.push_back(source(std::string("tests/testdata/") + name).string());
  }
  std::set<std::string> names;
  for (const GoldenCase& each : read_case_folders(folders)) names.insert("case " + each.name);
  return names;
}

TEST(KnownDeviations, AreShownByExistingTestOrCase) {
  std::set<std::string> known = all_tests();
  known.merge(all_cases());
  for (const KnownDeviation& each : known_deviations()) {
    EXPECT_THAT(known, testing::Contains(std::string(each.shown_by))) << each.id;
  }
  for (const OwnDecision& each : own_decisions()) {
    EXPECT_THAT(known, testing::Contains(std::string(each.shown_by))) << each.id;
  }
}

TEST(KnownDeviations, IncludeEveryAllowedDifference) {
  std::set<std::string_view> listed;
  for (const KnownDeviation& each : known_deviations()) listed.insert(each.id);
  for (const OwnDecision& each : own_decisions()) {
    EXPECT_TRUE(listed.insert(each.id).second) << each.id;
    EXPECT_FALSE(each.fact.empty() || each.about.empty()) << each.id;
  }
  for (const AllowedDifference& row : allowed_differences()) {
    EXPECT_TRUE(listed.contains(row.id)) << row.id;
  }
}

TEST(KnownDeviations, AreFixedIfCasesShowThem) {
  for (const AllowedDifference& row : allowed_differences()) {
    if (!row.id.starts_with('Q')) continue;
    bool fixed = false;
    for (const KnownDeviation& each : known_deviations()) {
      fixed = fixed || (each.id == row.id && each.decision == Decision::kFixed);
    }
    EXPECT_TRUE(fixed) << row.id;
  }
}

// So that a case which shows one is not mistaken for a failure.
TEST(KnownDeviations, AreExplainedIfFixed) {
  // The lease, metrics, labels of the reconciled object, and events, which E1 explains.
  const std::set<std::string_view> elsewhere = {"Q1", "Q3", "Q22", "Q36"};
  std::set<std::string_view> explained;
  for (const AllowedDifference& row : allowed_differences()) explained.insert(row.id);
  for (const KnownDeviation& each : known_deviations()) {
    if (each.decision != Decision::kFixed) continue;
    EXPECT_NE(explained.contains(each.id), elsewhere.contains(each.id)) << each.id;
  }
}

TEST(KnownDeviations, HaveAPage) {
  EXPECT_EQ(read_file(source("docs/known-deviations.md")), known_deviations_page())
      << "write it: controller-cases --page > docs/known-deviations.md";
}

}  // namespace
}  // namespace dynamo::cases
