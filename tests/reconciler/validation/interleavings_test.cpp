// Reconciles of several controllers and writes of other clients in random order: the in-memory API
// server acts as the scheduler, with a seed. In any order, foreign writes are kept, the verdict
// matches the stored object, and nothing is done twice.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "json/writer.hpp"
#include "kube/object/conditions.hpp"
#include "kube/object/object_meta.hpp"
#include "reconciler/engine/resources.hpp"
#include "reconciler/scaling_adapter/plan.hpp"
#include "reconciler/scaling_adapter/reconciler.hpp"
#include "reconciler/validation/reconciler.hpp"
#include "tests/reconciler/reconcile_fixture.hpp"
#include "tests/support/sanitizers.hpp"

namespace dynamo::reconciler::validation {
namespace {

constexpr std::uint64_t kSeeds = 125;  // for each of eight tests
constexpr std::uint64_t kParts = 8;
constexpr int kRounds = 8;
constexpr const char* kSpace = "team-a";

const kube::Resource kGraphs = resource_of(api::Kind::kGraphDeployment);
const kube::Resource kModels = resource_of(api::Kind::kModel);
const kube::Resource kAdapters = resource_of(api::Kind::kScalingAdapter);

constexpr const char* kGoodServices =
    R"({"Decode":{"componentType":"worker","replicas":1,"scalingAdapter":{"enabled":true},)"
    R"("extraPodSpec":{"mainContainer":{"image":"a"}}}})";

// Reconciles one key of one controller, one reconcile at a time.
struct Worker {
  Reconciler* reconciler = nullptr;
  kube::ObjectKey key = {};
  bool is_busy = false;
  bool has_written = false;  // the next reconcile must see its writes
  // The result of the last reconcile, and the object it observed.
  bool is_timer_only = false;
  std::optional<kube::Object> looked_at = {};
  std::unique_ptr<test::FakeReconcileContext> context = {};
};

class Interleaving {
 public:
  explicit Interleaving(std::uint64_t seed)
      : random_(seed),
        settings_{.record_interval = std::chrono::milliseconds(seed % 2 == 0 ? 0 : 20)} {
    put_all();
    cluster_.interleave(seed);
    std::vector<WatchSpec> watched;
    for (Reconciler* const each :
         std::initializer_list<Reconciler*>{&graphs_, &models_, &scaling_}) {
      const auto& more = each->spec().watches;
      watched.insert(watched.end(), more.begin(), more.end());
    }
    cache_ = std::make_unique<test::FakeCache>(cluster_, watched, logger_);
    add_worker(graphs_, "g");
    add_worker(models_, "m");
    add_worker(scaling_, "a");
  }

  void run() {
    for (int round = 0; round < kRounds; ++round) {
      for (Worker& each : workers_) {
        if (coin()) begin(each);
      }
      run_handlers(below(12));
      write_as_another();
      if (coin()) cache_->show();
      run_handlers(below(12));
      clock_.tick(std::chrono::seconds(below(3)));
    }
    finish();
    settle();
  }

  void expect_all_is_well() {
    const kube::Object graph = find(kGraphs, "g");
    const kube::Object model = find(kModels, "m");
    expect_verdict(graph, services_ != "{}" && backend_ == recorded_backend());
    expect_verdict(model, base_ == recorded_base());
    expect_others_untouched(graph, model);
    const kube::Object adapter = find(kAdapters, "a");
    EXPECT_EQ(adapter.root()["spec"]["replicas"].integer(), autoscaled_);
    const json::Value replicas = graph.root()["spec"]["services"]["Decode"]["replicas"];
    if (services_ != "{}") {
      EXPECT_EQ(replicas.integer(), autoscaled_);
    }
    EXPECT_EQ(cluster_.count({.method = kube::HttpMethod::kPost, .client = "reconciler"}), 0U);
    EXPECT_EQ(cluster_.count({.method = kube::HttpMethod::kDelete, .client = "reconciler"}), 0U);
    for (const auto& [kind, generation] :
         {std::pair("DynamoGraphDeployment", kube::generation_of(graph)),
          std::pair("DynamoModel", kube::generation_of(model))}) {
      EXPECT_LE(failures_reported(kind), generation) << "at most once for each generation";
    }
  }

 private:
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }
  bool coin() { return below(2) == 0; }

  // --- The scheduler.

