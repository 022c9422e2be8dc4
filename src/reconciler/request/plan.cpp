#include "reconciler/request/plan.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

#include "desired/action.hpp"
#include "desired/desired_objects_plan.hpp"
#include "desired/retry_annotation.hpp"
#include "desired/status_write.hpp"
#include "json/writer.hpp"
#include "kube/object/conditions.hpp"
#include "kube/object/object_meta.hpp"
#include "reconciler/request/generated.hpp"
#include "reconciler/request/planner.hpp"
#include "text/quoted.hpp"

namespace dynamo::reconciler::request {
namespace {

using kube::ConditionStatus;

constexpr std::array<std::string_view, 4> kOwnConditions = {kValidation, kProfiling, kSpecGenerated,
                                                            kDeploymentReady};
constexpr std::chrono::seconds kPause{60};

// The newest generation that a failed request has reported. A request that was refused from the
// start has no observedGeneration, but its condition has one.
std::int64_t failed_generation_of(const kube::Object& request) {
  std::int64_t newest = observed_generation_of(request);
  const auto conditions = kube::Conditions::read(request.root()["status"]["conditions"]);
  for (const std::string_view type : kOwnConditions) {
    if (const kube::Condition* const found = conditions.find(type)) {
      newest = std::max(newest, found->observed_generation);
    }
  }
  return newest;
}

bool should_retry(const kube::Object& request) {
  if (has_new_retry(request)) return true;
  const std::int64_t failed = failed_generation_of(request);
  return failed > 0 && kube::generation_of(request) > failed;
}

}  // namespace

std::string_view state_of(const kube::Object& request) {
  return request.root()["status"]["state"].string_or_empty();
}

std::int64_t observed_generation_of(const kube::Object& request) {
  return request.root()["status"]["observedGeneration"].integer().value_or(0);
}

std::string json_text(std::string_view text) {
  std::string quoted;
  json::append_quoted(quoted, text);
  return quoted;
}

Planner::Planner(const ObservedState& observed)
    : observed_(observed),
      root_(observed.object.root()),
      request_(root_),
      owner_{.resource = kRequests,
             .namespace_name = observed.object.namespace_name(),
             .name = observed.object.name(),
             .uid = observed.object.uid()},
      before_(kube::Conditions::read(root_["status"]["conditions"])),
      now_(before_) {}

Plan Planner::run() {
  const RequestStep step = step_of(observed_.object);
  if (step == RequestStep::kDelete) {
    drop_finalizer(kRequests, observed_.object, plan_.actions);
    return std::move(plan_);
  }
  keep_finalizer(kRequests, observed_.object, plan_.actions);
  // An unknown state becomes Failed, and then the retry follows.
  if (step != RequestStep::kAccept && step != RequestStep::kUnknown) ignore_retry();
  switch (step) {
    case RequestStep::kReject:
      return reject();
    case RequestStep::kAccept:
      return accept();
    case RequestStep::kStartJob:
      return start_job();
    case RequestStep::kProfile:
      return profile();
    case RequestStep::kDeploy:
      return deploy();
    case RequestStep::kFollow:
      return follow();
    case RequestStep::kUnknown:
      return refuse_state();
    case RequestStep::kDelete:
    case RequestStep::kRest:
      break;
  }
  return std::move(plan_);
}

Plan Planner::run_after_failure(const std::string& why) {
  switch (step_of(observed_.object)) {
    case RequestStep::kAccept:
      report_failure(kValidation, "Retrying", "ReconcileError", why);
      break;
    case RequestStep::kStartJob:
      report_failure(kProfiling, kJobCreationFailed, kJobFailed, why);
      break;
    case RequestStep::kProfile:
      report_failure(kSpecGenerated, "Retrying", "ReconcileError", why);
      break;
    case RequestStep::kDeploy:
      report_failure(kDeploymentReady, kCreationFailed, kCreationFailed, why);
      break;
    default:
      break;
  }
  return end(PlanOutcome::kRetry, why);
}

Target Planner::self() const {
  return target_of(kRequests, owner_.namespace_name, owner_.name, &observed_.object);
}

Plan Planner::end(PlanOutcome outcome, std::string why) {
  plan_.outcome = outcome;
  plan_.why = std::move(why);
  return std::move(plan_);
}

Plan Planner::next() {
  return end(PlanOutcome::kWait, "the next step follows");
}

Plan Planner::wait(std::string why) {
  plan_.pause = kPause;
  return end(PlanOutcome::kWait, std::move(why));
}

void Planner::set(std::string_view type, ConditionStatus status, std::string_view reason,
                  std::string message) {
  now_.set({.type = std::string(type),
            .status = status,
            .reason = std::string(reason),
            .message = std::move(message),
            .observed_generation = kube::generation_of(observed_.object),
            .transition = {}},
           observed_.now);
}

void Planner::set_false(std::string_view type, std::string_view reason, std::string message) {
  set(type, ConditionStatus::kFalse, reason, std::move(message));
}

void Planner::set_true(std::string_view type, std::string_view reason, std::string message) {
  set(type, ConditionStatus::kTrue, reason, std::move(message));
}

void Planner::set_member(std::string_view name, std::string json) {
  members_.insert_or_assign(name, std::move(json));
}

void Planner::set_state(std::string_view state) {
  set_member("state", json_text(state));
}

void Planner::set_observed_generation() {
  const std::int64_t generation = kube::generation_of(observed_.object);
  if (generation > 0) set_member("observedGeneration", std::to_string(generation));
}

void Planner::write() {
  std::vector<std::string_view> names = {"conditions"};
  std::string status;
  json::Writer out(status);
  out.start_object();
  if (!now_.all().empty()) {
    out.key("conditions");
    now_.write(out);
  }
  for (const auto& [name, text] : members_) {
    names.push_back(name);
    if (!text.empty()) out.key(name).raw(text);
  }
  out.end_object();
  write_status(kRequests, observed_.object, status, names, plan_.actions);
}

void Planner::emit(bool is_warning, std::string_view reason, std::string_view note) {
  plan_.actions.push_back(event(self(), is_warning, reason, note_of(note)));
}

void Planner::warn(std::string_view reason, std::string_view note) {
  emit(true, reason, note);
}

void Planner::write_and_warn(std::string_view type, std::string_view reason,
                             const std::string& note) {
  write();
  if (is_news(before_, now_, type)) warn(reason, note);
}

void Planner::report_failure(std::string_view type, std::string_view condition_reason,
                             std::string_view event_reason, const std::string& why) {
  set_false(type, condition_reason, why);
  write_and_warn(type, event_reason, why);
}

void Planner::annotate(std::string_view name, std::string_view json) {
  Target target = self();
  target.resource_version = observed_.object.resource_version();
  std::string body;
  json::Writer out(body);
  out.start_object().key("metadata").start_object();
  out.member("uid", observed_.object.uid());
  out.member("resourceVersion", observed_.object.resource_version());
  out.key("annotations").start_object().key(name).raw(json);
  out.end_object().end_object().end_object();
  plan_.actions.push_back(merge_patch(target, std::move(body)));
}

void Planner::note_retry() {
  const std::string_view requested = retry_of(observed_.object);
  if (requested == observed_retry_of(observed_.object)) return;
  annotate(kObservedRetryAnnotation, requested.empty() ? "null" : json_text(requested));
}

void Planner::ignore_retry() {
  if (!has_new_retry(observed_.object)) return;
  note_retry();
  // A retry that was interrupted before this write.
  if (state_of(observed_.object) == states::kPending) return;
  warn("RetryIgnored", "the annotation " + std::string(kRetryAnnotation) +
                           " must be set on a failed request; found state " +
                           text::quoted(state_of(observed_.object), kMaxQuotedText) +
                           ": set another value after a failure");
}

bool is_edited(const kube::Object& request) {
  const std::int64_t observed = observed_generation_of(request);
  return observed > 0 && observed != kube::generation_of(request);
}

kube::ObjectKey created_graph(const kube::Object& request) {
  const json::Value deployment = request.root()["status"]["deployment"];
  return {.namespace_name = std::string(deployment["namespace"].string_or_empty()),
          .name = std::string(deployment["name"].string_or_empty())};
}

RequestStep step_of(const kube::Object& request) {
  if (kube::is_terminating(request)) return RequestStep::kDelete;
  const std::string_view state = state_of(request);
  if (state.empty()) return RequestStep::kAccept;
  if (state == states::kPending) return RequestStep::kStartJob;
  if (state == states::kFailed) {
    return should_retry(request) ? RequestStep::kAccept : RequestStep::kRest;
  }
  constexpr std::array<std::string_view, 4> kFrozen = {states::kProfiling, states::kDeploying,
                                                       states::kReady, states::kDeleted};
  if (std::ranges::find(kFrozen, state) == kFrozen.end()) return RequestStep::kUnknown;
  if (is_edited(request)) return RequestStep::kReject;
  if (state == states::kProfiling) return RequestStep::kProfile;
  if (state == states::kDeleted) return RequestStep::kRest;
  const bool is_created =
      request.root()["status"]["deployment"]["created"].boolean().value_or(false);
  const bool has_graph = is_created && applies_itself(api::GraphDeploymentRequest{request.root()});
  if (has_graph) return RequestStep::kFollow;
  return state == states::kDeploying ? RequestStep::kDeploy : RequestStep::kRest;
}

Plan plan(const ObservedState& observed) {
  return Planner(observed).run();
}

Plan plan_after_failure(const ObservedState& observed, const std::string& why) {
  return Planner(observed).run_after_failure(why);
}

}  // namespace dynamo::reconciler::request
