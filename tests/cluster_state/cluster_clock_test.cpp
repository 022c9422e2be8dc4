// Leases are evaluated with the API server's time if the local clock is wrong.
#include "cluster/cluster_clock.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string_view>

#include "cluster/lease_watch.hpp"
#include "cluster/marker_lease.hpp"
#include "kube/cache/informer.hpp"
#include "tests/cluster_state/cluster_fixture.hpp"

namespace dynamo::cluster {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kWarning =
    "the clock differs from the API server's, by which leases and certificates are evaluated now";

class ClusterClockTest : public ClusterFixture {
 protected:
  // The local clock, ahead of the cluster's clock by a fixed offset.
  class OwnClock final : public runtime::Clock {
   public:
    OwnClock(const runtime::Clock& cluster, std::chrono::milliseconds ahead)
        : cluster_(cluster), ahead_(ahead) {}
    std::chrono::system_clock::time_point wall() const override { return cluster_.wall() + ahead_; }
    std::chrono::steady_clock::time_point monotonic() const override {
      return cluster_.monotonic();
    }
    // Other clocks do not advance while the machine is suspended.
    std::chrono::nanoseconds since_boot() const override { return cluster_.since_boot() + asleep_; }
    void suspend(std::chrono::seconds by) {
      asleep_ += by;
      ahead_ += by;
    }
    void set_ahead(std::chrono::milliseconds ahead) { ahead_ = ahead; }

   private:
    const runtime::Clock& cluster_;
    std::chrono::milliseconds ahead_;
    std::chrono::seconds asleep_{0};
  };

  ~ClusterClockTest() override { tasks_.stop(); }

  std::chrono::seconds error() const {
    return std::chrono::round<std::chrono::seconds>(corrected_.wall() - clock_.wall());
  }
  void hear(std::chrono::nanoseconds took = 10ms) {
    corrected_.observe(std::chrono::floor<std::chrono::seconds>(clock_.wall()), took);
  }

