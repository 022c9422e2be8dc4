// A single watch that delivers no events. Runs in real time, except for minutes, with in-memory API
// servers: one process per case, all in one event loop.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "kube/object/object_meta.hpp"
#include "reconciler/app/manager.hpp"
#include "reconciler/engine/metrics.hpp"
#include "tests/reconciler/fault_injection/fault_injection_fixture.hpp"
#include "tests/reconciler/fault_injection/frozen_watches.hpp"
#include "tests/support/sanitizers.hpp"

namespace dynamo::reconciler {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::IsEmpty;

// Bodies that differ only in their timestamps count as equal.
std::string without_times(std::string body) {
  const std::string time = "\"lastTransitionTime\":\"";
  for (std::size_t at = body.find(time); at != std::string::npos; at = body.find(time)) {
    body.erase(at, body.find('"', at + time.size()) + 1 - at);
  }
  return body;
}

bool is_event(const test::Call& call) {
  return plural_of(call.target) == "events";
}

// A process in replacement mode with a graph and a model.
class RunningManager {
 public:
  RunningManager(boost::asio::io_context& loop, std::vector<std::string> controllers) {
    for (const char* plural : {"leaderworkersets", "podgroups", "inferencepools", "podcliquesets",
                               "podcliques", "podcliquescalinggroups", "queues"}) {
      cluster.fail({.method = kube::HttpMethod::kGet, .path = std::string("/") + plural},
                   {.kind = test::Fault::Kind::kStatus, .status = 404, .reason = "NotFound"},
                   1'000);
    }
    cluster.put({"rbac.authorization.k8s.io", "v1", "clusterroles", "ClusterRole", false},
                R"({"metadata":{"name":"planner"}})");
    Options options;
    options.mode = validation::Mode::kReplacement;
    options.controllers = std::move(controllers);
    options.planner_cluster_role = "planner";
    options.leader_elect = false;
    manager_.emplace(options, Manager::Dependencies{
                                  .loop = loop,
                                  .connect = [this](auto&&...) -> std::unique_ptr<kube::Transport> {
                                    return std::make_unique<FreezableTransport>(
                                        cluster.connect("ours"), freezer);
                                  },
                                  .clock = clock,
                                  .logger = logger_,
                                  .metrics = metrics_,
                                  .identity = "test",
                                  .own_namespace = "dynamo",
                                  .more = {&models_}});
    manager_->start();
  }

  void put_all() {
    cluster.put(kGraphs,
                R"({"metadata":{"name":"g","namespace":"ml"},"spec":{"backendFramework":"vllm",)"
                R"("services":{"Front":{"componentType":"frontend","replicas":1,)"
                R"("extraPodSpec":{"mainContainer":{"image":"a:1"}}},)"
                R"("Work":{"componentType":"worker","replicas":1,)"
                R"("scalingAdapter":{"enabled":true},)"
                R"("extraPodSpec":{"mainContainer":{"image":"a:1"}}}}}})");
    cluster.put(model::kModels, R"({"metadata":{"name":"m","namespace":"ml"},"spec":)"
                                R"({"modelName":"a","baseModelName":"Qwen/Qwen3-0.6B",)"
                                R"("modelType":"lora","source":{"uri":"s3://b/k"}}})");
    put_slice("s1", "10.0.0.1");
  }
  // Changes the graph, the adapter's count, and the servers of the model.
  void change_all() {
    cluster.merge(kGraphs, kSpace, "g",
                  R"({"spec":{"services":{"Work":{"extraPodSpec":{"mainContainer":)"
                  R"({"image":"a:2"}}}}}})");
    cluster.merge(kAdapters, kSpace, "g-work", R"({"spec":{"replicas":2}})");
    put_slice("s2", "10.0.0.2");
  }
  // Triggers a reconcile of every object.
  void touch_all(int number) {
    const std::string text =
        R"({"metadata":{"annotations":{"look":")" + std::to_string(number) + R"("}}})";
    for (const kube::Resource& resource :
         {kGraphs, kComponents, kAdapters, kDeployments, kube::kServices, model::kModels,
          kube::kEndpointSlices}) {
      for (const kube::Object& each : cluster.all(resource)) {
        cluster.merge(resource, kSpace, each.name(), text);
      }
    }
  }
  // Simulates the Deployment controller.
  void roll_out_deployments() {
    if (std::exchange(played_, cluster.version()) == cluster.version()) return;
    for (const kube::Object& each : cluster.all(kDeployments)) {
      const std::int64_t generation = kube::generation_of(each);
      if (each.root()["status"]["observedGeneration"].integer() == generation) continue;
      const std::string count =
          std::to_string(each.root()["spec"]["replicas"].integer().value_or(1));
      std::string status = R"({"status":{"observedGeneration":)" + std::to_string(generation);
      for (const char* member :
           {"replicas", "updatedReplicas", "readyReplicas", "availableReplicas"}) {
        status += std::string(",\"") + member + "\":" + count;
      }
      status += R"(,"conditions":[{"type":"Available","status":"True"}]}})";
      cluster.merge(kDeployments, kSpace, each.name(), status);
    }
    is_ready_ = runs() && state() == "successful";
  }
  // The model is loaded on that many servers, and the graph matches its spec.
  bool is_ready(int servers) { return is_ready_ && ready_servers() == servers; }
  // Additionally, the admission records are written, which happens last.
  bool is_recorded(int servers) {
    if (!is_ready(servers)) return false;
    const auto has_record = [this](const kube::Resource& resource, const char* object) {
      const kube::Object found = cluster.find(resource, kSpace, object).value();
      return found.root()["metadata"]["annotations"][kRecordAnnotation].exists();
    };
    return has_record(kGraphs, "g") && has_record(kComponents, "g-front") &&
           has_record(kComponents, "g-work") && has_record(model::kModels, "m");
  }

  // Our writes, except events.
  std::vector<test::Call> writes() const {
    std::vector<test::Call> found;
    std::ranges::copy_if(cluster.calls(), std::back_inserter(found), [](const test::Call& call) {
      return call.client == "ours" && call.method != kube::HttpMethod::kGet && !is_event(call);
    });
    return found;
  }
  std::size_t events() const {
    const auto count = std::ranges::count_if(cluster.calls(), [](const test::Call& call) {
      return call.client == "ours" && call.method != kube::HttpMethod::kGet && is_event(call);
    });
    return static_cast<std::size_t>(count);
  }
  // By target, without the query.
  std::map<std::string, int> counts() const {
    std::map<std::string, int> counted;
    for (const test::Call& call : writes()) ++counted[call.target.substr(0, call.target.find('?'))];
    return counted;
  }
  std::map<std::string, int> counts(const std::string& plural) const {
    auto counted = counts();
    std::erase_if(counted, [&](const auto& each) { return plural_of(each.first) != plural; });
    return counted;
  }
  // Requests that were sent twice.
  std::vector<std::string> repeated() const {
    std::set<std::string> seen;
    std::vector<std::string> found;
    for (const test::Call& call : writes()) {
      std::string text = std::string(kube::to_string(call.method)) + " " + call.target + " " +
                         without_times(call.body);
      if (!seen.insert(text).second) found.push_back(std::move(text));
    }
    return found;
  }
  // Lists that request the most recent state.
  int quorum_lists(const std::string& plural) const {
    return static_cast<int>(
        std::ranges::count_if(cluster.calls(), [&plural](const test::Call& call) {
          return call.method == kube::HttpMethod::kGet && plural_of(call.target) == plural &&
                 call.target.find("?limit=") != std::string::npos &&
                 call.target.find("resourceVersion") == std::string::npos;
        }));
  }
  std::set<std::string> watched() const {
    std::set<std::string> plurals;
    for (const test::Call& call : cluster.calls()) {
      if (call.is_watch()) plurals.insert(plural_of(call.target));
    }
    return plurals;
  }
  std::uint64_t reconciles(const std::string& kind) const {
    std::uint64_t all = 0;
    for (const char* const result : {"success", "requeue", "error"}) {
      all += metrics_.total.value({kind, kSpace, result});
    }
    return all;
  }
  // The kinds whose reconciles have written objects of that plural.
  std::set<std::string> writers_of(const std::string& plural) const {
    const std::map<std::string, std::string> kinds_of = {
        {"graph", "DynamoGraphDeployment"},
        {"component", "DynamoComponentDeployment"},
        {"scaling-adapter", "DynamoGraphDeploymentScalingAdapter"},
        {"model", "DynamoModel"}};
    const std::string before = "fieldManager=dynamo-reconciler-";
    std::set<std::string> kinds;
    for (const test::Call& call : writes()) {
      const std::size_t at = call.target.find(before);
      if (plural_of(call.target) != plural || at == std::string::npos) continue;
      const std::string manager = call.target.substr(at + before.size());
      kinds.insert(kinds_of.at(manager.substr(0, manager.find('&'))));
    }
    return kinds;
  }
  // The number of triggers for objects of that kind.
  std::uint64_t adds(const std::string& kind) {
    return static_cast<std::uint64_t>(values_of("queue_adds_total", "resource_type")[kind]);
  }
  // By the plural of the watched resource.
  std::map<std::string, double> silences() {
    std::map<std::string, double> by_plural;
    for (const auto& [resource, silence] : values_of("watch_silent_seconds", "resource")) {
      by_plural[resource.substr(resource.find('/') + 1)] = silence;
    }
    return by_plural;
  }

  std::string name;
  WatchFreezer freezer;
  test::FakeCluster cluster{nullptr};
  test::LeapingClock clock;

 private:
  // The values of a metric by the value of that label.
  std::map<std::string, double> values_of(const std::string& metric, const std::string& label) {
    const std::string series = "dynamo_reconciler_" + metric + "{";
    const std::string before = label + "=\"";
    std::map<std::string, double> found;
    std::istringstream text(registry_.serialise());
    for (std::string line; std::getline(text, line);) {
      const std::size_t at = line.find(before);
      if (!line.starts_with(series) || at == std::string::npos) continue;
      const std::size_t begin = at + before.size();
      found[line.substr(begin, line.find('"', begin) - begin)] =
          std::stod(line.substr(line.rfind(' ')));
    }
    return found;
  }
  void put_slice(const std::string& slice, const std::string& address) {
    cluster.put(kube::kEndpointSlices,
                R"({"addressType":"IPv4","metadata":{"name":")" + slice +
                    R"(","namespace":"ml","labels":{"kubernetes.io/service-name":"s",)"
                    R"("nvidia.com/dynamo-base-model-hash":"fb68f5a6"}},"endpoints":)"
                    R"([{"addresses":[")" +
                    address + R"("],"targetRef":{"kind":"Pod","name":"p-)" + slice + R"("}}]})");
  }
  std::string state() const {
    const auto graph = cluster.find(kGraphs, kSpace, "g");
    return graph ? std::string(graph->root()["status"]["state"].string_or_empty()) : "";
  }
  std::int64_t ready_servers() const {
    const auto model = cluster.find(model::kModels, kSpace, "m");
    return model ? model->root()["status"]["readyEndpoints"].integer().value_or(0) : 0;
  }
  bool runs() const {
    const auto graph = cluster.find(kGraphs, kSpace, "g");
    const auto deployment = cluster.find(kDeployments, kSpace, "g-work");
    if (!graph || !deployment) return false;
    const json::Value work = graph->root()["spec"]["services"]["Work"];
    const std::string image(work["extraPodSpec"]["mainContainer"]["image"].string_or_empty());
    const auto adapter = cluster.find(kAdapters, kSpace, "g-work");
    const json::Value spec = deployment->root()["spec"];
    return adapter && json::equal(work["replicas"], adapter->root()["spec"]["replicas"]) &&
           json::equal(work["replicas"], spec["replicas"]) &&
           json::to_text(spec).find(image) != std::string::npos;
  }

  test::RecordingLogger logger_;
  runtime::MetricsRegistry registry_;
  ReconcilerMetrics metrics_{registry_};
  model::ModelReconciler models_{std::make_shared<FakeEngineClient>(),
                                 model::ModelReconcilerOptions{}};
  std::optional<std::uint64_t> played_;
  bool is_ready_ = false;
  std::optional<Manager> manager_;
};

