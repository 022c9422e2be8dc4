#include "runtime/spawn.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

#include <array>
#include <csignal>

namespace dynamo::runtime {
namespace {

// Arguments of posix_spawn, freed by the destructor.
class SpawnPlan {
 public:
  explicit SpawnPlan(const SpawnOptions& options) {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawnattr_init(&attributes_);
    connect(options.input, STDIN_FILENO, O_RDONLY);
    connect(options.output, STDOUT_FILENO, O_WRONLY);
    connect(options.errors, STDERR_FILENO, O_WRONLY);
    if (options.is_isolated) isolate();
  }
  ~SpawnPlan() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;

  const posix_spawn_file_actions_t* actions() const { return &actions_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  void connect(int from, int to, int mode) {
    if (from < 0) {
      ::posix_spawn_file_actions_addopen(&actions_, to, "/dev/null", mode, 0);
    } else {
      ::posix_spawn_file_actions_adddup2(&actions_, from, to);
    }
  }

  void isolate() {
    // Otherwise Asio's sockets would be inherited, and stay open in every process that the program
    // starts.
    ::posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1);
    sigset_t none;
    sigset_t all;
    sigemptyset(&none);
    sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
    ::posix_spawnattr_setpgroup(&attributes_, 0);
    ::posix_spawnattr_setflags(
        &attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  }

  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> result;
  result.reserve(texts.size() + 1);
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

}  // namespace

SpawnResult spawn(SpawnOptions options) {
  const SpawnPlan plan(options);
  SpawnResult result;
  result.error =
      ::posix_spawnp(&result.pid, options.words.front().c_str(), plan.actions(), plan.attributes(),
                     pointers_to(options.words).data(), pointers_to(options.environment).data());
  if (result.error != 0) result.pid = -1;
  return result;
}

std::vector<std::string> environment_variables() {
  std::vector<std::string> variables;
  for (char** at = environ; at != nullptr && *at != nullptr; ++at) variables.emplace_back(*at);
  return variables;
}

std::optional<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
  return Pipe{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

}  // namespace dynamo::runtime
