#include <vector>

#include "conversion/component.hpp"
#include "conversion/component_moves.hpp"
#include "conversion/main_container.hpp"
#include "conversion/named_list.hpp"
#include "conversion/pod_template.hpp"
#include "conversion/quantity.hpp"
#include "conversion/restore_component.hpp"
#include "conversion/restore_template.hpp"
#include "conversion/types.hpp"

namespace dynamo::conversion {

namespace {

void set_type(Arena& arena, const Node* beta, Node* alpha) {
  const std::string_view type = text_of(beta, "type");
  const bool is_worker = type == "prefill" || type == "decode";
  set_text(arena, alpha, "componentType", is_worker ? "worker" : type);
  if (is_worker) set_text(arena, alpha, "subComponentType", type);
}

void set_shared_memory(Arena& arena, const Node* beta, Node* alpha) {
  const Node* const size = find(beta, "sharedMemorySize");
  if (size == nullptr) return;
  Node* const memory = arena.object(types::kAlphaSharedMemorySpec);
  if (sign_of_quantity(text_of(size)) == 0) {
    set(arena, memory, "disabled", arena.boolean(true));
  } else {
    set(arena, memory, "size", size);
  }
  set(arena, alpha, "sharedMemory", memory);
}

void set_features(Arena& arena, const Node* beta, Node* alpha) {
  if (find(beta, "scalingAdapter") != nullptr) {
    Node* const adapter = arena.object(types::kAlphaScalingAdapter);
    set(arena, adapter, "enabled", arena.boolean(true));
    set(arena, alpha, "scalingAdapter", adapter);
  }
  const Node* const experimental = find(beta, "experimental");
  set(arena, alpha, "checkpoint", find(experimental, "checkpoint"));
  for (const SwitchedFeature& feature : kSwitchedFeatures) {
    const Node* const own = find(experimental, feature.name);
    if (own == nullptr) continue;
    Node* const copy = arena.object(*alpha->type->find(feature.name)->type);
    set(arena, copy, "enabled", arena.boolean(true));
    apply_moves(arena, own, copy, feature.moves, Version::kV1alpha1);
    set_text(arena, copy, "mode", convert_mode(text_of(own, "mode"), Version::kV1alpha1));
    set(arena, alpha, feature.name, copy);
  }
}

// One pod template, split into the fields of a v1alpha1 component.
class TemplateSplit {
 public:
  TemplateSplit(Arena& arena, const Node* beta, const Node* saved, Node* alpha)
      : arena_(arena), beta_(beta), saved_(saved), alpha_(alpha) {}

  void run() {
    const Node* const pod_template = find(beta_, "podTemplate");
    if (pod_template == nullptr) {
      if (has_saved_sidecar()) set(arena_, alpha_, "frontendSidecar", saved_sidecar());
      return;
    }
    split_metadata(find(pod_template, "metadata"));
    take_main(containers_of(pod_template));
    if (has_saved_sidecar()) split_sidecar();
    if (main_ != nullptr) split_main();
    set_extra_pod_spec(find(pod_template, "spec"));
  }

 private:
  const Node* saved_sidecar() const { return find(saved_, "frontendSidecar"); }
  bool has_saved_sidecar() const {
    return text_of(beta_, "frontendSidecar") == kFrontendSidecar && saved_sidecar() != nullptr;
  }

  void split_metadata(const Node* metadata) {
    Node* const extra = arena_.object(types::kAlphaExtraPodMetadata);
    for (const std::string_view name : {"annotations", "labels"}) {
      const Node* const map = find(metadata, name);
      if (!is_empty(map)) set(arena_, extra, name, map);
    }
    if (!is_empty(extra)) set(arena_, alpha_, "extraPodMetadata", extra);
  }

  // The first container `main`; a second one stays an ordinary container.
  void take_main(const Node* containers) {
    rest_ = arena_.list();
    for (const Node* container : children(containers)) {
      if (main_ == nullptr && name_of(container) == kMain) {
        main_ = copy_members(arena_, container);
      } else {
        append(arena_, rest_, container);
      }
    }
  }

  void split_sidecar() {
    const Node* const container = find_named(rest_, kFrontendSidecar);
    if (container == nullptr) {
      set(arena_, alpha_, "frontendSidecar", saved_sidecar());
      return;
    }
    Node* const sidecar = copy_members(arena_, saved_sidecar());
    set(arena_, sidecar, "image", find(container, "image"));
    set(arena_, sidecar, "args", find(container, "args"));
    set(arena_, sidecar, "envs", find(container, "env"));
    const std::string_view secret = plain_secret_of(find(container, "envFrom"));
    const Node* const saved_secret = find(saved_sidecar(), "envFromSecret");
    if (!secret.empty()) {
      set(arena_, sidecar, "envFromSecret", arena_.string(secret));
    } else if (saved_secret == nullptr || !text_of(saved_secret).empty()) {
      remove(sidecar, "envFromSecret");
    }
    set(arena_, alpha_, "frontendSidecar", sidecar);
    Node* const others = arena_.list();
    for (const Node* other : children(rest_)) {
      if (name_of(other) != kFrontendSidecar) append(arena_, others, other);
    }
    rest_ = others;
  }