// All cases of a test, run concurrently, because each of them mostly waits.
class Cases {
 public:
  explicit Cases(std::vector<std::string> controllers) : controllers_(std::move(controllers)) {}
  RunningManager& add(std::string name) {
    all.push_back(std::make_unique<RunningManager>(loop_, controllers_));
    all.back()->name = std::move(name);
    return *all.back();
  }
  // Returns false, and reports the failing cases, after at most a minute.
  bool wait_until(const std::function<bool(RunningManager&)>& condition) {
    for (int i = 0; i < 6; ++i) {
      const bool is_met = test::run_until(loop_, [&] {
        roll_out_deployments();
        return std::ranges::all_of(all, [&](const auto& each) { return condition(*each); });
      });
      if (is_met) return true;
    }
    for (const auto& each : all) EXPECT_TRUE(condition(*each)) << each->name;
    return false;
  }
  // Waits until no client has sent requests for longer than the pause of a key between two
  // reconciles, and for as many loop iterations as fit in it: the machine may have been busy with
  // other work.
  void wait_until_quiet() {
    constexpr milliseconds kIteration{5};
    constexpr milliseconds kQuiet{350};
    std::size_t asked = 0;
    int iterations = 0;
    auto since = std::chrono::steady_clock::now();
    const auto end = since + seconds(300);
    for (auto now = since; now < end && (now - since < kQuiet || iterations < kQuiet / kIteration);
         now = std::chrono::steady_clock::now()) {
      loop_.run_for(kIteration);
      loop_.restart();
      roll_out_deployments();
      ++iterations;
      std::size_t all_asked = 0;
      for (const auto& each : all) all_asked += each->cluster.calls().size();
      if (std::exchange(asked, all_asked) == all_asked) continue;
      iterations = 0;
      since = std::chrono::steady_clock::now();
    }
  }
  void each(const std::function<void(RunningManager&)>& action) {
    for (const auto& running : all) action(*running);
  }

