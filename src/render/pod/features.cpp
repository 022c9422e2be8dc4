#include "render/pod/features.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "json/writer.hpp"
#include "render/component/experimental.hpp"
#include "render/component/names.hpp"
#include "render/component/resources.hpp"
#include "render/document/tape.hpp"
#include "render/document/well_known.hpp"

namespace dynamo::render {
namespace {

constexpr std::string_view kControlVolume = "gms-intrapod-control";
constexpr std::string_view kControlPath = "/gms-intrapod-control";
constexpr std::string_view kSocketVolume = "gms-shared";
constexpr std::string_view kSocketPath = "/run/gms/shared";
constexpr std::string_view kTopologyVolume = "topology-labels";
constexpr std::string_view kTopologyPath = "/etc/dynamo/topology";

constexpr std::array<std::string_view, 3> kServerCommand = {"python3", "-m",
                                                            "gpu_memory_service.cli.server"};
constexpr std::array<std::string_view, 2> kBash = {"bash", "-c"};
// Ends with the exit code of the server, which gets the signals.
constexpr std::array<std::string_view, 1> kServerScript = {
    "rm -f /run/gms/shared/gms_*.sock\n"
    "python3 -m gpu_memory_service.cli.server &\n"
    "trap 'kill -TERM $!' TERM INT\n"
    "until wait $!; code=$?; ! kill -0 $! 2>/dev/null; do :; done\n"
    "exit \"$code\"\n"};
constexpr std::array<std::string_view, 2> kShell = {"sh", "-c"};
constexpr std::array<std::string_view, 1> kOpenSockets = {"chmod 1777 /run/gms/shared"};

constexpr auto kSocketProbe =
    tape::object(tape::field("periodSeconds", 2), tape::field("timeoutSeconds", 2),
                 tape::field("failureThreshold", 150));

constexpr auto engine_ports(std::string_view name, std::int64_t number) {
  return tape::array(tape::object(tape::field("name", name), tape::field("containerPort", number),
                                  tape::field("protocol", "TCP")));
}
constexpr auto kFirstPorts = engine_ports("system-0", port::kSystem);
constexpr auto kSecondPorts = engine_ports("system-1", port::kSystem + 1);

// Ports and number of one of two engines in a pod, instead of the main container's.
struct Engine {
  std::string_view number;
  std::string_view name;
  const json::Node* ports;
  std::string_view port_name;
  std::string_view port;
  std::string_view metrics_port;
  std::string_view side_channel_port;
  std::string_view events_port;
};
constexpr std::array<Engine, 2> kEngines = {
    {{"0", "engine-0", kFirstPorts.first(), "system-0", "9090", "20380", "5600", "20080"},
     {"1", "engine-1", kSecondPorts.first(), "system-1", "9091", "20381", "5601", "20081"}}};

constexpr auto kEachSecond = tape::object(tape::field("periodSeconds", 1));
constexpr auto kRestoreProbe =
    tape::object(tape::field("periodSeconds", 1), tape::field("failureThreshold", 1800),
                 tape::field("successThreshold", 1));
constexpr auto kRestoredFile = tape::object(
    tape::field("exec",
                tape::object(tape::field(
                    "command", tape::array(tape::text("cat"),
                                           tape::text("/snapshot-control/restore-complete"))))),
    tape::field("timeoutSeconds", 1));

std::span<const Variable> without(std::span<const Variable> variables, std::string_view name,
                                  Arena& arena, std::size_t room = 0) {
  ArenaList<Variable> kept(arena, variables.size() + room);
  for (const Variable& variable : variables) {
    if (variable.name != name) kept.push(variable);
  }
  return kept.items();
}

// Sets a variable of the operator, which overrides the user's.
void set_variable(Container& container, const Variable& variable, Arena& arena) {
  ArenaList<Variable> all(arena, container.variables.size() + 1);
  for (const Variable& other : container.variables) {
    if (other.name != variable.name) all.push(other);
  }
  all.push(variable);
  container.variables = all.items();
}

void remove_variable(Container& container, std::string_view name, Arena& arena) {
  container.variables = without(container.variables, name, arena);
}

template <typename Item>
std::span<const Item> appended(std::span<const Item> items, const Item& last, Arena& arena) {
  ArenaList<Item> all(arena, items.size() + 1);
  for (const Item& item : items) all.push(item);
  all.push(last);
  return all.items();
}

void remove_gpus(Container& container, Arena& arena) {
  ArenaList<Resource> kept(arena, container.resources.items.size());
  for (const Resource& resource : container.resources.items) {
    if (!is_gpu_name(resource.name)) kept.push(resource);
  }
  container.resources.items = kept.items();
}

std::span<Container> copy_of(std::span<const Container> containers, Arena& arena) {
  const std::span<Container> copy = arena.make_array<Container>(containers.size());
  std::ranges::copy(containers, copy.begin());
  return copy;
}

void add_transfer_policy(const Component& component, Arena& arena, Pod& pod) {
  const json::Value policy = transfer_policy_of(component);
  if (!policy.exists()) return;
  const std::span<Container> containers = copy_of(pod.containers, arena);
  Container& main = containers[pod.main_index];
  const std::string_view domain = policy["domain"].string_or_empty();
  const std::string_view enforcement = policy["enforcement"].string_or_empty();
  set_variable(main, {.name = "DYN_KV_TRANSFER_DOMAIN", .value = domain}, arena);
  set_variable(main,
               {.name = "DYN_KV_TRANSFER_ENFORCEMENT",
                .value = enforcement.empty() ? "required" : enforcement},
               arena);
  if (const json::Value weight = policy["preferredWeight"]; !weight.is_nothing()) {
    set_variable(
        main,
        {.name = "DYN_KV_TRANSFER_PREFERRED_WEIGHT", .value = arena.join({json::to_text(weight)})},
        arena);
  }
  set_variable(main, {.name = "DYN_TOPOLOGY_ENABLED", .value = "true"}, arena);
  set_variable(main, {.name = "DYN_TOPOLOGY_MOUNT_PATH", .value = kTopologyPath}, arena);
  main.mounts =
      appended(main.mounts,
               Mount{.volume = kTopologyVolume, .path = kTopologyPath, .read_only = true}, arena);
  const std::string_view key = policy["labelKey"].string_or_empty();
  pod.volumes = appended(
      pod.volumes,
      Volume{.name = kTopologyVolume,
             .kind = VolumeSource::kPodLabels,
             .source = key.empty() ? arena.join({"nvidia.com/dynamo-topology.", domain}) : key,
             .key = domain},
      arena);
  pod.containers = containers;
}

// A container that uses the GPUs through the service in its pod.
void make_client(Container& container, Arena& arena) {
  remove_gpus(container, arena);
  container.resources.claims =
      appended(container.resources.claims, ResourceClaim{.name = kSharedGpuClaim}, arena);
  container.mounts =
      appended(container.mounts, Mount{.volume = kControlVolume, .path = kControlPath}, arena);
  set_variable(container, {.name = "GMS_SOCKET_DIR", .value = kControlPath}, arena);
}

Container memory_server(const Container& main, Arena& arena) {
  Container server{.block = Block::kGenerated, .name = "gms-server", .image = main.image};
  server.command.items = kServerCommand;
  server.restart_policy = "Always";
  make_client(server, arena);
  return server;
}

void add_memory_server(const Component& component, Arena& arena, Pod& pod) {
  const std::span<Container> containers = copy_of(pod.containers, arena);
  make_client(containers[pod.main_index], arena);
  const json::Value service = component.hub["experimental"]["gpuMemoryService"];
  for (const json::Value name : service["extraClientContainers"].elements()) {
    const auto client = std::ranges::find(containers, name.string_or_empty(), &Container::name);
    if (client != containers.end() && !client->is_main()) make_client(*client, arena);
  }
  pod.containers = containers;
  pod.init_containers = appended(pod.init_containers, memory_server(pod.main(), arena), arena);
  pod.volumes =
      appended(pod.volumes, Volume{.name = kControlVolume, .kind = VolumeSource::kEmptyDir}, arena);
  pod.gpu_claim_template = gpu_claim_template_name(component).in(arena);
  pod.tolerates_gpu_taint = true;
}

Container engine_of(const Container& main, const Engine& engine, const Component& component,
                    Arena& arena) {
  Container made = main;
  made.name = engine.name;
  made.engine = engine.number == "0" ? 0 : 1;
  made.ports = json::Value{engine.ports};
  made.ports_origin = {};
  for (Probe* const probe : {&made.liveness, &made.readiness, &made.startup}) {
    if (probe->fields["httpGet"].exists()) probe->http_port = engine.port_name;
  }
  remove_variable(made, "DYN_SYSTEM_USE_ENDPOINT_HEALTH_STATUS", arena);
  remove_variable(made, "DYN_HEALTH_CHECK_ENABLED", arena);
  const auto set = [&](std::string_view name, std::string_view value) {
    set_variable(made, {.name = name, .value = value}, arena);
  };
  set("ENGINE_ID", engine.number);
  set("CONTAINER_NAME", engine.name);
  set("FAILOVER_LOCK_PATH", "/gms-intrapod-control/failover.lock");
  set("DYN_SYSTEM_STARTING_HEALTH_STATUS", "notready");
  set("DYN_SYSTEM_PORT", engine.port);
  set("DYN_SYSTEM_ENABLED", "true");
  set("DYN_FORWARDPASS_METRIC_PORT", engine.metrics_port);
  set("DYN_VLLM_GMS_SHADOW_MODE", "true");
  set("VLLM_NIXL_SIDE_CHANNEL_PORT", engine.side_channel_port);
  set("DYN_VLLM_KV_EVENT_PORT", engine.events_port);
  if (component.is_multinode()) {
    set("NNODES", Name{}.numbered(component.node_count).in(arena));
  }
  return made;
}

// The main container is container 0 of later operators.
void replace_main_by_engines(const Component& component, Arena& arena, Pod& pod) {
  ArenaList<Container> all(arena, pod.containers.size() + 1);
  for (const Engine& engine : kEngines) {
    all.push(engine_of(pod.main(), engine, component, arena));
  }
  for (const Container& other : pod.containers.subspan(1)) all.push(other);
  pod.containers = all.items();
}

// The directory with the sockets of the service of one node.
void share_sockets(const Component& component, Container& container, Arena& arena) {
  const std::string_view node = Name{}.numbered(component.fixed_rank).in(arena);
  container.mounts = appended(container.mounts,
                              Mount{.volume = kSocketVolume,
                                    .path = kSocketPath,
                                    .sub_path_expression = arena.join(
                                        {"$(GROVE_PCSG_NAME)-$(GROVE_PCSG_INDEX)/rank-", node})},
                              arena);
}

// Applies to the pods of the service and of its engines.
void join_node(const Component& component, Arena& arena, Pod& pod) {
  const std::span<Container> containers = copy_of(pod.containers, arena);
  Container& main = containers[pod.main_index];
  remove_gpus(main, arena);
  share_sockets(component, main, arena);
  set_variable(main, {.name = "GMS_SOCKET_DIR", .value = kSocketPath}, arena);
  pod.containers = containers;
  Container opener{.block = Block::kGenerated, .name = "fix-gms-perms", .image = main.image};
  opener.command.items = kShell;
  opener.args.items = kOpenSockets;
  opener.as_root = true;
  share_sockets(component, opener, arena);
  ArenaList<Container> inits(arena, pod.init_containers.size() + 1);
  inits.push(opener);
  for (const Container& other : pod.init_containers) inits.push(other);
  pod.init_containers = inits.items();
  pod.volumes = appended(
      pod.volumes,
      Volume{.name = kSocketVolume, .kind = VolumeSource::kHostPath, .source = "/run/gms"}, arena);
  pod.tolerates_gpu_taint = true;
}

void make_node_engine(const Component& component, Arena& arena, Pod& pod) {
  join_node(component, arena, pod);
  const bool has_shadows = failover_of(component) == EngineSharing::kBetweenPods;
  const std::span<Container> containers = copy_of(pod.containers, arena);
  Container& main = containers[pod.main_index];
  set_variable(
      main, {.name = "ENGINE_ID", .field_path = "metadata.labels['grove.io/podclique-pod-index']"},
      arena);
  set_variable(main, {.name = "FAILOVER_LOCK_PATH", .value = "/run/gms/shared/failover.lock"},
               arena);
  set_variable(main, {.name = "DYN_SYSTEM_STARTING_HEALTH_STATUS", .value = "notready"}, arena);
  remove_variable(main, "DYN_SYSTEM_USE_ENDPOINT_HEALTH_STATUS", arena);
  if (has_shadows && pod.backend.framework == Framework::kVllm) {
    set_variable(main, {.name = "DYN_VLLM_GMS_SHADOW_MODE", .value = "true"}, arena);
  }
  pod.containers = containers;
  pod.restart_policy = has_shadows ? "Never" : "Always";
  pod.restart_policy_origin = {};
}

bool is_restored(const Component& component, const Container& container) {
  if (failover_of(component) == EngineSharing::kInPod) return container.is_main();
  return container.name == checkpointed_container(component);
}

void restore_container(std::string_view storage_path, Container& container, Arena& arena) {
  constexpr std::string_view kDirectory = "/snapshot-control";
  if (!storage_path.empty()) {
    container.mounts = appended(container.mounts,
                                Mount{.volume = "checkpoint-storage", .path = storage_path}, arena);
  }
  container.mounts = appended(
      container.mounts,
      Mount{.volume = "snapshot-control", .path = kDirectory, .sub_path = container.name}, arena);
  constexpr std::string_view kVariable = "DYN_SNAPSHOT_CONTROL_DIR";
  if (std::ranges::find(container.variables, kVariable, &Variable::name) ==
      container.variables.end()) {
    set_variable(container, {.name = kVariable, .value = kDirectory}, arena);
  }
  set_variable(container, {.name = "DYN_SNAPSHOT_RESTORE_STANDBY", .value = "1"}, arena);
  if (!container.startup.exists()) container.startup = container.liveness;
  if (!container.startup.exists()) container.startup = container.readiness;
  if (!container.startup.exists()) {
    container.startup = {.fields = Overlay({}, json::Value{kRestoredFile.first()})};
  }
  container.startup.forced = json::Value{kRestoreProbe.first()};
  container.startup.starts_at_once = true;
}

// A worker whose checkpoint is ready may start soon.
void probe_each_second(const Component& component, Arena& arena, Pod& pod) {
  if (!component.checkpoint_is_ready || !is_worker_like(component.type)) return;
  const std::span<Container> containers = copy_of(pod.containers, arena);
  Container& main = containers[pod.main_index];
  for (Probe* const probe : {&main.readiness, &main.startup}) {
    if (probe->exists()) probe->forced = json::Value{kEachSecond.first()};
  }
  pod.containers = containers;
}

// The pod starts from the data of its checkpoint.
void restore_pod(const Component& component, Arena& arena, Pod& pod) {
  const Profile& profile = *component.profile;
  std::string_view storage_path;
  if (profile.checkpoint_storage == CheckpointStorage::kPvc && profile.checkpoint_pvc &&
      profile.checkpoint_base_path) {
    storage_path = *profile.checkpoint_base_path;
    pod.volumes = appended(pod.volumes,
                           Volume{.name = "checkpoint-storage",
                                  .kind = VolumeSource::kPersistentVolumeClaim,
                                  .source = *profile.checkpoint_pvc},
                           arena);
  }
  pod.volumes = appended(
      pod.volumes, Volume{.name = "snapshot-control", .kind = VolumeSource::kEmptyDir}, arena);
  const std::span<Container> containers = copy_of(pod.containers, arena);
  for (Container& container : containers) {
    if (is_restored(component, container)) {
      restore_container(storage_path, container, arena);
    }
  }
  pod.containers = containers;
  pod.checkpoint_seccomp = true;
}

}  // namespace

void add_features(const Component& component, Arena& arena, Pod& pod) {
  if (!component.reads_hub || pod.role == PodRole::kCheckpoint) return;
  probe_each_second(component, arena, pod);
  add_transfer_policy(component, arena, pod);
  if (component.fixed_rank >= 0) return make_node_engine(component, arena, pod);
  if (memory_service_of(component) == EngineSharing::kInPod) {
    add_memory_server(component, arena, pod);
  }
  if (failover_of(component) == EngineSharing::kInPod) {
    replace_main_by_engines(component, arena, pod);
  }
  if (!component.snapshot.empty()) restore_pod(component, arena, pod);
}

Pod render_memory_service_pod(const Component& component, Arena& arena) {
  Component server = component;
  server.fixed_rank = -1;
  Pod pod = render_pod(server, PodRole::kMain, arena);
  pod.containers = pod.containers.first(1);
  pod.init_containers = {};
  join_node(component, arena, pod);
  const std::span<Container> containers = copy_of(pod.containers, arena);
  Container& main = containers.front();
  main.command = {.items = kBash};
  main.args = {.items = kServerScript};
  main.liveness = {};
  main.readiness = {};
  const std::string_view sockets = Name{}.numbered(2 * counted_gpus(component)).in(arena);
  main.startup = {
      .fields = Overlay({}, json::Value{kSocketProbe.first()}),
      // A shell that finds no socket keeps the pattern, which counts as one.
      .script = arena.join({"set -- /run/gms/shared/gms_*.sock; [ $# -ge ", sockets, " ]"})};
  pod.containers = containers;
  pod.restart_policy = "Always";
  pod.restart_policy_origin = {};
  return pod;
}

}  // namespace dynamo::render
