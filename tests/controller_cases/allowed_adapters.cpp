// Scaling adapters: which adapter's replica count is used.
#include <algorithm>
#include <string>

#include "tests/controller_cases/allowed_predicates.hpp"

namespace dynamo::cases {
namespace {

const Value kNothing;
constexpr std::string_view kAdapter = "DynamoGraphDeploymentScalingAdapter";

bool is_by_hand(const Value& object) {
  const Value& owners = at_keys(object, {"metadata", "ownerReferences"});
  return !owners.IsArray() || std::ranges::none_of(owners.GetArray(), [](const Value& owner) {
    return member(owner, "controller").IsTrue();
  });
}

const Value& adapter_in(const DifferenceContext& found, std::string_view name) {
  for (const Value* const each : found.live_objects) {
    if (text(member(*each, "kind")) != kAdapter) continue;
    if (text(at_keys(*each, {"metadata", "name"})) == name) return *each;
  }
  return kNothing;
}

// Another adapter of the same service, with the count `replicas` unless that is null.
bool has_rival(const DifferenceContext& found, const Value& adapter, const Value& replicas) {
  const Value& scaled = at_keys(adapter, {"spec", "dgdRef"});
  return std::ranges::any_of(found.live_objects, [&](const Value* each) {
    return each != &adapter && text(member(*each, "kind")) == kAdapter &&
           same(at_keys(*each, {"spec", "dgdRef"}), scaled) &&
           (replicas.IsNull() || same(at_keys(*each, {"spec", "replicas"}), replicas));
  });
}

// The recorded status of an unused adapter, as if it were in use.
bool is_of_a_followed(const DifferenceContext& found, const Value& adapter) {
  if (found.keys == Keys{"replicas"}) {
    return same(*found.recorded, at_keys(adapter, {"spec", "replicas"}));
  }
  if (found.keys == Keys{"lastScaleTime"}) return text(*found.recorded) == "<time>";
  const Value& scaled = at_keys(adapter, {"spec", "dgdRef"});
  std::string selector = "nvidia.com/dynamo-graph-deployment-name=";
  selector += text(member(scaled, "name"));
  selector += ",nvidia.com/dynamo-component=";
  selector += text(member(scaled, "serviceName"));
  return found.keys == Keys{"selector"} && text(*found.recorded) == selector;
}

}  // namespace

// An existing adapter keeps its own count; upstream overwrites it with the graph's.
bool is_adapter_replicas(const DifferenceContext& found) {
  if (!has_kind(found, {"DynamoGraphDeploymentScalingAdapter"})) return false;
  const Value& scaled = value_in(found.whole_actual, {"spec", "dgdRef"});
  if (!found.keys.empty() && is_unchanged(found) && is_by_hand(*found.before)) {
    return is_as_desired(found) && same(value_in(found.desired, {"spec", "dgdRef"}), scaled);
  }
  if (found.keys != Keys{"spec", "replicas"} || !found.written_since_creation) return false;
  const std::string service(text(member(scaled, "serviceName")));
  const Value& asked = value_in(found.subject, {"spec", "services", service, "replicas"});
  const bool as_asked = asked.IsNull() ? found.recorded->IsInt() && found.recorded->GetInt() == 1
                                       : same(*found.recorded, asked);
  return as_asked && same(value_in(found.before, found.keys), *found.actual);
}

// Upstream follows every adapter as it is reconciled.
bool is_second_adapter(const DifferenceContext& found) {
  switch (found.place) {
    case Place::kEvent: {
      const std::string_view event =
          found.actual->IsNull() ? "Normal Scaled on " : "Warning ServiceHasAnotherAdapter on ";
      const std::size_t name = found.key.rfind('/') + 1;
      const Value& adapter = adapter_in(found, std::string_view(found.key).substr(name));
      return found.key.starts_with(event) && !adapter.IsNull() &&
             has_rival(found, adapter, kNothing);
    }
    case Place::kStatus: {
      if (kind_in(found) != kAdapter || found.keys.size() != 1) return false;
      const Value& stood = value_in(found.before, {"status", found.keys.front()});
      if (!same(stood, *found.actual)) return false;
      const Value& adapter = adapter_in(found, name_in(found));
      return has_rival(found, adapter, kNothing) && is_of_a_followed(found, adapter);
    }
    case Place::kObject: {
      const bool figure = has_kind(found, {"DynamoGraphDeployment"}) && found.keys.size() == 4 &&
                          found.keys[1] == "services" && found.keys[3] == "replicas";
      return figure && std::ranges::any_of(found.live_objects, [&found](const Value* each) {
               const Value& scaled = at_keys(*each, {"spec", "dgdRef"});
               return text(member(*each, "kind")) == kAdapter &&
                      text(member(scaled, "serviceName")) == found.keys[2] &&
                      same(at_keys(*each, {"spec", "replicas"}), *found.recorded) &&
                      has_rival(found, *each, *found.actual);
             });
    }
    case Place::kResult:
    case Place::kCalls:
      break;
  }
  return false;
}

}  // namespace dynamo::cases
