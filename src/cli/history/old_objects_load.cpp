#include "cli/history/old_objects_load.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <sstream>
#include <utility>

#include "cli/check/pipeline.hpp"
#include "cli/history/old_objects_git.hpp"
#include "cli/input/inputs.hpp"
#include "cli/options/configuration.hpp"

namespace dynamo::cli {
namespace {

using Paths = std::map<std::string, std::string>;

std::string_view path_of_input(const Paths& paths, const std::string& name) {
  const auto at = paths.find(name);
  return at == paths.end() ? std::string_view{} : at->second;
}

PipelineOptions pipeline_options(const Options& options) {
  return {.jobs = options.jobs, .stored = StoredForm::kJson};
}

// Stores the objects from a pipeline as old objects.
class Collector final : public BatchSink {
 public:
  // `unopened` receives inputs that cannot be opened; if null, they are treated like broken
  // documents.
  Collector(OldObjects& objects, const Paths& paths, std::string_view default_namespace,
            bool excuses, std::vector<InputFault>* unopened)
      : objects_(objects),
        paths_(paths),
        default_namespace_(default_namespace),
        excuses_(excuses),
        unopened_(unopened) {}

  bool take(Batch batch) override {
    for (auto& entry : batch.entries) {
      if (auto* const fault = std::get_if<InputFault>(&entry)) {
        if (fault->line == 0 && unopened_ != nullptr) {
          unopened_->push_back(std::move(*fault));
        } else {
          objects_.put_unreadable(*fault, old_file(fault->file), excuses_);
        }
        continue;
      }
      auto& validated = std::get<ValidatedObject>(entry);
      const ObjectReport& report = validated.report;
      if (validated.stored.empty()) continue;
      const std::string_view given = report.namespace_name;
      objects_.put({report.kind, given.empty() ? default_namespace_ : given, report.name},
                   std::move(validated.stored), old_file(report.file));
    }
    return true;
  }

 private:
  OldFile old_file(const std::string& name) const {
    return {name, std::string(path_of_input(paths_, name))};
  }

  OldObjects& objects_;
  const Paths& paths_;
  std::string_view default_namespace_;
  bool excuses_;
  std::vector<InputFault>* unopened_;
};

struct OldInputs {
  std::unique_ptr<WorkSource> source;
  Paths paths;
  bool excuses = true;  // see OldObjects::put_unreadable()
  std::vector<std::string> notes;
  std::vector<std::string> unseen = {};
};
using OldInputsResult = std::variant<OldInputs, OldObjectsFault>;

// The path relative to a directory, or a file's own name.
std::string below(const std::string& root, const std::string& name) {
  if (name == root) return std::filesystem::path(name).filename().string();
  return std::filesystem::path(name.substr(root.size())).relative_path().string();
}

OldInputsResult open_path(const Options& options) {
  if (options.old_path == kStandardInput) {
    return OldObjectsFault{"--old must name a file or a directory; standard input is neither"};
  }
  const std::vector<std::string> names{options.old_path};
  // A configuration's globs are relative to its folder, and so to a copy of it.
  const std::string folder =
      options.excluded_from.empty() ? std::string{} : whole_path(options.old_path).string();
  const std::vector<Input> inputs = list_inputs({.names = names,
                                                 .recursive = options.recursive,
                                                 .excluded = options.excluded,
                                                 .excluded_from = folder})
                                        .inputs;
  if (inputs.size() == 1 && !inputs.front().fault.empty()) {
    return OldObjectsFault{"--old " + options.old_path + ": " + inputs.front().fault};
  }
  OldInputs found;
  for (const Input& input : inputs) found.paths[input.name] = below(options.old_path, input.name);
  // A user who names a single file wants to compare with exactly that file.
  found.excuses = inputs.empty() || inputs.front().name != options.old_path;
  // None of them is standard input.
  found.source = input_source(inputs, [inputs](std::size_t index) {
    std::istringstream nothing;
    return open_input(inputs[index].name, nothing);
  });
  return found;
}

OldInputsResult open_commit(const Options& options, const FileFilter& holds_for) {
  if (options.against.starts_with('-')) {
    return OldObjectsFault{"--against must name a commit; " + options.against + " is an option"};
  }
  if (std::ranges::find(options.filenames, kStandardInput) != options.filenames.end()) {
    return OldObjectsFault{"--against needs files in a git repository; standard input is in none"};
  }
  auto inputs = git_inputs(options.against, query_of(options), holds_for);
  if (auto* const fault = std::get_if<GitFault>(&inputs)) {
    return OldObjectsFault{std::move(fault->reason)};
  }
  auto& found = std::get<GitInputs>(inputs);
  return OldInputs{std::move(found.source), std::move(found.paths), true, std::move(found.notes),
                   std::move(found.unseen)};
}

EvaluationOptions stored_before(EvaluationOptions evaluation_options) {
  evaluation_options.already_stored = true;
  return evaluation_options;
}

// Reads the rest of the commit.
class RestOfCommitLoader {
 public:
  RestOfCommitLoader(const Options& options, const EvaluationOptions& evaluation_options,
                     Paths known)
      : options_(&options), evaluation_options_(&evaluation_options), known_(std::move(known)) {}

  void operator()(OldObjects& elsewhere) const {
    auto inputs = git_inputs_elsewhere(options_->against, options_->filenames, known_);
    if (auto* const fault = std::get_if<GitFault>(&inputs)) {
      elsewhere.put_unreadable({options_->against, 0, 0, fault->reason}, {}, false);
      return;
    }
    const auto& found = std::get<GitInputs>(inputs);
    Collector collector(elsewhere, found.paths, evaluation_options_->namespace_name, false,
                        nullptr);
    run_pipeline(*found.source, stored_before(*evaluation_options_), nullptr,
                 pipeline_options(*options_), collector);
  }

 private:
  const Options* options_;
  const EvaluationOptions* evaluation_options_;
  Paths known_;
};

}  // namespace

std::variant<std::optional<LoadedOldObjects>, OldObjectsFault> load_old_objects(
    const Options& options, const EvaluationOptions& evaluation_options,
    const FileFilter& holds_for) {
  if (options.old_path.empty() && options.against.empty()) return std::nullopt;
  OldInputsResult opened =
      options.old_path.empty() ? open_commit(options, holds_for) : open_path(options);
  if (auto* const fault = std::get_if<OldObjectsFault>(&opened)) return std::move(*fault);
  auto& found = std::get<OldInputs>(opened);
  std::optional<LoadedOldObjects> loaded(std::in_place);
  OldObjects& objects = loaded->objects;
  Collector collector(objects, found.paths, evaluation_options.namespace_name, found.excuses,
                      &loaded->faults);
  run_pipeline(*found.source, stored_before(evaluation_options), nullptr, pipeline_options(options),
               collector);
  loaded->notes = std::move(found.notes);
  objects.set_unknown_folders(std::move(found.unseen));
  objects.set_inputs(options.filenames, evaluation_options.namespace_name);
  if (options.old_path.empty()) {
    objects.set_moved_search(
        RestOfCommitLoader(options, evaluation_options, std::move(found.paths)));
  } else if (objects.size() == 0 && objects.unreadable().empty() && loaded->faults.empty()) {
    return OldObjectsFault{"--old " + options.old_path +
                           ": there is no object of this API to compare with"};
  }
  return loaded;
}

}  // namespace dynamo::cli
