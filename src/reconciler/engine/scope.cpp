#include "reconciler/engine/scope.hpp"

namespace dynamo::reconciler {

Coverage Scope::coverage(std::string_view namespace_name, const admission::NamespaceLeases& leases,
                         std::chrono::system_clock::time_point now) const {
  if (!restricted_namespace.empty()) {
    return namespace_name == restricted_namespace ? Coverage::kCovered : Coverage::kOtherNamespace;
  }
  const auto lease = leases.find(namespace_name);
  if (lease && admission::is_live(*lease, now)) return Coverage::kLeased;
  if (excludes_ephemeral && namespace_name.find("ephemeral") != std::string_view::npos) {
    return Coverage::kEphemeral;
  }
  return Coverage::kCovered;
}

}  // namespace dynamo::reconciler
