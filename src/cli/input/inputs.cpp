#include "cli/input/inputs.hpp"
#include "cli/git/git_program.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "cli/input/kustomize.hpp"
#include "cli/report/wording.hpp"

namespace dynamo::cli {
namespace {

namespace fs = std::filesystem;

struct Entry {
  std::string name;
  bool is_directory;
};

// The entries of a directory, in alphabetical order, without hidden names.
std::error_code list_directory(const std::string& directory, std::vector<Entry>& entries) {
  std::error_code error;
  fs::directory_iterator at(directory, error);
  for (; !error && at != fs::directory_iterator{}; at.increment(error)) {
    std::string name = at->path().filename().string();
    if (name.starts_with('.')) continue;
    // A link never counts as a directory here: so there are no loops.
    std::error_code ignored;
    const bool is_directory = at->symlink_status(ignored).type() == fs::file_type::directory;
    entries.push_back({std::move(name), is_directory});
  }
  std::ranges::sort(entries, {}, &Entry::name);
  return error;
}

std::string joined(std::string_view directory, std::string_view name) {
  std::string path{directory};
  if (!path.ends_with('/')) path += '/';
  return path += name;
}

// Lists one directory that the user named.
class DirectoryLister {
 public:
  DirectoryLister(const InputQuery& query, ListedInputs& listed)
      : query_(query),
        exclusion_(query.exclusion()),
        inputs_(listed.inputs),
        charts_(listed.charts),
        chart_templates_(listed.chart_templates),
        patches_(listed.patches),
        notes_(listed.notes) {}

  void list(const std::string& directory) {
    const std::size_t before = inputs_.size();
    add_patches_around(directory, patch_paths_);
    add(directory);
    if (inputs_.size() == before) {
      if (query_.recursive) {
        notes_.push_back(directory + ": " + nothing_found());
      } else {
        inputs_.push_back({directory, nothing_found()});
      }
    }
    leave_out_patches(before);
  }

 private:
  void add(const std::string& directory) {
    std::vector<Entry> entries;
    if (const auto error = list_directory(directory, entries)) {
      inputs_.push_back({directory, "the directory cannot be read: " + error.message()});
      return;
    }
    const bool is_chart = std::ranges::binary_search(entries, "Chart.yaml", {}, &Entry::name);
    for (const Entry& entry : entries) {
      if (is_kustomization_name(entry.name)) {
        add_patches_of(joined(directory, entry.name), patch_paths_);
      }
    }
    for (const Entry& entry : entries) {
      std::string path = joined(directory, entry.name);
      if (exclusion_.matches(path)) {
        passed_over_excluded_ = true;
      } else if (entry.is_directory) {
        passed_over_directory_ = true;
        if (!query_.recursive) continue;
        if (is_chart && entry.name == "templates") {
          charts_.push_back(directory);
          add_templates(path);
        } else {
          add(path);
        }
      } else if (is_manifest_name(entry.name)) {
        // Otherwise a repository could make a report show lines of the user's other files.
        const bool leads_out = leads_out_of_repository(path);
        inputs_.push_back(
            {std::move(path), leads_out ? "it is a link out of its repository" : "", !leads_out});
      } else if (is_link_to_directory(path)) {
        passed_over_link_ = true;
      }
    }
  }

  // The templates of a chart, which are not inputs.
  void add_templates(const std::string& directory) {
    std::vector<Entry> entries;
    if (list_directory(directory, entries)) return;
    for (const Entry& entry : entries) {
      std::string path = joined(directory, entry.name);
      if (exclusion_.matches(path)) continue;
      if (entry.is_directory) {
        add_templates(path);
      } else if (is_manifest_name(entry.name)) {
        chart_templates_.push_back(std::move(path));
      }
    }
  }

  // A kustomization may name patches in directories that were listed before its own.
  void leave_out_patches(std::size_t from) {
    if (patch_paths_.empty()) return;
    const auto is_patch = [this](const Input& input) {
      return cli::is_patch(patch_paths_, input.name);
    };
    const auto first = inputs_.begin() + static_cast<std::ptrdiff_t>(from);
    for (auto at = first; at != inputs_.end(); ++at) {
      if (is_patch(*at)) patches_.push_back(at->name);
    }
    inputs_.erase(std::remove_if(first, inputs_.end(), is_patch), inputs_.end());
  }

  static bool is_link_to_directory(const std::string& path) {
    std::error_code ignored;
    return fs::is_symlink(path, ignored) && fs::is_directory(path, ignored);
  }

