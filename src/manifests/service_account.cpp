#include "manifests/builders.hpp"

#include <vector>

namespace dynamo::render {

DesiredObject build_service_account(std::string_view name, std::string_view namespace_name,
                                    const std::optional<OwnerMetadata>& owner) {
  const std::vector<Label> labels = rbac_labels(name);
  return make_desired_object({.api_version = "v1",
                              .kind = "ServiceAccount",
                              .name = name,
                              .namespace_name = namespace_name,
                              .labels = labels,
                              .owner = owner,
                              .tracked = owner.has_value()},
                             "");
}

}  // namespace dynamo::render