 private:
  void roll_out_deployments() {
    for (const auto& running : all) running->roll_out_deployments();
  }

  boost::asio::io_context loop_;
  const std::vector<std::string> controllers_;

 public:
  std::vector<std::unique_ptr<RunningManager>> all;  // destroyed before the loop
};

const std::vector<std::string> kAll = {"validation", "component", "graph", "scaling-adapter"};

// A watch that delivers no events after the first `after` ones.
struct FrozenWatch {
  std::string plural;
  int after = 0;
};
// Adds to `waiting` the number of cases that waited for their own write.
void freeze_each(std::span<const FrozenWatch> group, std::ptrdiff_t& waiting) {
  Cases cases(kAll);
  std::map<const RunningManager*, FrozenWatch> frozen;
  for (const FrozenWatch& each : group) {
    RunningManager& running = cases.add(each.plural + " after " + std::to_string(each.after));
    running.put_all();
    frozen[&running] = each;
  }
  ASSERT_TRUE(cases.wait_until([](RunningManager& running) { return running.is_recorded(1); }));
  cases.wait_until_quiet();
  cases.each([&](RunningManager& running) {
    running.cluster.clear_calls();
    running.freezer.freeze(frozen[&running].plural, frozen[&running].after);
    running.change_all();
  });
  cases.wait_until_quiet();
  // A minute later, the watches that are not frozen report that nothing has changed.
  cases.each([&](RunningManager& running) {
    const std::string& plural = frozen[&running].plural;
    EXPECT_EQ(running.quorum_lists(plural), 0) << running.name;
    // The number of events depends on how writes are batched: here all of them have been delivered.
    if (!running.freezer.holds(plural)) running.freezer.freeze(plural);
    running.clock.leap(seconds(61));
    running.cluster.send_bookmarks();
  });
  cases.wait_until_quiet();
  // Once more, for a watch that was just being reopened: a slow test may outlast a watch.
  cases.each([](RunningManager& running) { running.cluster.send_bookmarks(); });
  cases.wait_until_quiet();
  cases.each([&](RunningManager& running) {
    SCOPED_TRACE(running.name);
    EXPECT_GE(running.silences().size(), 15U);
    for (const auto& [plural, silence] : running.silences()) {
      EXPECT_EQ(silence >= 61, plural == frozen[&running].plural) << plural << " " << silence;
    }
    running.touch_all(1);
  });
  // Adapters are only reconciled for their graph's count, which has not changed.
  const auto waits = [&](const RunningManager& running) {
    const std::string& plural = frozen[&running].plural;
    return running.freezer.unseen_writes(plural) > 0 && plural != kAdapters.plural;
  };
  waiting += std::ranges::count_if(cases.all, [&](const auto& each) { return waits(*each); });
  EXPECT_TRUE(cases.wait_until([&](RunningManager& running) {
    return !waits(running) || running.quorum_lists(frozen[&running].plural) > 0;
  })) << "what was written and is not seen is read";
  cases.wait_until_quiet();
  cases.each([&](RunningManager& running) {
    SCOPED_TRACE(running.name);
    EXPECT_LE(running.quorum_lists(frozen[&running].plural), 1);
    EXPECT_THAT(running.repeated(), IsEmpty());
    running.freezer.thaw();
  });
  EXPECT_TRUE(cases.wait_until([](RunningManager& running) { return running.is_ready(2); }));
  cases.wait_until_quiet();
  cases.each([&](RunningManager& running) {
    SCOPED_TRACE(running.name);
    EXPECT_THAT(running.repeated(), IsEmpty());
  });
}

