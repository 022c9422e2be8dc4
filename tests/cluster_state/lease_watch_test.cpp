// The marker Leases of a cluster as requests see them, from the first list to a broken watch.
#include "cluster/lease_watch.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <span>
#include <string>
#include <string_view>

#include "kube/cache/informer.hpp"
#include "tests/cluster_state/cluster_fixture.hpp"

namespace dynamo::cluster {
namespace {

using namespace std::chrono_literals;

class LeaseWatchTest : public ClusterFixture {
 protected:
  ~LeaseWatchTest() override { tasks_.stop(); }

  void start() {
    tasks_.spawn("informer", [this] { return informer_.run(); });
    tasks_.spawn("publisher", [this] { return watch_.run(); });
  }

  // Looks up as a request does.
  bool is_leased(std::string_view namespace_name) const {
    const auto leases = published_.read();
    const auto lease = leases->find(namespace_name);
    return lease && is_live(*lease, clock_.wall());
  }

  static kube::InformerOptions informer_options() {
    kube::InformerOptions options = lease_informer_options();
    options.first_pause = 1ms;
    options.longest_pause = 1ms;
    return options;
  }

  kube::Client client_{*transport_};
  LeaseWatch::RcuCell published_{std::make_unique<const admission::NoNamespaceLeases>()};
  LeaseWatch watch_{loop_, published_, logger_, 1ms};
  kube::Informer informer_{client_, kube::kLeases, informer_options(), watch_, logger_};
};

TEST_F(LeaseWatchTest, ShowsEveryLeaseAfterFirstList) {
  put_lease("team-a", "operator-a", clock_.wall());
  put_lease("team-b", "operator-b", clock_.wall() - 1h);
  EXPECT_FALSE(is_leased("team-a"));
  start();
  ASSERT_TRUE(comes_true([this] { return informer_.is_synced(); }));
  EXPECT_TRUE(is_leased("team-a"));
  EXPECT_EQ(published_.read()->find("team-a")->holder, "operator-a");
  EXPECT_TRUE(published_.read()->find("team-b"));
  EXPECT_FALSE(is_leased("team-b"));
  EXPECT_FALSE(is_leased("team-c"));
  EXPECT_EQ(watch_.size(), 2U);
  EXPECT_EQ(watch_.live(clock_.wall()), 1U);
}

TEST_F(LeaseWatchTest, AsksTheServerForMarkersOnly) {
  cluster_.put(kube::kLeases, R"({"metadata":{"name":"leader","namespace":"team-a"},
      "spec":{"holderIdentity":"x","leaseDurationSeconds":30,
              "renewTime":"2026-02-03T04:05:06.000000Z"}})");
  start();
  ASSERT_TRUE(comes_true([this] { return informer_.is_watching(); }));
  EXPECT_EQ(watch_.size(), 0U);
  for (const test::Call& call : cluster_.calls()) {
    EXPECT_NE(call.target.find("fieldSelector=metadata.name%3Ddynamo-operator-namespace-scope"),
              std::string::npos)
        << call.target;
    EXPECT_TRUE(call.target.starts_with("/apis/coordination.k8s.io/v1/leases?")) << call.target;
  }
}

// A rewrite into the past does not hide that the Lease was live.
TEST_F(LeaseWatchTest, KeepsLeaseEndAfterRewriteIntoThePast) {
  const auto end = clock_.wall() + 30s;
  put_lease("team-a", "operator-a", clock_.wall());
  start();
  ASSERT_TRUE(comes_true([this] { return is_leased("team-a"); }));
  const auto unvalidated_until = [this] {
    return left_unvalidated_until(*published_.read()->find("team-a"), clock_.wall() + 1h);
  };
  for (const auto age : {24h, 48h}) {
    put_lease("team-a", "operator-a", clock_.wall() - age);
    ASSERT_TRUE(comes_true(
        [&] { return published_.read()->find("team-a")->renew_time == clock_.wall() - age; }));
    EXPECT_EQ(unvalidated_until(), end);
  }
  // A renewal moves the end.
  put_lease("team-a", "operator-a", clock_.wall() + 30s);
  ASSERT_TRUE(comes_true([this] { return is_leased("team-a"); }));
  EXPECT_EQ(unvalidated_until(), end + 30s);
}

TEST_F(LeaseWatchTest, FollowsNewRenewedAndDeletedLeases) {
  start();
  ASSERT_TRUE(comes_true([this] { return informer_.is_watching(); }));
  put_lease("team-a", "operator-a", clock_.wall());
  EXPECT_TRUE(comes_true([this] { return is_leased("team-a"); }));

  clock_.tick(30s);
  EXPECT_FALSE(is_leased("team-a"));
  put_lease("team-a", "operator-a", clock_.wall());
  EXPECT_TRUE(comes_true([this] { return is_leased("team-a"); }));

  cluster_.erase(kube::kLeases, "team-a", admission::kNamespaceScopeLease);
  EXPECT_TRUE(comes_true([this] { return !published_.read()->find("team-a"); }));
}

// Receives informer events directly, with a publishing interval that never ends.
class PacedLeaseWatchTest : public ClusterFixture {
 protected:
  PacedLeaseWatchTest() {
    tasks_.spawn("publisher", [this] { return watch_.run(); });
    loop_.poll();
  }
  ~PacedLeaseWatchTest() override { tasks_.stop(); }

