#include "conversion/restore_component.hpp"

#include <algorithm>
#include <vector>

#include "conversion/main_container.hpp"
#include "conversion/named_list.hpp"
#include "conversion/pod_template.hpp"
#include "conversion/types.hpp"

namespace dynamo::conversion {

namespace {

std::string_view point_of(const Node* flat_mount) {
  return text_of(flat_mount, "mountPoint");
}

bool is_cache(const Node* flat_mount) {
  return is_true(find(flat_mount, "useAsCompilationCache"));
}

class ComponentRestore {
 public:
  ComponentRestore(Arena& arena, const Node* beta, const Node* saved, Node* alpha)
      : arena_(arena),
        beta_(beta),
        saved_(saved),
        alpha_(alpha),
        saved_main_(find(saved, "extraPodSpec", "mainContainer")),
        live_main_(find_named(containers_of(find(beta, "podTemplate")), kMain)) {}

  void run() {
    restore_cache_flags();
    restore_plain_fields();
    restore_shared_memory();
    restore_resources();
    restore_secret();
    restore_extra_pod_metadata();
    restore_extra_pod_spec();
    restore_splits();
    restore_main_name();
    restore_disabled_features();
  }

 private:
  const Node* own_main() const { return find(alpha_, "extraPodSpec", "mainContainer"); }

  Node* main_to_change() {
    return member_to_change(arena_, member_to_change(arena_, alpha_, "extraPodSpec"),
                            "mainContainer");
  }
  // Sets a member of `mainContainer`; does not create or copy one only to remove an absent member.
  void set_in_main(std::string_view name, const Node* value) {
    if (value == nullptr && find(own_main(), name) == nullptr) return;
    set(arena_, main_to_change(), name, value);
  }

  // v1beta1 has one compilation cache; further flags return while the mounts are as they were.
  void restore_cache_flags() {
    std::vector<const Node*> caches;
    for (const Node* mount : children(find(saved_, "volumeMounts"))) {
      if (is_cache(mount)) caches.push_back(mount);
    }
    const Node* const cache = find(beta_, "compilationCache");
    if (caches.size() < 2 || cache == nullptr) return;
    const Node* const first = caches.front();
    if (name_of(first) != text_of(cache, "pvcName") ||
        point_of(first) != text_of(cache, "mountPath")) {
      return;
    }
    const Node* const flat = find(alpha_, "volumeMounts");
    const Node* const live = find(live_main_, "volumeMounts");
    if (!is_generated_list(flat, first, live)) return;
    const bool can_have_no_mount = live_main_ == nullptr && !needs_pod_template(saved_);
    const MountIndex live_mounts(live, "mountPath");
    std::vector<const Node*> candidates;
    for (const Node* mount : caches) {
      const bool is_kept =
          mount == first || can_have_no_mount || live_mounts.has(name_of(mount), point_of(mount));
      if (is_kept) candidates.push_back(mount);
    }
    const std::size_t kept_caches = candidates.size();
    for (const Node* mount : children(flat)) candidates.push_back(mount);
    std::vector<MountKey> keys;
    keys.reserve(candidates.size());
    for (const Node* mount : candidates) keys.push_back({name_of(mount), point_of(mount)});
    const std::vector<bool> is_first = find_first_mounts(keys);
    Node* const restored = arena_.list();
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if (i < kept_caches || is_first[i]) append(arena_, restored, candidates[i]);
    }
    set(arena_, alpha_, "volumeMounts", restored);
  }

  // Whether the flat mounts are the cache, followed by the other mounts of main.
  static bool is_generated_list(const Node* flat, const Node* first, const Node* live) {
    if (is_empty(flat) || !are_equal(flat->first(), first)) return false;
    const Node* at = flat->first()->next;
    for (const Node* mount : children(live)) {
      if (name_of(mount) == name_of(first) && text_of(mount, "mountPath") == point_of(first))
        continue;
      if (at == nullptr || is_cache(at) || name_of(at) != name_of(mount) ||
          point_of(at) != text_of(mount, "mountPath")) {
        return false;
      }
      at = at->next;
    }
    return at == nullptr;
  }

  void restore_plain_fields() {
    for (const std::string_view name : {"subComponentType", "dynamoNamespace", "autoscaling",
                                        "ingress", "annotations", "labels"}) {
      if (find(alpha_, name) == nullptr) set(arena_, alpha_, name, find(saved_, name));
    }
  }

