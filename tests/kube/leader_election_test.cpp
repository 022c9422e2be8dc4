#include "kube/leader_election.hpp"

#include <boost/asio/co_spawn.hpp>
#include <random>
#include <stdexcept>

#include "aio/pause.hpp"
#include "aio/task_group.hpp"
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

// One replica and what it was told.
struct Candidate {
  Candidate(test::FakeCluster& cluster, const runtime::Clock& clock, runtime::Logger& logger,
            const std::string& name)
      : connection(cluster.connect(name)),
        client(*connection),
        election(
            client, options(name), clock, logger, [this] { ++gained; }, [this] { ++lost; }) {}

  static ElectionOptions options(std::string identity) {
    ElectionOptions options;
    options.namespace_name = "dynamo";
    options.name = "leader";
    options.identity = std::move(identity);
    return options;
  }

  std::unique_ptr<Transport> connection;
  Client client;
  int gained = 0;
  int lost = 0;
  LeaderElection election;
  bool busy = false;  // a step or a release is under way
};

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

SeenLease held_by(std::string holder, std::chrono::steady_clock::time_point since) {
  SeenLease lease;
  lease.holder = std::move(holder);
  lease.duration = seconds(15);
  lease.since = since;
  return lease;
}

// For whoever looks from outside: what its holder does is written with each renewal.
TEST_F(LeaderElectionTest, ALeaseBearsTheAnnotationsOfItsHolder) {
  ElectionOptions options = Candidate::options("c");
  options.annotations = {{"mode", "replacement"}};
  const auto connection = cluster_.connect("c");
  Client client(*connection);
  LeaderElection election(
      client, options, clock_, logger_, [] {}, [] {});
  for (int i = 0; i < 3; ++i) {
    test::run(loop_, election.step());
    const Object lease = cluster_.find(kLeases, "dynamo", "leader").value();
    EXPECT_EQ(lease.root()["metadata"]["annotations"]["mode"].string(), "replacement");
  }
}

