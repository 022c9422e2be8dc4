// Limits on rendering. A rendered pod takes more memory than its manifest, so unlimited lists would
// need unlimited memory.
#pragma once

#include <cstddef>
#include <optional>

#include "json/document.hpp"
#include "render/document/origin.hpp"

namespace dynamo::render {

// The limit on a pod's containers, and on its init containers.
inline constexpr std::size_t kMaxContainers = 128;
// The limit on variables, command words and arguments; every other list or map has a quarter of it.
inline constexpr std::size_t kMaxEntries = 1024;
// The limit on all entries in all pods of an object; a container counts as several entries.
inline constexpr std::size_t kMaxEntriesOfAll = 8192;
inline constexpr std::size_t kEntriesOfContainer = 8;
// The limit in bytes on the names of a graph and of its namespace, with which the names of all its
// pods begin. The API server's own limit is lower.
inline constexpr std::size_t kLongestName = 1024;

// A list or map that exceeds its limit.
struct Excess {
  Origin origin = {};
  std::size_t limit = 0;
  std::size_t found = 0;
};

// The source of one pod: what the user wrote.
struct PodSource {
  json::Value pod = {};         // a PodSpec, optionally with mainContainer
  json::Value service = {};     // the component's other fields; absent for a template
  json::Value graph_envs = {};  // spec.envs of the graph
  bool is_template = false;

  // Whether the pod has so few JSON nodes that no list can be too long. True for most pods.
  bool surely_fits() const;
  // An upper bound of the count of measure(), computed without reading the content.
  std::size_t most_entries() const;
};

struct PodSize {
  std::size_t entries = 0;                      // so far, if there is an excess
  std::optional<Excess> excess = std::nullopt;  // the first list or map that is too long
};

// Linear in the number of containers, of which it reads at most 2 * kMaxContainers + 1.
PodSize measure(const PodSource& pod);

// The first map or list of a request's profiling job that is too long; its origin has kService.
std::optional<Excess> excess_of_profiling(json::Value profiling);

// The entries of a list or of a map; 0 for other values.
inline std::size_t list_size(json::Value value) {
  return value.is_array() ? value.size() : 0;
}
inline std::size_t map_size(json::Value value) {
  return value.is_object() ? value.size() : 0;
}

}  // namespace dynamo::render
