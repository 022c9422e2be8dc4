// Files of a directory to which other programs write.
#include "runtime/read_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/temporary_directory.hpp"

namespace dynamo::runtime {
namespace {

using ::testing::HasSubstr;

class ReadFileBeneath : public ::testing::Test {
 protected:
  ReadFileBeneath() { std::filesystem::create_directory(data_); }
  void write(const std::filesystem::path& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
  }
  void link(const std::filesystem::path& target) {
    std::filesystem::create_symlink(target, data_ / "file");
  }
  ReadFile read(std::size_t max_bytes = 100) {
    return read_file_beneath(data_.string(), "file", max_bytes);
  }

  test::TemporaryDirectory directory_;
  const std::filesystem::path data_ = directory_.path() / "data";
};

TEST_F(ReadFileBeneath, ReturnsContent) {
  EXPECT_EQ(read().content, std::nullopt);
  EXPECT_EQ(read().problem, "");
  write(data_ / "file", "text");
  EXPECT_EQ(read().content, "text");
  EXPECT_EQ(read(4).content, "text");
}

TEST_F(ReadFileBeneath, RefusesLargeFileWithItsSize) {
  write(data_ / "file", std::string(101, 'a'));
  EXPECT_EQ(read().content, std::nullopt);
  EXPECT_EQ(read().problem, "must have at most 100 bytes; found 101");
}

TEST_F(ReadFileBeneath, FollowsLinkWithinDirectory) {
  std::filesystem::create_directory(data_ / "..version");
  write(data_ / "..version/file", "text");
  link("..version/file");
  EXPECT_EQ(read().content, "text");
}

TEST_F(ReadFileBeneath, RefusesLinkOutOfDirectory) {
  write(directory_.path() / "secret", "token");
  // Begins like the directory.
  std::filesystem::create_directory(directory_.path() / "data2");
  write(directory_.path() / "data2/secret", "token");
  for (const std::string target : {"../secret", "../data2/secret", "/proc/self/status"}) {
    link(target);
    EXPECT_EQ(read().content, std::nullopt) << target;
    EXPECT_THAT(read().problem, HasSubstr("must not be a link to a file outside of ")) << target;
    std::filesystem::remove(data_ / "file");
  }
}

TEST_F(ReadFileBeneath, RefusesLinkThroughDirectory) {
  write(directory_.path() / "file", "token");
  std::filesystem::create_symlink("..", data_ / "up");
  EXPECT_THAT(read_file_beneath(data_.string(), "up/file", 100).problem,
              HasSubstr("must not be a link"));
}

TEST_F(ReadFileBeneath, RefusesOtherKindsOfFiles) {
  ASSERT_EQ(::mkfifo((data_ / "file").c_str(), 0600), 0);
  EXPECT_EQ(read().problem, "must be a regular file");
  EXPECT_EQ(read_file_beneath(directory_.path().string(), "data", 100).problem,
            "must be a regular file");
}

TEST_F(ReadFileBeneath, RefusesMissingDirectory) {
  EXPECT_THAT(read_file_beneath((data_ / "none").string(), "file", 100).problem,
              HasSubstr("its directory cannot be opened"));
}

}  // namespace
}  // namespace dynamo::runtime
