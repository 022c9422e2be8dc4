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
#include "kube/object/conditions.hpp"
#include "kube/object/object_meta.hpp"
#include "tests/reconciler/fault_injection/fault_injection_fixture.hpp"
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

TEST(FaultInjection, CrashAfterEachWriteIsRecovered) {
  for (std::size_t last = 0; last < golden().writes; last += kStride) {
    SCOPED_TRACE("after write " + std::to_string(last));
    FaultInjectionFixture fixture;
    fixture.start_with_all();
    fixture.transport.choose_outcome = [last](std::size_t number, const kube::Request&) {
      return number > last ? WriteOutcome::kRefused : WriteOutcome::kDone;
    };
    for (int i = 0; i < kRounds && fixture.transport.writes <= last; ++i) {
      fixture.run_round();
      fixture.roll_out_deployments();
    }
    fixture.transport.choose_outcome = nullptr;
    fixture.start_process();
    fixture.settle_as_golden();
    fixture.expect_created_once();
    ASSERT_FALSE(testing::Test::HasFailure());
  }
}

// Every third write.
TEST(FaultInjection, LostAnswersAreRecovered) {
  for (std::size_t lost = 1; lost <= golden().writes; lost += 3 * kStride) {
    SCOPED_TRACE("of write " + std::to_string(lost));
    FaultInjectionFixture fixture;
    fixture.start_with_all();
    fixture.transport.choose_outcome = [lost](std::size_t number, const kube::Request&) {
      return number == lost ? WriteOutcome::kLost : WriteOutcome::kDone;
    };
    fixture.settle_as_golden();
    fixture.expect_created_once();
    ASSERT_FALSE(testing::Test::HasFailure());
  }
}

// The new process first sees the caches of an earlier round, and then catches up.
TEST(FaultInjection, StaleCacheAfterRestartIsHarmless) {
  FaultInjectionFixture first;
  first.start_with_all();
  std::vector<test::FakeCache::Picture> past = {first.process->cache->picture()};
  for (int i = 0; i < kRounds; ++i) {
    first.run_round();
    first.roll_out_deployments();
    past.push_back(first.process->cache->picture());
  }
  first.settle();
  for (std::size_t i = 0; i < past.size(); ++i) {
    SCOPED_TRACE("of round " + std::to_string(i));
    first.start_process();
    first.process->cache->show_again(past[i]);
    first.reconcile_from_cache(*first.process);
    first.settle_as_golden();
    first.expect_created_once();
    ASSERT_FALSE(testing::Test::HasFailure());
  }
}

// Changes that are reverted between two reconciles are never observed.
TEST(FaultInjection, UnseenChangesAreRepaired) {
  FaultInjectionFixture fixture;
  fixture.start_with_all();
  fixture.settle();
  for (const kube::Object& object : fixture.managed_objects()) {
    SCOPED_TRACE(std::string(object.kind()) + "/" + std::string(object.name()));
    const kube::Resource& resource = find_managed_kind(object.kind())->resource;
    if (resource.kind == kAdapterKind) continue;  // its count would be reset
    fixture.cluster.merge(resource, kSpace, object.name(), R"({"metadata":{"finalizers":null}})");
    fixture.cluster.erase(resource, kSpace, object.name());
    fixture.settle_as_golden();
  }
  fixture.put_slice("s2", "10.0.0.2");
  fixture.cluster.erase(kube::kEndpointSlices, kSpace, "s2");
  const std::string failed = R"({"status":{"conditions":[{"type":"Available","status":"False"}]}})";
  const std::string well = R"({"status":{"conditions":[{"type":"Available","status":"True"}]}})";
  fixture.cluster.merge(kDeployments, kSpace, "g-work", failed);
  fixture.cluster.merge(kDeployments, kSpace, "g-work", well);
  const std::size_t before = fixture.transport.writes;
  fixture.settle();
  EXPECT_EQ(fixture.transport.writes, before) << "there is nothing to do";
  EXPECT_EQ(fixture.snapshot(), golden().snapshot);
}

