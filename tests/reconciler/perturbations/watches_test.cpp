// What may go wrong with watches of which one tells nothing. In real time, over an API server in
// memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "aio/pause.hpp"
#include "kube/object_meta.hpp"
#include "reconciler/manager.hpp"
#include "reconciler/metrics.hpp"
#include "tests/reconciler/perturbations/stage.hpp"

namespace dynamo::reconciler {
namespace {

using std::chrono::milliseconds;

using Frozen = std::set<std::string>;  // plurals

class FreezableStream final : public kube::Stream {
 public:
  FreezableStream(std::unique_ptr<kube::Stream> inner, std::string plural, const Frozen& frozen)
      : inner_(std::move(inner)), plural_(std::move(plural)), frozen_(frozen) {}
  aio::Task<kube::Result<std::string>> next_line(milliseconds idle) override {
    auto line = co_await inner_->next_line(idle);
    while (frozen_.contains(plural_)) {
      const bool waited = co_await aio::pause(milliseconds(5));
      if (!waited) break;
    }
    co_return line;
  }

 private:
  const std::unique_ptr<kube::Stream> inner_;
  const std::string plural_;
  const Frozen& frozen_;
};

class FreezableTransport final : public kube::Transport {
 public:
  FreezableTransport(std::unique_ptr<kube::Transport> inner, const Frozen& frozen)
      : inner_(std::move(inner)), frozen_(frozen) {}
  aio::Task<kube::Result<kube::Response>> send(kube::Request request) override {
    return inner_->send(std::move(request));
  }
  aio::Task<kube::Result<std::unique_ptr<kube::Stream>>> open(kube::Request request) override {
    const std::string path = request.target.substr(0, request.target.find('?'));
    auto opened = co_await inner_->open(std::move(request));
    if (!opened) co_return opened;
    std::unique_ptr<kube::Stream> stream = std::make_unique<FreezableStream>(
        *std::move(opened), path.substr(path.rfind('/') + 1), frozen_);
    co_return stream;
  }