  std::string nothing_found() const {
    std::string reason = "there is no manifest (*.yaml, *.yml, *.json) in this directory";
    if (passed_over_excluded_) {
      reason += exclusion_.from.empty() ? "; --exclude left out what there is"
                                        : "; exclude of the configuration left out what there is";
    } else if (passed_over_directory_ && !query_.recursive) {
      reason += "; -R also reads the directories below it";
    } else if (passed_over_link_) {
      reason += "; links to directories are not followed, name where they lead";
    }
    return reason;
  }

  const InputQuery& query_;
  const Exclusion exclusion_;
  std::vector<Input>& inputs_;
  std::vector<std::string>& charts_;
  std::vector<std::string>& chart_templates_;
  std::vector<std::string>& patches_;
  std::vector<std::string>& notes_;
  PatchPaths patch_paths_;
  bool passed_over_excluded_ = false;
  bool passed_over_directory_ = false;
  bool passed_over_link_ = false;
};

// The directory of the chart that contains the file as a template: the file is below templates/
// next to a Chart.yaml. Empty if it is not a template.
std::string chart_of_template(const fs::path& file) {
  for (fs::path at = file.parent_path(); at.has_relative_path(); at = at.parent_path()) {
    std::error_code ignored;
    if (at.filename() == "templates" && fs::exists(at.parent_path() / "Chart.yaml", ignored)) {
      return at.has_parent_path() ? at.parent_path().string() : ".";
    }
  }
  return {};
}

// A named file that is treated as if a search had found it.
void add_as_found(const std::string& name, const Exclusion& exclusion, ListedInputs& listed) {
  if (is_skipped_input(exclusion, name)) return;
  if (std::string chart = chart_of_template(name); !chart.empty()) {
    listed.chart_templates.push_back(name);
    if (std::ranges::find(listed.charts, chart) == listed.charts.end()) {
      listed.charts.push_back(std::move(chart));
    }
    return;
  }
  if (is_patch(name)) {
    listed.patches.push_back(name);
    return;
  }
  listed.inputs.push_back({name, {}, true});
}

bool is_pattern(std::string_view name) {
  return name.find_first_of("*?[") != std::string_view::npos;
}

// Why there is no file with that name, and what to do if other programs would accept the name.
std::string why_not_found(std::string_view name) {
  if (name.starts_with("file://")) {
    return "there is no such file; name its path, without file://";
  }
  if (name.starts_with("http://") || name.starts_with("https://")) {
    return "URLs are not read; pipe the text in: curl -fsSL URL | kubectl dynamo validate -f -";
  }
  if (name.find("://") != std::string_view::npos) {
    return "only files, directories and standard input are read; fetch the manifest first, and "
           "name the file, or pipe it in with -f -";
  }
  if (is_pattern(name)) {
    return "there is no such file or directory; patterns are the shell's to expand: leave out the "
           "quotes, or read the whole directory with -R -f DIRECTORY";
  }
  if (name.starts_with("~/")) {
    return "there is no such file or directory; the shell has not expanded ~: leave out the quotes "
           "and the = in front, or write $HOME";
  }
  if (name.find(',') != std::string_view::npos) {
    return "there is no such file or directory; several files need an -f each: -f A -f B";
  }
  return "there is no such file or directory";
}

}  // namespace

bool is_manifest_name(std::string_view name) {
  constexpr std::array<std::string_view, 3> kEndings{".yaml", ".yml", ".json"};
  return std::ranges::any_of(kEndings,
                             [name](std::string_view ending) { return name.ends_with(ending); });
}

std::optional<std::string> why_not_read(const std::string& name, bool as_found) {
  std::error_code error;
  const bool is_searched = name != kStandardInput && (as_found || fs::is_directory(name, error));
  if (!is_searched || !leads_out_of_repository(name)) return std::nullopt;
  std::string reason;
  append_printable(reason, name);
  return reason + " leads through a link out of its repository; name the path that it leads to";
}

std::vector<Input> list_inputs(std::span<const std::string> names, bool recursive) {
  return list_inputs({.names = names, .recursive = recursive, .excluded = {}}).inputs;
}

ListedInputs list_inputs(const InputQuery& query) {
  ListedInputs listed;
  std::vector<Input>& inputs = listed.inputs;
  for (const std::string& name : query.names) {
    std::error_code error;
    const fs::file_status status =
        name == kStandardInput ? fs::file_status{fs::file_type::regular} : fs::status(name, error);
    if (fs::is_directory(status)) {
      DirectoryLister(query, listed).list(name);
    } else if (status.type() == fs::file_type::not_found) {
      inputs.push_back({name, why_not_found(name)});
    } else if (error) {
      inputs.push_back({name, "the file cannot be read: " + error.message()});
    } else if (query.as_found && name != kStandardInput) {
      add_as_found(name, query.exclusion(), listed);
    } else {
      inputs.push_back({name, {}});
    }
  }
  return listed;
}

}  // namespace dynamo::cli
