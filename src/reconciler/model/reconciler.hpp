// Reconciles DynamoModels: finds the servers of a base model, and loads adapters into them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reconciler/engine/cluster_state.hpp"
#include "reconciler/engine/event_deduplicator.hpp"
#include "reconciler/engine/reconciler.hpp"
#include "reconciler/model/call_pool.hpp"
#include "reconciler/model/engine_client.hpp"
#include "reconciler/model/plan.hpp"

namespace dynamo::reconciler::model {

inline constexpr std::string_view kName = "model";

struct ModelReconcilerOptions {
  ModelReconcilerOptions() = default;
  std::uint16_t port = kSystemPort;
  CallPoolOptions calls;  // the reconcile supplies can_send
  // Returns why the rules refuse a model, human-readable; empty: they accept it. An empty function:
  // no validation.
  std::function<std::string(const kube::Object& model)> validate;
};

// On the loop's thread. A reconcile takes as long as its requests (`calls.total_timeout`) and its
// writes.
class ModelReconciler final : public Reconciler {
 public:
  ModelReconciler(std::shared_ptr<EngineClient> client, ModelReconcilerOptions options);

  bool should_reconcile(const kube::StoreChange& change) const override;
  void map_to_requests(const kube::Resource& of, const kube::StoreChange& change,
                       const CacheReader& cache, std::vector<kube::ObjectKey>& keys) const override;
  aio::Task<kube::ReconcileResult> reconcile(kube::ObjectKey key,
                                             ReconcileContext& context) override;

 private:
  struct CallRecord {
    std::uint64_t asked = 0;  // the last round that included it; 0: never
    bool failed = false;      // its last request failed
  };
  // State of the previous reconcile. It only affects how often servers are called.
  struct Memory {
    // The status that we wrote; if the status differs, another client has changed it.
    std::string reported;
    // The failure to list endpoints was reported.
    bool is_lookup_reported = false;
    // By host: one reconcile may not have enough time for all servers.
    std::map<std::string, CallRecord> call_records;
    std::uint64_t rounds = 0;  // reconciles that called servers
    // Answers of a reconcile whose writes failed, for example with a conflict: the next one reuses
    // them. `answered` is when they arrived.
    std::vector<EngineRequest> requests;
    std::vector<EngineAnswer> answers;
    kube::WorkQueue::Time answered{};
  };

  static std::vector<std::size_t> order_of(const std::vector<EngineRequest>& requests,
                                           const Memory& memory);
  static void record_calls(Memory& memory, const std::vector<EngineRequest>& requests,
                           const std::vector<EngineAnswer>& answers);
  // Removes the event for failed endpoint discovery if it was already emitted. Returns whether
  // discovery fails.
  static bool report_lookup_once(Memory& memory, ResultPlan& result_plan);
  // nullopt: some requests were withheld, so the state of the servers is unknown.
  aio::Task<std::optional<std::vector<EngineAnswer>>> ask(Memory& memory,
                                                          std::vector<EngineRequest> requests,
                                                          ReconcileContext& context);

  const std::shared_ptr<EngineClient> client_;
  const ModelReconcilerOptions options_;
  std::map<kube::ObjectKey, Memory> memories_;
  EventDeduplicator event_deduplicator_;
};

// With production dependencies: calls servers over HTTP, and evaluates rules like the webhook.
// `cluster_state` must outlive the result.
std::unique_ptr<Reconciler> make(const ClusterState& cluster_state);

}  // namespace dynamo::reconciler::model
