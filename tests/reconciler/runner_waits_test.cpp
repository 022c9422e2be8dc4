// What puts off the passes of a key from outside: a server that names a time to wait.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/reconciler/runner_fixture.hpp"

namespace dynamo::reconciler {
namespace {

using kube::ObjectKey;
using kube::PassResult;
using std::chrono::seconds;

TEST_F(RunnerTest, AServerThatNamesADayIsAskedAgainAfterTheLongestBackOff) {
  put("ns", "a");
  cluster_.fail({.verb = kube::Verb::kPatch}, {.kind = test::Fault::Kind::kStatus,
                                               .status = 503,
                                               .reason = "ServiceUnavailable",
                                               .retry_after = std::chrono::hours(24)});
  controller_.body = [this](ObjectKey key, Pass& pass) -> aio::Task<PassResult> {
    if (key.name != "a") co_return PassResult::done();
    std::vector<Action> actions{write("a", "written")};
    const auto ended = co_await pass.act(std::move(actions));
    co_return ended.value_or(PassResult::done());
  };
  start();
  until([this] { return runner_->failures() == 1; });
  // Another key's pass, so that the worker reads the clock.
  clock_.leap(seconds(290));
  put("ns", "b");
  until([this] { return passes() == 2 && runner_->figures().running == 0; });
  EXPECT_EQ(value_of("a"), "x") << "it is waited for all the same";
  clock_.leap(seconds(11));
  put("ns", "c");
  until([this] { return value_of("a") == "written"; });
}

}  // namespace
}  // namespace dynamo::reconciler
