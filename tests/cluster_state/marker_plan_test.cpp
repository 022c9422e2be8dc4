// The planned actions for the marker Lease of a restricted namespace, step by step.
#include "cluster/marker_plan.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>

#include "json/parser.hpp"
#include "tests/support/objects.hpp"

namespace dynamo::cluster {
namespace {

using namespace std::chrono_literals;

const std::chrono::system_clock::time_point kNow =
    std::chrono::system_clock::from_time_t(1'770'091'506);

MarkerLeaseOptions options() {
  return {.namespace_name = "team-a", .identity = marker_identity("1.2.3")};
}

LeaseRecord held_by(std::string holder, std::chrono::system_clock::time_point renewed) {
  return {.holder = std::move(holder), .renew_time = renewed, .duration = 30s};
}

TEST(MarkerPlan, HolderNameMatchesOperatorVersion) {
  EXPECT_EQ(marker_identity("1.2.3"), "namespace-restricted-operator-1.2.3");
}

TEST(MarkerPlan, CreatesMissingLease) {
  EXPECT_EQ(marker_step(std::nullopt, "us", kNow), MarkerStep::kCreate);
}

TEST(MarkerPlan, RenewsItsOwnLiveOrExpiredLease) {
  EXPECT_EQ(marker_step(held_by("us", kNow - 1s), "us", kNow), MarkerStep::kRenew);
  EXPECT_EQ(marker_step(held_by("us", kNow - 1h), "us", kNow), MarkerStep::kRenew);
  EXPECT_EQ(marker_step(LeaseRecord{.holder = "us"}, "us", kNow), MarkerStep::kRenew);
}

TEST(MarkerPlan, YieldsToAnotherHolderUntilExpiry) {
  EXPECT_EQ(marker_step(held_by("them", kNow - 30s + 1us), "us", kNow), MarkerStep::kYield);
  EXPECT_EQ(marker_step(held_by("", kNow), "us", kNow), MarkerStep::kYield);
  EXPECT_EQ(marker_step(held_by("them", kNow - 30s), "us", kNow), MarkerStep::kTakeOver);
  EXPECT_EQ(marker_step(LeaseRecord{.holder = "them"}, "us", kNow), MarkerStep::kTakeOver);
}

TEST(MarkerPlan, TakesOverUntrustedLease) {
  EXPECT_EQ(marker_step(held_by("them", kNow + 1min), "us", kNow), MarkerStep::kYield);
  EXPECT_EQ(marker_step(held_by("them", kNow + 61s), "us", kNow), MarkerStep::kTakeOver);
  EXPECT_EQ(marker_step(held_by("them", std::chrono::system_clock::time_point::max()), "us", kNow),
            MarkerStep::kTakeOver);
  LeaseRecord rejected = held_by("them", kNow);
  rejected.rejection = admission::LeaseRejection::kHolder;
  EXPECT_EQ(marker_step(rejected, "us", kNow), MarkerStep::kTakeOver);
}

TEST(MarkerPlan, FirstWriteIncludesRenewTime) {
  EXPECT_EQ(marker_body({}, MarkerStep::kCreate, options(), kNow),
            R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease",)"
            R"("metadata":{"name":"dynamo-operator-namespace-scope","namespace":"team-a"},)"
            R"("spec":{"holderIdentity":"namespace-restricted-operator-1.2.3",)"
            R"("leaseDurationSeconds":30,"acquireTime":"2026-02-03T04:05:06.000000Z",)"
            R"("renewTime":"2026-02-03T04:05:06.000000Z","leaseTransitions":0}})");
}

constexpr std::string_view kFound =
    R"({"metadata":{"name":"dynamo-operator-namespace-scope","namespace":"team-a","uid":"u",)"
    R"("resourceVersion":"7","labels":{"a":"b"},"managedFields":[{"manager":"x"}]},)"
    R"("spec":{"holderIdentity":"namespace-restricted-operator-1.2.3","leaseDurationSeconds":15,)"
    R"("acquireTime":"2026-01-01T00:00:00.000000Z","renewTime":"2026-02-03T04:05:00.000000Z",)"
    R"("leaseTransitions":2,"strategy":"OldestEmulationVersion"}})";

TEST(MarkerPlan, RenewalKeepsOtherFields) {
  const auto found = json::parse_copy(kFound);
  EXPECT_EQ(
      marker_body(found->root(), MarkerStep::kRenew, options(), kNow),
      R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease",)"
      R"("metadata":{"name":"dynamo-operator-namespace-scope","namespace":"team-a","uid":"u",)"
      R"("resourceVersion":"7","labels":{"a":"b"}},)"
      R"("spec":{"holderIdentity":"namespace-restricted-operator-1.2.3",)"
      R"("leaseDurationSeconds":30,"acquireTime":"2026-01-01T00:00:00.000000Z",)"
      R"("renewTime":"2026-02-03T04:05:06.000000Z","leaseTransitions":2,)"
      R"("strategy":"OldestEmulationVersion"}})");
}

TEST(MarkerPlan, TakingOverIsATransition) {
  const auto found = json::parse_copy(kFound);
  const std::string body = marker_body(found->root(), MarkerStep::kTakeOver, options(), kNow);
  const auto written = json::parse_copy(body);
  EXPECT_EQ(written->root()["spec"]["leaseTransitions"].integer(), 3);
  EXPECT_EQ(written->root()["spec"]["acquireTime"].string(), "2026-02-03T04:05:06.000000Z");
  EXPECT_EQ(written->root()["metadata"]["resourceVersion"].string(), "7");
}

// The API server rejects a number that does not fit into 32 bits.
TEST(MarkerPlan, TransitionCountStopsAtApiLimit) {
  const auto found = json::parse_copy(
      R"({"metadata":{},"spec":{"holderIdentity":"them","leaseTransitions":2147483647}})");
  const std::string body = marker_body(found->root(), MarkerStep::kTakeOver, options(), kNow);
  EXPECT_EQ(json::parse_copy(body)->root()["spec"]["leaseTransitions"].integer(), 2'147'483'647);
}

// The API server rejects any addition to a Lease of this size.
TEST(MarkerPlan, DropsOtherFieldsOfOversizedLease) {
  const auto bloated = [](std::size_t bytes) {
    return R"({"metadata":{"name":"dynamo-operator-namespace-scope","namespace":"team-a",)"
           R"("uid":"u","resourceVersion":"7","labels":{"a":")" +
           std::string(bytes, 'x') +
           R"("}},"spec":{"holderIdentity":"namespace-restricted-operator-1.2.3",)"
           R"("leaseTransitions":2,"preferredHolder":"p","strategy":"OldestEmulationVersion"}})";
  };
  const auto large = json::parse_copy(bloated(64 << 10));
  EXPECT_EQ(
      marker_body(large->root(), MarkerStep::kTakeOver, options(), kNow),
      R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease",)"
      R"("metadata":{"name":"dynamo-operator-namespace-scope","namespace":"team-a","uid":"u",)"
      R"("resourceVersion":"7"},)"
      R"("spec":{"holderIdentity":"namespace-restricted-operator-1.2.3",)"
      R"("leaseDurationSeconds":30,"acquireTime":"2026-02-03T04:05:06.000000Z",)"
      R"("renewTime":"2026-02-03T04:05:06.000000Z","leaseTransitions":3}})");
  const auto usual = json::parse_copy(bloated(60 << 10));
  const std::string kept = marker_body(usual->root(), MarkerStep::kRenew, options(), kNow);
  EXPECT_EQ(json::parse_copy(kept)->root()["metadata"]["labels"]["a"].string()->size(), 60U << 10U);
}

TEST(MarkerPlan, GivesUpBeforeTheLeaseExpires) {
  const auto tolerated = [](std::chrono::seconds duration, std::chrono::nanoseconds interval) {
    MarkerLeaseOptions given = options();
    given.duration = duration;
    given.interval = interval;
    return tolerated_failures(given);
  };
  EXPECT_EQ(tolerated(30s, 10s), 2U);
  EXPECT_EQ(tolerated(60s, 10s), 5U);
  EXPECT_EQ(tolerated(29s, 10s), 1U);
  EXPECT_EQ(tolerated(30s, 29s), 1U);
  EXPECT_EQ(tolerated(30s, 7s), 3U);
}

}  // namespace
}  // namespace dynamo::cluster
