// Detects the engine of a component from its command line, like the operator.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "render/component/component.hpp"

namespace dynamo::render {

enum class Framework : std::uint8_t { kNoop, kVllm, kSglang, kTrtllm };

// "vllm", "sglang", "trtllm", "noop".
std::string_view framework_name(Framework framework);

// For each value except kNone the operator refuses the component permanently.
enum class BackendProblem : std::uint8_t {
  kNone,
  kSeveralDetected,  // and none is declared
  kMismatch,         // the command line runs another engine than declared
  kUnknownDeclared,  // backendFramework is none of the three
};

struct Backend {
  Framework framework = Framework::kNoop;  // the one that the operator uses
  BackendProblem problem = BackendProblem::kNone;
  Framework detected = Framework::kNoop;  // kNoop if none or several were detected
};

// Reads mainContainer.command and mainContainer.args. Linear in their size.
Backend backend_of(const Component& component);

// The location in a text where `python... -m ...` runs a framework's module: [segment_begin,
// segment_end) is the shell segment, `word_end` the end of the word with the last mention of the
// framework.
struct PythonCommand {
  bool found = false;
  std::size_t segment_begin = 0;
  std::size_t segment_end = 0;
  std::size_t word_end = 0;
};

// The first segment at or after `from` that runs a python interpreter, followed by a blank, and
// names the framework after it.
PythonCommand find_python_command(std::string_view text, Framework framework, std::size_t from);

// "python", "python3", "python3.11", or a path that ends so.
bool is_python_interpreter(std::string_view command);

}  // namespace dynamo::render
