// The pod that runs a component, in one of its roles.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "render/component/component.hpp"
#include "render/document/arena.hpp"
#include "render/document/origin.hpp"
#include "render/pod/backend.hpp"
#include "render/pod/container.hpp"
#include "render/pod/volumes.hpp"

namespace dynamo::render {

struct Pod {
  PodRole role = PodRole::kMain;
  Backend backend = {};
  Block block = Block::kPod;
  json::Value user = {};  // extraPodSpec; fields without a member below are copied from it
  std::span<const Container> containers = {};  // sidecars, then main, then the debugger
  std::span<const Container> init_containers = {};
  std::size_t main_index = 0;
  std::span<const Volume> volumes = {};

  // "" if the operator searches the namespace for one and otherwise uses "default".
  std::string_view service_account = {};
  Origin service_account_origin = {};
  bool service_account_certain = true;
  // "" for the cluster's default.
  std::string_view scheduler = {};
  Origin scheduler_origin = {};
  bool scheduler_certain = true;
  std::string_view restart_policy = {};
  Origin restart_policy_origin = {};
  json::Value grace_period = {};  // the user's, if it is not empty
  std::int64_t default_grace_period_seconds = 0;

  // The user sets no securityContext, so the operator sets its fsGroup to 1000.
  bool default_security_context = false;
  bool host_ipc = false;                 // set by the operator, for a checkpoint
  bool checkpoint_seccomp = false;       // the seccomp profile is the checkpoint's
  bool checkpoint_certain = true;        // for the previous two
  bool share_process_namespace = false;  // set by the operator
  // Of later operators: the ResourceClaimTemplate of the claim kSharedGpuClaim; "" for none.
  std::string_view gpu_claim_template = {};
  bool tolerates_gpu_taint = false;

  const Container& main() const { return containers[main_index]; }
  // The origin of a field of extraPodSpec.
  Origin field(std::string_view name) const { return origin_in(block, name); }
};

// `component` and the arena must outlive the pod.
Pod render_pod(const Component& component, PodRole role, Arena& arena);

// Renders a pod exactly as its template is written, such as a checkpoint's job. The first container
// is the main one. `pod_template` is a PodTemplateSpec; returns nullopt if it has no containers.
// The controllers' additions are not included.
std::optional<Pod> render_template(json::Value pod_template, Arena& arena);

}  // namespace dynamo::render
