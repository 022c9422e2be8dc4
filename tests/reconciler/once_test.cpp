// --once, and the end of a process: the manager against an in-memory API server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <string>
#include <thread>

#include "tests/reconciler/running_fixture.hpp"

namespace dynamo::reconciler {
namespace {

using ::testing::HasSubstr;

const test::Match kEventPosts{.method = kube::HttpMethod::kPost, .path = "/events"};

class OnceTest : public RunningTest {
 protected:
  OnceTest() { options_.once = true; }

  // A graph that the rules refuse: a companion reports it by a condition and an Event.
  void put_refused(const std::string& name) {
    cluster_.put(cluster::kGraphDeployments, R"({"metadata":{"name":")" + name +
                                                 R"(","namespace":"team-a","generation":1},)"
                                                 R"("spec":{"services":{}}})");
  }
  bool is_reported(const std::string& name) const {
    const auto graph = cluster_.find(cluster::kGraphDeployments, "team-a", name);
    const auto conditions = kube::Conditions::read(graph->root()["status"]["conditions"]);
    return conditions.find("DynamoAdmissionValid") != nullptr;
  }
  void begin_validation(validation::Mode mode = validation::Mode::kCompanion) {
    options_.mode = mode;
    options_.controllers = {"validation"};
    begin_with({});
  }
  bool ends() {
    return comes([this] { return ended_.has_value(); });
  }
  std::string line_with(const std::string& message) const {
    for (const test::RecordedLine& line : logger_.lines()) {
      if (line.message == message) return line.fields;
    }
    return "";
  }
};