// Five objects and facts in every fourth order, with a round of reconciles after each.
TEST(FaultInjection, ObjectsMayArriveInAnyOrder) {
  std::array<int, 5> order{0, 1, 2, 3, 4};
  int number = 0;
  do {
    if (number++ % (4 * static_cast<int>(kStride)) != 0) continue;
    FaultInjectionFixture fixture;
    fixture.start_process();
    for (const int fact : order) {
      if (fact == 0) fixture.put_graph();
      if (fact == 1) fixture.put_model();
      if (fact == 2) fixture.put_slice("s1", "10.0.0.1");
      if (fact == 3) fixture.put_request();
      if (fact == 4) fixture.roll_out_deployments();
      fixture.run_round();
    }
    fixture.settle_as_golden();
    fixture.expect_created_once();
    ASSERT_FALSE(testing::Test::HasFailure());
  } while (std::next_permutation(order.begin(), order.end()));
}

// Another client writes the object between each read and the following write.
TEST(FaultInjection, ConflictStormConverges) {
  constexpr std::size_t kStorm = 40;
  FaultInjectionFixture fixture;
  fixture.start_with_all();
  int number = 0;
  const auto note = [&](const kube::Resource& resource, const std::string& name) {
    if (!fixture.find(resource, name)) return;
    fixture.cluster.merge(
        resource, kSpace, name,
        R"({"metadata":{"annotations":{"note":")" + std::to_string(number) + R"("}}})");
  };
  fixture.transport.choose_outcome = [&](std::size_t count, const kube::Request&) {
    if (count <= kStorm) {
      ++number;
      note(kGraphs, "g");
      note(model::kModels, "m");
      note(kRequests, "r");
      note(kComponents, "g-work");
      note(kDeployments, "g-work");
    }
    return WriteOutcome::kDone;
  };
  for (int i = 0; i < 40 && fixture.transport.writes < kStorm; ++i) fixture.run_round();
  fixture.settle_as_golden();
  for (const auto& [resource, name] :
       {std::pair(kGraphs, "g"), std::pair(model::kModels, "m"), std::pair(kRequests, "r")}) {
    EXPECT_EQ(fixture.find(resource, name)->root()["metadata"]["annotations"]["note"].string(),
              std::to_string(number));
  }
  fixture.expect_created_once();
}

// An owner is deleted and recreated before every third write.
TEST(FaultInjection, RecreatedOwnerGetsItsObjects) {
  for (const auto& [resource, name] :
       {std::pair(kGraphs, "g"), std::pair(model::kModels, "m"), std::pair(kRequests, "r")}) {
    for (std::size_t at = 1; at <= golden().writes; at += 3 * kStride) {
      SCOPED_TRACE(std::string(name) + " before write " + std::to_string(at));
      FaultInjectionFixture fixture;
      fixture.start_with_all();
      std::string uid;
      fixture.transport.choose_outcome = [&](std::size_t number, const kube::Request&) {
        if (number == at) {
          fixture.recreate(resource, name);
          uid = fixture.find(resource, name)->uid();
        }
        return WriteOutcome::kDone;
      };
      fixture.settle();
      fixture.settle_as_golden();
      EXPECT_EQ(fixture.find(resource, name)->uid(), uid);
      ASSERT_FALSE(testing::Test::HasFailure());
    }
  }
}

// Deleted before every second write: in the end nothing remains, and no finalizer blocks the
// deletion.
TEST(FaultInjection, OwnerCanBeDeletedAtAnyStep) {
  for (std::size_t at = 1; at <= golden().writes; at += 2 * kStride) {
    SCOPED_TRACE("before write " + std::to_string(at));
    FaultInjectionFixture fixture;
    fixture.start_with_all();
    fixture.transport.choose_outcome = [&](std::size_t number, const kube::Request&) {
      if (number != at) return WriteOutcome::kDone;
      for (const auto& [resource, name] :
           {std::pair(kGraphs, "g"), std::pair(model::kModels, "m")}) {
        if (fixture.find(resource, name)) fixture.cluster.erase(resource, kSpace, name);
      }
      return WriteOutcome::kDone;
    };
    fixture.settle();
    EXPECT_EQ(fixture.find(kGraphs, "g"), std::nullopt);
    EXPECT_EQ(fixture.find(model::kModels, "m"), std::nullopt);
    for (const kube::Object& object : fixture.managed_objects()) {
      ADD_FAILURE() << object.kind() << "/" << object.name() << " is left";
    }
    ASSERT_FALSE(testing::Test::HasFailure());
  }
}

