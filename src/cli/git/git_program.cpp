#include "cli/git/git_program.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>
#include <span>
#include <system_error>
#include <utility>

#include "cli/report/wording.hpp"
#include "runtime/read_file.hpp"
#include "runtime/spawn.hpp"

namespace dynamo::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestVersion = 4096;
constexpr std::size_t kLongestLink = 8192;

// Git's variables that are passed on: those that select the user's configuration.
constexpr std::array<std::string_view, 5> kInherited{
    "GIT_CONFIG_GLOBAL=", "GIT_CONFIG_SYSTEM=", "GIT_CONFIG_NOSYSTEM=", "GIT_CONFIG_KEY_",
    "GIT_CONFIG_VALUE_"};

// GIT_ALLOW_PROTOCOL prevents a partial clone from fetching, also in Git versions without
// GIT_NO_LAZY_FETCH (2.44).
constexpr std::array<std::string_view, 8> kAdded{"LC_ALL=C",
                                                 "GIT_TERMINAL_PROMPT=0",
                                                 "GIT_ALLOW_PROTOCOL=none",
                                                 "GIT_NO_LAZY_FETCH=1",
                                                 "GIT_OPTIONAL_LOCKS=0",
                                                 "GIT_LITERAL_PATHSPECS=1",
                                                 "GIT_NO_REPLACE_OBJECTS=1",
                                                 "GIT_PAGER=cat"};

// Settings that a repository's own configuration must not override.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kConfiguration{{
    {"safe.bareRepository", "explicit"},
    {"core.hooksPath", "/dev/null"},
    {"core.fsmonitor", "false"},
    {"core.sshCommand", "false"},
    {"protocol.allow", "never"},
    {"diff.external", ""},
    {"core.pager", "cat"},
}};

// With a repository at the root of the file system every program would be in the tree.
bool is_inside(const fs::path& path, const fs::path& folder) {
  if (folder == folder.root_path()) return false;
  const auto [at, ignored] = std::ranges::mismatch(folder, path);
  return at == folder.end();
}

std::string_view variable_of(std::span<const std::string> variables, std::string_view name) {
  for (const std::string_view variable : variables) {
    if (variable.starts_with(name)) return variable.substr(name.size());
  }
  return {};
}

bool is_inside_any(const fs::path& path, std::span<const fs::path> folders) {
  return std::ranges::any_of(folders,
                             [&](const fs::path& folder) { return is_inside(path, folder); });
}

// The folders with a `.git` entry at or above this one: a submodule is inside other trees.
void add_roots(const fs::path& folder, std::vector<fs::path>& roots) {
  std::error_code error;
  for (fs::path at = folder;; at = at.parent_path()) {
    if (fs::exists(fs::symlink_status(at / ".git", error))) roots.push_back(at);
    if (at == at.root_path() || at.empty()) return;
  }
}

// Trees that a pull request may change: those around the inputs and around the working directory.
std::vector<fs::path> checked_trees(const fs::path& root) {
  std::vector<fs::path> trees{root};
  std::error_code error;
  add_roots(root, trees);
  add_roots(fs::current_path(error), trees);
  return trees;
}

// The entries of PATH that may contain trusted programs: absolute, and outside the trees.
std::vector<fs::path> trusted_folders(std::string_view path, std::span<const fs::path> trees) {
  std::vector<fs::path> folders;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find(':'), path.size());
    const fs::path entry(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
    if (!entry.is_absolute()) continue;
    std::error_code error;
    const fs::path folder = fs::canonical(entry, error);
    if (!error && !is_inside_any(folder, trees)) folders.push_back(folder);
  }
  return folders;
}

std::optional<std::string> find_git(std::span<const fs::path> folders,
                                    std::span<const fs::path> trees) {
  for (const fs::path& folder : folders) {
    const fs::path program = folder / "git";
    std::error_code error;
    const fs::path file = fs::canonical(program, error);
    if (error || is_inside_any(file, trees) || !fs::is_regular_file(file, error)) continue;
    if (::access(program.c_str(), X_OK) == 0) return program.string();
  }
  return std::nullopt;
}

