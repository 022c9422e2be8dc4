#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "conversion/request_parts.hpp"
#include "conversion/types.hpp"

namespace dynamo::conversion {

namespace {

// A number of `sla` in the config, and its place in v1beta1.
struct Target {
  std::string_view name;
  bool is_workload;  // `workload`, as an integer; otherwise `sla`
};
constexpr std::array<Target, 4> kNumbers{
    {{"ttft", false}, {"itl", false}, {"isl", true}, {"osl", true}}};
constexpr std::string_view kOptimization = "optimizationType";

struct CacheField {
  std::string_view config;
  std::string_view beta;
};
constexpr std::array<CacheField, 3> kCacheFields{
    {{"pvcName", "pvcName"}, {"modelPathInPvc", "pvcModelPath"}, {"pvcMountPath", "pvcMountPath"}}};

bool is_number(const json::Value value) {
  return value.is(json::Type::kInteger) || value.is(json::Type::kNumber);
}

bool is_optimization(json::Value value) {
  return value.string() == "latency" || value.string() == "throughput";
}

bool has_members(json::Value value) {
  return value.is_object() && value.size() > 0;
}

json::Value value_of(const Node* opaque) {
  return opaque == nullptr || opaque->kind != NodeKind::kOpaque
             ? json::Value{}
             : json::Value{opaque->content.opaque};
}

// As Go converts on amd64: towards zero, and out of range to the smallest integer.
std::int64_t to_int32(double number) {
  constexpr std::int64_t kLeast = std::numeric_limits<std::int32_t>::min();
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  const double truncated = std::trunc(number);
  const bool fits =
      truncated >= static_cast<double>(kLeast) && truncated <= static_cast<double>(kMost);
  return fits ? static_cast<std::int64_t>(truncated) : kLeast;
}

// JSON as a tree that can be changed. Numbers are binary64, as in Go's generic JSON.
Node* to_tree(Arena& arena, json::Value value) {
  constexpr std::int64_t kMaxExact = std::int64_t{1} << 53;
  if (value.is_object()) {
    Node* const map = arena.map();
    map->shape = Shape::kOpaque;
    for (const json::Member member : value.members()) {
      append(arena, map, member.name, to_tree(arena, member.value));
    }
    return map;
  }
  if (value.is_array()) {
    Node* const list = arena.list();
    list->shape = Shape::kOpaque;
    for (const json::Value element : value.elements()) {
      append(arena, list, to_tree(arena, element));
    }
    return list;
  }
  if (value.is(json::Type::kInteger)) {
    const std::int64_t integer = value.node()->integer;
    return integer >= -kMaxExact && integer <= kMaxExact
               ? arena.integer(integer)
               : arena.number(static_cast<double>(integer));
  }
  return arena.opaque(value);
}

void project_sla(Arena& arena, json::Value sla, Node* beta) {
  Node* const typed = arena.object(types::kBetaSLASpec);
  Node* const workload = arena.object(types::kBetaWorkloadSpec);
  for (const Target& target : kNumbers) {
    if (!is_number(sla[target.name])) continue;
    const double number = *sla[target.name].number();
    if (target.is_workload) {
      set(arena, workload, target.name, arena.integer(to_int32(number)));
    } else {
      set(arena, typed, target.name, arena.number(number));
    }
  }
  if (is_optimization(sla[kOptimization])) {
    set(arena, typed, kOptimization, arena.string(sla[kOptimization].string_or_empty()));
  }
  set(arena, beta, "sla", typed);
  if (!is_empty(workload)) set(arena, beta, "workload", workload);
}

void project_model_cache(Arena& arena, json::Value cache, Node* beta) {
  Node* const typed = arena.object(types::kBetaModelCacheSpec);
  for (const CacheField& field : kCacheFields) {
    set_text(arena, typed, field.beta, cache[field.config].string_or_empty());
  }
  set(arena, beta, "modelCache", typed);
}

// Removes members of an object in `tree`; returns whether the object became empty by that.
template <typename Predicate>
bool strip(Node* object, Predicate should_remove) {
  bool has_removed = false;
  for (Node* child = object->first(); child != nullptr;) {
    Node* const next = child->next;
    if (should_remove(child)) {
      remove(object, child->key);
      has_removed = true;
    }
    child = next;
  }
  return has_removed && is_empty(object);
}

bool is_projected_cache_field(json::Value cache, std::string_view name) {
  for (const CacheField& field : kCacheFields) {
    if (field.config == name) return !cache[name].string_or_empty().empty();
  }
  return false;
}

bool is_projected_sla_field(json::Value sla, std::string_view name) {
  for (const Target& target : kNumbers) {
    if (target.name == name) return is_number(sla[name]);
  }
  return name == kOptimization && is_optimization(sla[name]);
}

}  // namespace

bool is_json_object(const Node* opaque) {
  return value_of(opaque).is_object();
}

void project_config(Arena& arena, const Node* config, Node* beta) {
  const json::Value value = value_of(config);
  if (value["sla"].is_object()) project_sla(arena, value["sla"], beta);
  const json::Value cache = value["deployment"]["modelCache"];
  if (cache.is_object()) project_model_cache(arena, cache, beta);
  if (has_members(value["planner"])) {
    Node* const features = member_to_change(arena, beta, "features");
    set(arena, features, "planner", arena.opaque(value["planner"]));
  }
}

Node* config_remainder(Arena& arena, const Node* config) {
  if (!is_json_object(config)) return nullptr;
  const json::Value value = value_of(config);
  Node* const tree = to_tree(arena, value);
  const bool is_spent = strip(tree, [value](Node* member) {
    if (member->key == "planner") return has_members(value["planner"]);
    if (member->kind != NodeKind::kMap) return false;
    if (member->key == "sla") {
      return strip(member, [value](const Node* field) {
        return is_projected_sla_field(value["sla"], field->key);
      });
    }
    if (member->key != "deployment") return false;
    return strip(member, [value](Node* part) {
      return part->key == "modelCache" && part->kind == NodeKind::kMap &&
             strip(part, [value](const Node* field) {
               return is_projected_cache_field(value["deployment"]["modelCache"], field->key);
             });
    });
  });
  return is_spent ? nullptr : tree;
}

namespace {

// The object member of a map, created if it is absent or no object.
Node* object_in_map(Arena& arena, Node* map, std::string_view key) {
  Node* const present = find(map, key);
  if (present != nullptr && present->kind == NodeKind::kMap) return present;
  Node* const created = arena.map();
  created->shape = Shape::kOpaque;
  set_in_map(arena, map, key, created);
  return find(map, key);
}

bool write_sla(Arena& arena, const Node* beta, Node* config) {
  bool has_written = false;
  const auto write = [&](std::string_view name, const Node* value) {
    if (value == nullptr) return;
    set_in_map(arena, object_in_map(arena, config, "sla"), name, value);
    has_written = true;
  };
  for (const Target& target : kNumbers) {
    write(target.name, find(beta, target.is_workload ? "workload" : "sla", target.name));
  }
  write(kOptimization, find(beta, "sla", kOptimization));
  return has_written;
}

bool write_model_cache(Arena& arena, const Node* beta, Node* config) {
  const Node* const cache = find(beta, "modelCache");
  if (is_empty(cache)) return false;
  Node* const members = arena.map();
  members->shape = Shape::kOpaque;
  for (const CacheField& field : kCacheFields) {
    const Node* const value = find(cache, field.beta);
    if (value != nullptr) set_in_map(arena, members, field.config, value);
  }
  set_in_map(arena, object_in_map(arena, config, "deployment"), "modelCache", members);
  return true;
}

bool write_planner(Arena& arena, const Node* beta, Node* config) {
  const Node* const planner = find(beta, "features", "planner");
  if (!has_members(value_of(planner))) return false;
  set_in_map(arena, config, "planner", to_tree(arena, value_of(planner)));
  return true;
}

}  // namespace

Node* build_config(Arena& arena, const Node* beta, const Node* saved) {
  Node* const remainder = config_remainder(arena, saved);
  Node* config = remainder;
  if (config == nullptr) {
    config = arena.map();
    config->shape = Shape::kOpaque;
  }
  bool has_written = write_sla(arena, beta, config);
  has_written |= write_model_cache(arena, beta, config);
  has_written |= write_planner(arena, beta, config);
  return remainder != nullptr || has_written ? config : nullptr;
}

}  // namespace dynamo::conversion
