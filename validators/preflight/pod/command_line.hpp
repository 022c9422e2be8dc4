// Reading a command line without running it.
#pragma once

#include <cstddef>
#include <string_view>

#include "render/container.hpp"

namespace dynamo::validators::pod {

// Command and arguments of a container, read as one list.
class CommandLine {
 public:
  explicit CommandLine(const render::Container& container) : container_(container) {}

  std::size_t size() const { return container_.command.size() + container_.args.size(); }
  std::string_view operator[](std::size_t index) const {
    const std::size_t commands = container_.command.size();
    return index < commands ? container_.command.items[index]
                            : container_.args.items[index - commands];
  }
  // Where the user wrote that item; generated for a default.
  render::Origin origin_of(std::size_t index) const {
    const std::size_t commands = container_.command.size();
    return index < commands ? container_.command.origin_of(index)
                            : container_.args.origin_of(index - commands);
  }

 private:
  const render::Container& container_;
};

// "sh", "/bin/bash", …
bool is_shell(std::string_view word);

// Where the script of a shell stands in a command line that begins with one: behind "-c", "-ec" or
// the like. size() when the shell has "-c" and no script; `npos` when there is no "-c", or what
// stands in front of it is not understood.
std::size_t script_index(const CommandLine& line);
inline constexpr std::size_t kNoScript = static_cast<std::size_t>(-1);

// The line begins with a shell.
inline bool runs_shell(const CommandLine& line) {
  return line.size() > 0 && is_shell(line[0]);
}

}  // namespace dynamo::validators::pod
