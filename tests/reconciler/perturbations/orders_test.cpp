// Reconciles of all controllers and writes of other clients in random order: the in-memory API
// server acts as the scheduler, with a seed. Each run must end as if the final state had been
// requested from the start. Some of a thousand orders run here; DYNAMO_ORDERS=FIRST-LAST runs a
// range, and the step `long` runs all of them.
#include <cstdlib>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "json/writer.hpp"
#include "tests/reconciler/perturbations/stage.hpp"
#include "tests/support/sanitizers.hpp"

namespace dynamo::reconciler {
namespace {

constexpr std::uint64_t kSeeds = 1'000;
constexpr std::uint64_t kEvery = kSeeds / test::played(std::uint64_t{20});
constexpr int kRounds = 8;

// The state that other clients request.
struct Asked {
  std::string image = "a:1";
  std::string front = "1";
  std::string work = "1";
  std::string uri = "s3://b/k";
  bool has_second_slice = false;

  void put(Stage& stage) const {
    stage.cluster.merge(kGraphs, kSpace, "g",
                        R"({"spec":{"restart":null,"services":{"Front":{"replicas":)" + front +
                            R"(},"Work":{"extraPodSpec":{"mainContainer":{"image":")" + image +
                            R"("}}}}}})");
    stage.cluster.merge(model::kModels, kSpace, "m",
                        R"({"spec":{"source":{"uri":")" + uri + R"("}}})");
    if (stage.find(kAdapters, "g-work")) {
      stage.cluster.merge(kAdapters, kSpace, "g-work", R"({"spec":{"replicas":)" + work + "}}");
    }
    const bool has = stage.find(kube::kEndpointSlices, "s2").has_value();
    if (has_second_slice && !has) stage.put_slice("s2", "10.0.0.2");
    if (!has_second_slice && has) stage.cluster.erase(kube::kEndpointSlices, kSpace, "s2");
  }
};

class Order {
 public:
  explicit Order(std::uint64_t seed) : random_(seed) {
    stage_.put_all();
    stage_.begin();
    stage_.cluster.interleave(seed);
  }

  void run() {
    for (int round = 0; round < kRounds; ++round) {
      begin_some();
      turn(below(20));
      write_as_another();
      turn(below(20));
      look();
    }
    const auto is_idle = [this] { return busy_.empty(); };
    ASSERT_TRUE(test::run_until(stage_.loop, is_idle));
    ASSERT_FALSE(has_thrown_);
    stage_.cluster.interleave(std::nullopt);
    stage_.settle();
    asked_.put(stage_);
    stage_.settle();
    // If the graph was refused until now, its adapter exists only now.
    asked_.put(stage_);
    stage_.settle();
  }

  void expect_all_is_well() {
    Stage fresh;
    fresh.put_all();
    fresh.begin();
    fresh.settle();
    asked_.put(fresh);
    fresh.settle();
    EXPECT_EQ(stage_.picture(), fresh.picture());
    EXPECT_EQ(stage_.line.deletes, 0U);
    const json::Value annotations = graph()["metadata"]["annotations"];
    EXPECT_EQ(annotations["note"].string_or_empty(), note_);
  }

 private:
  json::Value graph() {
    graph_ = stage_.find(kGraphs, "g").value();
    return graph_.root();
  }
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }
  bool coin() { return below(2) == 0; }
  void turn(std::size_t handlers) {
    stage_.loop.restart();
    for (std::size_t i = 0; i < handlers; ++i) stage_.loop.poll_one();
  }
  // Updates some caches, or all: watches progress independently.
  void look() {
    for (const auto& reconciler : stage_.process->reconcilers) {
      if (coin()) stage_.process->cache->show(reconciler->resource());
    }
    if (coin()) stage_.process->cache->show();
  }

  void begin_some() {
    for (std::size_t i = 0; i < stage_.process->reconcilers.size(); ++i) {
      const auto& reconciler = stage_.process->reconcilers[i];
      for (const kube::ObjectKey& key : stage_.process->cache->at(reconciler->resource()).keys()) {
        const std::pair<const Reconciler*, kube::ObjectKey> work(reconciler.get(), key);
        if (coin() || busy_.contains(work)) continue;
        // A reconcile sees the writes of the previous one of its key.
        stage_.process->cache->show();
        busy_.insert(work);
        boost::asio::co_spawn(stage_.loop,
                              ended(reconciler->reconcile(key, *stage_.process->contexts[i])),
                              [this, work](const std::exception_ptr& thrown) {
                                busy_.erase(work);
                                if (thrown) has_thrown_ = true;
                              });
      }
    }
  }
  static aio::Task<> ended(aio::Task<kube::ReconcileResult> task) { co_await std::move(task); }

  void write_as_another() {
    const std::string number = std::to_string(1 + below(8));
    switch (below(9)) {
      case 0:
        asked_.image = "a:" + number;
        break;
      case 1:
        asked_.front = number;
        break;
      case 2:
        asked_.work = number;
        break;
      case 3:
        asked_.uri = "s3://b/" + number;
        break;
      case 4:
        asked_.has_second_slice = !asked_.has_second_slice;
        break;
      case 5:
        note_ = number;
        stage_.cluster.merge(kGraphs, kSpace, "g",
                             R"({"metadata":{"annotations":{"note":")" + number + R"("}}})");
        return;
      case 6:  // refused until the next change
        stage_.cluster.merge(kGraphs, kSpace, "g", R"({"spec":{"restart":{"id":""}}})");
        return;
      case 7:
        if (stage_.find(kDeployments, "g-work")) {
          stage_.cluster.erase(kDeployments, kSpace, "g-work");
        }
        return;
      default:
        stage_.play();
        return;
    }
    asked_.put(stage_);
  }

  std::mt19937_64 random_;
  Stage stage_;
  Asked asked_;
  std::string note_;
  kube::Object graph_;
  std::set<std::pair<const Reconciler*, kube::ObjectKey>> busy_;
  bool has_thrown_ = false;
};

void expect_well(std::uint64_t seed) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  Order order(seed);
  order.run();
  if (!testing::Test::HasFailure()) order.expect_all_is_well();
}

// A sample of the seeds, or those of DYNAMO_ORDERS=FIRST-LAST: all seeds take minutes.
std::vector<std::uint64_t> chosen_seeds() {
  std::uint64_t first = 0;
  std::uint64_t last = kSeeds - 1;
  const char* const asked = std::getenv("DYNAMO_ORDERS");
  if (asked != nullptr) {
    char* rest = nullptr;
    first = std::strtoull(asked, &rest, 10);
    last = *rest == '-' ? std::strtoull(rest + 1, nullptr, 10) : first;
  }
  std::vector<std::uint64_t> seeds;
  const std::uint64_t step = asked == nullptr ? kEvery : 1;
  for (std::uint64_t seed = first; seed <= last; seed += step) seeds.push_back(seed);
  return seeds;
}

class Orders : public testing::TestWithParam<std::uint64_t> {};

TEST_P(Orders, FinalStateDependsOnLastRequestOnly) {
  expect_well(GetParam());
}
INSTANTIATE_TEST_SUITE_P(Seed, Orders, testing::ValuesIn(chosen_seeds()),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace dynamo::reconciler
