// Results and reports of reconciles that differ from the recording on purpose.
#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <string>

#include "tests/controller_cases/allowed_predicates.hpp"

namespace dynamo::cases {
namespace {

bool is_missing(const DifferenceContext& found) {
  return found.actual->IsNull();
}

bool is_failure(std::string_view reason) {
  return reason == "Reconciling" || reason == "failed_to_reconcile_the_resources";
}

// Our reconcile ended before it created the recorded objects, and nothing else differs.
bool is_result_of_refusal(const DifferenceContext& found) {
  switch (found.place) {
    case Place::kResult:
      return text(*found.recorded) == "done";
    case Place::kStatus:
      return is_pod_status_field(found);
    case Place::kObject:
      return found.keys.empty() && found.actual->IsNull();
    case Place::kEvent:
      return is_missing(found) ? found.key.starts_with("Normal ")
                               : found.key == event_for_self(found, "Warning ReconcileError");
    case Place::kCalls:
      break;
  }
  return false;
}

Object only_first_of_each(const Value& endpoints) {
  Object once(rapidjson::kArrayType);
  std::set<std::string> seen;
  for (const Value& each : endpoints.GetArray()) {
    const std::string who = text_of(member(each, "address")) + text_of(member(each, "podName"));
    if (seen.insert(who).second)
      once.PushBack(Value(each, once.GetAllocator()), once.GetAllocator());
  }
  return once;
}

}  // namespace

// Others keep their finalizers.
bool lacks_only_our_finalizer(const DifferenceContext& found) {
  static constexpr std::string_view kOurs = "nvidia.com/finalizer";
  const auto is_ours = [](const Value& finalizer) { return text(finalizer) == kOurs; };
  const Value& stood = value_in(found.before, found.keys);
  if (!stood.IsArray() || std::ranges::none_of(stood.GetArray(), is_ours)) return false;
  Object left = copy_of(stood);
  left.Erase(std::remove_if(left.Begin(), left.End(), is_ours), left.End());
  return same(left, *found.actual) && (found.recorded->IsNull() || same(stood, *found.recorded));
}

// Upstream validates an object that is being deleted.
bool is_deletion_before_validation(const DifferenceContext& found) {
  if (value_in(found.subject, {"metadata", "deletionTimestamp"}).IsNull()) return false;
  const Value& conditions = value_in(found.recorded_status, {"conditions"});
  const bool refused = conditions.IsArray() &&
                       std::ranges::any_of(conditions.GetArray(), [](const Value& condition) {
                         return text(member(condition, "type")) == "Valid" &&
                                text(member(condition, "reason")) == "ValidationFailed";
                       });
  if (!refused) return false;
  switch (found.place) {
    case Place::kEvent:
      return !is_missing(found) || found.key == event_for_self(found, "Warning ValidationFailed");
    case Place::kObject:
      if (found.keys == Keys{"metadata", "finalizers"}) return lacks_only_our_finalizer(found);
      [[fallthrough]];
    case Place::kStatus:
      return found.key == found.self && found.keys.empty() && found.actual->IsNull();
    case Place::kCalls:
      return found.recorded->IsArray() && found.recorded->Empty();
    case Place::kResult:
      break;
  }
  return false;
}

// A model: upstream lists the pod once per Service that selects it.
bool is_pod_counted_once(const DifferenceContext& found) {
  if (kind_in(DifferenceContext{.key = found.self}) != "DynamoModel") return false;
  if (found.place == Place::kCalls) {
    const std::vector<std::string> recorded = words_of(*found.recorded);
    const std::vector<std::string> actual = words_of(*found.actual);
    const std::set<std::string> once(recorded.begin(), recorded.end());
    return std::ranges::equal(once, actual);
  }
  if (found.place != Place::kStatus || found.keys.size() != 1) return false;
  const Value& recorded = value_in(found.recorded_status, {"endpoints"});
  if (!recorded.IsArray()) return false;
  const Object once = only_first_of_each(recorded);
  if (once.Size() == recorded.Size()) return false;
  if (found.keys.front() == "endpoints") return same(once, *found.actual);
  const bool ready = found.keys.front() == "readyEndpoints";
  if (!ready && found.keys.front() != "totalEndpoints") return false;
  const auto count_in = [ready](const Value& list) {
    return std::count_if(list.Begin(), list.End(), [ready](const Value& each) {
      return !ready || member(each, "ready").IsTrue();
    });
  };
  return found.actual->IsInt64() && found.actual->GetInt64() == count_in(once) &&
         found.recorded->IsInt64() && found.recorded->GetInt64() == count_in(recorded);
}

bool is_status_kept_on_error(const DifferenceContext& found) {
  const bool wiped = found.place == Place::kStatus && !found.keys.empty() &&
                     found.recorded->IsNull() &&
                     (found.keys.front() == "services" || found.keys.front() == "restart");
  if (!wiped || text(value_in(found.recorded_status, {"state"})) != "failed") return false;
  Keys there = {"status"};
  there.insert(there.end(), found.keys.begin(), found.keys.end());
  return same(value_in(found.before, there), *found.actual);
}

// A condition that this reconcile did not set.
bool was_set_before(const DifferenceContext& found) {
  const Value& type = value_in(found.whole_actual, {found.keys[0], found.keys[1], "type"});
  const Value& before = value_in(found.before, {"status", "conditions"});
  return before.IsArray() && std::ranges::any_of(before.GetArray(), [&](const Value& condition) {
           return same(member(condition, "type"), type) &&
                  same(member(condition, "observedGeneration"), *found.actual);
         });
}

bool is_observed_generation(const DifferenceContext& found) {
  return found.place == Place::kStatus && found.keys.size() == 3 &&
         found.keys.front() == "conditions" && found.keys.back() == "observedGeneration" &&
         found.recorded->IsNull() && found.actual->IsInt64() &&
         (same(value_in(found.subject, {"metadata", "generation"}), *found.actual) ||
          was_set_before(found));
}

// Upstream crashes on a service without a replica count, and reports what it had not determined
// yet.
bool is_replica_count_assumed(const DifferenceContext& found) {
  constexpr std::string_view kCrash = "undefined";
  const DifferenceContext recorded{.status = found.recorded_status};
  if (condition_field(recorded, "reason") != kCrash) return false;
  const Value& services = value_in(found.subject, {"spec", "services"});
  const auto crashes = [](const auto& service) {
    return member(service.value, "replicas").IsNull() &&
           member(service.value, "multinode").IsNull();
  };
  if (!services.IsObject() || std::ranges::none_of(services.GetObject(), crashes)) return false;
  switch (found.place) {
    case Place::kResult:
      return text(*found.recorded) == "error" && text(*found.actual) == "done";
    case Place::kEvent:
      return found.recorded->IsNull() && text(*found.actual).starts_with("Normal Create");
    case Place::kObject:
      return found.recorded->IsNull();
    case Place::kStatus:
      if (found.keys.front() == "services") return found.recorded->IsNull();
      return found.keys.back() == "reason" && text(*found.recorded) == kCrash;
    case Place::kCalls:
      return found.recorded->IsArray() && found.recorded->Empty();
  }
  return false;
}

// Upstream reports an empty entry, which the API server refuses.
bool is_absent_clique_named(const DifferenceContext& found) {
  if (found.place != Place::kStatus || found.keys.size() != 3) return false;
  if (found.keys.front() != "services" || !text(*found.recorded).empty()) return false;
  const Value& service = value_in(found.subject, {"spec", "services", found.keys[1]});
  const bool several = !member(service, "multinode").IsNull();
  if (found.keys.back() == "componentKind") {
    return text(*found.actual) == (several ? "PodCliqueScalingGroup" : "PodClique");
  }
  std::string name = std::string(text(value_in(found.subject, {"metadata", "name"}))) + "-0-";
  for (const char letter : found.keys[1])
    name += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return found.keys.back() == "componentName" && text(*found.actual) == name;
}

// Upstream reports readiness; ours reports why the pods are not ready yet.
bool is_waiting_for_new_pods(const DifferenceContext& found) {
  if (found.place != Place::kStatus || found.keys.empty()) return false;
  const bool reported_of_pods = found.keys == Keys{"state"} ||
                                (found.keys.size() == 3 && found.keys.front() == "conditions" &&
                                 (found.keys.back() == "status" || found.keys.back() == "reason"));
  if (!reported_of_pods) return false;
  if (found.keys.size() == 3) {
    const std::string_view type =
        text(value_in(found.whole_recorded, {found.keys[0], found.keys[1], "type"}));
    if (type != "Ready" && type != "Available" && type != "DynamoComponentReady") return false;
  }
  const bool better =
      text(value_in(found.recorded_status, {"state"})) == "successful" ||
      condition_field(DifferenceContext{.status = found.recorded_status}, "status") == "True";
  if (!better || condition_field(found, "status") != "False") return false;
  const std::string_view message = condition_field(found, "message");
  return mentions(message, "is not yet observed") || mentions(message, "is being changed") ||
         mentions(message, "is being scaled") || mentions(message, "has groups of before") ||
         // Cliques of an earlier set do not show the state of this one.
         mentions(message, "PodCliqueSet is being made");
}

bool is_refused_with(const DifferenceContext& found, std::string_view must) {
  return is_failure(condition_field(found, "reason")) &&
         mentions(condition_field(found, "message"), must) && is_result_of_refusal(found);
}

// We refuse it because the pod needs the name "main".
bool is_renamed_main_refused(const DifferenceContext& found) {
  constexpr std::string_view kMust =
      "must be \"main\" or left out where the pod starts from a checkpoint";
  const Value& name = value_in(found.subject, {"spec", "extraPodSpec", "mainContainer", "name"});
  return !text(name).empty() && text(name) != "main" && is_refused_with(found, kMust);
}

// Upstream refuses the path; ours loads it.
bool is_local_lora_path(const DifferenceContext& found) {
  const std::string_view source = text(value_in(found.subject, {"spec", "source", "uri"}));
  if (kind_in(DifferenceContext{.key = found.self}) != "DynamoModel" ||
      !source.starts_with("file:///"))
    return false;
  const Value& conditions = value_in(found.recorded_status, {"conditions"});
  if (!conditions.IsArray() || conditions.Empty()) return false;
  if (text(member(conditions[0], "reason")) != "ValidationFailed") return false;
  switch (found.place) {
    case Place::kEvent:
      if (is_missing(found)) return found.key == event_for_self(found, "Warning ValidationFailed");
      return found.key == event_for_self(found, "Normal EndpointsReady") ||
             found.key == event_for_self(found, "Warning NotReady") ||
             found.key == event_for_self(found, "Warning NoEndpointsFound") ||
             found.key == event_for_self(found, "Warning PartialEndpointFailure");
    case Place::kStatus:
      return found.keys.front() == "conditions" || found.recorded->IsNull() ||
             (found.recorded->IsInt() && found.recorded->GetInt() == 0);
    case Place::kObject:
      return found.key == found.self && found.recorded->IsNull();
    case Place::kResult:
      return text(*found.recorded) == "done" && text(*found.actual) == "requeue after 30s";
    case Place::kCalls:
      return found.recorded->IsArray() && found.recorded->Empty();
  }
  return false;
}

}  // namespace dynamo::cases
