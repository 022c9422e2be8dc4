#include "conversion/restore_template.hpp"

#include <vector>

#include "conversion/main_container.hpp"
#include "conversion/named_list.hpp"
#include "conversion/pod_template.hpp"
#include "conversion/types.hpp"

namespace dynamo::conversion {

namespace {

std::string_view path_of(const Node* mount) {
  return text_of(mount, "mountPath");
}

// The mount of the compilation cache as v1alpha1 describes it.
struct CacheMount {
  std::string_view name;
  std::string_view path;
  bool exists = false;
};

CacheMount cache_mount_of(const Node* alpha) {
  const Node* const mount = find_cache_mount(find(alpha, "volumeMounts"));
  if (mount == nullptr) return {};
  return {.name = name_of(mount), .path = text_of(mount, "mountPoint"), .exists = true};
}

// The list without the elements that `should_drop` selects.
template <typename Predicate>
Node* filtered(Arena& arena, const Node* list, Predicate should_drop) {
  Node* const kept = arena.list();
  for (const Node* element : children(list)) {
    if (!should_drop(element)) append(arena, kept, element);
  }
  return kept;
}

// One restore of a template, step by step.
class TemplateRestore {
 public:
  TemplateRestore(Arena& arena, const Node* alpha, const Node* hub)
      : arena_(arena),
        alpha_(alpha),
        hub_containers_(containers_of(hub)),
        hub_main_(find_named(hub_containers_, kMain)),
        own_mounts_(find(find(alpha, "extraPodSpec", "mainContainer"), "volumeMounts")),
        cache_(cache_mount_of(alpha)) {}

  Node* run(const Node* hub) {
    built_ = needs_pod_template(alpha_) ? build_pod_template(arena_, alpha_)
                                        : empty_pod_template(arena_);
    drop_generated_cache_mount();
    drop_generated_main();
    add_hub_containers();
    merge_frontend_sidecar();
    use_hub_order();
    restore_metadata(find(hub, "metadata"));
    restore_mounts();
    Node* const restored = finish(arena_, built_);
    return is_zero(restored) && !is_zero(hub) ? nullptr : restored;
  }

 private:
  Node* main() const { return find_named(built_.containers, kMain); }

  // The v1beta1 user has the cache, but does not mount it.
  void drop_generated_cache_mount() {
    if (!cache_.exists || main() == nullptr) return;
    const auto has_mount = [this](const Node* mounts) {
      return find_mount(mounts, cache_.name, cache_.path) != nullptr;
    };
    if (has_mount(find(hub_main_, "volumeMounts")) || has_mount(own_mounts_)) return;
    bool has_dropped = false;
    Node* const kept =
        filtered(arena_, find(main(), "volumeMounts"), [this, &has_dropped](const Node* mount) {
          const bool is_cache =
              !has_dropped && name_of(mount) == cache_.name && path_of(mount) == cache_.path;
          has_dropped |= is_cache;
          return is_cache;
        });
    set(arena_, main(), "volumeMounts", is_empty(kept) ? nullptr : kept);
  }

  void drop_generated_main() {
    Node* const generated = main();
    if (generated == nullptr || hub_main_ != nullptr ||
        has_special_resources(find(alpha_, "resources"))) {
      return;
    }
    Node* const rest = copy_members(arena_, generated);
    Node* const mounts = filtered(arena_, find(rest, "volumeMounts"), [this](const Node* mount) {
      return cache_.exists && name_of(mount) == cache_.name && path_of(mount) == cache_.path;
    });
    set(arena_, rest, "volumeMounts", is_empty(mounts) ? nullptr : mounts);
    if (!is_empty_container(rest)) return;
    built_.containers = filtered(arena_, built_.containers,
                                 [](const Node* container) { return name_of(container) == kMain; });
  }

  void add_hub_containers() {
    const bool has_sidecar = find(alpha_, "frontendSidecar") != nullptr;
    const NameIndex live(built_.containers, "name");
    std::vector<const Node*> added;
    for (const Node* container : children(hub_containers_)) {
      if (is_empty_container(container) || live.find(name_of(container)) != nullptr) continue;
      if (name_of(container) == kFrontendSidecar && !has_sidecar) continue;
      added.push_back(container);
    }
    for (const Node* container : added) append(arena_, built_.containers, container);
  }

