#include "reconciler/engine/action_executor.hpp"

#include <utility>

#include "json/parser.hpp"
#include "json/writer.hpp"
#include "kube/object/url.hpp"
#include "reconciler/engine/take_over.hpp"

namespace dynamo::reconciler {
namespace {

kube::Error defect_of(const Action& action, std::string_view what) {
  kube::Error error;
  error.failure = kube::Failure::kConfig;
  error.text = std::string(to_string(action.verb)) + " " + std::string(action.resource.plural) +
               " " + action.name + ": " + std::string(what);
  return error;
}

kube::PatchType patch_type(Verb verb) {
  if (verb == Verb::kApply) return kube::PatchType::kApply;
  return verb == Verb::kJsonPatch ? kube::PatchType::kJson : kube::PatchType::kMerge;
}

kube::Event event_of(const Action& action) {
  kube::Event event;
  event.regarding.api_version = action.resource.api_version();
  event.regarding.kind = action.resource.kind;
  event.regarding.namespace_name = action.namespace_name;
  event.regarding.name = action.name;
  event.regarding.uid = action.uid;
  event.is_warning = action.is_warning;
  event.reason = action.reason;
  event.action = "Reconcile";
  event.note = action.note;
  event.occasion = action.occasion;
  return event;
}

std::string subresource_path(const Action& action) {
  return action.resource.path(action.namespace_name, action.name) + "/" + action.subresource;
}

// Without a uid, the object was not observed.
bool is_creation(const Action& action) {
  return action.verb == Verb::kApply && action.uid.empty() && action.subresource.empty();
}

kube::Error already_created_error(const Action& action) {
  kube::Error error;
  error.failure = kube::Failure::kStatus;
  error.http_status = 409;
  error.reason = "Conflict";
  error.text = "apply " + std::string(action.resource.plural) + " " + action.name +
               ": it must not be there yet, and another reconcile creates it";
  return error;
}

// The write that must precede an apply with `takes_over`. If the object was deleted or recreated,
// the apply itself fails.
Action write_before(const Action& apply, const kube::Object& list, std::string_view manager) {
  Target target;
  target.resource = apply.resource;
  target.namespace_name = apply.namespace_name;
  target.name = apply.name;
  target.uid = apply.uid;
  std::string body;
  const json::Value items = list.root()["items"];
  for (const json::Value item : items.elements()) {
    const kube::Object live = list.part(item);
    if (live.uid() != apply.uid) continue;
    target.resource_version = live.resource_version();
    body = take_over_patch(live, apply.resource.api_version(), manager);
  }
  return json_patch(target, std::move(body));
}

// The server refused this object, not the caller or all calls.
bool is_of_the_object(const ActionResult& result) {
  return result.outcome == ActionResult::Outcome::kFailed &&
         result.error.failure == kube::Failure::kStatus && !result.error.is("Unauthorized") &&
         !result.error.is("TooManyRequests") && !result.error.is("ServiceUnavailable");
}

// Objects of the same kind do not depend on each other. All other actions after a refusal, such as
// a status, assume that the previous actions succeeded.
bool are_independent_applies(const Action& refused, const Action& action) {
  return refused.verb == Verb::kApply && action.verb == Verb::kApply &&
         refused.subresource.empty() && action.subresource.empty() &&
         refused.resource.plural == action.resource.plural &&
         refused.resource.group == action.resource.group;
}

// The body of a patch, with another resourceVersion.
std::string with_version(std::string_view body, std::string_view version) {
  const auto patch = json::parse_copy(body);
  std::string text;
  json::Writer out(text);
  out.start_object();
  for (const json::Member member : patch->root().members()) {
    out.key(member.name);
    if (member.name != "metadata") {
      out.value(member.value);
      continue;
    }
    out.start_object();
    for (const json::Member each : member.value.members()) {
      out.key(each.name);
      if (each.name == "resourceVersion") {
        out.string(version);
      } else {
        out.value(each.value);
      }
    }
    out.end_object();
  }
  out.end_object();
  return text;
}

}  // namespace

bool NoOpApplies::contains(const Action& action) const {
  if (action.verb != Verb::kApply || action.seen_version.empty()) return false;
  const auto found = entries_.find(subresource_path(action));
  return found != entries_.end() && found->second.version == action.seen_version &&
         found->second.body_hash == std::hash<std::string>{}(action.body);
}

bool NoOpApplies::note(const Action& action, const kube::Object& answer) {
  if (action.verb != Verb::kApply || action.seen_version.empty()) return true;
  const std::string path = subresource_path(action);
  if (answer.resource_version() != action.seen_version) {
    entries_.erase(path);
    return true;
  }
  if (entries_.size() >= kMax) entries_.clear();
  entries_[path] = {action.seen_version, std::hash<std::string>{}(action.body)};
  return false;
}

void OwnWrites::follow(Action& action) const {
  if (action.verb != Verb::kMergePatch || action.resource_version.empty()) return;
  const auto change = changes_.find(action.resource.path(action.namespace_name, action.name));
  if (change == changes_.end() || change->second.from != action.resource_version) return;
  action.body = with_version(action.body, change->second.to);
  action.resource_version = change->second.to;
}

void OwnWrites::note(const Action& action, const kube::Object& answer) {
  if (action.resource_version.empty() || answer.resource_version().empty()) return;
  const std::string path = action.resource.path(action.namespace_name, action.name);
  const auto [change, is_new] =
      changes_.try_emplace(path, VersionChange{action.resource_version, {}});
  if (!is_new && change->second.to != action.resource_version) return;
  change->second.to = answer.resource_version();
}

ActionExecutor::ActionExecutor(Dependencies dependencies)
    : dependencies_(std::move(dependencies)),
      client_(dependencies_.client.with_deadline(dependencies_.call_deadline)) {}

aio::Task<ActionResult> ActionExecutor::act(std::vector<Action> actions,
                                            std::string field_manager) {
  bool changed = true;
  const Action* refused = nullptr;
  ActionResult overall;
  for (Action& action : actions) {
    // An event that reports a write follows directly after it.
    const bool goes_on = refused == nullptr || action.of_write || action.stands_alone ||
                         are_independent_applies(*refused, action);
    if (!goes_on) {
      changed = false;
      continue;
    }
    if (is_dry_run()) {
      dependencies_.print("---\n" + to_yaml(action));
      continue;
    }
    if (action.of_write && !changed) continue;
    changed = !dependencies_.no_op_applies.contains(action);
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
  if (action.takes_over) {
    auto before = co_await taking_over(action, field_manager);
    if (!before) co_return ActionResult::failed(before.error(), Verb::kJsonPatch);
    if (!before->body.empty()) {
      ActionResult freed = co_await execute(*before, field_manager);
      if (freed.outcome != ActionResult::Outcome::kDone) co_return freed;
    }
  }
  co_return co_await execute(action, field_manager);
}

aio::Task<ActionResult> ActionExecutor::execute(Action& action, const std::string& field_manager) {
  if (!dependencies_.can_act()) co_return ActionResult::not_leading();
  if (action.verb == Verb::kEvent) {
    dependencies_.record(event_of(action));
    co_return ActionResult();
  }
  if (is_creation(action) && dependencies_.can_create && !dependencies_.can_create(action)) {
    co_return ActionResult::failed(already_created_error(action), action.verb);
  }
  dependencies_.own_writes.follow(action);
  const auto written = co_await send(action, field_manager);
  if (!written) {
    if (written.error().is("Conflict") && dependencies_.on_conflict)
      dependencies_.on_conflict(action);
    co_return ActionResult::failed(written.error(), action.verb);
  }
  dependencies_.own_writes.note(action, *written);
  dependencies_.on_written(action, *written);
  ActionResult result;
  result.changed = dependencies_.no_op_applies.note(action, *written);
  co_return result;
}

// Reads with a list of one object, which needs only the watch permissions.
aio::Task<kube::Result<Action>> ActionExecutor::taking_over(const Action& action,
                                                            const std::string& field_manager) {
  std::string target = action.resource.path(action.namespace_name);
  kube::append_query(target, "fieldSelector", "metadata.name=" + action.name);
  const auto list = co_await client_.get_path(std::move(target));
  if (!list) co_return list.error();
  co_return write_before(action, *list, field_manager);
}

aio::Task<kube::Result<kube::Object>> ActionExecutor::send(const Action& action,
                                                           const std::string& field_manager) {
  kube::WriteOptions options;
  options.field_manager = field_manager;
  options.subresource = action.subresource;
  options.metadata_only = true;  // the cache provides the rest
  kube::Result<kube::Object> result = defect_of(action, "is not done by the API server");
  switch (action.verb) {
    case Verb::kCreate:
      result =
          co_await client_.create(action.resource, action.namespace_name, action.body, options);
      break;
    case Verb::kApply:
      // An unobserved object may exist nevertheless and belong to another owner: without force, the
      // server answers with a conflict.
      options.force = !action.uid.empty();
      [[fallthrough]];
    case Verb::kMergePatch:
    case Verb::kJsonPatch:
      result = co_await client_.patch(action.resource, action.namespace_name, action.name,
                                      patch_type(action.verb), action.body, options);
      break;
    case Verb::kDelete:
      result = co_await remove(action);
      break;
    case Verb::kEvent:
    case Verb::kHttp:
      break;
  }
  co_return result;
}

aio::Task<kube::Result<kube::Object>> ActionExecutor::remove(const Action& action) {
  if (action.uid.empty()) co_return defect_of(action, "must name the uid that is meant");
  kube::DeleteOptions options;
  options.preconditions.uid = action.uid;
  options.preconditions.resource_version = action.resource_version;
  options.propagation = action.propagation;
  const auto removed =
      co_await client_.remove(action.resource, action.namespace_name, action.name, options);
  if (!removed && !removed.error().is("NotFound")) co_return removed.error();
  co_return kube::Object();
}

}  // namespace dynamo::reconciler
