// kubectl dynamo validate
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <deque>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include "api/kind.hpp"
#include "cli/check/finding_filter.hpp"
#include "cli/check/old_objects_present.hpp"
#include "cli/check/pipeline.hpp"
#include "cli/check/pipeline_tally.hpp"
#include "cli/check/validator.hpp"
#include "cli/commands/commands.hpp"
#include "cli/fix/line_diff.hpp"
#include "cli/fix/rewrite.hpp"
#include "cli/fix/text_fixer.hpp"
#include "cli/formats/formats.hpp"
#include "cli/formats/source_paths.hpp"
#include "cli/git/git_program.hpp"
#include "cli/history/old_objects_load.hpp"
#include "cli/input/inputs.hpp"
#include "cli/input/inputs_read.hpp"
#include "cli/input/kustomize.hpp"
#include "cli/input/manifests.hpp"
#include "cli/input/manifests_cut.hpp"
#include "cli/input/templates.hpp"
#include "cli/options/configuration.hpp"
#include "cli/options/options.hpp"
#include "cli/report/output_file.hpp"
#include "cli/report/progress.hpp"
#include "cli/report/streams.hpp"
#include "cli/report/wording.hpp"
#include "runtime/clock.hpp"

namespace dynamo::cli {
namespace {

std::string unwritten(std::string_view what, std::string_view file, std::string_view reason) {
  std::string text(what);
  text += ' ';
  append_printable(text, file);
  return text + " cannot be written: " + std::string(reason);
}

// The destinations of reports: standard output first, then files.
class Outputs {
 public:
  explicit Outputs(const Streams& streams) : source_paths_(streams.workspace) {}

  // Returns an error for the first file that cannot be opened; empty: all are open.
  std::string open(const Options& options, bool warnings_as_errors,
                   const std::vector<std::string>& silenced_by, Streams& streams) {
    std::vector<ReportOutput> wanted = options.outputs;
    if (wanted.empty()) wanted.emplace_back();
    for (const bool to_file : {false, true}) {
      for (const ReportOutput& output : wanted) {
        if (output.file.empty() == to_file) continue;
        std::ostream* out = &streams.out;
        if (to_file) {
          OutputFile& file = files_.emplace_back(output.file);
          if (const auto reason = file.open()) return unwritten("the report", output.file, *reason);
          out = &file.stream();
        }
        ReporterOptions how;
        how.colours = !to_file &&
                      should_use_colours(options.colour, streams.out_is_terminal, streams.no_color);
        how.warnings_as_errors = warnings_as_errors;
        how.quiet = options.quiet;
        how.source_paths = &source_paths_;
        how.silenced_by = silenced_by;
        reports_.push_back({make_reporter(output.format, *out, how), out});
      }
    }
    return {};
  }

  std::vector<ReportStream>& reports() { return reports_; }

  // Returns an error for the first file that cannot be completed; empty: all are complete.
  std::string close() {
    for (OutputFile& file : files_) {
      if (const auto reason = file.close()) return unwritten("the report", file.name(), *reason);
    }
    return {};
  }

 private:
  SourcePaths source_paths_;
  std::deque<OutputFile> files_;
  std::vector<ReportStream> reports_;
};

// The output files, to detect outputs that would overwrite other files.
class OutputFiles {
 public:
  explicit OutputFiles(const Options& options) {
    for (const ReportOutput& output : options.outputs) add("the report", output.file);
    add("the baseline", options.write_baseline_file);
  }

  // Why the file must not be written; empty: it may be.
  std::string conflict_with(std::string_view what, const std::string& file) const {
    if (file.empty()) return {};
    for (const File& each : files_) {
      if (each.is(file)) return refusal(each, what);
    }
    return {};
  }
  std::string duplicate() const {
    for (auto at = files_.begin(); at != files_.end(); ++at) {
      for (auto other = std::next(at); other != files_.end(); ++other) {
        if (at->is(other->name)) return refusal(*other, at->what);
      }
    }
    return {};
  }

 private:
  struct File {
    std::string_view what;
    std::string name;
    std::string path;  // full_path()

