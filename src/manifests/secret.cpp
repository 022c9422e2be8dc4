#include "manifests/secret.hpp"

#include <array>

#include "json/writer.hpp"
#include "render/component/component.hpp"
#include "render/pod/volumes.hpp"

namespace dynamo::render {
namespace {

DesiredObject build_secret(json::Value source, std::string_view namespace_name,
                           std::span<const Label> labels) {
  std::string members;
  for (const std::string_view name : {"type", "data"}) {
    if (source[name].is_nothing()) continue;
    if (!members.empty()) members += ',';
    members += '"';
    members += name;
    members += "\":";
    members += json::to_text(source[name]);
  }
  return make_desired_object({.api_version = "v1",
                              .kind = "Secret",
                              .name = source["metadata"]["name"].string_or_empty(),
                              .namespace_name = namespace_name,
                              .labels = labels,
                              .tracked = false},
                             members);
}

}  // namespace

bool needs_mpi_secret(const api::GraphDeployment& graph, std::string_view namespace_name,
                      const Profile& profile) {
  const json::Value services = graph.services();
  for (const json::Member service : services.members()) {
    if (!service.value.is_object()) continue;
    const Component component =
        component_of(graph, namespace_name, service.name, service.value, profile);
    if (needs_mpi_secret(component)) return true;
  }
  return false;
}

DesiredObject build_secret_copy(json::Value source, std::string_view namespace_name) {
  return build_secret(source, namespace_name, {});
}

DesiredObject build_generated_secret(json::Value source, std::string_view namespace_name) {
  // A constant: the name of the Secret may be longer than a label may be.
  constexpr std::array<Label, 3> kLabels = {
      {{.key = "app.kubernetes.io/component", .value = "mpi"},
       {.key = "app.kubernetes.io/managed-by", .value = "dynamo-operator"},
       {.key = "app.kubernetes.io/name", .value = "mpi-run-ssh-secret"}}};
  return build_secret(source, namespace_name, kLabels);
}

}  // namespace dynamo::render
