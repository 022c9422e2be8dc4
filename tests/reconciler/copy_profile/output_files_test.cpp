// The files of a profiler: status, sizes, text.
#include "reconciler/copy_profile/output_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/support/temporary_directory.hpp"

namespace dynamo::reconciler::copy_profile {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string problem_of_status(std::string_view text) {
  const auto checked = check_profiler_status(text);
  return checked ? "" : checked.error().text;
}

TEST(ProfilerStatus, OnlySuccessIsAccepted) {
  EXPECT_EQ(problem_of_status("status: success\nmessage: done\n"), "");
  EXPECT_EQ(problem_of_status("{\"status\": \"success\"}"), "");
  EXPECT_EQ(problem_of_status("status: failed\nmessage: \"out of\\nmemory\"\n"),
            "profiler_status.yaml: status must be \"success\"; found \"failed\": out of memory");
  EXPECT_THAT(problem_of_status("status: running\n"), HasSubstr("found \"running\""));
  EXPECT_THAT(problem_of_status("status: Success\n"), HasSubstr("found \"Success\""));
  EXPECT_THAT(problem_of_status("status: yes\n"), HasSubstr("must have the member status, a text"));
  EXPECT_THAT(problem_of_status("[success]\n"), HasSubstr("must have the member status, a text"));
  EXPECT_THAT(problem_of_status(""), HasSubstr("found an empty file"));
}

TEST(ProfilerStatus, InvalidYamlIsReportedWithItsLine) {
  EXPECT_THAT(problem_of_status("status: success\nmessage: \"open\n"),
              HasSubstr("profiler_status.yaml: must be YAML; line "));
}

TEST(ProfilerStatus, LongMessageIsCut) {
  const std::string problem =
      problem_of_status("status: failed\nmessage: " + std::string(100'000, 'a') + "\n");
  EXPECT_LT(problem.size(), 1200U);
}

class ProfilerOutput : public ::testing::Test {
 protected:
  void write(std::string_view name, const std::string& text) {
    std::ofstream(directory_.path() / name, std::ios::binary) << text;
  }
  runtime::Result<std::vector<OutputFile>> read() {
    OutputFile status;
    status.name = kStatusFile;
    status.text = "status: success\n";
    return read_output(directory_.path().string(), status);
  }
  std::string problem() {
    const auto files = read();
    return files ? "" : files.error().text;
  }
  std::vector<std::string> names() {
    std::vector<std::string> result;
    const std::vector<OutputFile> files = read().value();
    for (const OutputFile& file : files) result.push_back(file.name);
    return result;
  }

  test::TemporaryDirectory directory_;
};

TEST_F(ProfilerOutput, HasConfigurationStatusAndOptionalMocker) {
  EXPECT_THAT(problem(), HasSubstr("config_with_planner.yaml: must exist"));
  write(kConfigFile, "");
  EXPECT_THAT(problem(), HasSubstr("found an empty file"));
  write(kConfigFile, "kind: A\n");
  EXPECT_THAT(names(), ElementsAre(kConfigFile, kStatusFile));
  write(kMockerFile, "kind: B\n");
  write("other.yaml", "kind: C\n");
  EXPECT_THAT(names(), ElementsAre(kConfigFile, kMockerFile, kStatusFile));
  EXPECT_EQ(read()->at(1).text, "kind: B\n");
}

TEST_F(ProfilerOutput, LargeFileIsRefusedWithSizeAndLimit) {
  write(kConfigFile, std::string(kMostConfigMapBytes + 1, 'a'));
  EXPECT_EQ(problem(), "config_with_planner.yaml: must have at most 1048576 bytes; found 1048577");
}

TEST_F(ProfilerOutput, LargeTotalNamesLargestFile) {
  write(kConfigFile, std::string(500'000, 'a'));
  write(kMockerFile, std::string(548'560, 'a'));
  EXPECT_EQ(problem(), "") << "exactly the limit";
  write(kMockerFile, std::string(548'561, 'a'));
  EXPECT_THAT(problem(), HasSubstr("mocker_config_with_planner.yaml: must have at most 1048576 "
                                   "bytes together with the other files"));
  EXPECT_THAT(problem(), HasSubstr("found 1048577"));
}

TEST_F(ProfilerOutput, BinaryFileIsRefused) {
  write(kConfigFile, "ab\xff");
  EXPECT_THAT(problem(), HasSubstr("must be text in UTF-8; byte 3 is not"));
}

TEST_F(ProfilerOutput, LinkOutOfDirectoryIsRefused) {
  write(kConfigFile, "kind: A\n");
  std::filesystem::create_symlink("/proc/self/environ", directory_.path() / kMockerFile);
  EXPECT_THAT(problem(), HasSubstr("mocker_config_with_planner.yaml: must not be a link"));
}

}  // namespace
}  // namespace dynamo::reconciler::copy_profile
