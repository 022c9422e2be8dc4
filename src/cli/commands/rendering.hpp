// What `render` and `diff` share: the trees of the objects that would be accepted.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands/commands.hpp"
#include "cli/history/old_objects_load.hpp"
#include "cli/judge.hpp"
#include "render/children/environment.hpp"
#include "render/children/tree.hpp"

namespace dynamo::cli {

// One object with what becomes of it.
struct RenderedTree {
  const ObjectReport& report;
  const render::Tree& now;
  const std::vector<render::TreeChange>& changes;  // of `diff`: from what was before
  // "chat-xxxxx" where the API server generates the name, else empty. The report's name says so.
  std::string_view stand_in_name = {};
};

// Judges the inputs of the options and hands over the tree of each object, in their order; errors,
// what is refused for rendering, and in a cluster what cannot be made there, go to standard error.
// Answers the exit code of the command.
int run_rendering(const Options& options, Streams& streams,
                  const std::function<void(const RenderedTree&)>& take);

}  // namespace dynamo::cli
