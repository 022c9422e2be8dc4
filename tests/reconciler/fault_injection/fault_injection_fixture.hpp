// All controllers in replacement mode with one in-memory cluster, reconcile by reconcile, over a
// connection in which tests inject faults. It also simulates the parts of a cluster that they need:
// the Deployment controller and the garbage collector.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "desired/kinds.hpp"
#include "reconciler/checkpoint/reconciler.hpp"
#include "reconciler/component/reconciler.hpp"
#include "reconciler/engine/reconciler.hpp"
#include "reconciler/graph/reconciler.hpp"
#include "reconciler/model/reconciler.hpp"
#include "reconciler/request/reconciler.hpp"
#include "reconciler/scaling_adapter/reconciler.hpp"
#include "reconciler/validation/reconciler.hpp"
#include "tests/reconciler/reconcile_fixture.hpp"

namespace dynamo::reconciler {

inline constexpr const char* kSpace = "ml";
inline constexpr kube::Resource kDeployments{"apps", "v1", "deployments", "Deployment"};
inline constexpr kube::Resource kRequests{"nvidia.com", "v1alpha1", "dynamographdeploymentrequests",
                                          "DynamoGraphDeploymentRequest"};
inline constexpr kube::Resource kAdapters{"nvidia.com", "v1alpha1",
                                          "dynamographdeploymentscalingadapters", kAdapterKind};

enum class WriteOutcome : std::uint8_t {
  kDone,
  kLost,     // done, but answered by a broken connection
  kRefused,  // not done: no connection
  kForbidden,
  kHeld,  // done once release() is called
};

// A connection to the cluster. Reads have no faults.
class FaultyTransport final : public kube::Transport {
 public:
  explicit FaultyTransport(std::unique_ptr<kube::Transport> inner) : inner_(std::move(inner)) {}

  aio::Task<kube::Result<kube::Response>> send(kube::Request request) override;
  aio::Task<kube::Result<std::unique_ptr<kube::Stream>>> open(kube::Request request) override {
    return inner_->open(std::move(request));
  }
  void release() { is_released_ = true; }

  // Chooses the outcome of a write from its number, starting at 1, and the request. It may change
  // the cluster first.
  std::function<WriteOutcome(std::size_t number, const kube::Request&)> choose_outcome;
  std::size_t writes = 0;
  std::size_t deletes = 0;

 private:
  const std::unique_ptr<kube::Transport> inner_;
  bool is_released_ = false;
};

// Loads every requested adapter.
class FakeEngineClient final : public model::EngineClient {
 public:
  aio::Task<model::EngineAnswer> ask(model::EngineRequest request) override {
    ++asked[std::string(kube::to_string(request.method)) + " " + request.host];
    model::EngineAnswer answer;
    answer.status = 200;
    co_return answer;
  }
  std::map<std::string, int> asked;
};

class SilentEtcd final : public component::EtcdGateway {
 public:
  aio::Task<std::string> post(std::string, std::string, std::function<bool()>) override {
    co_return "";
  }
};

// One process: its memory is lost with it.
class Process {
 public:
  Process(test::FakeCluster& cluster, kube::Client& client, const ClusterState& cluster_state,
          const test::FakeClock& clock, runtime::Logger& logger,
          std::shared_ptr<FakeEngineClient> engines, const RenderSettings& settings);

  std::vector<std::unique_ptr<Reconciler>> reconcilers;
  std::optional<test::FakeCache> cache;
  // One per controller, because each has its own field manager.
  std::vector<std::unique_ptr<test::FakeReconcileContext>> contexts;
  bool leads() const { return contexts.front()->leads; }
  void end_leading() {
    for (const auto& context : contexts) context->leads = false;
  }
};

class FaultInjectionFixture {
 public:
  FaultInjectionFixture();
  virtual ~FaultInjectionFixture() = default;
  FaultInjectionFixture(const FaultInjectionFixture&) = delete;
  FaultInjectionFixture& operator=(const FaultInjectionFixture&) = delete;

  // --- The initial objects, one by one.
  void put_graph();
  void put_model();
  void put_slice(const std::string& name, const std::string& address);
  void put_request();  // a request that the rules refuse
  void put_all();

  // --- Processes.
  void start_process() { process = make_process(transport); }
  void start_with_all() {
    put_all();
    start_process();
  }
  std::unique_ptr<Process> make_process(FaultyTransport& on);
  // Reconcile every object once: reconcile_from_cache() with the present content of the caches,
  // run_round() after updating them.
  void reconcile_from_cache(Process& by);
  void run_round(Process& by);
  void run_round() { run_round(*process); }
  // Runs rounds, with the rest of the cluster active, until three of them write nothing.
  void settle();

  // --- The rest of the cluster.
  // Its part between two rounds.
  virtual void advance_cluster();
  void roll_out_deployments();  // Deployments become available
  void collect_garbage();       // deletes objects whose owners have all been deleted
  // Deletes the object at once, ignoring finalizers, and recreates it with another uid.
  void recreate(const kube::Resource& resource, const std::string& name);

  // --- Results.
  std::optional<kube::Object> find(const kube::Resource& resource, const std::string& name) const {
    return cluster.find(resource, kSpace, name);
  }
  // The parts of all objects that do not depend on when and how often they were created.
  std::vector<std::string> snapshot() const;
  std::string state() const;
  std::vector<kube::Object> managed_objects() const;
  // No owned object was created twice or deleted.
  void expect_created_once() const;
  // Settles in the state of a run without faults.
  void settle_as_golden();

  boost::asio::io_context loop;
  test::FakeClock clock;
  test::FakeCluster cluster{&clock};
  FaultyTransport transport{cluster.connect("reconciler")};
  kube::Client client{transport, std::chrono::seconds(2)};
  test::RecordingLogger logger;
  ClusterState cluster_state{clock};
  std::shared_ptr<FakeEngineClient> engines = std::make_shared<FakeEngineClient>();
  std::unique_ptr<Process> process;
  std::size_t defects = 0;

 protected:
  // The uids that each object had after any round, by "KIND/NAME".
  const std::map<std::string, std::set<std::string>>& uids() const { return uids_; }

  // Every process runs with these settings: by default, restricted to the namespace.
  virtual RenderSettings settings() const;

 private:
  void note_uids();
  std::vector<std::unique_ptr<kube::Client>> clients_;
  std::map<std::string, std::set<std::string>> uids_;
};

// Final state and number of writes of a run without faults.
struct Golden {
  std::vector<std::string> snapshot = {};
  std::size_t writes = 0;
};
const Golden& golden();

}  // namespace dynamo::reconciler
