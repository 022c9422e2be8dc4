// How `kubectl dynamo status` shows requests and checkpoints with their Jobs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "desired/kinds.hpp"
#include "json/parser.hpp"
#include "tests/cli/cluster/status_fixture.hpp"

namespace dynamo::cli::status {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class StatusJobs : public Status {
 protected:
  static constexpr auto kRequest = api::Kind::kGraphDeploymentRequest;
  static constexpr auto kCheckpoint = api::Kind::kCheckpoint;

  void put_request(const std::string& status, const std::string& spec = "{}") {
    put(kRequest, head("ask") + R"(,"spec":)" + spec + R"(,"status":)" + status + "}");
  }

  // The object `owner` controls the Job.
  void put_job(api::Kind kind, const std::string& owner, const std::string& name,
               const std::string& label, const std::string& status) {
    const auto object = cluster_.find(resource_of(kind), "team-a", owner);
    ASSERT_TRUE(object);
    const std::string kind_name(api::names(kind).name);
    cluster_.put(
        reconciler::find_managed_kind("Job")->resource,
        head(name, R"(,"labels":{")" + label + R"(":")" + owner +
                       R"("},"ownerReferences":[{"apiVersion":"nvidia.com/v1alpha1",)"
                       R"("kind":")" +
                       kind_name + R"(","name":")" + owner + R"(","controller":true,"uid":")" +
                       std::string(object->uid()) + R"("}])") +
            R"(,"status":)" + status + "}");
  }
  void put_profiling_job(const std::string& status) {
    put_job(kRequest, "ask", "profile-ask", "dgdr", status);
  }
  void put_job_pod(const std::string& status) {
    cluster_.put(kube::kPods, head("profile-ask-x", R"(,"labels":{"job-name":"profile-ask"})") +
                                  R"(,"status":)" + status + "}");
  }
};

TEST_F(StatusJobs, RequestShowsRunningJobWithWaitingPod) {
  put_request(R"({"state":"Profiling"})");
  put_profiling_job(R"({"active":1,"startTime":"2026-02-03T03:53:06Z"})");
  put_job_pod(R"({"phase":"Pending","containerStatuses":[{"name":"profiler","ready":false,)"
              R"("state":{"waiting":{"reason":"ImagePullBackOff","message":"no such image"}}}]})");
  EXPECT_EQ(run().out,
            "DynamoGraphDeploymentRequest team-a/ask: Profiling, 0s old\n"
            "└─ job profile-ask: running for 12m, 1 pod active, 0s old\n"
            "   └─ pod profile-ask-x: ImagePullBackOff, 0 of 1 containers ready, container "
            "profiler waits: ImagePullBackOff: no such image, 0s old\n");
}

TEST_F(StatusJobs, UnscheduledPodOfJobNamesTheReason) {
  put_request(R"({"state":"Profiling"})");
  put_profiling_job(R"({"active":1})");
  put_job_pod(R"({"phase":"Pending","conditions":[{"type":"PodScheduled","status":"False",)"
              R"("reason":"Unschedulable","message":"no GPU is free"}]})");
  EXPECT_THAT(run().out, HasSubstr("pod profile-ask-x: Pending, 0 of 0 containers ready, not "
                                   "scheduled: Unschedulable: no GPU is free, 0s old\n"));
}

// Such as one whose pods exceed a quota.
TEST_F(StatusJobs, JobWithoutPodsShowsItsEvents) {
  put_request(R"({"state":"Profiling"})");
  put_profiling_job("{}");
  put_event("e1", "FailedCreate", "exceeded quota", "2026-02-03T04:03:06Z", "profile-ask", "Job");
  cluster_.merge(kube::kEvents, "team-a", "e1", R"({"regarding":{"apiVersion":"batch/v1"}})");
  EXPECT_THAT(run().out, HasSubstr("└─ job profile-ask: waiting, 0 pods active, 0s old\n"
                                   "     Warning FailedCreate 2m ago, 3 times: exceeded quota\n"));
  put_profiling_job(R"({"active":1})");
  EXPECT_THAT(run().out, Not(HasSubstr("FailedCreate"))) << "its events are not read";
}

