// Drift repair and deletion of owned objects that differ from the recording on purpose.
#include <algorithm>
#include <charconv>
#include <set>
#include <string>

#include "render/desired/sync.hpp"
#include "render/hash.hpp"
#include "render/names.hpp"
#include "tests/controller_cases/meant.hpp"

namespace dynamo::cases {
namespace {

const Value kNothing;

const Value& value_in(const Value* object, const Keys& keys) {
  return object == nullptr ? kNothing : at_keys(*object, keys);
}

bool is_of_self(const Value& object, const Found& found) {
  const Found self{.key = found.self};
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
bool is_asked_for(std::string_view kind, const Value& object, const Value& owner) {
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
bool says_it_is_as_wanted(const Found& found) {
  const Keys hash = {"metadata", "annotations", std::string(render::kAppliedHashAnnotation)};
  const std::string_view wanted = text(value_in(found.wanted, hash));
  return !wanted.empty() && text(value_in(found.origin, hash)) == wanted;
}

// Upstream created, updated or deleted it.
bool is_as_left(const Found& found) {
  if (!found.keys.empty()) return is_as_it_was(found) && is_as_wanted(found);
  if (found.made->IsNull())
    return is_as_wanted(found) || (found.refuses && found.wanted == nullptr);
  return found.measured->IsNull() && is_as_it_was(found) && found.wanted == nullptr;
}

// Ours leaves the status unchanged; upstream updates it.
bool is_unhindered_status(const Found& found) {
  Keys there = {"status"};
  there.insert(there.end(), found.keys.begin(), found.keys.end());
  return same(value_in(found.before, there), *found.made) && found.measured_status != nullptr &&
         is_as(found, *found.measured_status, found.unhindered->status);
}

bool is_unhindered_event(const Found& found) {
  const std::vector<std::string>& ours = found.unhindered->events;
  if (std::ranges::find(ours, found.key) != ours.end()) return true;
  Found there = found;
  there.status = &found.unhindered->status;
  there.unhindered = nullptr;
  return explanation_of(there) != nullptr;
}

bool are_unhindered_calls(const Found& found) {
  const std::vector<std::string> measured = words_of(*found.measured);
  const std::vector<std::string>& ours = found.unhindered->calls;
  return std::set(measured.begin(), measured.end()) == std::set(ours.begin(), ours.end());
}

}  // namespace

// Another client changed it, and upstream keeps the change because the kind has no generation.
bool put_back(const Found& found) {
  if (found.place != Place::kObject || found.before == nullptr || found.intent == nullptr)
    return false;
  if (found.keys.empty()) return false;
  const Value& stood = value_in(found.left, found.keys);
  const bool was_changed = found.others != nullptr && !same(stood, *found.made);
  const bool is_emptied = found.measured->IsNull() && stood.IsObject() && stood.MemberCount() == 0;
  return was_changed && (is_emptied || same(stood, *found.measured)) &&
         (same(value_in(found.intent, found.keys), *found.made) ||
          same(value_in(found.wanted, found.keys), *found.made)) &&
         (same(value_in(found.origin, found.keys), *found.made) || says_it_is_as_wanted(found));
}

// An object that its owner no longer needs.
bool taken_away(const Found& found) {
  const bool is_event = found.place == Place::kEvent && found.measured->IsNull() &&
                        found.key.starts_with("Normal Delete");
  const bool is_object =
      found.place == Place::kObject && found.keys.empty() && found.made->IsNull();
  if ((!is_event && !is_object) || found.subject == nullptr) return false;
  const Value* const object =
      is_object && !found.measured->IsNull() ? found.measured : found.before;
  if (object == nullptr || !is_of_self(*object, found)) return false;
  return !is_asked_for(text(member(*object, "kind")), *object, *found.subject);
}

// An object that is being deleted and only held by another finalizer gets no new objects.
bool left_to_go(const Found& found) {
  if (value_in(found.subject, {"metadata", "deletionTimestamp"}).IsNull()) return false;
  const Value& finalizers = value_in(found.subject, {"metadata", "finalizers"});
  const bool is_ours = finalizers.IsArray() &&
                       std::ranges::any_of(finalizers.GetArray(), [](const Value& finalizer) {
                         return text(finalizer) == "nvidia.com/finalizer";
                       });
  if (is_ours || found.unhindered == nullptr) return false;
  switch (found.place) {
    case Place::kEvent:
      return found.made->IsNull() && is_unhindered_event(found);
    case Place::kStatus:
      return !found.keys.empty() && is_unhindered_status(found);
    case Place::kObject:
      return is_as_left(found);
    case Place::kResult:
      return text(*found.made) == "done" && text(*found.measured) == found.unhindered->result;
    case Place::kCalls:
      return found.made->IsArray() && found.made->Empty() && are_unhindered_calls(found);
  }
  return false;
}

// A refused object became valid, or an adapter's target does not exist.
bool reported_besides(const Found& found) {
  if (found.place != Place::kEvent || !found.measured->IsNull()) return false;
  if (kind_in(Found{.key = found.self}) == "DynamoGraphDeploymentScalingAdapter") {
    return found.key == with_self(found, "Warning GraphNotFound") ||
           found.key == with_self(found, "Warning ServiceNotFound");
  }
  if (found.key != with_self(found, "Normal ValidationPassed")) return false;
  const Value& conditions = value_in(found.before, {"status", "conditions"});
  return conditions.IsArray() &&
         std::ranges::any_of(conditions.GetArray(), [](const Value& condition) {
           return text(member(condition, "reason")) == "ValidationFailed";
         });
}

}  // namespace dynamo::cases
