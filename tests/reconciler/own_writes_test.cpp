// Several patches of one object in one reconcile, all based on the observed version.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/reconciler/controller_fixture.hpp"

namespace dynamo::reconciler {
namespace {

using kube::ObjectKey;
using kube::ReconcileResult;

class OwnWritesTest : public ControllerTest {
 protected:
  // A patch based on the cached object.
  static std::vector<Action> patch(const kube::Object& seen, const std::string& data) {
    const std::string metadata = R"({"metadata":{"uid":")" + std::string(seen.uid()) +
                                 R"(","resourceVersion":")" + std::string(seen.resource_version()) +
                                 R"("},"data":)";
    return {merge_patch({.resource = kube::kConfigMaps,
                         .namespace_name = "ns",
                         .name = "a",
                         .uid = std::string(seen.uid()),
                         .resource_version = std::string(seen.resource_version())},
                        metadata + data + "}")};
  }
  static kube::Object seen_by(const ReconcileContext& context) {
    return context.cache()
        .at(kube::kConfigMaps)
        .find({.namespace_name = "ns", .name = "a"})
        .value();
  }
  std::string other() const {
    return std::string(
        cluster_.find(kube::kConfigMaps, "ns", "a")->root()["data"]["other"].string_or_empty());
  }

  std::vector<bool> done_;  // whether each write of the body succeeded
};

TEST_F(OwnWritesTest, LaterPatchBuildsOnEarlierPatch) {
  put("ns", "a");
  reconciler_.body = [this](ObjectKey, ReconcileContext& context) -> aio::Task<ReconcileResult> {
    const kube::Object seen = seen_by(context);
    if (!done_.empty()) co_return ReconcileResult::done();
    for (const char* data : {R"({"key":"one"})", R"({"other":"two"})", R"({"other":"three"})"}) {
      std::vector<Action> actions = patch(seen, data);
      const auto ended = co_await context.act(std::move(actions));
      done_.push_back(!ended.has_value());
    }
    co_return ReconcileResult::done();
  };
  start();
  until([this] { return done_.size() == 3; });
  EXPECT_THAT(done_, ::testing::Each(true));
  EXPECT_EQ(value_of("a"), "one");
  EXPECT_EQ(other(), "three");
}

// --- Which versions are followed through our own writes.

MergePatch patch_of(const std::string& version) {
  return merge_patch({.resource = kube::kConfigMaps,
                      .namespace_name = "ns",
                      .name = "a",
                      .uid = "u",
                      .resource_version = version},
                     R"({"metadata":{"uid":"u","resourceVersion":")" + version + R"("}})");
}

class WriteChainTest : public ::testing::Test {
 protected:
  void write(const std::string& from, const std::string& to) {
    writes_.note(
        patch_of(from).target,
        kube::Object::parse(R"({"metadata":{"resourceVersion":")" + to + R"("}})").value());
  }
  std::string followed(const std::string& version) const {
    MergePatch patch = patch_of(version);
    writes_.follow(patch);
    EXPECT_THAT(patch.body, ::testing::HasSubstr('"' + patch.target.resource_version + '"'));
    return patch.target.resource_version;
  }

  OwnWrites writes_;
};

TEST_F(WriteChainTest, ChainOfOwnWritesIsFollowed) {
  write("1", "2");
  write("2", "5");
  EXPECT_EQ(followed("1"), "5");
}

TEST_F(WriteChainTest, PatchOfAnotherVersionIsUnchanged) {
  write("1", "2");
  EXPECT_EQ(followed("3"), "3") << "a new read shows the writes of others";
}

TEST_F(WriteChainTest, WriteAfterForeignWriteIsNotFollowed) {
  write("1", "2");
  write("3", "4");  // version 3 is another client's
  EXPECT_EQ(followed("1"), "2") << "the server refuses that one";
}

TEST_F(OwnWritesTest, ForeignWriteInBetweenCausesAConflict) {
  put("ns", "a");
  reconciler_.body = [this](ObjectKey, ReconcileContext& context) -> aio::Task<ReconcileResult> {
    const kube::Object seen = seen_by(context);
    if (!done_.empty()) co_return ReconcileResult::done();
    std::vector<Action> first = patch(seen, R"({"key":"one"})");
    const auto ended_first = co_await context.act(std::move(first));
    done_.push_back(!ended_first.has_value());
    cluster_.merge(kube::kConfigMaps, "ns", "a", R"({"data":{"other":"theirs"}})");
    std::vector<Action> second = patch(seen, R"({"other":"ours"})");
    const auto ended_second = co_await context.act(std::move(second));
    done_.push_back(!ended_second.has_value());
    co_return ended_second.value_or(ReconcileResult::done());
  };
  start();
  until([this] { return done_.size() == 2 && reconciles() >= 2; });
  EXPECT_THAT(done_, ::testing::ElementsAre(true, false));
  EXPECT_EQ(other(), "theirs");
}

}  // namespace
}  // namespace dynamo::reconciler
