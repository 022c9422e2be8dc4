// Variables that give the runtime its identity. The operator sets them, and users can override
// them.
#include <array>

#include "render/component/component.hpp"
#include "render/pod/variables.hpp"
#include "validators/rule.hpp"

namespace dynamo::validators::network {

using api::Context;

namespace {

using api::ErrorType;
using render::Component;
using render::Name;
using render::Variable;

enum class ReservedValue : unsigned char {
  kComponentType,
  kDynamoNamespace,
  kDiscovery,
  kGraphName,
  kNamespace,
  kPodName,
  kPodNamespace,
  kPodUid,
};

struct ReservedVariable {
  std::string_view name;
  ReservedValue value;
};

constexpr std::array kReserved = std::to_array<ReservedVariable>({
    {"DYN_COMPONENT", ReservedValue::kComponentType},
    {"DYN_DISCOVERY_BACKEND", ReservedValue::kDiscovery},
    {"DYN_NAMESPACE", ReservedValue::kDynamoNamespace},
    {"DYN_PARENT_DGD_K8S_NAME", ReservedValue::kGraphName},
    {"DYN_PARENT_DGD_K8S_NAMESPACE", ReservedValue::kNamespace},
    {"POD_NAME", ReservedValue::kPodName},
    {"POD_NAMESPACE", ReservedValue::kPodNamespace},
    {"POD_UID", ReservedValue::kPodUid},
});

// Whether the text differs from the operator's value. False if it depends on unknown names.
bool is_other_text(ReservedValue value, std::string_view text, const Component& component) {
  const bool namespace_known = !component.namespace_name.empty();
  // The operator gives a component without a graph no name, so the user may set one.
  const bool graph_known = !component.graph_name.empty();
  switch (value) {
    case ReservedValue::kComponentType:
      return text != component.service.component_type();
    case ReservedValue::kDynamoNamespace: {
      const bool known =
          component.service.is_in_global_dynamo_namespace() || (graph_known && namespace_known);
      return known && !(render::dynamo_namespace(component) == text);
    }
    case ReservedValue::kDiscovery:
      switch (render::discovery_of(component)) {
        case render::DiscoveryBackend::kUnknown:
          return false;
        case render::DiscoveryBackend::kEtcd:
          return text != "etcd";
        case render::DiscoveryBackend::kKubernetes:
        case render::DiscoveryBackend::kOther:
          break;
      }
      return text != "kubernetes";
    case ReservedValue::kGraphName:
      return graph_known && text != component.graph_name;
    case ReservedValue::kNamespace:
    case ReservedValue::kPodNamespace:
      return namespace_known && text != component.namespace_name;
    case ReservedValue::kPodName:
    case ReservedValue::kPodUid:
      break;
  }
  return true;  // each pod has a different value
}

// The field of the pod that holds the value; "" if none does.
std::string_view field_of(ReservedValue value) {
  switch (value) {
    case ReservedValue::kNamespace:
    case ReservedValue::kPodNamespace:
      return "metadata.namespace";
    case ReservedValue::kPodName:
      return "metadata.name";
    case ReservedValue::kPodUid:
      return "metadata.uid";
    case ReservedValue::kComponentType:
    case ReservedValue::kDynamoNamespace:
    case ReservedValue::kDiscovery:
    case ReservedValue::kGraphName:
      break;
  }
  return {};
}

bool means_something_else(const Variable& variable, ReservedValue value,
                          const Component& component) {
  const json::Value source = variable.definition["valueFrom"];
  if (!source.is_nothing()) {
    const std::string_view field = source["fieldRef"]["fieldPath"].string_or_empty();
    const std::string_view right = field_of(value);
    return !field.empty() && !right.empty() && field != right;
  }
  const std::string_view text = variable.literal();
  // The kubelet inserts other variables.
  if (text.find("$(") != std::string_view::npos) return false;
  return is_other_text(value, text, component);
}

void reserved_variable(const Context&, const RenderedPod& pod, Report& report) {
  const render::Container& main = pod.pod->main();
  if (!main.is_main()) return;
  for (const Variable& variable : main.variables) {
    if (!variable.definition.exists()) continue;
    if (!variable.name.starts_with("DYN_") && !variable.name.starts_with("POD_")) continue;
    for (const ReservedVariable& reserved : kReserved) {
      if (reserved.name != variable.name) continue;
      if (!means_something_else(variable, reserved.value, *pod.component)) break;
      add_at(report, ErrorType::kForbidden, pod, variable.origin,
             "must not set " + std::string(reserved.name) +
                 " to another value than the operator does, as other components look for that; "
                 "remove it",
             about({variable.name}));
      break;
    }
  }
}

}  // namespace

extern constexpr Rule kReservedVariableRule{
    .id = "net.env.reserved",
    .kinds = kinds::kServices,
    .severity = Severity::kWarn,
    .function = &reserved_variable,
    .field = "M.env, P.envs",
};

}  // namespace dynamo::validators::network
