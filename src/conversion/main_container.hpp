// The container `main`: v1alpha1 splits it into fields of the service and `mainContainer`.
#pragma once

#include <string_view>

#include "conversion/tree.hpp"

namespace dynamo::conversion {

inline constexpr std::string_view kMain = "main";
inline constexpr std::string_view kFrontendSidecar = "sidecar-frontend";

// v1alpha1 `resources` as ResourceRequirements, or null if nothing remains. Texts that are no
// quantities are dropped.
Node* to_native_resources(Arena& arena, const Node* resources);
// The reverse, or null if there are no requests, limits and claims.
Node* to_alpha_resources(Arena& arena, const Node* native);
// Whether v1alpha1 `resources` differ from what conversion there and back returns.
bool has_special_resources(const Node* resources);

// `change` over `base`, as mergo merges structs with override: values of `change` that are not zero
// win, objects and maps merge, lists are replaced. Both may be null.
const Node* merge(Arena& arena, const Node* base, const Node* change);

// A member of `main` for which a v1alpha1 component has a field of its own, too.
struct SharedMember {
  std::string_view dedicated;  // in the component
  std::string_view own;        // in `mainContainer`
  // The value of both; each may be null.
  const Node* (*combine)(Arena& arena, const Node* dedicated, const Node* own);
};
extern const SharedMember kSharedResources;
extern const SharedMember kSharedEnv;
extern const SharedMember kSharedEnvFrom;
extern const SharedMember kSharedLivenessProbe;
extern const SharedMember kSharedReadinessProbe;
extern const SharedMember kSharedMounts;

// The container `main` that a v1alpha1 component describes with its own fields and `mainContainer`.
Node* build_main_container(Arena& arena, const Node* component);

// A v1alpha1 flat mount as a VolumeMount, with name and path only.
Node* to_volume_mount(Arena& arena, const Node* flat_mount);

// A VolumeMount as a flat mount, without the cache flag.
Node* to_flat_mount(Arena& arena, const Node* mount);

// `[{secretRef: {name}}]`
Node* secret_env_from(Arena& arena, std::string_view secret);
// The secret's name if a list is exactly one plain secretRef, without prefix; "" otherwise.
std::string_view plain_secret_of(const Node* env_from);

// True for a container that is zero without its name; an absent one counts.
bool is_empty_container(const Node* container);
// True for `extraPodSpec` without PodSpec and with an empty `mainContainer`; an absent one counts.
bool is_empty_extra_pod_spec(const Node* extra);
// True for `extraPodSpec` without PodSpec and with a `mainContainer` that has only a name.
bool is_name_only_extra_pod_spec(const Node* extra);

// A mount of that name at that path, or null.
Node* find_mount(const Node* mounts, std::string_view name, std::string_view path);
// An element of a list by its member `name`, or null.
Node* find_named(const Node* list, std::string_view name);

// The first mount with useAsCompilationCache, or null.
Node* find_cache_mount(const Node* flat_mounts);

}  // namespace dynamo::conversion
