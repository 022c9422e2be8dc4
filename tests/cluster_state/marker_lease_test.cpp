// The marker Lease of a restricted server against an API server: acquired, shared, lost, released.
#include "cluster/marker_lease.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "tests/cluster_state/cluster_fixture.hpp"

namespace dynamo::cluster {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kUs = "namespace-restricted-operator-1.2.3";

class MarkerLeaseTest : public ClusterFixture {
 protected:
  explicit MarkerLeaseTest(std::chrono::nanoseconds interval = 10s,
                           std::chrono::seconds duration = 30s)
      : options_{.namespace_name = "team-a",
                 .identity = marker_identity("1.2.3"),
                 .duration = duration,
                 .interval = interval},
        marker_(make(*transport_, options_)) {}
  ~MarkerLeaseTest() override { tasks_.stop(); }

  std::unique_ptr<MarkerLease> make(kube::Transport& transport, const MarkerLeaseOptions& options) {
    return std::make_unique<MarkerLease>(
        loop_, transport, options, clock_, logger_,
        [this](const MarkerLeaseLoss& end) { ends_.push_back(end); });
  }

  void start() {
    tasks_.spawn("marker", [this] { return marker_->run(); });
  }
  bool start_and_hold() {
    start();
    return comes_true([this] { return marker_->is_held(); });
  }

  // Stops the renewals and then releases the Lease, as a server shutdown does.
  void stop_cleanly() {
    tasks_.stop();
    aio::TaskGroup last(loop_, logger_);
    bool done = false;
    last.spawn("release", [&]() -> aio::Task<> {
      co_await marker_->release();
      done = true;
    });
    EXPECT_TRUE(comes_true([&] { return done; }));
  }