 private:
  const std::unique_ptr<kube::Transport> inner_;
  const Frozen& frozen_;
};

class Running {
 public:
  Running() {
    for (const char* plural : {"leaderworkersets", "podgroups", "inferencepools"}) {
      cluster.fail({.verb = kube::Verb::kGet, .path = std::string("/") + plural},
                   {.kind = test::Fault::Kind::kStatus, .status = 404, .reason = "NotFound"},
                   1'000);
    }
    cluster.put({"rbac.authorization.k8s.io", "v1", "clusterroles", "ClusterRole", false},
                R"({"metadata":{"name":"planner"}})");
    Options options;
    options.mode = validation::Mode::kReplacement;
    options.controllers = {"validation", "component", "graph", "scaling-adapter"};
    options.planner_cluster_role = "planner";
    options.leader_elect = false;
    manager_.emplace(options, Manager::Surroundings{
                                  .loop = loop,
                                  .connect = [this](auto&&...) -> std::unique_ptr<kube::Transport> {
                                    return std::make_unique<FreezableTransport>(
                                        cluster.connect("ours"), frozen);
                                  },
                                  .clock = clock_,
                                  .logger = logger,
                                  .metrics = metrics_,
                                  .identity = "test",
                                  .own_namespace = "dynamo",
                                  .more = {&models_}});
    manager_->start();
  }

  void put_graph() {
    cluster.put(kGraphs,
                R"({"metadata":{"name":"g","namespace":"ml"},"spec":{"backendFramework":"vllm",)"
                R"("services":{"Work":{"componentType":"worker","replicas":1,)"
                R"("scalingAdapter":{"enabled":true},)"
                R"("extraPodSpec":{"mainContainer":{"image":"a:1"}}}}}})");
  }
  void change_image(const std::string& image) {
    cluster.merge(kGraphs, kSpace, "g",
                  R"({"spec":{"services":{"Work":{"extraPodSpec":{"mainContainer":{"image":")" +
                      image + R"("}}}}}})");
  }
  // While Deployments become available.
  bool comes(const std::function<bool()>& condition) {
    return test::run_until(loop, [&] {
      play();
      return condition();
    });
  }
  void run_for(milliseconds length) {
    const auto end = std::chrono::steady_clock::now() + length;
    while (std::chrono::steady_clock::now() < end) {
      loop.run_for(milliseconds(10));
      loop.restart();
      play();
    }
  }
  void play() {
    for (const kube::Object& each : cluster.all(kDeployments)) {
      const std::int64_t generation = kube::generation_of(each);
      if (each.root()["status"]["observedGeneration"].integer() == generation) continue;
      cluster.merge(kDeployments, kSpace, each.name(),
                    R"({"status":{"observedGeneration":)" + std::to_string(generation) +
                        R"(,"replicas":1,"updatedReplicas":1,"readyReplicas":1,)"
                        R"("availableReplicas":1,)"
                        R"("conditions":[{"type":"Available","status":"True"}]}})");
    }
  }
  std::string state() const {
    const auto graph = cluster.find(kGraphs, kSpace, "g");
    return std::string(graph->root()["status"]["state"].string_or_empty());
  }
  bool runs(const std::string& image) const {
    const auto deployment = cluster.find(kDeployments, kSpace, "g-work");
    return deployment && json::to_text(deployment->root()["spec"]).find(image) != std::string::npos;
  }
  // By target, without its query.
  std::map<std::string, int> writes() const {
    std::map<std::string, int> counted;
    for (const test::Call& call : cluster.calls()) {
      const bool is_ours = call.client == "ours" && call.verb != kube::Verb::kGet;
      const bool is_event = call.target.find("/events") != std::string::npos;
      if (is_ours && !is_event) ++counted[call.target.substr(0, call.target.find('?'))];
    }
    return counted;
  }

  boost::asio::io_context loop;
  test::FakeCluster cluster{nullptr};
  test::RecordingLogger logger;
  Frozen frozen;

 private:
  const runtime::SystemClock clock_;
  runtime::MetricsRegistry registry_;
  ReconcilerMetrics metrics_{registry_};
  model::ModelController models_{std::make_shared<WillingEngines>(),
                                 model::ModelControllerOptions{}};
  std::optional<Manager> manager_;
};

// The watch of one kind tells nothing, the others do; somebody changes the graph.
TEST(Perturbations, P04AFrozenWatch) {
  for (const char* const plural :
       {"deployments", "services", "dynamocomponentdeployments", "dynamographdeployments",
        "dynamographdeploymentscalingadapters", "serviceaccounts"}) {
    SCOPED_TRACE(plural);
    Running running;
    running.put_graph();
    ASSERT_TRUE(running.comes([&] { return running.state() == "successful"; }));
    running.frozen = {plural};
    running.cluster.clear_calls();
    running.change_image("a:2");
    running.run_for(milliseconds(1'500));
    for (const auto& [target, count] : running.writes()) EXPECT_LE(count, 5) << target;
    running.frozen.clear();
    EXPECT_TRUE(
        running.comes([&] { return running.runs("a:2") && running.state() == "successful"; }));
  }
}

// What it makes does not show, however often it looks.
TEST(Perturbations, P05AnOwnWriteUnseen) {
  Running running;
  running.run_for(milliseconds(200));
  running.frozen = {"deployments"};
  running.put_graph();
  ASSERT_TRUE(running.comes([&] { return running.runs("a:1"); }));
  for (int i = 0; i < 10; ++i) {
    running.cluster.merge(
        kComponents, kSpace, "g-work",
        R"({"metadata":{"annotations":{"look":")" + std::to_string(i) + R"("}}})");
    running.run_for(milliseconds(250));
  }
  EXPECT_EQ(running.writes()["/apis/apps/v1/namespaces/ml/deployments/g-work"], 1);
  running.frozen.clear();
  EXPECT_TRUE(running.comes([&] { return running.state() == "successful"; }));
  EXPECT_EQ(running.writes()["/apis/apps/v1/namespaces/ml/deployments/g-work"], 1);
}

}  // namespace
}  // namespace dynamo::reconciler
