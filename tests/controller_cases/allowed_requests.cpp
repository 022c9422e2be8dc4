// Differences of requests on purpose: retries, edits, denied graphs and addresses.
#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "tests/controller_cases/allowed_predicates.hpp"

namespace dynamo::cases {
namespace {

bool is_request(const DifferenceContext& found) {
  return kind_in(DifferenceContext{.key = found.self}) == "DynamoGraphDeploymentRequest";
}

std::int64_t number(const Value& value) {
  return value.IsInt64() ? value.GetInt64() : 0;
}

// A field of a condition of ours.
std::string_view own_condition(const DifferenceContext& found, std::string_view type,
                               std::string_view field) {
  const Value& conditions = value_in(found.status, {"conditions"});
  if (!conditions.IsArray()) return {};
  for (const Value& condition : conditions.GetArray()) {
    if (text(member(condition, "type")) == type) return text(member(condition, field));
  }
  return {};
}

std::string_view own_state(const DifferenceContext& found) {
  return text(value_in(found.status, {"state"}));
}
std::string_view recorded_state(const DifferenceContext& found) {
  return text(value_in(found.recorded_status, {"state"}));
}

// The difference is in the status or reason of the condition of that type, which is present on both
// sides.
bool is_in_condition(const DifferenceContext& found, std::string_view type) {
  if (found.place != Place::kStatus || found.keys.size() != 3) return false;
  if (found.keys[0] != "conditions") return false;
  if (found.keys[2] != "status" && found.keys[2] != "reason") return false;
  return text(value_in(found.whole_actual, {found.keys[0], found.keys[1], "type"})) == type &&
         text(value_in(found.whole_recorded, {found.keys[0], found.keys[1], "type"})) == type;
}

bool is_member(const DifferenceContext& found, std::initializer_list<std::string_view> names) {
  return found.place == Place::kStatus && found.keys.size() == 1 &&
         std::ranges::find(names, found.keys.front()) != names.end();
}

bool is_own_event(const DifferenceContext& found, std::initializer_list<std::string_view> events) {
  return std::ranges::any_of(events, [&found](std::string_view event) {
    return found.key == event_for_self(found, event);
  });
}

// The spec was edited, and only our status refers to the edited one.
bool uses_edited_spec(const DifferenceContext& found) {
  const std::int64_t generation = number(value_in(found.subject, {"metadata", "generation"}));
  return generation > 0 &&
         number(value_in(found.recorded_status, {"observedGeneration"})) < generation &&
         number(value_in(found.status, {"observedGeneration"})) == generation;
}

// An edit retries a failed request.
bool is_retried(const DifferenceContext& found) {
  if (recorded_state(found) != "Failed" || own_state(found) == "Failed" || !uses_edited_spec(found))
    return false;
  switch (found.place) {
    case Place::kResult:
      return text(*found.recorded) == "done" && text(*found.actual) == "requeue (rate limited)";
    case Place::kEvent:
      return found.recorded->IsNull() &&
             (is_own_event(found, {"Normal Initialized", "Normal ProfilingJobCreated"}) ||
              found.key.starts_with("Normal CreateJob on Job/"));
    case Place::kStatus:
      return is_member(found, {"state", "observedGeneration", "conditions"}) ||
             is_in_condition(found, "Profiling");
    case Place::kObject:
      return found.recorded->IsNull() && kind_in(found) == "Job";
    case Place::kCalls:
      break;
  }
  return false;
}

// The Job waits for the role instead of failing.
bool is_role_awaited(const DifferenceContext& found) {
  if (recorded_state(found) != "Failed" || own_state(found) != "Pending" ||
      own_condition(found, "Profiling", "reason") != "JobCreationFailed")
    return false;
  if (found.place == Place::kResult) {
    return text(*found.actual) == "requeue after 60s" &&
           (text(*found.recorded) == "done" || text(*found.recorded) == "requeue (rate limited)");
  }
  return is_member(found, {"state"});
}

}  // namespace

// Upstream takes over a Job of that name.
bool is_profiling_name_taken(const DifferenceContext& found) {
  if (!is_request(found) || own_condition(found, "Profiling", "reason") != "NameTaken") {
    return false;
  }
  switch (found.place) {
    case Place::kResult:
      return text(*found.recorded) == "requeue (rate limited)" &&
             text(*found.actual).starts_with("requeue after ");
    case Place::kStatus:
      return (is_in_condition(found, "Profiling") && text(*found.recorded) == "ProfilingRunning") ||
             (is_member(found, {"state"}) && text(*found.recorded) == "Profiling");
    case Place::kEvent:
      return found.recorded->IsNull() ? is_own_event(found, {"Warning ProfilingJobFailed"})
                                      : is_own_event(found, {"Normal ProfilingJobCreated"}) ||
                                            found.key.starts_with("Normal UpdateJob on Job/");
    case Place::kObject:
      return has_kind(found, {"Job"}) && !found.keys.empty() && is_unchanged(found);
    case Place::kCalls:
      break;
  }
  return false;
}

// Upstream sends a changed spec to the existing Job, which a server refuses.
bool is_profiling_job_kept(const DifferenceContext& found) {
  return is_request(found) && has_kind(found, {"Job"}) && !found.keys.empty() &&
         is_unchanged(found) && is_as_desired(found) && own_state(found) == "Profiling";
}

bool is_profiling_condition_kept(const DifferenceContext& found) {
  if (!is_request(found) || !is_in_condition(found, "Profiling")) return false;
  const bool is_status = found.keys[2] == "status";
  return text(*found.recorded) == (is_status ? "False" : "ProfilingRunning") &&
         text(*found.actual) == (is_status ? "True" : "ProfilingCompleted");
}

bool is_request_retried(const DifferenceContext& found) {
  return is_request(found) && (is_retried(found) || is_role_awaited(found));
}

// An edit of a pending request is used, and not refused afterwards.
bool is_pending_edit_used(const DifferenceContext& found) {
  if (!is_request(found) || recorded_state(found) != "Profiling" || !uses_edited_spec(found))
    return false;
  switch (found.place) {
    case Place::kResult:
      return text(*found.recorded) == "done";
    case Place::kEvent:
      return found.actual->IsNull() ? is_own_event(found, {"Warning SpecChangeRejected"})
                                    : mentions(found.key, event_for_self(found, ""));
    case Place::kStatus:
      if (is_in_condition(found, "Profiling")) {
        return text(*found.actual) == "True" || text(*found.actual) == "ProfilingCompleted";
      }
      return is_member(found, {"state", "observedGeneration", "conditions", "profilingResults",
                               "generatedDeployment", "deployment"});
    case Place::kObject:
      return found.recorded->IsNull() && kind_in(found) == "DynamoGraphDeployment";
    case Place::kCalls:
      break;
  }
  return false;
}

bool is_tracking_label(const DifferenceContext& found) {
  if (!is_request(found) || !has_kind(found, {"DynamoGraphDeployment"})) return false;
  if (found.keys.size() != 3 || found.keys[0] != "metadata" || found.keys[1] != "labels")
    return false;
  const std::string& label = found.keys[2];
  const Value& given = value_in(found.subject, {"spec", "deploymentOverrides", "labels", label});
  if (given.IsNull() || !same(given, *found.recorded)) return false;
  if (label == "nvidia.com/managed-by") return text(*found.actual) == "dynamo-operator";
  if (label != "dgdr.nvidia.com/name" && label != "dgdr.nvidia.com/namespace") return false;
  const std::string field = label.substr(label.rfind('/') + 1);
  return same(value_in(found.subject, {"metadata", field}), *found.actual);
}

bool is_generated_graph_denied(const DifferenceContext& found) {
  if (!is_request(found) || own_condition(found, "SpecGenerated", "reason") != "GenerationFailed" ||
      !mentions(own_condition(found, "SpecGenerated", "message"), "must be admitted"))
    return false;
  switch (found.place) {
    case Place::kEvent:
      return found.actual->IsNull() ? found.key.starts_with("Normal ")
                                    : is_own_event(found, {"Warning GenerationFailed"});
    case Place::kStatus:
      return is_in_condition(found, "SpecGenerated") ||
             (is_member(found, {"state"}) && text(*found.actual) == "Failed") ||
             (is_member(found, {"profilingResults", "generatedDeployment", "deployment"}) &&
              found.actual->IsNull());
    case Place::kObject:
      return found.actual->IsNull() && has_kind(found, {"DynamoGraphDeployment", "ConfigMap"});
    case Place::kResult:
    case Place::kCalls:
      break;
  }
  return false;
}

bool is_configured_address(const DifferenceContext& found) {
  if (!is_request(found) || !has_kind(found, {"Job"}) || found.keys.empty()) return false;
  if (found.keys.back() != "value" || found.flags == nullptr) return false;
  Keys name = found.keys;
  name.back() = "name";
  const std::string_view variable = text(value_in(found.whole_actual, name));
  const std::string_view address = text(*found.actual);
  return (variable == "NATS_SERVER" && address == text(member(*found.flags, "natsAddr"))) ||
         (variable == "ETCD_ENDPOINTS" && address == text(member(*found.flags, "etcdAddr")));
}

bool is_other_kind_named(const DifferenceContext& found) {
  return is_request(found) && found.place == Place::kEvent && found.recorded->IsNull() &&
         is_own_event(found, {"Warning ResourceNotCreated"});
}

bool is_unknown_state_reported(const DifferenceContext& found) {
  if (!is_request(found) || own_condition(found, "Validation", "reason") != "UnknownState")
    return false;
  if (found.place == Place::kEvent) {
    return found.recorded->IsNull() && is_own_event(found, {"Warning UnknownState"});
  }
  return is_member(found, {"conditions"}) && found.recorded->IsNull();
}

bool is_graph_of_other_request(const DifferenceContext& found) {
  if (!is_request(found) || own_condition(found, "DeploymentReady", "reason") != "NameTaken")
    return false;
  switch (found.place) {
    case Place::kResult:
      return text(*found.recorded) == "done" && text(*found.actual) == "requeue after 60s";
    case Place::kEvent:
      return found.actual->IsNull() ? is_own_event(found, {"Normal DeploymentReady"})
                                    : is_own_event(found, {"Warning DeploymentCreationFailed"});
    case Place::kStatus:
      return is_member(found, {"conditions", "deployment"}) ||
             (is_member(found, {"state"}) && text(*found.recorded) == "Ready");
    case Place::kObject:
    case Place::kCalls:
      break;
  }
  return false;
}

}  // namespace dynamo::cases
