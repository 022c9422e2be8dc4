#include "cli/history/old_objects_git.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
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

#include "cli/history/old_objects_present.hpp"
#include "cli/history/old_objects_process.hpp"
#include "cli/input/inputs.hpp"
#include "cli/input/inputs_read.hpp"

namespace dynamo::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestListing = std::size_t{256} << 20U;

// What is asked of one folder: all manifests in it, or files by name.
struct Wanted {
  bool all = false;
  std::vector<std::string> files;
};
using WantedByFolder = std::map<std::string, Wanted>;

WantedByFolder group_by_folder(std::span<const std::string> names) {
  WantedByFolder folders;
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

std::variant<Process::Output, GitFault> run_git(const std::string& folder,
                                                std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"git", "-C", folder});
  auto started = Process::start(arguments, true);
  if (const int* const error = std::get_if<int>(&started)) {
    if (*error == ENOENT) return GitFault{"--against needs the program git, which is not in PATH"};
    return GitFault{"git cannot be started: " + std::generic_category().message(*error)};
  }
  auto output = std::get<Process>(started).finish(kLongestListing);
  if (!output) return GitFault{"git did not answer in time for " + folder};
  return *std::move(output);
}

// A file in a commit.
struct Blob {
  std::string folder;
  std::string shown_folder;  // with its slash; as people name it
  std::string id;
  std::string path;  // below the folder
  std::size_t size = 0;
  bool is_found = true;  // as Input has it
};

std::string_view take_until(std::string_view& text, char end) {
  const std::size_t at = std::min(text.find(end), text.size());
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(std::min(at + 1, text.size()));
  return taken;
}

// "100644 blob ID    SIZE<TAB>PATH"; nothing for links and sub-modules.
std::optional<Blob> parse_entry(std::string_view entry) {
  const std::string_view mode = take_until(entry, ' ');
  const std::string_view type = take_until(entry, ' ');
  Blob blob;
  blob.id = take_until(entry, ' ');
  std::string_view size = take_until(entry, '\t');
  blob.path = entry;
  size.remove_prefix(std::min(size.find_first_not_of(' '), size.size()));
  const auto parsed = std::from_chars(size.data(), size.data() + size.size(), blob.size);
  if (type != "blob" || !mode.starts_with("100") || parsed.ec != std::errc{}) return std::nullopt;
  return blob;
}

// The same choice as when a directory is listed.
bool is_manifest(std::string_view path, bool recursive) {
  const bool hidden = path.starts_with('.') || path.find("/.") != std::string_view::npos;
  return is_manifest_name(path) && !hidden &&
         (recursive || path.find('/') == std::string_view::npos);
}

// What git answers in one line; empty when it refuses.
std::string ask_git(const std::string& folder, std::vector<std::string> arguments) {
  const auto asked = run_git(folder, std::move(arguments));
  const auto* const output = std::get_if<Process::Output>(&asked);
  return output != nullptr && output->status == 0 ? first_line(output->text) : std::string{};
}

std::vector<std::string> to_resolve(const std::string& reference) {
  return {"rev-parse", "--verify", "--quiet", "--end-of-options", reference + "^{tree}"};
}

// True when the reference is the branch that the first commit will begin.
bool is_unborn(const std::string& folder, const std::string& reference) {
  if (!ask_git(folder, {"rev-parse", "--verify", "--quiet", "HEAD"}).empty()) return false;
  if (reference == "HEAD" || reference == "@") return true;
  return ask_git(folder, {"symbolic-ref", "--short", "HEAD"}) == reference;
}

GitFault no_such_commit(const std::string& folder, const std::string& reference) {
  std::string reason = "there is no commit " + reference + " in the git repository of " + folder;
  const std::string remote = "origin/" + reference;
  if (!ask_git(folder, to_resolve(remote)).empty()) {
    reason += "; did you mean " + remote + "?";
  } else if (ask_git(folder, {"rev-parse", "--is-shallow-repository"}) == "true") {
    reason +=
        ": the clone is shallow; fetch the history first (git fetch --unshallow, or fetch-depth: 0 "
        "of actions/checkout)";
  }
  return {std::move(reason)};
}

// The tree of the commit; nothing when the repository has no commit yet.
std::variant<std::optional<std::string>, GitFault> find_tree(const std::string& folder,
                                                             const std::string& reference) {
  auto resolved = run_git(folder, to_resolve(reference));
  if (auto* const fault = std::get_if<GitFault>(&resolved)) return std::move(*fault);
  const auto& tree = std::get<Process::Output>(resolved);
  if (tree.status == 0) return std::optional(first_line(tree.text));
  if (tree.status != 1) {
    return GitFault{"git cannot read the repository of " + folder + ": " + first_line(tree.errors)};
  }
  if (is_unborn(folder, reference)) return std::nullopt;
  return no_such_commit(folder, reference);
}

// The files below the folder, or those of them that `files` names.
std::variant<std::vector<Blob>, GitFault> list_tree(const std::string& folder,
                                                    const std::string& tree,
                                                    const std::string& reference,
                                                    std::span<const std::string> files) {
  std::vector<std::string> arguments{"ls-tree", "-r", "-z", "-l", tree, "--"};
  for (const std::string& file : files) arguments.push_back("./" + file);
  auto listed = run_git(folder, std::move(arguments));
  if (auto* const fault = std::get_if<GitFault>(&listed)) return std::move(*fault);
  const auto& listing = std::get<Process::Output>(listed);
  if (listing.status != 0) {
    return GitFault{"git cannot list " + reference + " of " + folder + ": " +
                    first_line(listing.errors)};
  }
  std::vector<Blob> blobs;
  for (std::string_view rest = listing.text; !rest.empty();) {
    auto blob = parse_entry(take_until(rest, '\0'));
    if (!blob) continue;
    blob->folder = folder;
    blobs.push_back(*std::move(blob));
  }
  return blobs;
}