    bool is(const std::string& other) const {
      std::error_code error;
      if (std::filesystem::equivalent(name, other, error)) return true;
      const bool can_be =
          std::filesystem::path(path).filename() == std::filesystem::path(other).filename();
      return can_be && full_path(other) == path;
    }
  };

  void add(std::string_view what, const std::string& file) {
    std::error_code error;
    // Writing to a device loses no data.
    const bool is_device = std::filesystem::is_character_file(file, error);
    if (!file.empty() && !is_device) files_.push_back({what, file, full_path(file)});
  }
  static std::string refusal(const File& file, std::string_view over) {
    std::string reason(file.what);
    reason += ' ';
    append_printable(reason, file.name);
    return reason + " would overwrite " + std::string(over) + "; name another file";
  }

  std::vector<File> files_;
};

// Notes about the old side, each printed once: several configurations may have the same one.
class HistoryNotes {
 public:
  explicit HistoryNotes(std::ostream& err) : err_(err) {}

  void print(const LoadedOldObjects& loaded) {
    for (const std::string& note : loaded.notes) print(note);
    for (const InputFault& note : loaded.objects.unreadable()) {
      print("nothing to compare with at " + where(note) + ": " + note.reason);
    }
  }

  // Known after the inputs were evaluated.
  void print_unreadable_elsewhere(const OldObjects& objects) {
    const auto& faults = objects.unreadable_elsewhere();
    if (faults.empty()) return;
    const InputFault& first = faults.front();
    std::string line =
        "not searched for what has been moved: " + where(first) + ": " + first.reason;
    if (faults.size() > 1) line += " (and " + std::to_string(faults.size() - 1) + " more)";
    print(line);
  }

 private:
  void print(const std::string& line) {
    if (!printed_.insert(line).second) return;
    std::string printable;
    append_printable(printable, line);
    err_ << kProgramName << ": " << printable << '\n';
  }

  std::ostream& err_;
  std::set<std::string> printed_;
};

// Deleted objects are not validated, but a rename is visible here.
void print_gone(const std::vector<DeletedObject>& gone, std::ostream& err) {
  constexpr std::size_t kMaxShown = 10;
  if (gone.empty()) return;
  err << kProgramName << ": " << count_of(gone.size(), "old object")
      << (gone.size() == 1 ? " is" : " are") << " not among the inputs any more\n";
  for (std::size_t i = 0; i < std::min(gone.size(), kMaxShown); ++i) {
    std::string line =
        gone[i].kind + ' ' + gone[i].namespace_name + '/' + gone[i].name + " of " + gone[i].file;
    err << "  ";
    std::string printable;
    append_printable(printable, line);
    err << printable << '\n';
  }
  if (gone.size() > kMaxShown) err << "  and " << gone.size() - kMaxShown << " more\n";
}

int write_baseline(const Options& options, const Summary& summary, const Baseline& found,
                   Streams& streams) {
  OutputFile file(options.write_baseline_file);
  auto reason = file.open();
  if (!reason) {
    file.stream() << found.text();
    reason = file.close();
  }
  if (reason) return refuse(streams, unwritten("the baseline", file.name(), *reason));
  if (summary.omitted > 0) {
    streams.err
        << kProgramName << ": " << count_of(summary.omitted, "finding")
        << " beyond the limits of their objects are not in the baseline: these stay invalid "
           "until they have fewer\n";
  }
  return summary.faults > 0 ? kExitUnusable : kExitValid;
}

// The result of --fix.
struct FixedInputs {
  std::size_t fixes = 0;
  std::size_t files = 0;  // changed files, or those that would be
  // Files that could not be changed; with --diff also those that could not be read.
  std::size_t failed = 0;
};

class FileFixer {
 public:
  FileFixer(const Options& options, const EvaluationOptions& evaluation_options,
            const FindingFilter& filter, Streams& streams)
      : options_(options), streams_(streams), fixer_(evaluation_options, filter) {}

