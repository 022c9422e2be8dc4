#include "kube/controller/leader_election.hpp"

#include <boost/asio/co_spawn.hpp>
#include <random>
#include <stdexcept>

#include "aio/pause.hpp"
#include "aio/task_group.hpp"
#include "kube/http/cancellable.hpp"
#include "tests/kube/candidate.hpp"
#include "tests/kube/kube_fixture.hpp"
#include "tests/support/fake_clock.hpp"
#include "text/micro_time.hpp"

namespace dynamo::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::Fault;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr milliseconds kDuration{15'000};

class LeaderElectionTest : public KubeTest {
 protected:
  milliseconds step(Candidate& candidate) { return test::run(loop_, candidate.election.step()); }
  void release(Candidate& candidate) { test::run(loop_, candidate.election.release()); }
  json::Value spec() {
    lease_ = cluster_.find(kLeases, "dynamo", "leader").value();
    return lease_.root()["spec"];
  }
  std::string holder() { return std::string(spec()["holderIdentity"].string_or_empty()); }

  test::FakeClock clock_;
  Candidate a_{cluster_, clock_, logger_, "a"};
  Candidate b_{cluster_, clock_, logger_, "b"};
  Object lease_;
};

ObservedLease held_by(std::string holder, std::chrono::steady_clock::time_point since) {
  ObservedLease lease;
  lease.holder = std::move(holder);
  lease.duration = seconds(15);
  lease.since = since;
  return lease;
}

// For outside readers: each renewal writes what the holder does.
TEST_F(LeaderElectionTest, LeaseHasLabelsAndAnnotationsOfHolder) {
  ElectionOptions options = Candidate::options("c");
  options.annotations = {{"mode", "replacement"}};
  options.labels = {{"app", "reconciler"}};
  const auto connection = cluster_.connect("c");
  Client client(*connection);
  LeaderElection election(
      client, options, clock_, logger_, [] {}, [] {});
  for (int i = 0; i < 3; ++i) {
    test::run(loop_, election.step());
    const Object lease = cluster_.find(kLeases, "dynamo", "leader").value();
    EXPECT_EQ(lease.root()["metadata"]["annotations"]["mode"].string(), "replacement");
    EXPECT_EQ(lease.root()["metadata"]["labels"]["app"].string(), "reconciler");
  }
}

// GitOps and backup tools add marks, and a collector follows owners.
TEST_F(LeaderElectionTest, FieldsOfOthersInLeaseAreKept) {
  step(a_);
  cluster_.merge(kLeases, "dynamo", "leader",
                 R"({"metadata":{"labels":{"backup":"yes"},"annotations":{"by":"gitops"},)"
                 R"("ownerReferences":[{"apiVersion":"v1","kind":"Node","name":"n","uid":"u"}]},)"
                 R"("spec":{"strategy":"OldestEmulationVersion"}})");
  const auto expect_theirs = [this](const std::string& whose) {
    EXPECT_EQ(holder(), whose);
    const json::Value metadata = lease_.root()["metadata"];
    EXPECT_EQ(metadata["labels"]["backup"].string(), "yes");
    EXPECT_EQ(metadata["annotations"]["by"].string(), "gitops");
    EXPECT_EQ(metadata["ownerReferences"].size(), 1U);
    EXPECT_EQ(spec()["strategy"].string(), "OldestEmulationVersion");
  };
  for (int i = 0; i < 3; ++i) {
    clock_.tick(seconds(2));
    step(a_);
  }
  EXPECT_EQ(spec()["renewTime"].string(), text::format_micro_time(clock_.wall()));
  expect_theirs("a");
  release(a_);
  expect_theirs("");
  step(b_);
  expect_theirs("b");
}

// It describes the former holder.
TEST_F(LeaderElectionTest, AnnotationOfFormerHolderIsRemoved) {
  step(a_);
  release(a_);
  cluster_.merge(kLeases, "dynamo", "leader",
                 R"({"metadata":{"annotations":{"mode":"replacement","scope":"team-a"}}})");
  ElectionOptions options = Candidate::options("c");
  options.annotations = {{"mode", "companion"}, {"scope", ""}};
  LeaderElection election(
      client_, options, clock_, logger_, [] {}, [] {});
  test::run(loop_, election.step());
  EXPECT_EQ(holder(), "c");
  EXPECT_EQ(json::to_text(lease_.root()["metadata"]["annotations"]), R"({"mode":"companion"})");
}

TEST_F(LeaderElectionTest, OverfilledLeaseIsRenewedWithoutForeignFields) {
  step(a_);
  cluster_.merge(kLeases, "dynamo", "leader",
                 R"({"metadata":{"annotations":{"much":")" + std::string(70'000, 'x') + R"("}}})");
  for (int i = 0; i < 2; ++i) step(a_);
  EXPECT_TRUE(a_.election.leads());
  EXPECT_LT(cluster_.calls().back().body.size(), 1'000U);
}

TEST_F(LeaderElectionTest, DecisionDependsOnLeaseAndObservedAge) {
  const auto now = clock_.monotonic();
  const auto decided = [&](const std::optional<ObservedLease>& lease) {
    return decide(lease, Candidate::options("a"), now);
  };
  EXPECT_EQ(decided(std::nullopt), ElectionStep::kCreate);
  EXPECT_EQ(decided(held_by("a", now - seconds(99))), ElectionStep::kRenew);
  EXPECT_EQ(decided(held_by("", now)), ElectionStep::kTake);
  EXPECT_EQ(decided(held_by("b", now)), ElectionStep::kWait);
  EXPECT_EQ(decided(held_by("b", now - kDuration + milliseconds(1))), ElectionStep::kWait);
  EXPECT_EQ(decided(held_by("b", now - kDuration)), ElectionStep::kTake);
  ObservedLease slow = held_by("b", now - seconds(59));
  slow.duration = seconds(60);
  EXPECT_EQ(decided(slow), ElectionStep::kWait) << "its holder counts on a minute";
}

TEST_F(LeaderElectionTest, FirstLeadsAndSecondWaits) {
  step(a_);
  step(b_);
  EXPECT_TRUE(a_.election.leads());
  EXPECT_FALSE(b_.election.leads());
  EXPECT_EQ(b_.election.holder(), "a");
  EXPECT_EQ(a_.gained, 1);
  EXPECT_EQ(b_.gained, 0);
  EXPECT_EQ(holder(), "a");
  EXPECT_EQ(spec()["leaseDurationSeconds"].integer(), 15);
  EXPECT_EQ(spec()["renewTime"].string_or_empty(), "2026-02-03T04:05:06.000000Z");
}

TEST_F(LeaderElectionTest, RenewalNeedsOneRequestAndKeepsAcquireTime) {
  step(a_);
  clock_.tick(seconds(2));
  cluster_.clear_calls();
  EXPECT_EQ(step(a_), milliseconds(2'000));
  EXPECT_EQ(cluster_.calls().size(), 1U);
  EXPECT_EQ(spec()["acquireTime"].string_or_empty(), "2026-02-03T04:05:06.000000Z");
  EXPECT_EQ(spec()["renewTime"].string_or_empty(), "2026-02-03T04:05:08.000000Z");
  EXPECT_EQ(spec()["leaseTransitions"].integer(), 0);
  EXPECT_EQ(a_.gained, 1);
}

TEST_F(LeaderElectionTest, DeadLeaderIsReplacedAfterLeaseDuration) {
  step(a_);
  step(b_);
  clock_.tick(kDuration - milliseconds(1));
  step(b_);
  EXPECT_FALSE(b_.election.leads());
  clock_.tick(milliseconds(1));
  step(b_);
  EXPECT_TRUE(b_.election.leads());
  EXPECT_EQ(spec()["leaseTransitions"].integer(), 1);
  EXPECT_FALSE(a_.election.leads());
}

// 15 s lease duration, counted from an observation that is at most 2 s old, without oversleeping.
TEST_F(LeaderElectionTest, DeadLeaderIsReplacedWithin18Seconds) {
  step(a_);
  step(b_);
  // The worst moment to renew: right after the other replica's read.
  clock_.tick(seconds(2));
  step(b_);
  step(a_);
  const auto died = clock_.monotonic();
  milliseconds delay{2'000};
  while (!b_.election.leads()) {
    ASSERT_LE(delay, milliseconds(2'000));
    ASSERT_GE(delay, milliseconds(1));
    clock_.tick(delay);
    delay = step(b_);
    ASSERT_LE(clock_.monotonic() - died, seconds(18));
  }
  EXPECT_GE(clock_.monotonic() - died, kDuration);
}

TEST_F(LeaderElectionTest, TransitionsAreCappedAtApiLimit) {
  cluster_.put(kLeases,
               R"({"metadata":{"name":"leader","namespace":"dynamo"},"spec":{"holderIdentity":"",)"
               R"("leaseDurationSeconds":1,"leaseTransitions":2147483647}})");
  step(a_);
  EXPECT_TRUE(a_.election.leads());
  EXPECT_EQ(spec()["leaseTransitions"].integer(), 2'147'483'647);
}

TEST_F(LeaderElectionTest, ClockInLeaseIsIgnored) {
  // Its text claims an old renewal, but we have only just seen it.
  cluster_.put(kLeases,
               R"({"metadata":{"name":"leader","namespace":"dynamo"},"spec":{"holderIdentity":"z",)"
               R"("leaseDurationSeconds":15,"renewTime":"2020-01-01T00:00:00.000000Z"}})");
  step(a_);
  EXPECT_FALSE(a_.election.leads());
  clock_.tick(seconds(14));
  cluster_.merge(kLeases, "dynamo", "leader",
                 R"({"spec":{"renewTime":"2020-01-01T00:00:01.000000Z"}})");
  step(a_);
  clock_.tick(seconds(14));
  step(a_);
  EXPECT_FALSE(a_.election.leads()) << "it changed 14 seconds ago";
  clock_.tick(seconds(1));
  step(a_);
  EXPECT_TRUE(a_.election.leads());
}

TEST_F(LeaderElectionTest, SlowerHolderBlocksElectionUpToFiveMinutes) {
  const auto held_for = [this](std::string_view length) {
    cluster_.put(
        kLeases,
        R"({"metadata":{"name":"leader","namespace":"dynamo"},"spec":{"holderIdentity":"z",)"
        R"("leaseDurationSeconds":)" +
            std::string(length) + "}}");
    step(a_);
    EXPECT_FALSE(a_.election.leads());
  };
  held_for("60");
  clock_.tick(seconds(60) - milliseconds(1));
  step(a_);
  EXPECT_FALSE(a_.election.leads());
  // Another client writes a day into it, or the maximum.
  for (const std::string_view length : {"86400", "2147483647"}) {
    held_for(length);
    clock_.tick(seconds(300) - milliseconds(1));
    step(a_);
    EXPECT_FALSE(a_.election.leads()) << length;
  }
  clock_.tick(milliseconds(1));
  step(a_);
  EXPECT_TRUE(a_.election.leads());
}

TEST_F(LeaderElectionTest, LeaderStopsBeforeAnotherMayStart) {
  step(a_);
  step(b_);
  cluster_.set_reachable(false, "a");
  clock_.tick(seconds(5));
  EXPECT_EQ(step(a_), milliseconds(2'000));
  EXPECT_TRUE(a_.election.leads()) << "there is time left";
  EXPECT_THAT(a_.election.last_error(),
              HasSubstr("update leases.coordination.k8s.io dynamo/leader: "));
  clock_.tick(seconds(4));
  EXPECT_EQ(step(a_), milliseconds(1'000)) << "no longer than what is left";
  clock_.tick(seconds(1));
  EXPECT_FALSE(a_.election.leads()) << "whether or not a step noticed";
  step(a_);
  EXPECT_EQ(a_.lost, 1);
  cluster_.set_reachable(true, "a");
  step(a_);
  EXPECT_TRUE(a_.election.leads()) << "no other replica has acquired it";
  EXPECT_EQ(a_.gained, 2);
  EXPECT_THAT(a_.election.last_error(), IsEmpty());
}

TEST_F(LeaderElectionTest, ForeignHolderEndsLeadershipImmediately) {
  step(a_);
  cluster_.merge(kLeases, "dynamo", "leader", R"({"spec":{"holderIdentity":"z"}})");
  clock_.tick(seconds(2));
  step(a_);  // a conflict
  step(a_);
  EXPECT_FALSE(a_.election.leads());
  EXPECT_EQ(a_.lost, 1);
  EXPECT_EQ(holder(), "z");
}

TEST_F(LeaderElectionTest, LostAnswerDoesNotCostLease) {
  cluster_.fail({.method = HttpMethod::kPost}, {.kind = Fault::Kind::kLostAnswer});
  step(a_);
  EXPECT_FALSE(a_.election.leads()) << "we do not know";
  step(a_);
  EXPECT_TRUE(a_.election.leads());
  cluster_.fail({.method = HttpMethod::kPut}, {.kind = Fault::Kind::kLostAnswer});
  clock_.tick(seconds(2));
  step(a_);
  step(a_);
  EXPECT_TRUE(a_.election.leads());
  EXPECT_EQ(a_.lost, 0);
  EXPECT_EQ(spec()["leaseTransitions"].integer(), 0);
}

TEST_F(LeaderElectionTest, DeletedLeaseIsRecreated) {
  step(a_);
  cluster_.erase(kLeases, "dynamo", "leader");
  clock_.tick(seconds(2));
  step(a_);
  step(a_);
  EXPECT_TRUE(a_.election.leads());
  EXPECT_EQ(holder(), "a");
}

TEST_F(LeaderElectionTest, LateAnswerGrantsNoLeadership) {
  cluster_.before({.method = HttpMethod::kPost}, [this] { clock_.tick(seconds(10)); });
  step(a_);
  EXPECT_FALSE(a_.election.leads());
  EXPECT_EQ(a_.gained, 0);
}

TEST_F(LeaderElectionTest, ReleasedLeaseIsTakenImmediately) {
  step(a_);
  step(b_);
  release(a_);
  EXPECT_EQ(a_.lost, 1);
  EXPECT_FALSE(a_.election.leads());
  EXPECT_EQ(holder(), "");
  step(b_);
  EXPECT_TRUE(b_.election.leads());
  release(a_);
  EXPECT_TRUE(b_.election.leads());
  EXPECT_EQ(holder(), "b") << "who does not lead has nothing to release";
}

TEST_F(LeaderElectionTest, LeaseIsReleasedWhenGroupStops) {
  aio::TaskGroup group(loop_, logger_);
  group.spawn("election", [this] { return a_.election.run(); });
  ASSERT_TRUE(test::run_until(loop_, [this] { return a_.election.leads(); }));
  group.stop();
  EXPECT_EQ(holder(), "");
  EXPECT_EQ(a_.lost, 1);
}

TEST_F(LeaderElectionTest, LeaseIsReleasedWhenStoppedDuringRenewal) {
  ElectionOptions eager = Candidate::options("a");
  eager.retry_period = milliseconds(1);
  LeaderElection election(
      client_, eager, clock_, logger_, [] {}, [] {});
  aio::TaskGroup group(loop_, logger_);
  cluster_.fail({.method = HttpMethod::kPut}, {.kind = Fault::Kind::kNever});
  group.spawn("election", [&] { return election.run(); });
  ASSERT_TRUE(
      test::run_until(loop_, [&] { return cluster_.count({.method = HttpMethod::kPut}) == 1; }));
  EXPECT_TRUE(election.leads());
  group.stop();
  EXPECT_FALSE(election.leads());
  EXPECT_EQ(holder(), "");
}

// Forwards everything, but withholds the answers to creations.
class WithholdingTransport final : public Transport {
 public:
  explicit WithholdingTransport(Transport& to) : to_(to) {}
  aio::Task<Result<Response>> send(Request request) override {
    const bool creates = request.method == HttpMethod::kPost;
    auto answered = co_await to_.send(std::move(request));
    if (!creates) co_return answered;
    withholds = true;
    co_await aio::pause(std::chrono::hours(1));
    co_return cancelled_error();
  }
  aio::Task<Result<std::unique_ptr<Stream>>> open(Request request) override {
    return to_.open(std::move(request));
  }

  bool withholds = false;

 private:
  Transport& to_;
};

TEST_F(LeaderElectionTest, LeaseIsReleasedWhenStoppedDuringCreation) {
  WithholdingTransport withholding(*connection_);
  Client client(withholding);
  LeaderElection election(
      client, Candidate::options("a"), clock_, logger_, [] {}, [] {});
  aio::TaskGroup group(loop_, logger_);
  group.spawn("election", [&] { return election.run(); });
  ASSERT_TRUE(test::run_until(loop_, [&] { return withholding.withholds; }));
  EXPECT_EQ(holder(), "a");
  EXPECT_FALSE(election.leads());
  group.stop();
  EXPECT_EQ(holder(), "");
}

// Other replicas count the time in which its machine is suspended.
TEST_F(LeaderElectionTest, LeaderStopsAfterSuspension) {
  step(a_);
  ASSERT_TRUE(a_.election.leads());
  clock_.suspend(seconds(9));
  EXPECT_TRUE(a_.election.leads());
  clock_.suspend(seconds(1));
  EXPECT_FALSE(a_.election.leads());
  step(a_);
  EXPECT_EQ(a_.lost, 1);
  EXPECT_EQ(a_.gained, 2) << "no other replica had acquired it";
}

TEST_F(LeaderElectionTest, StopEndsWithoutAnswer) {
  ElectionOptions hurried = Candidate::options("a");
  hurried.renew_deadline = milliseconds(60);
  hurried.retry_period = milliseconds(20);
  LeaderElection election(
      client_, hurried, clock_, logger_, [] {}, [] {});
  aio::TaskGroup group(loop_, logger_);
  group.spawn("election", [&] { return election.run(); });
  ASSERT_TRUE(test::run_until(loop_, [&] { return election.leads(); }));
  cluster_.fail({}, {.kind = Fault::Kind::kNever}, 100);
  group.stop();
  EXPECT_EQ(logger_.count("background tasks did not end when cancelled"), 0U);
}

// Forwards requests with a delay, and records their deadlines.
class DelayedTransport final : public Transport {
 public:
  explicit DelayedTransport(Transport& to) : to_(to) {}
  aio::Task<Result<Response>> send(Request request) override {
    deadlines.push_back(request.deadline);
    co_await aio::pause(kLate);
    co_return co_await to_.send(std::move(request));
  }
  aio::Task<Result<std::unique_ptr<Stream>>> open(Request request) override {
    return to_.open(std::move(request));
  }

  static constexpr milliseconds kLate{5};
  std::vector<milliseconds> deadlines;

 private:
  Transport& to_;
};

TEST_F(LeaderElectionTest, ReleaseRequestsShareOneDeadline) {
  DelayedTransport delayed(*connection_);
  Client client(delayed);
  LeaderElection election(
      client, Candidate::options("a"), clock_, logger_, [] {}, [] {});
  test::run(loop_, election.step());
  cluster_.fail({.method = HttpMethod::kPut}, {.kind = Fault::Kind::kRefused});
  test::run(loop_, election.step());  // now it must read first
  delayed.deadlines.clear();
  test::run(loop_, election.release());
  EXPECT_EQ(holder(), "");
  ASSERT_EQ(delayed.deadlines.size(), 2U);
  EXPECT_LE(delayed.deadlines[0], milliseconds(3'000));
  EXPECT_LE(delayed.deadlines[1], milliseconds(3'000) - DelayedTransport::kLate);
}

TEST_F(LeaderElectionTest, ExceptionEndsLeadershipUntilNextElection) {
  int gained = 0;
  int lost = 0;
  LeaderElection election(
      client_, Candidate::options("a"), clock_, logger_,
      [&] {
        if (++gained == 1) throw std::runtime_error("out of paper");
      },
      [&] { ++lost; });
  EXPECT_THROW(test::run(loop_, election.run()), std::runtime_error);
  EXPECT_EQ(lost, 1);
  EXPECT_FALSE(election.leads());
  aio::TaskGroup group(loop_, logger_);
  group.spawn("election", [&] { return election.run(); });
  EXPECT_TRUE(test::run_until(loop_, [&] { return election.leads(); }));
  EXPECT_EQ(gained, 2);
  EXPECT_EQ(lost, 1);
  group.stop();
}

TEST_F(LeaderElectionTest, MissingRightIsLoggedOnce) {
  cluster_.forbid("create", "leases");
  for (int i = 0; i < 5; ++i) step(a_);
  EXPECT_EQ(logger_.lines().size(), 1U);
  EXPECT_THAT(logger_.lines()[0].fields,
              HasSubstr("create leases.coordination.k8s.io dynamo/leader: Forbidden: "));
  cluster_.allow_all();
  step(a_);
  EXPECT_TRUE(a_.election.leads());
}

}  // namespace
}  // namespace dynamo::kube
