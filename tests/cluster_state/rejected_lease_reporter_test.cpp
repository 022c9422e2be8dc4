// Untrusted Leases: which holders the flags trust, and how rejections are reported.
#include "cluster/rejected_lease_reporter.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "cluster/lease_trust.hpp"
#include "cluster/lease_watch.hpp"
#include "kube/cache/informer.hpp"
#include "tests/cluster_state/cluster_fixture.hpp"

namespace dynamo::cluster {
namespace {

using namespace std::chrono_literals;
using admission::LeaseRejection;
using testing::HasSubstr;

constexpr std::string_view kLine = "lease not trusted: its namespace is validated";

LeaseRecord lease_of(std::string holder, std::optional<std::chrono::seconds> duration = 30s) {
  return {.holder = std::move(holder), .renew_time = std::nullopt, .duration = duration};
}

TEST(LeaseTrust, TrustsEveryHolderForFiveMinutesByDefault) {
  const LeaseTrust trust;
  EXPECT_EQ(trust.rejection("a", lease_of("x")), LeaseRejection::kNone);
  EXPECT_EQ(trust.rejection("a", lease_of("")), LeaseRejection::kNone);
  EXPECT_EQ(trust.rejection("a", lease_of("x", 300s)), LeaseRejection::kNone);
  EXPECT_EQ(trust.rejection("a", lease_of("x", 301s)), LeaseRejection::kDuration);
  EXPECT_EQ(trust.rejection("a", lease_of("x", std::nullopt)), LeaseRejection::kNone);
}

TEST(LeaseTrust, TrustsHoldersThatMatchItsGlobs) {
  const LeaseTrust trust{.longest = 30s,
                         .namespaces = {"team-*", "lab"},
                         .holders = {"namespace-restricted-operator-*"}};
  const LeaseRecord good = lease_of("namespace-restricted-operator-1.2.3");
  EXPECT_EQ(trust.rejection("team-a", good), LeaseRejection::kNone);
  EXPECT_EQ(trust.rejection("lab", good), LeaseRejection::kNone);
  EXPECT_EQ(trust.rejection("lab-2", good), LeaseRejection::kNamespace);
  EXPECT_EQ(trust.rejection("a-team-a", good), LeaseRejection::kNamespace);
  EXPECT_EQ(trust.rejection("team-a", lease_of("mallory")), LeaseRejection::kHolder);
  EXPECT_EQ(trust.rejection("team-a", lease_of("")), LeaseRejection::kHolder);
}

class RejectedLeaseReporterTest : public ClusterFixture {
 protected:
  ~RejectedLeaseReporterTest() override { tasks_.stop(); }

  void start() {
    watch_.set_listener([this](const std::string& namespace_name, const LeaseRecord& lease) {
      reporter_.notice(namespace_name, lease);
    });
    tasks_.spawn("informer", [this] { return informer_.run(); });
    tasks_.spawn("doubts", [this] { return reporter_.run(); });
  }
  bool has_events(std::size_t count) {
    return comes_true([=, this] { return cluster_.all(kube::kEvents).size() >= count; });
  }
  // Until several further evaluations are done.
  void look_again() {
    for (int i = 0; i < 5; ++i) {
      cluster_.put(kube::kLeases, R"({"metadata":{"name":"dynamo-operator-namespace-scope",
          "namespace":"marker-)" + std::to_string(i) +
                                      R"("},"spec":{"holderIdentity":"x",
          "leaseDurationSeconds":)" + std::to_string(1000 + marks_) +
                                      R"(,"renewTime":")" + text::format_micro_time(clock_.wall()) +
                                      R"("}})");
      ++marks_;
    }
    clock_.tick(1s);
  }

  kube::Client client_{*transport_};
  LeaseWatch::RcuCell published_{std::make_unique<const admission::NoNamespaceLeases>()};
  LeaseWatch watch_{loop_, published_, logger_, 1ms, LeaseTrust{.holders = {"them-*", "x"}}};
  kube::Informer informer_{client_, kube::kLeases, lease_informer_options(), watch_, logger_};
  RejectedLeaseReporter reporter_{loop_,  client_, watch_.records(),
                                  clock_, logger_, {.sweep = 1ms, .pace = 1ms, .batch = 2}};
  int marks_ = 0;
};

