// Shared by `render` and `diff`: the trees of the objects that would be accepted.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/check/validator.hpp"
#include "cli/commands/commands.hpp"
#include "cli/history/old_objects_load.hpp"
#include "manifests/environment.hpp"
#include "manifests/tree.hpp"

namespace dynamo::cli {

// One object with its rendered tree.
struct RenderedTree {
  const ObjectReport& report;
  const render::Tree& now;
  const std::vector<render::TreeChange>& changes;  // for `diff`: relative to the old object
  // Whether some objects cannot be rendered, as they are or as they were. They are not among the
  // changes.
  bool is_incomplete = false;
  // "chat-xxxxx", or "chat-xxxx2" for the second object of this base, if the API server generates
  // the name, else empty. The report has this name, too.
  std::string_view stand_in_name = {};
};

// Evaluates the inputs of the options and passes the tree of each object to `take`, in input order.
// Errors go to standard error: findings, objects that cannot be rendered, and with a cluster,
// objects that cannot be created there. Returns the exit code of the command.
int run_rendering(const Options& options, Streams& streams,
                  const std::function<void(const RenderedTree&)>& take);

}  // namespace dynamo::cli
