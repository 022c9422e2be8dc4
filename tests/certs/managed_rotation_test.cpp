// The three phases of a CA rotation, with faults in the middle of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "certs/managed/reports.hpp"
#include "tests/certs/managed_simulation.hpp"

namespace dynamo::test {
namespace {

using certs::managed::RotationPhase;
using certs::managed::split_bundle;
using certs::managed::WriteCause;
using ::testing::Each;

class ManagedRotation : public SimulationTest {
 protected:
  ManagedRotation() { simulation_.add_configurations(); }

  void start_three() {
    for (const char* const name : {"replica-a", "replica-b", "replica-c"}) start(name);
    ASSERT_TRUE(simulation_.run_until([&] { return simulation_.are_all_ready(); }));
    old_ca_ = ca();
    old_leaf_ = simulation_.replica(0).served_leaf();
  }
  void start(const std::string& name) {
    certs::managed::Settings settings = managed_settings(name);
    settings.report_lifetime = report_lifetime_;
    settings.silence_until_gone = silence_until_gone_;
    simulation_.start(settings);
  }
  std::size_t cas_in_bundles() const { return split_bundle(simulation_.bundles().front()).size(); }
  bool finished() {
    return simulation_.phase() == RotationPhase::kSteady && ca() != old_ca_ &&
           simulation_.is_served_by_all(leaf()) && cas_in_bundles() == 1;
  }
  bool reach(RotationPhase phase) {
    return simulation_.pass_until([&] { return simulation_.phase() == phase; });
  }

  std::chrono::seconds report_lifetime_ = 10min;
  std::chrono::seconds silence_until_gone_ = 30min;
  std::string old_ca_;
  std::string old_leaf_;
};

TEST_F(ManagedRotation, RotationKeepsEveryBundleValidForEveryReplica) {
  start_three();
  const std::size_t looks_before = simulation_.checks();
  simulation_.annotate("ca");
  ASSERT_TRUE(reach(RotationPhase::kPublishing));
  EXPECT_EQ(ca(), old_ca_);
  EXPECT_TRUE(simulation_.is_served_by_all(old_leaf_));
  ASSERT_TRUE(simulation_.pass_until([&] { return cas_in_bundles() == 2; }));
  EXPECT_TRUE(simulation_.is_served_by_all(old_leaf_));
  EXPECT_EQ(simulation_.phase(), RotationPhase::kPublishing);
  ASSERT_TRUE(reach(RotationPhase::kRetiring));
  EXPECT_NE(ca(), old_ca_);
  ASSERT_TRUE(simulation_.pass_until([&] { return simulation_.is_served_by_all(leaf()); }));
  EXPECT_EQ(cas_in_bundles(), 2U);
  ASSERT_TRUE(simulation_.pass_until([&] { return finished(); }));
  EXPECT_THAT(simulation_.bundles(), Each(simulation_.decoded().ca->pair.certificate_pem));
  EXPECT_GT(simulation_.checks(), looks_before + 100);
  EXPECT_EQ(simulation_.events("CaRotationStarted"), 1U);
  EXPECT_EQ(simulation_.events("CaRotationSwitched"), 1U);
  EXPECT_EQ(simulation_.events("CaRotationFinished"), 1U);
  EXPECT_FALSE(simulation_.decoded().rotate_ca);
}

TEST_F(ManagedRotation, RotationStartsLongBeforeCaExpires) {
  start_three();
  // One leaf per month until then; here only the last one matters.
  simulation_.clock.tick(3650 * kDay * 4 / 5);
  ASSERT_TRUE(simulation_.run_until([&] {
    return simulation_.phase() == RotationPhase::kPublishing &&
           simulation_.is_served_by_all(leaf());
  }));
  ASSERT_TRUE(simulation_.pass_until([&] { return finished(); }));
  EXPECT_EQ(simulation_.decoded().ca->facts.not_before,
            simulation_.decoded().ca->facts.not_after - 3650 * kDay - 10min);
}

TEST_F(ManagedRotation, MetricsShowPhaseAndExpiryOfEachCa) {
  start_three();
  const auto& stats = simulation_.replica(1).stats();
  EXPECT_EQ(stats.phase.load(), 0U);
  EXPECT_GT(stats.ca_not_after[0].load(), 0);
  EXPECT_EQ(stats.ca_not_after[1].load(), 0);
  simulation_.annotate("ca");
  ASSERT_TRUE(simulation_.pass_until([&] { return stats.phase == 1; }));
  EXPECT_GT(stats.ca_not_after[1].load(), 0);
  EXPECT_EQ(stats.ca_not_after[2].load(), 0);
  ASSERT_TRUE(simulation_.pass_until([&] { return stats.phase == 2; }));
  EXPECT_EQ(stats.ca_not_after[1].load(), 0);
  EXPECT_GT(stats.ca_not_after[2].load(), 0);
  ASSERT_TRUE(simulation_.pass_until([&] { return stats.phase == 0; }));
  EXPECT_EQ(stats.ca_not_after[2].load(), 0);
}

// The point of a rotation at which a fault occurs.
class ManagedRotationAt : public ManagedRotation, public ::testing::WithParamInterface<int> {
 protected:
  // 0: just started; 1: both CAs are in the bundles; 2: the Secret has the new leaf; 3: some
  // replica serves it; 4: all do.
  ManagedRotationAt() { report_lifetime_ = silence_until_gone_ = 1min; }

