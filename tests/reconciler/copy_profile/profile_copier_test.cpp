// Runs of the copier against an in-memory API server.
#include "reconciler/copy_profile/profile_copier.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <fstream>
#include <memory>
#include <string>

#include "tests/support/fake_clock.hpp"
#include "tests/support/fake_cluster.hpp"
#include "tests/support/recording_logger.hpp"
#include "tests/support/temporary_directory.hpp"

namespace dynamo::reconciler::copy_profile {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
using test::Fault;
using test::Match;
using ::testing::HasSubstr;

constexpr std::string_view kRunning = R"({"running":{}})";
constexpr std::string_view kEnded = R"({"terminated":{"exitCode":0,"reason":"Completed"}})";

class ProfileCopierTest : public ::testing::Test {
 protected:
  ProfileCopierTest() {
    options_.request = "small";
    options_.pod = "profile-small-x";
    options_.namespace_name = "ml";
    options_.data_directory = directory_.path().string();
    options_.poll_interval = milliseconds(1);
    put_pod(kEnded);
  }

  void put_pod(std::string_view state, std::string_view container = "profiler") {
    cluster_.put(kube::kPods,
                 R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"profile-small-x",)"
                 R"("namespace":"ml"},"spec":{"containers":[{"name":")" +
                     std::string(container) +
                     R"("},{"name":"output-copier"}]},"status":{"phase":"Running",)"
                     R"("containerStatuses":[{"name":"output-copier","state":{"running":{}}},)"
                     R"({"name":")" +
                     std::string(container) + R"(","state":)" + std::string(state) + "}]}}");
  }
  void write(std::string_view name, const std::string& text) {
    std::ofstream(directory_.path() / name, std::ios::binary) << text;
  }
  void write_success() {
    write(kStatusFile, "status: success\n");
    write(kConfigFile, "kind: DynamoGraphDeployment\n");
  }
  // The reason of a failure, or nothing.
  std::string copy() {
    ProfileCopier copier(options_, *connection_, clock_, logger_);
    const runtime::Result<void> copied = test::run(loop_, copier.run());
    return copied ? "" : copied.error().text;
  }
  std::optional<kube::Object> config_map() const {
    return cluster_.find(kube::kConfigMaps, "ml", "dgdr-output-small");
  }
  // Lets every request for the pod take this long.
  void let_time_pass(std::chrono::nanoseconds by) {
    for (int i = 0; i < 100; ++i) {
      cluster_.before({.path = "/pods/"}, [this, by] { clock_.tick(by); });
    }
  }

  boost::asio::io_context loop_;
  test::FakeClock clock_;
  test::FakeCluster cluster_{&clock_};
  std::unique_ptr<kube::Transport> connection_ = cluster_.connect("copier");
  test::RecordingLogger logger_;
  test::TemporaryDirectory directory_;
  Options options_;
};

TEST_F(ProfileCopierTest, SuccessIsStoredInConfigMap) {
  write_success();
  EXPECT_EQ(copy(), "");
  ASSERT_TRUE(config_map());
  const kube::Object stored = *config_map();
  const json::Value labels = stored.root()["metadata"]["labels"];
  EXPECT_EQ(labels["dgdr.nvidia.com/name"].string(), "small");
  EXPECT_EQ(labels["nvidia.com/managed-by"].string(), "dynamo-operator");
  EXPECT_EQ(stored.root()["data"].size(), 2U);
  EXPECT_EQ(stored.root()["data"][kConfigFile].string(), "kind: DynamoGraphDeployment\n");
  EXPECT_THAT(cluster_.calls().back().target, HasSubstr("fieldManager=dynamo-profile-copier"));
  EXPECT_EQ(logger_.count("output of the profiler stored"), 1U);
}

// The API server reads the apply as YAML, which folds or refuses some characters.
TEST_F(ProfileCopierTest, CharactersBeyondYamlAreEscaped) {
  write_success();
  write(kConfigFile, "a: \"\u2028\u0085\x7f\u00e4\"\n");
  EXPECT_EQ(copy(), "");
  const std::string body = cluster_.calls().back().body;
  EXPECT_THAT(body, HasSubstr("\\u2028\\u0085\\u007f\u00e4"));
  const kube::Object stored = *config_map();
  EXPECT_EQ(stored.root()["data"][kConfigFile].string(), "a: \"\u2028\u0085\x7f\u00e4\"\n");
}

TEST_F(ProfileCopierTest, OlderConfigMapIsTakenOver) {
  write_success();
  cluster_.put(kube::kConfigMaps,
               R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"dgdr-output-small",)"
               R"("namespace":"ml"},"data":{"config_with_planner.yaml":"old"}})");
  EXPECT_EQ(copy(), "");
  const kube::Object stored = *config_map();
  EXPECT_EQ(stored.root()["data"][kConfigFile].string(), "kind: DynamoGraphDeployment\n");
}

