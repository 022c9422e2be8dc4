#include "manifests/builders.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "json/parser.hpp"
#include "json/writer.hpp"
#include "manifests/label_list.hpp"
#include "manifests/legacy_config.hpp"
#include "manifests/merged_json.hpp"
#include "render/component/names.hpp"
#include "render/document/well_known.hpp"
#include "render/object/write.hpp"

namespace dynamo::render {
namespace {

// Fields that are not copied from the service's field with that name.
constexpr std::array<std::string_view, 9> kOwnFields = {
    "resources", "labels",  "annotations",      "dynamoNamespace", "serviceName",
    "envs",      "ingress", "backendFramework", "eppConfig"};

bool is_planner(const Component& component) {
  return component.type == ComponentType::kPlanner;
}

std::vector<json::Member> variables_of(const Component& component) {
  return merged_variables(component.graph_envs, component.service.value()["envs"]);
}

// The value of the variable, if it exists and contains JSON.
struct ParsedLegacyConfig {
  std::unique_ptr<json::ParsedText> document;
  LegacyService service;
  bool given = false;
  bool readable = false;
  json::Value root() const { return document->root(); }
};

ParsedLegacyConfig legacy_of(const Component& component) {
  ParsedLegacyConfig legacy;
  for (const json::Member& variable : variables_of(component)) {
    if (variable.name != kLegacyConfigVariable) continue;
    legacy.given = true;
    legacy.document = json::parse_copy(variable.value["value"].string_or_empty());
    legacy.readable = !legacy.document->error && legacy.root().is_object();
    if (legacy.readable) legacy.service = legacy_service(legacy.root(), component.service_name);
  }
  return legacy;
}

void write_variable(json::Writer& out, const Component& component, const json::Member& variable,
                    const ParsedLegacyConfig& legacy) {
  const bool rewritten =
      variable.name == kLegacyConfigVariable && component.type == ComponentType::kFrontend;
  if (!rewritten) {
    out.value(variable.value);
    return;
  }
  out.start_object().member("name", variable.name);
  out.member("value", legacy_config_of_frontend(legacy.root(), component.service_name));
  out.end_object();
}

// The list is sorted only if the graph has its own variables.
void write_variables(json::Writer& out, const Component& component,
                     const ParsedLegacyConfig& legacy) {
  const json::Value own = component.service.value()["envs"];
  if (component.graph_envs.size() == 0 && own.size() == 0) return;
  out.key("envs").start_array();
  if (component.graph_envs.size() == 0) {
    for (const json::Value variable : own.elements()) {
      write_variable(out, component, {variable["name"].string_or_empty(), variable}, legacy);
    }
  } else {
    for (const json::Member& variable : variables_of(component)) {
      write_variable(out, component, variable, legacy);
    }
  }
  out.end_array();
}

// The amounts of the legacy configuration, which replace both requests and limits.
std::array<json::Member, 4> replaced_amounts(const LegacyService& legacy) {
  return {{{"cpu", legacy.cpu},
           {"memory", legacy.memory},
           {"gpu", legacy.gpu},
           {"custom", legacy.custom}}};
}

void write_amounts(json::Writer& out, std::string_view side, json::Value written,
                   const LegacyService& legacy) {
  const std::array<json::Member, 4> replaced = replaced_amounts(legacy);
  out.key(side).start_object();
  for (const auto [name, value] : written.members()) {
    const auto at = std::ranges::find(replaced, name, &json::Member::name);
    if (at == replaced.end() || at->value.is_nothing()) out.key(name).value(value);
  }
  for (const json::Member& amount : replaced) {
    if (!amount.value.is_nothing()) out.key(amount.name).value(amount.value);
  }
  out.end_object();
}

void write_resources(json::Writer& out, json::Value written, const LegacyService& legacy) {
  const std::array<json::Member, 4> replaced = replaced_amounts(legacy);
  const bool any = std::ranges::any_of(
      replaced, [](const json::Member& amount) { return !amount.value.is_nothing(); });
  if (!any) {
    if (written.exists()) out.key("resources").value(written);
    return;
  }
  out.key("resources").start_object();
  for (const auto [name, value] : written.members()) {
    if (name != "requests" && name != "limits") out.key(name).value(value);
  }
  write_amounts(out, "requests", written["requests"], legacy);
  write_amounts(out, "limits", written["limits"], legacy);
  out.end_object();
}

// Writes the annotations of the service, overridden by the graph's, and that of a restart.
void write_annotations(json::Writer& out, const Component& component,
                       const RenderEnvironment& environment) {
  struct Entry {
    std::string_view key;
    std::string_view value;
  };
  std::vector<Entry> entries;
  const auto set = [&entries](std::string_view key, std::string_view value) {
    const auto at = std::ranges::lower_bound(entries, key, {}, &Entry::key);
    if (at != entries.end() && at->key == key) {
      at->value = value;
    } else {
      entries.insert(at, {key, value});
    }
  };
  for (const auto [key, value] : component.service.value()["annotations"].members()) {
    set(key, value.string_or_empty());
  }
  for (const std::string_view key :
       {annotation::kEnableMetrics, annotation::kDiscoveryBackend, annotation::kOriginVersion}) {
    const json::Value value = component.object_annotations[key];
    if (!value.is_nothing()) set(key, value.string_or_empty());
  }
  for (const RestartMark& mark : environment.restarts) {
    if (mark.service == component.service_name) set(annotation::kRestartAt, mark.value);
  }
  if (entries.empty()) return;
  out.key("annotations").start_object();
  for (const Entry& entry : entries) out.member(entry.key, entry.value);
  out.end_object();
}

std::string_view known(const std::optional<std::string>& text) {
  return text ? std::string_view(*text) : std::string_view{};
}

// Writes the operator's ingress for a frontend that sets none.
void write_ingress(json::Writer& out, const Component& component) {
  const json::Value given = component.service.value()["ingress"];
  if (!given.is_nothing()) {
    out.key("ingress").value(given);
    return;
  }
  if (component.type != ComponentType::kFrontend) return;
  const Profile& profile = *component.profile;
  const std::string_view ingress_class = known(profile.ingress_class);
  const std::string_view gateway = known(profile.virtual_service_gateway);
  const std::string_view suffix = known(profile.ingress_host_suffix);
  const std::string_view secret = known(profile.ingress_tls_secret);
  out.key("ingress").start_object();
  if (!ingress_class.empty() || !gateway.empty()) out.key("enabled").boolean(true);
  out.member("host", component.graph_name);
  if (!suffix.empty()) out.member("hostSuffix", suffix);
  if (!ingress_class.empty()) out.member("ingressControllerClassName", ingress_class);
  if (!secret.empty()) {
    out.key("tls").start_object().member("secretName", secret).end_object();
  }
  if (!gateway.empty()) {
    out.key("useVirtualService").boolean(true).member("virtualServiceGateway", gateway);
  }
  out.end_object();
}

// A planner runs under its own account, regardless of the user's.
void write_planner_pod(json::Writer& out, json::Value pod) {
  out.key("extraPodSpec").start_object();
  for (const auto [name, value] : pod.members()) {
    if (name != "serviceAccountName") out.key(name).value(value);
  }
  out.member("serviceAccountName", kPlannerServiceAccount).end_object();
}

void write_picker(json::Writer& out, json::Value picker) {
  if (picker.is_nothing()) return;
  out.key("eppConfig").start_object();
  for (const auto [name, value] : picker.members()) {
    if (name != "config" || !value.is_object()) {
      out.key(name).value(value);
      continue;
    }
    out.key(name).start_object();
    for (const auto [inner, written] : value.members()) {
      if (inner != "apiVersion" && inner != "kind") out.key(inner).value(written);
    }
    out.member("apiVersion", kPickerConfigApiVersion).member("kind", kPickerConfigKind);
    out.end_object();
  }
  out.end_object();
}

// The user's labels, overridden by the identity labels (Q13).
std::vector<Label> labels_of(const Component& component, std::string_view dynamo) {
  std::vector<Label> labels;
  for (const auto [key, value] : component.service.value()["labels"].members()) {
    set_label(labels, {.key = key, .value = value.string_or_empty()});
  }
  set_label(labels, {.key = label::kComponent, .value = component.service_name});
  set_label(labels, {.key = label::kGraph, .value = component.graph_name});
  set_label(labels, {.key = label::kDynamoNamespace, .value = dynamo});
  return labels;
}

}  // namespace

std::optional<RenderRefusal> refusal_of(const Component& component, const api::FieldPath& path) {
  const ParsedLegacyConfig legacy = legacy_of(component);
  if (legacy.given && !legacy.readable) {
    return RenderRefusal{path.child("envs").render(),
                         "must hold a JSON object as DYN_DEPLOYMENT_CONFIG, or none"};
  }
  const Profile& profile = *component.profile;
  const bool known_way_in = profile.ingress_class && profile.virtual_service_gateway &&
                            profile.ingress_host_suffix && profile.ingress_tls_secret;
  if (component.type == ComponentType::kFrontend && !known_way_in &&
      component.service.value()["ingress"].is_nothing()) {
    return RenderRefusal{path.child("ingress").render(),
                         "must be given where the operator's own settings are not known"};
  }
  return std::nullopt;
}

DesiredObject build_component(const Component& component, const OwnerMetadata& owner,
                              const RenderEnvironment& environment, Arena& arena) {
  const std::string_view dynamo = dynamo_namespace(component).in(arena);
  const std::vector<Label> labels = labels_of(component, dynamo);
  const json::Value service = component.service.value();
  const ParsedLegacyConfig legacy = legacy_of(component);
  std::string spec = "\"spec\":";
  json::Writer out(spec);
  out.start_object();
  for (const auto [name, value] : service.members()) {
    const bool own = std::ranges::find(kOwnFields, name) != kOwnFields.end() ||
                     (name == "extraPodSpec" && is_planner(component));
    if (!own) out.key(name).value(value);
  }
  if (!component.backend_framework.empty()) {
    out.member("backendFramework", component.backend_framework);
  }
  out.member("serviceName", component.service_name).member("dynamoNamespace", dynamo);
  out.key("labels");
  write_labels(out, labels);
  write_annotations(out, component, environment);
  write_variables(out, component, legacy);
  write_resources(out, service["resources"], legacy.service);
  // The graph's own value wins.
  if (service["replicas"].is_nothing() && legacy.service.workers) {
    out.key("replicas").integer(*legacy.service.workers);
  }
  write_ingress(out, component);
  write_picker(out, service["eppConfig"]);
  if (is_planner(component)) write_planner_pod(out, service["extraPodSpec"]);
  out.end_object();
  return make_desired_object({.api_version = api::kApiVersion,
                              .kind = "DynamoComponentDeployment",
                              .name = component_name(component).in(arena),
                              .namespace_name = component.namespace_name,
                              .labels = labels,
                              .owner = owner},
                             spec);
}

}  // namespace dynamo::render
