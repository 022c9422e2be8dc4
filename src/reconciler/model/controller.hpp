// The controller of DynamoModels: which servers serve a base model, and adapters loaded into them.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reconciler/controller.hpp"
#include "reconciler/model/call_pool.hpp"
#include "reconciler/model/engines.hpp"
#include "reconciler/model/plan.hpp"
#include "reconciler/telling.hpp"
#include "reconciler/world.hpp"

namespace dynamo::reconciler::model {

inline constexpr std::string_view kName = "model";

struct ModelControllerOptions {
  ModelControllerOptions() = default;
  std::uint16_t port = kSystemPort;
  CallPoolOptions calls;  // may_send is the pass's
  // Why the rules refuse a model, for people; empty: they do not. Empty: nobody judges.
  std::function<std::string(const kube::Object& model)> judge;
};

// On the loop's thread. A pass takes as long as its requests: `calls.all`, and what its writes
// take.
class ModelController final : public Controller {
 public:
  ModelController(std::shared_ptr<Engines> engines, ModelControllerOptions options);

  std::string_view name() const override { return kName; }
  const kube::Resource& resource() const override { return kModels; }
  std::vector<Watched> watches() const override;
  std::chrono::milliseconds calls_budget() const override { return options_.calls.all; }
  // A quarter of the workers: servers that stay silent hold a pass for `calls.all`.
  std::size_t most_per_namespace(std::size_t workers) const override {
    return std::max<std::size_t>(1, workers / 4);
  }
  // The judgement does.
  bool depends_on_policy() const override { return true; }
  // A model that goes is held up by nothing, whatever becomes of its servers.
  bool does_without(const kube::Resource& of) const override {
    return of.plural == kube::kEndpointSlices.plural;
  }
  bool concerns(const kube::StoreChange& change) const override;
  void keys_for(const kube::Resource& of, const kube::StoreChange& change, const Stores& stores,
                std::vector<kube::ObjectKey>& keys) const override;
  aio::Task<kube::PassResult> reconcile(kube::ObjectKey key, Pass& pass) override;

 private:
  struct Turn {
    std::uint64_t asked = 0;  // the last round in which it was; 0: never
    bool failed = false;      // what it was asked then
  };
  // What the pass before has left. Nothing depends on it but how often servers are asked.
  struct Memory {
    // What the status tells when nobody has changed it after us.
    std::string told;
    // It was told that servers cannot be looked up.
    bool is_lookup_told = false;
    // By host: the time for all of them may not reach everybody in one pass.
    std::map<std::string, Turn> turns;
    std::uint64_t rounds = 0;  // passes that asked
    // The answers of a pass whose writes failed, as after a conflict: the next one asks nobody
    // again. `answered` is when they came.
    std::vector<EngineRequest> requests;
    std::vector<EngineAnswer> answers;
    kube::WorkQueue::Time answered{};
  };

  static std::vector<std::size_t> order_of(const std::vector<EngineRequest>& requests,
                                           const Memory& memory);
  static void note_turns(Memory& memory, const std::vector<EngineRequest>& requests,
                         const std::vector<EngineAnswer>& answers);
  // Takes out what is told already; whether they cannot be looked up.
  static bool tell_lookup_once(Memory& memory, End& ending);
  // Nothing: not all were let be sent, so it is not known what servers say.
  aio::Task<std::optional<std::vector<EngineAnswer>>> ask(Memory& memory,
                                                          std::vector<EngineRequest> requests,
                                                          Pass& pass);

  const std::shared_ptr<Engines> engines_;
  const ModelControllerOptions options_;
  std::map<kube::ObjectKey, Memory> memories_;
  Telling telling_;
};

// As it runs in a cluster: servers are asked over HTTP, and the rules judge as they do for the
// webhook. `world` outlives it.
std::unique_ptr<Controller> make(const World& world);

}  // namespace dynamo::reconciler::model