// `variables` without Git's own and without PATH, then ours.
std::vector<std::string> git_environment(std::span<const std::string> variables,
                                         std::span<const fs::path> folders,
                                         const std::string& root) {
  std::vector<std::string> result;
  for (const std::string_view variable : variables) {
    const auto begins = [variable](std::string_view name) { return variable.starts_with(name); };
    const bool is_dropped = (begins("GIT_") && std::ranges::none_of(kInherited, begins)) ||
                            begins("PATH=") || begins("LC_ALL=");
    if (!is_dropped) result.emplace_back(variable);
  }
  std::string path = "PATH=";
  for (const fs::path& folder : folders) path += (path.ends_with('=') ? "" : ":") + folder.string();
  result.push_back(std::move(path));
  result.insert(result.end(), kAdded.begin(), kAdded.end());
  // An invalid `.git` must not make Git find a repository above it.
  result.push_back("GIT_CEILING_DIRECTORIES=" + fs::path(root).parent_path().string());

  std::size_t count = 0;
  const std::string_view given = variable_of(variables, "GIT_CONFIG_COUNT=");
  std::from_chars(given.data(), given.data() + given.size(), count);
  for (const auto& [key, value] : kConfiguration) {
    const std::string number = std::to_string(count++);
    const std::string key_variable = "GIT_CONFIG_KEY_" + number + "=";
    const std::string value_variable = "GIT_CONFIG_VALUE_" + number + "=";
    std::erase_if(result, [&](std::string_view each) {
      return each.starts_with(key_variable) || each.starts_with(value_variable);
    });
    result.push_back(key_variable + std::string(key));
    result.push_back(value_variable + std::string(value));
  }
  result.push_back("GIT_CONFIG_COUNT=" + std::to_string(count));
  return result;
}

// Whether a repository's folder is part of a checked tree: inside one, and not in its `.git`.
bool is_in_a_tree(const fs::path& repository, const fs::path& root) {
  std::vector<fs::path> trees{root};
  add_roots(root, trees);
  return std::ranges::any_of(trees, [&](const fs::path& tree) {
    return is_inside(repository, tree) && !is_inside(repository, tree / ".git");
  });
}

// The path in a `.git` file, "gitdir: PATH".
std::optional<std::string> read_git_link(const std::string& file) {
  constexpr std::string_view kBefore = "gitdir: ";
  const auto content = runtime::read_file(file, kLongestLink).content;
  if (!content || !content->starts_with(kBefore)) return std::nullopt;
  const std::size_t end = content->find_last_not_of("\r\n") + 1;
  return content->substr(kBefore.size(), end - kBefore.size());
}

// The entry `.git` nearest to the folder, at or above it, valid or not.
std::optional<fs::path> git_entry_of(const fs::path& folder) {
  std::error_code error;
  const fs::path from = fs::canonical(folder, error);
  if (error) return std::nullopt;
  for (fs::path root = from;; root = root.parent_path()) {
    fs::path entry = root / ".git";
    if (fs::exists(fs::symlink_status(entry, error))) return entry;
    if (root == root.root_path()) return std::nullopt;
  }
}

std::string printable(std::string_view text) {
  std::string out;
  append_printable(out, text);
  return out;
}

GitFault not_started(const std::string& program, int error) {
  return {program + " cannot be started: " + std::generic_category().message(error)};
}

