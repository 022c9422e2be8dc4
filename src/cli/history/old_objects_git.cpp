#include "cli/history/old_objects_git.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/check/old_objects_present.hpp"
#include "cli/git/child_process.hpp"
#include "cli/input/inputs.hpp"
#include "cli/input/inputs_read.hpp"
#include "cli/input/kustomize.hpp"

namespace dynamo::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestListing = std::size_t{256} << 20U;

// The request for one folder: all manifests in it, or files by name.
struct FolderRequest {
  bool all = false;
  std::vector<std::string> files;
};
using FolderRequests = std::map<std::string, FolderRequest>;

FolderRequests group_by_folder(std::span<const std::string> names) {
  FolderRequests folders;
  for (const std::string& name : names) {
    std::error_code ignored;
    if (fs::is_directory(name, ignored)) {
      folders[name].all = true;
      continue;
    }
    const fs::path path(name);
    const std::string parent = path.parent_path().string();
    folders[parent.empty() ? "." : parent].files.push_back(path.filename().string());
  }
  return folders;
}

std::string first_line(std::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
}

// The error in git's standard error, without the warnings before it.
std::string first_error(std::string_view text) {
  while (text.starts_with("warning: ") && text.find('\n') != std::string_view::npos) {
    text.remove_prefix(text.find('\n') + 1);
  }
  return first_line(text);
}

std::variant<Process::Output, GitFault> run_git(const std::string& folder,
                                                std::vector<std::string> arguments) {
  auto repository = find_repository(folder);
  if (auto* const fault = std::get_if<GitFault>(&repository)) return std::move(*fault);
  auto started = start_git(std::get<Repository>(repository), std::move(arguments), true);
  if (auto* const fault = std::get_if<GitFault>(&started)) return std::move(*fault);
  auto output = std::get<Process>(started).finish(kLongestListing);
  if (!output) return GitFault{"git did not answer in time for " + folder};
  return *std::move(output);
}

// A file in a commit.
struct Blob {
  std::string folder;
  std::string shown_folder;  // with its slash; as shown to users
  std::string id;
  std::string path;  // relative to the folder
  std::size_t size = 0;
  bool is_found = true;       // see Input
  bool is_missing = false;    // git has its name but not its content
  bool is_submodule = false;  // not a file: a folder with its own repository, at the commit `id`
};

std::string_view take_until(std::string_view& text, char end) {
  const std::size_t at = std::min(text.find(end), text.size());
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(std::min(at + 1, text.size()));
  return taken;
}

// "100644 blob ID    SIZE<TAB>PATH", "160000 commit ID       -<TAB>PATH"; nullopt for links.
std::optional<Blob> parse_entry(std::string_view entry) {
  const std::string_view mode = take_until(entry, ' ');
  const std::string_view type = take_until(entry, ' ');
  Blob blob;
  blob.id = take_until(entry, ' ');
  std::string_view size = take_until(entry, '\t');
  blob.path = entry;
  size.remove_prefix(std::min(size.find_first_not_of(' '), size.size()));
  blob.is_submodule = type == "commit";
  if (blob.is_submodule) return blob;
  if (type != "blob" || !mode.starts_with("100")) return std::nullopt;
  const auto parsed = std::from_chars(size.data(), size.data() + size.size(), blob.size);
  blob.is_missing = parsed.ec != std::errc{};
  return blob;
}

bool is_hidden(std::string_view path) {
  return path.starts_with('.') || path.find("/.") != std::string_view::npos;
}

// The same selection as for directory listings.
bool is_manifest(std::string_view path, bool recursive) {
  return is_manifest_name(path) && !is_hidden(path) &&
         (recursive || path.find('/') == std::string_view::npos);
}

// Git's output as one line; empty if the command fails.
std::string git_line(const std::string& folder, std::vector<std::string> arguments) {
  const auto result = run_git(folder, std::move(arguments));
  const auto* const output = std::get_if<Process::Output>(&result);
  return output != nullptr && output->status == 0 ? first_line(output->text) : std::string{};
}

