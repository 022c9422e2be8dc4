// Golden cases of files with a base case and variants.
#include "tests/controller_cases/case_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/temporary_directory.hpp"

namespace dynamo::cases {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr std::string_view kBase =
    "case: base\n"
    "about: complete\n"
    "facts: ['1']\n"
    "input: {replicas: 1, labels: {a/b: c}}\n"
    "output: {objects: [x, y]}\n";

std::string variant(const std::string& patch, const std::string& name = "variant") {
  return "---\ncase: " + name + "\nabout: changed\nfacts: ['2']\npatch:\n" + patch;
}

std::string with_variant(const std::string& patch) {
  return std::string(kBase) + variant(patch);
}

void write_file(const test::TemporaryDirectory& folder, const std::string& name,
                const std::string& text) {
  std::ofstream(folder.path() / name, std::ios::binary) << text;
}

auto reading(const test::TemporaryDirectory& folder) {
  return [&folder] { read_case_folders({folder.path().string()}); };
}

auto read(const std::string& text) {
  return [text] { read_cases(text); };
}

auto rejects(const std::string& reason) {
  return ThrowsMessage<std::runtime_error>(HasSubstr(reason));
}

TEST(CaseFiles, FileOfOneDocumentIsOneCase) {
  const std::vector<GoldenCase> cases = read_cases(kBase);
  ASSERT_EQ(cases.size(), 1U);
  EXPECT_EQ(cases[0].name, "base");
  EXPECT_EQ(cases[0].golden, read_yaml(kBase).at(0));
}

TEST(CaseFiles, VariantIsPatchedBaseWithItsOwnTexts) {
  const std::string patch =
      "- {op: replace, path: /input/replicas, value: 2}\n"
      "- {op: remove, path: /input/labels/a~1b}\n"
      "- {op: add, path: /output/objects/-, value: z}\n";
  const std::vector<GoldenCase> cases =
      read_cases(with_variant(patch) + variant("- {op: remove, path: /input}\n", "second"));
  ASSERT_EQ(cases.size(), 3U);
  EXPECT_EQ(cases[0].golden, read_yaml(kBase).at(0));
  const std::string about = "about: changed\nfacts: ['2']\n";
  EXPECT_EQ(cases[1].golden, read_yaml("case: variant\n" + about +
                                       "input: {replicas: 2, labels: {}}\n"
                                       "output: {objects: [x, y, z]}\n")
                                 .at(0));
  EXPECT_EQ(cases[2].golden,
            read_yaml("case: second\n" + about + "output: {objects: [x, y]}\n").at(0));
}

TEST(CaseFiles, PatchOfUnknownPathIsRejected) {
  for (const char* const operation : {"replace", "remove"}) {
    const std::string patch =
        std::string("- {op: ") + operation + ", path: /input/replica, value: 2}\n";
    EXPECT_THAT(read(with_variant(patch)), rejects("case variant: operation 0: the path does not"));
  }
  EXPECT_THAT(read(with_variant("- {op: add, path: /output/objects/3, value: z}\n")),
              rejects("case variant: operation 0: no such index"));
}

TEST(CaseFiles, PatchWithoutEffectIsRejected) {
  EXPECT_THAT(read(with_variant("- {op: replace, path: /input/replicas, value: 1}\n")),
              rejects("case variant: the patch changes nothing"));
  EXPECT_THAT(read(with_variant("  []\n")), rejects("case variant: the patch changes nothing"));
}

TEST(CaseFiles, DocumentOfAnotherFormIsRejected) {
  const std::string patch = "- {op: remove, path: /input}\n";
  const std::string second = std::string(kBase) + "---\ncase: second\n";
  EXPECT_THAT(read(variant(patch)), rejects("case variant: the first case of a file must be"));
  EXPECT_THAT(read(with_variant(patch) + "input: {}\n"),
              rejects("case variant: must have case, about, facts and patch"));
  EXPECT_THAT(read(second + "input: {}\n"),
              rejects("case second: must have case, about, facts and patch"));
  EXPECT_THAT(read(second + "about: a\nfact: []\npatch:\n" + patch),
              rejects("case second: must have facts"));
  EXPECT_THAT(read("case: base\ninput: {}\n" + variant(patch)),
              rejects("case variant: must have about, and so must its base case"));
  EXPECT_THAT(read("about: a\n"), rejects("each case must have a name"));
  EXPECT_THAT(read(""), rejects("must hold a case"));
}

TEST(CaseFiles, CasesOfAFolderAreSortedByName) {
  const test::TemporaryDirectory folder;
  write_file(folder, "b.yaml", std::string(kBase) + variant("- {op: remove, path: /input}\n", "a"));
  write_file(folder, "c.yaml", "case: aa\n");
  write_file(folder, "README.md", "no case");
  std::vector<std::string> names;
  for (const GoldenCase& each : read_case_folders({folder.path().string()})) {
    names.push_back(each.name);
  }
  EXPECT_THAT(names, testing::ElementsAre("a", "aa", "base"));
}

TEST(CaseFiles, ErrorNamesFileAndCase) {
  const test::TemporaryDirectory folder;
  write_file(folder, "b.yaml", with_variant("- {op: remove, path: /none}\n"));
  EXPECT_THAT(reading(folder), rejects("/b.yaml: case variant: operation 0: the path does not"));
}

TEST(CaseFiles, RepeatedNameIsRejected) {
  for (const std::string file : {"a.yaml", "b.yaml"}) {
    const test::TemporaryDirectory folder;
    write_file(folder, "b.yaml", "case: base\n");
    write_file(folder, file,
               std::string(kBase) + variant("- {op: remove, path: /input}\n", "base"));
    EXPECT_THAT(reading(folder), rejects("/" + file + ": case base: "));
    EXPECT_THAT(reading(folder), rejects(" has a case of this name"));
  }
}

}  // namespace
}  // namespace dynamo::cases
