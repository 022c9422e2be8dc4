// Accepts a request, retries a failed one, and refuses invalid and edited ones.
#include <string>
#include <utility>

#include "desired/action.hpp"
#include "desired/desired_objects_plan.hpp"
#include "desired/retry_annotation.hpp"
#include "desired/status_write.hpp"
#include "kube/object/object_meta.hpp"
#include "reconciler/request/plan.hpp"
#include "reconciler/request/planner.hpp"
#include "text/quoted.hpp"

namespace dynamo::reconciler::request {
namespace {

constexpr std::string_view kUnknownState = "UnknownState";

}  // namespace

Plan Planner::reject() {
  const std::int64_t generation = kube::generation_of(observed_.object);
  // A graph outlives its request, and the next one would not change it.
  const std::string name = created_graph(observed_.object).name;
  const std::string graph =
      name.empty() ? name : " and its graph " + text::quoted(name, kMaxQuotedText);
  const std::string note =
      "spec must not change after profiling began; found generation " + std::to_string(generation) +
      " in state " + std::string(state_of(observed_.object)) + ", and generation " +
      std::to_string(observed_generation_of(observed_.object)) + " is in use: delete the request" +
      graph + " and create it again to profile the new spec";
  if (observed_.reported_generation != generation) {
    EmitEvent rejected = event(self(), true, "SpecChangeRejected", note);
    rejected.occasion = occasion_of_generation("request", generation);
    plan_.actions.push_back(std::move(rejected));
  }
  return end(PlanOutcome::kRefused, note);
}

Plan Planner::refuse() {
  std::string message;
  for (const std::string& error : observed_.errors) {
    message += message.empty() ? error : "; " + error;
  }
  forget_outcome();
  set_false(kValidation, kValidationFailed, message);
  set_state(states::kFailed);
  write();
  if (!is_refusal_reported(before_, kValidation, observed_.object)) {
    EmitEvent failed = event(self(), true, kValidationFailed, note_of(message));
    failed.occasion = occasion_of_generation("request", kube::generation_of(observed_.object));
    plan_.actions.push_back(std::move(failed));
  }
  note_retry();
  return next();
}

Plan Planner::refuse_state() {
  const std::string why = "status.state must be one that this controller writes; found " +
                          text::quoted(state_of(observed_.object), kMaxQuotedText) +
                          ": retry the request by an edit of its spec or the annotation " +
                          std::string(kRetryAnnotation);
  set_false(kValidation, kUnknownState, why);
  set_state(states::kFailed);
  write();
  warn(kUnknownState, why);
  return std::move(plan_);
}

void Planner::forget_outcome() {
  for (const std::string_view type : {kProfiling, kSpecGenerated, kDeploymentReady}) {
    now_.remove(type);
  }
  for (const std::string_view name : {"profilingResults", "generatedDeployment", "deployment"}) {
    set_member(name, "");
  }
}

Plan Planner::accept() {
  const bool is_retry = state_of(observed_.object) == states::kFailed;
  if (!observed_.errors.empty()) return refuse();
  if (is_retry) delete_old_job();
  forget_outcome();
  now_.remove(kValidation);
  set_state(states::kPending);
  set_observed_generation();
  set_member("backend", json_text(request_.backend()));
  write();
  emit(false, "Initialized",
       is_retry ? "the failed request is retried: its Job is created again"
                : "the request is valid: its profiling Job follows");
  note_retry();
  return next();
}

void Planner::delete_old_job() {
  const kube::Object* const job = live_job();
  if (job == nullptr || kube::is_terminating(*job) || !controls(*job)) return;
  plan_.actions.push_back(remove(
      target_of(find_managed_kind("Job")->resource, owner_.namespace_name, job->name(), job)));
}

}  // namespace dynamo::reconciler::request