// A fault if the program is too old to support safe.bareRepository.
std::optional<GitFault> check_version(const std::string& program,
                                      const std::vector<std::string>& environment) {
  static std::mutex mutex;
  static std::map<std::string, std::optional<GitFault>> checked;
  const std::scoped_lock lock(mutex);
  const auto known = checked.find(program);
  if (known != checked.end()) return known->second;
  auto started = Process::start({program, "version"}, false, environment);
  if (const int* const error = std::get_if<int>(&started)) return not_started(program, *error);
  const auto output = std::get<Process>(started).finish(kLongestVersion);
  const std::string_view text = output ? std::string_view(output->text) : std::string_view{};
  const std::string_view line = text.substr(0, text.find('\n'));
  std::optional<GitFault> fault;
  if (obeys_safe_bare_repository(line) != true) {
    fault = GitFault{
        "--against and --config-from need Git 2.38 or newer, which ignores repositories that the "
        "checked tree brings along; found '" +
        printable(line) + "' of " + program + ": update it"};
  }
  checked.emplace(program, fault);
  return fault;
}

}  // namespace

std::variant<Repository, GitFault> find_repository(const std::string& folder) {
  std::error_code error;
  const fs::path from = fs::canonical(folder, error);
  if (error) return GitFault{"the folder " + folder + " cannot be read: " + error.message()};
  const auto entry = git_entry_of(from);
  if (!entry) {
    return GitFault{"there is no git repository at or above " + folder +
                    ", with which --against could compare"};
  }
  const fs::path root = entry->parent_path();
  fs::path leads_to = fs::weakly_canonical(*entry, error);
  if (fs::is_regular_file(leads_to, error)) {
    // A worktree or a submodule: "gitdir: PATH".
    auto text = read_git_link(leads_to.string());
    if (!text) return GitFault{entry->string() + " cannot be read as a link to a repository"};
    leads_to = fs::weakly_canonical(root / *text, error);
  }
  if (leads_to != *entry && is_in_a_tree(leads_to, root)) {
    return GitFault{entry->string() + " must not lead into the tree that is checked; found " +
                    leads_to.string()};
  }
  const fs::path prefix = from.lexically_relative(root);
  return Repository{root.string(), prefix == "." ? std::string{} : prefix.string()};
}

bool is_in_repository(const std::string& file, const std::string& folder) {
  std::error_code error;
  const auto repository = find_repository(folder);
  const auto* const found = std::get_if<Repository>(&repository);
  const fs::path root = found != nullptr ? fs::path(found->root) : fs::canonical(folder, error);
  const fs::path target = fs::weakly_canonical(file, error);
  return !error && (root == root.root_path() || is_inside(target, root));
}

bool leads_out_of_repository(const std::string& path) {
  fs::path part;
  for (const fs::path& name : fs::path(path)) {
    part /= name;
    std::error_code error;
    if (!fs::is_symlink(part, error)) continue;
    const std::string folder = part.has_parent_path() ? part.parent_path().string() : ".";
    // A broken entry `.git` marks a repository, too.
    if (git_entry_of(folder) && !is_in_repository(part.string(), folder)) return true;
  }
  return false;
}

bool is_in_submodule(const std::string& folder) {
  const auto entry = git_entry_of(folder);
  std::error_code error;
  if (!entry || entry == git_entry_of(".") || !fs::is_regular_file(*entry, error)) return false;
  const auto leads_to = read_git_link(entry->string());
  if (!leads_to) return false;
  bool is_behind_git = false;
  for (const fs::path& name : fs::path(*leads_to)) {
    if (is_behind_git && name == "modules") return true;
    is_behind_git = is_behind_git || name == ".git";
  }
  return false;
}

std::optional<GitFault> check_own_references(const std::string& folder) {
  if (!is_in_submodule(folder)) return std::nullopt;
  return GitFault{folder +
                  " is in a submodule, whose branches a change of the outer repository chooses; "
                  "check the outer repository: -R -f ."};
}

