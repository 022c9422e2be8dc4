// Second half of a reconcile of a graph or a component: executes the plan and reports a failure.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "aio/task.hpp"
#include "desired/plan.hpp"
#include "kube/controller/workers.hpp"
#include "reconciler/engine/observe.hpp"
#include "reconciler/engine/reconciler.hpp"

namespace dynamo::reconciler {

inline kube::ReconcileResult result_of(const Plan& plan) {
  switch (plan.outcome) {
    case PlanOutcome::kDone:
    case PlanOutcome::kRefused:
      return kube::ReconcileResult::done();
    case PlanOutcome::kWait:
      return kube::ReconcileResult::requeue_after(plan.pause);
    case PlanOutcome::kRetry:
      break;
  }
  return kube::ReconcileResult::retry(plan.why);
}

// Executes the plan; after a failure, `plan_again` creates the plan that reports it. A conflict is
// not reported, but requeued at once. In a namespace that is being deleted nothing is retried,
// because its objects are deleted with it; the status reports this, but no Event does, since the
// server would reject it there.
template <typename PlanAgain>
aio::Task<kube::ReconcileResult> execute_plan(Plan plan, ReconcileContext& context,
                                              PlanAgain plan_again) {
  const kube::ReconcileResult planned = result_of(plan);
  const auto ended = co_await context.act(std::move(plan.actions));
  if (!ended) co_return planned;
  if (ended->kind != kube::ReconcileResult::Kind::kRetry) co_return *ended;
  const bool namespace_ends = is_of_ending_namespace(ended->error);
  Plan after = plan_again(ended->error);
  if (namespace_ends) {
    std::erase_if(after.actions,
                  [](const Action& each) { return action_kind_of(each) == ActionKind::kEvent; });
  }
  co_await context.act(std::move(after.actions));
  co_return namespace_ends ? kube::ReconcileResult::done() : *ended;
}

}  // namespace dynamo::reconciler
