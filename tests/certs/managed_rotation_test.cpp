// The three phases of a CA rotation, with faults in the middle of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "certs/managed/reports.hpp"
#include "tests/certs/managed_world.hpp"

namespace dynamo::test {
namespace {

using certs::managed::Cause;
using certs::managed::Phase;
using certs::managed::split_bundle;
using ::testing::Each;
using ::testing::IsEmpty;

class ManagedRotation : public ::testing::Test {
 protected:
  ManagedRotation() { world_.add_configurations(); }
  void TearDown() override {
    EXPECT_THAT(world_.violations(), IsEmpty());
    EXPECT_EQ(world_.logger.count("a background task ended with an exception"), 0U);
  }

  void start_three() {
    for (const char* const name : {"replica-a", "replica-b", "replica-c"}) start(name);
    ASSERT_TRUE(world_.run_until([&] { return world_.all_ready(); }));
    old_ca_ = ca();
    old_leaf_ = world_.replica(0).served_leaf();
  }
  void start(const std::string& name) {
    certs::managed::Settings settings = managed_settings(name);
    settings.report_lifetime = report_lifetime_;
    settings.silence_until_gone = silence_until_gone_;
    world_.start(settings);
  }
  std::string ca() const { return world_.decoded().ca->facts.fingerprint; }
  std::string leaf() const { return world_.decoded().content->leaf->leaf.fingerprint; }
  std::size_t cas_in_bundles() const { return split_bundle(world_.bundles().front()).size(); }
  bool finished() {
    return world_.phase() == Phase::kSteady && ca() != old_ca_ && world_.all_serve(leaf()) &&
           cas_in_bundles() == 1;
  }
  bool reach(Phase phase) {
    return world_.pass_until([&] { return world_.phase() == phase; });
  }

  World world_;
  std::chrono::seconds report_lifetime_ = 10min;
  std::chrono::seconds silence_until_gone_ = 30min;
  std::string old_ca_;
  std::string old_leaf_;
};

TEST_F(ManagedRotation, RotationKeepsEveryBundleValidForEveryReplica) {
  start_three();
  const std::size_t looks_before = world_.looks();
  world_.annotate("ca");
  ASSERT_TRUE(reach(Phase::kPublishing));
  EXPECT_EQ(ca(), old_ca_);
  EXPECT_TRUE(world_.all_serve(old_leaf_));
  ASSERT_TRUE(world_.pass_until([&] { return cas_in_bundles() == 2; }));
  EXPECT_TRUE(world_.all_serve(old_leaf_));
  EXPECT_EQ(world_.phase(), Phase::kPublishing);
  ASSERT_TRUE(reach(Phase::kRetiring));
  EXPECT_NE(ca(), old_ca_);
  ASSERT_TRUE(world_.pass_until([&] { return world_.all_serve(leaf()); }));
  EXPECT_EQ(cas_in_bundles(), 2U);
  ASSERT_TRUE(world_.pass_until([&] { return finished(); }));
  EXPECT_THAT(world_.bundles(), Each(world_.decoded().ca->pair.certificate_pem));
  EXPECT_GT(world_.looks(), looks_before + 100);
  EXPECT_EQ(world_.events("CaRotationStarted"), 1U);
  EXPECT_EQ(world_.events("CaRotationSwitched"), 1U);
  EXPECT_EQ(world_.events("CaRotationFinished"), 1U);
  EXPECT_FALSE(world_.decoded().rotate_ca);
}

TEST_F(ManagedRotation, RotationStartsLongBeforeCaExpires) {
  start_three();
  // One leaf per month until then; here only the last one matters.
  world_.clock.tick(3650 * kDay * 4 / 5);
  ASSERT_TRUE(world_.run_until(
      [&] { return world_.phase() == Phase::kPublishing && world_.all_serve(leaf()); }));
  ASSERT_TRUE(world_.pass_until([&] { return finished(); }));
  EXPECT_EQ(world_.decoded().ca->facts.not_before,
            world_.decoded().ca->facts.not_after - 3650 * kDay - 10min);
}

TEST_F(ManagedRotation, MetricsShowPhaseAndExpiryOfEachCa) {
  start_three();
  const auto& figures = world_.replica(1).figures();
  EXPECT_EQ(figures.phase.load(), 0U);
  EXPECT_GT(figures.ca_not_after[0].load(), 0);
  EXPECT_EQ(figures.ca_not_after[1].load(), 0);
  world_.annotate("ca");
  ASSERT_TRUE(world_.pass_until([&] { return figures.phase == 1; }));
  EXPECT_GT(figures.ca_not_after[1].load(), 0);
  EXPECT_EQ(figures.ca_not_after[2].load(), 0);
  ASSERT_TRUE(world_.pass_until([&] { return figures.phase == 2; }));
  EXPECT_EQ(figures.ca_not_after[1].load(), 0);
  EXPECT_GT(figures.ca_not_after[2].load(), 0);
  ASSERT_TRUE(world_.pass_until([&] { return figures.phase == 0; }));
  EXPECT_EQ(figures.ca_not_after[2].load(), 0);
}

// The point of a rotation at which a fault occurs.
class ManagedRotationAt : public ManagedRotation, public ::testing::WithParamInterface<int> {
 protected:
  // 0: just started; 1: both CAs are in the bundles; 2: the Secret has the new leaf; 3: some
  // replica serves it; 4: all do.
  ManagedRotationAt() { report_lifetime_ = silence_until_gone_ = 1min; }

