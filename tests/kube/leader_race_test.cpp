#include <boost/asio/co_spawn.hpp>
#include <random>
#include <stdexcept>

#include "aio/pause.hpp"
#include "aio/task_group.hpp"
#include "tests/kube/candidate.hpp"
#include "tests/kube/kube_fixture.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/sanitizers.hpp"

namespace dynamo::kube {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::Fault;

// Random steps of three replicas, faults and time, one iteration of the loop at a time.
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
          // Pauses a replica for up to longer than every timeout.
          if (random_() % 8 == 0) clock_.tick(milliseconds(random_() % 20'000));
          break;
        default:
          begin(one, one.election.step());
      }
      for (auto iterations = random_() % 6; iterations > 0; --iterations) run_iteration();
    }
    drain();
  }

  // Without faults one replica leads in the end.
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

  bool run_iteration() {
    loop_.restart();
    const bool did_something = loop_.poll_one() != 0;
    most_at_once_ = std::max(most_at_once_, leaders());
    return did_something;
  }
  void drain() {
    for (int i = 0; i < 1000 && run_iteration(); ++i) {
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

// Four parts, so that they can run in parallel.
class LeaderRaceTest : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(LeaderRaceTest, AtMostOneLeadsIn250Races) {
  constexpr std::uint64_t kRaces = test::played(std::uint64_t{250});
  std::uint64_t elections = 0;
  for (std::uint64_t seed = GetParam(); seed < GetParam() + kRaces; ++seed) {
    Race race(seed);
    race.run();
    race.settle();
    ASSERT_EQ(race.most_at_once(), 1U) << "seed " << seed;
    ASSERT_EQ(race.leaders(), 1U) << "seed " << seed;
    for (const Candidate* one : race.all()) {
      elections += static_cast<std::uint64_t>(one->gained);
      ASSERT_GE(one->gained, one->lost) << "seed " << seed;
      ASSERT_LE(one->gained, one->lost + 1) << "seed " << seed;
    }
  }
  EXPECT_GT(elections, 2 * kRaces) << "the races must have been races";
}

INSTANTIATE_TEST_SUITE_P(from_seed, LeaderRaceTest, ::testing::Values(1, 251, 501, 751),
                         ::testing::PrintToStringParamName());

}  // namespace
}  // namespace dynamo::kube