TEST_F(OnceTest, ConflictDelaysTheEnd) {
  const test::Match writes{.method = kube::HttpMethod::kPatch, .path = "/status"};
  put_refused("a");
  cluster_.before(writes, [this] {
    cluster_.silence_watches();
    cluster_.merge(cluster::kGraphDeployments, "team-a", "a",
                   R"({"metadata":{"labels":{"x":"y"}}})");
  });
  begin_validation();
  ASSERT_TRUE(comes([&, this] { return cluster_.count(writes) == 1; }));
  loop_.run_for(std::chrono::milliseconds(1'500));
  loop_.restart();
  EXPECT_EQ(ended_, std::nullopt) << "what it must look at was not shown yet";
  EXPECT_FALSE(is_reported("a"));
  cluster_.cut_watches(test::Cut::kReset);
  ASSERT_TRUE(ends());
  EXPECT_EQ(ended_, 0);
  EXPECT_TRUE(is_reported("a"));
}

TEST_F(OnceTest, FailedWriteSetsExitCode) {
  put_refused("a");
  cluster_.forbid("patch", "dynamographdeployments");
  begin_validation();
  ASSERT_TRUE(ends());
  EXPECT_EQ(ended_, 1);
}

TEST_F(OnceTest, PendingEventsAreWrittenBeforeTheEnd) {
  constexpr int kGraphs = 30;
  for (int i = 0; i < kGraphs; ++i) put_refused("g" + std::to_string(i));
  cluster_.fail(kEventPosts, {.kind = test::Fault::Kind::kRefused}, 8);
  begin_validation();
  ASSERT_TRUE(ends());
  EXPECT_EQ(ended_, 0);
  EXPECT_EQ(cluster_.all(kube::kEvents).size(), static_cast<std::size_t>(kGraphs));
}

TEST_F(OnceTest, MissingDefinitionIsSkippedAndReportedOnce) {
  remove_definition(cluster_, "dynamomodels");
  put_refused("a");
  begin_validation();
  ASSERT_TRUE(ends());
  EXPECT_EQ(ended_, 0);
  EXPECT_TRUE(is_reported("a"));
  EXPECT_EQ(manager_->not_ready(), std::nullopt);
  const std::string message = "a definition is missing; its objects are skipped until it exists";
  EXPECT_EQ(logger_.count(message), 1U);
  EXPECT_THAT(line_with(message), HasSubstr("nvidia.com/dynamomodels"));
}

TEST_F(OnceTest, MissingDefinitionsLeaveNothingToDo) {
  for (const api::KindNames& each : api::kKinds) {
    remove_definition(cluster_, std::string(resource_of(each.kind).plural));
  }
  options_.mode = validation::Mode::kReplacement;
  options_.controllers = {"*"};
  begin_with({});
  ASSERT_TRUE(ends());
  EXPECT_EQ(ended_, 0);
  EXPECT_EQ(manager_->not_ready(), std::nullopt);
}

TEST_F(OnceTest, OptionalListFailureIsReportedAndTolerated) {
  cluster_.forbid("list", "endpointslices");
  cluster_.put(model::kModels, test::model_text({.type = "base", .finalizers = "[]"}));
  begin(validation::Mode::kCompanion, {"validation"});
  ASSERT_TRUE(comes([this] {
    const std::string why = manager_->not_ready().value_or("");
    return why.starts_with("not everything was listed yet: discovery.k8s.io/endpointslices: ") &&
           why.find("no answer yet") == std::string::npos;
  }));
  clock_.leap(std::chrono::seconds(11));
  EXPECT_TRUE(comes([this] { return !manager_->not_ready(); }));
  ASSERT_TRUE(ends());
  EXPECT_EQ(ended_, 1) << "the model's servers are unknown";
  EXPECT_THAT(line_with("a controller starts without a resource that cannot be listed"),
              HasSubstr("discovery.k8s.io/endpointslices"));
  EXPECT_TRUE(cluster_.count({.method = kube::HttpMethod::kPatch, .path = "/dynamomodels/a"}) > 0);
}

TEST_F(OnceTest, UnlistedResourceIsNamedAtTheTimeLimit) {
  cluster_.forbid("list", "dynamomodels");
  put_refused("a");
  begin_validation();
  ASSERT_TRUE(comes([this] { return is_reported("a"); }));
  clock_.leap(std::chrono::minutes(11));
  ASSERT_TRUE(ends());
  EXPECT_EQ(ended_, 1);
  EXPECT_THAT(line_with("not every object was reconciled in time"),
              HasSubstr("nvidia.com/dynamomodels: "));
}

TEST_F(OnceTest, NothingIsEvaluatedWithoutTheConfiguredPolicy) {
  const test::TemporaryDirectory directory;
  options_.policy = (directory.path() / "policy.yaml").string();
  put_refused("a");
  begin_validation();
  loop_.run_for(std::chrono::milliseconds(1'000));
  loop_.restart();
  EXPECT_EQ(ended_, std::nullopt);
  EXPECT_FALSE(is_reported("a"));
  EXPECT_THAT(manager_->not_ready().value_or(""), HasSubstr("policy.yaml: is missing"));
  std::ofstream(options_.policy) << "version: 1\n";
  ASSERT_TRUE(ends());
  EXPECT_EQ(ended_, 0);
  EXPECT_TRUE(is_reported("a"));
}

// --- Without --once.

TEST_F(OnceTest, StopWritesPendingEvents) {
  constexpr int kGraphs = 30;
  options_.once = false;
  for (int i = 0; i < kGraphs; ++i) put_refused("g" + std::to_string(i));
  cluster_.fail(kEventPosts, {.kind = test::Fault::Kind::kRefused}, 8);
  begin_validation();
  const auto work = boost::asio::make_work_guard(loop_);
  std::promise<bool> all_reported;
  std::thread thread([&, this] {
    all_reported.set_value(comes([this] {
      for (int i = 0; i < kGraphs; ++i) {
        if (!is_reported("g" + std::to_string(i))) return false;
      }
      return true;
    }));
    loop_.run();
  });
  EXPECT_TRUE(all_reported.get_future().get());
  manager_->stop(std::chrono::milliseconds(0));
  loop_.stop();
  thread.join();
  loop_.restart();
  EXPECT_EQ(cluster_.all(kube::kEvents).size(), static_cast<std::size_t>(kGraphs));
}

}  // namespace
}  // namespace dynamo::reconciler
