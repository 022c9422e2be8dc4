#include "process/policy_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>

#include "tests/support/recording_logger.hpp"
#include "tests/support/temporary_directory.hpp"

namespace dynamo::process {
namespace {

using ::testing::HasSubstr;

class PolicyFileTest : public ::testing::Test {
 protected:
  void write(std::string_view text) const {
    const std::filesystem::path next = directory_.path() / "policy.new";
    std::ofstream(next) << text;
    std::filesystem::rename(next, path_);
  }
  bool comes(const std::function<bool()>& condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!condition() && std::chrono::steady_clock::now() < end) {
      loop_.run_for(std::chrono::milliseconds(10));
      loop_.restart();
    }
    return condition();
  }

  const test::TemporaryDirectory directory_;
  const std::string path_ = (directory_.path() / "policy.yaml").string();
  boost::asio::io_context loop_;
  test::RecordingLogger logger_;
  int changes_ = 0;
  PolicyFile file_{path_,
                   logger_,
                   {.refusals = {.with_older = "kept", .without_older = "none"},
                    .poll_interval = std::chrono::hours(1),
                    .changed = [this] { ++changes_; }}};
};

TEST_F(PolicyFileTest, MissingFileIsReportedOnce) {
  file_.poll();
  file_.poll();
  EXPECT_EQ(file_.current(), nullptr);
  EXPECT_EQ(file_.reload_errors(), 1U);
  EXPECT_EQ(file_.problem(), path_ + ": is missing");
  EXPECT_EQ(logger_.count("none"), 1U);
  EXPECT_EQ(changes_, 0);
}

TEST_F(PolicyFileTest, PreviousPolicyStaysWhenFileBecomesInvalid) {
  write("version: 1\n");
  file_.poll();
  const auto first = file_.current();
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(file_.generation(), 1U);
  write("version: 1\nseverities:\n  - severity: maybe\n");
  file_.poll();
  EXPECT_EQ(file_.current(), first);
  EXPECT_EQ(file_.generation(), 1U);
  EXPECT_EQ(file_.reload_errors(), 1U);
  EXPECT_THAT(file_.problem(), HasSubstr(path_ + ": line 3, column 15: severity must be"));
  EXPECT_THAT(file_.problem(), HasSubstr(path_ + ": line 3, column 5: rules is missing"));
  EXPECT_EQ(logger_.count("kept"), 1U);
  std::filesystem::remove(path_);
  file_.poll();
  EXPECT_EQ(file_.reload_errors(), 2U);
  EXPECT_EQ(logger_.count("kept"), 2U);
  write("version: 1\n");
  file_.poll();
  EXPECT_EQ(file_.problem(), "");
  EXPECT_EQ(file_.current(), first) << "the same text is not read again";
  EXPECT_EQ(changes_, 1);
  EXPECT_EQ(logger_.count("policy in use"), 1U);
}

TEST_F(PolicyFileTest, FileAboveLimitIsRefused) {
  write(std::string(admission::kMaxPolicyBytes + 1, '#'));
  file_.poll();
  EXPECT_EQ(file_.current(), nullptr);
  EXPECT_THAT(file_.problem(), HasSubstr("must have at most 1048576 bytes"));
  EXPECT_EQ(policy_file_problem(path_), file_.problem());
}

TEST_F(PolicyFileTest, ChangeIsUsedBeforeTheInterval) {
  write("version: 1\n");
  file_.start(loop_);
  EXPECT_EQ(changes_, 1);
  write("version: 1\nhonourIgnores: true\n");
  EXPECT_TRUE(comes([this] { return changes_ == 2; }));
  EXPECT_EQ(file_.generation(), 2U);
}

TEST(PolicyFile, ChangeIsUsedAtTheInterval) {
  const test::TemporaryDirectory directory;
  const std::filesystem::path later = directory.path() / "later";
  boost::asio::io_context loop;
  test::RecordingLogger logger;
  PolicyFile file((later / "policy.yaml").string(), logger,
                  {.poll_interval = std::chrono::milliseconds(20)});
  file.start(loop);
  EXPECT_EQ(logger.count("policy refused"), 1U);
  std::filesystem::create_directory(later);
  std::ofstream(later / "policy.yaml") << "version: 1\n";
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!file.current() && std::chrono::steady_clock::now() < end) {
    loop.run_for(std::chrono::milliseconds(10));
    loop.restart();
  }
  EXPECT_NE(file.current(), nullptr);
}

TEST(PolicyFile, FollowingCanEndAtFirstChange) {
  const test::TemporaryDirectory directory;
  const std::string path = (directory.path() / "policy.yaml").string();
  boost::asio::io_context loop;
  test::RecordingLogger logger;
  std::function<void()> stop;
  PolicyFile file(path, logger,
                  {.poll_interval = std::chrono::milliseconds(20), .changed = [&] { stop(); }});
  stop = [&file] { file.stop(); };
  file.start(loop);
  std::ofstream(path) << "version: 1\n";
  // The loop runs out of work when the file is followed no longer.
  loop.run_for(std::chrono::seconds(30));
  EXPECT_TRUE(loop.stopped());
  EXPECT_EQ(file.generation(), 1U);
}

TEST(PolicyFile, EmptyPathMeansNoPolicy) {
  boost::asio::io_context loop;
  test::RecordingLogger logger;
  PolicyFile file("", logger);
  file.start(loop);
  EXPECT_EQ(file.current(), nullptr);
  EXPECT_EQ(file.reload_errors(), 0U);
  EXPECT_EQ(policy_file_problem(""), std::nullopt);
}

}  // namespace
}  // namespace dynamo::process