  kube::Object object(std::string_view namespace_name, std::string_view holder) {
    put_lease(namespace_name, holder, clock_.wall());
    return *lease(namespace_name);
  }
  void upsert(const kube::Object& object) {
    watch_.upsert(object);
    loop_.poll();
  }

  LeaseWatch::RcuCell published_{std::make_unique<const admission::NoNamespaceLeases>()};
  LeaseWatch watch_{loop_, published_, logger_, 1h};
};

TEST_F(PacedLeaseWatchTest, PublishesFirstChangeImmediatelyAndBatchesLaterOnes) {
  upsert(object("team-0", "x"));
  EXPECT_TRUE(published_.read()->find("team-0"));
  for (int i = 1; i <= 100; ++i) upsert(object("team-" + std::to_string(i), "x"));
  EXPECT_EQ(watch_.size(), 101U);
  EXPECT_EQ(watch_.publications(), 1U);
}

TEST_F(PacedLeaseWatchTest, EventWithoutLeaseChangePublishesNothing) {
  const kube::Object lease = object("team-a", "x");
  watch_.replace(std::span(&lease, 1));
  EXPECT_EQ(watch_.publications(), 1U);
  upsert(lease);
  EXPECT_EQ(watch_.publications(), 1U);
  upsert(object("team-a", "y"));
  EXPECT_EQ(watch_.publications(), 2U);
  EXPECT_EQ(published_.read()->find("team-a")->holder, "y");
}

TEST_F(PacedLeaseWatchTest, IgnoresOtherLeases) {
  const kube::Object other = cluster_.put(
      kube::kLeases,
      R"({"metadata":{"name":"leader","namespace":"team-a"},"spec":{"holderIdentity":"x"}})");
  watch_.replace(std::span(&other, 1));
  upsert(other);
  EXPECT_EQ(watch_.size(), 0U);
  upsert(object("team-a", "x"));
  watch_.remove(other);
  EXPECT_EQ(watch_.size(), 1U);
}

TEST_F(LeaseWatchTest, KeepsLeasesUntilExpiryWhileServerIsUnreachable) {
  put_lease("team-a", "operator-a", clock_.wall());
  start();
  ASSERT_TRUE(comes_true([this] { return informer_.is_watching(); }));
  cluster_.set_reachable(false);
  ASSERT_TRUE(comes_true([this] { return !informer_.is_watching(); }));
  EXPECT_TRUE(informer_.is_synced());
  EXPECT_TRUE(is_leased("team-a"));
  clock_.tick(30s - 1ns);
  EXPECT_TRUE(is_leased("team-a"));
  clock_.tick(1ns);
  EXPECT_FALSE(is_leased("team-a"));

  put_lease("team-a", "operator-a", clock_.wall());
  cluster_.set_reachable(true);
  EXPECT_TRUE(comes_true([this] { return is_leased("team-a"); }));
}

TEST_F(LeaseWatchTest, DropsLeasesDeletedDuringBrokenWatch) {
  put_lease("team-a", "operator-a", clock_.wall());
  put_lease("team-b", "operator-b", clock_.wall());
  start();
  ASSERT_TRUE(comes_true([this] { return informer_.is_watching(); }));
  cluster_.set_reachable(false);
  ASSERT_TRUE(comes_true([this] { return !informer_.is_watching(); }));
  cluster_.erase(kube::kLeases, "team-a", admission::kNamespaceScopeLease);
  cluster_.compact();
  cluster_.set_reachable(true);
  EXPECT_TRUE(comes_true([this] { return !published_.read()->find("team-a"); }));
  EXPECT_TRUE(is_leased("team-b"));
}

TEST_F(LeaseWatchTest, PublishingKeepsTheTableOfAReader) {
  put_lease("team-a", "operator-a", clock_.wall());
  start();
  ASSERT_TRUE(comes_true([this] { return informer_.is_watching(); }));
  {
    const auto pinned = published_.read();
    const auto lease = pinned->find("team-a");
    for (int i = 0; i < 20; ++i) {
      put_lease("team-a", "operator-" + std::to_string(i), clock_.wall());
      const std::string holder = "operator-" + std::to_string(i);
      ASSERT_TRUE(
          comes_true([&] { return watch_.size() == 1 && record("team-a").holder == holder; }));
      loop_.poll();
    }
    EXPECT_EQ(lease->holder, "operator-a");
    EXPECT_LE(published_.retired(), 4U);
  }
  EXPECT_TRUE(
      comes_true([this] { return published_.read()->find("team-a")->holder == "operator-19"; }));
  EXPECT_TRUE(comes_true([this] { return published_.retired() == 0; }));
}

}  // namespace
}  // namespace dynamo::cluster
