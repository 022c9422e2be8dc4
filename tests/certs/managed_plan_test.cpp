#include "certs/managed/plan.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <string>

#include "tests/certs/managed_support.hpp"
#include "tests/support/fake_clock.hpp"

namespace dynamo::test {
namespace {

using certs::TimePoint;
using certs::managed::Content;
using certs::managed::ObservedState;
using certs::managed::PlannedChange;
using certs::managed::SecretStep;
using certs::managed::Settings;
using certs::managed::WriteCause;

const TimePoint kNow = FakeClock().wall();

// A replica with a Secret in a given phase, at a given day of it.
class ManagedPlan : public ::testing::Test {
 protected:
  ManagedPlan()
      : steady_(new_content(settings_, kNow).value()),
        publishing_(publish_next(steady_, settings_, kNow).value()),
        retiring_(switch_to_next(publishing_, settings_, kNow).value()) {}

  static ObservedState seen(const Content& content, bool is_leader = true) {
    ObservedState observed;
    observed.secret.content = content;
    observed.secret.ca = content.ca;
    observed.is_leader = is_leader;
    observed.any_configuration = true;
    return observed;
  }
  static ObservedState broken(certs::managed::Fault fault) {
    ObservedState observed;
    observed.secret.flaw = certs::managed::Flaw{fault, "it is broken"};
    return observed;
  }
  PlannedChange decide(const ObservedState& observed, TimePoint now = kNow,
                       const Content* remembered = nullptr) const {
    return plan(observed, remembered, settings_, now);
  }

