// Drift repair and deletion of owned objects that differ from the recording on purpose.
#include <algorithm>
#include <charconv>
#include <set>
#include <string>

#include "manifests/sync.hpp"
#include "render/component/hash.hpp"
#include "render/component/names.hpp"
#include "tests/controller_cases/allowed_predicates.hpp"

namespace dynamo::cases {
namespace {

bool is_of_self(const Value& object, const DifferenceContext& found) {
  const DifferenceContext self{.key = found.self};
  const Value& owners = at_keys(object, {"metadata", "ownerReferences"});
  return owners.IsArray() && std::ranges::any_of(owners.GetArray(), [&self](const Value& owner) {
           return text(member(owner, "kind")) == kind_in(self) &&
                  text(member(owner, "name")) == name_in(self);
         });
}

int whole_number(const Value& value, int otherwise) {
  return value.IsInt() ? value.GetInt() : otherwise;
}

// The index in the name of a LeaderWorkerSet or PodGroup, such as "w-2".
int index_in(std::string_view name) {
  const std::string_view digits = name.substr(name.rfind('-') + 1);
  int index = -1;
  std::from_chars(digits.data(), digits.data() + digits.size(), index);
  return index;
}

// Whether the owner's current spec needs it.
bool is_needed_by(std::string_view kind, const Value& object, const Value& owner) {
  const Value& spec = member(owner, "spec");
  const std::string_view name = text(at_keys(object, {"metadata", "name"}));
  const int nodes = whole_number(at_keys(spec, {"multinode", "nodeCount"}), 1);
  if (kind == "DynamoComponentDeployment") {
    const std::string service(
        text(at_keys(object, {"metadata", "labels", "nvidia.com/dynamo-component"})));
    return !at_keys(spec, {"services", service}).IsNull();
  }
  if (kind == "Deployment") return nodes <= 1;
  if (kind == "LeaderWorkerSet" || kind == "PodGroup") {
    return nodes > 1 && index_in(name) < whole_number(member(spec, "replicas"), 1);
  }
  if (kind == "Service" && name.starts_with("dynamo-model-")) {
    const std::string_view model = text(at_keys(spec, {"modelRef", "name"}));
    return !model.empty() &&
           name == render::model_service_name(render::base_model_hash(model).view()).str();
  }
  if (kind == "InferencePool") {
    const Value& services = member(spec, "services");
    return services.IsObject() &&
           std::ranges::any_of(services.GetObject(), [](const auto& service) {
             return text(member(service.value, "componentType")) == "epp";
           });
  }
  if (kind == "ConfigMap" && name.ends_with("-epp-config")) {
    const Value& services = member(spec, "services");
    return services.IsObject() &&
           std::ranges::any_of(services.GetObject(), [](const auto& service) {
             return !at_keys(service.value, {"eppConfig", "config"}).IsNull();
           });
  }
  return true;
}

// It existed from the start, with the hash of the requested spec.
bool has_desired_hash(const DifferenceContext& found) {
  const Keys hash = {"metadata", "annotations", std::string(render::kAppliedHashAnnotation)};
  const std::string_view wanted = text(value_in(found.desired, hash));
  return !wanted.empty() && text(value_in(found.origin, hash)) == wanted;
}

// Upstream created, updated or deleted it.
bool is_as_without_deletion(const DifferenceContext& found) {
  if (!found.keys.empty()) return is_unchanged(found) && is_as_desired(found);
  if (found.actual->IsNull())
    return is_as_desired(found) || (found.refuses && found.desired == nullptr);
  return found.recorded->IsNull() && is_unchanged(found) && found.desired == nullptr;
}

// Ours leaves the status unchanged; upstream updates it.
bool is_status_without_deletion(const DifferenceContext& found) {
  Keys there = {"status"};
  there.insert(there.end(), found.keys.begin(), found.keys.end());
  return same(value_in(found.before, there), *found.actual) && found.recorded_status != nullptr &&
         matches_otherwise(found, *found.recorded_status, found.without_deletion->status);
}

bool is_event_without_deletion(const DifferenceContext& found) {
  const std::vector<std::string>& ours = found.without_deletion->events;
  if (std::ranges::find(ours, found.key) != ours.end()) return true;
  DifferenceContext there = found;
  there.status = &found.without_deletion->status;
  there.without_deletion = nullptr;
  return find_allowed_difference(there) != nullptr;
}

bool are_calls_without_deletion(const DifferenceContext& found) {
  const std::vector<std::string> recorded = words_of(*found.recorded);
  const std::vector<std::string>& ours = found.without_deletion->calls;
  return std::set(recorded.begin(), recorded.end()) == std::set(ours.begin(), ours.end());
}

}  // namespace

// Another client changed it, and upstream keeps the change because the kind has no generation.
bool is_drift_reverted(const DifferenceContext& found) {
  if (found.place != Place::kObject || found.before == nullptr || found.intent == nullptr)
    return false;
  if (found.keys.empty()) return false;
  const Value& stood = value_in(found.left, found.keys);
  const bool was_changed = found.others != nullptr && !same(stood, *found.actual);
  const bool is_emptied = found.recorded->IsNull() && stood.IsObject() && stood.MemberCount() == 0;
  return was_changed && (is_emptied || same(stood, *found.recorded)) &&
         (same(value_in(found.intent, found.keys), *found.actual) ||
          same(value_in(found.desired, found.keys), *found.actual)) &&
         (same(value_in(found.origin, found.keys), *found.actual) || has_desired_hash(found));
}

// An object that its owner no longer needs.
bool is_orphan_deleted(const DifferenceContext& found) {
  const bool is_event = found.place == Place::kEvent && found.recorded->IsNull() &&
                        found.key.starts_with("Normal Delete");
  const bool is_object =
      found.place == Place::kObject && found.keys.empty() && found.actual->IsNull();
  if ((!is_event && !is_object) || found.subject == nullptr) return false;
  const Value* const object =
      is_object && !found.recorded->IsNull() ? found.recorded : found.before;
  if (object == nullptr || !is_of_self(*object, found)) return false;
  return !is_needed_by(text(member(*object, "kind")), *object, *found.subject);
}

// An object that is being deleted and only held by another finalizer gets no new objects.
bool is_owner_being_deleted(const DifferenceContext& found) {
  if (value_in(found.subject, {"metadata", "deletionTimestamp"}).IsNull()) return false;
  const Value& finalizers = value_in(found.subject, {"metadata", "finalizers"});
  const bool is_ours = finalizers.IsArray() &&
                       std::ranges::any_of(finalizers.GetArray(), [](const Value& finalizer) {
                         return text(finalizer) == "nvidia.com/finalizer";
                       });
  if (is_ours || found.without_deletion == nullptr) return false;
  switch (found.place) {
    case Place::kEvent:
      return found.actual->IsNull() && is_event_without_deletion(found);
    case Place::kStatus:
      return !found.keys.empty() && is_status_without_deletion(found);
    case Place::kObject:
      return is_as_without_deletion(found);
    case Place::kResult:
      return text(*found.actual) == "done" &&
             text(*found.recorded) == found.without_deletion->result;
    case Place::kCalls:
      return found.actual->IsArray() && found.actual->Empty() && are_calls_without_deletion(found);
  }
  return false;
}

// A refused object became valid, or an adapter's target does not exist.
bool is_additional_event(const DifferenceContext& found) {
  if (found.place != Place::kEvent || !found.recorded->IsNull()) return false;
  if (kind_in(DifferenceContext{.key = found.self}) == "DynamoGraphDeploymentScalingAdapter") {
    return found.key == event_for_self(found, "Warning GraphNotFound") ||
           found.key == event_for_self(found, "Warning ServiceNotFound");
  }
  if (found.key != event_for_self(found, "Normal ValidationPassed")) return false;
  const Value& conditions = value_in(found.before, {"status", "conditions"});
  return conditions.IsArray() &&
         std::ranges::any_of(conditions.GetArray(), [](const Value& condition) {
           return text(member(condition, "reason")) == "ValidationFailed";
         });
}

}  // namespace dynamo::cases
