#include "cli/formats/source_paths.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/cli/workspace.hpp"

namespace dynamo::cli {
namespace {

namespace fs = std::filesystem;

// Without a repository around it; the tests use absolute names, as they share a directory.
class SourcePathsTest : public testing::Test {
 protected:
  void SetUp() override {
    workspace_.write("work/repo/deploy/graph.yaml", "");
    workspace_.write("work/other.yaml", "");
  }

  std::string path(std::string_view name) const { return workspace_.path(name); }

  test::Workspace workspace_;
};

TEST_F(SourcePathsTest, FilesBelowTheWorkspaceAreRelativeToIt) {
  fs::create_directories(path("work/repo/.git"));
  SourcePaths paths(path("work"));
  EXPECT_EQ(paths.of(path("work/repo/deploy/graph.yaml")), "repo/deploy/graph.yaml");
  EXPECT_EQ(paths.of(path("work/repo/deploy/../deploy/./graph.yaml")), "repo/deploy/graph.yaml");
}

TEST_F(SourcePathsTest, OtherFilesAreRelativeToTheirRepository) {
  fs::create_directories(path("work/repo/.git"));
  fs::create_directories(path("elsewhere"));
  for (const std::string& workspace : {path("elsewhere"), path("none"), std::string()}) {
    SourcePaths paths(workspace);
    EXPECT_EQ(paths.of(path("work/repo/deploy/graph.yaml")), "deploy/graph.yaml") << workspace;
  }
}

TEST_F(SourcePathsTest, WorktreesCountAsRepositories) {
  workspace_.write("work/repo/.git", "gitdir: /elsewhere\n");
  EXPECT_EQ(SourcePaths("").of(path("work/repo/deploy/graph.yaml")), "deploy/graph.yaml");
}

TEST_F(SourcePathsTest, FilesOutsideBothAreUnchanged) {
  fs::create_directories(path("work/repo/.git"));
  SourcePaths paths(path("work/repo"));
  EXPECT_EQ(paths.of(path("work/other.yaml")), path("work/other.yaml"));
  // A directory whose name only begins like the workspace's is not in it.
  workspace_.write("work/repository/a.yaml", "");
  EXPECT_EQ(paths.of(path("work/repository/a.yaml")), path("work/repository/a.yaml"));
  EXPECT_EQ(paths.of("-"), "-");
}

TEST_F(SourcePathsTest, LinksToTheWorkspaceAreResolved) {
  fs::create_directory_symlink(path("work/repo"), path("link"));
  EXPECT_EQ(SourcePaths(path("link")).of(path("work/repo/deploy/graph.yaml")), "deploy/graph.yaml");
  EXPECT_EQ(SourcePaths(path("work/repo")).of(path("link/deploy/graph.yaml")), "deploy/graph.yaml");
}

TEST_F(SourcePathsTest, FileLinksKeepTheirOwnPath) {
  fs::create_symlink(path("work/other.yaml"), path("work/repo/deploy/link.yaml"));
  EXPECT_EQ(SourcePaths(path("work/repo")).of(path("work/repo/deploy/link.yaml")),
            "deploy/link.yaml");
}

}  // namespace
}  // namespace dynamo::cli
