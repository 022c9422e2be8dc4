// Runs a program without a shell, with deadlines and limits.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "runtime/file_descriptor.hpp"

namespace dynamo::cli {

// A running program. The destructor kills it if it still runs, and reaps it. Not thread-safe.
class Process {
 public:
  static constexpr std::chrono::seconds kPatience{60};

  // `arguments` begins with the program, which is looked up in PATH. Its standard error is
  // discarded unless `keep_errors`. It inherits our environment. Returns errno if the program
  // cannot be started.
  static std::variant<Process, int> start(const std::vector<std::string>& arguments,
                                          bool keep_errors);
  // Likewise, with exactly these environment variables, each as NAME=VALUE.
  static std::variant<Process, int> start(const std::vector<std::string>& arguments,
                                          bool keep_errors, std::vector<std::string> environment);

  Process(Process&& other) noexcept;
  Process& operator=(Process&&) = delete;
  ~Process();

  // False if the program no longer reads, or does not read for kPatience.
  bool write(std::string_view text);

  // Reads output of the program; 0 at its end, nullopt if none arrives for kPatience.
  std::optional<std::size_t> read(std::span<char> bytes);

  struct Output {
    std::string text;
    std::string errors;
    int status = 0;  // exit code; 128 + signal if a signal ended it
  };
  // The complete output once the program ends; nullopt if that takes longer than kPatience, or if
  // one of the texts is longer than `limit`.
  std::optional<Output> finish(std::size_t limit);

 private:
  Process(pid_t pid, runtime::FileDescriptor input, runtime::FileDescriptor output,
          runtime::FileDescriptor errors)
      : pid_(pid),
        input_(std::move(input)),
        output_(std::move(output)),
        errors_(std::move(errors)) {}
  int wait();

  pid_t pid_;
  runtime::FileDescriptor
      input_;  // a socket, so that writing to a program that has ended raises no signal
  runtime::FileDescriptor output_;
  runtime::FileDescriptor errors_;
};

}  // namespace dynamo::cli