  void merge_frontend_sidecar() {
    const Node* const sidecar = find(alpha_, "frontendSidecar");
    const Node* const saved = find_named(hub_containers_, kFrontendSidecar);
    Node* const live = find_named(built_.containers, kFrontendSidecar);
    if (sidecar == nullptr || saved == nullptr || live == nullptr || is_empty_container(saved)) {
      return;
    }
    Node* const change = copy_members(arena_, saved);
    for (const std::string_view name : {"name", "image", "args", "env"}) remove(change, name);
    const std::string_view secret = text_of(sidecar, "envFromSecret");
    const bool is_same_secret = plain_secret_of(find(saved, "envFrom")) == secret &&
                                plain_secret_of(find(live, "envFrom")) == secret;
    if (!secret.empty() && !is_same_secret) remove(change, "envFrom");
    live->content = merge(arena_, live, change)->content;
  }

  void use_hub_order() {
    const std::size_t count = count_children(hub_containers_);
    if (count < 2 || count != count_children(built_.containers)) return;
    const NameIndex live(built_.containers, "name");
    const NameIndex saved(hub_containers_, "name");
    for (const Node* container : children(built_.containers)) {
      if (saved.find(name_of(container)) == nullptr) return;
    }
    Node* const ordered = arena_.list();
    for (const Node* container : children(hub_containers_)) {
      const Node* const match = live.find(name_of(container));
      if (match == nullptr) return;
      append(arena_, ordered, match);
    }
    built_.containers = ordered;
  }

  void restore_metadata(const Node* saved) {
    if (saved == nullptr) return;
    Node* const metadata = copy_members(arena_, saved);
    for (const std::string_view name : {"annotations", "labels"}) {
      set(arena_, metadata, name, find(built_.metadata, name));
    }
    built_.metadata = metadata;
  }

  // Mounts of v1alpha1 have a name and a path only.
  void restore_mounts() {
    Node* const live = find(main(), "volumeMounts");
    const Node* const saved = find(hub_main_, "volumeMounts");
    if (live == nullptr || saved == nullptr) return;
    const MountIndex flat(find(alpha_, "volumeMounts"), "mountPoint");
    const MountIndex own(own_mounts_, "mountPath");
    const MountIndex hub(saved, "mountPath");
    for (Node* mount : children(live)) {
      if (!flat.has(name_of(mount), path_of(mount)) || own.has(name_of(mount), path_of(mount))) {
        continue;
      }
      const Node* const match = hub.find_counterpart(name_of(mount), path_of(mount));
      if (match == nullptr) continue;
      Node* const restored = copy_members(arena_, match);
      set(arena_, restored, "mountPath", find(mount, "mountPath"));
      mount->content = restored->content;
    }
  }

  Arena& arena_;
  const Node* alpha_;
  const Node* hub_containers_;
  const Node* hub_main_;
  const Node* own_mounts_;
  CacheMount cache_;
  PodTemplate built_;
};

// --- The reverse: data that v1alpha1 cannot express.

// Saves parts of one v1beta1 template that differ from its projection: the containers that
// v1alpha1's fields describe, or null if they need no template.
class TemplateSave {
 public:
  TemplateSave(Arena& arena, const Node* live, const Node* projected, std::string_view sidecar)
      : arena_(arena),
        live_(live),
        live_containers_(containers_of(live)),
        projected_(projected),
        sidecar_(sidecar) {}

  Node* run() {
    const Node* const metadata = special_metadata();
    const bool live_has_main = find_named(live_containers_, kMain) != nullptr;
    const bool lacks_main = !live_has_main && find_named(projected_, kMain) != nullptr;
    const bool is_empty_template = projected_ == nullptr && is_zero(live_);
    has_other_order_ = projected_ != nullptr && has_other_names(live_has_main);
    const bool names_sidecar =
        !sidecar_.empty() && find_named(live_containers_, sidecar_) != nullptr;
    const bool has_other_containers = projected_ == nullptr
                                          ? !is_empty(live_containers_)
                                          : !are_equal(projected_, live_containers_);
    if (metadata == nullptr && !lacks_main && !is_empty_template && !has_other_order_ &&
        !names_sidecar && !has_other_containers) {
      return nullptr;
    }
    Node* const containers = save_containers();
    if (metadata == nullptr && !lacks_main && !is_empty_template && is_empty(containers)) {
      return nullptr;
    }
    PodTemplate saved = empty_pod_template(arena_);
    if (metadata != nullptr) saved.metadata = copy_members(arena_, metadata);
    saved.containers = containers;
    return finish(arena_, saved);
  }