TEST_F(ProfileCopierTest, RunningProfilerIsAwaited) {
  put_pod(kRunning);
  write_success();
  cluster_.before({.path = "/pods/"}, [] {});
  cluster_.before({.path = "/pods/"}, [] {});
  cluster_.before({.path = "/pods/"}, [this] { put_pod(kEnded); });
  EXPECT_EQ(copy(), "");
  EXPECT_TRUE(config_map());
  EXPECT_EQ(logger_.count("profiler is running"), 1U) << "once, not for each read";
  EXPECT_EQ(logger_.count("profiler has ended"), 1U);
}

TEST_F(ProfileCopierTest, FailedProfileIsReportedWithItsMessage) {
  write(kStatusFile, "status: failed\nmessage: no GPU is free\n");
  EXPECT_EQ(copy(),
            "profiler_status.yaml: status must be \"success\"; found \"failed\": no GPU is free");
  EXPECT_FALSE(config_map());
}

TEST_F(ProfileCopierTest, MissingStatusEndsAfterItsTimeout) {
  options_.status_timeout = std::chrono::nanoseconds::zero();
  put_pod(R"({"terminated":{"exitCode":137,"reason":"OOMKilled"}})");
  EXPECT_THAT(copy(), testing::AllOf(HasSubstr("profiler_status.yaml: must exist in "),
                                     HasSubstr("it ended with exit code 137")));
}

TEST_F(ProfileCopierTest, ProfilerThatNeverEndsEndsTheRun) {
  put_pod(kRunning);
  options_.timeout = hours(72);
  let_time_pass(hours(10));
  EXPECT_EQ(copy(), "the container profiler must end within --timeout (72h)");
  EXPECT_EQ(cluster_.count({.path = "/pods/"}), 8U);
}

TEST_F(ProfileCopierTest, TransientErrorsAreRepeated) {
  write_success();
  cluster_.fail({.path = "/pods/"}, {.kind = Fault::Kind::kRefused}, 2);
  cluster_.fail({.path = "/pods/"}, {.kind = Fault::Kind::kStatus, .status = 500}, 1);
  cluster_.fail({.method = kube::HttpMethod::kPatch}, {.kind = Fault::Kind::kLostAnswer}, 1);
  EXPECT_EQ(copy(), "");
  EXPECT_TRUE(config_map());
  EXPECT_EQ(logger_.count("request to the API server failed; trying again"), 4U);
}

TEST_F(ProfileCopierTest, UnreachableServerEndsTheRun) {
  cluster_.set_reachable(false);
  options_.timeout = milliseconds(1);
  clock_.tick(seconds(1));
  ProfileCopier copier(options_, *connection_, clock_, logger_);
  clock_.tick(seconds(1));
  const runtime::Result<void> copied = test::run(loop_, copier.run());
  ASSERT_FALSE(copied);
  EXPECT_THAT(copied.error().text, HasSubstr("requests must succeed within --timeout"));
}

TEST_F(ProfileCopierTest, MissingRightIsNamed) {
  cluster_.forbid("get", "pods");
  options_.access_timeout = std::chrono::nanoseconds::zero();
  EXPECT_THAT(copy(), HasSubstr("the service account of the pod must have the right to get pods in "
                                "namespace ml"));
  cluster_.allow_all();
  write_success();
  cluster_.forbid("patch", "configmaps");
  EXPECT_THAT(copy(), HasSubstr("must have the right to create and patch configmaps in namespace "
                                "ml"));
}

TEST_F(ProfileCopierTest, LateRightIsAwaited) {
  write_success();
  cluster_.fail({.path = "/pods/"},
                {.kind = Fault::Kind::kStatus, .status = 403, .reason = "Forbidden"}, 3);
  EXPECT_EQ(copy(), "");
}

TEST_F(ProfileCopierTest, MissingPodEndsTheRun) {
  cluster_.erase(kube::kPods, "ml", "profile-small-x");
  EXPECT_THAT(copy(), HasSubstr("get pods ml/profile-small-x: NotFound"));
}

TEST_F(ProfileCopierTest, PodWithoutProfilerEndsTheRun) {
  put_pod(kRunning, "other");
  EXPECT_EQ(copy(), "the pod must have a container profiler; found none");
}

TEST_F(ProfileCopierTest, RefusedOutputIsNotSent) {
  write_success();
  write(kConfigFile, std::string(kMostConfigMapBytes + 1, 'a'));
  EXPECT_THAT(copy(), HasSubstr("config_with_planner.yaml: must have at most 1048576 bytes"));
  EXPECT_EQ(cluster_.count({.method = kube::HttpMethod::kPatch}), 0U);
}

TEST_F(ProfileCopierTest, InvalidStatusEndsTheRun) {
  write(kStatusFile, "status: [\n");
  EXPECT_THAT(copy(), HasSubstr("profiler_status.yaml: must be YAML"));
}

}  // namespace
}  // namespace dynamo::reconciler::copy_profile
