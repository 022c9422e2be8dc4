// All controllers of a replacement on one cluster in memory, pass by pass, on a line on which a
// test cuts in; and the rest of a cluster, as far as they need it: who makes Deployments available,
// and who collects what nobody owns any more.
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

#include "reconciler/children/kinds.hpp"
#include "reconciler/component/controller.hpp"
#include "reconciler/controller.hpp"
#include "reconciler/graph/controller.hpp"
#include "reconciler/model/controller.hpp"
#include "reconciler/scaling_adapter/controller.hpp"
#include "reconciler/validation/controller.hpp"
#include "tests/reconciler/pass_fixture.hpp"

namespace dynamo::reconciler {

inline constexpr const char* kSpace = "ml";
inline constexpr kube::Resource kDeployments{"apps", "v1", "deployments", "Deployment"};
inline constexpr kube::Resource kRequests{"nvidia.com", "v1alpha1", "dynamographdeploymentrequests",
                                          "DynamoGraphDeploymentRequest"};
inline constexpr kube::Resource kAdapters{"nvidia.com", "v1alpha1",
                                          "dynamographdeploymentscalingadapters", kAdapterKind};

enum class Fate : std::uint8_t {
  kDone,
  kLost,     // done, and told as a broken connection
  kRefused,  // not done: no connection
  kForbidden,
  kHeld,  // done once release() is called
};

// A way to the cluster. Reads come through.
class Line final : public kube::Transport {
 public:
  explicit Line(std::unique_ptr<kube::Transport> inner) : inner_(std::move(inner)) {}

  aio::Task<kube::Result<kube::Response>> send(kube::Request request) override;
  aio::Task<kube::Result<std::unique_ptr<kube::Stream>>> open(kube::Request request) override {
    return inner_->open(std::move(request));
  }
  void release() { is_released_ = true; }

  // What becomes of a write: its number from 1 on, and what it is. It may change the cluster first.
  std::function<Fate(std::size_t number, const kube::Request&)> fate;
  std::size_t writes = 0;
  std::size_t deletes = 0;

 private:
  const std::unique_ptr<kube::Transport> inner_;
  bool is_released_ = false;
};

// Loads what it is told to.
class WillingEngines final : public model::Engines {
 public:
  aio::Task<model::EngineAnswer> ask(model::EngineRequest request) override {
    ++asked[std::string(kube::to_string(request.verb)) + " " + request.host];
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

// One process: everything that it knows goes with it.
class Process {
 public:
  Process(test::FakeCluster& cluster, kube::Client& client, const World& world,
          const test::FakeClock& clock, runtime::Logger& logger,
          std::shared_ptr<WillingEngines> engines);

  std::vector<std::unique_ptr<Controller>> controllers;
  std::optional<test::HeldStores> stores;
  // One for each controller, as each has a field manager of its own.
  std::vector<std::unique_ptr<test::HeldPass>> passes;
  bool leads() const { return passes.front()->leads; }
  void end_leading() {
    for (const auto& pass : passes) pass->leads = false;
  }
};

class Stage {
 public:
  Stage();

  // --- What is there at first, fact by fact.
  void put_graph();
  void put_model();
  void put_slice(const std::string& name, const std::string& address);
  void put_request();  // one that the rules refuse
  void put_all();

  // --- Processes.
  void begin() { process = make_process(line); }
  std::unique_ptr<Process> make_process(Line& on);
  // Everything is looked at once: on what the stores show, or after they show all there is.
  void look(Process& by);
  void round(Process& by);
  void round() { round(*process); }
  // Until three rounds write nothing, with the rest of the cluster at work.
  void settle();

  // --- The rest of a cluster.
  void play();     // Deployments become available
  void collect();  // what none of its owners is there for any more goes
  // As somebody does it who knows nothing of finalizers: gone at once, and there again, with
  // another uid.
  void make_anew(const kube::Resource& resource, const std::string& name);

  // --- What came of it.
  std::optional<kube::Object> find(const kube::Resource& resource, const std::string& name) const {
    return cluster.find(resource, kSpace, name);
  }
  // Of all objects, what does not depend on when and how often they were made.
  std::vector<std::string> picture() const;
  std::string state() const;
  std::vector<kube::Object> children() const;
  // No child was made a second time, and none deleted.
  void expect_made_once() const;

  boost::asio::io_context loop;
  test::FakeClock clock;
  test::FakeCluster cluster{&clock};
  Line line{cluster.connect("reconciler")};
  kube::Client client{line, std::chrono::seconds(2)};
  test::RecordingLogger logger;
  World world{clock};
  std::shared_ptr<WillingEngines> engines = std::make_shared<WillingEngines>();
  std::unique_ptr<Process> process;
  std::size_t defects = 0;

 private:
  void note_uids();
  std::vector<std::unique_ptr<kube::Client>> clients_;
  std::map<std::string, std::set<std::string>> uids_;
};

// The picture of a stage on which nothing goes wrong, and how many writes it took.
struct Golden {
  std::vector<std::string> picture = {};
  std::size_t writes = 0;
};
const Golden& golden();

}  // namespace dynamo::reconciler
