// Starts a program with posix_spawn; the callers wait for it in their own way.
//
// Boost.Process is not used: version 2, as of Boost 1.81, starts programs with fork and exec
// instead of posix_spawn. It needs Asio, which src/cli must not include. Deadlines, output limits
// and killing the process group would remain our code.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "runtime/file_descriptor.hpp"

namespace dynamo::runtime {

struct SpawnOptions {
  // the program first: with a slash a path, otherwise searched in PATH
  std::vector<std::string> words;
  std::vector<std::string> environment;  // NAME=VALUE each; all that the program gets
  // Descriptors of its standard streams; /dev/null if negative.
  int input = -1;
  int output = -1;
  int errors = -1;
  // In its own process group, with default signal handling and no other descriptor of ours.
  bool is_isolated = false;
};

struct SpawnResult {
  pid_t pid = -1;
  int error = 0;  // errno if the program cannot be started
};

SpawnResult spawn(SpawnOptions options);

// The variables of this process, as NAME=VALUE.
std::vector<std::string> environment_variables();

struct Pipe {
  FileDescriptor reading;
  FileDescriptor writing;
};

// A pipe that programs do not inherit; nullopt with errno set if there are too many descriptors.
std::optional<Pipe> make_pipe();

}  // namespace dynamo::runtime