TEST_F(StatusJobs, FailedJobShowsExitCode) {
  put_request(R"({"state":"Failed"})");
  put_profiling_job(R"({"failed":2,"startTime":"2026-02-03T03:53:06Z","conditions":[)"
                    R"({"type":"Failed","status":"True","reason":"BackoffLimitExceeded",)"
                    R"("message":"too many","lastTransitionTime":"2026-02-03T03:56:06Z"}]})");
  put_job_pod(R"({"phase":"Failed","containerStatuses":[{"name":"profiler","ready":false,)"
              R"("state":{"terminated":{"exitCode":137,"reason":"OOMKilled"}}}]})");
  const std::string text = run().out;
  EXPECT_THAT(text, HasSubstr("└─ job profile-ask: failed after 3m, 2 pods failed, 0s old\n"));
  EXPECT_THAT(text, HasSubstr("Failed=True BackoffLimitExceeded for 9m: too many\n"));
  EXPECT_THAT(text, HasSubstr("container profiler ended with exit code 137: OOMKilled, 0s old\n"));
  options_.json = true;
  const auto document = json::parse_copy(run().out);
  const json::Value request = first(document->root()["objects"]);
  EXPECT_EQ(request["health"].string(), "bad");
  const json::Value job = first(request["children"]);
  EXPECT_EQ(job["kind"].string(), "Job");
  EXPECT_EQ(job["health"].string(), "bad");
  EXPECT_EQ(job["started"].string(), "2026-02-03T03:53:06Z");
  EXPECT_EQ(job["ended"].string(), "2026-02-03T03:56:06Z");
  EXPECT_EQ(first(job["children"])["state"].string(), "Failed");
}

TEST_F(StatusJobs, CreatedGraphIsShownBelowItsRequest) {
  put_graph();
  put_request(R"({"state":"Deploying","deployment":{"created":true,"name":"llama",)"
              R"("namespace":"team-a","state":"pending"}})");
  put_profiling_job(R"({"startTime":"2026-02-03T03:53:06Z",)"
                    R"("completionTime":"2026-02-03T03:58:06Z",)"
                    R"("conditions":[{"type":"Complete","status":"True"}]})");
  EXPECT_THAT(run().out, HasSubstr("DynamoGraphDeploymentRequest team-a/ask: Deploying, 0s old\n"
                                   "├─ job profile-ask: complete after 5m, 0s old\n"
                                   "└─ graph llama: as above\n"));
  options_.name = "ask";
  const std::string one = run().out;
  EXPECT_THAT(one, HasSubstr("└─ graph llama: pending, 1 of 2 services ready, 0s old\n"));
  EXPECT_THAT(one, HasSubstr("   ├─ service Decode: worker, 2 of 3 ready\n"));
}

TEST_F(StatusJobs, NameSelectsGraphAndRequest) {
  put_graph("ask");
  put(api::Kind::kModel, head("ask") + R"(,"spec":{}})");
  put_request("{}");
  options_.name = "ask";
  const std::string text = run().out;
  EXPECT_THAT(text, HasSubstr("DynamoGraphDeployment team-a/ask"));
  EXPECT_THAT(text, HasSubstr("DynamoGraphDeploymentRequest team-a/ask"));
  EXPECT_THAT(text, Not(HasSubstr("DynamoModel")));
}

TEST_F(StatusJobs, GeneratedGraphWaitsForItsUser) {
  put_request(R"({"state":"Ready","generatedDeployment":{"metadata":{"name":"llama"}}})");
  EXPECT_EQ(run().out,
            "DynamoGraphDeploymentRequest team-a/ask: Ready, 0s old\n"
            "└─ graph llama: generated, apply status.generatedDeployment of the request\n");
  put_graph();
  EXPECT_THAT(run().out, HasSubstr("└─ graph llama: as above\n"));
}

