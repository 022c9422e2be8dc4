#include "reconciler/engine/action_executor.hpp"

#include <utility>

#include "kube/object/url.hpp"
#include "reconciler/engine/take_over.hpp"

namespace dynamo::reconciler {
namespace {

kube::Error defect_of(const Action& action, std::string_view what) {
  const Target none;
  const Target* const found = target_of(action);
  const Target& target = found == nullptr ? none : *found;
  kube::Error error;
  error.failure = kube::FailureKind::kConfig;
  error.text = std::string(to_string(action_kind_of(action))) + " " +
               std::string(target.resource.plural) + " " + target.name + ": " + std::string(what);
  return error;
}

kube::Event event_of(const EmitEvent& action) {
  kube::Event event;
  event.regarding.api_version = action.regarding.resource.api_version();
  event.regarding.kind = action.regarding.resource.kind;
  event.regarding.namespace_name = action.regarding.namespace_name;
  event.regarding.name = action.regarding.name;
  event.regarding.uid = action.regarding.uid;
  event.is_warning = action.is_warning;
  event.reason = action.reason;
  event.action = "Reconcile";
  event.note = action.note;
  event.occasion = action.occasion;
  return event;
}

// Without a uid, the object was not observed.
bool is_creation(const Action& action) {
  const auto* const apply = std::get_if<Apply>(&action);
  return apply != nullptr && apply->target.uid.empty() && apply->subresource.empty();
}

kube::Error already_created_error(const Target& target) {
  kube::Error error;
  error.failure = kube::FailureKind::kStatus;
  error.http_status = 409;
  error.reason = "Conflict";
  error.text = "apply " + std::string(target.resource.plural) + " " + target.name +
               ": it must not be there yet, and another reconcile creates it";
  return error;
}

// The write that must precede an apply with `takes_over`. If the object was deleted or recreated,
// the apply itself fails.
Action write_before(const Apply& apply, const kube::Object& list, std::string_view manager) {
  Target target = apply.target;
  target.resource_version.clear();
  std::string body;
  const json::Value items = list.root()["items"];
  for (const json::Value item : items.elements()) {
    const kube::Object live = list.part(item);
    if (live.uid() != target.uid) continue;
    target.resource_version = live.resource_version();
    body = take_over_patch(live, target.resource.api_version(), manager);
  }
  return json_patch(target, std::move(body));
}

// The server refused this object, not the caller or all calls.
bool is_of_the_object(const ActionResult& result) {
  return result.outcome == ActionResult::Outcome::kFailed &&
         result.error.failure == kube::FailureKind::kStatus && !result.error.is("Unauthorized") &&
         !result.error.is("TooManyRequests") && !result.error.is("ServiceUnavailable");
}

// Objects of the same kind do not depend on each other. All other actions after a refusal, such as
// a status, assume that the previous actions succeeded.
bool are_independent_applies(const Action& refused, const Action& action) {
  const auto* const first = std::get_if<Apply>(&refused);
  const auto* const second = std::get_if<Apply>(&action);
  return first != nullptr && second != nullptr && first->subresource.empty() &&
         second->subresource.empty() &&
         first->target.resource.plural == second->target.resource.plural &&
         first->target.resource.group == second->target.resource.group;
}

bool reports_write(const Action& action) {
  const auto* const event = std::get_if<EmitEvent>(&action);
  return event != nullptr && event->of_write;
}

bool is_independent(const Action& action) {
  const auto* const removed = std::get_if<Delete>(&action);
  return removed != nullptr && removed->is_independent;
}

}  // namespace

ActionExecutor::ActionExecutor(Dependencies dependencies)
    : dependencies_(std::move(dependencies)),
      client_(dependencies_.client.with_deadline(dependencies_.call_deadline)) {}

aio::Task<ActionResult> ActionExecutor::act(std::vector<Action> actions,
                                            std::string field_manager) {
  ActionResult result = co_await execute_all(actions, field_manager);
  if (result.outcome == ActionResult::Outcome::kFailed) count(result.action_kind, "failed");
  co_return result;
}

void ActionExecutor::count(ActionKind kind, std::string_view result) {
  dependencies_.metrics.writes.increment(
      {std::string(dependencies_.controller), std::string(to_string(kind)), std::string(result)});
}

aio::Task<ActionResult> ActionExecutor::execute_all(std::vector<Action>& actions,
                                                    const std::string& field_manager) {
  bool changed = true;
  const Action* refused = nullptr;
  ActionResult overall;
  for (Action& action : actions) {
    // An event that reports a write follows directly after it.
    const bool goes_on = refused == nullptr || reports_write(action) || is_independent(action) ||
                         are_independent_applies(*refused, action);
    if (!goes_on) {
      changed = false;
      continue;
    }
    if (is_dry_run()) {
      dependencies_.print("---\n" + to_yaml(action));
      continue;
    }
    if (reports_write(action) && !changed) continue;
    const auto* const apply = std::get_if<Apply>(&action);
    changed = apply == nullptr || !dependencies_.tracker.is_no_op(*apply);
    if (!changed) continue;
    ActionResult result = co_await take_over_and_execute(action, field_manager);
    changed = result.outcome == ActionResult::Outcome::kDone && result.changed;
    if (result.outcome == ActionResult::Outcome::kDone) continue;
    if (!is_of_the_object(result)) co_return result;
    if (refused == nullptr) {
      refused = &action;
      overall = std::move(result);
    }
  }
  co_return overall;
}

aio::Task<ActionResult> ActionExecutor::take_over_and_execute(Action& action,
                                                              const std::string& field_manager) {
  const auto* const apply = std::get_if<Apply>(&action);
  if (apply != nullptr && apply->takes_over) {
    auto before = co_await taking_over(*apply, field_manager);
    if (!before) co_return ActionResult::failed(before.error(), ActionKind::kJsonPatch);
    if (!body_of(*before).empty()) {
      ActionResult freed = co_await execute(*before, field_manager);
      if (freed.outcome != ActionResult::Outcome::kDone) co_return freed;
    }
  }
  co_return co_await execute(action, field_manager);
}

aio::Task<ActionResult> ActionExecutor::execute(Action& action, const std::string& field_manager) {
  if (!dependencies_.permit.can_act()) co_return ActionResult::not_leading();
  if (const auto* const event = std::get_if<EmitEvent>(&action)) {
    dependencies_.record(event_of(*event));
    co_return ActionResult();
  }
  const ActionKind kind = action_kind_of(action);
  const Target* const target = target_of(action);
  if (target == nullptr) {
    co_return ActionResult::failed(defect_of(action, "is not done by the API server"), kind);
  }
  const kube::ObjectKey& key = dependencies_.permit.key();
  if (is_creation(action) && !dependencies_.tracker.reserve_creation(key, *target)) {
    co_return ActionResult::failed(already_created_error(*target), kind);
  }
  auto* const patch = std::get_if<MergePatch>(&action);
  if (patch != nullptr) dependencies_.tracker.follow_own_writes(key, *patch);
  const auto written = co_await send(action, field_manager);
  if (!written) {
    if (written.error().is("Conflict")) dependencies_.tracker.record_conflict(key, *target);
    co_return ActionResult::failed(written.error(), kind);
  }
  count(kind, "done");
  ActionResult result;
  result.changed = dependencies_.tracker.record_write(key, action, *written);
  co_return result;
}

// Reads with a list of one object, which needs only the watch permissions.
aio::Task<kube::Result<Action>> ActionExecutor::taking_over(const Apply& apply,
                                                            const std::string& field_manager) {
  const Target& target = apply.target;
  std::string path = target.resource.path(target.namespace_name);
  kube::append_query(path, "fieldSelector", "metadata.name=" + target.name);
  const auto list = co_await client_.get_path(std::move(path));
  if (!list) co_return list.error();
  co_return write_before(apply, *list, field_manager);
}

aio::Task<kube::Result<kube::Object>> ActionExecutor::send(const Action& action,
                                                           const std::string& field_manager) {
  kube::WriteOptions options;
  options.field_manager = field_manager;
  options.subresource = subresource_of(action);
  options.metadata_only = true;  // the cache provides the rest
  const auto patch = [this, &options](const auto& each, kube::PatchType type) {
    const Target& target = each.target;
    return client_.patch(target.resource, target.namespace_name, target.name, type, each.body,
                         options);
  };
  kube::Result<kube::Object> result = defect_of(action, "is not done by the API server");
  if (const auto* const create = std::get_if<Create>(&action)) {
    const Target& target = create->target;
    result = co_await client_.create(target.resource, target.namespace_name, create->body, options);
  } else if (const auto* const apply = std::get_if<Apply>(&action)) {
    // An unobserved object may exist nevertheless and belong to another owner: without force, the
    // server answers with a conflict.
    options.force = !apply->target.uid.empty();
    result = co_await patch(*apply, kube::PatchType::kApply);
  } else if (const auto* const merge = std::get_if<MergePatch>(&action)) {
    result = co_await patch(*merge, kube::PatchType::kMerge);
    const bool has_nothing_to_scale =
        !result && merge->subresource == "scale" && result.error().is("NotFound");
    if (has_nothing_to_scale) result = kube::Object();
  } else if (const auto* const json = std::get_if<JsonPatch>(&action)) {
    result = co_await patch(*json, kube::PatchType::kJson);
  } else if (const auto* const removed = std::get_if<Delete>(&action)) {
    result = co_await remove(*removed);
  }
  co_return result;
}

aio::Task<kube::Result<kube::Object>> ActionExecutor::remove(const Delete& action) {
  const Target& target = action.target;
  if (target.uid.empty()) co_return defect_of(action, "must name the uid that is meant");
  kube::DeleteOptions options;
  options.preconditions.uid = target.uid;
  options.preconditions.resource_version = target.resource_version;
  options.propagation = action.propagation;
  const auto removed =
      co_await client_.remove(target.resource, target.namespace_name, target.name, options);
  if (!removed && !removed.error().is("NotFound")) co_return removed.error();
  co_return kube::Object();
}

}  // namespace dynamo::reconciler