  void fix(const Input& input) {
    if (!input.fault.empty()) return leave_unread(input.name, input.fault);
    if (input.name == kStandardInput) return leave("standard input", "only files are fixed");
    const auto read = read_to_rewrite(input.name, kLongestFixedText);
    if (const auto* const fault = std::get_if<ReadFault>(&read)) {
      return leave(input.name, fault->reason);
    }
    const auto& file = std::get<FileToRewrite>(read);
    if (file.text.find(api::kGroup) == std::string::npos) return;
    if (has_template_statement(file.text)) {
      return leave(input.name, "it is a template; fix what it is rendered to");
    }
    if (is_patch(input.name)) {
      return leave(input.name, "a kustomization names it as its patch: it is a part of an object");
    }
    const FixedText result = fixer_.fix(file.text, input.name);
    if (result.unreadable > 0) {
      leave_unread(input.name, "a part of it cannot be read, as `validate` reports");
    }
    if (result.done.empty()) return;
    if (options_.diff) {
      streams_.out << unified_diff(file.text, result.text, input.name);
    } else if (const auto reason = replace_file(input.name, file, result.text)) {
      ++fixed_.failed;
      return leave(input.name, *reason);
    }
    ++fixed_.files;
    fixed_.fixes += result.done.size();
    if (!options_.quiet) print_fixes(input.name, result.done);
  }

  const FixedInputs& fixed() const { return fixed_; }

 private:
  // Validation reports unreadable files, but with --diff there is none.
  void leave_unread(std::string_view name, std::string_view reason) {
    if (!options_.diff) return;
    ++fixed_.failed;
    leave(name, reason);
  }

  void leave(std::string_view name, std::string_view reason) {
    std::string line = std::string(kProgramName) + ": ";
    append_printable(line, name);
    line += " is not fixed: ";
    line += reason;
    streams_.err << line << '\n';
  }

  void print_fixes(const std::string& name, std::vector<DoneFix> done) {
    std::ranges::stable_sort(done, {}, &DoneFix::line);
    for (const DoneFix& fix : done) {
      std::string line;
      append_printable(line, name);
      line += ":" + std::to_string(fix.line) + (options_.diff ? ": to fix: " : ": fixed: ");
      append_printable(line, fix.field);
      line += ": " + fix.title + " [" + std::string(fix.rule) + "]";
      streams_.err << line << '\n';
    }
  }

  const Options& options_;
  Streams& streams_;
  TextFixer fixer_;
  FixedInputs fixed_;
};

// Writes the files, or with --diff prints the changes to `out`. Reports on `err` what was fixed,
// and what was not and why.
FixedInputs fix_inputs(const Options& options, const std::vector<Input>& inputs,
                       const EvaluationOptions& evaluation_options, const FindingFilter& filter,
                       Streams& streams) {
  FileFixer fixer(options, evaluation_options, filter, streams);
  for (const Input& input : inputs) {
    if (!streams.out.good()) break;
    fixer.fix(input);
  }
  const FixedInputs& fixed = fixer.fixed();
  if (!options.quiet && fixed.files > 0) {
    streams.err << kProgramName << ": " << (options.diff ? "would fix " : "fixed ")
                << count_of(fixed.fixes, "finding") << " in " << count_of(fixed.files, "file")
                << '\n';
  }
  return fixed;
}

class ObjectDetector final : public ManifestVisitor {
 public:
  void object(const Manifest& /*manifest*/) override { found_ = true; }
  void other(OtherDocument /*document*/) override {}
  void fault(InputFault /*fault*/) override { found_ = true; }

  bool found() const { return found_; }

 private:
  bool found_ = false;
};

bool holds_objects(const std::string& name, ManifestReader& reader) {
  auto opened = open_input(name, std::cin);
  auto* const source = std::get_if<std::unique_ptr<ByteSource>>(&opened);
  if (source == nullptr) return false;
  ManifestCutter cutter(std::move(*source), name.ends_with(".json"));
  ObjectDetector detector;
  while (!detector.found()) {
    const auto piece = cutter.next();
    if (std::holds_alternative<ManifestCutter::EndOfInput>(piece)) return false;
    if (const auto* const slice = std::get_if<Slice>(&piece)) {
      reader.read(*slice, detector);
    } else if (cutter.is_long_document_manifest()) {
      return true;
    }
  }
  return true;
}

// The files among `names` that hold an object of our kinds, or a broken one, which needs neither
// rendering nor decryption. Each file occurs once. Opens no link out of its repository.
std::vector<std::string> files_with_objects(const std::vector<std::string>& names) {
  ManifestReader reader;
  std::set<std::string> seen;
  std::vector<std::string> files;
  for (const std::string& name : names) {
    if (!seen.insert(name).second || leads_out_of_repository(name)) continue;
    if (holds_objects(name, reader)) files.push_back(name);
  }
  return files;
}

// The inputs of one configuration, with everything that evaluates them.
struct Part {
  explicit Part(const ConfiguredInputs& inputs) : given(inputs) {}
  Part(const Part&) = delete;  // old objects refer to members
  Part& operator=(const Part&) = delete;