TEST_F(StatusJobs, DeletedAndDistantGraphsAreNamed) {
  const std::string deployment =
      R"(,"deployment":{"created":true,"name":"llama","namespace":"team-b","state":"pending"}})";
  put_request(R"({"state":"Deploying")" + deployment);
  EXPECT_THAT(run().out, HasSubstr("└─ graph llama: pending, in namespace team-b\n"));
  put_request(R"({"state":"DeploymentDeleted")" + deployment);
  EXPECT_THAT(run().out, HasSubstr("└─ graph llama: deleted\n"));
}

TEST_F(StatusJobs, CheckpointShowsJobAndLocation) {
  put(kCheckpoint, head("saved") + R"(,"status":{"phase":"Creating"}})");
  put_job(kCheckpoint, "saved", "checkpoint-saved", "nvidia.com/checkpoint-name",
          R"({"active":1,"startTime":"2026-02-03T04:04:06Z"})");
  EXPECT_EQ(run().out,
            "DynamoCheckpoint team-a/saved: Creating, 0s old\n"
            "└─ job checkpoint-saved: running for 1m, 1 pod active, 0s old\n");
  cluster_.merge(resource_of(kCheckpoint), "team-a", "saved",
                 R"({"status":{"phase":"Ready","location":"s3://bucket/1.tar"}})");
  EXPECT_THAT(run().out, HasSubstr("team-a/saved: Ready, stored at s3://bucket/1.tar, 0s old\n"));
}

TEST_F(StatusJobs, GraphShowsReferencedCheckpoint) {
  put(api::Kind::kGraphDeployment,
      head("llama") + R"(,"spec":{"services":{"A":{"checkpoint":{"checkpointRef":"saved"}}}}})");
  put(kCheckpoint, head("saved") + R"(,"status":{"phase":"Creating"}})");
  put_job(kCheckpoint, "saved", "checkpoint-saved", "nvidia.com/checkpoint-name", "{}");
  EXPECT_THAT(run().out, HasSubstr("   └─ checkpoint saved: Creating, 0s old\n"
                                   "      └─ job checkpoint-saved: waiting, 0 pods active, "));
}

TEST_F(StatusJobs, JobOfEarlierRequestIsHidden) {
  put_request(R"({"state":"Pending"})");
  put_profiling_job(R"({"active":1})");
  cluster_.erase(resource_of(kRequest), "team-a", "ask");
  put_request(R"({"state":"Pending"})");
  EXPECT_THAT(run().out, Not(HasSubstr("job ")));
}

TEST_F(StatusJobs, ForbiddenJobsAreReported) {
  put_request("{}");
  cluster_.forbid("list", "jobs");
  const RunResult ran = run();
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.out, HasSubstr("not seen: list jobs"));
}

TEST_F(StatusJobs, ReadsPodsOfTwentyJobs) {
  for (int i = 0; i < 25; ++i) {
    const std::string name = "ask" + std::to_string(100 + i);
    put(kRequest, head(name) + R"(,"spec":{},"status":{"state":"Profiling"}})");
    put_job(kRequest, name, "profile-" + name, "dgdr", R"({"active":1})");
  }
  cluster_.clear_calls();
  EXPECT_THAT(run().out, HasSubstr("not seen: the pods of 5 more Jobs: name a request or a"));
  EXPECT_EQ(cluster_.count({.path = "job-name"}), 20U);
  options_.name = "ask124";
  cluster_.clear_calls();
  EXPECT_THAT(run().out, Not(HasSubstr("not seen")));
  EXPECT_EQ(cluster_.count({.path = "job-name"}), 1U);
}

}  // namespace
}  // namespace dynamo::cli::status
