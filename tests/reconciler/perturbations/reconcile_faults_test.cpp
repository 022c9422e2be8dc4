// Failures between the reconciles of all controllers, at every possible position: each run must end
// in the same state as one without failures. Nothing may be created twice, and no change of another
// client may be reverted.
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
#include "tests/support/sanitizers.hpp"

namespace dynamo::reconciler {
namespace {

using ::testing::HasSubstr;

constexpr int kRounds = 6;
// The step between the writes at which a failure is injected.
constexpr std::size_t kStride = test::kSanitized ? 5 : 1;

bool is_of(const kube::Request& request, const std::string& plural, const std::string& name = "") {
  const std::size_t at = request.target.find("/" + plural + "/" + name);
  if (at == std::string::npos) return false;
  if (name.empty()) return true;
  const std::size_t end = at + plural.size() + name.size() + 2;
  return end == request.target.size() || request.target[end] == '/' || request.target[end] == '?';
}

TEST(Perturbations, P01CrashAfterEachWriteIsRecovered) {
  for (std::size_t last = 0; last < golden().writes; last += kStride) {
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

// Every third write.
TEST(Perturbations, P02LostAnswersAreRecovered) {
  for (std::size_t lost = 1; lost <= golden().writes; lost += 3 * kStride) {
    SCOPED_TRACE("of write " + std::to_string(lost));
    Stage stage;
    stage.put_all();
    stage.begin();
    stage.line.fate = [lost](std::size_t number, const kube::Request&) {
      return number == lost ? Fate::kLost : Fate::kDone;
    };
    stage.settle();
    EXPECT_EQ(stage.picture(), golden().picture);
    stage.expect_made_once();
    ASSERT_FALSE(testing::Test::HasFailure());
  }
}

// The new process first sees the caches of an earlier round, and then catches up.
TEST(Perturbations, P03StaleCacheAfterRestartIsHarmless) {
  Stage first;
  first.put_all();
  first.begin();
  std::vector<test::FakeCache::Picture> past = {first.process->cache->picture()};
  for (int i = 0; i < kRounds; ++i) {
    first.round();
    first.play();
    past.push_back(first.process->cache->picture());
  }
  first.settle();
  for (std::size_t i = 0; i < past.size(); ++i) {
    SCOPED_TRACE("of round " + std::to_string(i));
    first.begin();
    first.process->cache->show_again(past[i]);
    first.look(*first.process);
    first.settle();
    EXPECT_EQ(first.picture(), golden().picture);
    first.expect_made_once();
    ASSERT_FALSE(testing::Test::HasFailure());
  }
}

// Changes that are reverted between two reconciles are never observed.
TEST(Perturbations, P06UnseenChangesAreRepaired) {
  Stage stage;
  stage.put_all();
  stage.begin();
  stage.settle();
  for (const kube::Object& object : stage.managed_objects()) {
    SCOPED_TRACE(std::string(object.kind()) + "/" + std::string(object.name()));
    const kube::Resource& resource = find_managed_kind(object.kind())->resource;
    if (resource.kind == kAdapterKind) continue;  // its count would be reset
    stage.cluster.merge(resource, kSpace, object.name(), R"({"metadata":{"finalizers":null}})");
    stage.cluster.erase(resource, kSpace, object.name());
    stage.settle();
    EXPECT_EQ(stage.picture(), golden().picture);
  }
  stage.put_slice("s2", "10.0.0.2");
  stage.cluster.erase(kube::kEndpointSlices, kSpace, "s2");
  const std::string failed = R"({"status":{"conditions":[{"type":"Available","status":"False"}]}})";
  const std::string well = R"({"status":{"conditions":[{"type":"Available","status":"True"}]}})";
  stage.cluster.merge(kDeployments, kSpace, "g-work", failed);
  stage.cluster.merge(kDeployments, kSpace, "g-work", well);
  const std::size_t before = stage.line.writes;
  stage.settle();
  EXPECT_EQ(stage.line.writes, before) << "there is nothing to do";
  EXPECT_EQ(stage.picture(), golden().picture);
}

// Five objects and facts in every fourth order, with a round of reconciles after each.
TEST(Perturbations, P07ObjectsMayArriveInAnyOrder) {
  std::array<int, 5> order{0, 1, 2, 3, 4};
  int number = 0;
  do {
    if (number++ % (4 * static_cast<int>(kStride)) != 0) continue;
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

// Another client writes the object between each read and the following write.
TEST(Perturbations, P09ConflictStormConverges) {
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

// An owner is deleted and recreated before every third write.
TEST(Perturbations, P10RecreatedOwnerGetsItsObjects) {
  for (const auto& [resource, name] :
       {std::pair(kGraphs, "g"), std::pair(model::kModels, "m"), std::pair(kRequests, "r")}) {
    for (std::size_t at = 1; at <= golden().writes; at += 3 * kStride) {
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

// Deleted before every second write: in the end nothing remains, and no finalizer blocks the
// deletion.
TEST(Perturbations, P11OwnerMayBeDeletedAtAnyStep) {
  for (std::size_t at = 1; at <= golden().writes; at += 2 * kStride) {
    SCOPED_TRACE("before write " + std::to_string(at));
    Stage stage;
    stage.put_all();
    stage.begin();
    stage.line.fate = [&](std::size_t number, const kube::Request&) {
      if (number != at) return Fate::kDone;
      for (const auto& [resource, name] :
           {std::pair(kGraphs, "g"), std::pair(model::kModels, "m")}) {
        if (stage.find(resource, name)) stage.cluster.erase(resource, kSpace, name);
      }
      return Fate::kDone;
    };
    stage.settle();
    EXPECT_EQ(stage.find(kGraphs, "g"), std::nullopt);
    EXPECT_EQ(stage.find(model::kModels, "m"), std::nullopt);
    for (const kube::Object& object : stage.managed_objects()) {
      ADD_FAILURE() << object.kind() << "/" << object.name() << " is left";
    }
    ASSERT_FALSE(testing::Test::HasFailure());
  }
}

// Labels and a pod template change on each owned object: all are restored, and annotations of other
// clients stay.
TEST(Perturbations, P12DriftOfOwnedObjectsIsReverted) {
  Stage stage;
  stage.put_all();
  stage.begin();
  stage.settle();
  for (const kube::Object& object : stage.managed_objects()) {
    SCOPED_TRACE(std::string(object.kind()) + "/" + std::string(object.name()));
    const kube::Resource& resource = find_managed_kind(object.kind())->resource;
    // Annotations of other clients stay.
    stage.cluster.merge(resource, kSpace, object.name(),
                        R"({"metadata":{"annotations":{"theirs":"stays"}}})");
    const json::Value labels = object.root()["metadata"]["labels"];
    for (const json::Member label : labels.members()) {
      stage.cluster.merge(
          resource, kSpace, object.name(),
          R"({"metadata":{"labels":{")" + std::string(label.name) + R"(":"drifted"}}})");
    }
    const bool is_pods = resource.kind == kDeployments.kind;
    if (is_pods) {
      stage.cluster.merge(resource, kSpace, object.name(),
                          R"({"spec":{"template":{"spec":{"terminationGracePeriodSeconds":1}}}})");
    }
    stage.settle();
    EXPECT_EQ(stage.picture(), golden().picture);
    EXPECT_EQ(stage.find(resource, std::string(object.name()))
                  ->root()["metadata"]["annotations"]["theirs"]
                  .string_or_empty(),
              "stays");
  }
  stage.expect_made_once();
}

TEST(Perturbations, P13FlippingSpecConverges) {
  for (int rounds = 0; rounds < 4; ++rounds) {
    SCOPED_TRACE(std::to_string(rounds) + " rounds for each");
    Stage stage;
    stage.put_all();
    stage.begin();
    stage.settle();
    const auto reconcile_all = [&] {
      for (int i = 0; i < rounds; ++i) stage.round();
    };
    const auto merge = [&](const std::string& spec) {
      stage.cluster.merge(kGraphs, kSpace, "g", R"({"spec":)" + spec + "}");
      reconcile_all();
    };
    const auto image = [](const std::string& name) {
      return R"({"services":{"Work":{"extraPodSpec":{"mainContainer":{"image":")" + name +
             R"("}}}}})";
    };
    merge(image("a:2"));
    if (rounds > 0) {
      EXPECT_NE(stage.state(), "successful") << "by pods of before";
    }
    merge(image("a:1"));
    if (rounds > 0) stage.round();  // its components catch up
    const auto running = json::to_text(stage.find(kDeployments, "g-work")->root()["spec"]);
    merge(R"({"restart":{"id":""},"services":{"Work":{"extraPodSpec":{"mainContainer":{"image":)"
          R"("a:3"}}}}})");
    if (rounds > 0) {
      EXPECT_EQ(stage.state(), "failed");
      EXPECT_EQ(json::to_text(stage.find(kDeployments, "g-work")->root()["spec"]), running)
          << "a refused spec leaves what runs alone";
    }
    merge(
        R"({"restart":null,"services":{"Work":{"extraPodSpec":{"mainContainer":{"image":"a:1"}}}}})");
    merge(R"({"services":{"Front":{"replicas":0}}})");
    merge(R"({"services":{"Front":{"replicas":1}}})");
    stage.settle();
    EXPECT_EQ(stage.picture(), golden().picture);
    stage.expect_made_once();
  }
}

// All writes of one kind are refused for a while.
TEST(Perturbations, P14RefusedWritesDoNotBlockOtherObjects) {
  std::set<std::string> plurals = {"dynamographdeployments", "dynamomodels",
                                   "dynamographdeploymentrequests"};
  {
    Stage stage;
    stage.put_all();
    stage.begin();
    stage.settle();
    for (const kube::Object& each : stage.managed_objects()) {
      plurals.emplace(find_managed_kind(each.kind())->resource.plural);
    }
  }
  ASSERT_GT(plurals.size(), 6U);
  for (const std::string& plural : plurals) {
    SCOPED_TRACE(plural);
    Stage stage;
    stage.put_all();
    stage.begin();
    std::size_t refused = 0;
    stage.line.fate = [&](std::size_t, const kube::Request& request) {
      if (!is_of(request, plural)) return Fate::kDone;
      ++refused;
      return Fate::kForbidden;
    };
    for (int i = 0; i < kRounds; ++i) {
      stage.round();
      stage.play();
    }
    EXPECT_GT(refused, 0U);
    EXPECT_LE(refused, 8U * kRounds) << "a few a round";
    if (plural == "deployments" || plural == "services") {
      const auto conditions =
          kube::Conditions::read(stage.find(kComponents, "g-work")->root()["status"]["conditions"]);
      EXPECT_THAT(conditions.find("Available")->message, HasSubstr("a quota forbids it"));
    }
    if (plural != "dynamomodels") {
      EXPECT_EQ(stage.find(model::kModels, "m")->root()["status"]["readyEndpoints"].integer(), 1)
          << "others go on";
    }
    stage.line.fate = nullptr;
    stage.settle();
    EXPECT_EQ(stage.picture(), golden().picture);
    stage.expect_made_once();
  }
}

// The old leader is frozen during every other write, and resumes after the new leader has finished.
TEST(Perturbations, P15ResumedOldLeaderSendsNothing) {
  for (std::size_t at = 1; at <= golden().writes; at += 2 * kStride) {
    SCOPED_TRACE("with write " + std::to_string(at));
    Stage stage;
    Line old_line(stage.cluster.connect("old"));
    stage.put_all();
    const auto old = stage.make_process(old_line);
    old_line.fate = [&](std::size_t number, const kube::Request&) {
      if (number != at) return Fate::kDone;
      old->end_leading();  // another replica leads by the time it resumes
      return Fate::kHeld;
    };
    bool is_over = false;
    boost::asio::co_spawn(
        stage.loop,
        [](Stage& on, Process& by) -> aio::Task<> {
          for (int i = 0; i < kRounds && by.leads(); ++i) {
            for (std::size_t k = 0; k < by.reconcilers.size(); ++k) {
              const auto& reconciler = by.reconcilers[k];
              by.cache->show();
              for (const kube::ObjectKey& key : by.cache->at(reconciler->resource()).keys()) {
                by.contexts[k]->begin();
                co_await reconciler->reconcile(key, *by.contexts[k]);
                by.cache->show();
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

// Objects as the Go operator leaves them: it manages all fields, and our annotation is absent.
TEST(Perturbations, P18GoOperatorObjectsRollNoPods) {
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
  for (const kube::Object& object : stage.managed_objects()) {
    const kube::Resource& resource = find_managed_kind(object.kind())->resource;
    stage.cluster.merge(resource, kSpace, object.name(),
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
