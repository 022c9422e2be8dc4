// Reads a command line without running it.
#pragma once

#include <cstddef>
#include <string_view>

#include "api/context.hpp"
#include "render/pod/container.hpp"

namespace dynamo::validators::pod {

// Command and arguments of a container as one list.
class CommandLine {
 public:
  explicit CommandLine(const render::Container& container)
      : container_(container), size_(container.command.size() + container.args.size()) {}

  // The same list without the arguments.
  CommandLine without_arguments() const { return {container_, container_.command.size()}; }

  std::size_t size() const { return size_; }
  std::string_view operator[](std::size_t index) const {
    const std::size_t commands = container_.command.size();
    return index < commands ? container_.command.items[index]
                            : container_.args.items[index - commands];
  }
  // The user's field of that item; generated for a default.
  render::Origin origin_of(std::size_t index) const {
    const std::size_t commands = container_.command.size();
    return index < commands ? container_.command.origin_of(index)
                            : container_.args.origin_of(index - commands);
  }

 private:
  CommandLine(const render::Container& container, std::size_t size)
      : container_(container), size_(size) {}

  const render::Container& container_;
  std::size_t size_;
};

// Whether the line starts a shell, also behind programs that run another program: `env bash -c`,
// `tini -- sh -c`, `timeout 10 nice -n 5 sh`. kUnknown if such a program has an option that we do
// not know, because the words after it may belong to the option.
api::Fact runs_shell(const CommandLine& line);

// Whether some word is the name of a shell. An unknown program may then run that shell.
bool names_shell(const CommandLine& line);

// The index of the script of the shell that the line starts: the item after "-c", "-ec" or a
// similar option. size() if "-c" is last, without a script. kNoScript if the line starts no shell,
// or an unknown program, if there is no "-c", or if the options before it are unknown.
std::size_t script_index(const CommandLine& line);
inline constexpr std::size_t kNoScript = static_cast<std::size_t>(-1);

}  // namespace dynamo::validators::pod
