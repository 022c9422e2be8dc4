// Runs a program asynchronously. The program never outlives the call.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <chrono>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "aio/task.hpp"

namespace dynamo::aio {

struct ChildCommand {
  // the program first: with a slash a path, otherwise searched in PATH
  std::vector<std::string> words;
  // Added to our own environment; replaces variables of the same name.
  std::vector<std::pair<std::string, std::string>> environment;
  std::chrono::milliseconds deadline{0};
  std::size_t limit = 0;  // for each of its outputs, in bytes
};

struct ChildResult {
  enum class ExitReason { kExited, kNotStarted, kDeadline, kTooMuchOutput, kCancelled };
  ExitReason exit_reason = ExitReason::kNotStarted;
  int code = 0;  // kExited: its status, or 128 + signal; kNotStarted: errno
  std::string output;
  std::string errors;
};

// Runs the program with /dev/null as standard input, in its own process group, which is killed
// unless the program exits by itself. Works on the executor's loop, without a thread; watches
// SIGCHLD. Never throws because of the program's behaviour.
Task<ChildResult> run_child(boost::asio::any_io_executor executor, ChildCommand command);

}  // namespace dynamo::aio