  const Options& options() const { return given.resolved.options; }

  const ConfiguredInputs& given;
  FindingFilter filter;
  EvaluationOptions evaluation_options;
  std::optional<LoadedOldObjects> old;
};

// Returns why the part cannot be evaluated; empty on success.
std::string prepare(Part& part) {
  auto chosen = FindingFilter::of(part.options());
  if (auto* const reason = std::get_if<std::string>(&chosen)) return std::move(*reason);
  part.filter = std::get<FindingFilter>(std::move(chosen));
  auto known = read_evaluation_options(part.options());
  if (auto* const fault = std::get_if<EvaluationOptionsFault>(&known))
    return std::move(fault->reason);
  part.evaluation_options = std::get<EvaluationOptions>(std::move(known));
  auto old = load_old_objects(part.options(), part.evaluation_options, part.given.holds_for);
  if (auto* const fault = std::get_if<OldObjectsFault>(&old)) return std::move(fault->reason);
  part.old = std::get<std::optional<LoadedOldObjects>>(std::move(old));
  return {};
}

// One run over all inputs, configuration by configuration.
class Validation {
 public:
  Validation(const Options& options, Streams& streams)
      : options_(options),
        streams_(streams),
        started_(clock_.monotonic()),
        outputs_(streams),
        progress_(streams.err, streams.err_is_terminal && !options.quiet, clock_),
        notes_(streams.err) {}

  int run(const InputGroups& groups) {
    if (groups.groups.size() > 1 && !options_.old_path.empty()) {
      return refuse(streams_, several_configurations(groups) +
                                  "; --old compares those of one: give them one after the other, "
                                  "or say --config FILE");
    }
    dropped_exclusions_ = groups.dropped_exclusions;
    for (const ConfiguredInputs& group : groups.groups) {
      if (std::string reason = add(group); !reason.empty()) return refuse(streams_, reason);
    }
    count_skipped_inputs(groups);
    FixedInputs fixed;
    if (options_.fix) fixed = fix();
    if (options_.diff) {
      report_silencing();
      report_unchecked();
      if (fixed.failed > 0) return kExitUnusable;
      return fixed.files > 0 ? kExitInvalid : kExitValid;
    }
    if (std::string reason = open_reports(); !reason.empty()) return refuse(streams_, reason);
    const int code = validate();
    report_silencing();
    report_unchecked();
    if (const std::string reason = outputs_.close(); !reason.empty()) {
      return refuse(streams_, reason);
    }
    if (!options_.write_baseline_file.empty()) {
      return write_baseline(options_, summary_, found_, streams_);
    }
    report_unused_baseline();
    if (fixed.failed > 0) return kExitUnusable;
    if (code == kExitInvalid && summary_.invalid == 0) explain_code();
    return code;
  }

 private:
  // A patch with objects is reported at the end, also with --quiet.
  void count_skipped_inputs(const InputGroups& groups) {
    summary_.patches = groups.patches.size();
    summary_.chart_templates = groups.chart_templates.size();
    std::vector<std::string> patches = groups.patches;
    note_unchecked(SkipReason::kChartTemplate, groups.chart_templates);
    note_unchecked(SkipReason::kPatch, groups.patches);
    if (const auto found = summary_.unchecked.find(SkipReason::kPatch);
        found != summary_.unchecked.end()) {
      const std::set<std::string> reported(found->second.begin(), found->second.end());
      std::erase_if(patches, [&](const std::string& name) { return reported.contains(name); });
    }
    if (!options_.quiet) report_skipped_inputs(groups.charts, patches, groups.notes, streams_);
  }

