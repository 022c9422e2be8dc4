// Status content other than our conditions: the controller removes none of it, independent of its
// writer.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "kube/object/conditions.hpp"
#include "reconciler/engine/resources.hpp"
#include "reconciler/validation/reconciler.hpp"
#include "tests/reconciler/reconcile_fixture.hpp"

namespace dynamo::reconciler::validation {
namespace {

class KeptStatusTest : public test::ReconcileTest {
 protected:
  void put(const std::string& services) {
    cluster_.put(graphs_, R"({"metadata":{"name":"g","namespace":"team-a"},"spec":)"
                          R"({"backendFramework":"vllm","services":)" +
                              services + "}}");
    watch(replacement_);
  }
  void merge(const std::string& patch) { cluster_.merge(graphs_, "team-a", "g", patch, "another"); }
  void run_reconcile(ValidationReconciler& reconciler) {
    cache_->show();
    reconcile(reconciler, {.namespace_name = "team-a", .name = "g"});
  }
  kube::Object graph() const { return cluster_.find(graphs_, "team-a", "g").value(); }
  std::string state() const {
    return std::string(graph().root()["status"]["state"].string_or_empty());
  }
  std::string reason(std::string_view type) const {
    const kube::Object now = graph();
    const auto conditions = kube::Conditions::read(now.root()["status"]["conditions"]);
    const kube::Condition* const found = conditions.find(type);
    return found == nullptr ? "" : found->reason;
  }

  const kube::Resource graphs_ = resource_of(api::Kind::kGraphDeployment);
  const std::string good_ = R"({"Decode":{"componentType":"worker","replicas":1,)"
                            R"("extraPodSpec":{"mainContainer":{"image":"a"}}}})";
  ClusterState cluster_state_{clock_};
  const std::shared_ptr<RecordPace> pace_ =
      std::make_shared<RecordPace>(std::chrono::milliseconds(0));
  ValidationReconciler replacement_{
      api::Kind::kGraphDeployment, {.mode = Mode::kReplacement}, cluster_state_, pace_};
  ValidationReconciler companion_{
      api::Kind::kGraphDeployment, {.mode = Mode::kCompanion}, cluster_state_, pace_};
};

TEST_F(KeptStatusTest, IrrelevantChangesTriggerNoReconcile) {
  put("{}");
  const kube::ObjectKey key{.namespace_name = "team-a", .name = "g"};
  const auto wakes = [&](const std::string& patch) {
    const kube::Object before = graph();
    merge(patch);
    const kube::Object now = graph();
    return companion_.should_reconcile({.key = key, .before = &before, .now = &now});
  };
  EXPECT_FALSE(wakes(R"({"status":{"services":{"Decode":{"replicas":1}}}})"));
  EXPECT_TRUE(wakes(R"({"metadata":{"annotations":{"a":"b"}}})"));
  EXPECT_TRUE(wakes(R"({"metadata":{"labels":{"a":"b"}}})"));
  EXPECT_TRUE(wakes(R"({"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap",)"
                    R"("name":"c","uid":"u"}]}})"));
  EXPECT_TRUE(wakes(R"({"status":{"state":"failed"}})"));
  EXPECT_TRUE(wakes(R"({"status":{"conditions":[]}})"));
}

// The API server removes fields that we applied before, omit now, and that no other manager owns.
TEST_F(KeptStatusTest, OwnStateIsKeptWhenWritingConditions) {
  put("{}");
  run_reconcile(replacement_);
  EXPECT_EQ(state(), "failed");
  merge(R"({"spec":{"services":)" + good_ + "}}");
  run_reconcile(replacement_);
  EXPECT_EQ(state(), "pending");
  EXPECT_EQ(reason("Ready"), "ValidationPassed");

  merge(R"({"metadata":{"annotations":{")" + std::string(kRecordAnnotation) + R"(":"edited"}}})");
  run_reconcile(replacement_);
  EXPECT_EQ(reason("Immutable"), "RecordUnreadable");
  EXPECT_EQ(state(), "pending");
  merge(R"({"spec":{"backendFramework":"sglang"}})");
  run_reconcile(replacement_);
  EXPECT_EQ(reason("Immutable"), "ImmutableFieldChanged");
  EXPECT_EQ(state(), "pending");
  EXPECT_EQ(reason("Ready"), "ValidationPassed");
}

// A PUT with the stored value adds no owner.
TEST_F(KeptStatusTest, StateIsKeptWhenACompanionTakesOver) {
  put("{}");
  run_reconcile(replacement_);
  EXPECT_EQ(state(), "failed");
  merge(R"({"status":{"state":"failed"}})");
  run_reconcile(companion_);
  EXPECT_EQ(reason("DynamoAdmissionValid"), "ValidationFailed");
  EXPECT_EQ(state(), "failed");
  EXPECT_EQ(reason("Ready"), "ValidationFailed");
}

TEST_F(KeptStatusTest, StateOfTheOperatorIsUnchanged) {
  put("{}");
  run_reconcile(companion_);
  EXPECT_FALSE(graph().root()["status"]["state"].exists()) << "there was none";
  merge(R"({"status":{"state":"deploying"}})");
  merge(R"({"spec":{"services":)" + good_ + "}}");
  run_reconcile(companion_);
  EXPECT_EQ(state(), "deploying");
  merge(R"({"status":{"state":"successful"}})");
  EXPECT_THAT(cluster_.managers(graphs_, "team-a", "g", "status.state"),
              ::testing::ElementsAre("another"));
}

}  // namespace
}  // namespace dynamo::reconciler::validation
