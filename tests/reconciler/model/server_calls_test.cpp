// Which servers a reconcile calls, in which order, and whose answers count.
#include <string>
#include <vector>

#include "tests/reconciler/model/model_fixture.hpp"

namespace dynamo::reconciler::model {
namespace {

using kube::ReconcileResult;
using std::chrono::milliseconds;
using test::Fault;
using test::PodAddress;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

TEST_F(ModelTest, SilentServerIsCalledLastNextTime) {
  std::vector<PodAddress> addresses;
  for (int i = 1; i <= 6; ++i) addresses.push_back({"10.0.0." + std::to_string(i), "p"});
  put_slice("s1", addresses);
  options_.calls.max_concurrent = 2;
  options_.calls.total_timeout = milliseconds(300);
  for (const char* const host : {"10.0.0.1", "10.0.0.2"}) {
    engines_.hangs.insert(host);
    engines_.statuses[host] = 0;
  }
  make();
  run_reconcile();
  EXPECT_EQ(counts(), "0/6") << "the time for all went to those that hang";
  EXPECT_THAT(take_asked(), SizeIs(2));
  run_reconcile();
  EXPECT_EQ(counts(), "4/6");
  // The server answers again and returns to its former place in the order.
  engines_.hangs.clear();
  engines_.statuses.clear();
  run_reconcile();
  EXPECT_EQ(counts(), "6/6");
  take_asked();
  run_reconcile();
  EXPECT_EQ(take_asked().front(), "POST http://10.0.0.1:9090/v1/loras");
}

class ManyServersTest : public ModelTest {
 protected:
  // The time of a reconcile suffices for two servers that hang or answer slowly.
  void SetUp() override {
    put_model({.type = "lora", .finalizers = "[]"});
    options_.calls.max_concurrent = 2;
    options_.calls.total_timeout = milliseconds(100);
    make();
  }
  void crowd(int count) {
    std::vector<PodAddress> addresses;
    for (int i = 1; i <= count; ++i) addresses.push_back({host(i), "p"});
    put_slice("s1", addresses);
  }
  // These servers are slow, and then answer with `status`, or not at all.
  void spoil(int first, int last, int status) {
    for (int i = first; i <= last; ++i) {
      engines_.hangs.insert(host(i));
      engines_.statuses[host(i)] = status;
    }
  }
  void heal(int first, int last) {
    for (int i = first; i <= last; ++i) {
      engines_.hangs.erase(host(i));
      engines_.statuses.erase(host(i));
    }
  }
  static std::string host(int i) { return "10.0.0." + std::to_string(i); }
  std::string counts_after(int reconciles) {
    for (int i = 0; i < reconciles; ++i) run_reconcile();
    return counts();
  }
};

TEST_F(ManyServersTest, RecoveredServerIsFoundAmongManyHangingOnes) {
  crowd(6);
  spoil(1, 6, 0);
  EXPECT_EQ(counts_after(3), "0/6");
  heal(3, 6);
  EXPECT_EQ(counts_after(3), "4/6");
  EXPECT_EQ(counts_after(1), "4/6") << "and who works is not kept waiting by the others";
}

TEST_F(ManyServersTest, SlowFailuresDoNotStarveOtherServers) {
  crowd(6);
  spoil(1, 4, 500);
  EXPECT_EQ(counts_after(3), "2/6");
}

TEST_F(ManyServersTest, SilentServerIsRetriedDespiteSlowFailures) {
  crowd(4);
  spoil(1, 2, 0);
  spoil(3, 4, 500);
  EXPECT_EQ(counts_after(2), "0/4");
  heal(1, 2);
  EXPECT_EQ(counts_after(2), "2/4");
}

TEST_F(ModelTest, ConflictReusesTheAnswers) {
  run_reconcile();
  take_asked();
  put_slice("s1", {{"10.0.0.1", "p1"}});
  engines_.on_call = [this] {
    cluster_.merge(kModels, "team-a", "a", R"({"metadata":{"labels":{"somebody":"was here"}}})");
  };
  const ReconcileResult result = run_reconcile();
  EXPECT_EQ(result.kind, ReconcileResult::Kind::kRequeue);
  EXPECT_EQ(result.pause.count(), 0);
  EXPECT_THAT(take_asked(), SizeIs(1));
  EXPECT_EQ(run_reconcile().kind, ReconcileResult::Kind::kDone);
  EXPECT_THAT(take_asked(), IsEmpty()) << "the answers are kept for the next reconcile";
  EXPECT_EQ(counts(), "1/1");
  EXPECT_THAT(json::to_text(model().root()["metadata"]["labels"]), HasSubstr("was here"));
  run_reconcile();
  EXPECT_THAT(take_asked(), SizeIs(1)) << "and only for that one";
}

TEST_F(ModelTest, AnswersToChangedRequestsAreDropped) {
  run_reconcile();
  take_asked();
  put_slice("s1", {{"10.0.0.1", "p1"}});
  engines_.on_call = [this] {
    cluster_.merge(kModels, "team-a", "a", R"({"spec":{"source":{"uri":"s3://b/other"}}})");
  };
  run_reconcile();
  take_asked();
  run_reconcile();
  EXPECT_THAT(take_asked(), SizeIs(1));
}

TEST_F(ModelTest, NothingIsSentAfterLosingLeadership) {
  run_reconcile();
  take_asked();
  engines_.on_call = [this] { context_->leads = false; };
  options_.calls.max_concurrent = 1;
  make();
  cluster_.clear_calls();
  put_slice("s1", {{"10.0.0.8", "p1"}, {"10.0.0.9", "p2"}});
  const ReconcileResult result = run_reconcile();
  EXPECT_EQ(result.kind, ReconcileResult::Kind::kRequeue);
  EXPECT_EQ(result.pause, milliseconds(500)) << "the lease may only be renewed late";
  EXPECT_THAT(take_asked(), SizeIs(1));
  EXPECT_EQ(writes(), 0U);
  EXPECT_THAT(take_events(), IsEmpty());

  context_->leads = true;
  EXPECT_EQ(run_reconcile().kind, ReconcileResult::Kind::kDone);
  EXPECT_THAT(take_asked(), Contains("POST http://10.0.0.9:9090/v1/loras"))
      << "what was not sent was not answered";
  EXPECT_EQ(counts(), "2/2");
}

TEST_F(ModelTest, DeletionWaitsUntilServersCanBeCalled) {
  options_.calls.max_concurrent = 1;
  make();
  run_reconcile();
  take_asked();
  take_events();
  cluster_.erase(kModels, "team-a", "a");
  engines_.on_call = [this] { context_->leads = false; };
  run_reconcile();
  EXPECT_THAT(take_asked(), SizeIs(1));
  context_->leads = true;
  run_reconcile();
  EXPECT_THAT(take_asked(),
              UnorderedElementsAre("DELETE http://10.0.0.1:9090/v1/loras/my%20lora/v1",
                                   "DELETE http://10.0.0.2:9090/v1/loras/my%20lora/v1"));
  EXPECT_EQ(cluster_.find(kModels, "team-a", "a"), std::nullopt);
  EXPECT_THAT(take_events(), ElementsAre("Normal LoRAUnloaded on DynamoModel/a"));
}

TEST_F(ModelTest, WithheldRequestIsSentByNextReconcile) {
  options_.calls.max_concurrent = 2;
  make();
  run_reconcile();
  take_asked();
  cluster_.erase(kModels, "team-a", "a");
  engines_.withholds = "10.0.0.2";
  run_reconcile();
  ASSERT_TRUE(cluster_.find(kModels, "team-a", "a").has_value());
  EXPECT_THAT(take_asked(), SizeIs(2));
  run_reconcile();
  EXPECT_THAT(take_asked(), SizeIs(2));
  EXPECT_EQ(cluster_.find(kModels, "team-a", "a"), std::nullopt);
}

TEST_F(ModelTest, AnswersExpireDespiteRepeatedConflicts) {
  cluster_.fail({.method = kube::HttpMethod::kPatch, .path = "/dynamomodels/a/status"},
                {.kind = Fault::Kind::kStatus, .status = 409, .reason = "Conflict"}, 4);
  run_reconcile();
  EXPECT_THAT(take_asked(), SizeIs(2));
  for (int i = 0; i < 2; ++i) {
    clock_.tick(std::chrono::seconds(4));
    run_reconcile();
    EXPECT_THAT(take_asked(), IsEmpty());
  }
  clock_.tick(std::chrono::seconds(4));
  run_reconcile();
  EXPECT_THAT(take_asked(), SizeIs(2)) << "they are twelve seconds old";
}

}  // namespace
}  // namespace dynamo::reconciler::model