  bool reach_point(int point) {
    simulation_.annotate("ca");
    return simulation_.pass_until([&] {
      const bool some = simulation_.replica(0).served_leaf() != old_leaf_ ||
                        simulation_.replica(simulation_.size() - 1).served_leaf() != old_leaf_;
      switch (point) {
        case 0:
          return simulation_.phase() == RotationPhase::kPublishing;
        case 1:
          return cas_in_bundles() == 2;
        case 2:
          return simulation_.phase() == RotationPhase::kRetiring;
        case 3:
          return some;
        default:
          return some && simulation_.is_served_by_all(leaf());
      }
    });
  }
};

TEST_P(ManagedRotationAt, AnotherReplicaContinuesAfterLeaderDies) {
  start_three();
  ASSERT_TRUE(reach_point(GetParam()));
  simulation_.kill_leader();
  start("replica-d");
  ASSERT_TRUE(simulation_.pass_until([&] { return finished(); }, 1h));
}

TEST_P(ManagedRotationAt, NewReplicasContinueFromSecret) {
  start_three();
  ASSERT_TRUE(reach_point(GetParam()));
  while (simulation_.size() > 0) simulation_.kill_leader();
  for (const char* const name : {"replica-d", "replica-e"}) start(name);
  ASSERT_TRUE(
      simulation_.pass_until([&] { return simulation_.are_all_ready() && finished(); }, 1h));
}

TEST_P(ManagedRotationAt, RotationSurvivesOutageOfOneMinute) {
  start_three();
  ASSERT_TRUE(reach_point(GetParam()));
  simulation_.cluster.set_reachable(false);
  simulation_.pass(60s);
  EXPECT_TRUE(simulation_.are_all_ready());
  simulation_.cluster.set_reachable(true);
  ASSERT_TRUE(simulation_.pass_until([&] { return finished(); }));
}

TEST_F(ManagedRotation, OutageLongerThanReportLifetimeKeepsReplicasLive) {
  report_lifetime_ = silence_until_gone_ = 1min;
  start_three();
  simulation_.annotate("ca");
  ASSERT_TRUE(reach(RotationPhase::kRetiring));
  simulation_.cluster.set_reachable(false);
  simulation_.clock.tick(1h);
  simulation_.pass(5s);
  // The leader reconnects first.
  simulation_.cluster.set_reachable(true, "replica-a");
  simulation_.pass(30s);
  EXPECT_EQ(simulation_.phase(), RotationPhase::kRetiring);
  simulation_.cluster.set_reachable(true);
  ASSERT_TRUE(simulation_.pass_until([&] { return finished(); }));
}

TEST_P(ManagedRotationAt, ReplicaMayJoin) {
  start_three();
  ASSERT_TRUE(reach_point(GetParam()));
  start("replica-d");
  ASSERT_TRUE(simulation_.pass_until([&] { return simulation_.are_all_ready() && finished(); }));
}

TEST_P(ManagedRotationAt, SecretMayBeDeleted) {
  start_three();
  ASSERT_TRUE(reach_point(GetParam()));
  simulation_.cluster.erase(kube::kSecrets, "dynamo", "dynamo-webhook-cert");
  ASSERT_TRUE(simulation_.pass_until([&] { return simulation_.secret() && finished(); }));
}

TEST_P(ManagedRotationAt, WatchesMayBreak) {
  start_three();
  simulation_.annotate("ca");
  ASSERT_TRUE(reach_point(GetParam()));
  simulation_.cluster.compact();
  simulation_.cluster.cut_watches(Cut::kHalfLine);
  ASSERT_TRUE(simulation_.pass_until([&] { return finished(); }));
}

INSTANTIATE_TEST_SUITE_P(Points, ManagedRotationAt, ::testing::Range(0, 5));

TEST_F(ManagedRotation, EveryWriteMayLoseItsAnswer) {
  start_three();
  for (int i = 0; i < 3; ++i) {
    simulation_.cluster.fail({.method = kube::HttpMethod::kPut, .path = "/secrets/", .client = ""},
                             {.kind = Fault::Kind::kLostAnswer});
    simulation_.cluster.fail(
        {.method = kube::HttpMethod::kPatch, .path = "configurations/", .client = ""},
        {.kind = Fault::Kind::kLostAnswer});
  }
  simulation_.annotate("ca");
  ASSERT_TRUE(simulation_.pass_until([&] { return finished(); }));
}

TEST_F(ManagedRotation, OldCaStaysWhileDisconnectedReplicaServesIt) {
  start_three();
  simulation_.cluster.set_reachable(false, "replica-c");
  simulation_.annotate("ca");
  ASSERT_TRUE(reach(RotationPhase::kRetiring));
  ASSERT_TRUE(
      simulation_.pass_until([&] { return simulation_.replica(1).served_leaf() == leaf(); }));
  // Much longer than a report's lifetime: it is ready and receives requests.
  simulation_.pass(25min);
  EXPECT_TRUE(simulation_.replica(2).ready());
  EXPECT_EQ(simulation_.replica(2).served_leaf(), old_leaf_);
  EXPECT_EQ(simulation_.phase(), RotationPhase::kRetiring);
  EXPECT_EQ(cas_in_bundles(), 2U);
  simulation_.cluster.set_reachable(true, "replica-c");
  ASSERT_TRUE(simulation_.pass_until([&] { return finished(); }));
}

TEST_F(ManagedRotation, SilentReplicaStopsBlockingRotation) {
  start_three();
  simulation_.annotate("ca");
  ASSERT_TRUE(reach(RotationPhase::kPublishing));
  simulation_.kill("replica-c");
  ASSERT_TRUE(reach(RotationPhase::kRetiring));
  simulation_.pass(25min);
  EXPECT_EQ(simulation_.phase(), RotationPhase::kRetiring);
  ASSERT_TRUE(simulation_.pass_until([&] { return finished(); }, 20min));
  EXPECT_EQ(simulation_.cluster.all(kube::kLeases).size(), 2U);
}

TEST_F(ManagedRotation, DeletingReportUnblocksRotation) {
  start_three();
  const std::string report = report_name(managed_settings("replica-c"));
  simulation_.kill("replica-c");
  simulation_.annotate("ca");
  ASSERT_TRUE(reach(RotationPhase::kRetiring));
  simulation_.pass(2min);
  EXPECT_EQ(simulation_.phase(), RotationPhase::kRetiring);
  simulation_.cluster.erase(kube::kLeases, "dynamo", report);
  ASSERT_TRUE(simulation_.pass_until([&] { return finished(); }, 2min));
}

TEST_F(ManagedRotation, LeafSwitchWaitsForUnwritableBundle) {
  start_three();
  simulation_.cluster.fail(
      {.method = kube::HttpMethod::kPatch, .path = "mutatingwebhook", .client = ""},
      {.kind = Fault::Kind::kStatus, .status = 403, .reason = "Forbidden"}, 100'000);
  simulation_.annotate("ca");
  ASSERT_TRUE(reach(RotationPhase::kPublishing));
  simulation_.pass(3min);
  EXPECT_EQ(simulation_.phase(), RotationPhase::kPublishing);
  EXPECT_TRUE(simulation_.is_served_by_all(old_leaf_));
  // One line for all attempts.
  EXPECT_EQ(simulation_.logger.count("writing a caBundle failed; tried again until it succeeds"),
            1U);
}

TEST_F(ManagedRotation, ForeignCaIsServedOnceBundlesHaveIt) {
  start_three();
  // For example the Secret of a backup: valid, but with another CA.
  const auto other = new_content(managed_settings("x"), simulation_.clock.wall()).value();
  simulation_.set_secret(encode_secret(other, {}, managed_settings()));
  ASSERT_TRUE(simulation_.pass_until(
      [&] { return simulation_.is_served_by_all(other.leaf->leaf.fingerprint); }));
  EXPECT_EQ(simulation_.replica(0).stats().refused.load(), 0U);
  ASSERT_TRUE(simulation_.pass_until([&] { return cas_in_bundles() == 1; }));
  EXPECT_THAT(simulation_.bundles(), Each(other.ca.pair.certificate_pem));
}

}  // namespace
}  // namespace dynamo::test