// The watch of one kind freezes after each of its events, while the others work. A client changes
// the graph and the servers of the model.
TEST(FaultInjection, FrozenWatchRecovers) {
  Cases golden(kAll);
  RunningManager& good = golden.add("golden");
  good.put_all();
  ASSERT_TRUE(golden.wait_until([](RunningManager& running) { return running.is_recorded(1); }));
  golden.wait_until_quiet();
  const std::set<std::string> kinds = good.watched();
  good.cluster.clear_calls();
  good.freezer.events_of.clear();
  good.change_all();
  ASSERT_TRUE(golden.wait_until([](RunningManager& running) { return running.is_ready(2); }));
  golden.wait_until_quiet();
  EXPECT_THAT(good.repeated(), IsEmpty());
  EXPECT_GE(kinds.size(), 15U);
  std::vector<FrozenWatch> all;
  for (const std::string& plural : kinds) {
    const int events = std::max(1, good.freezer.events_of[plural]);
    for (int after = 0; after < events; ++after) all.push_back({plural, after});
  }
  constexpr std::size_t kAtOnce =
      test::kSanitized ? 12 : 64;  // limits the run time with sanitizers
  std::ptrdiff_t waiting = 0;
  for (std::size_t from = 0; from < all.size(); from += kAtOnce) {
    const auto group = std::span(all).subspan(from, std::min(kAtOnce, all.size() - from));
    ASSERT_NO_FATAL_FAILURE(freeze_each(group, waiting));
  }
  EXPECT_GE(waiting, 4) << "for deployments, components, graphs and models";
}

