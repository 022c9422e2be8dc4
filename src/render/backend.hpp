// Which engine a component runs, found from its command line the way the operator finds it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "render/component.hpp"

namespace dynamo::render {

enum class Framework : std::uint8_t { kNoop, kVllm, kSglang, kTrtllm };

// "vllm", "sglang", "trtllm", "noop".
std::string_view framework_name(Framework framework);

// The operator refuses the component for good for each of these but kNone.
enum class BackendProblem : std::uint8_t {
  kNone,
  kSeveralDetected,  // and none declared
  kMismatch,         // declared one, the command line runs another
  kUnknownDeclared,  // backendFramework is none of the three
};

struct Backend {
  Framework framework = Framework::kNoop;  // that the operator goes on with
  BackendProblem problem = BackendProblem::kNone;
  Framework detected = Framework::kNoop;  // kNoop when none or several were
};

// Reads mainContainer.command and mainContainer.args. Linear in their size.
Backend backend_of(const Component& component);

// Where in one text a framework's module is run by `python… -m …`: [segment_begin, segment_end) is
// the shell segment, `word_end` the end of the word that holds the last mention of the framework.
struct PythonCommand {
  bool found = false;
  std::size_t segment_begin = 0;
  std::size_t segment_end = 0;
  std::size_t word_end = 0;
};

// The first segment at or behind `from` that runs a python interpreter, which a blank follows, and
// names the framework behind it.
PythonCommand find_python_command(std::string_view text, Framework framework, std::size_t from);

// "python", "python3", "python3.11", or a path that ends so.
bool is_python_interpreter(std::string_view command);

}  // namespace dynamo::render
