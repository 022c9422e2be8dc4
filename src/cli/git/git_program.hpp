// Runs Git for --against in such a way that the checked tree cannot influence it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cli/git/child_process.hpp"

namespace dynamo::cli {

// Why there is no revision to compare with: one line.
struct GitFault {
  std::string reason;
};

// The repository of a folder, identified by its `.git` entry, which Git never tracks: a tracked
// folder that looks like a bare repository does not count.
struct Repository {
  std::string root;    // the folder with the `.git` entry, canonical
  std::string prefix;  // of the given folder, relative to the root: "" or "deploy/prod"
};

// The nearest repository at or above the folder. A fault if there is none, or if its `.git` points
// into the tree itself.
std::variant<Repository, GitFault> find_repository(const std::string& folder);

// Whether `file`, with links resolved, is in the repository of `folder`; without a repository, in
// the folder itself.
bool is_in_repository(const std::string& file, const std::string& folder);

// Whether `path` is a link, or leads through a link, to a target outside the repository that
// contains the link. False without a repository.
bool leads_out_of_repository(const std::string& path);

// Whether the folder is in a submodule, other than the one of the working directory. The outer
// repository chooses the submodule's URL, and with it the commits that branch names resolve to.
bool is_in_submodule(const std::string& folder);

// A fault if the folder is in a submodule: the outer repository chooses the commits that its branch
// names resolve to.
std::optional<GitFault> check_own_references(const std::string& folder);

// The content of `folder`/`name` in the commit `revision`; nullopt if it has no such file, and a
// fault if the path is a link there. `name` may contain "..", but must stay in the repository. At
// most `max_bytes`.
std::variant<std::optional<std::string>, GitFault> read_at_revision(const std::string& folder,
                                                                    const std::string& name,
                                                                    const std::string& revision,
                                                                    std::size_t max_bytes);

// "git version 2.39.5 (Apple Git-154)" -> whether it supports safe.bareRepository (2.38); nullopt
// if the text has no version.
std::optional<bool> obeys_safe_bare_repository(std::string_view version);

// Starts `git -C ROOT ARGUMENTS...`. The program is found through an absolute entry of PATH outside
// the repository's tree. Hooks, transports, file monitors and external programs are disabled,
// regardless of the repository's configuration. Callable from any thread.
std::variant<Process, GitFault> start_git(const Repository& repository,
                                          std::vector<std::string> arguments, bool keep_errors);

}  // namespace dynamo::cli
