// Manifests as they are in a commit of a git repository.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "cli/history/git_program.hpp"
#include "cli/input/inputs.hpp"
#include "cli/pipeline.hpp"

namespace dynamo::cli {

// The inputs of a commit.
struct GitInputs {
  std::unique_ptr<WorkSource> source;
  std::map<std::string, std::string> paths;  // by an input's name: where it lies, as full_path()
  std::vector<std::string> notes;            // repositories without a commit: one line each
  // Folders of submodules whose commit is not there, as full_path(): nothing is known of what was
  // in them.
  std::vector<std::string> unseen = {};
};

// The manifests that the query (as list_inputs() takes it) stood for in the
// commit `reference`, of the repository that each lies in, and of its submodules; one that was not
// there yet adds nothing, and neither does a repository whose first commit is still to come. Of
// these `wanted`, if it is set, says which are, by the folder that was asked for and the name.
// Needs the program git, and changes nothing. No name may be "-".
std::variant<GitInputs, GitFault> git_inputs(
    const std::string& reference, const InputQuery& query,
    const std::function<bool(const std::string& folder, const std::string& name)>& wanted = {});

// All other manifests of those repositories, named as git names them ("main:deploy/a.yaml"). What
// `known` holds as a path is left out, and so are templates of charts.
std::variant<GitInputs, GitFault> git_inputs_elsewhere(
    const std::string& reference, std::span<const std::string> names,
    const std::map<std::string, std::string>& known);

}  // namespace dynamo::cli