// GitOps and backups mark what they find, and a collector follows owners.
TEST_F(LeaderElectionTest, WhatOthersHavePutIntoItsLeaseStays) {
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

// It says of its holder what the former one was.
TEST_F(LeaderElectionTest, AnAnnotationThatOnlyAFormerHolderBearsGoes) {
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

TEST_F(LeaderElectionTest, ALeaseThatSomebodyFilledIsRenewedWithoutIt) {
  step(a_);
  cluster_.merge(kLeases, "dynamo", "leader",
                 R"({"metadata":{"annotations":{"much":")" + std::string(70'000, 'x') + R"("}}})");
  for (int i = 0; i < 2; ++i) step(a_);
  EXPECT_TRUE(a_.election.leads());
  EXPECT_LT(cluster_.calls().back().body.size(), 1'000U);
}

TEST_F(LeaderElectionTest, TheDecisionRestsOnWhatWasSeenAndForHowLong) {
  const auto now = clock_.monotonic();
  const auto decided = [&](const std::optional<SeenLease>& lease) {
    return decide(lease, Candidate::options("a"), now);
  };
  EXPECT_EQ(decided(std::nullopt), ElectionStep::kCreate);
  EXPECT_EQ(decided(held_by("a", now - seconds(99))), ElectionStep::kRenew);
  EXPECT_EQ(decided(held_by("", now)), ElectionStep::kTake);
  EXPECT_EQ(decided(held_by("b", now)), ElectionStep::kWait);
  EXPECT_EQ(decided(held_by("b", now - kDuration + milliseconds(1))), ElectionStep::kWait);
  EXPECT_EQ(decided(held_by("b", now - kDuration)), ElectionStep::kTake);
  SeenLease slow = held_by("b", now - seconds(59));
  slow.duration = seconds(60);
  EXPECT_EQ(decided(slow), ElectionStep::kWait) << "its holder counts on a minute";
}

TEST_F(LeaderElectionTest, TheFirstLeadsAndTheSecondWaits) {
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

TEST_F(LeaderElectionTest, ALeaderRenewsWithOneRequestAndKeepsTheTimeOfItsElection) {
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

TEST_F(LeaderElectionTest, ADeadLeaderIsFollowedWhenItsLeaseWasSeenUnchangedLongEnough) {
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

// An API server refuses a number that does not fit into 32 bits, and nobody would lead any more.
// 15 s of patience, counted from a sight that is 2 s old at most, and not slept past.
TEST_F(LeaderElectionTest, WithTheUsualTimesADeadLeaderIsFollowedWithin18Seconds) {
  step(a_);
  step(b_);
  // Renewed at the worst moment: right after the other has looked.
  clock_.tick(seconds(2));
  step(b_);
  step(a_);
  const auto died = clock_.monotonic();
  milliseconds rest{2'000};
  while (!b_.election.leads()) {
    ASSERT_LE(rest, milliseconds(2'000));
    ASSERT_GE(rest, milliseconds(1));
    clock_.tick(rest);
    rest = step(b_);
    ASSERT_LE(clock_.monotonic() - died, seconds(18));
  }
  EXPECT_GE(clock_.monotonic() - died, kDuration);
}

TEST_F(LeaderElectionTest, TheElectionsAreCountedNoFurtherThanTheApiDoes) {
  cluster_.put(kLeases,
               R"({"metadata":{"name":"leader","namespace":"dynamo"},"spec":{"holderIdentity":"",)"
               R"("leaseDurationSeconds":1,"leaseTransitions":2147483647}})");
  step(a_);
  EXPECT_TRUE(a_.election.leads());
  EXPECT_EQ(spec()["leaseTransitions"].integer(), 2'147'483'647);
}

TEST_F(LeaderElectionTest, TheClockInTheLeaseIsNotBelieved) {
  // It was renewed long ago, says its text; but we have only just seen it.
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

TEST_F(LeaderElectionTest, AHolderThatIsSlowerIsWaitedForButNotForLongerThanFiveMinutes) {
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
  // By now somebody has written a day into it, or more than there is.
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

TEST_F(LeaderElectionTest, ALeaderThatCannotRenewStopsBeforeAnotherMayStart) {
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
  EXPECT_TRUE(a_.election.leads()) << "nobody has taken it meanwhile";
  EXPECT_EQ(a_.gained, 2);
  EXPECT_THAT(a_.election.last_error(), IsEmpty());
}

TEST_F(LeaderElectionTest, AnotherHolderInTheLeaseEndsTheLeadershipAtOnce) {
  step(a_);
  cluster_.merge(kLeases, "dynamo", "leader", R"({"spec":{"holderIdentity":"z"}})");
  clock_.tick(seconds(2));
  step(a_);  // a conflict
  step(a_);
  EXPECT_FALSE(a_.election.leads());
  EXPECT_EQ(a_.lost, 1);
  EXPECT_EQ(holder(), "z");
}

TEST_F(LeaderElectionTest, ALostAnswerDoesNotCostTheLease) {
  cluster_.fail({.verb = Verb::kPost}, {.kind = Fault::Kind::kLostAnswer});
  step(a_);
  EXPECT_FALSE(a_.election.leads()) << "we do not know";
  step(a_);
  EXPECT_TRUE(a_.election.leads());
  cluster_.fail({.verb = Verb::kPut}, {.kind = Fault::Kind::kLostAnswer});
  clock_.tick(seconds(2));
  step(a_);
  step(a_);
  EXPECT_TRUE(a_.election.leads());
  EXPECT_EQ(a_.lost, 0);
  EXPECT_EQ(spec()["leaseTransitions"].integer(), 0);
}

TEST_F(LeaderElectionTest, ADeletedLeaseIsMadeAgain) {
  step(a_);
  cluster_.erase(kLeases, "dynamo", "leader");
  clock_.tick(seconds(2));
  step(a_);
  step(a_);
  EXPECT_TRUE(a_.election.leads());
  EXPECT_EQ(holder(), "a");
}

TEST_F(LeaderElectionTest, AnAnswerThatCameTooLateMakesNoLeader) {
  cluster_.before({.verb = Verb::kPost}, [this] { clock_.tick(seconds(10)); });
  step(a_);
  EXPECT_FALSE(a_.election.leads());
  EXPECT_EQ(a_.gained, 0);
}

TEST_F(LeaderElectionTest, AReleasedLeaseIsTakenAtOnce) {
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

TEST_F(LeaderElectionTest, ItIsReleasedWhenTheGroupStops) {
  aio::TaskGroup group(loop_, logger_);
  group.spawn("election", [this] { return a_.election.run(); });
  ASSERT_TRUE(test::run_until(loop_, [this] { return a_.election.leads(); }));
  group.stop();
  EXPECT_EQ(holder(), "");
  EXPECT_EQ(a_.lost, 1);
}

TEST_F(LeaderElectionTest, ItIsReleasedWhenTheStopComesInTheMiddleOfARenewal) {
  ElectionOptions eager = Candidate::options("a");
  eager.retry_period = milliseconds(1);
  LeaderElection election(
      client_, eager, clock_, logger_, [] {}, [] {});
  aio::TaskGroup group(loop_, logger_);
  cluster_.fail({.verb = Verb::kPut}, {.kind = Fault::Kind::kNever});
  group.spawn("election", [&] { return election.run(); });
  ASSERT_TRUE(test::run_until(loop_, [&] { return cluster_.count({.verb = Verb::kPut}) == 1; }));
  EXPECT_TRUE(election.leads());
  group.stop();
  EXPECT_FALSE(election.leads());
  EXPECT_EQ(holder(), "");
}

TEST_F(LeaderElectionTest, AStopWithoutAnAnswerEndsAllTheSame) {
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
  EXPECT_EQ(logger_.count("background tasks did not end when told to"), 0U);
}

// Passes requests on after a while, and notes how much time each was given.
class Slow final : public Transport {
 public:
  explicit Slow(Transport& to) : to_(to) {}
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

TEST_F(LeaderElectionTest, AllRequestsOfAReleaseShareOneDeadline) {
  Slow slow(*connection_);
  Client client(slow);
  LeaderElection election(
      client, Candidate::options("a"), clock_, logger_, [] {}, [] {});
  test::run(loop_, election.step());
  cluster_.fail({.verb = Verb::kPut}, {.kind = Fault::Kind::kRefused});
  test::run(loop_, election.step());  // now it must look first
  slow.deadlines.clear();
  test::run(loop_, election.release());
  EXPECT_EQ(holder(), "");
  ASSERT_EQ(slow.deadlines.size(), 2U);
  EXPECT_LE(slow.deadlines[0], milliseconds(3'000));
  EXPECT_LE(slow.deadlines[1], milliseconds(3'000) - Slow::kLate);
}

TEST_F(LeaderElectionTest, AnExceptionEndsTheLeadershipAndItIsWonAgain) {
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

TEST_F(LeaderElectionTest, AMissingRightIsToldOnce) {
  cluster_.forbid("create", "leases");
  for (int i = 0; i < 5; ++i) step(a_);
  EXPECT_EQ(logger_.lines().size(), 1U);
  EXPECT_THAT(logger_.lines()[0].fields,
              HasSubstr("create leases.coordination.k8s.io dynamo/leader: Forbidden: "));
  cluster_.allow_all();
  step(a_);
  EXPECT_TRUE(a_.election.leads());
}

// Steps of three replicas, faults and time in an order of chance, one turn of the loop at a time.
class Race {
 public:
  explicit Race(std::uint64_t seed) : random_(seed) { cluster_.interleave(seed); }

  void run() {
    for (int move = 0; move < 80; ++move) {
      Candidate& one = any();
      switch (random_() % 10) {
        case 0:
        case 1:
          clock_.tick(milliseconds(random_() % 4'000));
          break;
        case 2:
          fault(one);
          break;
        case 3:
          if (random_() % 8 == 0) begin(one, one.election.release());
          break;
        case 4:
          // A replica that stands still for as long as anybody's patience.
          if (random_() % 8 == 0) clock_.tick(milliseconds(random_() % 20'000));
          break;
        default:
          begin(one, one.election.step());
      }
      for (auto turns = random_() % 6; turns > 0; --turns) turn();
    }
    drain();
  }

  // Without faults somebody leads in the end.
  void settle() {
    cluster_.interleave(std::nullopt);
    for (int round = 0; round < 6; ++round) {
      clock_.tick(seconds(4));
      for (Candidate* one : all()) {
        begin(*one, one->election.step());
        drain();
      }
    }
  }

  std::size_t leaders() {
    std::size_t count = 0;
    for (const Candidate* one : all()) count += one->election.leads() ? 1 : 0;
    return count;
  }
  std::array<Candidate*, 3> all() { return {&a_, &b_, &c_}; }
  std::size_t most_at_once() const { return most_at_once_; }

 private:
  Candidate& any() { return *all()[random_() % 3]; }

  void fault(const Candidate& one) {
    Fault fault;
    const auto kind = random_() % 3;
    fault.kind = kind == 0   ? Fault::Kind::kRefused
                 : kind == 1 ? Fault::Kind::kLostAnswer
                             : Fault::Kind::kStatus;
    fault.status = 500;
    fault.reason = "InternalError";
    test::Match match;
    match.client = &one == &a_ ? "a" : &one == &b_ ? "b" : "c";
    cluster_.fail(match, fault, 1 + random_() % 3);
  }

  template <class T>
  static aio::Task<> until_done(aio::Task<T> task, bool& busy) {
    co_await std::move(task);
    busy = false;
  }

  template <class T>
  void begin(Candidate& one, aio::Task<T> task) {
    if (one.busy) return;
    one.busy = true;
    boost::asio::co_spawn(loop_, until_done(std::move(task), one.busy),
                          [](const std::exception_ptr& failure) {
                            if (failure) std::rethrow_exception(failure);
                          });
  }

  bool turn() {
    loop_.restart();
    const bool did_something = loop_.poll_one() != 0;
    most_at_once_ = std::max(most_at_once_, leaders());
    return did_something;
  }
  void drain() {
    for (int i = 0; i < 1000 && turn(); ++i) {
    }
  }

  std::mt19937_64 random_;
  boost::asio::io_context loop_;
  test::FakeClock clock_;
  test::FakeCluster cluster_;
  test::RecordingLogger logger_;
  Candidate a_{cluster_, clock_, logger_, "a"};
  Candidate b_{cluster_, clock_, logger_, "b"};
  Candidate c_{cluster_, clock_, logger_, "c"};
  std::size_t most_at_once_ = 0;
};

// Four parts, for tests to run beside each other.
class LeaderRaceTest : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(LeaderRaceTest, NeverDoTwoLeadAtOnceIn250Races) {
  int elections = 0;
  for (std::uint64_t seed = GetParam(); seed < GetParam() + 250; ++seed) {
    Race race(seed);
    race.run();
    race.settle();
    ASSERT_EQ(race.most_at_once(), 1U) << "seed " << seed;
    ASSERT_EQ(race.leaders(), 1U) << "seed " << seed;
    for (const Candidate* one : race.all()) {
      elections += one->gained;
      ASSERT_GE(one->gained, one->lost) << "seed " << seed;
      ASSERT_LE(one->gained, one->lost + 1) << "seed " << seed;
    }
  }
  EXPECT_GT(elections, 500) << "the races must have been races";
}

INSTANTIATE_TEST_SUITE_P(from_seed, LeaderRaceTest, ::testing::Values(1, 251, 501, 751),
                         ::testing::PrintToStringParamName());

TEST(MicroTimeTest, SixDigitsAreAlwaysWritten) {
  const auto second = std::chrono::system_clock::from_time_t(1'770'091'506);
  EXPECT_EQ(text::format_micro_time(second), "2026-02-03T04:05:06.000000Z");
  EXPECT_EQ(text::format_micro_time(second + std::chrono::microseconds(1'002'003)),
            "2026-02-03T04:05:07.002003Z");
  EXPECT_EQ(text::format_micro_time(second + std::chrono::nanoseconds(999'999'999)),
            "2026-02-03T04:05:06.999999Z")
      << "cut, not rounded";
}

}  // namespace
}  // namespace dynamo::kube
