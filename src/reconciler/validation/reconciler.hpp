// Re-evaluates the stored objects of one kind and reports the result.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "reconciler/engine/cluster_state.hpp"
#include "reconciler/engine/event_deduplicator.hpp"
#include "reconciler/engine/reconciler.hpp"
#include "reconciler/validation/pending_records.hpp"
#include "reconciler/validation/plan.hpp"
#include "reconciler/validation/rewrite_limiter.hpp"
#include "reconciler/verdict/validator.hpp"

namespace dynamo::reconciler::validation {

inline constexpr std::string_view kName = "validation";

class ValidationReconciler final : public Reconciler {
 public:
  // `cluster_state` must outlive it; `pace` is shared by all kinds.
  ValidationReconciler(api::Kind kind, const ValidationSettings& settings,
                       const ClusterState& cluster_state, std::shared_ptr<RecordPace> pace);

  bool should_reconcile(const kube::StoreChange& change) const override;
  aio::Task<kube::ReconcileResult> reconcile(kube::ObjectKey key,
                                             ReconcileContext& context) override;

 private:
  // Another replica may have admitted a change that this one missed.
  void forget_missed(const MissedChanges& missed);
  ObservedState observe(kube::Object object, PendingRecords::Time now);
  void observe_record(ObservedState& observed, const admission::EvaluationInputs& inputs,
                      PendingRecords::Time now);
  // Effects of a plan, kept for the time after its actions were moved.
  struct Summary {
    bool writes_verdict = false;
    bool writes_record = false;
    bool reports_failure = false;
    bool reports_success = false;
  };
  static Summary summary_of(const ValidationPlan& plan);
  void remember(const kube::Object& object, const Summary& done);
  kube::ReconcileResult look_after_record(const ObservedState& observed, const Summary& done,
                                          std::string pending, PendingRecords::Time now);

  const api::Kind kind_;
  const ValidationSettings settings_;
  const ClusterState& cluster_state_;
  StoredObjectValidator validator_;
  PendingRecords pending_;
  EventDeduplicator event_deduplicator_;
  RewriteLimiter rewrites_;
  // By key: the uid, and the generation that was reported as invalid.
  std::map<kube::ObjectKey, std::pair<std::string, std::int64_t>> reported_;
};

// One reconciler per kind.
std::vector<std::unique_ptr<Reconciler>> make(const ValidationSettings& settings,
                                              const ClusterState& cluster_state);

}  // namespace dynamo::reconciler::validation
