// Names of owned objects that are in use: the existing object is left alone, or its deletion
// awaited.
#include <algorithm>
#include <array>
#include <string>

#include "tests/controller_cases/allowed_predicates.hpp"

namespace dynamo::cases {
namespace {

bool is_in(std::string_view text, std::initializer_list<std::string_view> all) {
  return std::ranges::find(all, text) != all.end();
}

// Condition values of an unblocked or failed reconcile.
bool is_unblocked_value(std::string_view field, const Value& value) {
  if (field == "status") return is_in(text(value), {"True", "False", "Unknown"});
  if (field == "observedGeneration") return value.IsInt();
  return field == "reason" &&
         is_in(text(value),
               {"some_resources_are_not_ready", "all_resources_are_ready",
                "failed_to_reconcile_the_resources", "ValidationPassed", "Reconciling",
                "DeploymentReady", "DeploymentNotReady", "AllLeaderWorkerSetsReady",
                "SomeLeaderWorkerSetsNotReady", "ComponentReady", "ComponentNotReady"});
}

// Both sides report the same validity.
bool is_unblocked_condition(const Value& condition, const Value& ours) {
  const std::string_view type = text(member(condition, "type"));
  if (type == "Valid") {
    return ours.IsArray() && std::ranges::any_of(ours.GetArray(), [&condition](const Value& each) {
             return same(condition, each);
           });
  }
  return is_in(type, {"Ready", "Available", "DynamoComponentReady"}) &&
         is_unblocked_value("status", member(condition, "status")) &&
         is_unblocked_value("reason", member(condition, "reason"));
}

// The last reconcile counted the component's pods.
bool is_counted(const DifferenceContext& found) {
  const Value& before =
      at_keys(found.before == nullptr ? kAbsent : *found.before, {"status", "service"});
  return !same(before, at_keys(*found.status, {"service"}));
}

// A status of an unblocked reconcile. The condition types equal ours unless the number differs.
bool is_unblocked_status(const DifferenceContext& found) {
  if (!is_pod_status_field(found)) return false;
  if (found.keys.front() == "state") {
    return is_in(text(*found.recorded), {"pending", "successful", "failed"});
  }
  if (found.keys.front() == "restart") {
    const Value& restart = at_keys(*found.recorded_status, {"restart"});
    return is_under_way(found, restart) ||
           same(restart,
                at_keys(found.before == nullptr ? kAbsent : *found.before, {"status", "restart"}));
  }
  // Pods of an unblocked component are counted as recorded.
  if (found.keys.front() == "service") return !is_counted(found);
  if (found.keys.front() != "conditions") return true;
  if (found.keys.size() == 3) return is_unblocked_value(found.keys.back(), *found.recorded);
  return found.keys.size() == 1 && found.recorded->IsArray() &&
         std::ranges::all_of(found.recorded->GetArray(), [&found](const Value& each) {
           return is_unblocked_condition(each, *found.actual);
         });
}

// "Service w", for an object or for an event's object.
std::string object_in(const DifferenceContext& found) {
  if (found.place != Place::kEvent) {
    return std::string(kind_in(found)) + " " + std::string(name_in(found));
  }
  std::string object = found.key.substr(found.key.rfind(' ') + 1);
  std::ranges::replace(object, '/', ' ');
  return object;
}

constexpr std::string_view kTaken = " must be free to be created; found ";

bool is_reported_for(const DifferenceContext& found, const std::string& object,
                     std::string_view what) {
  const std::string_view message = condition_field(found, "message");
  const std::string wanted = object + std::string(what);
  return message.starts_with(wanted) || mentions(message, "; " + wanted);
}

// We create nothing else if an account belongs to another owner: pods would run with its
// permissions.
bool is_account_taken(const DifferenceContext& found) {
  const std::string_view message = condition_field(found, "message");
  for (std::size_t end = message.find(kTaken); end != std::string_view::npos;
       end = message.find(kTaken, end + 1)) {
    const std::string_view before = message.substr(0, end);
    const std::size_t begin = before.rfind("; ");
    const std::string_view object =
        begin == std::string_view::npos ? before : before.substr(begin + 2);
    for (const std::string_view kind : {"ServiceAccount ", "Role ", "RoleBinding "}) {
      if (object.starts_with(kind)) return true;
    }
  }
  return false;
}

// Upstream failed because the spec is missing and stopped; ours creates the remaining objects.
bool recording_has_failed(const DifferenceContext& found) {
  return text(at_keys(found.recorded_status == nullptr ? kAbsent : *found.recorded_status,
                      {"state"})) == "failed";
}

bool is_owned(const DifferenceContext& found, const Value& object) {
  const Value& owners = at_keys(object, {"metadata", "ownerReferences"});
  return owners.IsArray() && std::ranges::any_of(owners.GetArray(), [&found](const Value& owner) {
           return text(member(owner, "name")) == name_in(DifferenceContext{.key = found.self}) &&
                  text(member(owner, "kind")) == kind_in(DifferenceContext{.key = found.self});
         });
}

bool has_controller(const Value& object) {
  const Value& owners = at_keys(object, {"metadata", "ownerReferences"});
  return owners.IsArray() && std::ranges::any_of(owners.GetArray(), [](const Value& owner) {
           return member(owner, "controller").IsTrue();
         });
}

bool is_being_deleted(const Value& object) {
  return !at_keys(object, {"metadata", "deletionTimestamp"}).IsNull();
}

// It is being deleted, or belongs to a previous owner of the same name.
bool is_awaited(const DifferenceContext& found, const Value& object) {
  const Value& owners = at_keys(object, {"metadata", "ownerReferences"});
  const Value& uid = at_keys(*found.subject, {"metadata", "uid"});
  return is_being_deleted(object) ||
         (is_owned(found, object) &&
          std::ranges::none_of(owners.GetArray(),
                               [&uid](const Value& owner) { return member(owner, "uid") == uid; }));
}

// An adapter of a removed service that has another controller.
bool is_orphan_of_others(const DifferenceContext& found, const Value& object) {
  if (text(member(object, "kind")) != "DynamoGraphDeploymentScalingAdapter") return false;
  const std::string service(text(at_keys(object, {"spec", "dgdRef", "serviceName"})));
  const Value& graph =
      at_keys(object, {"metadata", "labels", "nvidia.com/dynamo-graph-deployment-name"});
  return text(graph) == name_in(DifferenceContext{.key = found.self}) && has_controller(object) &&
         !is_owned(found, object) &&
         at_keys(*found.subject, {"spec", "services", service}).IsNull();
}

bool is_unwanted_event(const DifferenceContext& found) {
  if (!found.actual->IsNull()) return false;
  if (found.key == event_for_self(found, "Normal AdapterDeleted")) {
    return std::ranges::any_of(found.live_objects, [&found](const Value* each) {
      return is_orphan_of_others(found, *each);
    });
  }
  return found.key.starts_with("Normal Delete") && found.whole_actual != nullptr &&
         !is_owned(found, *found.whole_actual);
}

bool is_event_of_taken_name(const DifferenceContext& found) {
  const bool missing = found.actual->IsNull();
  if (missing && found.key.starts_with("Warning CopySpec")) {
    const std::string object = object_in(found);
    return is_reported_for(found, object, kTaken) &&
           found.key.starts_with("Warning CopySpec" + object.substr(0, object.find(' ')) + " ");
  }
  if (found.key.starts_with("Normal Create") && found.desired != nullptr) {
    return missing ? is_account_taken(found) : recording_has_failed(found);
  }
  return !missing && found.key == event_for_self(found, "Warning ReconcileError");
}

bool is_object_of_taken_name(const DifferenceContext& found) {
  if (!found.keys.empty()) {
    return is_unchanged(found) && !is_owned(found, *found.before) && is_as_desired(found);
  }
  if (found.actual->IsNull()) return is_account_taken(found) && is_as_desired(found);
  return found.recorded->IsNull() && found.others == nullptr && found.desired != nullptr &&
         recording_has_failed(found);
}

// Neither desired nor ours to delete.
bool is_unwanted(const DifferenceContext& found) {
  return found.place == Place::kObject && found.keys.empty() && found.recorded->IsNull() &&
         is_unchanged(found) && !is_owned(found, *found.actual);
}

}  // namespace

// Another owner's object.
bool is_name_taken(const DifferenceContext& found) {
  if (is_unwanted(found)) return true;
  if (found.place == Place::kEvent && is_unwanted_event(found)) return true;
  const std::string_view reason = condition_field(found, "reason");
  if (reason != "NameTaken" && reason != "name_is_taken") return false;
  if (!mentions(condition_field(found, "message"), kTaken)) return false;
  switch (found.place) {
    case Place::kResult:
      return text(*found.recorded) == "done" && text(*found.actual) == "error";
    case Place::kStatus:
      return is_unblocked_status(found);
    case Place::kEvent:
      return is_event_of_taken_name(found);
    case Place::kObject:
      return is_object_of_taken_name(found);
    case Place::kCalls:
      break;
  }
  return false;
}

// An object that is being deleted or was left by an earlier owner of the same name.
bool is_waiting_for_deletion(const DifferenceContext& found) {
  if (found.place == Place::kObject) {
    return !found.keys.empty() && is_unchanged(found) && is_awaited(found, *found.before) &&
           is_as_desired(found);
  }
  if (found.place == Place::kEvent && found.actual->IsNull()) {
    return found.key.starts_with("Normal Delete") && found.before != nullptr &&
           is_being_deleted(*found.before);
  }
  constexpr std::string_view kGoing = " is being deleted; its deletion must finish first";
  constexpr std::string_view kLeft = " belongs to an earlier ";
  const std::string_view message = condition_field(found, "message");
  if (!mentions(message, kGoing) && !mentions(message, kLeft)) return false;
  switch (found.place) {
    case Place::kResult:
      return text(*found.recorded) == "done" && text(*found.actual) == "error";
    case Place::kStatus:
      return found.keys.front() != "restart" && is_unblocked_status(found);
    case Place::kEvent:
      return found.recorded->IsNull() &&
             found.key == event_for_self(found, "Warning ReconcileError");
    case Place::kObject:
    case Place::kCalls:
      break;
  }
  return false;
}

// A checkpoint named by its identity's hash, without the label used to find it.
bool is_manual_checkpoint(const DifferenceContext& found) {
  return has_kind(found, {"DynamoCheckpoint"}) && !found.keys.empty() && is_unchanged(found) &&
         is_as_desired(found);
}

}  // namespace dynamo::cases
