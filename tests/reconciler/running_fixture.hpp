// Fixture: controllers run by the manager, triggered by their watches, in real time with an
// in-memory API server.
#pragma once

#include <gtest/gtest.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cluster/resources.hpp"
#include "desired/kinds.hpp"
#include "kube/object/conditions.hpp"
#include "kube/object/object_meta.hpp"
#include "reconciler/app/manager.hpp"
#include "reconciler/engine/metrics.hpp"
#include "reconciler/engine/resources.hpp"
#include "reconciler/model/reconciler.hpp"
#include "reconciler/scaling_adapter/plan.hpp"
#include "runtime/metrics.hpp"
#include "tests/reconciler/model/models.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/fake_cluster.hpp"
#include "tests/support/recording_logger.hpp"
#include "tests/support/temporary_directory.hpp"
#include "text/micro_time.hpp"

namespace dynamo::reconciler {

// Loads every requested adapter.
class WillingEngineClient final : public model::EngineClient {
 public:
  aio::Task<model::EngineAnswer> ask(model::EngineRequest request) override {
    asked.push_back(std::string(kube::to_string(request.method)) + " " + request.host);
    model::EngineAnswer answer;
    answer.status = 200;
    co_return answer;
  }
  std::vector<std::string> asked;
};

class RunningTest : public ::testing::Test {
 protected:
  RunningTest() { options_.leader_elect = false; }
  // The manager's tasks end before the members of derived fixtures, which they may use.
  void TearDown() override { manager_.reset(); }

  void begin(validation::Mode mode = validation::Mode::kReplacement,
             std::vector<std::string> controllers = {"scaling-adapter"}) {
    options_.mode = mode;
    options_.controllers = std::move(controllers);
    begin_with({&models_});
  }
  void begin_with(std::vector<Reconciler*> more) {
    options_.planner_cluster_role = "planner";
    manager_.emplace(
        options_,
        Manager::Dependencies{.loop = loop_,
                              .connect = [this](auto&&...) { return cluster_.connect("ours"); },
                              .clock = *time_,
                              .logger = logger_,
                              .metrics = metrics_,
                              .identity = "test",
                              .own_namespace = "dynamo",
                              .print = print_,
                              .discovery = discovery_,
                              .must_end = [this](int code) { ended_ = code; },
                              .more = std::move(more)});
    manager_->start();
  }
  bool comes(const std::function<bool()>& condition) { return test::run_until(loop_, condition); }

  std::optional<std::int64_t> of_graph() const {
    const auto graph = cluster_.find(cluster::kGraphDeployments, "team-a", "g");
    return graph->root()["spec"]["services"]["Decode"]["replicas"].integer();
  }
  std::optional<std::int64_t> of_status() const {
    const auto adapter = cluster_.find(scaling_adapter::kScalingAdapters, "team-a", "g-decode");
    return adapter->root()["status"]["replicas"].integer();
  }
  void put_adapter() {
    cluster_.put(scaling_adapter::kScalingAdapters,
                 R"({"metadata":{"name":"g-decode","namespace":"team-a","labels":)"
                 R"({"nvidia.com/dynamo-graph-deployment-name":"g"}},)"
                 R"("spec":{"replicas":5,"dgdRef":{"name":"g","serviceName":"Decode"}}})");
  }
  void put_graph() {
    cluster_.put(cluster::kGraphDeployments,
                 R"({"metadata":{"name":"g","namespace":"team-a","generation":1},)"
                 R"("spec":{"services":{"Decode":{}}}})");
  }
  void put_slice(const std::vector<test::PodAddress>& addresses) {
    cluster_.put(kube::kEndpointSlices, test::slice_text("s", test::endpoints_text(addresses)));
  }
  std::optional<std::int64_t> ready() const {
    const auto model = cluster_.find(model::kModels, "team-a", "a");
    return model->root()["status"]["readyEndpoints"].integer();
  }

  boost::asio::io_context loop_;
  test::LeapingClock clock_;
  const runtime::Clock* time_ = &clock_;
  test::FakeClock moved_;  // for tests that control the time
  test::FakeCluster cluster_{&clock_};
  test::RecordingLogger logger_;
  runtime::MetricsRegistry registry_;
  ReconcilerMetrics metrics_{registry_};
  WillingEngineClient engines_;
  Options options_;
  std::string printed_;
  std::function<void(const std::string&)> print_;
  std::optional<int> ended_;
  kube::DiscoveryOptions discovery_;
  model::ModelReconciler models_{
      std::shared_ptr<model::EngineClient>(std::shared_ptr<void>(), &engines_), {}};
  std::optional<Manager> manager_;
};

// Simulates definitions that the server does not have.
inline void remove_definition(test::FakeCluster& cluster, const std::string& plural) {
  constexpr std::size_t kAlways = 1'000;
  cluster.fail({.method = kube::HttpMethod::kGet, .path = "/" + plural},
               {.kind = test::Fault::Kind::kStatus, .status = 404, .reason = "NotFound"}, kAlways);
}

}  // namespace dynamo::reconciler