  bool reach_point(int point) {
    world_.annotate("ca");
    return world_.pass_until([&] {
      const bool some = world_.replica(0).served_leaf() != old_leaf_ ||
                        world_.replica(world_.size() - 1).served_leaf() != old_leaf_;
      switch (point) {
        case 0:
          return world_.phase() == Phase::kPublishing;
        case 1:
          return cas_in_bundles() == 2;
        case 2:
          return world_.phase() == Phase::kRetiring;
        case 3:
          return some;
        default:
          return some && world_.all_serve(leaf());
      }
    });
  }
};

TEST_P(ManagedRotationAt, AnotherReplicaContinuesAfterLeaderDies) {
  start_three();
  ASSERT_TRUE(reach_point(GetParam()));
  world_.kill_leader();
  start("replica-d");
  ASSERT_TRUE(world_.pass_until([&] { return finished(); }, 1h));
}

TEST_P(ManagedRotationAt, NewReplicasContinueFromSecret) {
  start_three();
  ASSERT_TRUE(reach_point(GetParam()));
  while (world_.size() > 0) world_.kill_leader();
  for (const char* const name : {"replica-d", "replica-e"}) start(name);
  ASSERT_TRUE(world_.pass_until([&] { return world_.all_ready() && finished(); }, 1h));
}

TEST_P(ManagedRotationAt, RotationSurvivesOutageOfOneMinute) {
  start_three();
  ASSERT_TRUE(reach_point(GetParam()));
  world_.cluster.set_reachable(false);
  world_.pass(60s);
  EXPECT_TRUE(world_.all_ready());
  world_.cluster.set_reachable(true);
  ASSERT_TRUE(world_.pass_until([&] { return finished(); }));
}

TEST_F(ManagedRotation, OutageLongerThanReportLifetimeKeepsReplicasLive) {
  report_lifetime_ = silence_until_gone_ = 1min;
  start_three();
  world_.annotate("ca");
  ASSERT_TRUE(reach(Phase::kRetiring));
  world_.cluster.set_reachable(false);
  world_.clock.tick(1h);
  world_.pass(5s);
  // The leader reconnects first.
  world_.cluster.set_reachable(true, "replica-a");
  world_.pass(30s);
  EXPECT_EQ(world_.phase(), Phase::kRetiring);
  world_.cluster.set_reachable(true);
  ASSERT_TRUE(world_.pass_until([&] { return finished(); }));
}

TEST_P(ManagedRotationAt, ReplicaMayJoin) {
  start_three();
  ASSERT_TRUE(reach_point(GetParam()));
  start("replica-d");
  ASSERT_TRUE(world_.pass_until([&] { return world_.all_ready() && finished(); }));
}

TEST_P(ManagedRotationAt, SecretMayBeDeleted) {
  start_three();
  ASSERT_TRUE(reach_point(GetParam()));
  world_.cluster.erase(kube::kSecrets, "dynamo", "dynamo-webhook-cert");
  ASSERT_TRUE(world_.pass_until([&] { return world_.secret() && finished(); }));
}

TEST_P(ManagedRotationAt, WatchesMayBreak) {
  start_three();
  world_.annotate("ca");
  ASSERT_TRUE(reach_point(GetParam()));
  world_.cluster.compact();
  world_.cluster.cut_watches(Cut::kHalfLine);
  ASSERT_TRUE(world_.pass_until([&] { return finished(); }));
}

INSTANTIATE_TEST_SUITE_P(Points, ManagedRotationAt, ::testing::Range(0, 5));

TEST_F(ManagedRotation, EveryWriteMayLoseItsAnswer) {
  start_three();
  for (int i = 0; i < 3; ++i) {
    world_.cluster.fail({.verb = kube::Verb::kPut, .path = "/secrets/", .client = ""},
                        {.kind = Fault::Kind::kLostAnswer});
    world_.cluster.fail({.verb = kube::Verb::kPatch, .path = "configurations/", .client = ""},
                        {.kind = Fault::Kind::kLostAnswer});
  }
  world_.annotate("ca");
  ASSERT_TRUE(world_.pass_until([&] { return finished(); }));
}

TEST_F(ManagedRotation, OldCaStaysWhileDisconnectedReplicaServesIt) {
  start_three();
  world_.cluster.set_reachable(false, "replica-c");
  world_.annotate("ca");
  ASSERT_TRUE(reach(Phase::kRetiring));
  ASSERT_TRUE(world_.pass_until([&] { return world_.replica(1).served_leaf() == leaf(); }));
  // Much longer than a report's lifetime: it is ready and receives requests.
  world_.pass(25min);
  EXPECT_TRUE(world_.replica(2).ready());
  EXPECT_EQ(world_.replica(2).served_leaf(), old_leaf_);
  EXPECT_EQ(world_.phase(), Phase::kRetiring);
  EXPECT_EQ(cas_in_bundles(), 2U);
  world_.cluster.set_reachable(true, "replica-c");
  ASSERT_TRUE(world_.pass_until([&] { return finished(); }));
}

TEST_F(ManagedRotation, SilentReplicaStopsBlockingRotation) {
  start_three();
  world_.annotate("ca");
  ASSERT_TRUE(reach(Phase::kPublishing));
  world_.kill("replica-c");
  ASSERT_TRUE(reach(Phase::kRetiring));
  world_.pass(25min);
  EXPECT_EQ(world_.phase(), Phase::kRetiring);
  ASSERT_TRUE(world_.pass_until([&] { return finished(); }, 20min));
  EXPECT_EQ(world_.cluster.all(kube::kLeases).size(), 2U);
}

TEST_F(ManagedRotation, DeletingReportUnblocksRotation) {
  start_three();
  const std::string report = report_name(managed_settings("replica-c"));
  world_.kill("replica-c");
  world_.annotate("ca");
  ASSERT_TRUE(reach(Phase::kRetiring));
  world_.pass(2min);
  EXPECT_EQ(world_.phase(), Phase::kRetiring);
  world_.cluster.erase(kube::kLeases, "dynamo", report);
  ASSERT_TRUE(world_.pass_until([&] { return finished(); }, 2min));
}

TEST_F(ManagedRotation, LeafSwitchWaitsForUnwritableBundle) {
  start_three();
  world_.cluster.fail({.verb = kube::Verb::kPatch, .path = "mutatingwebhook", .client = ""},
                      {.kind = Fault::Kind::kStatus, .status = 403, .reason = "Forbidden"},
                      100'000);
  world_.annotate("ca");
  ASSERT_TRUE(reach(Phase::kPublishing));
  world_.pass(3min);
  EXPECT_EQ(world_.phase(), Phase::kPublishing);
  EXPECT_TRUE(world_.all_serve(old_leaf_));
  // One line for all attempts.
  EXPECT_EQ(world_.logger.count("writing a caBundle failed; tried again until it succeeds"), 1U);
}

TEST_F(ManagedRotation, ForeignCaIsServedOnceBundlesHaveIt) {
  start_three();
  // For example the Secret of a backup: valid, but with another CA.
  const auto other = new_content(managed_settings("x"), world_.clock.wall()).value();
  world_.set_secret(encode_secret(other, {}, managed_settings()));
  ASSERT_TRUE(world_.pass_until([&] { return world_.all_serve(other.leaf->leaf.fingerprint); }));
  EXPECT_EQ(world_.replica(0).figures().refused.load(), 0U);
  ASSERT_TRUE(world_.pass_until([&] { return cas_in_bundles() == 1; }));
  EXPECT_THAT(world_.bundles(), Each(other.ca.pair.certificate_pem));
}

}  // namespace
}  // namespace dynamo::test