std::vector<std::string> to_resolve(const std::string& reference) {
  return {"rev-parse", "--verify", "--quiet", "--end-of-options", reference + "^{tree}"};
}

// True if the reference is the branch that the first commit will create.
bool is_unborn(const std::string& folder, const std::string& reference) {
  if (!git_line(folder, {"rev-parse", "--verify", "--quiet", "HEAD"}).empty()) return false;
  if (reference == "HEAD" || reference == "@") return true;
  return git_line(folder, {"symbolic-ref", "--short", "HEAD"}) == reference;
}

GitFault no_such_commit(const std::string& folder, const std::string& reference) {
  std::string reason = "there is no commit " + reference + " in the git repository of " + folder;
  const std::string remote = "origin/" + reference;
  if (!git_line(folder, to_resolve(remote)).empty()) {
    reason += "; did you mean " + remote + "?";
  } else if (git_line(folder, {"rev-parse", "--is-shallow-repository"}) == "true") {
    reason +=
        ": the clone is shallow; fetch the history first (git fetch --unshallow, or fetch-depth: 0 "
        "of actions/checkout)";
  }
  return {std::move(reason)};
}

// The tree of the commit; nullopt if the repository has no commit yet.
std::variant<std::optional<std::string>, GitFault> find_tree(const std::string& folder,
                                                             const std::string& reference) {
  auto resolved = run_git(folder, to_resolve(reference));
  if (auto* const fault = std::get_if<GitFault>(&resolved)) return std::move(*fault);
  const auto& tree = std::get<Process::Output>(resolved);
  if (tree.status == 0) return std::optional(first_line(tree.text));
  if (tree.status != 1) {
    return GitFault{"git cannot read the repository of " + folder + ": " +
                    first_error(tree.errors)};
  }
  if (is_unborn(folder, reference)) return std::nullopt;
  return no_such_commit(folder, reference);
}

// The files below the folder, or those that `files` names.
std::variant<std::vector<Blob>, GitFault> list_tree(const std::string& folder,
                                                    const std::string& tree,
                                                    const std::string& reference,
                                                    std::span<const std::string> files) {
  auto repository = find_repository(folder);
  if (auto* const fault = std::get_if<GitFault>(&repository)) return std::move(*fault);
  const std::string& prefix = std::get<Repository>(repository).prefix;
  const std::string below = prefix.empty() ? prefix : prefix + '/';
  std::vector<std::string> arguments{"ls-tree", "-r", "-z", "-l", "--full-tree", tree, "--"};
  for (const std::string& file : files) arguments.push_back(below + file);
  if (files.empty() && !below.empty()) arguments.push_back(below);
  auto listed = run_git(folder, std::move(arguments));
  if (auto* const fault = std::get_if<GitFault>(&listed)) return std::move(*fault);
  const auto& listing = std::get<Process::Output>(listed);
  if (listing.status != 0) {
    return GitFault{"git cannot list " + reference + " of " + folder + ": " +
                    first_error(listing.errors)};
  }
  std::vector<Blob> blobs;
  for (std::string_view rest = listing.text; !rest.empty();) {
    auto blob = parse_entry(take_until(rest, '\0'));
    if (!blob || !blob->path.starts_with(below)) continue;
    blob->path.erase(0, below.size());
    blob->folder = folder;
    blobs.push_back(*std::move(blob));
  }
  return blobs;
}

// As for a directory: checks the file, and its parent folders below the named one.
bool is_excluded(const Blob& blob, const Exclusion& exclusion) {
  if (exclusion.globs.empty()) return false;
  for (std::size_t at = 0; at != std::string::npos;) {
    at = blob.path.find('/', at + 1);
    if (exclusion.matches(blob.shown_folder + blob.path.substr(0, at))) return true;
  }
  return false;
}

// The folders of charts, each with its slash: their templates are not manifests.
std::vector<std::string> chart_folders(std::span<const Blob> blobs) {
  constexpr std::string_view kChart = "Chart.yaml";
  std::vector<std::string> folders;
  for (const Blob& blob : blobs) {
    const std::size_t at = blob.path.rfind('/');
    const std::size_t name = at == std::string::npos ? 0 : at + 1;
    if (blob.path.substr(name) == kChart) folders.push_back(blob.path.substr(0, name));
  }
  return folders;
}