  void split_main() {
    const Node* const resources = to_alpha_resources(arena_, find(main_, "resources"));
    if (resources != nullptr) {
      set(arena_, alpha_, "resources", resources);
      remove(main_, "resources");
    }
    split_mounts();
    set(arena_, alpha_, "envs", find(main_, "env"));
    remove(main_, "env");
    for (const std::string_view probe : {"livenessProbe", "readinessProbe"}) {
      set(arena_, alpha_, probe, find(main_, probe));
      remove(main_, probe);
    }
  }

  void split_mounts() {
    const Node* const mounts = find(main_, "volumeMounts");
    if (is_empty(mounts)) return;
    const Node* const cache = find(alpha_, "volumeMounts");
    Node* const flat = cache == nullptr ? arena_.list() : copy_members(arena_, cache);
    std::vector<MountKey> keys;
    for (const Node* mount : children(cache)) {
      keys.push_back({name_of(mount), text_of(mount, "mountPoint")});
    }
    std::size_t position = keys.size();
    for (const Node* mount : children(mounts)) {
      keys.push_back({name_of(mount), text_of(mount, "mountPath")});
    }
    const std::vector<bool> is_first = find_first_mounts(keys);
    for (const Node* mount : children(mounts)) {
      if (is_first[position++]) append(arena_, flat, to_flat_mount(arena_, mount));
    }
    set(arena_, alpha_, "volumeMounts", flat);
    remove(main_, "volumeMounts");
  }

  void set_extra_pod_spec(const Node* spec) {
    Node* const extra = arena_.object(types::kAlphaExtraPodSpec);
    for (const Node* member : children(spec)) {
      if (member->field->name != "containers") set(arena_, extra, member->field->name, member);
    }
    if (!is_empty(rest_)) set(arena_, extra, "containers", rest_);
    if (is_zero(extra)) extra->content.children = {nullptr, nullptr, 0};
    if (main_ != nullptr && !is_empty_container(main_)) {
      remove(main_, "name");
      set(arena_, extra, "mainContainer", main_);
    }
    if (!is_empty(extra)) set(arena_, alpha_, "extraPodSpec", extra);
  }

  Arena& arena_;
  const Node* beta_;
  const Node* saved_;
  Node* alpha_;
  Node* main_ = nullptr;
  Node* rest_ = nullptr;
};

void set_cache_mount(Arena& arena, const Node* beta, Node* alpha) {
  const Node* const cache = find(beta, "compilationCache");
  if (cache == nullptr) return;
  Node* const mount = arena.object(types::kAlphaVolumeMount);
  set_text(arena, mount, "name", text_of(cache, "pvcName"));
  set_text(arena, mount, "mountPoint", text_of(cache, "mountPath"));
  set(arena, mount, "useAsCompilationCache", arena.boolean(true));
  Node* const mounts = arena.list();
  append(arena, mounts, mount);
  set(arena, alpha, "volumeMounts", mounts);
}

}  // namespace

void convert_component_to_alpha(Arena& arena, const Node* beta, const Node* saved, Node* alpha) {
  set_type(arena, beta, alpha);
  apply_moves(arena, beta, alpha, kComponentMoves, Version::kV1alpha1);
  set_shared_memory(arena, beta, alpha);
  set_features(arena, beta, alpha);
  set_cache_mount(arena, beta, alpha);
  TemplateSplit(arena, beta, saved, alpha).run();
  if (saved != nullptr) restore_alpha_component(arena, beta, *saved, alpha);
  prune_extra_pod_spec(arena, saved, alpha);
}

void save_beta_component(Arena& arena, const Node* beta, const Node* alpha, Node* save) {
  const Node* const sidecar = find(beta, "frontendSidecar");
  if (sidecar != nullptr && find(alpha, "frontendSidecar") == nullptr) {
    set(arena, save, "frontendSidecar", sidecar);
  }
  const Node* const pod_template = find(beta, "podTemplate");
  if (pod_template != nullptr) {
    set(arena, save, "podTemplate",
        save_pod_template(arena, pod_template, alpha, text_of(save, "frontendSidecar")));
  }
  const Node* const experimental = find(beta, "experimental");
  if (is_hub_only_experimental(experimental)) {
    set(arena, save, "experimental", experimental);
  } else if (find(experimental, "grove") != nullptr) {
    Node* const block = arena.object(types::kBetaExperimentalSpec);
    set(arena, block, "grove", find(experimental, "grove"));
    set(arena, save, "experimental", block);
  }
}

}  // namespace dynamo::conversion
