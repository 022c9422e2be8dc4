// Manifests in a commit of a git repository.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "cli/check/pipeline.hpp"
#include "cli/git/git_program.hpp"
#include "cli/input/inputs.hpp"

namespace dynamo::cli {

// The inputs of a commit.
struct GitInputs {
  std::unique_ptr<WorkSource> source;
  std::map<std::string, std::string> paths;  // by input name: its location, as full_path()
  std::vector<std::string> notes;            // repositories without a commit: one line each
  // Folders of submodules whose commit is not available, as full_path(): their old content is
  // unknown.
  std::vector<std::string> unseen = {};
};

// The manifests that the query (as for list_inputs()) selects in the commit `reference`, in the
// repository of each name, and in its submodules. A name that did not exist yet adds nothing, and
// neither does a repository without commits. `wanted`, if set, filters them by the queried folder
// and the name. Requires the program git, and changes nothing. No name may be "-".
std::variant<GitInputs, GitFault> git_inputs(
    const std::string& reference, const InputQuery& query,
    const std::function<bool(const std::string& folder, const std::string& name)>& wanted = {});

// All other manifests of those repositories, with the names that git uses ("main:deploy/a.yaml").
// Skips paths in `known`, and templates of charts.
std::variant<GitInputs, GitFault> git_inputs_elsewhere(
    const std::string& reference, std::span<const std::string> names,
    const std::map<std::string, std::string>& known);

}  // namespace dynamo::cli