  void add_worker(Reconciler& reconciler, const std::string& name) {
    Worker worker;
    worker.reconciler = &reconciler;
    worker.key = {.namespace_name = kSpace, .name = name};
    worker.context =
        std::make_unique<test::FakeReconcileContext>(*cache_, client_, clock_, logger_);
    workers_.push_back(std::move(worker));
  }
  void begin(Worker& worker) {
    if (worker.is_busy) return;
    if (std::exchange(worker.has_written, false)) cache_->show();
    worker.is_busy = true;
    worker.context->begin();
    worker.context->timer_wakeup = is_timer_wakeup(worker);
    const std::size_t before = writes();
    boost::asio::co_spawn(loop_,
                          ended(worker, worker.reconciler->reconcile(worker.key, *worker.context)),
                          [this, &worker, before](const std::exception_ptr& thrown) {
                            worker.is_busy = false;
                            worker.has_written = writes() != before;
                            if (thrown) defects_ = true;
                          });
  }
  // Like the queue: nothing has arrived since a reconcile that only waits for its time.
  bool is_timer_wakeup(Worker& worker) {
    const auto shown =
        std::as_const(*cache_).at(worker.reconciler->spec().resource).find(worker.key);
    const auto before = std::exchange(worker.looked_at, shown);
    if (!std::exchange(worker.is_timer_only, false) || !before || !shown) return false;
    return !worker.reconciler->should_reconcile(
        {.key = worker.key, .before = &*before, .now = &*shown});
  }
  static aio::Task<> ended(Worker& worker, aio::Task<kube::ReconcileResult> task) {
    const kube::ReconcileResult result = co_await std::move(task);
    worker.is_timer_only = result.is_timer_only;
  }
  void run_handlers(std::size_t handlers) {
    loop_.restart();
    for (std::size_t i = 0; i < handlers; ++i) loop_.poll_one();
  }
  void finish() {
    const auto is_idle = [this] { return std::ranges::none_of(workers_, &Worker::is_busy); };
    ASSERT_TRUE(test::run_until(loop_, is_idle));
    ASSERT_FALSE(defects_);
  }
  // Runs until nothing is written, including delayed records.
  void settle() {
    int silent = 0;
    for (int i = 0; i < 20 && silent < 3; ++i) {
      const std::size_t before = writes();
      for (Worker& each : workers_) {
        cache_->show();
        begin(each);
        finish();
      }
      silent = writes() == before ? silent + 1 : 0;
      clock_.tick(std::chrono::seconds(2));
    }
    ASSERT_EQ(silent, 3) << "twenty rounds did not settle it";
  }
  std::size_t writes() const { return cluster_.count({.method = kube::HttpMethod::kPatch}); }

  // --- Other clients.

