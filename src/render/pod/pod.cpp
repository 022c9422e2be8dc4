#include "render/pod/pod.hpp"

#include <algorithm>
#include <cstddef>

#include "render/component/names.hpp"
#include "render/document/limits.hpp"
#include "render/document/overlay.hpp"
#include "render/document/well_known.hpp"
#include "render/pod/base.hpp"
#include "render/pod/checkpoint.hpp"
#include "render/pod/features.hpp"
#include "render/pod/launch.hpp"

namespace dynamo::render {
namespace {

bool debug_mode(const Component& component) {
  if (component.debug_twin) return true;
  if (component.has_later_operator()) return false;
  const Workload workload = workload_of(component);
  return (workload == Workload::kDeployment || workload == Workload::kLeaderWorkerSet) &&
         component.annotation(annotation::kDebugMode).string_or_empty() == "true";
}

// Chooses the account: the user's, the base's, that of discovery, then the cluster's default.
void choose_service_account(const Component& component, Arena& arena, Pod& pod) {
  const std::string_view given = pod.user["serviceAccountName"].string_or_empty();
  const Workload workload = workload_of(component);
  const bool through_component =
      workload == Workload::kDeployment || workload == Workload::kLeaderWorkerSet;
  if (component.in_graph && component.type == ComponentType::kPlanner && through_component) {
    pod.service_account = kPlannerServiceAccount;
    return;
  }
  if (!given.empty()) {
    pod.service_account = given;
    pod.service_account_origin = pod.field("serviceAccountName");
    return;
  }
  pod.service_account = base_of(component).service_account;
  if (!pod.service_account.empty()) return;
  const DiscoveryBackend discovery = discovery_of(component);
  pod.service_account_certain = discovery != DiscoveryBackend::kUnknown;
  if (discovery == DiscoveryBackend::kKubernetes || discovery == DiscoveryBackend::kUnknown) {
    pod.service_account = discovery_account_name(component.graph_name).in(arena);
  }
}

void choose_scheduler(const Component& component, Pod& pod) {
  constexpr std::string_view kLwsScheduler = "volcano";
  pod.scheduler = pod.user["schedulerName"].string_or_empty();
  if (!pod.scheduler.empty()) pod.scheduler_origin = pod.field("schedulerName");
  switch (workload_of(component)) {
    case Workload::kLeaderWorkerSet:
      if (component.has_later_operator()) break;
      pod.scheduler = kLwsScheduler;
      pod.scheduler_origin = {};
      break;
    case Workload::kPodClique:
    case Workload::kPodCliqueScalingGroup:
      if (pod.scheduler.empty() && component.profile->kai_scheduler != api::Fact::kNo) {
        pod.scheduler = kKaiScheduler;
        pod.scheduler_certain = component.profile->kai_scheduler == api::Fact::kYes;
      }
      break;
    case Workload::kUnknown:
      pod.scheduler_certain = !pod.scheduler.empty() && !component.is_multinode();
      break;
    case Workload::kNone:
    case Workload::kDeployment:
      break;
  }
}

// Here and below, entries that are not objects are skipped; the type rule reports them.
void add_plain(json::Value list, Block block, Arena& arena, ArenaList<Container>& out) {
  std::size_t index = 0;
  for (const json::Value user : list.elements()) {
    if (user.is_object()) out.push(plain_container(user, block, index, arena));
    ++index;
  }
}

// The main container's mounts of volumes that the sidecar does not mount.
std::span<const Mount> copied_mounts(const Container& main, const Container& sidecar,
                                     Arena& arena) {
  ArenaList<Mount> copied(arena, main.mounts.size());
  for (const Mount& mount : main.mounts) {
    const bool has_it =
        std::ranges::find(sidecar.mounts, mount.volume, &Mount::volume) != sidecar.mounts.end();
    if (!has_it && mount.volume != kSharedMemoryVolume) copied.push(mount);
  }
  return copied.items();
}

void add_sidecars(const Component& component, json::Value list, const Container& main, Arena& arena,
                  ArenaList<Container>& out) {
  if (!component.has_later_operator()) return add_plain(list, Block::kSidecar, arena, out);
  const std::string_view frontend = component.frontend_sidecar();
  bool is_frontend_found = false;
  std::size_t index = 0;
  for (const json::Value user : list.elements()) {
    const std::size_t at = index++;
    if (!user.is_object()) continue;
    const std::string_view name = user["name"].string_or_empty();
    if (component.reads_hub && name == kMainContainerName) continue;
    if (frontend.empty() || name != frontend) {
      out.push(plain_container(user, Block::kSidecar, at, arena));
      continue;
    }
    Container& sidecar = out.push(frontend_sidecar(component, user, at, arena));
    sidecar.copied_mounts = copied_mounts(main, sidecar, arena);
    is_frontend_found = true;
  }
  const json::Value separate = component.service.value()["frontendSidecar"];
  if (is_frontend_found || !separate.is_object()) return;
  Container& sidecar = out.push(separate_sidecar(component, separate, arena));
  sidecar.copied_mounts = copied_mounts(main, sidecar, arena);
}

// The container named "main", which may be a sidecar, otherwise the first one.
Container& restored_container(std::span<Container> containers) {
  const auto named =
      std::find_if(containers.begin(), containers.end(),
                   [](const Container& container) { return container.name == kMainContainerName; });
  return named == containers.end() ? containers.front() : *named;
}

void fill_containers(const Component& component, Arena& arena, Pod& pod) {
  const json::Value sidecars = pod.user["containers"];
  constexpr std::size_t kOwn = 2;  // main, and the debugger or a frontend sidecar
  ArenaList<Container> containers(arena, list_size(sidecars) + kOwn);
  const Container main = main_container(component, pod.backend, pod.role, arena);
  if (component.reads_hub) containers.push(main);
  add_sidecars(component, sidecars, main, arena, containers);
  if (!component.reads_hub) {
    pod.main_index = containers.size();
    containers.push(main);
  }
  if (pod.role != PodRole::kCheckpoint && checkpoint_edits_pods(component) != api::Fact::kNo) {
    restore_from_checkpoint(component, restored_container(containers.items()), arena);
  }
  // A captured process is restored later without a debugger.
  if (pod.role != PodRole::kCheckpoint && debug_mode(component)) {
    containers.push(debugger_container());
    pod.share_process_namespace = true;
  }
  pod.containers = containers.items();

  const json::Value inits = pod.user["initContainers"];
  ArenaList<Container> init_containers(arena, list_size(inits) + 1);
  add_plain(inits, Block::kInitContainer, arena, init_containers);
  if (pod.role == PodRole::kWorker && waits_for_leader(component, pod.backend, main)) {
    init_containers.push(wait_for_leader(component, main, arena));
  }
  pod.init_containers = init_containers.items();
}

std::span<const Volume> with_wait_script(const Component& component,
                                         std::span<const Volume> volumes, Arena& arena) {
  ArenaList<Volume> all(arena, volumes.size() + 1);
  for (const Volume& volume : volumes) all.push(volume);
  all.push({.name = kWaitScriptVolume,
            .kind = VolumeSource::kScript,
            .source = wait_script_name(component.graph_name).in(arena)});
  return all.items();
}

}  // namespace

Pod render_pod(const Component& component, PodRole role, Arena& arena) {
  Pod pod{.role = role, .backend = backend_of(component), .user = component.pod()};
  fill_containers(component, arena, pod);
  pod.volumes = pod_volumes(component, pod.backend, role, arena);
  if (role == PodRole::kWorker && waits_for_leader(component, pod.backend, pod.main())) {
    pod.volumes = with_wait_script(component, pod.volumes, arena);
  }
  choose_service_account(component, arena, pod);
  choose_scheduler(component, pod);

  const std::string_view restart = pod.user["restartPolicy"].string_or_empty();
  pod.restart_policy = restart.empty() ? "Always" : restart;
  if (!restart.empty()) pod.restart_policy_origin = pod.field("restartPolicy");
  if (role == PodRole::kCheckpoint) {
    pod.restart_policy = "Never";
    pod.restart_policy_origin = {};
  }
  const json::Value grace = pod.user["terminationGracePeriodSeconds"];
  if (!is_empty(grace)) pod.grace_period = grace;
  pod.default_grace_period_seconds = base_of(component).grace_period_seconds;
  pod.default_security_context = pod.user["securityContext"].is_nothing();

  const api::Fact edited = checkpoint_edits_pods(component);
  if (role != PodRole::kCheckpoint && edited != api::Fact::kNo) {
    pod.checkpoint_certain = edited == api::Fact::kYes;
    pod.host_ipc = true;
    pod.checkpoint_seccomp = true;
  }
  add_features(component, arena, pod);
  return pod;
}

}  // namespace dynamo::render