// Labels and a pod template change on each owned object: all are restored, and annotations of other
// clients stay.
TEST(FaultInjection, DriftOfOwnedObjectsIsReverted) {
  FaultInjectionFixture fixture;
  fixture.start_with_all();
  fixture.settle();
  for (const kube::Object& object : fixture.managed_objects()) {
    SCOPED_TRACE(std::string(object.kind()) + "/" + std::string(object.name()));
    const kube::Resource& resource = find_managed_kind(object.kind())->resource;
    // Annotations of other clients stay.
    fixture.cluster.merge(resource, kSpace, object.name(),
                          R"({"metadata":{"annotations":{"theirs":"stays"}}})");
    const json::Value labels = object.root()["metadata"]["labels"];
    for (const json::Member label : labels.members()) {
      fixture.cluster.merge(
          resource, kSpace, object.name(),
          R"({"metadata":{"labels":{")" + std::string(label.name) + R"(":"drifted"}}})");
    }
    const bool is_pods = resource.kind == kDeployments.kind;
    if (is_pods) {
      fixture.cluster.merge(
          resource, kSpace, object.name(),
          R"({"spec":{"template":{"spec":{"terminationGracePeriodSeconds":1}}}})");
    }
    fixture.settle_as_golden();
    EXPECT_EQ(fixture.find(resource, std::string(object.name()))
                  ->root()["metadata"]["annotations"]["theirs"]
                  .string_or_empty(),
              "stays");
  }
  fixture.expect_created_once();
}

TEST(FaultInjection, FlippingSpecConverges) {
  for (int rounds = 0; rounds < 4; ++rounds) {
    SCOPED_TRACE(std::to_string(rounds) + " rounds for each");
    FaultInjectionFixture fixture;
    fixture.start_with_all();
    fixture.settle();
    const auto reconcile_all = [&] {
      for (int i = 0; i < rounds; ++i) fixture.run_round();
    };
    const auto merge = [&](const std::string& spec) {
      fixture.cluster.merge(kGraphs, kSpace, "g", R"({"spec":)" + spec + "}");
      reconcile_all();
    };
    const auto image = [](const std::string& name) {
      return R"({"services":{"Work":{"extraPodSpec":{"mainContainer":{"image":")" + name +
             R"("}}}}})";
    };
    merge(image("a:2"));
    if (rounds > 0) {
      EXPECT_NE(fixture.state(), "successful") << "by pods of before";
    }
    merge(image("a:1"));
    if (rounds > 0) fixture.run_round();  // its components catch up
    const auto running = json::to_text(fixture.find(kDeployments, "g-work")->root()["spec"]);
    merge(R"({"restart":{"id":""},"services":{"Work":{"extraPodSpec":{"mainContainer":{"image":)"
          R"("a:3"}}}}})");
    if (rounds > 0) {
      EXPECT_EQ(fixture.state(), "failed");
      EXPECT_EQ(json::to_text(fixture.find(kDeployments, "g-work")->root()["spec"]), running)
          << "a refused spec leaves what runs alone";
    }
    merge(
        R"({"restart":null,"services":{"Work":{"extraPodSpec":{"mainContainer":{"image":"a:1"}}}}})");
    merge(R"({"services":{"Front":{"replicas":0}}})");
    merge(R"({"services":{"Front":{"replicas":1}}})");
    fixture.settle_as_golden();
    fixture.expect_created_once();
  }
}

// All writes of one kind are refused for a while.
TEST(FaultInjection, RefusedWritesDoNotBlockOtherObjects) {
  std::set<std::string> plurals = {"dynamographdeployments", "dynamomodels",
                                   "dynamographdeploymentrequests"};
  {
    FaultInjectionFixture fixture;
    fixture.start_with_all();
    fixture.settle();
    for (const kube::Object& each : fixture.managed_objects()) {
      plurals.emplace(find_managed_kind(each.kind())->resource.plural);
    }
  }
  ASSERT_GT(plurals.size(), 6U);
  for (const std::string& plural : plurals) {
    SCOPED_TRACE(plural);
    FaultInjectionFixture fixture;
    fixture.start_with_all();
    std::size_t refused = 0;
    fixture.transport.choose_outcome = [&](std::size_t, const kube::Request& request) {
      if (!is_of(request, plural)) return WriteOutcome::kDone;
      ++refused;
      return WriteOutcome::kForbidden;
    };
    for (int i = 0; i < kRounds; ++i) {
      fixture.run_round();
      fixture.roll_out_deployments();
    }
    EXPECT_GT(refused, 0U);
    EXPECT_LE(refused, 8U * kRounds) << "a few a round";
    if (plural == "deployments" || plural == "services") {
      const auto conditions = kube::Conditions::read(
          fixture.find(kComponents, "g-work")->root()["status"]["conditions"]);
      EXPECT_THAT(conditions.find("Available")->message, HasSubstr("a quota forbids it"));
    }
    if (plural != "dynamomodels") {
      EXPECT_EQ(fixture.find(model::kModels, "m")->root()["status"]["readyEndpoints"].integer(), 1)
          << "others go on";
    }
    fixture.transport.choose_outcome = nullptr;
    fixture.settle_as_golden();
    fixture.expect_created_once();
  }
}

