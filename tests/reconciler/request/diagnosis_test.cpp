// Reports about the pods of a profiling Job.
#include "reconciler/request/diagnosis.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace dynamo::reconciler::request {
namespace {

kube::Object pod(const std::string& name, const std::string& created, const std::string& status) {
  return kube::Object::parse(R"({"metadata":{"name":")" + name + R"(","creationTimestamp":")" +
                             created + R"("},"status":)" + status + "}")
      .value();
}

std::string profiler(const std::string& state) {
  return R"("containerStatuses":[{"name":"output-copier","state":{}},{"name":"profiler","state":)" +
         state + "}]";
}

TEST(PodDiagnosis, NewestFailedPodIsReported) {
  const std::vector<kube::Object> pods = {
      pod("p-1", "2026-01-01T00:00:02Z",
          R"({"phase":"Failed",)" +
              profiler(R"({"terminated":{"exitCode":137,"reason":"OOMKilled","message":"gone"}})") +
              "}"),
      pod("p-2", "2026-01-01T00:00:01Z",
          R"({"phase":"Failed",)" + profiler(R"({"terminated":{"exitCode":1}})") + "}"),
      pod("p-3", "2026-01-01T00:00:03Z", R"({"phase":"Running"})")};
  EXPECT_EQ(describe_failed_pods(pods),
            "pod p-1: container profiler ended with exit code 137, reason OOMKilled: gone");
}

TEST(PodDiagnosis, CopierIsReportedAfterSuccessOfProfiler) {
  const std::vector<kube::Object> pods = {pod(
      "p", "",
      R"({"phase":"Failed","containerStatuses":[{"name":"output-copier","state":{"terminated":{)"
      R"("exitCode":1,"reason":"Error","message":"waits\nconfig_with_planner.yaml: must have at )"
      R"(most 1048576 bytes\n"}}},{"name":"profiler","state":{"terminated":{"exitCode":0,)"
      R"("reason":"Completed"}}}]})")};
  EXPECT_EQ(describe_failed_pods(pods),
            "pod p: container profiler ended with exit code 0, reason Completed; container "
            "output-copier ended with exit code 1, reason Error: config_with_planner.yaml: must "
            "have at most 1048576 bytes");
}

TEST(PodDiagnosis, EvictedPodIsReportedWithItsReason) {
  const std::vector<kube::Object> pods = {
      pod("p", "", R"({"phase":"Failed","reason":"Evicted","message":"low on memory"})")};
  EXPECT_EQ(describe_failed_pods(pods), "pod p failed; the pod, reason Evicted: low on memory");
}

TEST(PodDiagnosis, ContainerThatNeverRanIsReported) {
  const std::vector<kube::Object> pods = {pod(
      "p", "",
      R"({"phase":"Failed",)" +
          profiler(R"({"waiting":{"reason":"ErrImagePull","message":"no such image"}})") + "}")};
  EXPECT_EQ(describe_failed_pods(pods),
            "pod p: container profiler never ran, reason ErrImagePull: no such image");
}

TEST(PodDiagnosis, WaitingPodIsReportedWithItsReason) {
  const std::vector<kube::Object> image = {pod(
      "p", "",
      R"({"phase":"Pending",)" + profiler(R"({"waiting":{"reason":"ImagePullBackOff"}})") + "}")};
  EXPECT_EQ(describe_waiting_pods(image),
            "pod p: container profiler waits, reason ImagePullBackOff");
  const std::vector<kube::Object> node = {
      pod("p", "",
          R"({"phase":"Pending","conditions":[{"type":"PodScheduled","status":"False",)"
          R"("reason":"Unschedulable","message":"0/3 nodes are available"}]})")};
  EXPECT_EQ(describe_waiting_pods(node),
            "pod p is not scheduled, reason Unschedulable: 0/3 nodes are available");
}

TEST(PodDiagnosis, NothingIsReportedWithoutSuchPods) {
  EXPECT_EQ(describe_failed_pods({}), "");
  EXPECT_EQ(describe_waiting_pods({}), "");
}

TEST(JobState, FailedPrevailsOverComplete) {
  const auto state_of = [](const std::string& conditions) {
    return job_state_of(
        kube::Object::parse(R"({"status":{"conditions":)" + conditions + "}}").value());
  };
  EXPECT_EQ(state_of("[]"), JobState::kRunning);
  EXPECT_EQ(state_of(R"([{"type":"Complete","status":"False"}])"), JobState::kRunning);
  EXPECT_EQ(state_of(R"([{"type":"Complete","status":"True"}])"), JobState::kComplete);
  EXPECT_EQ(state_of(R"([{"type":"Complete","status":"True"},{"type":"Failed","status":"True"}])"),
            JobState::kFailed);
}

}  // namespace
}  // namespace dynamo::reconciler::request