  void restore_shared_memory() {
    const Node* const memory = find(saved_, "sharedMemory");
    if (memory == nullptr) return;
    const bool is_disabled = is_true(find(memory, "disabled"));
    const bool has_size = find(memory, "size") != nullptr;
    if (is_disabled != has_size) return;
    const Node* const live = find(alpha_, "sharedMemory");
    const bool is_live_disabled = is_true(find(live, "disabled")) && find(live, "size") == nullptr;
    if (live == nullptr || (is_disabled && is_live_disabled)) {
      set(arena_, alpha_, "sharedMemory", memory);
    }
  }

  void restore_resources() {
    const Node* const resources = find(saved_, "resources");
    if (live_main_ == nullptr || !has_special_resources(resources)) return;
    if (are_same_resources(to_native_resources(arena_, resources),
                           to_native_resources(arena_, find(alpha_, "resources")))) {
      set(arena_, alpha_, "resources", resources);
    }
  }

  static bool are_same_resources(const Node* one, const Node* other) {
    if (one == nullptr || other == nullptr) return is_zero(one) && is_zero(other);
    return are_equal(one, other);
  }

  void restore_secret() {
    const Node* const secret = find(saved_, "envFromSecret");
    if (secret == nullptr || find(alpha_, "envFromSecret") != nullptr) return;
    const std::string_view name = text_of(secret);
    if (name.empty()) {
      set(arena_, alpha_, "envFromSecret", secret);
      return;
    }
    if (live_main_ == nullptr || plain_secret_of(find(own_main(), "envFrom")) != name) return;
    set(arena_, alpha_, "envFromSecret", secret);
    set_in_main("envFrom", nullptr);
  }

  void restore_extra_pod_metadata() {
    const Node* const metadata = find(saved_, "extraPodMetadata");
    if (metadata == nullptr || find(alpha_, "extraPodMetadata") != nullptr) return;
    if (is_empty(find(metadata, "annotations")) && is_empty(find(metadata, "labels"))) {
      set(arena_, alpha_, "extraPodMetadata", metadata);
    }
  }

  void restore_extra_pod_spec() {
    const Node* const extra = find(saved_, "extraPodSpec");
    if (extra == nullptr) return;
    const Node* const sidecar = find(saved_, "frontendSidecar") == nullptr
                                    ? nullptr
                                    : find_named(find(extra, "containers"), kFrontendSidecar);
    if (!is_empty_extra_pod_spec(extra) && sidecar == nullptr) return;
    const Node* const live = find(alpha_, "extraPodSpec");
    if (live == nullptr) {
      set(arena_, alpha_, "extraPodSpec", extra);
      return;
    }
    if (sidecar == nullptr || find_named(find(live, "containers"), kFrontendSidecar) != nullptr) {
      return;
    }
    Node* const containers =
        member_list_to_change(member_to_change(arena_, alpha_, "extraPodSpec"), "containers");
    append(arena_, containers, sidecar);
  }

  Node* member_list_to_change(Node* object, std::string_view name) {
    const Node* const present = find(object, name);
    Node* const copy = present == nullptr ? arena_.list() : copy_members(arena_, present);
    set(arena_, object, name, copy);
    return find(object, name);
  }

  // Takes both halves of a member from the saved component while their sum is the live value.
  void restore_splits() {
    if (live_main_ == nullptr || saved_main_ == nullptr) return;
    restore_split(kSharedEnv);
    const Node* const secret = find(saved_, "envFromSecret");
    if (secret != nullptr && has_same(kSharedEnvFrom)) set(arena_, alpha_, "envFromSecret", secret);
    restore_split(kSharedResources);
    restore_mounts();
    restore_split(kSharedLivenessProbe);
    restore_split(kSharedReadinessProbe);
  }

  bool has_same(const SharedMember& member) const {
    const Node* const dedicated = find(alpha_, member.dedicated);
    const Node* const own = find(own_main(), member.own);
    const Node* const saved_dedicated = find(saved_, member.dedicated);
    const Node* const saved_own = find(saved_main_, member.own);
    // Equal halves, which are usual, need no sum.
    if (are_equal(dedicated, saved_dedicated) && are_equal(own, saved_own)) return true;
    return are_equal(member.combine(arena_, dedicated, own),
                     member.combine(arena_, saved_dedicated, saved_own));
  }

  void restore_split(const SharedMember& member) {
    const Node* const saved_dedicated = find(saved_, member.dedicated);
    const Node* const saved_own = find(saved_main_, member.own);
    if (saved_dedicated == nullptr && saved_own == nullptr) return;
    if (!has_same(member)) return;
    set(arena_, alpha_, member.dedicated, saved_dedicated);
    set_in_main(member.own, saved_own);
  }

