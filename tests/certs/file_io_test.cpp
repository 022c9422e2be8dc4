#include "certs/file_io.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/certs/fixtures.hpp"

namespace dynamo::test {
namespace {

using testing::StartsWith;

TEST(ReadFile, ReadsFilesUpToLimit) {
  const TempDirectory directory;
  for (const std::size_t size : {0U, 1U, 99U, 100U}) {
    directory.write("file", std::string(size, 'a'));
    const auto content = certs::read_file(directory.file("file"), 100);
    ASSERT_TRUE(content) << content.error().text;
    ASSERT_TRUE(content->has_value());
    EXPECT_EQ(**content, std::string(size, 'a'));
  }
  directory.write("file", std::string(101, 'a'));
  const auto content = certs::read_file(directory.file("file"), 100);
  ASSERT_FALSE(content);
  EXPECT_EQ(content.error().text, directory.file("file") + ": must have at most 100 bytes");
}

TEST(ReadFile, ReadsFilesWithoutSize) {
  const auto content = certs::read_file("/proc/self/status", 1 << 20);
  ASSERT_TRUE(content);
  EXPECT_THAT(content->value(), StartsWith("Name:"));
  EXPECT_GT(content->value().size(), 100U);
}

TEST(ReadFile, DistinguishesMissingFromUnreadableFile) {
  const TempDirectory directory;
  const auto missing = certs::read_file(directory.file("file"), 100);
  ASSERT_TRUE(missing);
  EXPECT_FALSE(missing->has_value());
  const auto folder = certs::read_file(directory.path(), 100);
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().text, directory.path() + ": must be a regular file");
}

TEST(WriteFileAtomically, ReplacesFileWithoutLeftovers) {
  const TempDirectory directory;
  for (const std::string content : {"one", "two"}) {
    ASSERT_TRUE(certs::write_file_atomically(directory.path(), "ca.crt", content));
    EXPECT_EQ(directory.read("ca.crt"), content);
  }
  struct stat status {};
  ASSERT_EQ(::stat(directory.file("ca.crt").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0644U);
  const std::filesystem::directory_iterator files(directory.path());
  EXPECT_EQ(std::distance(begin(files), end(files)), 1);
}

TEST(WriteFileAtomically, ReportsUnwritableDirectory) {
  const TempDirectory directory;
  const auto written = certs::write_file_atomically(directory.file("missing"), "ca.crt", "x");
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().text,
            directory.file("missing") + "/ca.crt: cannot be written: No such file or directory");
  // Renaming a file over a directory fails late; the temporary file must be removed.
  std::filesystem::create_directory(directory.file("ca.crt"));
  EXPECT_FALSE(certs::write_file_atomically(directory.path(), "ca.crt", "x"));
  const std::filesystem::directory_iterator files(directory.path());
  EXPECT_EQ(std::distance(begin(files), end(files)), 1);
}

}  // namespace
}  // namespace dynamo::test
