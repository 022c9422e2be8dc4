// kubectl-dynamo, which kubectl runs as `kubectl dynamo`: reads the command line, runs the command.
// The exit codes are those of cli::ExitCode.
#include <poll.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <iostream>
#include <span>
#include <variant>

#include "cli/commands/commands.hpp"
#include "cli/options.hpp"

namespace {

// Whether whoever read our output has left, as `head` does when it has seen enough.
bool reader_is_gone() {
  pollfd out{.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0};
  return poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace dynamo;
  // A reader that leaves is a failed write, not the end of the process: reports that go to files
  // are still closed as they must be.
  std::signal(SIGPIPE, SIG_IGN);
  std::ios::sync_with_stdio(false);

  const auto parsed = cli::parse_options(
      std::span<const char* const>(argv + 1, static_cast<std::size_t>(argc > 0 ? argc - 1 : 0)));
  if (const auto* const mistake = std::get_if<cli::UsageError>(&parsed)) {
    std::cerr << mistake->text;
    return cli::kExitUnusable;
  }
  const char* const no_color = std::getenv("NO_COLOR");
  const char* const workspace = std::getenv("GITHUB_WORKSPACE");
  cli::Streams streams{.in = std::cin,
                       .out = std::cout,
                       .err = std::cerr,
                       .out_is_terminal = isatty(STDOUT_FILENO) == 1,
                       .err_is_terminal = isatty(STDERR_FILENO) == 1,
                       .no_color = no_color != nullptr && *no_color != '\0',
                       .workspace = workspace != nullptr ? workspace : ""};
  const int code = cli::run(std::get<cli::Options>(parsed), streams);
  if (std::cout.flush() || code == cli::kExitDefect) return code;
  if (!reader_is_gone()) std::cerr << cli::kProgramName << ": standard output cannot be written\n";
  return cli::kExitUnusable;
}
