// Scaling adapters: which adapter's replica count is used.
#include <algorithm>
#include <string>

#include "tests/controller_cases/meant.hpp"

namespace dynamo::cases {
namespace {

const Value kNothing;
constexpr std::string_view kAdapter = "DynamoGraphDeploymentScalingAdapter";

const Value& value_in(const Value* object, const Keys& keys) {
  return object == nullptr ? kNothing : at_keys(*object, keys);
}

bool is_by_hand(const Value& object) {
  const Value& owners = at_keys(object, {"metadata", "ownerReferences"});
  return !owners.IsArray() || std::ranges::none_of(owners.GetArray(), [](const Value& owner) {
    return member(owner, "controller").IsTrue();
  });
}

const Value& adapter_in(const Found& found, std::string_view name) {
  for (const Value* const each : found.standing) {
    if (text(member(*each, "kind")) != kAdapter) continue;
    if (text(at_keys(*each, {"metadata", "name"})) == name) return *each;
  }
  return kNothing;
}

// Another adapter of the same service, with the count `replicas` unless that is null.
bool has_rival(const Found& found, const Value& adapter, const Value& replicas) {
  const Value& scaled = at_keys(adapter, {"spec", "dgdRef"});
  return std::ranges::any_of(found.standing, [&](const Value* each) {
    return each != &adapter && text(member(*each, "kind")) == kAdapter &&
           same(at_keys(*each, {"spec", "dgdRef"}), scaled) &&
           (replicas.IsNull() || same(at_keys(*each, {"spec", "replicas"}), replicas));
  });
}

// The recorded status of an unused adapter, as if it were in use.
bool is_of_a_followed(const Found& found, const Value& adapter) {
  if (found.keys == Keys{"replicas"}) {
    return same(*found.measured, at_keys(adapter, {"spec", "replicas"}));
  }
  if (found.keys == Keys{"lastScaleTime"}) return text(*found.measured) == "<time>";
  const Value& scaled = at_keys(adapter, {"spec", "dgdRef"});
  std::string selector = "nvidia.com/dynamo-graph-deployment-name=";
  selector += text(member(scaled, "name"));
  selector += ",nvidia.com/dynamo-component=";
  selector += text(member(scaled, "serviceName"));
  return found.keys == Keys{"selector"} && text(*found.measured) == selector;
}

}  // namespace

// An existing adapter keeps its own count; upstream overwrites it with the graph's.
bool adapters_figure(const Found& found) {
  if (!is_of(found, {"DynamoGraphDeploymentScalingAdapter"})) return false;
  const Value& scaled = value_in(found.whole_made, {"spec", "dgdRef"});
  if (!found.keys.empty() && is_as_it_was(found) && is_by_hand(*found.before)) {
    return is_as_wanted(found) && same(value_in(found.wanted, {"spec", "dgdRef"}), scaled);
  }
  if (found.keys != Keys{"spec", "replicas"} || !found.asked_anew) return false;
  const std::string service(text(member(scaled, "serviceName")));
  const Value& asked = value_in(found.subject, {"spec", "services", service, "replicas"});
  const bool as_asked = asked.IsNull() ? found.measured->IsInt() && found.measured->GetInt() == 1
                                       : same(*found.measured, asked);
  return as_asked && same(value_in(found.before, found.keys), *found.made);
}

// Upstream follows every adapter as it is reconciled.
bool one_adapter(const Found& found) {
  switch (found.place) {
    case Place::kEvent: {
      const std::string_view event =
          found.made->IsNull() ? "Normal Scaled on " : "Warning ServiceHasAnotherAdapter on ";
      const std::size_t name = found.key.rfind('/') + 1;
      const Value& adapter = adapter_in(found, std::string_view(found.key).substr(name));
      return found.key.starts_with(event) && !adapter.IsNull() &&
             has_rival(found, adapter, kNothing);
    }
    case Place::kStatus: {
      if (kind_in(found) != kAdapter || found.keys.size() != 1) return false;
      const Value& stood = value_in(found.before, {"status", found.keys.front()});
      if (!same(stood, *found.made)) return false;
      const Value& adapter = adapter_in(found, name_in(found));
      return has_rival(found, adapter, kNothing) && is_of_a_followed(found, adapter);
    }
    case Place::kObject: {
      const bool figure = is_of(found, {"DynamoGraphDeployment"}) && found.keys.size() == 4 &&
                          found.keys[1] == "services" && found.keys[3] == "replicas";
      return figure && std::ranges::any_of(found.standing, [&found](const Value* each) {
               const Value& scaled = at_keys(*each, {"spec", "dgdRef"});
               return text(member(*each, "kind")) == kAdapter &&
                      text(member(scaled, "serviceName")) == found.keys[2] &&
                      same(at_keys(*each, {"spec", "replicas"}), *found.measured) &&
                      has_rival(found, *each, *found.made);
             });
    }
    case Place::kResult:
    case Place::kCalls:
      break;
  }
  return false;
}

}  // namespace dynamo::cases
