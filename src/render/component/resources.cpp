#include "render/component/resources.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>

#include "render/document/limits.hpp"
#include "render/document/overlay.hpp"
#include "render/document/well_known.hpp"

namespace dynamo::render {
namespace {

struct Entry {
  std::string_view name = {};
  json::Value value = {};
  Origin origin = {};
  bool limit = false;
  std::uint32_t rank = 0;  // the highest wins
};

class Collector {
 public:
  Collector(std::size_t capacity, Arena& arena) : list_(arena, capacity) {}

  void map(json::Value quantities, const Origin& origin, bool limit) {
    for (const auto [name, value] : quantities.members()) {
      add(name, value, origin.at_key(name), limit);
    }
  }
  void named(std::string_view name, json::Value value, const Origin& origin, bool limit) {
    if (!is_empty(value)) add(name, value, origin, limit);
  }

  // Merges the entries of each name.
  std::span<const Resource> merged(Arena& arena) const {
    const std::span<Entry> entries = list_.items();
    std::sort(entries.begin(), entries.end(), [](const Entry& left, const Entry& right) {
      const int order = left.name.compare(right.name);
      return order != 0 ? order < 0 : left.rank < right.rank;
    });
    ArenaList<Resource> resources(arena, entries.size());
    for (const Entry& entry : entries) {
      const bool same = resources.size() > 0 && resources.items().back().name == entry.name;
      Resource& resource = same ? resources.items().back() : resources.push({.name = entry.name});
      json::Value& amount = entry.limit ? resource.limit : resource.request;
      resource.given_twice = resource.given_twice || amount.exists();
      amount = entry.value;
      (entry.limit ? resource.limit_origin : resource.request_origin) = entry.origin;
    }
    return resources.items();
  }

 private:
  void add(std::string_view name, json::Value value, const Origin& origin, bool limit) {
    list_.push({name, value, origin, limit, static_cast<std::uint32_t>(list_.size())});
  }
  ArenaList<Entry> list_;
};

void add_claims(json::Value claims, const Origin& origin, ArenaList<ResourceClaim>& out) {
  std::size_t index = 0;
  for (const json::Value claim : claims.elements()) {
    const std::size_t at = index++;
    // The type rule reports another type.
    if (claim.is_object()) out.push({claim["name"].string_or_empty(), claim, origin.at(at)});
  }
}

// The amount of the first GPU by name: its limit, otherwise its request.
json::Value gpu_amount(json::Value resources) {
  for (const std::string_view side : {"limits", "requests"}) {
    json::Member first{};
    for (const json::Member amount : resources[side].members()) {
      if (!is_gpu_name(amount.name)) continue;
      if (first.name.empty() || amount.name < first.name) first = amount;
    }
    if (!first.name.empty()) return first.value;
  }
  return {};
}

Origin deeper(const Origin& origin, std::string_view field) {
  Origin copy = origin;
  copy.field = field;
  return copy;
}

}  // namespace

bool is_gpu_name(std::string_view name) {
  return name == "gpu" || name.ends_with("/gpu") || name.starts_with("gpu.") ||
         name.find("/mig-") != std::string_view::npos;
}

const Resource* Resources::find(std::string_view name) const {
  const auto found = std::find_if(items.begin(), items.end(),
                                  [&](const Resource& item) { return item.name == name; });
  return found == items.end() ? nullptr : &*found;
}

Resources main_resources(const Component& component, Arena& arena) {
  const json::Value main = component.main_container()["resources"];
  const json::Value own = component.service.value()["resources"];
  const json::Value limits = own["limits"];
  const json::Value requests = own["requests"];
  constexpr std::size_t kNative = 5;  // cpu and memory twice, gpu once
  Collector collector(kNative + map_size(main["limits"]) + map_size(main["requests"]) +
                          map_size(limits["custom"]) + map_size(requests["custom"]),
                      arena);
  collector.map(main["limits"], origin_in(Block::kMainContainer, "resources.limits"), true);
  collector.map(main["requests"], origin_in(Block::kMainContainer, "resources.requests"), false);
  const auto own_field = [](std::string_view field) { return origin_in(Block::kService, field); };
  collector.named("cpu", limits["cpu"], own_field("resources.limits.cpu"), true);
  collector.named("memory", limits["memory"], own_field("resources.limits.memory"), true);
  const std::string_view gpu_type = limits["gpuType"].string_or_empty();
  collector.named(gpu_type.empty() ? kDefaultGpu : gpu_type, limits["gpu"],
                  own_field("resources.limits.gpu"), true);
  collector.map(limits["custom"], own_field("resources.limits.custom"), true);
  collector.named("cpu", requests["cpu"], own_field("resources.requests.cpu"), false);
  collector.named("memory", requests["memory"], own_field("resources.requests.memory"), false);
  collector.map(requests["custom"], own_field("resources.requests.custom"), false);

  ArenaList<ResourceClaim> claims(arena, list_size(main["claims"]) + list_size(own["claims"]));
  add_claims(main["claims"], origin_in(Block::kMainContainer, "resources.claims"), claims);
  add_claims(own["claims"], own_field("resources.claims"), claims);
  return {collector.merged(arena), claims.items()};
}

Resources plain_resources(json::Value resources, const Origin& origin, Arena& arena) {
  if (!resources.is_object()) return {};
  const json::Value limits = resources["limits"];
  const json::Value requests = resources["requests"];
  Collector collector(map_size(limits) + map_size(requests), arena);
  collector.map(limits, deeper(origin, "resources.limits"), true);
  collector.map(requests, deeper(origin, "resources.requests"), false);
  ArenaList<ResourceClaim> claims(arena, list_size(resources["claims"]));
  add_claims(resources["claims"], deeper(origin, "resources.claims"), claims);
  return {collector.merged(arena), claims.items()};
}

std::int64_t counted_gpus(const Component& component) {
  const json::Value amount = component.reads_hub
                                 ? gpu_amount(component.main_container()["resources"])
                                 : component.service.value()["resources"]["limits"]["gpu"];
  if (component.reads_hub && amount.integer()) return std::max<std::int64_t>(*amount.integer(), 0);
  const std::string_view text = amount.string_or_empty();
  std::int64_t count = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), count);
  const bool whole = read.ec == std::errc{} && read.ptr == text.data() + text.size();
  return whole && count > 0 ? count : 0;
}

}  // namespace dynamo::render
