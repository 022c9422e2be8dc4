// How much is rendered: a pod is made of views that are larger than what a manifest spends on them,
// so that lists without a bound would take memory without one.
#pragma once

#include <cstddef>
#include <optional>

#include "json/document.hpp"
#include "render/origin.hpp"

namespace dynamo::render {

// Containers of a pod, and init containers.
inline constexpr std::size_t kMostContainers = 128;
// Variables, words of a command, arguments; of every other list or map a quarter.
inline constexpr std::size_t kMostEntries = 1024;
// Entries of all of them in all pods of an object; a container counts for several.
inline constexpr std::size_t kMostEntriesOfAll = 8192;
inline constexpr std::size_t kEntriesOfContainer = 8;
// Bytes of the name of a graph and of its namespace, which names of all its pods begin with. The
// API server lets fewer through.
inline constexpr std::size_t kLongestName = 1024;

// A list or map that holds too much.
struct Excess {
  Origin origin = {};
  std::size_t limit = 0;
  std::size_t found = 0;
};

// What is written of one pod.
struct Written {
  json::Value pod = {};         // a PodSpec, perhaps with mainContainer
  json::Value service = {};     // what the component says beside it; absent for a template
  json::Value graph_envs = {};  // spec.envs of the graph
  bool is_template = false;

  // So little is written that no list can be too long: most pods.
  bool surely_fits() const;
  // An upper bound of what measure() counts, without a look at what is inside.
  std::size_t most_entries() const;
};

struct Measured {
  std::size_t entries = 0;                      // so far, where there is an excess
  std::optional<Excess> excess = std::nullopt;  // the first list or map that is too long
};

// Linear in the number of containers, at most 2 * kMostContainers + 1.
Measured measure(const Written& pod);

// The first map or list of what a request says of its profiling job that is too long; its origin is
// of kService.
std::optional<Excess> excess_of_profiling(json::Value profiling);

// Entries of a list, or of a map; 0 of anything else.
inline std::size_t list_size(json::Value value) {
  return value.is_array() ? value.size() : 0;
}
inline std::size_t map_size(json::Value value) {
  return value.is_object() ? value.size() : 0;
}

}  // namespace dynamo::render
