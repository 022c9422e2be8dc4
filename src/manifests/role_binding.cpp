#include "manifests/builders.hpp"

#include <string>
#include <vector>

#include "json/writer.hpp"

namespace dynamo::render {

DesiredObject build_role_binding(const Binding& binding, std::string_view namespace_name,
                                 const std::optional<OwnerMetadata>& owner) {
  constexpr std::string_view kGroup = "rbac.authorization.k8s.io";
  const std::vector<Label> labels = rbac_labels(binding.account);
  std::string members = "\"roleRef\":";
  json::Writer role(members);
  role.start_object().member("apiGroup", kGroup).member("kind", binding.role_kind);
  role.member("name", binding.role).end_object();
  members += ",\"subjects\":";
  json::Writer subjects(members);
  subjects.start_array().start_object().member("kind", "ServiceAccount");
  subjects.member("name", binding.account).member("namespace", namespace_name);
  subjects.end_object().end_array();
  return make_desired_object({.api_version = "rbac.authorization.k8s.io/v1",
                              .kind = "RoleBinding",
                              .name = binding.name,
                              .namespace_name = namespace_name,
                              .labels = labels,
                              .owner = owner,
                              .tracked = owner.has_value()},
                             members);
}

}  // namespace dynamo::render
