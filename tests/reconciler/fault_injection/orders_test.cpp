// Reconciles of all controllers and writes of other clients in random order: the in-memory API
// server acts as the scheduler, with a seed. Each run must end as if the final state had been
// requested from the start. Some of a thousand orders run here; DYNAMO_ORDERS=FIRST-LAST runs a
// range, and the step `long` runs all of them.
#include <cstdlib>
#include <string>
#include <vector>

#include "json/writer.hpp"
#include "tests/reconciler/fault_injection/fault_injection_fixture.hpp"
#include "tests/reconciler/fault_injection/interleaved_reconciles.hpp"
#include "tests/support/sanitizers.hpp"

namespace dynamo::reconciler {
namespace {

constexpr std::uint64_t kSeeds = 1'000;
constexpr std::uint64_t kEvery = kSeeds / test::played(std::uint64_t{20});
constexpr int kRounds = 8;

// The state that other clients request.
struct RequestedState {
  std::string image = "a:1";
  std::string front = "1";
  std::string work = "1";
  std::string uri = "s3://b/k";
  bool has_second_slice = false;

  void put(FaultInjectionFixture& fixture) const {
    fixture.cluster.merge(kGraphs, kSpace, "g",
                          R"({"spec":{"restart":null,"services":{"Front":{"replicas":)" + front +
                              R"(},"Work":{"extraPodSpec":{"mainContainer":{"image":")" + image +
                              R"("}}}}}})");
    fixture.cluster.merge(model::kModels, kSpace, "m",
                          R"({"spec":{"source":{"uri":")" + uri + R"("}}})");
    if (fixture.find(kAdapters, "g-work")) {
      fixture.cluster.merge(kAdapters, kSpace, "g-work", R"({"spec":{"replicas":)" + work + "}}");
    }
    const bool has = fixture.find(kube::kEndpointSlices, "s2").has_value();
    if (has_second_slice && !has) fixture.put_slice("s2", "10.0.0.2");
    if (!has_second_slice && has) fixture.cluster.erase(kube::kEndpointSlices, kSpace, "s2");
  }
};

class RandomOrder {
 public:
  explicit RandomOrder(std::uint64_t seed) : order_(fixture_, seed) {
    fixture_.put_all();
    fixture_.start_process();
  }

  void run() {
    for (int round = 0; round < kRounds; ++round) {
      order_.start_reconciles();
      order_.run_handlers(order_.below(20));
      write_as_another();
      order_.run_handlers(order_.below(20));
      order_.refresh_caches();
    }
    ASSERT_TRUE(order_.finish());
    fixture_.settle();
    requested_.put(fixture_);
    fixture_.settle();
    // If the graph was refused until now, its adapter exists only now.
    requested_.put(fixture_);
    fixture_.settle();
  }

  void expect_requested_state() {
    FaultInjectionFixture fresh;
    fresh.put_all();
    fresh.start_process();
    fresh.settle();
    requested_.put(fresh);
    fresh.settle();
    EXPECT_EQ(fixture_.snapshot(), fresh.snapshot());
    EXPECT_EQ(fixture_.transport.deletes, 0U);
    const json::Value annotations = graph()["metadata"]["annotations"];
    EXPECT_EQ(annotations["note"].string_or_empty(), note_);
  }

 private:
  json::Value graph() {
    graph_ = fixture_.find(kGraphs, "g").value();
    return graph_.root();
  }
  void write_as_another() {
    const std::string number = std::to_string(1 + order_.below(8));
    switch (order_.below(9)) {
      case 0:
        requested_.image = "a:" + number;
        break;
      case 1:
        requested_.front = number;
        break;
      case 2:
        requested_.work = number;
        break;
      case 3:
        requested_.uri = "s3://b/" + number;
        break;
      case 4:
        requested_.has_second_slice = !requested_.has_second_slice;
        break;
      case 5:
        note_ = number;
        fixture_.cluster.merge(kGraphs, kSpace, "g",
                               R"({"metadata":{"annotations":{"note":")" + number + R"("}}})");
        return;
      case 6:  // refused until the next change
        fixture_.cluster.merge(kGraphs, kSpace, "g", R"({"spec":{"restart":{"id":""}}})");
        return;
      case 7:
        if (fixture_.find(kDeployments, "g-work")) {
          fixture_.cluster.erase(kDeployments, kSpace, "g-work");
        }
        return;
      default:
        fixture_.roll_out_deployments();
        return;
    }
    requested_.put(fixture_);
  }

  FaultInjectionFixture fixture_;
  InterleavedReconciles order_;
  RequestedState requested_;
  std::string note_;
  kube::Object graph_;
};

void run_order(std::uint64_t seed) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  RandomOrder order(seed);
  order.run();
  if (!testing::Test::HasFailure()) order.expect_requested_state();
}

// A sample of the seeds, or those of DYNAMO_ORDERS=FIRST-LAST: all seeds take minutes.
std::vector<std::uint64_t> chosen_seeds() {
  std::uint64_t first = 0;
  std::uint64_t last = kSeeds - 1;
  const char* const range = std::getenv("DYNAMO_ORDERS");
  if (range != nullptr) {
    char* rest = nullptr;
    first = std::strtoull(range, &rest, 10);
    last = *rest == '-' ? std::strtoull(rest + 1, nullptr, 10) : first;
  }
  std::vector<std::uint64_t> seeds;
  const std::uint64_t step = range == nullptr ? kEvery : 1;
  for (std::uint64_t seed = first; seed <= last; seed += step) seeds.push_back(seed);
  return seeds;
}

class Orders : public testing::TestWithParam<std::uint64_t> {};

TEST_P(Orders, FinalStateDependsOnLastRequestOnly) {
  run_order(GetParam());
}
INSTANTIATE_TEST_SUITE_P(Seed, Orders, testing::ValuesIn(chosen_seeds()),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace dynamo::reconciler
