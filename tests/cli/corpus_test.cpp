// Exact output for files of other tools and for broken ones: tests/testdata/inputs.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/cli/workspace.hpp"
#include "tests/support/golden.hpp"

namespace dynamo::cli {
namespace {

struct File {
  std::string name;
  std::string text;
};

// "=== NAME" begins a file.
std::vector<File> corpus() {
  constexpr std::string_view kMark = "=== ";
  const std::string all = test::read_file(test::testdata("inputs") / "corpus.txt");
  std::vector<File> files;
  for (std::string_view rest = all; !rest.empty();) {
    const std::size_t end = rest.find('\n') + 1;
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end);
    if (line.starts_with(kMark)) {
      files.push_back({std::string(line.substr(kMark.size(), end - kMark.size() - 1)), {}});
    } else {
      files.back().text += line;
    }
  }
  return files;
}

class Corpus : public testing::Test {
 protected:
  // The output of `validate` for each file, alone in a folder. `arguments` may name it as
  // "@/f/NAME".
  std::string validate_each(const std::vector<std::string>& arguments) {
    std::string text;
    for (const File& file : corpus()) {
      const test::Workspace workspace;
      workspace.write("f/" + file.name, file.text);
      std::vector<std::string> words{"validate"};
      for (const std::string& argument : arguments) {
        words.push_back(argument == "@/f/NAME" ? "@/f/" + file.name : argument);
      }
      const test::RunResult ran = workspace.run(words);
      text += "=== " + file.name + ": exit code " + std::to_string(ran.code) + "\n";
      text += workspace.shown(ran.out + ran.err);
    }
    return text;
  }
};

TEST_F(Corpus, HasEnoughFilesOfBothKinds) {
  EXPECT_GE(corpus().size(), 60U);
}

TEST_F(Corpus, NamedFilesAreValidatedStrictly) {
  EXPECT_EQ(test::differs_from_golden("inputs/named.txt", validate_each({"@/f/NAME"})), "");
}

TEST_F(Corpus, UnrelatedFilesInFoldersAreSkipped) {
  EXPECT_EQ(test::differs_from_golden("inputs/found.txt", validate_each({"-R", "@/f"})), "");
}

}  // namespace
}  // namespace dynamo::cli
