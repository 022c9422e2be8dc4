// Refused pods of groups: which objects are read, and what is reported.
#include "reconciler/component/refusals.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "reconciler/component/plan.hpp"
#include "tests/reconciler/graph/graph_fixture.hpp"
#include "tests/reconciler/graph/plan_helpers.hpp"

namespace dynamo::reconciler::component {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr kube::Resource kGroups{"leaderworkerset.x-k8s.io", "v1", "leaderworkersets",
                                 "LeaderWorkerSet"};
constexpr kube::Resource kSets{"apps", "v1", "statefulsets", "StatefulSet"};

TEST(Refusals, GroupsWithTooFewReadyReplicasAreLate) {
  struct Row {
    std::string_view rest;  // of a group that the component owns
    bool late;
  };
  constexpr Row kRows[] = {
      {"spec: {replicas: 1}", true},
      {"spec: {}", true},
      {"spec: {replicas: 1}, status: {replicas: 1}", true},
      {"spec: {replicas: 1}, status: {replicas: 1, readyReplicas: 1}", false},
      {"spec: {replicas: 0}", false},
  };
  for (const Row& row : kRows) {
    ObservedObjects objects;
    objects.add(
        test::object("{kind: LeaderWorkerSet, metadata: {name: w-0, ownerReferences: [{uid: "
                     "u}]}, " +
                     std::string(row.rest) + "}"));
    EXPECT_EQ(late_groups(objects, "u").size(), row.late ? 1U : 0U) << row.rest;
    EXPECT_THAT(late_groups(objects, "another"), IsEmpty()) << row.rest;
  }
}

TEST(Refusals, StatefulSetsWithTooFewPodsLackPods) {
  const auto lacks = [](const std::string& rest) {
    return lacks_pods(test::object("{kind: StatefulSet, metadata: {name: w-0}, " + rest + "}"));
  };
  EXPECT_TRUE(lacks("spec: {replicas: 2}, status: {replicas: 1}"));
  EXPECT_TRUE(lacks("spec: {}"));
  EXPECT_FALSE(lacks("spec: {replicas: 2}, status: {replicas: 2}"));
  EXPECT_FALSE(lacks("spec: {replicas: 0}"));
}

TEST(Refusals, NewestEventGivesTheServersMessage) {
  const auto event = [](const std::string& note, const std::string& times) {
    return test::object("{kind: Event, metadata: {name: e}, note: '" + note + "', " + times + "}");
  };
  const kube::Object first = event("create Pod w-0-0 in StatefulSet w-0 failed error: quota: few",
                                   "deprecatedLastTimestamp: '2026-01-01T00:00:01Z'");
  const kube::Object second = event("create Pod w-0-0 in StatefulSet w-0 failed error: no account",
                                    "deprecatedLastTimestamp: '2026-01-01T00:00:02Z'");
  const kube::Object third = event(
      "(combined from similar events): create Pod w-0-0 in StatefulSet "
      "w-0 failed error: a webhook says no",
      "series: {lastObservedTime: '2026-01-01T00:00:03.000000Z'}");
  const kube::Object other = event("something else", "eventTime: '2026-01-01T00:00:04.000000Z'");
  EXPECT_EQ(newest_refusal({}), "");
  EXPECT_EQ(newest_refusal(std::vector{first}), "quota: few");
  EXPECT_EQ(newest_refusal(std::vector{second, first}), "no account");
  EXPECT_EQ(newest_refusal(std::vector{first, third, second}), "a webhook says no");
  EXPECT_EQ(newest_refusal(std::vector{other, first}), "something else");
  EXPECT_LT(newest_refusal(std::vector{event(std::string(5'000, 'x'), "type: Warning")}).size(),
            500U);
}

// --- With a cluster.

std::string group_service(const std::string& more = "") {
  return R"({"componentType":"worker","replicas":1,"multinode":{"nodeCount":3},"resources":)"
         R"({"limits":{"gpu":"1"}},"extraPodSpec":{)" +
         more +
         R"("mainContainer":{"image":"a:1","command":["python3"],"args":["-m","dynamo.vllm"]}}})";
}

// A graph with one group, g-work-0, for which no pods are created.
class GroupRefusals : public ::testing::Test {
 protected:
  void begin(const std::string& more = "") {
    fixture_.set_served_kinds(api::Fact::kNo, api::Fact::kYes);
    fixture_.put_graph(R"({"Work":)" + group_service(more) + "}");
    fixture_.start_process();
    fixture_.reconcile_all();
    fixture_.reconcile_all();
  }
  void put_set(const std::string& name, int wanted, int made) {
    fixture_.cluster.put(kSets, R"({"metadata":{"name":")" + name +
                                    R"(","namespace":"ml"},"spec":{"replicas":)" +
                                    std::to_string(wanted) + R"(},"status":{"replicas":)" +
                                    std::to_string(made) + "}}");
  }
  void put_event(const std::string& set, const std::string& message) {
    const std::string uid(fixture_.cluster.find(kSets, kSpace, set)->uid());
    const std::string number = std::to_string(++events_);
    fixture_.cluster.put(
        kube::kEvents,
        R"({"metadata":{"name":")" + set + "." + number +
            R"(","namespace":"ml"},"type":"Warning","reason":"FailedCreate","note":"create Pod x )"
            R"(in StatefulSet )" +
            set + " failed error: " + message + R"(","regarding":{"kind":"StatefulSet","name":")" +
            set + R"(","uid":")" + uid + R"("},"deprecatedLastTimestamp":"2026-01-01T00:00:0)" +
            number + R"(Z"})");
  }
  ReconcileResult later() {
    fixture_.clock.tick(std::chrono::seconds(61));
    return fixture_.reconcile_component("g-work");
  }
  std::string available_text() {
    return fixture_.condition_text(kComponents, "g-work", "Available");
  }
  std::size_t asked() const { return fixture_.cluster.count({.path = "/events?"}); }