  void note_unchecked(SkipReason why, const std::vector<std::string>& names) {
    std::vector<std::string> files = files_with_objects(names);
    if (!files.empty()) summary_.unchecked.emplace(why, std::move(files));
  }

  // Also with --quiet: a repository must not silently hide objects from its check.
  void report_unchecked() {
    for (const std::string& text : unchecked_texts(summary_)) {
      streams_.err << kProgramName << ": warning: " << text << '\n';
    }
  }

  // Also with --quiet: a repository must not silently disable its own check.
  void report_silencing() {
    std::vector<std::string> lines = dropped_exclusions_;
    for (const Part& part : parts_) {
      const std::string line = in_one_line(part.given.resolved);
      if (!line.empty()) lines.push_back(line);
    }
    for (const std::string& line : lines) {
      streams_.err << kProgramName << ": warning: " << line << " (" << kSilencedNote << ")\n";
    }
  }

  // "FILE:1: skip: *; line 2: only: dgd.*".
  static std::string in_one_line(const ResolvedOptions& resolved) {
    std::string prefix;
    append_printable(prefix, resolved.file);
    prefix += ':';
    std::string line;
    for (const std::string& setting : silencing_settings(resolved)) {
      if (line.empty()) {
        line = setting;
      } else {
        line += "; line " + setting.substr(setting.starts_with(prefix) ? prefix.size() : 0);
      }
    }
    return line;
  }

  std::vector<std::string> silenced_by() const {
    std::vector<std::string> settings = dropped_exclusions_;
    for (const Part& part : parts_) {
      std::ranges::move(silencing_settings(part.given.resolved), std::back_inserter(settings));
    }
    return settings;
  }

  // Returns why the group cannot be evaluated; empty on success.
  std::string add(const ConfiguredInputs& group) {
    Part& part = parts_.emplace_back(group);
    std::string reason = prepare(part);
    const std::string& baseline = part.options().baseline_file;
    if (!reason.empty() || baseline.empty()) return reason;
    const auto same = std::ranges::find_if(
        parts_, [&](const Part& other) { return other.options().baseline_file == baseline; });
    if (&*same != &part) part.filter.share_baseline(same->filter);
    return {};
  }

  FixedInputs fix() {
    FixedInputs all;
    for (const Part& part : parts_) {
      const FixedInputs fixed = fix_inputs(part.options(), part.given.inputs,
                                           part.evaluation_options, part.filter, streams_);
      all.fixes += fixed.fixes;
      all.files += fixed.files;
      all.failed += fixed.failed;
    }
    return all;
  }

  // Returns why the reports cannot be written; empty on success.
  std::string open_reports() {
    if (std::string reason = overwritten(); !reason.empty()) return reason;
    const bool all_fail = std::ranges::all_of(
        parts_, [](const Part& part) { return part.options().warnings_as_errors; });
    return outputs_.open(options_, all_fail, silenced_by(), streams_);
  }

  // Why an output must not be written; empty: all may be written.
  std::string overwritten() const {
    const OutputFiles output_files(options_);
    if (std::string reason = output_files.duplicate(); !reason.empty()) return reason;
    for (const Part& part : parts_) {
      for (const auto& [what, file] : {std::pair<std::string_view, const std::string&>{
                                           "the policy", part.options().policy_file},
                                       {"the configuration", part.given.resolved.file}}) {
        if (std::string reason = output_files.conflict_with(what, file); !reason.empty())
          return reason;
      }
      for (const Input& input : part.given.inputs) {
        if (std::string reason = output_files.conflict_with("an input", input.name);
            !reason.empty()) {
          return reason;
        }
      }
    }
    return {};
  }

