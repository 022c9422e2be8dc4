// Two patches of one object in one pass, both of what the pass saw.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/reconciler/runner_fixture.hpp"

namespace dynamo::reconciler {
namespace {

using kube::ObjectKey;
using kube::PassResult;

class OwnWritesTest : public RunnerTest {
 protected:
  // Of the object as the store shows it.
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
  static kube::Object seen_by(const Pass& pass) {
    return pass.stores().at(kube::kConfigMaps).find({.namespace_name = "ns", .name = "a"}).value();
  }
  std::string other() const {
    return std::string(
        cluster_.find(kube::kConfigMaps, "ns", "a")->root()["data"]["other"].string_or_empty());
  }
};

TEST_F(OwnWritesTest, TheSecondIsOfWhatTheFirstHasMade) {
  put("ns", "a");
  std::vector<bool> done;
  controller_.body = [&](ObjectKey, Pass& pass) -> aio::Task<PassResult> {
    const kube::Object seen = seen_by(pass);
    if (!done.empty()) co_return PassResult::done();
    for (const char* data : {R"({"key":"one"})", R"({"other":"two"})", R"({"other":"three"})"}) {
      std::vector<Action> actions = patch(seen, data);
      const auto ended = co_await pass.act(std::move(actions));
      done.push_back(!ended.has_value());
    }
    co_return PassResult::done();
  };
  start();
  until([&] { return done.size() == 3; });
  EXPECT_THAT(done, ::testing::Each(true));
  EXPECT_EQ(value_of("a"), "one");
  EXPECT_EQ(other(), "three");
}

TEST_F(OwnWritesTest, WhatOthersWroteBetweenThemIsNotPassedOver) {
  put("ns", "a");
  std::vector<bool> done;
  controller_.body = [&](ObjectKey, Pass& pass) -> aio::Task<PassResult> {
    const kube::Object seen = seen_by(pass);
    if (!done.empty()) co_return PassResult::done();
    std::vector<Action> first = patch(seen, R"({"key":"one"})");
    const auto ended_first = co_await pass.act(std::move(first));
    done.push_back(!ended_first.has_value());
    cluster_.merge(kube::kConfigMaps, "ns", "a", R"({"data":{"other":"theirs"}})");
    std::vector<Action> second = patch(seen, R"({"other":"ours"})");
    const auto ended_second = co_await pass.act(std::move(second));
    done.push_back(!ended_second.has_value());
    co_return ended_second.value_or(PassResult::done());
  };
  start();
  until([&] { return done.size() == 2 && passes() >= 2; });
  EXPECT_THAT(done, ::testing::ElementsAre(true, false));
  EXPECT_EQ(other(), "theirs");
}

}  // namespace
}  // namespace dynamo::reconciler
