#include "cli/git/child_process.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>

#include "runtime/spawn.hpp"

namespace dynamo::cli {
namespace {

using Clock = std::chrono::steady_clock;

std::optional<runtime::Pipe> make_input() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) return std::nullopt;
  return runtime::Pipe{runtime::FileDescriptor(ends[0]), runtime::FileDescriptor(ends[1])};
}

// Milliseconds until the deadline, for poll(); at least 0.
int milliseconds_until(Clock::time_point deadline) {
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
  return static_cast<int>(std::max<long long>(left, 0));
}

bool wait_for(int descriptor, short event) {
  const auto deadline = Clock::now() + Process::kPatience;
  for (;;) {
    pollfd polled{descriptor, event, 0};
    const int ready = ::poll(&polled, 1, milliseconds_until(deadline));
    if (ready > 0) return true;
    if (ready == 0 || errno != EINTR) return false;
  }
}

// Reads available bytes. False at the end, and after an error.
bool take_in(const runtime::FileDescriptor& from, std::string& into) {
  std::array<char, 64 * 1024> bytes;
  const ssize_t count = ::read(from.get(), bytes.data(), bytes.size());
  if (count < 0) return errno == EINTR || errno == EAGAIN;
  into.append(bytes.data(), static_cast<std::size_t>(count));
  return count > 0;
}

}  // namespace

std::variant<Process, int> Process::start(const std::vector<std::string>& arguments,
                                          bool keep_errors) {
  return start(arguments, keep_errors, runtime::environment_variables());
}

std::variant<Process, int> Process::start(const std::vector<std::string>& arguments,
                                          bool keep_errors, std::vector<std::string> environment) {
  auto input = make_input();
  auto output = runtime::make_pipe();
  auto errors = runtime::make_pipe();
  if (!input || !output || !errors) return errno;
  if (!keep_errors) errors->reading.reset();
  const runtime::SpawnResult started =
      runtime::spawn({.words = arguments,
                      .environment = std::move(environment),
                      .input = input->reading.get(),
                      .output = output->writing.get(),
                      .errors = keep_errors ? errors->writing.get() : -1});
  if (started.error != 0) return started.error;
  return Process(started.pid, std::move(input->writing), std::move(output->reading),
                 std::move(errors->reading));
}

Process::Process(Process&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      input_(std::move(other.input_)),
      output_(std::move(other.output_)),
      errors_(std::move(other.errors_)) {}

Process::~Process() {
  if (pid_ < 0) return;
  ::kill(pid_, SIGKILL);
  wait();
}

bool Process::write(std::string_view text) {
  while (!text.empty()) {
    if (!wait_for(input_.get(), POLLOUT)) return false;
    const ssize_t count =
        ::send(input_.get(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count < 0 && errno != EINTR && errno != EAGAIN) return false;
    if (count > 0) text.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

std::optional<std::size_t> Process::read(std::span<char> bytes) {
  for (;;) {
    if (!wait_for(output_.get(), POLLIN)) return std::nullopt;
    const ssize_t count = ::read(output_.get(), bytes.data(), bytes.size());
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR) return std::nullopt;
  }
}

std::optional<Process::Output> Process::finish(std::size_t limit) {
  input_.reset();
  Output result;
  const auto deadline = Clock::now() + kPatience;
  while (output_ || errors_) {
    // A closed descriptor is -1, which poll() ignores.
    std::array<pollfd, 2> polled{{{output_.get(), POLLIN, 0}, {errors_.get(), POLLIN, 0}}};
    const int ready = ::poll(polled.data(), polled.size(), milliseconds_until(deadline));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return std::nullopt;
    if (polled[0].revents != 0 && !take_in(output_, result.text)) output_.reset();
    if (polled[1].revents != 0 && !take_in(errors_, result.errors)) errors_.reset();
    if (result.text.size() > limit || result.errors.size() > limit) return std::nullopt;
  }
  const int status = wait();
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

// The program has closed its outputs or was killed, so this returns soon.
int Process::wait() {
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  return status;
}

}  // namespace dynamo::cli
