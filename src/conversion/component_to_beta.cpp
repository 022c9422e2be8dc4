#include "conversion/component.hpp"
#include "conversion/component_moves.hpp"
#include "conversion/main_container.hpp"
#include "conversion/pod_template.hpp"
#include "conversion/quantity.hpp"
#include "conversion/restore_template.hpp"
#include "conversion/types.hpp"

namespace dynamo::conversion {

std::string_view convert_mode(std::string_view mode, Version target) {
  for (const Move& move : kModes) {
    if (target == Version::kV1beta1 ? mode == move.alpha : mode == move.beta) {
      return target == Version::kV1beta1 ? move.beta : move.alpha;
    }
  }
  return mode;
}

bool is_hub_only_experimental(const Node* experimental) {
  return experimental != nullptr && find(experimental, "checkpoint") == nullptr &&
         find(experimental, "failover") == nullptr &&
         find(experimental, "gpuMemoryService") == nullptr;
}

namespace {

std::string_view type_of(const Node* alpha) {
  const std::string_view type = text_of(alpha, "componentType");
  const std::string_view sub_type = text_of(alpha, "subComponentType");
  const bool is_promoted = type == "worker" && (sub_type == "prefill" || sub_type == "decode");
  return is_promoted ? sub_type : type;
}

void set_shared_memory_size(Arena& arena, const Node* alpha, Node* beta) {
  const Node* const memory = find(alpha, "sharedMemory");
  if (memory == nullptr) return;
  if (is_true(find(memory, "disabled"))) {
    set(arena, beta, "sharedMemorySize", arena.string("0", Shape::kQuantity));
  } else {
    set(arena, beta, "sharedMemorySize", find(memory, "size"));
  }
}

void set_compilation_cache(Arena& arena, const Node* alpha, Node* beta) {
  const Node* const mount = find_cache_mount(find(alpha, "volumeMounts"));
  if (mount == nullptr) return;
  Node* const cache = arena.object(types::kBetaCompilationCacheConfig);
  set_text(arena, cache, "pvcName", text_of(mount, "name"));
  set_text(arena, cache, "mountPath", text_of(mount, "mountPoint"));
  set(arena, beta, "compilationCache", cache);
}

void set_experimental(Arena& arena, const Node* alpha, const Node* hub, Node* beta) {
  const Node* const hub_block = find(hub, "experimental");
  Node* const block = arena.object(types::kBetaExperimentalSpec);
  set(arena, block, "checkpoint", find(alpha, "checkpoint"));
  for (const SwitchedFeature& feature : kSwitchedFeatures) {
    const Node* const own = find(alpha, feature.name);
    if (!is_true(find(own, "enabled"))) continue;
    Node* const copy = arena.object(*block->type->find(feature.name)->type);
    apply_moves(arena, own, copy, feature.moves, Version::kV1beta1);
    set_text(arena, copy, "mode", convert_mode(text_of(own, "mode"), Version::kV1beta1));
    set(arena, block, feature.name, copy);
  }
  if (is_empty(block)) {
    if (is_hub_only_experimental(hub_block)) set(arena, beta, "experimental", hub_block);
    return;
  }
  set(arena, block, "grove", find(hub_block, "grove"));
  set(arena, beta, "experimental", block);
}

void set_frontend_sidecar(Arena& arena, const Node* alpha, const Node* hub, Node* beta) {
  if (find(alpha, "frontendSidecar") != nullptr) {
    set(arena, beta, "frontendSidecar", arena.string(kFrontendSidecar));
    return;
  }
  const Node* const name = find(hub, "frontendSidecar");
  if (name == nullptr) return;
  const auto has_container = [name](const Node* component) {
    return find_named(containers_of(find(component, "podTemplate")), text_of(name)) != nullptr;
  };
  if (has_container(hub) && !has_container(beta)) return;
  set(arena, beta, "frontendSidecar", name);
}

}  // namespace

void convert_component_to_beta(Arena& arena, const Node* alpha, const Node* hub, Node* beta) {
  set_text(arena, beta, "type", type_of(alpha));
  apply_moves(arena, alpha, beta, kComponentMoves, Version::kV1beta1);
  set_shared_memory_size(arena, alpha, beta);
  set_compilation_cache(arena, alpha, beta);
  if (is_true(find(alpha, "scalingAdapter", "enabled"))) {
    set(arena, beta, "scalingAdapter", arena.object(types::kBetaScalingAdapter));
  }
  if (const Node* const hub_template = find(hub, "podTemplate"); hub_template != nullptr) {
    set(arena, beta, "podTemplate", restore_pod_template(arena, alpha, hub_template));
  } else if (needs_pod_template(alpha)) {
    set(arena, beta, "podTemplate", finish(arena, build_pod_template(arena, alpha)));
  }
  set_frontend_sidecar(arena, alpha, hub, beta);
  set_experimental(arena, alpha, hub, beta);
}

// --- What v1beta1 cannot express.

namespace {

// Shared memory whose v1beta1 form loses a part: disabled with a size, or enabled without one.
bool has_special_shared_memory(const Node* memory) {
  if (memory == nullptr) return false;
  return is_true(find(memory, "disabled")) == (find(memory, "size") != nullptr);
}

bool has_several_cache_mounts(const Node* mounts) {
  std::size_t count = 0;
  for (const Node* mount : children(mounts)) {
    if (is_true(find(mount, "useAsCompilationCache"))) ++count;
  }
  return count > 1;
}

bool has_special_extra_pod_spec(const Node* alpha) {
  const Node* const extra = find(alpha, "extraPodSpec");
  if (extra == nullptr) return false;
  if (is_empty_extra_pod_spec(extra)) return true;
  return find(alpha, "frontendSidecar") != nullptr &&
         find_named(find(extra, "containers"), kFrontendSidecar) != nullptr;
}

void save_own_fields(Arena& arena, const Node* alpha, Node* save) {
  const auto keep = [&](std::string_view name, bool should_keep) {
    const Node* const value = should_keep ? find(alpha, name) : nullptr;
    if (value != nullptr) set(arena, save, name, value);
  };
  if (type_of(alpha) == text_of(alpha, "componentType")) keep("subComponentType", true);
  for (const std::string_view name :
       {"dynamoNamespace", "autoscaling", "ingress", "envFromSecret", "frontendSidecar"}) {
    keep(name, true);
  }
  for (const std::string_view name : {"annotations", "labels"}) {
    keep(name, !is_empty(find(alpha, name)));
  }
  keep("resources", has_special_resources(find(alpha, "resources")));
  keep("volumeMounts", has_several_cache_mounts(find(alpha, "volumeMounts")));
  keep("sharedMemory", has_special_shared_memory(find(alpha, "sharedMemory")));
  const Node* const metadata = find(alpha, "extraPodMetadata");
  keep("extraPodMetadata",
       is_empty(find(metadata, "annotations")) && is_empty(find(metadata, "labels")));
  keep("extraPodSpec", has_special_extra_pod_spec(alpha));
  for (const std::string_view name : {"scalingAdapter", "gpuMemoryService", "failover"}) {
    keep(name, !is_true(find(alpha, name, "enabled")));
  }
}

// A field of the component and its twin in `mainContainer`.
struct Split {
  std::string_view dedicated;
  std::string_view own;
};
constexpr Split kSplits[] = {{"envs", "env"},
                             {"envFromSecret", "envFrom"},
                             {"resources", "resources"},
                             {"volumeMounts", "volumeMounts"},
                             {"livenessProbe", "livenessProbe"},
                             {"readinessProbe", "readinessProbe"}};

bool has_split(const Node* own) {
  return find(own, "name") != nullptr || !is_empty(find(own, "env")) ||
         !is_zero(find(own, "resources")) || !is_empty(find(own, "volumeMounts")) ||
         find(own, "livenessProbe") != nullptr || find(own, "readinessProbe") != nullptr;
}

void save_splits(Arena& arena, const Node* alpha, const Node* own, Node* save) {
  const Node* const saved_extra = find(save, "extraPodSpec");
  const Node* const saved_main = find(saved_extra, "mainContainer");
  Node* const main =
      saved_main == nullptr ? arena.object(types::kContainer) : copy_members(arena, saved_main);
  bool has_saved = find(own, "name") != nullptr;
  if (has_saved) set(arena, main, "name", find(own, "name"));
  for (const Split& split : kSplits) {
    const Node* const dedicated = find(alpha, split.dedicated);
    const Node* const twin = find(own, split.own);
    const bool has_dedicated =
        dedicated != nullptr && (dedicated->kind != NodeKind::kList || !is_empty(dedicated));
    const bool has_twin =
        twin != nullptr &&
        (split.own == "resources" || twin->kind == NodeKind::kList ? !is_zero(twin) : true);
    if (!has_dedicated && !has_twin) continue;
    set(arena, save, split.dedicated, dedicated);
    set(arena, main, split.own, twin);
    has_saved = true;
  }
  if (has_saved) set(arena, member_to_change(arena, save, "extraPodSpec"), "mainContainer", main);
}

}  // namespace

void save_alpha_component(Arena& arena, const Node* alpha, bool should_save_splits, Node* save) {
  save_own_fields(arena, alpha, save);
  const Node* const own = find(alpha, "extraPodSpec", "mainContainer");
  if (own == nullptr) return;
  if (should_save_splits || !is_zero(save) || has_split(own)) save_splits(arena, alpha, own, save);
}

}  // namespace dynamo::conversion