bool is_chart_template(std::string_view path, std::span<const std::string> charts) {
  return std::ranges::any_of(charts, [path](const std::string& chart) {
    return path.starts_with(chart) && path.substr(chart.size()).starts_with("templates/");
  });
}

// Patches named by current kustomizations; those of the commit probably named the same.
std::set<std::string, std::less<>> patches_now(const InputQuery& query) {
  std::set<std::string, std::less<>> paths;
  for (const std::string& patch : list_inputs(query).patches) {
    paths.insert(fs::path(patch).lexically_normal().string());
  }
  return paths;
}

// `git cat-file --batch` in one folder: reads one file after the other.
class BlobReader {
 public:
  explicit BlobReader(Process process) : process_(std::move(process)) {}

  // Requests a file; read() then returns its bytes. Drops unread bytes of the previous one.
  std::optional<ReadFault> open(const Blob& blob) {
    std::array<char, 4096> dropped;
    while (left_ > 0) {
      const auto count = read(dropped);
      if (std::holds_alternative<ReadFault>(count)) return std::get<ReadFault>(count);
    }
    std::string header;
    if (!process_.write(blob.id + "\n") || !read_line(header)) return broken();
    if (header != blob.id + " blob " + std::to_string(blob.size)) return broken();
    left_ = blob.size + 1;  // plus a line feed
    return std::nullopt;
  }

  std::variant<std::size_t, ReadFault> read(std::span<char> bytes) {
    if (left_ == 0) return std::size_t{0};
    const auto count = process_.read(bytes.first(std::min(bytes.size(), left_)));
    if (!count || *count == 0) {
      left_ = 0;
      return broken();
    }
    left_ -= *count;
    return left_ == 0 ? *count - 1 : *count;
  }

 private:
  static ReadFault broken() { return {"git did not hand the file over"}; }

  bool read_line(std::string& line) {
    constexpr std::size_t kLongestHeader = 256;
    char c = '\0';
    while (line.size() < kLongestHeader && process_.read({&c, 1}) == std::size_t{1}) {
      if (c == '\n') return true;
      line += c;
    }
    return false;
  }

  Process process_;
  std::size_t left_ = 0;
};

class BlobSource final : public ByteSource {
 public:
  explicit BlobSource(std::shared_ptr<BlobReader> reader) : reader_(std::move(reader)) {}
  std::variant<std::size_t, ReadFault> read(std::span<char> bytes) override {
    return reader_->read(bytes);
  }

 private:
  std::shared_ptr<BlobReader> reader_;
};

// Opens the blobs in order.
class BlobOpener {
 public:
  explicit BlobOpener(std::vector<Blob> blobs) : blobs_(std::move(blobs)) {}

  std::variant<std::unique_ptr<ByteSource>, ReadFault> operator()(std::size_t index) {
    const Blob& blob = blobs_[index];
    if (!reader_ || folder_ != blob.folder) {
      auto repository = find_repository(blob.folder);
      if (auto* const fault = std::get_if<GitFault>(&repository)) return ReadFault{fault->reason};
      auto started = start_git(std::get<Repository>(repository), {"cat-file", "--batch"}, false);
      if (auto* const fault = std::get_if<GitFault>(&started)) return ReadFault{fault->reason};
      reader_ = std::make_shared<BlobReader>(std::move(std::get<Process>(started)));
      folder_ = blob.folder;
    }
    if (auto fault = reader_->open(blob)) {
      reader_ = nullptr;
      return *std::move(fault);
    }
    return std::make_unique<BlobSource>(reader_);
  }

 private:
  std::vector<Blob> blobs_;
  std::shared_ptr<BlobReader> reader_;
  std::string folder_;
};

Input input_of(const Blob& blob, const std::string& reference) {
  Input input;
  input.is_found = blob.is_found;
  input.name = reference + ':' + blob.shown_folder + blob.path;
  if (blob.is_missing) input.fault = "git does not have this object";
  if (blob.size > kLongestInput) {
    input.fault = "the input is longer than " + std::to_string(kLongestInput) +
                  " bytes: " + std::to_string(blob.size) + "; split it";
  }
  return input;
}