  OwnClock own_{clock_, 0s};
  ClusterClock corrected_{own_, logger_};
};

TEST_F(ClusterClockTest, UsesLocalTimeWhileClocksAgree) {
  for (const auto ahead : {0s, 4s, -4s}) {
    own_.set_ahead(ahead);
    hear();
    EXPECT_EQ(corrected_.wall(), own_.wall());
    EXPECT_EQ(corrected_.correction(), 0s);
  }
  EXPECT_EQ(logger_.lines().size(), 0U);
}

TEST_F(ClusterClockTest, WrongLocalClockIsReplacedAndLoggedOnce) {
  for (const auto ahead : {300s, -300s}) {
    own_.set_ahead(ahead);
    for (int i = 0; i < 20; ++i) {
      hear();
      EXPECT_LE(std::chrono::abs(error()), 1s);
      clock_.tick(730ms);
    }
  }
  EXPECT_EQ(logger_.count(kWarning), 2U);
  own_.set_ahead(0s);
  hear();
  EXPECT_EQ(corrected_.wall(), own_.wall());
  EXPECT_EQ(logger_.count("the clock agrees with the API server's again"), 1U);
}

// With a resolution of whole seconds, such an offset would alternate between tolerated and
// corrected.
TEST_F(ClusterClockTest, CorrectionDoesNotFlap) {
  for (const auto ahead : {5500ms, -5500ms}) {
    own_.set_ahead(0ms);
    hear();
    own_.set_ahead(ahead);
    int jumps = 0;
    for (int i = 0; i < 20; ++i) {
      const auto before = corrected_.wall();
      clock_.tick(730ms);
      hear();
      if (std::chrono::abs(corrected_.wall() - before - 730ms) > 1s) ++jumps;
    }
    EXPECT_LE(jumps, 2) << ahead.count();
  }
  EXPECT_EQ(logger_.count(kWarning), 2U);
}

// The local clock gets corrected, or becomes wrong, in both directions, before the API server
// answers again.
TEST_F(ClusterClockTest, LocalClockChangeNeedsServerAnswer) {
  const struct {
    std::chrono::seconds before;
    std::chrono::seconds after;
  } rows[] = {{300s, 0s}, {-300s, 0s}, {0s, 300s}, {0s, -300s}, {300s, -300s}, {4s, 86'400s}};
  for (const auto& row : rows) {
    SCOPED_TRACE(std::to_string(row.before.count()) + " to " + std::to_string(row.after.count()));
    own_.set_ahead(row.before);
    hear();
    const auto error_before = error();
    EXPECT_LE(std::chrono::abs(error_before), ClusterClock::kTolerated);
    own_.set_ahead(row.after);
    EXPECT_EQ(error(), error_before);
    clock_.tick(1h);
    EXPECT_EQ(error(), error_before);
    hear();
    EXPECT_LE(std::chrono::abs(error()), ClusterClock::kTolerated);
  }
}

TEST_F(ClusterClockTest, CountsSuspendedTime) {
  for (const auto ahead : {0s, 300s}) {
    own_.set_ahead(ahead);
    hear();
    const auto before = corrected_.wall();
    own_.suspend(600s);
    EXPECT_EQ(corrected_.wall() - before, 600s);
  }
}

TEST_F(ClusterClockTest, UsesLocalTimeBeforeFirstAnswer) {
  own_.set_ahead(300s);
  EXPECT_EQ(corrected_.wall(), own_.wall());
  own_.set_ahead(-300s);
  EXPECT_EQ(corrected_.wall(), own_.wall());
}

TEST_F(ClusterClockTest, IgnoresSlowAnswers) {
  own_.set_ahead(300s);
  hear(3s);
  EXPECT_EQ(corrected_.correction(), 0s);
}

class WrongClockTest : public ClusterClockTest,
                       public ::testing::WithParamInterface<std::chrono::seconds> {
 protected:
  WrongClockTest() { own_.set_ahead(GetParam()); }

  ClockSyncTransport listening_{cluster_.connect("listening"), corrected_};
};

TEST_P(WrongClockTest, DistinguishesLiveFromExpiredLeases) {
  put_lease("alive", "operator-a", clock_.wall() - 1s);
  put_lease("dead", "operator-b", clock_.wall() - 40s);
  kube::Client client(listening_);
  LeaseWatch::RcuCell published{std::make_unique<const admission::NoNamespaceLeases>()};
  LeaseWatch watch(loop_, published, logger_, 1ms);
  kube::Informer informer(client, kube::kLeases, lease_informer_options(), watch, logger_);
  tasks_.spawn("informer", [&] { return informer.run(); });
  ASSERT_TRUE(comes_true([&] { return informer.is_synced(); }));
  const auto is_live = [&](std::string_view namespace_name) {
    return admission::is_live(*published.read()->find(namespace_name), corrected_.wall());
  };
  EXPECT_TRUE(is_live("alive"));
  EXPECT_FALSE(is_live("dead"));
  clock_.tick(31s);
  EXPECT_FALSE(is_live("alive"));
  tasks_.stop();
}

TEST_P(WrongClockTest, KeepsLiveLeasesAndRenewsWithServerTime) {
  put_lease("team-a", "operator-a", clock_.wall() - 1s);
  MarkerLeaseOptions options{.namespace_name = "team-a", .identity = "us"};
  options.interval = 1ms;
  MarkerLease marker(loop_, listening_, options, corrected_, logger_,
                     [](const MarkerLeaseLoss&) {});
  tasks_.spawn("marker", [&] { return marker.run(); });
  ASSERT_TRUE(comes_true([&] { return marker.conflicts() >= 3; }));
  EXPECT_FALSE(marker.is_held());
  EXPECT_EQ(record("team-a").holder, "operator-a");
  tasks_.stop();

  clock_.tick(60s);
  MarkerLease second(loop_, listening_, options, corrected_, logger_,
                     [](const MarkerLeaseLoss&) {});
  aio::TaskGroup tasks(loop_, logger_);
  tasks.spawn("marker", [&] { return second.run(); });
  ASSERT_TRUE(comes_true([&] { return second.renewals() > 0; }));
  tasks.stop();
  EXPECT_EQ(record("team-a").holder, "us");
  EXPECT_LE(std::chrono::abs(*record("team-a").renew_time - clock_.wall()), 2s);
}

INSTANTIATE_TEST_SUITE_P(Of, WrongClockTest, ::testing::Values(0s, 300s, -300s),
                         [](const auto& row) {
                           if (row.param == 0s) return std::string("NoError");
                           return std::string(row.param > 0s ? "Ahead" : "Behind");
                         });

}  // namespace
}  // namespace dynamo::cluster