std::optional<bool> obeys_safe_bare_repository(std::string_view version) {
  constexpr std::string_view kBefore = "git version ";
  constexpr std::pair kFirst{2, 38};
  if (!version.starts_with(kBefore)) return std::nullopt;
  version.remove_prefix(kBefore.size());
  std::pair found{0, 0};
  const char* const end = version.data() + version.size();
  const auto major = std::from_chars(version.data(), end, found.first);
  if (major.ec != std::errc{} || major.ptr == end || *major.ptr != '.') return std::nullopt;
  if (std::from_chars(major.ptr + 1, end, found.second).ec != std::errc{}) return std::nullopt;
  return found >= kFirst;
}

std::variant<Process, GitFault> start_git(const Repository& repository,
                                          std::vector<std::string> arguments, bool keep_errors) {
  const auto variables = runtime::environment_variables();
  const auto trees = checked_trees(repository.root);
  const auto folders = trusted_folders(variable_of(variables, "PATH="), trees);
  const auto program = find_git(folders, trees);
  if (!program) {
    return GitFault{
        "--against and --config-from need the program git, which no absolute folder of PATH "
        "outside of the checked tree has"};
  }
  const auto environment = git_environment(variables, folders, repository.root);
  if (auto fault = check_version(*program, environment)) return *std::move(fault);
  arguments.insert(arguments.begin(), {*program, "-C", repository.root});
  auto started = Process::start(arguments, keep_errors, environment);
  if (const int* const error = std::get_if<int>(&started)) return not_started(*program, *error);
  return std::move(std::get<Process>(started));
}

namespace {

std::variant<Process::Output, GitFault> finish_git(const Repository& repository,
                                                   std::vector<std::string> arguments,
                                                   std::size_t max_bytes) {
  auto started = start_git(repository, std::move(arguments), true);
  if (auto* const fault = std::get_if<GitFault>(&started)) return std::move(*fault);
  auto output = std::get<Process>(started).finish(max_bytes);
  if (!output) {
    return GitFault{"git did not answer in time, or with more than " + std::to_string(max_bytes) +
                    " bytes, in " + repository.root};
  }
  return *std::move(output);
}

}  // namespace

std::variant<std::optional<std::string>, GitFault> read_at_revision(const std::string& folder,
                                                                    const std::string& name,
                                                                    const std::string& revision,
                                                                    std::size_t max_bytes) {
  if (auto fault = check_own_references(folder)) return *std::move(fault);
  auto found = find_repository(folder);
  if (auto* const fault = std::get_if<GitFault>(&found)) return std::move(*fault);
  const auto& repository = std::get<Repository>(found);
  const std::string path = (fs::path(repository.prefix) / name).lexically_normal().string();
  if (path.starts_with("..") || path.starts_with('/')) {
    return GitFault{name + " must lie in the git repository " + repository.root};
  }
  const auto listed = finish_git(
      repository, {"ls-tree", "-z", "--full-tree", revision + "^{commit}", "--", path}, max_bytes);
  if (const auto* const fault = std::get_if<GitFault>(&listed)) return *fault;
  const auto& listing = std::get<Process::Output>(listed);
  if (listing.status != 0) {
    return GitFault{"there is no commit " + revision + " in the git repository " + repository.root};
  }
  if (listing.text.starts_with("120000 ")) {
    return GitFault{path + " must be a file in " + revision +
                    ", as links in a commit are not followed; found a link; commit the file "
                    "itself under this name"};
  }
  if (!listing.text.starts_with("100")) return std::nullopt;
  const std::size_t id = listing.text.find("blob ");
  const std::size_t end = listing.text.find('\t');
  if (id == std::string::npos || end < id) return std::nullopt;
  constexpr std::size_t kBlob = 5;
  auto read = finish_git(repository,
                         {"cat-file", "blob", listing.text.substr(id + kBlob, end - id - kBlob)},
                         max_bytes);
  if (auto* const fault = std::get_if<GitFault>(&read)) return std::move(*fault);
  auto& blob = std::get<Process::Output>(read);
  if (blob.status != 0) return GitFault{"git cannot read " + revision + ":" + path};
  return std::optional(std::move(blob.text));
}

}  // namespace dynamo::cli
