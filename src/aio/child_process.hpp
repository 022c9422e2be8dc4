// A program that runs beside the loop and is gone afterwards, whatever happens.
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
  std::vector<std::string> words;  // the program first: with a slash a path, else from PATH
  // Added to our own environment, in place of variables of the same name.
  std::vector<std::pair<std::string, std::string>> environment;
  std::chrono::milliseconds deadline{0};
  std::size_t limit = 0;  // bytes of each of its outputs
};

struct ChildResult {
  enum class End { kExited, kNotStarted, kDeadline, kTooMuchOutput, kCancelled };
  End end = End::kNotStarted;
  int code = 0;  // kExited: its status, or 128 and the signal; kNotStarted: errno
  std::string output;
  std::string errors;
};

// Runs it with /dev/null as standard input, in a process group of its own that is killed unless the
// program exits by itself. Works on the executor's loop, without a thread; watches SIGCHLD. Never
// throws for what the program does.
Task<ChildResult> run_child(boost::asio::any_io_executor executor, ChildCommand command);

}  // namespace dynamo::aio