  Settings settings_ = managed_settings();
  Content steady_;
  Content publishing_;
  Content retiring_;
};

TEST_F(ManagedPlan, FirstStartCreatesEverything) {
  const PlannedChange planned = decide(broken(certs::managed::Fault::kMissing));
  EXPECT_EQ(planned.step, SecretStep::kCreateAll);
  EXPECT_EQ(planned.cause, WriteCause::kMissing);
}

TEST_F(ManagedPlan, ValidSecretIsUnchanged) {
  EXPECT_EQ(decide(seen(steady_)).step, SecretStep::kNothing);
}

TEST_F(ManagedPlan, RememberedContentIsRestoredAfterAnyFault) {
  using certs::managed::Fault;
  for (const Fault fault :
       {Fault::kMissing, Fault::kCorrupt, Fault::kMismatched, Fault::kForeign}) {
    const PlannedChange planned = decide(broken(fault), kNow, &steady_);
    EXPECT_EQ(planned.step, SecretStep::kRestore);
    EXPECT_EQ(static_cast<int>(planned.cause), static_cast<int>(fault));
    EXPECT_EQ(planned.text, "it is broken");
    EXPECT_TRUE(planned.is_replacement());
  }
}

TEST_F(ManagedPlan, ExpiredRememberedContentIsNotRestored) {
  const TimePoint later = steady_.leaf->leaf.not_after + 1s;
  EXPECT_EQ(decide(broken(certs::managed::Fault::kCorrupt), later, &steady_).step,
            SecretStep::kCreateAll);
}

TEST_F(ManagedPlan, BadLeafOfValidCaIsRenewed) {
  ObservedState observed = broken(certs::managed::Fault::kCorrupt);
  observed.secret.ca = steady_.ca;
  EXPECT_EQ(decide(observed).step, SecretStep::kRenewLeaf);
}

TEST_F(ManagedPlan, DamagedRotationIsRestoredOrAborted) {
  ObservedState observed = seen(steady_);
  observed.secret.flaw = certs::managed::Flaw{certs::managed::Fault::kMismatched, "broken"};
  EXPECT_EQ(decide(observed, kNow, &publishing_).step, SecretStep::kRestore);
  EXPECT_EQ(decide(observed, kNow, &retiring_).step, SecretStep::kRepair);
  EXPECT_EQ(decide(observed).step, SecretStep::kRepair);
}

TEST_F(ManagedPlan, LeafIsRenewedAtTwoThirdsWithJitter) {
  std::set<TimePoint> moments;
  for (int i = 0; i < 50; ++i) {
    settings_.identity = "replica-" + std::to_string(i);
    const TimePoint moment = renew_leaf_at(steady_.leaf->leaf, settings_);
    EXPECT_GE(moment, kNow + 60 * kDay);
    EXPECT_LE(moment, kNow + 60 * kDay + 90 * kDay / 50);
    moments.insert(moment);
    EXPECT_EQ(decide(seen(steady_), moment - 1s).step, SecretStep::kNothing);
    const PlannedChange planned = decide(seen(steady_, false), moment);
    EXPECT_EQ(planned.step, SecretStep::kRenewLeaf);
    EXPECT_EQ(planned.cause, WriteCause::kRenewal);
  }
  EXPECT_GT(moments.size(), 40U);
}

TEST_F(ManagedPlan, FiveMinutesOfClockSkewReplaceNothing) {
  for (const Content* const content : {&steady_, &publishing_, &retiring_}) {
    EXPECT_EQ(decide(seen(*content), kNow - 5min).step, SecretStep::kNothing);
    EXPECT_EQ(decide(seen(*content), kNow + 5min).step, SecretStep::kNothing);
  }
}

TEST_F(ManagedPlan, FutureCertificateIsReplacedLikeExpiredOne) {
  EXPECT_EQ(decide(seen(steady_), kNow - 10min).step, SecretStep::kNothing);
  const TimePoint early = kNow - 10min - 1s;
  const PlannedChange ca = decide(seen(steady_, false), early, &steady_);
  EXPECT_EQ(ca.step, SecretStep::kCreateAll);
  EXPECT_EQ(ca.cause, WriteCause::kExpired);
  EXPECT_NE(ca.text.find("the CA in ca.crt: is not valid before "), std::string::npos) << ca.text;
  Content later = steady_;
  later.leaf = new_leaf(later.ca, settings_, kNow + kDay).value();
  const PlannedChange leaf = decide(seen(later, false));
  EXPECT_EQ(leaf.step, SecretStep::kRenewLeaf);
  EXPECT_EQ(leaf.cause, WriteCause::kExpired);
  EXPECT_NE(leaf.text.find("tls.crt: is not valid before "), std::string::npos) << leaf.text;
}

TEST_F(ManagedPlan, FutureRememberedContentIsNotRestored) {
  const TimePoint early = kNow - 10min - 1s;
  EXPECT_EQ(decide(broken(certs::managed::Fault::kCorrupt), early, &steady_).step,
            SecretStep::kCreateAll);
  Content later = steady_;
  later.leaf = new_leaf(later.ca, settings_, kNow + kDay).value();
  EXPECT_EQ(decide(broken(certs::managed::Fault::kCorrupt), kNow, &later).step,
            SecretStep::kCreateAll);
}

TEST_F(ManagedPlan, FutureNextCaIsReplacedBeforeItSigns) {
  ObservedState observed = seen(publish_next(steady_, settings_, kNow + kDay).value());
  observed.published_for = settings_.settle;
  EXPECT_EQ(decide(observed).step, SecretStep::kPublishNext);
  EXPECT_EQ(decide(observed).cause, WriteCause::kExpired);
  observed.is_leader = false;
  EXPECT_EQ(decide(observed).step, SecretStep::kNothing);
}

TEST_F(ManagedPlan, ExpiredLeafIsRenewedAndExpiredCaReplaced) {
  const PlannedChange leaf = decide(seen(steady_, false), steady_.leaf->leaf.not_after + 1s);
  EXPECT_EQ(leaf.step, SecretStep::kRenewLeaf);
  EXPECT_EQ(leaf.cause, WriteCause::kExpired);
  const PlannedChange ca = decide(seen(steady_, false), steady_.ca.facts.not_after + 1s, &steady_);
  EXPECT_EQ(ca.step, SecretStep::kCreateAll);
  EXPECT_EQ(ca.cause, WriteCause::kExpired);
  EXPECT_NE(ca.text.find("expired 1s ago"), std::string::npos) << ca.text;
}

TEST_F(ManagedPlan, MissingNameCausesLeafRenewal) {
  settings_.cluster_domain = "other.example";
  const PlannedChange planned = decide(seen(steady_, false));
  EXPECT_EQ(planned.step, SecretStep::kRenewLeaf);
  EXPECT_EQ(planned.cause, WriteCause::kNames);
}

TEST_F(ManagedPlan, AnnotationRequestsRotation) {
  ObservedState leaf = seen(steady_, false);
  leaf.secret.rotate_leaf = true;
  EXPECT_EQ(decide(leaf).step, SecretStep::kRenewLeaf);
  EXPECT_EQ(decide(leaf).cause, WriteCause::kRequested);
  ObservedState ca = seen(steady_);
  ca.secret.rotate_ca = true;
  EXPECT_EQ(decide(ca).step, SecretStep::kPublishNext);
  EXPECT_EQ(decide(ca).cause, WriteCause::kRequested);
}

TEST_F(ManagedPlan, OnlyLeaderStartsCaRotationYearsEarly) {
  const TimePoint moment = kNow + 3650 * kDay * 4 / 5;
  // Its leaf is new.
  Content late = steady_;
  late.leaf = new_leaf(late.ca, settings_, moment).value();
  EXPECT_EQ(decide(seen(late), moment - 1s).step, SecretStep::kNothing);
  EXPECT_EQ(decide(seen(late), moment).step, SecretStep::kPublishNext);
  EXPECT_EQ(decide(seen(late, false), moment).step, SecretStep::kNothing);
}

TEST_F(ManagedPlan, LeafSwitchesAfterBothCasSettledEverywhere) {
  ObservedState observed = seen(publishing_);
  EXPECT_EQ(decide(observed).step, SecretStep::kNothing);
  observed.published_for = settings_.settle - 1ms;
  EXPECT_EQ(decide(observed).step, SecretStep::kNothing);
  observed.published_for = settings_.settle;
  EXPECT_EQ(decide(observed).step, SecretStep::kSwitchLeaf);
  observed.is_leader = false;
  EXPECT_EQ(decide(observed).step, SecretStep::kNothing);
}

TEST_F(ManagedPlan, LeafSwitchesAfterOneDayWithoutConfiguration) {
  ObservedState observed = seen(publishing_);
  observed.any_configuration = false;
  observed.published_for = settings_.settle;
  EXPECT_EQ(decide(observed, kNow + kDay - 1s).step, SecretStep::kNothing);
  EXPECT_EQ(decide(observed, kNow + kDay).step, SecretStep::kSwitchLeaf);
  observed.published_for.reset();  // nothing was listed yet
  EXPECT_EQ(decide(observed, kNow + kDay).step, SecretStep::kNothing);
}

TEST_F(ManagedPlan, OldCaIsRemovedAfterAllReplicasSwitched) {
  ObservedState observed = seen(retiring_);
  EXPECT_EQ(decide(observed).step, SecretStep::kNothing);
  observed.switched_for = settings_.settle - 1ms;
  EXPECT_EQ(decide(observed).step, SecretStep::kNothing);
  observed.switched_for = settings_.settle;
  EXPECT_EQ(decide(observed).step, SecretStep::kDropPrevious);
  observed.is_leader = false;
  EXPECT_EQ(decide(observed).step, SecretStep::kNothing);
}

TEST_F(ManagedPlan, LeafIsRenewedDuringRotation) {
  EXPECT_EQ(decide(seen(publishing_, false), kNow + 62 * kDay).step, SecretStep::kRenewLeaf);
  EXPECT_EQ(decide(seen(retiring_, false), kNow + 62 * kDay).step, SecretStep::kRenewLeaf);
}

}  // namespace
}  // namespace dynamo::test
