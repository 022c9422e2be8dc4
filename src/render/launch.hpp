// How the engine of a service of several nodes is started: what the operator does to the command
// line of leader and workers so that the nodes find each other.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "render/arena.hpp"
#include "render/backend.hpp"
#include "render/component.hpp"
#include "render/container.hpp"

namespace dynamo::render {

// The sizes of vLLM: of each flag the first occurrence that has a whole number, be it positive or
// not; 1 without one.
struct ParallelSizes {
  std::int64_t tensor = 1;
  std::int64_t pipeline = 1;
  std::int64_t data = 1;
  bool data_given = false;  // the flag stands there, whatever its value

  // GPUs of one replica of the model, at most the largest integer; 0 where a size is not positive.
  std::int64_t world() const;
};
// As the first operators read them: long flags in args, the number as the next word. Other
// spellings go unnoticed.
ParallelSizes parallel_sizes(std::span<const std::string_view> args);
// As our controllers do: in command and args, as --flag N, --flag=N and in the short form of vLLM.
ParallelSizes sizes_in_any_form(const Container& main);

enum class Injection : std::uint8_t {
  kNone,          // nothing: every node starts by itself
  kFlags,         // sglang: rank and address
  kRay,           // vLLM: the model is larger than a node
  kDataParallel,  // vLLM: as many replicas as fit
  kMpi,           // TensorRT-LLM
};

// What the first operators would inject into a component of several nodes, by the sizes that they
// read; kNone for one node. `main` is the main container as rendered.
Injection injection_of(const Component& component, const Backend& backend, const Container& main);

struct Launch {
  Injection injection = Injection::kNone;  // by all that is written
  // False when there is something to inject and no text runs the engine by `python… -m …`, or when
  // the host names depend on a workload that is not known.
  bool placed = false;
  // What of the command line must hold, and what was found instead, where it is not certain that
  // the nodes would find each other; "" where it is. Then nothing is to be created.
  std::string_view problem = {};
  std::span<const std::string_view> command = {};
  std::span<const std::string_view> args = {};
};

// More nodes than these are not put into a list of host names; the launch is then not placed.
inline constexpr std::int64_t kMostListedNodes = 1024;

// Command line of the role's main container, as our controllers write it: that of the first
// operators, but where theirs cannot start (docs/oddities.md: Q21, Q24, Q32, Q33). Texts lie in the
// arena or in the document.
Launch launch_of(const Component& component, const Backend& backend, Role role,
                 const Container& rendered, Arena& arena);

}  // namespace dynamo::render