  // Returns the exit code.
  int validate() {
    for (const ReportStream& report : outputs_.reports()) report.reporter->begin();
    int code = kExitValid;
    for (Part& part : parts_) {
      code = std::max(code, validate(part));
      if (!streams_.out.good()) break;
    }
    progress_.clear();
    summary_.repeated = repeated_.count();
    summary_.elapsed =
        std::chrono::duration_cast<std::chrono::milliseconds>(clock_.monotonic() - started_);
    for (const ReportStream& report : outputs_.reports()) report.reporter->end(summary_);
    std::vector<DeletedObject> gone;
    for (const Part& part : parts_) {
      if (!part.old) continue;
      notes_.print_unreadable_elsewhere(part.old->objects);
      std::ranges::move(part.old->objects.gone(), std::back_inserter(gone));
    }
    if (!options_.quiet && streams_.out.good()) repeated_.print(streams_.err);
    if (!options_.quiet) print_gone(gone, streams_.err);
    if (options_.require_objects && summary_.objects == 0) {
      lacking_.emplace_back("--require-objects");
      code = std::max<int>(code, kExitInvalid);
    }
    return code;
  }

  int validate(Part& part) {
    const Summary before = summary_;
    const bool writes_baseline = !options_.write_baseline_file.empty();
    ReportingSink sink(part.options(), outputs_.reports(), progress_, summary_, repeated_,
                       part.filter, writes_baseline ? &found_ : nullptr);
    if (part.old) {
      notes_.print(*part.old);
      for (const InputFault& fault : part.old->faults) sink.fault(fault);
    }
    const auto source = input_source(part.given.inputs, streams_.in);
    run_pipeline(*source, part.evaluation_options, part.old ? &part.old->objects : nullptr,
                 {.jobs = options_.jobs, .strict_versions = part.options().strict_versions}, sink);
    // Faults take precedence: the verdict does not cover everything that was requested.
    if (summary_.faults > before.faults) return kExitUnusable;
    // A requirement on the command line applies to all inputs together.
    const bool lacks_objects = part.options().require_objects && !options_.require_objects &&
                               summary_.objects == before.objects;
    if (lacks_objects) {
      std::string& who = lacking_.emplace_back("require-objects of ");
      append_printable(who, part.given.resolved.file);
    }
    const bool is_valid = summary_.invalid == before.invalid &&
                          summary_.failing_warnings == before.failing_warnings && !lacks_objects;
    return is_valid ? kExitValid : kExitInvalid;
  }

  // Baselines that parts share count once.
  void report_unused_baseline() {
    if (options_.quiet) return;
    std::size_t unused = 0;
    std::set<std::string> files;
    for (const Part& part : parts_) {
      if (files.insert(part.options().baseline_file).second) unused += part.filter.unused_entries();
    }
    if (unused == 0) return;
    streams_.err << kProgramName << ": " << count_of(unused, "finding") << " of the baseline "
                 << (unused == 1 ? "was" : "were")
                 << " not found again; write it again with --write-baseline\n";
  }

  // Explains an exit code that no finding explains.
  void explain_code() {
    for (const std::string& who : lacking_) {
      streams_.err << kProgramName
                   << ": there must be an object of nvidia.com/v1alpha1 to "
                      "validate "
                   << '(' << who << "); found none\n";
    }
    if (!options_.quiet || summary_.failing_warnings == 0) return;
    streams_.err << kProgramName << ": " << count_of(summary_.failing_warnings, "warning")
                 << (summary_.failing_warnings == 1 ? " counts as an error" : " count as errors")
                 << " (--warnings-as-errors)\n";
  }

  const Options& options_;  // of the command line; each part has its own
  Streams& streams_;
  const runtime::SystemClock clock_;
  const std::chrono::steady_clock::time_point started_;
  Outputs outputs_;
  Progress progress_;
  HistoryNotes notes_;
  std::vector<std::string> dropped_exclusions_;
  std::deque<Part> parts_;
  Summary summary_;
  RepeatedObjects repeated_;
  Baseline found_;
  std::vector<std::string> lacking_;  // sources of an unmet require-objects
};

}  // namespace

int run_validate(const Options& options, Streams& streams) {
  auto found = with_configurations(options);
  if (const auto* const reason = std::get_if<std::string>(&found)) return refuse(streams, *reason);
  auto& groups = std::get<InputGroups>(found);
  groups.drop_empty();
  return Validation(options, streams).run(groups);
}

}  // namespace dynamo::cli
