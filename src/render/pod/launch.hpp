// How the engine of a multinode service is started: how the operator changes the command lines of
// leader and workers so that the nodes find each other.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "render/component/component.hpp"
#include "render/document/arena.hpp"
#include "render/pod/backend.hpp"
#include "render/pod/container.hpp"

namespace dynamo::render {

// The sizes of vLLM: for each flag, the first value that is a whole number. The value may be below
// 1. Default: 1.
struct ParallelSizes {
  std::int64_t tensor = 1;
  std::int64_t pipeline = 1;
  std::int64_t data = 1;
  bool data_given = false;  // the flag is present, with any value

  // The GPUs of one replica of the model, at most the largest integer; 0 if a size is not positive.
  std::int64_t world() const;
};
// Reads sizes like first-generation operators: long flags in args, the number as the next word.
// Ignores other spellings.
ParallelSizes parallel_sizes(std::span<const std::string_view> args);
// Reads sizes like our controllers: in command and args, as --flag N, --flag=N and in vLLM's short
// form.
ParallelSizes sizes_in_any_form(const Container& main);

// Command and arguments in the order in which the kubelet runs them.
std::vector<std::string_view> words_of(const Container& main);

enum class Injection : std::uint8_t {
  kNone,          // every node starts independently
  kFlags,         // sglang: rank and address
  kRay,           // vLLM: the model is larger than a node; see runs_processes()
  kDataParallel,  // vLLM: as many replicas as fit
  kMpi,           // TensorRT-LLM
  kElasticRay,    // vLLM of later operators: experts that move between nodes
};

// Whether the component is one of vLLM that is larger than a node, and that later operators start
// by its own processes, without Ray.
bool runs_processes(const Component& component, const Backend& backend, const Container& main);

// Whether workers of the component wait for their leader in an init container: later operators
// start its nodes without Ray, or its own command line does.
bool waits_for_leader(const Component& component, const Backend& backend, const Container& main);

// Whether the component is one of vLLM on a single node, with elastic expert parallelism over Ray,
// which its pod starts itself.
bool starts_ray_alone(const Component& component, const Backend& backend, const Container& main);

// The injection of first-generation operators for a multinode component, based on the sizes that
// they read; kNone for one node. `main` is the main container as rendered.
Injection injection_of(const Component& component, const Backend& backend, const Container& main);

struct Launch {
  Injection injection = Injection::kNone;  // based on the sizes in any form
  // False if something must be injected but no text runs the engine by `python... -m ...`, or if
  // the host names depend on an unknown workload.
  bool placed = false;
  // The requirement on the command line and the value found, if it is not certain that the nodes
  // would find each other. "" if it is certain. If set, nothing may be created.
  std::string_view problem = {};
  std::span<const std::string_view> command = {};
  std::span<const std::string_view> args = {};
};

// The largest number of nodes listed by host name; a launch with more is not placed.
inline constexpr std::int64_t kMaxListedNodes = 1024;

// The command line of the role's main container as our controllers write it. It equals that of
// first-generation operators, except if theirs cannot start (docs/known-deviations.md: Q21, Q24,
// Q32, Q33). Texts are in the arena or in the document.
Launch launch_of(const Component& component, const Backend& backend, PodRole role,
                 const Container& rendered, Arena& arena);

}  // namespace dynamo::render
