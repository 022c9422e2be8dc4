// The set of caches: merged watches, missing definitions, and the catch-up of a new leader.
#include "reconciler/engine/informer_cache.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>
#include <vector>

#include "aio/task_group.hpp"
#include "reconciler/engine/resources.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/fake_cluster.hpp"
#include "tests/support/recording_logger.hpp"

namespace dynamo::reconciler {
namespace {

using kube::kConfigMaps;
using std::chrono::milliseconds;
using ::testing::ElementsAre;

class CatchUpTest : public ::testing::Test {
 protected:
  kube::List list(const std::string& version, const std::string& items) {
    kube::List made;
    made.resource_version = version;
    const auto all = kube::Object::parse(R"({"items":[)" + items + "]}").value();
    for (const json::Value each : all.root()["items"].elements()) {
      made.items.push_back(all.part(each));
    }
    return made;
  }
  kube::Object object(const std::string& name, const std::string& version) {
    return kube::Object::parse(item(name, version)).value();
  }
  static std::string item(const std::string& name, const std::string& version) {
    return R"({"metadata":{"namespace":"ns","name":")" + name +
           R"(","uid":"u","resourceVersion":")" + version + R"("}})";
  }

  test::RecordingLogger logger_;
};

TEST_F(CatchUpTest, CacheIsBehindWithMissingOrStaleObjects) {
  kube::Store store(kConfigMaps, {}, logger_);
  const std::vector<kube::Object> first{object("a", "5"), object("b", "6")};
  store.replace(first);
  EXPECT_FALSE(is_behind(store, list("6", item("a", "5") + "," + item("b", "6"))));
  EXPECT_TRUE(is_behind(store, list("9", item("a", "5") + "," + item("b", "9")))) << "old";
  EXPECT_TRUE(is_behind(store, list("9", item("a", "5")))) << "gone";
  EXPECT_TRUE(
      is_behind(store, list("9", item("a", "5") + "," + item("b", "6") + "," + item("c", "9"))))
      << "new";
  store.upsert(object("c", "12"));
  EXPECT_FALSE(is_behind(store, list("9", item("a", "5") + "," + item("b", "6"))))
      << "it is ahead of the list";
}

TEST_F(CatchUpTest, WatchesOfOneResourceAreMerged) {
  WatchSpec left;
  left.resource = kConfigMaps;
  left.options.left_out = {"data", "binaryData"};
  left.options.label_indexes = {"one"};
  left.label_selector = "a=b";
  left.is_optional = true;
  WatchSpec right = left;
  right.options.left_out = {"data"};
  right.options.label_indexes = {"two"};
  right.options.field_indexes = {"spec.name"};
  right.options.owner_index = true;
  right.label_selector = "";
  right.is_optional = false;
  const WatchSpec both = merge_specs(left, right);
  EXPECT_THAT(both.options.left_out, ElementsAre("data"));
  EXPECT_THAT(both.options.label_indexes, ElementsAre("one", "two"));
  EXPECT_THAT(both.options.field_indexes, ElementsAre("spec.name"));
  EXPECT_TRUE(both.options.owner_index);
  EXPECT_EQ(both.label_selector, "");
  EXPECT_FALSE(both.is_optional);
}

// A kind whose definition may be absent: it is looked up before it is watched.
class MissingDefinitionTest : public ::testing::Test {
 protected:
  static std::vector<WatchSpec> models() {
    WatchSpec own;
    own.resource = resource_of(api::Kind::kModel);
    own.can_be_missing = true;
    return {own};
  }
  void run_for(milliseconds time) {
    cache_.start(tasks_);
    loop_.run_for(time);
  }
  std::size_t looks() const { return cluster_.count({.path = "/dynamomodels"}); }
  std::size_t warnings() const {
    return logger_.count(
        "a watched resource cannot be listed; dependent controllers paused; trying again");
  }

  boost::asio::io_context loop_{1};
  test::LeapingClock clock_;
  test::RecordingLogger logger_;
  test::FakeCluster cluster_;
  std::unique_ptr<kube::Transport> connection_ = cluster_.connect();
  kube::Client client_{*connection_, milliseconds(500)};
  InformerCache cache_{client_, "", models(), clock_, logger_};
  aio::TaskGroup tasks_{loop_, logger_};
};

TEST_F(MissingDefinitionTest, ForbiddenListIsReportedOnceAndBacksOff) {
  cluster_.forbid("list", "dynamomodels");
  run_for(milliseconds(3'300));
  EXPECT_GE(looks(), 2U);
  EXPECT_LE(looks(), 3U);
  ASSERT_EQ(logger_.lines().size(), 1U);
  EXPECT_EQ(warnings(), 1U);
  EXPECT_EQ(logger_.lines()[0].level, runtime::Level::kWarning);
  EXPECT_TRUE(logger_.lines()[0].mentions("dynamomodels is forbidden"))
      << logger_.lines()[0].fields;
}

TEST_F(MissingDefinitionTest, RetryAfterIsObserved) {
  cluster_.fail({.path = "/dynamomodels"}, {.kind = test::Fault::Kind::kStatus,
                                            .status = 429,
                                            .reason = "TooManyRequests",
                                            .retry_after = std::chrono::hours(24)});
  run_for(milliseconds(1'300));
  EXPECT_EQ(looks(), 1U);
  EXPECT_EQ(warnings(), 1U);
}

TEST_F(MissingDefinitionTest, RecoveredListIsReported) {
  cluster_.fail({.path = "/dynamomodels"},
                {.kind = test::Fault::Kind::kStatus, .status = 500, .reason = "InternalError"});
  cache_.start(tasks_);
  const kube::Resource models = resource_of(api::Kind::kModel);
  EXPECT_TRUE(test::run_until(loop_, [&] { return cache_.at(models).is_synced(); }));
  EXPECT_EQ(warnings(), 1U);
  EXPECT_EQ(logger_.count("a resource that could not be listed is listed and watched"), 1U);
}

}  // namespace
}  // namespace dynamo::reconciler