 private:
  // Metadata without labels and annotations, or null if nothing remains.
  Node* special_metadata() {
    const Node* const metadata = find(live_, "metadata");
    if (metadata == nullptr) return nullptr;
    Node* const rest = copy_members(arena_, metadata);
    remove(rest, "annotations");
    remove(rest, "labels");
    return is_zero(rest) ? nullptr : rest;
  }

  bool has_other_names(bool live_has_main) const {
    const Node* other = projected_ == nullptr ? nullptr : projected_->first();
    const auto skip_main = [&other, live_has_main] {
      while (!live_has_main && other != nullptr && name_of(other) == kMain) other = other->next;
    };
    for (const Node* container : children(live_containers_)) {
      skip_main();
      if (other == nullptr || name_of(other) != name_of(container)) return true;
      other = other->next;
    }
    skip_main();
    return other != nullptr;
  }

  Node* save_containers() {
    Node* const saved = arena_.list();
    const NameIndex projected(projected_, "name");
    for (const Node* container : children(live_containers_)) {
      const Node* const counterpart = projected.find(name_of(container));
      bool needs_marker = false;
      Node* const entry = save_container(container, counterpart, needs_marker);
      if (has_other_order_ || needs_marker || !is_empty_container(entry) ||
          (!sidecar_.empty() && name_of(container) == sidecar_)) {
        append(arena_, saved, entry);
      }
    }
    return saved;
  }

  Node* save_container(const Node* container, const Node* counterpart, bool& needs_marker) {
    const bool is_main = name_of(container) == kMain;
    Node* entry = arena_.object(types::kContainer);
    set(arena_, entry, "name", find(container, "name"));
    if (counterpart == nullptr) {
      needs_marker = is_main && is_empty_container(container);
      return is_empty_container(container) ? entry : arena_.share(container);
    }
    if (is_main) {
      needs_marker = is_empty_container(container);
      save_mounts(container, counterpart, entry, needs_marker);
    } else if (!are_equal(container, counterpart)) {
      entry = copy_members(arena_, container);
      for (const std::string_view name : {"image", "args", "env"}) remove(entry, name);
      if (are_equal(find(container, "envFrom"), find(counterpart, "envFrom"))) {
        remove(entry, "envFrom");
      }
    }
    return entry;
  }

  void save_mounts(const Node* container, const Node* counterpart, Node* entry,
                   bool& needs_marker) {
    const Node* const live = find(container, "volumeMounts");
    const Node* const projected = find(counterpart, "volumeMounts");
    const MountIndex live_index(live, "mountPath");
    const MountIndex projected_index(projected, "mountPath");
    Node* const mounts = arena_.list();
    for (const Node* mount : children(live)) {
      const Node* const match = projected_index.find_counterpart(name_of(mount), path_of(mount));
      if (match == nullptr || !are_equal(mount, match)) {
        append(arena_, mounts, mount);
        continue;
      }
      Node* const key = arena_.object(types::kVolumeMount);
      set(arena_, key, "name", find(mount, "name"));
      set(arena_, key, "mountPath", find(mount, "mountPath"));
      append(arena_, mounts, key);
    }
    if (!is_empty(mounts)) set(arena_, entry, "volumeMounts", mounts);
    for (const Node* mount : children(projected)) {
      needs_marker |= live_index.find_counterpart(name_of(mount), path_of(mount)) == nullptr;
    }
  }

  Arena& arena_;
  const Node* live_;
  const Node* live_containers_;
  const Node* projected_;
  std::string_view sidecar_;
  bool has_other_order_ = false;
};

}  // namespace

Node* restore_pod_template(Arena& arena, const Node* alpha, const Node* hub) {
  return TemplateRestore(arena, alpha, hub).run(hub);
}

Node* save_pod_template(Arena& arena, const Node* beta_template, const Node* alpha,
                        std::string_view frontend_sidecar) {
  const Node* const projected =
      needs_pod_template(alpha) ? build_containers(arena, alpha) : nullptr;
  return TemplateSave(arena, beta_template, projected, frontend_sidecar).run();
}

}  // namespace dynamo::conversion
