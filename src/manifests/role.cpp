#include "manifests/builders.hpp"

#include <array>
#include <span>
#include <string>
#include <vector>

#include "json/writer.hpp"
#include "render/component/names.hpp"

namespace dynamo::render {
namespace {

using Words = std::span<const std::string_view>;

constexpr std::array<std::string_view, 3> kRead = {"get", "list", "watch"};
constexpr std::array<std::string_view, 7> kEverything = {"create", "get",   "list",  "watch",
                                                         "update", "patch", "delete"};

void write_list(json::Writer& out, std::string_view name, Words words) {
  out.key(name).start_array();
  for (const std::string_view word : words) out.string(word);
  out.end_array();
}

void write_rule(json::Writer& out, std::string_view group, std::string_view resource, Words verbs) {
  out.start_object();
  write_list(out, "apiGroups", {&group, 1});
  write_list(out, "resources", {&resource, 1});
  write_list(out, "verbs", verbs);
  out.end_object();
}

}  // namespace

DesiredObject build_discovery_role(std::string_view graph, std::string_view namespace_name,
                                   const OwnerMetadata& owner) {
  const std::string account = discovery_account_name(graph).str();
  const std::vector<Label> labels = rbac_labels(account);
  std::string rules = "\"rules\":";
  json::Writer out(rules);
  out.start_array();
  write_rule(out, "", "endpoints", kRead);
  write_rule(out, "discovery.k8s.io", "endpointslices", kRead);
  if (owner.api_version != api::kApiVersion) write_rule(out, "", "pods", kRead);
  write_rule(out, "nvidia.com", "dynamoworkermetadatas", kEverything);
  out.end_array();
  const std::string name = discovery_role_name(graph).str();
  return make_desired_object({.api_version = "rbac.authorization.k8s.io/v1",
                              .kind = "Role",
                              .name = name,
                              .namespace_name = namespace_name,
                              .labels = labels,
                              .owner = owner},
                             rules);
}

}  // namespace dynamo::render
