// Failures on the way of requests, checkpoints and graphs through their Jobs, at every write except
// most of a graph's controllers: each run must end in the same state as one without failures. No
// Job, graph or ConfigMap may be created twice, and the final state causes no writes.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "reconciler/checkpoint/plan.hpp"
#include "tests/reconciler/fault_injection/interleaved_reconciles.hpp"
#include "tests/reconciler/fault_injection/scenario_fixture.hpp"
#include "tests/support/sanitizers.hpp"

namespace dynamo::reconciler {
namespace {

constexpr int kRounds = 30;

// A client that changes annotations, which causes conflicts.
void note_on(ScenarioFixture& fixture, const kube::Resource& resource, int number) {
  const std::string text =
      R"({"metadata":{"annotations":{"note":")" + std::to_string(number) + R"("}}})";
  for (const kube::Object& each : fixture.cluster.all(resource)) {
    fixture.cluster.merge(resource, kSpace, each.name(), text);
  }
}

class Scenarios : public ::testing::TestWithParam<Scenario> {
 protected:
  // The numbers of the writes at which a failure is injected: of a graph's controllers, one in
  // `graph_step`, since other tests inject failures into these; and all others. With sanitizers,
  // one in five of them.
  static std::vector<std::size_t> positions(std::size_t graph_step) {
    const ScenarioGolden& run = golden(GetParam());
    std::vector<std::size_t> all;
    std::size_t of_graph = 0;
    std::size_t chosen = 0;
    for (std::size_t at = 1; at <= run.writes; ++at) {
      const bool is_of_graph = run.writes_of_graph.contains(at);
      if (is_of_graph && of_graph++ % graph_step != 0) continue;
      if (chosen++ % (test::kSanitized ? 5 : 1) == 0) all.push_back(at);
    }
    return all;
  }
  // Runs the scenario with that outcome of one write, and then of no other.
  void expect_recovery(WriteOutcome outcome, std::size_t graph_step) {
    for (const std::size_t at : positions(graph_step)) {
      SCOPED_TRACE("write " + std::to_string(at));
      ScenarioFixture fixture(GetParam());
      fixture.start();
      fixture.transport.choose_outcome = [&](std::size_t number, const kube::Request& request) {
        // A generated ConfigMap that the server refuses is skipped.
        const bool is_skipped = outcome == WriteOutcome::kForbidden &&
                                request.target.find("/configmaps") != std::string::npos;
        return number == at && !is_skipped ? outcome : WriteOutcome::kDone;
      };
      fixture.settle_as_golden();
      fixture.expect_one_job_per_attempt();
      ASSERT_FALSE(HasFailure());
    }
  }
};

std::string name_of(const ::testing::TestParamInfo<Scenario>& info) {
  return to_string(info.param);
}
INSTANTIATE_TEST_SUITE_P(FaultInjection, Scenarios, ::testing::ValuesIn(kScenarios), name_of);

TEST_P(Scenarios, CrashAfterEachWriteIsRecovered) {
  for (const std::size_t at : positions(4)) {
    const std::size_t last = at - 1;
    SCOPED_TRACE("after write " + std::to_string(last));
    ScenarioFixture fixture(GetParam());
    fixture.start();
    fixture.transport.choose_outcome = [last](std::size_t number, const kube::Request&) {
      return number > last ? WriteOutcome::kRefused : WriteOutcome::kDone;
    };
    for (int i = 0; i < kRounds && fixture.transport.writes <= last; ++i) fixture.advance();
    fixture.transport.choose_outcome = nullptr;
    fixture.start_process();
    fixture.settle_as_golden();
    fixture.expect_one_job_per_attempt();
    ASSERT_FALSE(HasFailure());
  }
}

TEST_P(Scenarios, LostAnswersAreRecovered) {
  expect_recovery(WriteOutcome::kLost, 8);
}

TEST_P(Scenarios, RefusedWritesAreRepeated) {
  expect_recovery(WriteOutcome::kForbidden, 12);
}

TEST_P(Scenarios, UnsentWritesAreRepeated) {
  expect_recovery(WriteOutcome::kRefused, 16);
}

// All writes of one kind are refused for a while.
TEST_P(Scenarios, RefusedKindsAreRecovered) {
  for (const char* const plural :
       {"jobs", "dynamographdeployments", "dynamographdeploymentrequests", "dynamocheckpoints",
        "podcliquesets", "podcliquescalinggroups", "events"}) {
    SCOPED_TRACE(plural);
    ScenarioFixture fixture(GetParam());
    fixture.start();
    std::size_t refused = 0;
    fixture.transport.choose_outcome = [&](std::size_t, const kube::Request& request) {
      if (request.target.find(std::string("/") + plural) == std::string::npos) {
        return WriteOutcome::kDone;
      }
      ++refused;
      return WriteOutcome::kForbidden;
    };
    constexpr int kRefusals = 8;
    for (int i = 0; i < kRefusals; ++i) fixture.advance();
    EXPECT_LE(refused, 8U * kRefusals) << "a few a round";
    fixture.transport.choose_outcome = nullptr;
    fixture.settle_as_golden();
    fixture.expect_one_job_per_attempt();
  }
}

// The states of the caches after each round of a run without faults.
std::vector<test::FakeCache::Picture> past_of(ScenarioFixture& fixture) {
  std::vector<test::FakeCache::Picture> past = {fixture.process->cache->picture()};
  for (std::size_t before = 0; before != fixture.transport.writes || past.size() < 8;) {
    before = fixture.transport.writes;
    fixture.advance();
    past.push_back(fixture.process->cache->picture());
  }
  fixture.settle();
  return past;
}

// The new process first sees the caches of an earlier round, and then catches up.
TEST_P(Scenarios, StaleCacheAfterRestartIsHarmless) {
  ScenarioFixture fixture(GetParam());
  fixture.start();
  const auto past = past_of(fixture);
  for (std::size_t i = 0; i < past.size(); ++i) {
    SCOPED_TRACE("of round " + std::to_string(i));
    fixture.start_process();
    fixture.process->cache->show_again(past[i]);
    fixture.reconcile_from_cache(*fixture.process);
    fixture.settle_as_golden();
    fixture.expect_one_job_per_attempt();
    ASSERT_FALSE(HasFailure());
  }
}

// The process is replaced after each round. Each new one lists the objects of one kind in an
// earlier state than the others.
TEST_P(Scenarios, LateListAfterRestartIsHarmless) {
  std::vector<kube::Resource> kinds = {kJobs, kGraphs, kRequests, checkpoint::kCheckpoints};
  if (GetParam() == Scenario::kClusterWideRequest) {
    kinds.insert(kinds.end(), {kAccounts, kBindings});
  }
  if (GetParam() == Scenario::kGroveGraph) {
    kinds = {kGraphs, kPodCliqueSets, kPodCliques, kScalingGroups};
  }
  for (const kube::Resource& late : kinds) {
    const auto is_late = [&late](const std::string& text) {
      return text.starts_with(std::string(late.kind) + "/");
    };
    const bool is_known = std::ranges::any_of(golden(GetParam()).snapshot, is_late);
    if (!is_known && GetParam() != Scenario::kGroveGraph) continue;
    const std::string plural(late.plural);
    SCOPED_TRACE(plural);
    ScenarioFixture fixture(GetParam());
    fixture.start();
    for (int i = 0; i < kRounds; ++i) {
      const std::size_t before = fixture.transport.writes;
      fixture.process->cache->show();
      auto past = fixture.process->cache->picture();
      fixture.advance();
      if (i > kRounds / 2 && fixture.transport.writes == before) break;
      fixture.start_process();
      auto shown = fixture.process->cache->picture();
      shown[plural] = past[plural];
      fixture.process->cache->show_again(shown);
      fixture.reconcile_from_cache(*fixture.process);
    }
    fixture.settle_as_golden();
    fixture.expect_one_job_per_attempt();
    ASSERT_FALSE(HasFailure());
  }
}

// Another client writes the objects between each read and the following write.
TEST_P(Scenarios, ConflictStormConverges) {
  constexpr std::size_t kStorm = 40;
  ScenarioFixture fixture(GetParam());
  fixture.start();
  int number = 0;
  fixture.transport.choose_outcome = [&](std::size_t count, const kube::Request&) {
    if (count > kStorm) return WriteOutcome::kDone;
    ++number;
    for (const kube::Resource& each :
         {kJobs, kGraphs, kRequests, checkpoint::kCheckpoints, kPodCliqueSets}) {
      note_on(fixture, each, number);
    }
    return WriteOutcome::kDone;
  };
  for (int i = 0; i < kRounds && fixture.transport.writes < kStorm; ++i) fixture.advance();
  fixture.settle_as_golden();
  fixture.expect_one_job_per_attempt();
}

TEST_P(Scenarios, RecreatedOwnerGetsItsObjects) {
  for (const std::size_t at : positions(12)) {
    SCOPED_TRACE("before write " + std::to_string(at));
    ScenarioFixture fixture(GetParam());
    fixture.start();
    std::string uid;
    fixture.transport.choose_outcome = [&](std::size_t number, const kube::Request&) {
      if (number == at) {
        fixture.recreate(fixture.resource(), fixture.name());
        uid = fixture.subject()->uid();
      }
      return WriteOutcome::kDone;
    };
    fixture.settle();
    fixture.settle_as_golden();
    EXPECT_EQ(fixture.subject()->uid(), uid);
    ASSERT_FALSE(HasFailure());
  }
}

// In the end no Job remains, and no finalizer blocks the deletion.
TEST_P(Scenarios, OwnerCanBeDeletedAtAnyStep) {
  for (const std::size_t at : positions(8)) {
    SCOPED_TRACE("before write " + std::to_string(at));
    ScenarioFixture fixture(GetParam());
    fixture.start();
    fixture.transport.choose_outcome = [&](std::size_t number, const kube::Request&) {
      if (number == at && fixture.subject()) {
        fixture.cluster.erase(fixture.resource(), kSpace, fixture.name());
      }
      return WriteOutcome::kDone;
    };
    fixture.settle();
    EXPECT_EQ(fixture.subject(), std::nullopt);
    for (const kube::Object& job : fixture.cluster.all(kJobs)) {
      const bool is_of_graph = GetParam() == Scenario::kAutoGraph;
      EXPECT_TRUE(is_of_graph) << job.name() << " is left";
    }
    ASSERT_FALSE(HasFailure());
  }
}

aio::Task<> run_while_leading(ScenarioFixture& fixture, Process& process) {
  for (int i = 0; i < kRounds && process.leads(); ++i) {
    for (std::size_t k = 0; k < process.reconcilers.size(); ++k) {
      const auto& reconciler = process.reconcilers[k];
      process.cache->show();
      for (const kube::ObjectKey& key : process.cache->at(reconciler->spec().resource).keys()) {
        process.contexts[k]->begin();
        co_await reconciler->reconcile(key, *process.contexts[k]);
        process.cache->show();
      }
    }
    fixture.advance_cluster();
  }
}

// The old leader is frozen during a write, and resumes after the new leader has finished.
TEST_P(Scenarios, ResumedOldLeaderSendsNothing) {
  for (const std::size_t at : positions(8)) {
    SCOPED_TRACE("with write " + std::to_string(at));
    ScenarioFixture fixture(GetParam());
    FaultyTransport old_transport(fixture.cluster.connect("old"));
    fixture.put_subject();
    const auto old = fixture.make_process(old_transport);
    old_transport.choose_outcome = [&](std::size_t number, const kube::Request&) {
      if (number != at) return WriteOutcome::kDone;
      old->end_leading();
      return WriteOutcome::kHeld;
    };
    bool has_ended = false;
    boost::asio::co_spawn(fixture.loop, run_while_leading(fixture, *old),
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
    fixture.expect_one_job_per_attempt();
    ASSERT_FALSE(HasFailure());
  }
}

// Reconciles, the Job controller and the user act in random order.
TEST_P(Scenarios, OrderOfReconcilesDoesNotMatter) {
  constexpr std::uint64_t kSeeds = test::played(std::uint64_t{6});
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    ScenarioFixture fixture(GetParam());
    fixture.start();
    InterleavedReconciles order(fixture, seed);
    for (int round = 0; round < kRounds; ++round) {
      order.start_reconciles();
      order.run_handlers(order.below(40));
      if (order.coin()) fixture.advance_cluster();
      order.run_handlers(order.below(40));
      order.refresh_caches();
    }
    ASSERT_TRUE(order.finish());
    fixture.settle_as_golden();
    fixture.expect_one_job_per_attempt();
    ASSERT_FALSE(HasFailure());
  }
}

}  // namespace
}  // namespace dynamo::reconciler