TEST_F(RejectedLeaseReporterTest, LogsAndRecordsEventOnLease) {
  put_lease("forged", "them-1", clock_.wall() + 24h * 365);
  put_lease("long", "them-1", clock_.wall(), 86'400s);
  put_lease("stranger", "mallory", clock_.wall());
  put_lease("good", "them-1", clock_.wall() + 30s);
  put_lease("dead", "mallory", clock_.wall() - 1h);
  start();
  ASSERT_TRUE(has_events(3));
  EXPECT_EQ(logger_.count(kLine), 3U);
  EXPECT_EQ(cluster_.all(kube::kEvents).size(), 3U);
  const auto event = [&](std::string_view namespace_name) -> std::optional<kube::Object> {
    for (const kube::Object& each : cluster_.all(kube::kEvents)) {
      if (each.namespace_name() == namespace_name) return each;
    }
    return std::nullopt;
  };
  const auto forged = event("forged");
  ASSERT_TRUE(forged);
  const json::Value about = forged->root()["regarding"];
  EXPECT_EQ(about["kind"].string_or_empty(), "Lease");
  EXPECT_EQ(about["name"].string_or_empty(), admission::kNamespaceScopeLease);
  EXPECT_EQ(about["namespace"].string_or_empty(), "forged");
  EXPECT_EQ(about["uid"].string_or_empty(), lease("forged")->uid());
  EXPECT_EQ(forged->root()["type"].string_or_empty(), "Warning");
  EXPECT_EQ(forged->root()["reason"].string_or_empty(), "LeaseNotBelieved");
  EXPECT_EQ(forged->root()["note"].string_or_empty(),
            "The namespace is still validated: renewTime must not be more than 60 s ahead; found "
            "2027-02-03T04:05:06Z at 2026-02-03T04:05:06Z");
  EXPECT_THAT(std::string(event("long")->root()["note"].string_or_empty()),
              HasSubstr("leaseDurationSeconds must be at most 300 (--lease-max-duration); found "
                        "86400"));
  EXPECT_THAT(std::string(event("stranger")->root()["note"].string_or_empty()),
              HasSubstr("holderIdentity must be one of --lease-holders; found \"mallory\""));
  EXPECT_EQ(watch_.count_rejected(LeaseRejection::kFuture, clock_.wall()), 1U);
  EXPECT_EQ(watch_.count_rejected(LeaseRejection::kDuration, clock_.wall()), 1U);
  EXPECT_EQ(watch_.count_rejected(LeaseRejection::kHolder, clock_.wall()), 1U);
  EXPECT_EQ(watch_.count_rejected(LeaseRejection::kNamespace, clock_.wall()), 0U);
  EXPECT_EQ(watch_.live(clock_.wall()), 1U);
  // Requests read the same result.
  EXPECT_FALSE(is_live(*published_.read()->find("stranger"), clock_.wall()));
  EXPECT_TRUE(is_live(*published_.read()->find("good"), clock_.wall()));
}

TEST_F(RejectedLeaseReporterTest, ReportsOncePerHourDespiteLeaseWrites) {
  start();
  ASSERT_TRUE(comes_true([this] { return informer_.is_watching(); }));
  for (int i = 0; i < 20; ++i) {
    put_lease("forged", "them-1", clock_.wall() + 24h + std::chrono::seconds(i));
    ASSERT_TRUE(has_events(1));
    look_again();
  }
  ASSERT_TRUE(has_events(6));  // of "forged" and the five others
  EXPECT_EQ(logger_.count(kLine), 6U);
  clock_.tick(1h);
  put_lease("forged", "them-1", clock_.wall() + 24h);
  ASSERT_TRUE(comes_true([this] { return logger_.count(kLine) >= 7; }));
  EXPECT_TRUE(has_events(7));
}

TEST_F(RejectedLeaseReporterTest, ReportsForImmediatelyDeletedLease) {
  start();
  ASSERT_TRUE(comes_true([this] { return informer_.is_watching(); }));
  put_lease("forged", "them-1", clock_.wall() + 24h);
  cluster_.erase(kube::kLeases, "forged", admission::kNamespaceScopeLease);
  EXPECT_TRUE(has_events(1));
  EXPECT_EQ(logger_.count(kLine), 1U);
}

TEST_F(RejectedLeaseReporterTest, ReportsIfOnlyTheClockChanged) {
  put_lease("late", "them-1", clock_.wall() + 59s);
  start();
  ASSERT_TRUE(comes_true([this] { return informer_.is_synced(); }));
  EXPECT_EQ(logger_.count(kLine), 0U);
  test::FakeClock behind(clock_.wall() - 1h);
  RejectedLeaseReporter later(loop_, client_, watch_.records(), behind, logger_,
                              {.sweep = 1ms, .pace = 1ms});
  tasks_.spawn("later", [&] { return later.run(); });
  EXPECT_TRUE(has_events(1));
  tasks_.stop();
}

TEST_F(RejectedLeaseReporterTest, ReportsAllRejectedLeases) {
  for (int i = 0; i < 50; ++i) {
    put_lease("forged-" + std::to_string(i), "them-1", clock_.wall() + 24h);
  }
  start();
  EXPECT_TRUE(has_events(50));
  EXPECT_EQ(logger_.count(kLine), 50U);
}

TEST_F(RejectedLeaseReporterTest, LogsWithoutPermissionForEvents) {
  cluster_.forbid("create", "events");
  put_lease("forged-1", "them-1", clock_.wall() + 24h);
  put_lease("forged-2", "them-1", clock_.wall() + 24h);
  start();
  ASSERT_TRUE(comes_true([this] { return logger_.count(kLine) == 2; }));
  look_again();
  ASSERT_TRUE(comes_true([this] { return logger_.count(kLine) == 7; }));
  EXPECT_EQ(logger_.count("event about a lease not written"), 1U);
}

TEST_F(RejectedLeaseReporterTest, ReplicasShareOneEvent) {
  put_lease("forged", "them-1", clock_.wall() + 24h);
  start();
  ASSERT_TRUE(has_events(1));
  RejectedLeaseReporter second(loop_, client_, watch_.records(), clock_, logger_,
                               {.sweep = 1ms, .pace = 1ms});
  tasks_.spawn("second", [&] { return second.run(); });
  ASSERT_TRUE(comes_true([this] { return logger_.count(kLine) == 2; }));
  look_again();
  ASSERT_TRUE(has_events(6));
  EXPECT_EQ(logger_.count("event about a lease not written"), 0U);
  tasks_.stop();
}

}  // namespace
}  // namespace dynamo::cluster