  GraphFixture fixture_;

 private:
  int events_ = 0;
};

TEST_F(GroupRefusals, RefusedLeaderIsReportedWhileGroupIsLate) {
  begin();
  EXPECT_THAT(available_text(), HasSubstr("g-work-0 has groups that are not ready"));
  put_set("g-work-0", 1, 0);
  put_event("g-work-0", "exceeded quota: old");
  put_event("g-work-0", "exceeded quota: few");
  // Groups get time to start.
  EXPECT_EQ(fixture_.reconcile_component("g-work").kind, ReconcileResult::Kind::kRequeue);
  EXPECT_EQ(asked(), 0U);
  EXPECT_EQ(later().kind, ReconcileResult::Kind::kRequeue);
  EXPECT_THAT(available_text(),
              HasSubstr("1 of 1 LeaderWorkerSets are not ready: g-work-0 has groups that "
                        "are not ready; the pods of g-work-0 are refused: exceeded quota: "
                        "few"));
  fixture_.reconcile_graph();
  EXPECT_THAT(fixture_.condition_text(kGraphs, "g", "Ready"), HasSubstr("exceeded quota: few"));
  // Checked once a minute; nothing is written in between.
  const std::size_t quiet = fixture_.writes();
  EXPECT_EQ(asked(), 1U);
  fixture_.reconcile_component("g-work");
  EXPECT_EQ(asked(), 1U);
  later();
  EXPECT_EQ(asked(), 2U);
  EXPECT_EQ(fixture_.writes(), quiet);
  // A new process does not withdraw the report.
  fixture_.start_process();
  fixture_.reconcile_component("g-work");
  EXPECT_EQ(fixture_.writes(), quiet);
  // The pods are admitted and wait for something else; the event still exists.
  put_set("g-work-0", 1, 1);
  later();
  EXPECT_THAT(available_text(), Not(HasSubstr("refused")));
  EXPECT_THAT(available_text(), HasSubstr("g-work-0 has groups that are not ready"));
  // A ready group is no longer checked.
  fixture_.cluster.merge(kGroups, kSpace, "g-work-0",
                         R"({"status":{"replicas":1,"readyReplicas":1,"updatedReplicas":1,)"
                         R"("conditions":[{"type":"Available","status":"True"}]}})");
  const std::size_t before = asked();
  later();
  EXPECT_EQ(later().kind, ReconcileResult::Kind::kDone);
  EXPECT_EQ(asked(), before);
  EXPECT_THAT(available_text(), HasSubstr("AllLeaderWorkerSetsReady"));
}

TEST_F(GroupRefusals, RefusedWorkersAreReported) {
  begin();
  put_set("g-work-0", 1, 1);
  put_set("g-work-0-0", 2, 1);
  put_event("g-work-0", "of before");
  put_event("g-work-0-0", "denied by a webhook");
  fixture_.reconcile_component("g-work");
  later();
  EXPECT_THAT(available_text(), HasSubstr("the pods of g-work-0 are refused: denied by a webhook"));
}

// An earlier StatefulSet of the same name.
TEST_F(GroupRefusals, EventsOfEarlierObjectAreIgnored) {
  begin();
  put_set("g-work-0", 1, 0);
  put_event("g-work-0", "exceeded quota: few");
  fixture_.cluster.erase(kSets, kSpace, "g-work-0");
  put_set("g-work-0", 1, 0);
  fixture_.reconcile_component("g-work");
  later();
  EXPECT_THAT(available_text(), Not(HasSubstr("refused")));
}

TEST_F(GroupRefusals, ForbiddenReadDoesNotHideOtherProblems) {
  begin(R"("serviceAccountName":"runner",)");
  fixture_.cluster.forbid("get", "statefulsets");
  fixture_.reconcile_component("g-work");
  later();
  EXPECT_EQ(available_text(),
            "ObjectMissing: spec.extraPodSpec.serviceAccountName: must name a ServiceAccount of "
            "the namespace; found none of the name \"runner\"");
  fixture_.cluster.allow_all();
  put_set("g-work-0", 1, 0);
  put_event("g-work-0", "serviceaccount runner not found");
  later();
  EXPECT_THAT(available_text(),
              HasSubstr("\"runner\"; the pods of g-work-0 are refused: serviceaccount"));
  fixture_.cluster.put(kAccounts, R"({"metadata":{"name":"runner","namespace":"ml"}})");
  put_set("g-work-0", 1, 1);
  later();
  EXPECT_THAT(available_text(), HasSubstr("SomeLeaderWorkerSetsNotReady: "));
  EXPECT_THAT(available_text(), Not(HasSubstr("refused")));
}

TEST_F(GroupRefusals, AtMostThreeGroupsAreRead) {
  begin();
  fixture_.cluster.merge(kGraphs, kSpace, "g", R"({"spec":{"services":{"Work":{"replicas":9}}}})");
  fixture_.reconcile_all();
  fixture_.reconcile_all();
  for (int i = 0; i < 9; ++i) {
    put_set("g-work-" + std::to_string(i), 1, 0);
    put_event("g-work-" + std::to_string(i), "no");
  }
  later();
  EXPECT_EQ(asked(), 3U);
  EXPECT_THAT(available_text(), HasSubstr("the pods of g-work-2 are refused: no"));
  EXPECT_THAT(available_text(), Not(HasSubstr("the pods of g-work-3")));
}

}  // namespace
}  // namespace dynamo::reconciler::component
