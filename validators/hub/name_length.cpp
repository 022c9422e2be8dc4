#include "validators/hub/name_length.hpp"

#include <algorithm>
#include <cstdint>

#include "validators/hub/view.hpp"

namespace dynamo::validators::hub {
namespace {

constexpr std::size_t kHashSuffix = 5;  // "-" and four hexadecimal digits

// The characters that the longest clique of a scaling group adds to the component's name.
std::size_t longest_role(json::Value component) {
  constexpr std::size_t kGpuMemory = std::string_view("-gms-").size();
  const bool has_server = is_inter_pod(gpu_memory_of(component));
  if (!is_multinode(component)) return has_server ? kGpuMemory + 1 : 0;
  if (!has_server) return std::string_view("-ldr").size();
  return kGpuMemory + std::to_string(node_count(component) - 1).size();
}

// The last four hexadecimal digits of 32-bit FNV-1a.
std::string short_hash(std::string_view text) {
  constexpr std::uint32_t kStart = 2166136261U;
  constexpr std::uint32_t kPrime = 16777619U;
  constexpr std::string_view kHex = "0123456789abcdef";
  constexpr std::size_t kCount = 4;
  std::uint32_t hash = kStart;
  for (const char byte : text) {
    hash = (hash ^ static_cast<unsigned char>(byte)) * kPrime;
  }
  std::string digits(kCount, '0');
  for (std::size_t at = kCount; at-- > 0; hash >>= 4U) digits[at] = kHex[hash & 0xFU];
  return digits;
}

}  // namespace

std::size_t name_budget(json::Value component) {
  const std::size_t name = component["name"].string_or_empty().size();
  return renders_scaling_group(component) ? 2 * name + longest_role(component) : name;
}

std::string pod_clique_set_name(std::string_view graph, json::Value components) {
  constexpr std::size_t kShortest = 8;
  std::size_t largest = 0;
  for (const json::Value component : components.elements()) {
    largest = std::max(largest, name_budget(component));
  }
  const std::size_t most =
      std::max(kShortest, kLongestGroveName - std::min(kLongestGroveName, largest));
  if (graph.size() <= most) return std::string(graph);
  std::string name(graph.substr(0, most - kHashSuffix));
  return name.append("-").append(short_hash(graph));
}

}  // namespace dynamo::validators::hub
