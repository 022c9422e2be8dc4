// The start of a leader's term: the manager against an in-memory API server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/reconciler/running_fixture.hpp"

namespace dynamo::reconciler {
namespace {

using scaling_adapter::kScalingAdapters;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// A replica whose caches are complete while another one leads.
class TermsTest : public RunningTest {
 protected:
  static constexpr std::size_t kAlways = 1'000;

  TermsTest() {
    options_.leader_elect = true;
    options_.leader_election_retry_period = std::chrono::milliseconds(50);
    put_lease("another");
    put_adapter();
    put_graph();
  }
  void put_lease(const std::string& holder) {
    cluster_.put(kube::kLeases,
                 R"({"metadata":{"namespace":"dynamo","name":")" + options_.leader_election_id +
                     R"("},"spec":{"holderIdentity":")" + holder +
                     R"(","leaseDurationSeconds":15,"leaseTransitions":1,"renewTime":")" +
                     text::format_micro_time(clock_.wall()) + R"("}})");
  }
  void follow() {
    begin();
    ASSERT_TRUE(comes([this] { return !manager_->not_ready(); }));
    ASSERT_FALSE(manager_->leads());
  }
  void lead() {
    put_lease("");
    ASSERT_TRUE(comes([this] { return manager_->leads(); }));
  }
  // The watch shows the change before anything else happens.
  void merge_adapter(int replicas) {
    cluster_.merge(kScalingAdapters, "team-a", "g-decode",
                   R"({"spec":{"replicas":)" + std::to_string(replicas) + "}}", "hpa");
    pass_a_while();
  }
  void never_answer(const std::string& path, std::size_t times) {
    cluster_.fail({.method = kube::HttpMethod::kGet, .path = path},
                  {.kind = test::Fault::Kind::kNever}, times);
  }
  // Longer than the interval of any retry.
  void pass_a_while() {
    loop_.run_for(std::chrono::milliseconds(1'500));
    loop_.restart();
  }
  std::vector<std::int64_t> written_to_graph() const {
    std::vector<std::int64_t> all;
    for (const test::Call& call : cluster_.calls()) {
      const bool is_write = call.method == kube::HttpMethod::kPatch &&
                            call.target.find("/dynamographdeployments/g") != std::string::npos;
      if (!is_write) continue;
      const auto sent = kube::Object::parse(call.body);
      all.push_back(sent->root()["spec"]["services"]["Decode"]["replicas"].integer().value_or(-1));
    }
    return all;
  }
};

TEST_F(TermsTest, TermStartsWithServerStateDespiteDeadWatches) {
  follow();
  cluster_.silence_watches();
  cluster_.merge(kScalingAdapters, "team-a", "g-decode", R"({"spec":{"replicas":7}})", "hpa");
  lead();
  ASSERT_TRUE(comes([this] { return of_graph() == 7; }));
  EXPECT_THAT(written_to_graph(), AllOf(Not(IsEmpty()), Each(7)))
      << "nothing is decided by what is old";
}

TEST_F(TermsTest, RefusedListDoesNotBlockOtherControllers) {
  cluster_.put(model::kModels, test::model_text({.type = "lora", .finalizers = "[]"}));
  put_slice({{"10.0.0.1", "p1"}});
  follow();
  cluster_.forbid("list", "dynamomodels");
  lead();
  ASSERT_TRUE(comes([this] { return of_graph() == 5 && of_status() == 5; }));
  EXPECT_EQ(ready(), std::nullopt);
  EXPECT_THAT(manager_->not_ready().value_or(""), HasSubstr("dynamomodels"));
  cluster_.allow_all();
  ASSERT_TRUE(comes([this] { return ready() == 1; }));
  EXPECT_EQ(manager_->not_ready(), std::nullopt);
}

TEST_F(TermsTest, EachTermChecksTheCachesAgain) {
  follow();
  cluster_.forbid("list", "dynamographdeploymentscalingadapters");
  for (int term = 0; term < 2; ++term) {
    lead();
    ASSERT_TRUE(comes([this] { return manager_->not_ready().has_value(); }));
    EXPECT_THAT(*manager_->not_ready(), HasSubstr("scalingadapters"));
    pass_a_while();
    EXPECT_THAT(written_to_graph(), IsEmpty());
    put_lease("another");
    ASSERT_TRUE(comes([this] { return !manager_->leads(); }));
    EXPECT_EQ(manager_->not_ready(), std::nullopt) << "who does not lead trusts what there is";
  }
  cluster_.allow_all();
  pass_a_while();
  EXPECT_THAT(written_to_graph(), IsEmpty());
  lead();
  ASSERT_TRUE(comes([this] { return of_graph() == 5; }));
}

TEST_F(TermsTest, UnansweredListDoesNotBlockOthers) {
  follow();
  merge_adapter(7);
  never_answer("/endpointslices", kAlways);
  lead();
  ASSERT_TRUE(comes([this] { return of_graph() == 7; }));
}

// Otherwise its deletion would be blocked while its servers cannot be listed.
TEST_F(TermsTest, ModelIsDeletedThoughServersCannotBeListed) {
  cluster_.put(model::kModels, test::model_text({.type = "lora"}));
  follow();
  cluster_.forbid("list", "endpointslices");
  cluster_.erase(model::kModels, "team-a", "a");
  pass_a_while();
  ASSERT_TRUE(cluster_.find(model::kModels, "team-a", "a")) << "held by its finalizer";
  lead();
  pass_a_while();
  // The optional list is waited for ten seconds, and the Lease is valid that long.
  clock_.leap(std::chrono::seconds(9));
  EXPECT_TRUE(comes([this] { return !cluster_.find(model::kModels, "team-a", "a"); }));
}

TEST_F(TermsTest, DeletedDefinitionIsNotWaitedFor) {
  options_.controllers = {"validation"};
  begin_with({});
  ASSERT_TRUE(comes([this] { return !manager_->not_ready(); }));
  // Answers to the lookup on the server, and to the first lists after it.
  cluster_.fail({.method = kube::HttpMethod::kGet, .path = "/dynamocheckpoints"},
                {.kind = test::Fault::Kind::kStatus, .status = 404, .reason = "NotFound"}, 3);
  lead();
  EXPECT_TRUE(comes([this] { return manager_->not_ready().has_value(); }));
  EXPECT_TRUE(comes([this] { return !manager_->not_ready(); }));
  // When the definition returns, it is watched again.
  cluster_.put(resource_of(api::Kind::kCheckpoint),
               R"({"metadata":{"name":"c","namespace":"team-a","generation":1},"spec":{}})");
  EXPECT_TRUE(comes([this] {
    return cluster_.count({.method = kube::HttpMethod::kPatch, .path = "/dynamocheckpoints/c"}) > 0;
  }));
}

TEST_F(TermsTest, WatchEventsDuringCatchUpAreUsed) {
  follow();
  merge_adapter(7);
  cluster_.clear_calls();
  // The requests at the start of a term, one per resource.
  never_answer("/dynamographdeployment", 2);
  lead();
  ASSERT_TRUE(comes([this] {
    return cluster_.count({.path = "/dynamographdeployments?"}) == 1 &&
           cluster_.count({.path = "/dynamographdeploymentscalingadapters?"}) == 1;
  }));
  EXPECT_THAT(written_to_graph(), IsEmpty());
  cluster_.expire_watches();
  ASSERT_TRUE(comes([this] { return of_graph() == 7; }));
}

}  // namespace
}  // namespace dynamo::reconciler
