// The controller of DynamoComponentDeployments: what its plan looks at, and what is done of it.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "reconciler/children/judge.hpp"
#include "reconciler/children/observe.hpp"
#include "reconciler/children/settings.hpp"
#include "reconciler/component/etcd_gateway.hpp"
#include "reconciler/component/observed.hpp"
#include "reconciler/component/references.hpp"
#include "reconciler/controller.hpp"
#include "reconciler/world.hpp"

namespace dynamo::reconciler::component {

inline constexpr std::string_view kName = "component";

// On the loop's thread.
class ComponentController final : public Controller {
 public:
  // `world` outlives it.
  ComponentController(ChildSettings settings, const World& world,
                      std::shared_ptr<EtcdGateway> etcd);

  std::string_view name() const override { return kName; }
  const kube::Resource& resource() const override;
  std::vector<Watched> watches() const override;
  void keys_for(const kube::Resource& of, const kube::StoreChange& change, const Stores& stores,
                std::vector<kube::ObjectKey>& keys) const override;
  std::chrono::milliseconds calls_budget() const override;
  // The judgement does, and what the cluster serves decides about groups of pods.
  bool depends_on_policy() const override { return true; }
  aio::Task<kube::PassResult> reconcile(kube::ObjectKey key, Pass& pass) override;

 private:
  // A component whose pods are there and do not come up.
  struct Late {
    std::chrono::steady_clock::time_point since{};
    std::chrono::steady_clock::time_point looked_at{};
    std::int64_t generation = 0;                       // of the spec that was looked at
    std::vector<Reference> missing = {};               // of what it names
    std::map<std::string, std::string> refusals = {};  // of pods of its groups
  };
  // When to look again for what its pods wait for: in a minute once they are late, 0 where none do.
  std::chrono::seconds wait_for(const kube::ObjectKey& key, const Observed& observed, Pass& pass);
  // What the spec of a component that is late names and what is not there, and why pods of its
  // groups are not let in: read at most once a minute for each spec.
  aio::Task<> find_missing(Observed& observed, Pass& pass);
  // What that came to.
  struct Found {
    std::vector<Reference> missing = {};
    std::optional<kube::Error> unread = {};  // the first that could not be read
    std::map<std::string, std::string> refusals = {};
    std::optional<kube::Error> unasked = {};
  };
  aio::Task<> look(const Observed& observed, Pass& pass, Found& found);
  // By what stores hold, or by name.
  aio::Task<> look_up(const Observed& observed, Pass& pass, Found& found);
  // Does the calls among the actions and takes them out. Nothing depends on their success.
  aio::Task<> call(const kube::Object& component, std::vector<Action>& actions, Pass& pass);

  const ChildSettings settings_;
  const World& world_;
  OperatorsJudge judge_;
  const std::shared_ptr<EtcdGateway> etcd_;
  const std::vector<WatchedKind> kinds_;
  std::map<kube::ObjectKey, Late> late_;
};

// As it runs in a cluster. `world` outlives it.
std::unique_ptr<Controller> make(ChildSettings settings, const World& world);

}  // namespace dynamo::reconciler::component
