// What may go wrong between the passes of all controllers, each way at every place: whatever it is,
// it ends where nothing goes wrong, with nothing made twice and nobody else's doing undone.
#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <vector>

#include "json/parser.hpp"
#include "json/writer.hpp"
#include "kube/conditions.hpp"
#include "kube/object_meta.hpp"
#include "tests/reconciler/perturbations/stage.hpp"

namespace dynamo::reconciler {
namespace {

constexpr int kRounds = 6;

TEST(Perturbations, P01ACrashAfterEachWrite) {
  for (std::size_t last = 0; last < golden().writes; ++last) {
    SCOPED_TRACE("after write " + std::to_string(last));
    Stage stage;
    stage.put_all();
    stage.begin();
    stage.line.fate = [last](std::size_t number, const kube::Request&) {
      return number > last ? Fate::kRefused : Fate::kDone;
    };
    for (int i = 0; i < kRounds && stage.line.writes <= last; ++i) {
      stage.round();
      stage.play();
    }
    stage.line.fate = nullptr;
    stage.begin();
    stage.settle();
    EXPECT_EQ(stage.picture(), golden().picture);
    stage.expect_made_once();
    ASSERT_FALSE(testing::Test::HasFailure());
  }
}

// The new process is served what was at any earlier time, and then catches up.
TEST(Perturbations, P03AStaleLookAfterARestart) {
  Stage first;
  first.put_all();
  first.begin();
  std::vector<test::HeldStores::Picture> past = {first.process->stores->picture()};
  for (int i = 0; i < kRounds; ++i) {
    first.round();
    first.play();
    past.push_back(first.process->stores->picture());
  }
  first.settle();
  for (std::size_t i = 0; i < past.size(); ++i) {
    SCOPED_TRACE("of round " + std::to_string(i));
    first.begin();
    first.process->stores->show_again(past[i]);
    first.look(*first.process);
    first.settle();
    EXPECT_EQ(first.picture(), golden().picture);
    first.expect_made_once();
    ASSERT_FALSE(testing::Test::HasFailure());
  }
}

// Five facts of five kinds, in every fourth order, with a look at each.
TEST(Perturbations, P07FactsInAnyOrder) {
  std::array<int, 5> order{0, 1, 2, 3, 4};
  int number = 0;
  do {
    if (number++ % 4 != 0) continue;
    Stage stage;
    stage.begin();
    for (const int fact : order) {
      if (fact == 0) stage.put_graph();
      if (fact == 1) stage.put_model();
      if (fact == 2) stage.put_slice("s1", "10.0.0.1");
      if (fact == 3) stage.put_request();
      if (fact == 4) stage.play();
      stage.round();
    }
    stage.settle();
    EXPECT_EQ(stage.picture(), golden().picture);
    stage.expect_made_once();
    ASSERT_FALSE(testing::Test::HasFailure());
  } while (std::next_permutation(order.begin(), order.end()));
}

// Somebody writes the object between each look and the write that follows.
TEST(Perturbations, P09AStormOfConflicts) {
  constexpr std::size_t kStorm = 40;
  Stage stage;
  stage.put_all();
  stage.begin();
  int number = 0;
  const auto note = [&](const kube::Resource& resource, const std::string& name) {
    if (!stage.find(resource, name)) return;
    stage.cluster.merge(
        resource, kSpace, name,
        R"({"metadata":{"annotations":{"note":")" + std::to_string(number) + R"("}}})");
  };
  stage.line.fate = [&](std::size_t count, const kube::Request&) {
    if (count <= kStorm) {
      ++number;
      note(kGraphs, "g");
      note(model::kModels, "m");
      note(kRequests, "r");
      note(kComponents, "g-work");
      note(kDeployments, "g-work");
    }
    return Fate::kDone;
  };
  for (int i = 0; i < 40 && stage.line.writes < kStorm; ++i) stage.round();
  stage.settle();
  EXPECT_EQ(stage.picture(), golden().picture);
  for (const auto& [resource, name] :
       {std::pair(kGraphs, "g"), std::pair(model::kModels, "m"), std::pair(kRequests, "r")}) {
    EXPECT_EQ(stage.find(resource, name)->root()["metadata"]["annotations"]["note"].string(),
              std::to_string(number));
  }
  stage.expect_made_once();
}

// A parent is deleted and made again, between a look and every third write.
TEST(Perturbations, P10TheSameNameWithANewUid) {
  for (const auto& [resource, name] :
       {std::pair(kGraphs, "g"), std::pair(model::kModels, "m"), std::pair(kRequests, "r")}) {
    for (std::size_t at = 1; at <= golden().writes; at += 3) {
      SCOPED_TRACE(std::string(name) + " before write " + std::to_string(at));
      Stage stage;
      stage.put_all();
      stage.begin();
      std::string uid;
      stage.line.fate = [&](std::size_t number, const kube::Request&) {
        if (number == at) {
          stage.make_anew(resource, name);
          uid = stage.find(resource, name)->uid();
        }
        return Fate::kDone;
      };
      stage.settle();
      stage.settle();
      EXPECT_EQ(stage.picture(), golden().picture);
      EXPECT_EQ(stage.find(resource, name)->uid(), uid);
      ASSERT_FALSE(testing::Test::HasFailure());
    }
  }
}

// Deleted before each write: after it nothing new is made, and the finalizers leave.
TEST(Perturbations, P12DriftOfEachChild) {
  Stage stage;
  stage.put_all();
  stage.begin();
  stage.settle();
  for (const kube::Object& child : stage.children()) {
    SCOPED_TRACE(std::string(child.kind()) + "/" + std::string(child.name()));
    const kube::Resource& resource = find_child_kind(child.kind())->resource;
    // Marks of others stay.
    stage.cluster.merge(resource, kSpace, child.name(),
                        R"({"metadata":{"annotations":{"theirs":"stays"}}})");
    const json::Value labels = child.root()["metadata"]["labels"];
    for (const json::Member label : labels.members()) {
      stage.cluster.merge(
          resource, kSpace, child.name(),
          R"({"metadata":{"labels":{")" + std::string(label.name) + R"(":"drifted"}}})");
    }
    const bool is_pods = resource.kind == kDeployments.kind;
    if (is_pods) {
      stage.cluster.merge(resource, kSpace, child.name(),
                          R"({"spec":{"template":{"spec":{"terminationGracePeriodSeconds":1}}}})");
    }
    stage.settle();
    EXPECT_EQ(stage.picture(), golden().picture);
    EXPECT_EQ(stage.find(resource, std::string(child.name()))
                  ->root()["metadata"]["annotations"]["theirs"]
                  .string_or_empty(),
              "stays");
  }
  stage.expect_made_once();
}

// The old leader is frozen with each of its writes under way, and thawed when the new one is done;
// every other write.
TEST(Perturbations, P15ALeaderThatIsThawed) {
  for (std::size_t at = 1; at <= golden().writes; at += 2) {
    SCOPED_TRACE("with write " + std::to_string(at));
    Stage stage;
    Line old_line(stage.cluster.connect("old"));
    stage.put_all();
    const auto old = stage.make_process(old_line);
    old_line.fate = [&](std::size_t number, const kube::Request&) {
      if (number != at) return Fate::kDone;
      old->end_leading();  // it is another's by the time it wakes
      return Fate::kHeld;
    };
    bool is_over = false;
    boost::asio::co_spawn(
        stage.loop,
        [](Stage& on, Process& by) -> aio::Task<> {
          for (int i = 0; i < kRounds && by.leads(); ++i) {
            for (std::size_t k = 0; k < by.controllers.size(); ++k) {
              const auto& controller = by.controllers[k];
              by.stores->show();
              for (const kube::ObjectKey& key : by.stores->at(controller->resource()).keys()) {
                co_await controller->reconcile(key, *by.passes[k]);
                by.stores->show();
              }
            }
            on.play();
          }
        }(stage, *old),
        [&is_over](const std::exception_ptr&) { is_over = true; });
    ASSERT_TRUE(test::run_until(stage.loop, [&] { return is_over || old_line.writes == at; }));
    stage.begin();
    stage.settle();
    EXPECT_EQ(stage.picture(), golden().picture);
    old_line.release();
    ASSERT_TRUE(test::run_until(stage.loop, [&] { return is_over; }));
    EXPECT_LE(old_line.writes, at) << "who leads no more sends nothing";
    stage.round();
    stage.settle();
    EXPECT_EQ(stage.picture(), golden().picture);
    stage.expect_made_once();
    ASSERT_FALSE(testing::Test::HasFailure());
  }
}

// As the Go operator leaves it: its manager of all fields, and no word of us.
TEST(Perturbations, P18AnObjectOfTheOperatorBefore) {
  Stage stage;
  stage.put_all();
  stage.begin();
  stage.settle();
  std::vector<std::string> pods;
  const auto pods_now = [&] {
    std::vector<std::string> all;
    for (const kube::Object& each : stage.cluster.all(kDeployments)) {
      all.push_back(std::string(each.uid()) + " " + json::to_text(each.root()["spec"]["template"]));
    }
    return all;
  };
  for (const kube::Object& child : stage.children()) {
    const kube::Resource& resource = find_child_kind(child.kind())->resource;
    stage.cluster.merge(resource, kSpace, child.name(),
                        R"({"metadata":{"annotations":{"nvidia.com/last-applied-intent":null}}})",
                        "manager");
  }
  pods = pods_now();
  const std::string status = json::to_text(stage.find(kGraphs, "g")->root()["status"]);
  stage.begin();
  stage.round();
  EXPECT_EQ(pods_now(), pods) << "no pod is rolled";
  EXPECT_EQ(json::to_text(stage.find(kGraphs, "g")->root()["status"]), status);
  const std::size_t before = stage.line.writes;
  stage.round();
  EXPECT_EQ(stage.line.writes, before) << "the second pass is silent";
  stage.expect_made_once();
}

}  // namespace
}  // namespace dynamo::reconciler