GitInputs inputs_of(std::vector<Blob> blobs, const std::string& reference, GitInputs result) {
  std::vector<Input> inputs;
  inputs.reserve(blobs.size());
  std::string folder;
  std::string full_folder;
  for (const Blob& blob : blobs) {
    if (full_folder.empty() || folder != blob.folder) {
      folder = blob.folder;
      full_folder = fs::path(full_path(folder + "/x")).parent_path().string();
    }
    inputs.push_back(input_of(blob, reference));
    result.paths[inputs.back().name] = full_folder + '/' + blob.path;
  }
  result.source = input_source(std::move(inputs), BlobOpener(std::move(blobs)));
  return result;
}

// Lists what a query selects, repository by repository.
class Listing {
 public:
  Listing(const std::string& reference, const InputQuery& query,
          const std::function<bool(const std::string& folder, const std::string& name)>& wanted)
      : reference_(reference), query_(query), wanted_(wanted), patches_(patches_now(query)) {}

  std::optional<GitFault> add(const std::string& folder, const FolderRequest& request) {
    requested_folder_ = folder;
    const std::string shown = folder == "." ? "" : folder + (folder.ends_with('/') ? "" : "/");
    if (auto fault = check_own_references(folder)) return fault;
    auto tree = find_tree(folder, reference_);
    if (auto* const fault = std::get_if<GitFault>(&tree)) return std::move(*fault);
    const auto& found = std::get<std::optional<std::string>>(tree);
    if (found) return list(folder, shown, *found, request);
    result.notes.push_back("the git repository of " + folder +
                           " has no commit yet: every object counts as new");
    return std::nullopt;
  }

  std::vector<Blob> blobs;
  GitInputs result;

 private:
  std::optional<GitFault> list(const std::string& folder, const std::string& shown,
                               const std::string& tree, const FolderRequest& request) {
    auto listed = list_tree(folder, tree, reference_,
                            request.all ? std::span<const std::string>{} : request.files);
    if (auto* const fault = std::get_if<GitFault>(&listed)) return std::move(*fault);
    auto& all = std::get<std::vector<Blob>>(listed);
    const auto charts = chart_folders(all);
    for (Blob& blob : all) {
      blob.shown_folder = shown;
      if (blob.is_submodule) {
        if (request.all && query_.recursive) add_submodule(blob);
      } else if (is_requested(blob, request, charts)) {
        blobs.push_back(std::move(blob));
      }
    }
    return std::nullopt;
  }

  // Its files are in its own repository, in the commit that the outer one names.
  void add_submodule(const Blob& at) {
    if (is_hidden(at.path) || is_excluded(at, query_.exclusion())) return;
    const std::string folder = at.folder + '/' + at.path;
    std::error_code ignored;
    if (!fs::is_directory(folder, ignored)) return;
    auto tree = find_tree(folder, at.id);
    const auto* const found = std::get_if<std::optional<std::string>>(&tree);
    const bool is_there = found != nullptr && found->has_value() &&
                          !list(folder, at.shown_folder + at.path + '/', **found, {true, {}});
    // It may be a plain folder by now, with new objects.
    const bool is_repository = fs::exists(folder + "/.git", ignored);
    if (!is_there && is_repository) result.unseen.push_back(full_path(folder));
  }

  bool is_requested(Blob& blob, const FolderRequest& request,
                    std::span<const std::string> charts) const {
    const bool is_named = std::ranges::find(request.files, blob.path) != request.files.end();
    const std::string name = blob.shown_folder + blob.path;
    if (!is_named &&
        (!request.all || !is_manifest(blob.path, query_.recursive) ||
         is_chart_template(blob.path, charts) || is_excluded(blob, query_.exclusion()))) {
      return false;
    }
    if (is_named && query_.as_found && is_skipped_input(query_.exclusion(), name)) return false;
    if (wanted_ && !wanted_(requested_folder_, name)) return false;
    if (patches_.contains(fs::path(name).lexically_normal().string())) return false;
    blob.is_found = !is_named || query_.as_found;
    return true;
  }

