// Graphs over Grove, and their queues of KAI.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "cluster/resources.hpp"
#include "desired/graph_pathway.hpp"
#include "desired/kinds.hpp"
#include "doctor/grove.hpp"
#include "tests/doctor/installation.hpp"

namespace dynamo::doctor {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kOnGrove = R"({"services":{"W":{"componentKind":"PodClique"}}})";
constexpr std::string_view kInGroups =
    R"({"services":{"W":{"componentKind":"PodCliqueScalingGroup"}}})";
constexpr std::string_view kOnDeployments = R"({"services":{"W":{"componentKind":"Deployment"}}})";
constexpr std::string_view kAvoids =
    R"({"conditions":[{"type":"RunsByGrove","status":"False","reason":"ComponentsRunAlready"}]})";

class DoctorOfGrove : public testing::Test {
 protected:
  void put(std::string_view name, std::string_view status, std::string_view annotations = "{}",
           std::string_view space = "team-a") {
    i_.cluster.put(cluster::kGraphDeployments,
                   R"({"metadata":{"name":")" + std::string(name) + R"(","namespace":")" +
                       std::string(space) + R"(","annotations":)" + std::string(annotations) +
                       R"(},"status":)" + std::string(status) + "}");
  }
  void put_queue(const std::string& name) {
    i_.cluster.put(kKaiQueues, R"({"metadata":{"name":")" + name + R"("}})");
  }
  std::vector<CheckFinding> findings() {
    std::vector<CheckFinding> found;
    for (const CheckFinding& each : i_.examined()) {
      if (each.check == "cluster.grove") found.push_back(each);
    }
    return found;
  }
  CheckFinding finding() {
    const std::vector<CheckFinding> found = findings();
    EXPECT_EQ(found.size(), 1U);
    return found.empty() ? CheckFinding{} : found.front();
  }
  void expect_warning(std::string_view subject, std::string_view text) {
    const CheckFinding found = finding();
    EXPECT_EQ(found.level, Level::kWarning) << found.text;
    EXPECT_EQ(found.subject, subject);
    EXPECT_THAT(found.text, HasSubstr(text));
    EXPECT_NE(found.remedy, "");
  }
  void expect_ok(std::string_view text) {
    const CheckFinding found = finding();
    EXPECT_EQ(found.level, Level::kOk) << found.text;
    EXPECT_EQ(found.text, text);
  }

  Installation i_;
};

TEST_F(DoctorOfGrove, AcceptsAClusterWithoutIt) {
  put("new", "{}");
  put("old", kOnDeployments);
  expect_ok("is not served, and runs no graph");
}

TEST_F(DoctorOfGrove, WarnsOfGraphsThatLostIt) {
  put("a", kOnGrove);
  put("b", kInGroups);
  put("c", kOnDeployments);
  expect_warning("Grove", "found no grove.io, and 2 that it ran: team-a/a, team-a/b:");
}

TEST_F(DoctorOfGrove, WarnsOfAMissingQueue) {
  i_.cluster.set_groups({"grove.io", "scheduling.run.ai"});
  put("a", kOnGrove);
  put("b", "{}", R"({"nvidia.com/kai-scheduler-queue":" gold "})");
  put_queue("gold");
  expect_warning("Queue dynamo",
                 "found none, and 1 of 2 graphs over Grove that name it: team-a/a:");
  put_queue("dynamo");
  expect_ok("is served, and 2 graphs over it lack no queue");
}

TEST_F(DoctorOfGrove, IgnoresGraphsThatItDoesNotRun) {
  i_.cluster.set_groups({"grove.io", "scheduling.run.ai"});
  put("avoids", kAvoids);
  put("disabled", "{}", R"({"nvidia.com/enable-grove":"False"})");
  put("older", kOnDeployments);
  expect_ok("is served, and 0 graphs over it lack no queue");
}

TEST_F(DoctorOfGrove, NeedsNoQueueWithoutKai) {
  i_.cluster.set_groups({"grove.io"});
  put("a", kOnGrove);
  expect_ok("is served, and 1 graphs over it lack no queue");
}

TEST_F(DoctorOfGrove, SkipsWhatCannotBeListed) {
  i_.cluster.set_groups({"grove.io", "scheduling.run.ai"});
  put("a", kOnGrove);
  i_.cluster.forbid("list", "queues");
  EXPECT_EQ(finding().level, Level::kSkipped);
  EXPECT_THAT(finding().text, HasSubstr("queues"));
  i_.cluster.forbid("list", "dynamographdeployments");
  EXPECT_EQ(finding().level, Level::kSkipped);
  EXPECT_THAT(finding().text, HasSubstr("dynamographdeployments"));
}

TEST_F(DoctorOfGrove, RestrictedServerSeesItsOwnNamespace) {
  put("a", kOnGrove, "{}", "elsewhere");
  i_.restricted_namespace = "team-a";
  expect_ok("is not served, and runs no graph");
}

TEST(DoctorGroveTest, WordsMatchDynamoReconciler) {
  EXPECT_EQ(kRunsByGrove, reconciler::graph::kByGrove);
  EXPECT_EQ(kKaiQueues, reconciler::kQueues);
}

}  // namespace
}  // namespace dynamo::doctor
