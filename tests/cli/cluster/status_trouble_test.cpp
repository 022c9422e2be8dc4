// How `kubectl dynamo status` shows trouble: a stale status, conditions, events, namespaces.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "json/parser.hpp"
#include "tests/cli/cluster/status_fixture.hpp"

namespace dynamo::cli::status {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// As after a change of the spec while no controller runs.
TEST_F(Status, StatusOfEarlierSpecIsStale) {
  put(api::Kind::kGraphDeployment,
      head("llama") +
          R"(,"spec":{"services":{"A":{"replicas":2}}},"status":{"state":"successful",)"
          R"("conditions":[{"type":"Ready","status":"True","reason":"R","message":"all ready",)"
          R"("observedGeneration":1},{"type":"DynamoAdmissionValid","status":"True",)"
          R"("reason":"V","message":"m","observedGeneration":2}],)"
          R"("services":{"A":{"replicas":2,"readyReplicas":2}}}})");
  EXPECT_EQ(run().out,
            "DynamoGraphDeployment team-a/llama: successful, 1 of 1 services ready, 0s old\n"
            "└─ service A: 2 of 2 ready\n");
  cluster_.merge(resource_of(api::Kind::kGraphDeployment), "team-a", "llama",
                 R"({"spec":{"services":{"A":{"envs":[]}}}})");
  EXPECT_THAT(run().out,
              HasSubstr("│ status is stale: it is of generation 1 and the spec of 2; no controller "
                        "has reconciled the last change (see `kubectl dynamo doctor`)\n"));
  options_.json = true;
  const auto document = json::parse_copy(run().out);
  const json::Value graph = first(document->root()["objects"]);
  EXPECT_EQ(graph["stale"].boolean(), true);
  EXPECT_EQ(graph["observedGeneration"].integer(), 1);
  EXPECT_EQ(graph["health"].string(), "waiting") << "it proves nothing good";
}

TEST_F(Status, ComponentReportsObservedGenerationInConditions) {
  put(api::Kind::kComponentDeployment,
      head("alone") +
          R"(,"spec":{},"status":{"observedGeneration":1,"conditions":[{"type":"Available",)"
          R"("status":"True","reason":"R","message":"m","observedGeneration":2}]}})");
  cluster_.merge(resource_of(api::Kind::kComponentDeployment), "team-a", "alone",
                 R"({"spec":{"replicas":1}})");
  EXPECT_THAT(run().out, HasSubstr("  status is stale: it is of generation 1 and the spec of 2"));
}

TEST_F(Status, HidesHealthyConditionsByDefault) {
  put(api::Kind::kModel,
      head("m") + R"(,"spec":{"baseModelName":"b"},"status":{"conditions":[)"
                  R"({"type":"EndpointsReady","status":"True","reason":"R","message":"fine"},)"
                  R"({"type":"ReplicaFailure","status":"False","reason":"R","message":"none"},)"
                  R"({"type":"ServicesFound","status":"False","reason":"R","message":"bad"},)"
                  R"({"type":"CreateFailed","status":"True","reason":"R","message":"worse"}]}})");
  put_event("e", "Found", "normal", "2026-02-03T04:03:06Z", "m", "DynamoModel");
  cluster_.merge(kube::kEvents, "team-a", "e", R"({"type":"Normal"})");
  const std::string text = run().out;
  for (const char* const shown : {"bad", "worse"}) EXPECT_THAT(text, HasSubstr(shown));
  for (const char* const hidden : {"fine", "none", "normal"}) {
    EXPECT_THAT(text, Not(HasSubstr(hidden)));
  }
  options_.shows_all = true;
  const std::string all = run().out;
  for (const char* const shown : {"bad", "worse", "fine", "none", "normal"}) {
    EXPECT_THAT(all, HasSubstr(shown));
  }
}

TEST_F(Status, EventsOfEarlierObjectsAreHidden) {
  put_graph();
  const auto graph = cluster_.find(resource_of(api::Kind::kGraphDeployment), "team-a", "llama");
  put_event("old", "Old", "of the one before", "2026-02-03T04:02:06Z");
  cluster_.merge(kube::kEvents, "team-a", "old", R"({"regarding":{"uid":"another"}})");
  put_event("own", "Own", "n", "2026-02-03T04:03:06Z");
  cluster_.merge(kube::kEvents, "team-a", "own",
                 R"({"regarding":{"uid":")" + std::string(graph->uid()) + "\"}}");
  put_event("any", "Any", "without a uid", "2026-02-03T04:01:06Z");
  const std::string text = run().out;
  EXPECT_THAT(text, Not(HasSubstr("of the one before")));
  EXPECT_LT(text.find("Warning Own"), text.find("Warning Any"));
}

TEST_F(Status, ReportsTerminatingNamespaces) {
  put_graph();
  cluster_.put(
      kube::kNamespaces,
      R"({"metadata":{"name":"team-a","finalizers":["test"]},"status":{"phase":"Terminating",)"
      R"("conditions":[{"type":"NamespaceFinalizersRemaining","status":"True",)"
      R"("reason":"R","message":"some remain"},{"type":"NamespaceDeletionContentFailure",)"
      R"("status":"False","reason":"R","message":"all deleted"}]}})");
  EXPECT_THAT(run().out, StartsWith("DynamoGraphDeployment"));
  cluster_.erase(kube::kNamespaces, "", "team-a");
  const std::string expected =
      "namespace team-a: terminating for 0s: its objects are being deleted, and new ones are "
      "refused; some remain\n";
  EXPECT_THAT(run().out, StartsWith(expected));
  options_.all_namespaces = true;
  EXPECT_THAT(run().out, StartsWith(expected));
  cluster_.forbid("list", "namespaces");
  EXPECT_THAT(run().out, StartsWith("DynamoGraphDeployment"));
}

}  // namespace
}  // namespace dynamo::cli::status