  void put_all() {
    cluster_.put(kGraphs, R"({"metadata":{"name":"g","namespace":"team-a"},"spec":)"
                          R"({"backendFramework":"vllm","services":)" +
                              services_ + "}}");
    cluster_.put(kModels, R"({"metadata":{"name":"m","namespace":"team-a"},"spec":)"
                          R"({"modelName":"x","baseModelName":"b","modelType":"base"}})");
    cluster_.put(kAdapters, R"({"metadata":{"name":"a","namespace":"team-a","labels":)"
                            R"({"nvidia.com/dynamo-graph-deployment-name":"g"}},"spec":)"
                            R"({"replicas":1,"dgdRef":{"name":"g","serviceName":"Decode"}}})");
  }
  void merge(const kube::Resource& resource, const std::string& name, const std::string& patch) {
    cluster_.merge(resource, kSpace, name, patch, "another");
  }
  void write_as_another() {
    const std::string number = std::to_string(below(9));
    switch (below(7)) {
      case 0:
        services_ = services_ == "{}" ? kGoodServices : "{}";
        merge(kGraphs, "g",
              services_ == "{}" ? R"({"spec":{"services":null}})"
                                : R"({"spec":{"services":)" + services_ + "}}");
        break;
      case 1:
        backend_ = backend_ == "vllm" ? "sglang" : "vllm";
        merge(kGraphs, "g", R"({"spec":{"backendFramework":")" + backend_ + "\"}}");
        break;
      case 2:
        ready_reason_ = "Reason" + number;
        write_ready();
        break;
      case 3:
        autoscaled_ = static_cast<std::int64_t>(below(9));
        merge(kAdapters, "a", R"({"spec":{"replicas":)" + std::to_string(autoscaled_) + "}}");
        break;
      case 4:
        base_ = base_ == "b" ? "c" : "b";
        merge(kModels, "m", R"({"spec":{"baseModelName":")" + base_ + "\"}}");
        break;
      case 5:
        counted_ = number;
        merge(kModels, "m",
              R"({"status":{"readyEndpoints":)" + number + R"(,"totalEndpoints":)" + number + "}}");
        break;
      default:
        note_ = number;
        merge(kGraphs, "g", R"({"metadata":{"annotations":{"note":")" + number + "\"}}}");
    }
  }
  // Like the operator: sets its condition in the list that it has just read.
  void write_ready() {
    const kube::Object graph = find(kGraphs, "g");
    kube::Conditions all = kube::Conditions::read(graph.root()["status"]["conditions"]);
    kube::Condition ready;
    ready.type = "Ready";
    ready.status = kube::ConditionStatus::kFalse;
    ready.reason = ready_reason_;
    all.set(std::move(ready), clock_.wall());
    std::string patch;
    json::Writer writer(patch);
    writer.start_object().key("status").start_object().member("state", "pending");
    writer.key("conditions");
    all.write(writer);
    writer.end_object().end_object();
    merge(kGraphs, "g", patch);
  }

  // --- Results.

  kube::Object find(const kube::Resource& resource, const std::string& name) const {
    return cluster_.find(resource, kSpace, name).value();
  }
  json::Value recorded(const kube::Resource& resource, const std::string& name) {
    record_ = read_record(find(resource, name));
    EXPECT_EQ(record_.state, RecordState::kRead);
    spec_ = kube::Object::parse(record_.spec.empty() ? "{}" : record_.spec).value();
    return spec_.root();
  }
  std::string recorded_backend() {
    return std::string(recorded(kGraphs, "g")["backendFramework"].string_or_empty());
  }
  std::string recorded_base() {
    return std::string(recorded(kModels, "m")["baseModelName"].string_or_empty());
  }
  static void expect_verdict(const kube::Object& object, bool is_valid) {
    const auto conditions = kube::Conditions::read(object.root()["status"]["conditions"]);
    const kube::Condition* const ours = conditions.find(kOwnCondition);
    ASSERT_NE(ours, nullptr);
    EXPECT_EQ(ours->status == kube::ConditionStatus::kTrue, is_valid) << ours->message;
    EXPECT_EQ(ours->observed_generation, kube::generation_of(object));
  }
  void expect_others_untouched(const kube::Object& graph, const kube::Object& model) const {
    const auto conditions = kube::Conditions::read(graph.root()["status"]["conditions"]);
    if (const kube::Condition* const ready = conditions.find("Ready");
        ready != nullptr || !ready_reason_.empty()) {
      ASSERT_NE(ready, nullptr) << "the operator's condition is gone";
      EXPECT_EQ(ready->reason, ready_reason_);
      EXPECT_EQ(graph.root()["status"]["state"].string_or_empty(), "pending");
    }
    EXPECT_EQ(graph.root()["metadata"]["annotations"]["note"].string_or_empty(), note_);
    EXPECT_EQ(json::to_text(model.root()["status"]["totalEndpoints"]), counted_);
  }
  std::int64_t failures_reported(const std::string& kind) const {
    std::int64_t count = 0;
    for (const Worker& each : workers_) {
      count += std::ranges::count_if(each.context->events, [&kind](const std::string& event) {
        return event.starts_with("Warning ValidationFailed on " + kind + "/");
      });
    }
    return count;
  }

  std::mt19937_64 random_;
  std::string services_ = kGoodServices;
  std::string backend_ = "vllm";
  std::string base_ = "b";
  std::string ready_reason_;
  std::string note_;
  std::string counted_ = "0";
  std::int64_t autoscaled_ = 1;
  bool defects_ = false;

  boost::asio::io_context loop_{1};
  test::FakeClock clock_;
  test::FakeCluster cluster_{&clock_};
  std::unique_ptr<kube::Transport> connection_ = cluster_.connect("reconciler");
  kube::Client client_{*connection_, std::chrono::seconds(10)};
  test::RecordingLogger logger_;
  ClusterState cluster_state_{clock_};
  // With even seeds, records are written with the verdicts; with odd ones, after them.
  const ValidationSettings settings_;
  const std::shared_ptr<RecordPace> pace_ = std::make_shared<RecordPace>(settings_.record_interval);
  ValidationReconciler graphs_{api::Kind::kGraphDeployment, settings_, cluster_state_, pace_};
  ValidationReconciler models_{api::Kind::kModel, settings_, cluster_state_, pace_};
  scaling_adapter::ScalingAdapterReconciler scaling_;
  std::unique_ptr<test::FakeCache> cache_;
  std::vector<Worker> workers_;
  Record record_;
  kube::Object spec_;
};

class Interleavings : public testing::TestWithParam<std::uint64_t> {};

TEST_P(Interleavings, EveryOrderEndsWithACurrentVerdict) {
  for (std::uint64_t i = 0; i < test::played(kSeeds); ++i) {
    const std::uint64_t seed = GetParam() * kSeeds + i;
    SCOPED_TRACE("seed " + std::to_string(seed));
    Interleaving interleaving(seed);
    interleaving.run();
    if (!HasFailure()) interleaving.expect_all_is_well();
    ASSERT_FALSE(HasFailure()) << "the first seed that fails: " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Part, Interleavings, testing::Range(std::uint64_t{0}, kParts));

}  // namespace
}  // namespace dynamo::reconciler::validation