// The old leader is frozen during every other write, and resumes after the new leader has finished.
TEST(FaultInjection, ResumedOldLeaderSendsNothing) {
  for (std::size_t at = 1; at <= golden().writes; at += 2 * kStride) {
    SCOPED_TRACE("with write " + std::to_string(at));
    FaultInjectionFixture fixture;
    FaultyTransport old_transport(fixture.cluster.connect("old"));
    fixture.put_all();
    const auto old = fixture.make_process(old_transport);
    old_transport.choose_outcome = [&](std::size_t number, const kube::Request&) {
      if (number != at) return WriteOutcome::kDone;
      old->end_leading();  // another replica leads by the time it resumes
      return WriteOutcome::kHeld;
    };
    bool has_ended = false;
    boost::asio::co_spawn(
        fixture.loop,
        [](FaultInjectionFixture& on, Process& by) -> aio::Task<> {
          for (int i = 0; i < kRounds && by.leads(); ++i) {
            for (std::size_t k = 0; k < by.reconcilers.size(); ++k) {
              const auto& reconciler = by.reconcilers[k];
              by.cache->show();
              for (const kube::ObjectKey& key : by.cache->at(reconciler->spec().resource).keys()) {
                by.contexts[k]->begin();
                co_await reconciler->reconcile(key, *by.contexts[k]);
                by.cache->show();
              }
            }
            on.roll_out_deployments();
          }
        }(fixture, *old),
        [&has_ended](const std::exception_ptr&) { has_ended = true; });
    ASSERT_TRUE(
        test::run_until(fixture.loop, [&] { return has_ended || old_transport.writes == at; }));
    fixture.start_process();
    fixture.settle_as_golden();
    old_transport.release();
    ASSERT_TRUE(test::run_until(fixture.loop, [&] { return has_ended; }));
    EXPECT_LE(old_transport.writes, at) << "a former leader sends nothing";
    fixture.run_round();
    fixture.settle_as_golden();
    fixture.expect_created_once();
    ASSERT_FALSE(testing::Test::HasFailure());
  }
}

// Objects as the Go operator leaves them: it manages all fields, and our annotation is absent.
TEST(FaultInjection, GoOperatorObjectsRollNoPods) {
  FaultInjectionFixture fixture;
  fixture.start_with_all();
  fixture.settle();
  std::vector<std::string> pods;
  const auto pods_now = [&] {
    std::vector<std::string> all;
    for (const kube::Object& each : fixture.cluster.all(kDeployments)) {
      all.push_back(std::string(each.uid()) + " " + json::to_text(each.root()["spec"]["template"]));
    }
    return all;
  };
  for (const kube::Object& object : fixture.managed_objects()) {
    const kube::Resource& resource = find_managed_kind(object.kind())->resource;
    fixture.cluster.merge(resource, kSpace, object.name(),
                          R"({"metadata":{"annotations":{"nvidia.com/last-applied-intent":null}}})",
                          "manager");
  }
  pods = pods_now();
  const std::string status = json::to_text(fixture.find(kGraphs, "g")->root()["status"]);
  fixture.start_process();
  fixture.run_round();
  EXPECT_EQ(pods_now(), pods) << "no pod is rolled";
  EXPECT_EQ(json::to_text(fixture.find(kGraphs, "g")->root()["status"]), status);
  const std::size_t before = fixture.transport.writes;
  fixture.run_round();
  EXPECT_EQ(fixture.transport.writes, before) << "the second reconcile writes nothing";
  fixture.expect_created_once();
}

}  // namespace
}  // namespace dynamo::reconciler
