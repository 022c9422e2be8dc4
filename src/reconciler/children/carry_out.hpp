// The second half of a pass over a graph or a component: what was planned is done, and what became
// of it told.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "aio/task.hpp"
#include "kube/workers.hpp"
#include "reconciler/children/observe.hpp"
#include "reconciler/children/plan.hpp"
#include "reconciler/controller.hpp"

namespace dynamo::reconciler {

inline kube::PassResult result_of(const Plan& plan) {
  switch (plan.ending) {
    case Ending::kDone:
    case Ending::kRefused:
      return kube::PassResult::done();
    case Ending::kWait:
      return kube::PassResult::wait(plan.pause);
    case Ending::kRetry:
      break;
  }
  return kube::PassResult::retry(plan.why);
}

// `plan_again` makes the plan that tells why the first failed. A conflict is no news: it is looked
// at again at once. In a namespace that is being deleted there is nothing to tell, and nothing to
// try again: its objects go, too.
template <typename PlanAgain>
aio::Task<kube::PassResult> carry_out(Plan plan, Pass& pass, PlanAgain plan_again) {
  const kube::PassResult planned = result_of(plan);
  const auto ended = co_await pass.act(std::move(plan.actions));
  if (!ended) co_return planned;
  if (ended->kind != kube::PassResult::Kind::kRetry) co_return *ended;
  if (is_of_ending_namespace(ended->error)) co_return kube::PassResult::done();
  Plan after = plan_again(ended->error);
  co_await pass.act(std::move(after.actions));
  co_return *ended;
}

}  // namespace dynamo::reconciler
