// Reads a command line without running it.
#pragma once

#include <cstddef>
#include <string_view>

#include "render/container.hpp"

namespace dynamo::validators::pod {

// Command and arguments of a container as one list.
class CommandLine {
 public:
  explicit CommandLine(const render::Container& container) : container_(container) {}

  std::size_t size() const { return container_.command.size() + container_.args.size(); }
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
  const render::Container& container_;
};

// "sh", "/bin/bash", ...
bool is_shell(std::string_view word);

// The index of the shell's script in a command line that begins with a shell: the item after "-c",
// "-ec" or a similar option. size() if "-c" is last, without a script. kNoScript if there is no
// "-c", or if the options before it are unknown.
std::size_t script_index(const CommandLine& line);
inline constexpr std::size_t kNoScript = static_cast<std::size_t>(-1);

// Whether the line begins with a shell.
inline bool runs_shell(const CommandLine& line) {
  return line.size() > 0 && is_shell(line[0]);
}

}  // namespace dynamo::validators::pod
