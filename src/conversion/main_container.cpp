#include "conversion/main_container.hpp"

#include <algorithm>
#include <vector>

#include "conversion/named_list.hpp"
#include "conversion/quantity.hpp"
#include "conversion/types.hpp"

namespace dynamo::conversion {

namespace {

constexpr std::string_view kGpu = "nvidia.com/gpu";

// A quantity of a resource list, or null if the text is none.
Node* to_quantity(Arena& arena, std::string_view text) {
  if (text.empty()) return nullptr;
  char buffer[kMaxQuantity];
  const auto canonical = canonical_quantity(text, buffer);
  if (!canonical) return nullptr;
  const bool is_lasting = canonical->data() != buffer;
  return arena.string(is_lasting ? *canonical : arena.own(*canonical), Shape::kQuantity);
}

void set_quantity(Arena& arena, Node* list, std::string_view name, std::string_view text) {
  Node* const quantity = to_quantity(arena, text);
  if (quantity != nullptr) set_in_map(arena, list, name, quantity);
}

Node* to_native_list(Arena& arena, const Node* item) {
  Node* const list = arena.map();
  set_quantity(arena, list, "cpu", text_of(item, "cpu"));
  set_quantity(arena, list, "memory", text_of(item, "memory"));
  const std::string_view type = text_of(item, "gpuType");
  set_quantity(arena, list, type.empty() ? kGpu : type, text_of(item, "gpu"));
  // Custom names replace those three; among themselves they are unique.
  Node* const others = arena.map();
  for (const Node* custom : children(find(item, "custom"))) {
    Node* const quantity = to_quantity(arena, text_of(custom));
    if (quantity == nullptr) continue;
    if (find(list, custom->key) != nullptr) {
      set_in_map(arena, list, custom->key, quantity);
    } else {
      append(arena, others, custom->key, quantity);
    }
  }
  for (const Node* other : children(others)) append(arena, list, other->key, other);
  return is_empty(list) ? nullptr : list;
}

Node* to_alpha_item(Arena& arena, const Node* list) {
  if (is_empty(list)) return nullptr;
  Node* const item = arena.object(types::kAlphaResourceItem);
  Node* const custom = arena.map();
  for (const Node* quantity : children(list)) {
    Node* const text = arena.string(quantity->text());
    if (quantity->key == "cpu" || quantity->key == "memory") {
      set(arena, item, quantity->key, text);
    } else if (quantity->key == kGpu) {
      set(arena, item, "gpu", text);
    } else {
      append(arena, custom, quantity->key, text);
    }
  }
  if (!is_empty(custom)) set(arena, item, "custom", custom);
  return item;
}

}  // namespace

Node* to_native_resources(Arena& arena, const Node* resources) {
  Node* const native = arena.object(types::kResourceRequirements);
  if (resources != nullptr) {
    set(arena, native, "limits", to_native_list(arena, find(resources, "limits")));
    set(arena, native, "requests", to_native_list(arena, find(resources, "requests")));
    const Node* const claims = find(resources, "claims");
    if (!is_empty(claims)) set(arena, native, "claims", claims);
  }
  return is_empty(native) ? nullptr : native;
}

Node* to_alpha_resources(Arena& arena, const Node* native) {
  Node* const resources = arena.object(types::kAlphaResources);
  set(arena, resources, "limits", to_alpha_item(arena, find(native, "limits")));
  set(arena, resources, "requests", to_alpha_item(arena, find(native, "requests")));
  const Node* const claims = find(native, "claims");
  if (!is_empty(claims)) set(arena, resources, "claims", claims);
  return is_empty(resources) ? nullptr : resources;
}

namespace {

bool is_canonical(std::string_view text) {
  char buffer[kMaxQuantity];
  const auto canonical = canonical_quantity(text, buffer);
  return canonical && *canonical == text;
}

// Whether limits or requests differ from what conversion there and back returns.
bool is_special_item(const Node* item) {
  if (item == nullptr) return false;
  if (is_empty(item) || find(item, "gpuType") != nullptr) return true;
  for (const Node* member : children(item)) {
    if (member->kind == NodeKind::kString && !is_canonical(member->text())) return true;
  }
  const Node* const custom = find(item, "custom");
  if (custom == nullptr) return false;
  return is_empty(custom) || std::ranges::any_of(children(custom), [](const Node* entry) {
           return entry->key == "cpu" || entry->key == "memory" || entry->key == kGpu ||
                  !is_canonical(text_of(entry));
         });
}

}  // namespace

bool has_special_resources(const Node* resources) {
  if (resources == nullptr) return false;
  const Node* const claims = find(resources, "claims");
  return is_empty(resources) || (claims != nullptr && is_empty(claims)) ||
         is_special_item(find(resources, "limits")) || is_special_item(find(resources, "requests"));
}

namespace {

const Node* merge_scalars(Arena& arena, const Node* base, const Node* change) {
  const bool is_text = change->kind == NodeKind::kString;
  if (change->shape == Shape::kPort || base->shape == Shape::kPort) {
    // Go's struct holds type, integer and text, which merge one by one.
    const auto integer_of = [](const Node* port) {
      return port->kind == NodeKind::kString ? port->hidden_integer
                                             : static_cast<std::int32_t>(port->content.integer);
    };
    const std::int32_t number = integer_of(change) != 0 ? integer_of(change) : integer_of(base);
    if (!is_text && base->kind != NodeKind::kString) return arena.integer(number);
    const std::string_view text = text_of(change).empty() ? text_of(base) : text_of(change);
    Node* const merged = arena.string(text, Shape::kPort);
    merged->hidden_integer = number;
    return merged;
  }
  const bool is_zero = is_text                             ? change->text().empty()
                       : change->kind == NodeKind::kNumber ? change->content.number == 0
                       : change->kind == NodeKind::kBoolean || change->kind == NodeKind::kInteger
                           ? change->content.integer == 0
                           : false;
  return is_zero ? base : change;
}

const Node* merge_maps(Arena& arena, const Node* base, const Node* change) {
  Node* const merged = copy_members(arena, base);
  const KeyIndex present(merged);
  Node* const added = arena.map();
  for (const Node* entry : children(change)) {
    if (Node* const same = present.find(entry->key); same != nullptr) {
      same->content = entry->content;
    } else {
      append(arena, added, entry->key, entry);
    }
  }
  for (const Node* entry : children(added)) append(arena, merged, entry->key, entry);
  return merged;
}

}  // namespace

const Node* merge(Arena& arena, const Node* base, const Node* change) {
  if (change == nullptr) return base;
  if (base == nullptr) return change;
  switch (change->kind) {
    case NodeKind::kList:
      return is_empty(change) ? base : change;
    case NodeKind::kMap:
      return merge_maps(arena, base, change);
    case NodeKind::kObject: {
      Node* const merged = copy_members(arena, base);
      for (const Node* member : children(change)) {
        set(arena, merged, member->field->name,
            merge(arena, find(base, member->field->name), member));
      }
      return merged;
    }
    default:
      return merge_scalars(arena, base, change);
  }
}

namespace {

// Replaces entries of `base` by name, and adds the others of `change`.
const Node* merge_env(Arena& arena, const Node* base, const Node* change) {
  if (is_empty(change)) return base;
  if (is_empty(base)) base = nullptr;
  // Sorted by name, so that long lists take n log n steps.
  struct Entry {
    std::string_view name;
    std::size_t position;
  };
  std::vector<const Node*> merged;
  std::vector<Entry> places;
  const auto by_name = [](const Entry& one, const Entry& other) {
    return one.name != other.name ? one.name < other.name : one.position < other.position;
  };
  for (const Node* entry : children(base)) {
    places.push_back({name_of(entry), merged.size()});
    merged.push_back(entry);
  }
  std::ranges::sort(places, by_name);
  std::vector<Entry> added;
  for (const Node* entry : children(change)) {
    const std::string_view name = name_of(entry);
    const auto after = std::ranges::upper_bound(places, name, {}, &Entry::name);
    if (after != places.begin() && std::prev(after)->name == name) {
      merged[std::prev(after)->position] = entry;
    } else {
      added.push_back({name, merged.size()});
      merged.push_back(entry);
    }
  }
  // Of equal new names only the last value counts, at the place of the first.
  std::ranges::sort(added, by_name);
  for (std::size_t i = 1, first = 0; i < added.size(); ++i) {
    if (added[i].name != added[first].name) {
      first = i;
      continue;
    }
    merged[added[first].position] = merged[added[i].position];
    merged[added[i].position] = nullptr;
  }
  Node* const list = arena.list();
  for (const Node* entry : merged) {
    if (entry != nullptr) append(arena, list, entry);
  }
  return list;
}

const Node* merge_mounts(Arena& arena, const Node* flat_mounts, const Node* own) {
  Node* const mounts = arena.list();
  for (const Node* mount : children(own)) append(arena, mounts, mount);
  for (const Node* flat : children(flat_mounts)) {
    append(arena, mounts, to_volume_mount(arena, flat));
  }
  return is_empty(mounts) ? nullptr : mounts;
}

}  // namespace

namespace {

const Node* combine_resources(Arena& arena, const Node* dedicated, const Node* own) {
  const Node* const resources = merge(arena, to_native_resources(arena, dedicated), own);
  return is_zero(resources) ? nullptr : resources;
}

const Node* combine_env_from(Arena& arena, const Node* dedicated, const Node* own) {
  if (!is_empty(own)) return own;
  const std::string_view secret = text_of(dedicated);
  return secret.empty() ? nullptr : secret_env_from(arena, secret);
}

}  // namespace

const SharedMember kSharedResources{"resources", "resources", combine_resources};
const SharedMember kSharedEnv{"envs", "env", merge_env};
const SharedMember kSharedEnvFrom{"envFromSecret", "envFrom", combine_env_from};
const SharedMember kSharedLivenessProbe{"livenessProbe", "livenessProbe", merge};
const SharedMember kSharedReadinessProbe{"readinessProbe", "readinessProbe", merge};
const SharedMember kSharedMounts{"volumeMounts", "volumeMounts", merge_mounts};

Node* build_main_container(Arena& arena, const Node* component) {
  const Node* const own = find(component, "extraPodSpec", "mainContainer");
  Node* const main = arena.object(types::kContainer);
  set(arena, main, "name", arena.string(kMain));
  for (const Node* member : children(own)) {
    if (!are_same_name(member->field->name, "name")) link_last(main, arena.share(member));
  }
  for (const SharedMember* const member :
       {&kSharedResources, &kSharedEnv, &kSharedEnvFrom, &kSharedLivenessProbe,
        &kSharedReadinessProbe, &kSharedMounts}) {
    const Node* const dedicated = find(component, member->dedicated);
    set(arena, main, member->own, member->combine(arena, dedicated, find(own, member->own)));
  }
  return main;
}

Node* to_volume_mount(Arena& arena, const Node* flat_mount) {
  Node* const mount = arena.object(types::kVolumeMount);
  set_text(arena, mount, "name", text_of(flat_mount, "name"));
  set_text(arena, mount, "mountPath", text_of(flat_mount, "mountPoint"));
  return mount;
}

Node* to_flat_mount(Arena& arena, const Node* mount) {
  Node* const flat = arena.object(types::kAlphaVolumeMount);
  set_text(arena, flat, "name", name_of(mount));
  set_text(arena, flat, "mountPoint", text_of(mount, "mountPath"));
  return flat;
}

Node* secret_env_from(Arena& arena, std::string_view secret) {
  Node* const reference = arena.object(types::kSecretEnvSource);
  set_text(arena, reference, "name", secret);
  Node* const source = arena.object(types::kEnvFromSource);
  set(arena, source, "secretRef", reference);
  Node* const list = arena.list();
  append(arena, list, source);
  return list;
}

std::string_view plain_secret_of(const Node* env_from) {
  if (count_children(env_from) != 1) return {};
  const Node* const source = env_from->first();
  if (!text_of(source, "prefix").empty() || find(source, "configMapRef") != nullptr) return {};
  return text_of(find(source, "secretRef"), "name");
}

namespace {

// Whether all members but one are zero.
bool is_zero_except(const Node* object, std::string_view name) {
  for (const Node* member : children(object)) {
    if (are_same_name(member->field->name, name)) continue;
    const bool is_nil = member->kind == NodeKind::kList || member->kind == NodeKind::kMap
                            ? is_empty(member)
                            : member->field->is_by_value() && is_zero(member);
    if (!is_nil) return false;
  }
  return true;
}

}  // namespace

bool is_empty_container(const Node* container) {
  return is_zero_except(container, "name");
}

bool is_empty_extra_pod_spec(const Node* extra) {
  return is_zero_except(extra, "mainContainer") && is_empty_container(find(extra, "mainContainer"));
}

bool is_name_only_extra_pod_spec(const Node* extra) {
  return extra != nullptr && is_empty_extra_pod_spec(extra) &&
         !text_of(find(extra, "mainContainer"), "name").empty();
}

Node* find_mount(const Node* mounts, std::string_view name, std::string_view path) {
  for (Node* mount : children(mounts)) {
    if (name_of(mount) == name && text_of(mount, "mountPath") == path) return mount;
  }
  return nullptr;
}

Node* find_named(const Node* list, std::string_view name) {
  for (Node* element : children(list)) {
    if (name_of(element) == name) return element;
  }
  return nullptr;
}

Node* find_cache_mount(const Node* flat_mounts) {
  for (Node* mount : children(flat_mounts)) {
    if (is_true(find(mount, "useAsCompilationCache"))) return mount;
  }
  return nullptr;
}

}  // namespace dynamo::conversion