// The watch does not show our write, no matter how often the key is triggered.
TEST(FaultInjection, UnseenOwnWriteIsNotRepeated) {
  const std::vector<std::string> controllers = {"component", "graph", "scaling-adapter"};
  Cases golden(controllers);
  RunningManager& good = golden.add("golden");
  good.put_all();
  ASSERT_TRUE(golden.wait_until([](RunningManager& running) { return running.is_ready(1); }));
  golden.wait_until_quiet();
  Cases cases(controllers);
  for (const std::string& plural : good.watched()) {
    if (!good.counts(plural).empty()) cases.add(plural).freezer.freeze_at_write(plural);
  }
  EXPECT_GE(cases.all.size(), 9U);
  cases.wait_until_quiet();
  cases.each([](RunningManager& running) { running.put_all(); });
  ASSERT_TRUE(cases.wait_until(
      [](RunningManager& running) { return running.freezer.holds(running.name); }));
  cases.wait_until_quiet();
  struct Baseline {
    std::set<std::string> kinds;  // whose reconciles have written
    std::map<std::string, std::uint64_t> reconciles;
    std::map<std::string, std::uint64_t> adds;
    std::map<std::string, int> writes;
    std::size_t events = 0;
  };
  std::map<const RunningManager*, Baseline> all;
  cases.each([&](RunningManager& running) {
    Baseline& before = all[&running];
    before.kinds = running.writers_of(running.name);
    for (const std::string& kind : before.kinds) {
      before.reconciles[kind] = running.reconciles(kind);
      before.adds[kind] = running.adds(kind);
    }
    before.writes = running.counts(running.name);
    before.events = running.events();
    for (const auto& [target, count] : before.writes) EXPECT_EQ(count, 1) << target;
  });
  constexpr int kRounds = 10;
  for (int round = 0; round < kRounds; ++round) {
    cases.each([round](RunningManager& running) { running.touch_all(round); });
    cases.wait_until_quiet();
  }
  cases.each([&](RunningManager& running) {
    SCOPED_TRACE(running.name);
    const Baseline& before = all[&running];
    EXPECT_FALSE(before.kinds.empty());
    for (const std::string& kind : before.kinds) {
      EXPECT_GE(running.adds(kind), before.adds.at(kind) + kRounds) << kind;
      EXPECT_EQ(running.reconciles(kind), before.reconciles.at(kind)) << kind << " sleeps";
    }
    EXPECT_EQ(running.counts(running.name), before.writes);
    EXPECT_EQ(running.events(), before.events);
    running.freezer.thaw();
  });
  EXPECT_TRUE(cases.wait_until([](RunningManager& running) { return running.is_ready(1); }));
  cases.wait_until_quiet();
  cases.each([&](RunningManager& running) {
    SCOPED_TRACE(running.name);
    EXPECT_THAT(running.repeated(), IsEmpty());
    EXPECT_EQ(running.events(), good.events());
    for (const auto& [target, count] : running.counts()) {
      if (target.ends_with("/status")) continue;
      EXPECT_EQ(count, good.counts()[target]) << target;
    }
  });
}

}  // namespace
}  // namespace dynamo::reconciler