  std::vector<MarkerLeaseLoss> ends_;
  const MarkerLeaseOptions options_;
  const std::unique_ptr<MarkerLease> marker_;
};

// Renews every millisecond and tolerates more failures than any test causes.
class FastMarkerLeaseTest : public MarkerLeaseTest {
 protected:
  FastMarkerLeaseTest() : MarkerLeaseTest(1ms) {}
};

TEST_F(MarkerLeaseTest, FirstLeaseHasRenewTime) {
  ASSERT_TRUE(start_and_hold());
  EXPECT_EQ(
      record("team-a"),
      (LeaseRecord{.holder = std::string(kUs), .renew_time = clock_.wall(), .duration = 30s}));
  EXPECT_EQ(cluster_.count({.method = kube::HttpMethod::kPost}), 1U);
  EXPECT_EQ(logger_.count("marker lease held"), 1U);
  EXPECT_EQ(marker_->renewals(), 1U);
}

TEST_F(FastMarkerLeaseTest, IsRenewedPeriodically) {
  ASSERT_TRUE(start_and_hold());
  clock_.tick(10s);
  EXPECT_TRUE(comes_true([this] { return record("team-a").renew_time == clock_.wall(); }));
  EXPECT_EQ(logger_.count("marker lease held"), 1U);
  EXPECT_TRUE(ends_.empty());
}

TEST_F(FastMarkerLeaseTest, IsRecreatedAfterDeletion) {
  ASSERT_TRUE(start_and_hold());
  cluster_.erase(kube::kLeases, "team-a", admission::kNamespaceScopeLease);
  EXPECT_TRUE(comes_true([this] { return lease("team-a").has_value(); }));
  EXPECT_EQ(record("team-a").holder, kUs);
  EXPECT_TRUE(ends_.empty());
}

TEST_F(FastMarkerLeaseTest, OtherLiveHolderIsReportedOncePerHour) {
  put_lease("team-a", "namespace-restricted-operator-0.9.0", clock_.wall() - 29s);
  start();
  ASSERT_TRUE(comes_true([this] { return marker_->conflicts() >= 20; }));
  EXPECT_TRUE(ends_.empty());
  EXPECT_TRUE(marker_->is_settled());  // settled by another holder; startup does not wait
  EXPECT_FALSE(marker_->is_held());
  EXPECT_EQ(marker_->failures(), 0U);
  EXPECT_EQ(record("team-a").holder, "namespace-restricted-operator-0.9.0");
  ASSERT_EQ(logger_.lines().size(), 1U);
  EXPECT_EQ(logger_.lines().front().message,
            "marker lease has another holder; its namespace is still validated");
  EXPECT_EQ(marker_->last_error(),
            "lease team-a/dynamo-operator-namespace-scope is held by "
            "\"namespace-restricted-operator-0.9.0\", we are namespace-restricted-operator-1.2.3: "
            "if that is an operator of yours, stop it or give its version as --operator-version; "
            "if not, delete the Lease and let only operators write it (deploy/policies)");

  put_lease("team-a", "namespace-restricted-operator-0.9.0", clock_.wall() + 1h);
  clock_.tick(1h);
  const std::uint64_t before = marker_->conflicts();
  ASSERT_TRUE(comes_true([&] { return marker_->conflicts() >= before + 20; }));
  EXPECT_EQ(logger_.lines().size(), 2U);
}

TEST_F(MarkerLeaseTest, ExpiredLeaseOfAnotherHolderIsTakenOver) {
  put_lease("team-a", "them", clock_.wall() - 30s);
  ASSERT_TRUE(start_and_hold());
  EXPECT_EQ(record("team-a").holder, kUs);
  EXPECT_EQ(lease("team-a")->root()["spec"]["leaseTransitions"].integer(), 1);
}

// Every account that may write Leases in the namespace can do this indefinitely.
TEST_F(FastMarkerLeaseTest, LostLeaseDoesNotStopTheServer) {
  ASSERT_TRUE(start_and_hold());
  put_lease("team-a", "them", clock_.wall());
  ASSERT_TRUE(comes_true([this] { return marker_->conflicts() >= 20; }));
  EXPECT_TRUE(ends_.empty());
  EXPECT_FALSE(marker_->is_held());
  EXPECT_EQ(record("team-a").holder, "them");
  stop_cleanly();  // not ours to delete
  EXPECT_EQ(record("team-a").holder, "them");
}

TEST_F(FastMarkerLeaseTest, IsReacquiredAfterOtherHolderDeletesIt) {
  ASSERT_TRUE(start_and_hold());
  put_lease("team-a", "them", clock_.wall());
  ASSERT_TRUE(comes_true([this] { return !marker_->is_held(); }));
  clock_.tick(30s);
  ASSERT_TRUE(comes_true([this] { return marker_->is_held(); }));
  EXPECT_EQ(record("team-a").holder, kUs);
  EXPECT_EQ(marker_->last_error(), "");
}

// An untrusted Lease is taken over however often it is restored, and reported once.
TEST_F(FastMarkerLeaseTest, ForgedLeaseIsTakenOverEachTime) {
  start();
  for (std::uint64_t round = 1; round <= 5; ++round) {
    ASSERT_TRUE(comes_true([this] { return record("team-a").holder == kUs; }));
    put_lease("team-a", "them", clock_.wall() + 24h);
    ASSERT_TRUE(comes_true([&] { return marker_->conflicts() == round; }));
  }
  EXPECT_TRUE(ends_.empty());
  EXPECT_EQ(logger_.count("marker lease of another holder not trusted"), 1U);
}

// Another client always writes between our read and our write.
TEST_F(FastMarkerLeaseTest, RepeatedConflictsDoNotStopTheServer) {
  ASSERT_TRUE(start_and_hold());
  for (int times = 0; times < 60; ++times) {
    cluster_.fail({.method = kube::HttpMethod::kPut},
                  {.kind = test::Fault::Kind::kStatus, .status = 409, .reason = "Conflict"});
  }
  ASSERT_TRUE(comes_true([this] { return marker_->conflicts() == 20; }));  // three attempts each
  EXPECT_TRUE(ends_.empty());
  EXPECT_EQ(marker_->failures(), 0U);
  EXPECT_TRUE(comes_true([this] { return marker_->conflicts() == 20 && marker_->is_held(); }));
}

TEST_F(FastMarkerLeaseTest, RetriesUntilApiServerAnswersLoggingOnce) {
  cluster_.set_reachable(false);
  start();
  ASSERT_TRUE(comes_true([this] { return marker_->failures() >= 100; }));
  EXPECT_TRUE(ends_.empty());
  EXPECT_FALSE(marker_->is_held());
  EXPECT_FALSE(marker_->is_settled());
  EXPECT_NE(marker_->last_error(), "");
  EXPECT_EQ(logger_.count("marker lease not held yet"), 1U);
  cluster_.set_reachable(true);
  EXPECT_TRUE(comes_true([this] { return marker_->is_held(); }));
  EXPECT_EQ(marker_->last_error(), "");
}

TEST_F(MarkerLeaseTest, MissingPermissionIsNamedAndLeaseNotHeld) {
  cluster_.forbid("create", "leases");
  start();
  ASSERT_TRUE(comes_true([this] { return marker_->failures() > 0; }));
  EXPECT_NE(marker_->last_error().find("create leases.coordination.k8s.io"), std::string::npos)
      << marker_->last_error();
  EXPECT_NE(marker_->last_error().find("Forbidden"), std::string::npos);
}

// Tolerates two failures.
class FailingMarkerLeaseTest : public MarkerLeaseTest {
 protected:
  FailingMarkerLeaseTest() : MarkerLeaseTest(300ms, 1s) {}
};

TEST_F(FailingMarkerLeaseTest, TooManyConsecutiveFailuresStopTheServer) {
  ASSERT_TRUE(start_and_hold());
  // A single failure is tolerated: the next renewal succeeds.
  cluster_.fail({.method = kube::HttpMethod::kPut},
                {.kind = test::Fault::Kind::kStatus, .status = 500});
  ASSERT_TRUE(comes_true([this] { return marker_->renewals() == 2; }));
  EXPECT_EQ(marker_->failures(), 1U);
  EXPECT_EQ(logger_.count("marker lease not renewed"), 1U);
  EXPECT_EQ(logger_.count("marker lease renewed again"), 1U);
  EXPECT_TRUE(ends_.empty());

  cluster_.set_reachable(false);
  ASSERT_TRUE(comes_true([this] { return !ends_.empty(); }));
  EXPECT_EQ(marker_->failures(), 3U);  // 1 s / 300 ms - 1
  EXPECT_NE(ends_.front().text.find("must be renewed every 300 ms; 2 tries in a row failed"),
            std::string::npos)
      << ends_.front().text;
  EXPECT_EQ(logger_.count("marker lease lost"), 1U);
}

TEST_F(MarkerLeaseTest, IsDeletedOnCleanStop) {
  ASSERT_TRUE(start_and_hold());
  stop_cleanly();
  EXPECT_FALSE(lease("team-a"));
  EXPECT_EQ(logger_.count("marker lease deleted"), 1U);
}

// The response to a successful write is lost; the server must not take its own write for another
// replica's.
TEST_F(FailingMarkerLeaseTest, IsDeletedOnCleanStopAfterUnacknowledgedRenewal) {
  ASSERT_TRUE(start_and_hold());
  clock_.tick(1s);
  cluster_.fail({.method = kube::HttpMethod::kPut}, {.kind = test::Fault::Kind::kLostAnswer});
  ASSERT_TRUE(comes_true([this] { return marker_->failures() == 1; }));
  ASSERT_EQ(record("team-a").renew_time, clock_.wall());
  stop_cleanly();
  EXPECT_FALSE(lease("team-a"));
}

TEST_F(FailingMarkerLeaseTest, IsDeletedOnCleanStopAfterLostAnswer) {
  ASSERT_TRUE(start_and_hold());
  clock_.tick(1s);
  cluster_.fail({.method = kube::HttpMethod::kPut}, {.kind = test::Fault::Kind::kLostAnswer});
  ASSERT_TRUE(comes_true([this] { return marker_->failures() == 1; }));
  ASSERT_TRUE(comes_true([this] { return marker_->renewals() == 2; }));
  stop_cleanly();
  EXPECT_FALSE(lease("team-a"));
}

TEST_F(MarkerLeaseTest, IsDeletedOnCleanStopAfterUnacknowledgedCreation) {
  cluster_.fail({.method = kube::HttpMethod::kPost}, {.kind = test::Fault::Kind::kLostAnswer});
  start();
  ASSERT_TRUE(comes_true([this] { return marker_->failures() == 1; }));
  ASSERT_TRUE(lease("team-a"));
  stop_cleanly();
  EXPECT_FALSE(lease("team-a"));
}

TEST_F(MarkerLeaseTest, CleanStopToleratesMissingLease) {
  ASSERT_TRUE(start_and_hold());
  cluster_.erase(kube::kLeases, "team-a", admission::kNamespaceScopeLease);
  stop_cleanly();
  EXPECT_EQ(logger_.count("marker lease deleted"), 1U);
}

TEST_F(MarkerLeaseTest, ExpiresIfDeletionFails) {
  ASSERT_TRUE(start_and_hold());
  cluster_.set_reachable(false);
  stop_cleanly();
  EXPECT_EQ(logger_.count("marker lease left behind; it expires by itself"), 1U);
}

TEST_F(MarkerLeaseTest, NeverHeldIsNotDeleted) {
  cluster_.set_reachable(false);
  start();
  ASSERT_TRUE(comes_true([this] { return marker_->failures() > 0; }));
  cluster_.set_reachable(true);
  put_lease("team-a", kUs, clock_.wall());
  stop_cleanly();
  EXPECT_TRUE(lease("team-a"));
}

TEST_F(FastMarkerLeaseTest, IsSharedByReplicasOfOneServer) {
  auto other_transport = cluster_.connect("other");
  const auto other = make(*other_transport, options_);
  start();
  tasks_.spawn("other", [&] { return other->run(); });
  ASSERT_TRUE(comes_true([&] { return marker_->renewals() > 20 && other->renewals() > 20; }));
  EXPECT_TRUE(ends_.empty());
  EXPECT_TRUE(marker_->is_held());
  EXPECT_TRUE(other->is_held());
  tasks_.stop();
}

TEST_F(MarkerLeaseTest, IsKeptIfAnotherReplicaRenewedIt) {
  ASSERT_TRUE(start_and_hold());
  clock_.tick(1s);
  put_lease("team-a", kUs, clock_.wall());  // another replica, after our last read
  stop_cleanly();
  EXPECT_TRUE(lease("team-a"));
  EXPECT_EQ(logger_.count("marker lease left to another replica"), 1U);
}

TEST_F(FastMarkerLeaseTest, IsKeptIfAnotherReplicaWasSeenRecently) {
  ASSERT_TRUE(start_and_hold());
  clock_.tick(1s);
  put_lease("team-a", kUs, clock_.wall() - 1us);
  const std::uint64_t renewals = marker_->renewals();
  ASSERT_TRUE(comes_true([&] { return marker_->renewals() > renewals + 1; }));
  stop_cleanly();
  EXPECT_TRUE(lease("team-a"));
}

TEST_F(FastMarkerLeaseTest, IsDeletedAfterOtherReplicaMissedTwoRenewals) {
  ASSERT_TRUE(start_and_hold());
  clock_.tick(1s);
  put_lease("team-a", kUs, clock_.wall() - 1us);
  const std::uint64_t renewals = marker_->renewals();
  ASSERT_TRUE(comes_true([&] { return marker_->renewals() > renewals + 1; }));
  clock_.tick(1s);
  const std::uint64_t later = marker_->renewals();
  ASSERT_TRUE(comes_true([&] { return marker_->renewals() > later + 1; }));
  stop_cleanly();
  EXPECT_FALSE(lease("team-a"));
}

TEST_F(MarkerLeaseTest, OnlyOneOfTwoSimultaneousServersAcquiresIt) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(seed);
    if (lease("team-a")) {
      cluster_.erase(kube::kLeases, "team-a", admission::kNamespaceScopeLease);
    }
    cluster_.interleave(seed);
    std::vector<std::unique_ptr<kube::Transport>> transports;
    std::vector<std::unique_ptr<MarkerLease>> markers;
    aio::TaskGroup group(loop_, logger_);
    for (const std::string name : {"us", "them"}) {
      transports.push_back(cluster_.connect(name));
      MarkerLeaseOptions options{.namespace_name = "team-a", .identity = name};
      markers.push_back(make(*transports.back(), options));
      group.spawn(name, [marker = markers.back().get()] { return marker->run(); });
    }
    ASSERT_TRUE(comes_true([&] { return markers[0]->is_settled() && markers[1]->is_settled(); }));
    EXPECT_NE(markers[0]->is_held(), markers[1]->is_held());
    EXPECT_TRUE(ends_.empty());
    group.stop();
  }
}

}  // namespace
}  // namespace dynamo::cluster