// As for a directory: the file, or one of the folders that it is in below the named one.
bool is_excluded(const Blob& blob, const Exclusion& exclusion) {
  if (exclusion.globs.empty()) return false;
  for (std::size_t at = 0; at != std::string::npos;) {
    at = blob.path.find('/', at + 1);
    if (exclusion.matches(blob.shown_folder + blob.path.substr(0, at))) return true;
  }
  return false;
}

// The folders of charts, each with its slash: what is in their templates is no manifest.
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

// What the kustomizations that are there now name as patches: those of the commit will hardly have
// named others.
std::set<std::string, std::less<>> patches_now(const InputQuery& query) {
  std::set<std::string, std::less<>> paths;
  for (const std::string& patch : list_inputs(query).patches) {
    paths.insert(fs::path(patch).lexically_normal().string());
  }
  return paths;
}

// `git cat-file --batch` in one folder: asked for one file after the other.
class BlobReader {
 public:
  explicit BlobReader(Process process) : process_(std::move(process)) {}

  // Asks for a file; its bytes are then read by read(). What is left of the one before is dropped.
  std::optional<ReadFault> open(const Blob& blob) {
    std::array<char, 4096> dropped;
    while (left_ > 0) {
      const auto count = read(dropped);
      if (std::holds_alternative<ReadFault>(count)) return std::get<ReadFault>(count);
    }
    std::string header;
    if (!process_.write(blob.id + "\n") || !read_line(header)) return broken();
    if (header != blob.id + " blob " + std::to_string(blob.size)) return broken();
    left_ = blob.size + 1;  // and a line feed
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

// Opens the blobs in their order.
class BlobOpener {
 public:
  explicit BlobOpener(std::vector<Blob> blobs) : blobs_(std::move(blobs)) {}

  std::variant<std::unique_ptr<ByteSource>, ReadFault> operator()(std::size_t index) {
    const Blob& blob = blobs_[index];
    if (!reader_ || folder_ != blob.folder) {
      auto started = Process::start({"git", "-C", blob.folder, "cat-file", "--batch"}, false);
      if (const int* const error = std::get_if<int>(&started)) {
        return ReadFault{"git cannot be started: " + std::generic_category().message(*error)};
      }
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

}  // namespace

std::variant<GitInputs, GitFault> git_inputs(
    const std::string& reference, const InputQuery& query,
    const std::function<bool(const std::string& folder, const std::string& name)>& wanted) {
  std::vector<Blob> blobs;
  GitInputs result;
  const auto patches = patches_now(query);
  for (const auto& [folder, asked] : group_by_folder(query.names)) {
    // Whatever should be read there is reported when it is read.
    std::error_code ignored;
    if (!fs::is_directory(folder, ignored)) continue;
    auto tree = find_tree(folder, reference);
    if (auto* const fault = std::get_if<GitFault>(&tree)) return std::move(*fault);
    const auto& found = std::get<std::optional<std::string>>(tree);
    if (!found) {
      result.notes.push_back("the git repository of " + folder +
                             " has no commit yet: every object counts as new");
      continue;
    }
    auto listed = list_tree(folder, *found, reference,
                            asked.all ? std::span<const std::string>{} : asked.files);
    if (auto* const fault = std::get_if<GitFault>(&listed)) return std::move(*fault);
    auto& all = std::get<std::vector<Blob>>(listed);
    const auto charts = chart_folders(all);
    for (Blob& blob : all) {
      const bool is_named = std::ranges::find(asked.files, blob.path) != asked.files.end();
      if (folder != ".") blob.shown_folder = folder + (folder.ends_with('/') ? "" : "/");
      if (!is_named &&
          (!asked.all || !is_manifest(blob.path, query.recursive) ||
           is_chart_template(blob.path, charts) || is_excluded(blob, query.exclusion()))) {
        continue;
      }
      if (is_named && query.as_found &&
          is_passed_over(query.exclusion(), blob.shown_folder + blob.path)) {
        continue;
      }
      if (wanted && !wanted(folder, blob.shown_folder + blob.path)) continue;
      const fs::path path(blob.shown_folder + blob.path);
      if (patches.contains(path.lexically_normal().string())) continue;
      blob.is_found = !is_named || query.as_found;
      blobs.push_back(std::move(blob));
    }
  }
  return inputs_of(std::move(blobs), reference, std::move(result));
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
    // Of a file in .git itself there is none.
    std::string root = ask_git(folder, {"rev-parse", "--show-toplevel"});
    if (!root.empty()) roots.insert(std::move(root));
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
    for (Blob& blob : all) {
      if (!is_manifest(blob.path, true) || is_chart_template(blob.path, charts) ||
          known_paths.contains(root + '/' + blob.path)) {
        continue;
      }
      blobs.push_back(std::move(blob));
    }
  }
  return inputs_of(std::move(blobs), reference, {});
}

}  // namespace dynamo::cli