  // The mounts of an effective main without those that the component flags as caches.
  std::vector<const Node*> mounts_without_caches(const Node* component, const Node* main) const {
    const Node* const flat_mounts = find(component, "volumeMounts");
    Node* const flagged = arena_.list();
    for (const Node* flat : children(flat_mounts)) {
      if (is_cache(flat)) append(arena_, flagged, flat);
    }
    const MountIndex caches(flagged, "mountPoint");
    std::vector<const Node*> mounts;
    for (const Node* mount :
         children(kSharedMounts.combine(arena_, flat_mounts, find(main, "volumeMounts")))) {
      if (!caches.has(name_of(mount), text_of(mount, "mountPath"))) mounts.push_back(mount);
    }
    return mounts;
  }

  bool has_same_mounts() const {
    return std::ranges::equal(mounts_without_caches(alpha_, own_main()),
                              mounts_without_caches(saved_, saved_main_),
                              [](const Node* one, const Node* other) {
                                return name_of(one) == name_of(other) &&
                                       text_of(one, "mountPath") == text_of(other, "mountPath");
                              });
  }

  void restore_mounts() {
    const Node* const saved_flat = find(saved_, "volumeMounts");
    const Node* const saved_own = find(saved_main_, "volumeMounts");
    if ((is_empty(saved_flat) && is_empty(saved_own)) || !has_same_mounts()) return;
    Node* const flat = arena_.list();
    for (const Node* mount : children(saved_flat)) {
      if (!is_cache(mount)) append(arena_, flat, mount);
    }
    const MountIndex own(saved_own, "mountPath");
    const MountIndex kept(flat, "mountPoint");
    for (const Node* mount : children(find(alpha_, "volumeMounts"))) {
      Node* const match = kept.find(name_of(mount), point_of(mount));
      if (is_cache(mount)) {
        if (match == nullptr) {
          append(arena_, flat, mount);
        } else {
          flag_as_cache(match);
        }
      } else if (match == nullptr && !own.has(name_of(mount), point_of(mount))) {
        append(arena_, flat, mount);
      }
    }
    set(arena_, alpha_, "volumeMounts", is_empty(flat) ? nullptr : flat);
    set_in_main("volumeMounts", is_empty(saved_own) ? saved_own : with_live_members(saved_own));
  }

  // Mounts are the same by name and path, and a user of v1beta1 may have changed the rest.
  Node* with_live_members(const Node* saved_own) {
    const MountIndex live(find(live_main_, "volumeMounts"), "mountPath");
    Node* const mounts = arena_.list();
    for (const Node* saved : children(saved_own)) {
      const Node* const now = live.find(name_of(saved), text_of(saved, "mountPath"));
      append(arena_, mounts, now == nullptr || are_equal(now, saved) ? saved : now);
    }
    return mounts;
  }

  void flag_as_cache(Node* mount) {
    Node* const flagged = copy_members(arena_, mount);
    set(arena_, flagged, "useAsCompilationCache", arena_.boolean(true));
    mount->content = flagged->content;
  }

  void restore_main_name() {
    const Node* const name = find(saved_main_, "name");
    if (own_main() == nullptr || name == nullptr || find(own_main(), "name") != nullptr) return;
    set_in_main("name", name);
  }

  void restore_disabled_features() {
    for (const std::string_view name :
         {"scalingAdapter", "gpuMemoryService", "failover", "checkpoint"}) {
      const Node* const feature = find(saved_, name);
      if (feature == nullptr || is_true(find(feature, "enabled"))) continue;
      if (find(alpha_, name) == nullptr) set(arena_, alpha_, name, feature);
    }
  }

  Arena& arena_;
  const Node* beta_;
  const Node* saved_;
  Node* alpha_;
  const Node* saved_main_;
  const Node* live_main_;
};

}  // namespace

void restore_alpha_component(Arena& arena, const Node* beta, const Node& saved, Node* alpha) {
  ComponentRestore(arena, beta, &saved, alpha).run();
}

void prune_extra_pod_spec(Arena& arena, const Node* saved, Node* alpha) {
  const Node* const extra = find(alpha, "extraPodSpec");
  if (extra == nullptr) return;
  const Node* const saved_extra = find(saved, "extraPodSpec");
  const bool has_name_only = is_name_only_extra_pod_spec(saved_extra);
  const Node* const main = find(extra, "mainContainer");
  if (main != nullptr && is_empty_container(main) && !has_name_only) {
    remove(member_to_change(arena, alpha, "extraPodSpec"), "mainContainer");
  }
  const bool was_empty = saved_extra != nullptr && is_empty_extra_pod_spec(saved_extra);
  if (is_empty_extra_pod_spec(find(alpha, "extraPodSpec")) && !was_empty) {
    remove(alpha, "extraPodSpec");
  }
}

}  // namespace dynamo::conversion