  const std::string& reference_;
  const InputQuery& query_;
  const std::function<bool(const std::string& folder, const std::string& name)>& wanted_;
  const std::set<std::string, std::less<>> patches_;
  std::string requested_folder_;
};

// nullopt if it cannot be read, or is longer.
std::optional<std::string> read_all(ByteSource& source, std::size_t most_bytes) {
  std::string text(most_bytes + 1, '\0');
  std::size_t length = 0;
  while (length < text.size()) {
    const auto read = source.read(std::span<char>(text).subspan(length));
    const auto* const count = std::get_if<std::size_t>(&read);
    if (count == nullptr) return std::nullopt;
    if (*count == 0) break;
    length += *count;
  }
  if (length > most_bytes) return std::nullopt;
  text.resize(length);
  return text;
}

// The patches of the commit's own kustomizations, as paths relative to the folder of the blobs.
PatchPaths patches_of(std::span<const Blob> all) {
  std::vector<Blob> kustomizations;
  for (const Blob& blob : all) {
    const bool is_one = is_kustomization_name(fs::path(blob.path).filename().string());
    if (is_one && !blob.is_missing && blob.size <= kLongestKustomization) {
      kustomizations.push_back(blob);
    }
  }
  PatchPaths patches;
  BlobOpener open(kustomizations);
  for (std::size_t i = 0; i < kustomizations.size(); ++i) {
    auto opened = open(i);
    auto* const source = std::get_if<std::unique_ptr<ByteSource>>(&opened);
    if (source == nullptr) continue;
    const auto text = read_all(**source, kLongestKustomization);
    if (!text) continue;
    add_patches_named_in(*text, fs::path(kustomizations[i].path).parent_path().string(), patches);
  }
  return patches;
}

}  // namespace

std::variant<GitInputs, GitFault> git_inputs(
    const std::string& reference, const InputQuery& query,
    const std::function<bool(const std::string& folder, const std::string& name)>& wanted) {
  Listing listing(reference, query, wanted);
  for (const auto& [folder, request] : group_by_folder(query.names)) {
    // Reading the input reports a missing folder.
    std::error_code ignored;
    if (!fs::is_directory(folder, ignored)) continue;
    if (auto fault = listing.add(folder, request)) return *std::move(fault);
  }
  return inputs_of(std::move(listing.blobs), reference, std::move(listing.result));
}

std::variant<GitInputs, GitFault> git_inputs_elsewhere(
    const std::string& reference, std::span<const std::string> names,
    const std::map<std::string, std::string>& known) {
  std::set<std::string> known_paths;
  for (const auto& [name, path] : known) known_paths.insert(path);
  std::set<std::string> roots;
  for (const auto& [folder, wanted] : group_by_folder(names)) {
    std::error_code ignored;
    if (!fs::is_directory(folder, ignored)) continue;
    if (is_in_submodule(folder)) continue;
    auto repository = find_repository(folder);
    if (auto* const found = std::get_if<Repository>(&repository)) roots.insert(found->root);
  }
  std::vector<Blob> blobs;
  for (const std::string& root : roots) {
    auto tree = find_tree(root, reference);
    if (auto* const fault = std::get_if<GitFault>(&tree)) return std::move(*fault);
    const auto& found = std::get<std::optional<std::string>>(tree);
    if (!found) continue;
    auto listed = list_tree(root, *found, reference, {});
    if (auto* const fault = std::get_if<GitFault>(&listed)) return std::move(*fault);
    auto& all = std::get<std::vector<Blob>>(listed);
    const auto charts = chart_folders(all);
    const PatchPaths patches = patches_of(all);
    for (Blob& blob : all) {
      if (blob.is_submodule || !is_manifest(blob.path, true) ||
          is_chart_template(blob.path, charts) || patches.contains(blob.path) ||
          known_paths.contains(root + '/' + blob.path)) {
        continue;
      }
      blobs.push_back(std::move(blob));
    }
  }
  return inputs_of(std::move(blobs), reference, {});
}

}  // namespace dynamo::cli
