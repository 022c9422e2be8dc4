#include "render/pod/container.hpp"

#include <algorithm>

#include "render/component/hosts.hpp"
#include "render/component/names.hpp"
#include "render/document/tape.hpp"
#include "render/document/well_known.hpp"
#include "render/pod/base.hpp"
#include "render/pod/launch.hpp"

namespace dynamo::render {
namespace {

constexpr auto kSshReadiness =
    tape::object(tape::field("tcpSocket", tape::object(tape::field("port", port::kSsh))),
                 tape::field("initialDelaySeconds", 20), tape::field("periodSeconds", 20),
                 tape::field("timeoutSeconds", 5), tape::field("failureThreshold", 10));

constexpr std::array<std::string_view, 2> kSleep = {"sleep", "infinity"};
constexpr std::array<std::string_view, 2> kWaitShell = {"sh", "-c"};
constexpr std::string_view kWaitForLeader = "wait-for-leader-mp";

json::Value value_of(const json::Node* first) {
  return json::Value{first};
}

TextList texts(json::Value list, const Origin& origin, Arena& arena) {
  if (!list.is_array()) return {.origin = origin};
  const std::span<std::string_view> items = arena.make_array<std::string_view>(list.size());
  std::size_t index = 0;
  for (const json::Value item : list.elements()) items[index++] = item.string_or_empty();
  return {.items = items, .origin = origin};
}

TextList merged_texts(json::Value user, const Origin& origin,
                      std::span<const std::string_view> base, Arena& arena) {
  if (user.is_array() && user.size() > 0) return texts(user, origin, arena);
  return {.items = base};
}

std::span<const std::string_view> base_args(const Component& component, Arena& arena) {
  if (component.type != ComponentType::kEndpointPicker) return base_of(component).args;
  const std::string_view pool = inference_pool_name(component.graph_name).in(arena);
  const auto args = component.has_later_operator()
                        ? later_picker_args(pool, component.namespace_name)
                        : endpoint_picker_args(pool, component.namespace_name);
  const std::span<std::string_view> copy = arena.make_array<std::string_view>(args.size());
  std::copy(args.begin(), args.end(), copy.begin());
  return copy;
}

// A probe of mainContainer is merged into the default one; later operators replace that. A probe of
// the service replaces both.
Probe merged_probe(std::string_view name, const Component& component, json::Value user,
                   const json::Node* base) {
  const json::Value of_service = component.service.value()[name];
  if (!of_service.is_nothing()) return {Overlay(of_service), origin_in(Block::kService, name)};
  if (component.reads_hub && user[name].is_object()) {
    return {Overlay(user[name]), origin_in(Block::kMainContainer, name)};
  }
  const Overlay merged(user[name], value_of(base));
  return {merged, merged.is_from_user() ? origin_in(Block::kMainContainer, name) : Origin{}};
}

Probe startup_probe(json::Value user, const json::Node* base) {
  const json::Value given = user["startupProbe"];
  if (given.is_nothing()) return {Overlay({}, value_of(base)), {}};
  return {Overlay(given), origin_in(Block::kMainContainer, "startupProbe")};
}

// A probe that later operators merge into the default one, field by field.
Probe sidecar_probe(const Container& sidecar, std::string_view name, const json::Node* base) {
  const Overlay merged(sidecar.user[name], value_of(base));
  return {merged, merged.is_from_user() ? sidecar.field(name) : Origin{}};
}

// The variables with the address of the pod under a name of the operator.
std::span<const Variable> with_pod_address(std::span<const Variable> variables,
                                           std::string_view name, Arena& arena) {
  ArenaList<Variable> all(arena, variables.size() + 1);
  for (const Variable& variable : variables) {
    if (variable.name != name) all.push(variable);
  }
  all.push({.name = name, .field_path = "status.podIP"});
  return all.items();
}

// Of several nodes only the leader serves, and its probes cover the others.
void drop_probes_of_workers(const Backend& backend, Container& container) {
  switch (backend.framework) {
    case Framework::kVllm:
    case Framework::kSglang:
      container.liveness = {};
      container.readiness = {};
      container.startup = {};
      break;
    case Framework::kTrtllm:
      container.liveness = {};
      container.startup = {};
      container.readiness = {Overlay({}, value_of(kSshReadiness.first())), {}};
      break;
    case Framework::kNoop:
      break;
  }
}

}  // namespace

Container main_container(const Component& component, const Backend& backend, PodRole role,
                         Arena& arena) {
  const json::Value user = component.main_container();
  const Base& base = base_of(component);
  Container container{.user = user};
  const std::string_view name = user["name"].string_or_empty();
  container.name = name.empty() ? kMainContainerName : name;
  container.image = user["image"].string_or_empty();
  container.command =
      merged_texts(user["command"], container.field("command"), base.command, arena);
  container.args =
      merged_texts(user["args"], container.field("args"), base_args(component, arena), arena);

  const json::Value ports = user["ports"];
  const bool own_ports = ports.is_array() && ports.size() > 0;
  container.ports = own_ports ? ports : value_of(base.ports);
  if (own_ports) container.ports_origin = container.field("ports");

  container.variables = main_variables(component, backend, arena);
  container.env_from_operator = component.profile->client_credentials_secret;
  container.env_from = user["envFrom"];
  container.env_from_secret = component.service.value()["envFromSecret"].string_or_empty();
  container.resources = main_resources(component, arena);
  container.mounts = main_mounts(component, backend, role, arena);
  container.liveness = merged_probe("livenessProbe", component, user, base.liveness);
  container.readiness = merged_probe("readinessProbe", component, user, base.readiness);
  container.startup = startup_probe(user, base.startup);

  if (role == PodRole::kWorker && component.is_multinode())
    drop_probes_of_workers(backend, container);
  const bool is_node = role == PodRole::kLeader || role == PodRole::kWorker;
  if (is_node && runs_processes(component, backend, container)) {
    container.variables =
        with_pod_address(container.variables, "VLLM_NIXL_SIDE_CHANNEL_HOST", arena);
  }
  if (role == PodRole::kMain && starts_ray_alone(component, backend, container)) {
    for (const std::string_view address : {"POD_IP", "VLLM_DP_MASTER_IP"}) {
      container.variables = with_pod_address(container.variables, address, arena);
    }
  }
  return container;
}

Container plain_container(json::Value user, Block block, std::size_t index, Arena& arena) {
  Container container{.block = block, .index = static_cast<std::uint32_t>(index), .user = user};
  container.name = user["name"].string_or_empty();
  container.image = user["image"].string_or_empty();
  container.command = texts(user["command"], container.field("command"), arena);
  container.args = texts(user["args"], container.field("args"), arena);
  container.ports = user["ports"];
  container.ports_origin = container.field("ports");
  container.variables = plain_variables(user["env"], container.field("env"), arena);
  container.env_from = user["envFrom"];
  container.resources = plain_resources(user["resources"], container.field("resources"), arena);
  container.mounts = plain_mounts(user["volumeMounts"], container.field("volumeMounts"), arena);
  container.liveness = {Overlay(user["livenessProbe"]), container.field("livenessProbe")};
  container.readiness = {Overlay(user["readinessProbe"]), container.field("readinessProbe")};
  container.startup = {Overlay(user["startupProbe"]), container.field("startupProbe")};
  return container;
}

Container frontend_sidecar(const Component& component, json::Value user, std::size_t index,
                           Arena& arena) {
  Container container = plain_container(user, Block::kSidecar, index, arena);
  const Base& base = later_base_of(ComponentType::kFrontend);
  if (container.command.empty()) container.command = {.items = base.command};
  if (container.args.empty()) container.args = {.items = base.args};
  if (!container.ports.is_array() || container.ports.size() == 0) {
    container.ports = value_of(base.ports);
    container.ports_origin = {};
  }
  container.variables = variables_over(base, component, user["env"], container.field("env"), arena);
  container.liveness = sidecar_probe(container, "livenessProbe", base.liveness);
  container.readiness = sidecar_probe(container, "readinessProbe", base.readiness);
  container.startup = sidecar_probe(container, "startupProbe", base.startup);
  return container;
}

Container separate_sidecar(const Component& component, json::Value fields, Arena& arena) {
  const Base& base = later_base_of(ComponentType::kFrontend);
  Container container{.block = Block::kFrontendSidecar, .name = kFrontendSidecarContainer};
  container.image = fields["image"].string_or_empty();
  container.command = {.items = base.command};
  container.args = merged_texts(fields["args"], container.field("args"), base.args, arena);
  container.ports = value_of(base.ports);
  container.variables =
      variables_over(base, component, fields["envs"], container.field("envs"), arena);
  container.env_from_secret = fields["envFromSecret"].string_or_empty();
  container.liveness = {Overlay({}, value_of(base.liveness))};
  container.readiness = {Overlay({}, value_of(base.readiness))};
  return container;
}

Container wait_for_leader(const Component& component, const Container& main, Arena& arena) {
  const std::string_view script =
      arena.join({"export LEADER_HOST=\"", leader_host(component, arena),
                  "\"; export LEADER_PORT=29500; exec python3 /scripts/wait-for-leader.py"});
  Container container{.block = Block::kGenerated, .name = kWaitForLeader, .image = main.image};
  container.command.items = kWaitShell;
  container.args.items = {&arena.make(script), 1};
  container.mounts = {
      &arena.make(Mount{.volume = kWaitScriptVolume, .path = "/scripts", .read_only = true}), 1};
  return container;
}

Container debugger_container() {
  // The operator's configuration sets its image.
  return {.block = Block::kGenerated, .name = kDebuggerContainer, .command = {.items = kSleep}};
}

}  // namespace dynamo::render
