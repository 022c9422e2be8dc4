// kubectl dynamo validate
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <ostream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "cli/choice.hpp"
#include "cli/commands/commands.hpp"
#include "cli/fix/fix_inputs.hpp"
#include "cli/formats/wording.hpp"
#include "cli/history/old_objects_load.hpp"
#include "cli/input/inputs.hpp"
#include "cli/input/source_paths.hpp"
#include "cli/judge.hpp"
#include "cli/pipeline.hpp"
#include "cli/pipeline_tally.hpp"
#include "cli/progress.hpp"
#include "runtime/clock.hpp"

namespace dynamo::cli {
namespace {

// Where reports go: standard output first, then files.
class Outputs {
 public:
  explicit Outputs(const Streams& streams) : source_paths_(streams.workspace) {}

  // Answers the name of the first file that cannot be written; empty: all are open.
  std::string open(const Options& options, Streams& streams) {
    std::vector<ReportOutput> wanted = options.outputs;
    if (wanted.empty()) wanted.emplace_back();
    for (const bool to_file : {false, true}) {
      for (const ReportOutput& output : wanted) {
        if (output.file.empty() == to_file) continue;
        std::ostream* out = &streams.out;
        if (to_file) {
          auto file = std::make_unique<std::ofstream>(output.file, std::ios::binary);
          if (!*file) return output.file;
          out = file.get();
          files_.push_back({output.file, std::move(file)});
        }
        ReporterOptions how;
        how.colours =
            !to_file && use_colours(options.colour, streams.out_is_terminal, streams.no_color);
        how.warnings_as_errors = options.warnings_as_errors;
        how.quiet = options.quiet;
        how.source_paths = &source_paths_;
        reports_.push_back({make_reporter(output.format, *out, how), out});
      }
    }
    return {};
  }

  std::vector<ReportStream>& reports() { return reports_; }

  // Answers the name of the first file that could not be written to its end.
  std::string close() {
    for (File& file : files_) {
      file.stream->close();
      if (!*file.stream) return file.name;
    }
    return {};
  }

 private:
  struct File {
    std::string name;
    std::unique_ptr<std::ofstream> stream;
  };
  SourcePaths source_paths_;
  std::vector<File> files_;
  std::vector<ReportStream> reports_;
};

// The first report that would be written over an input; empty: none.
std::string overwritten_input(const std::vector<ReportOutput>& outputs,
                              const std::vector<Input>& inputs) {
  for (const ReportOutput& output : outputs) {
    for (const Input& input : inputs) {
      std::error_code missing;
      if (!output.file.empty() && std::filesystem::equivalent(output.file, input.name, missing)) {
        return output.file;
      }
    }
  }
  return {};
}

void print_notes(const LoadedOldObjects& loaded, std::ostream& err) {
  for (const std::string& note : loaded.notes) err << kProgramName << ": " << note << '\n';
  for (const InputFault& note : loaded.objects.unreadable()) {
    err << kProgramName << ": nothing to compare with at " << where(note) << ": " << note.reason
        << '\n';
  }
}

// Known once the inputs are judged.
void print_unreadable_elsewhere(const OldObjects& objects, std::ostream& err) {
  const auto& faults = objects.unreadable_elsewhere();
  if (faults.empty()) return;
  const InputFault& first = faults.front();
  err << kProgramName << ": not searched for what has been moved: " << where(first) << ": "
      << first.reason;
  if (faults.size() > 1) err << " (and " << faults.size() - 1 << " more)";
  err << '\n';
}

// Nothing is judged of what is gone, but a rename shows here.
void print_gone(const std::vector<GoneObject>& gone, std::ostream& err) {
  constexpr std::size_t kMostShown = 10;
  if (gone.empty()) return;
  err << kProgramName << ": " << count_of(gone.size(), "old object")
      << (gone.size() == 1 ? " is" : " are") << " not among the inputs any more\n";
  for (std::size_t i = 0; i < std::min(gone.size(), kMostShown); ++i) {
    std::string line =
        gone[i].kind + ' ' + gone[i].namespace_name + '/' + gone[i].name + " of " + gone[i].file;
    err << "  ";
    std::string printable;
    append_printable(printable, line);
    err << printable << '\n';
  }
  if (gone.size() > kMostShown) err << "  and " << gone.size() - kMostShown << " more\n";
}

// Why nothing invalid is no success, where nothing else tells.
void explain_code(const Options& options, const Summary& summary, std::ostream& err) {
  if (options.require_objects && summary.objects == 0) {
    err << kProgramName << ": there must be an object of nvidia.com/v1alpha1 to judge "
        << "(--require-objects); found none\n";
    return;
  }
  if (!options.quiet) return;
  err << kProgramName << ": " << count_of(summary.warnings, "warning")
      << (summary.warnings == 1 ? " counts as an error" : " count as errors")
      << " (--warnings-as-errors)\n";
}

int exit_code(const Options& options, const Summary& summary) {
  // Whatever else was found: the verdict is not about everything that was asked.
  if (summary.faults > 0) return kExitUnusable;
  if (summary.invalid > 0) return kExitInvalid;
  if (options.warnings_as_errors && summary.warnings > 0) return kExitInvalid;
  if (options.require_objects && summary.objects == 0) return kExitInvalid;
  return kExitValid;
}

int write_baseline(const Options& options, const Summary& summary, const Baseline& found,
                   Streams& streams) {
  std::ofstream file(options.write_baseline_file, std::ios::binary);
  file << found.text();
  file.close();
  if (!file) {
    return refuse(streams, "the baseline " + options.write_baseline_file + " cannot be written");
  }
  return summary.faults > 0 ? kExitUnusable : kExitValid;
}

void tell_mended(const Options& options, const Choice& choice, std::ostream& err) {
  if (options.quiet || choice.mended() == 0) return;
  err << kProgramName << ": " << count_of(choice.mended(), "finding") << " of the baseline "
      << (choice.mended() == 1 ? "was" : "were")
      << " not found again; write it anew with --write-baseline\n";
}

}  // namespace

int run_validate(const Options& options, Streams& streams) {
  const runtime::SystemClock clock;
  const auto started = clock.monotonic();
  auto chosen = Choice::of(options);
  if (const auto* const reason = std::get_if<std::string>(&chosen)) {
    return refuse(streams, *reason);
  }
  auto& choice = std::get<Choice>(chosen);
  const auto known = circumstances_of(options);
  if (const auto* const fault = std::get_if<CircumstancesFault>(&known)) {
    return refuse(streams, fault->reason);
  }
  const auto& circumstances = std::get<Circumstances>(known);
  auto old = load_old_objects(options, circumstances);
  if (const auto* const fault = std::get_if<OldObjectsFault>(&old)) {
    return refuse(streams, fault->reason);
  }
  const auto& loaded = std::get<std::optional<LoadedOldObjects>>(old);

  const std::vector<Input> inputs = wanted_inputs(options, streams);
  FixedInputs fixed;
  if (options.fix) fixed = fix_inputs(options, inputs, circumstances, choice, streams);
  if (options.diff) return fixed.files > 0 ? kExitInvalid : kExitValid;
  if (const std::string file = overwritten_input(options.outputs, inputs); !file.empty()) {
    return refuse(streams, "the report " + file + " would overwrite an input; name another file");
  }
  Outputs outputs(streams);
  if (const std::string file = outputs.open(options, streams); !file.empty()) {
    return refuse(streams, "the report " + file + " cannot be written");
  }
  Summary summary;
  Progress progress(streams.err, streams.err_is_terminal && !options.quiet, clock);
  RepeatedObjects repeated(options.namespace_name);
  Baseline found;
  const bool writes_baseline = !options.write_baseline_file.empty();
  ReportingSink sink(outputs.reports(), progress, summary, repeated, choice,
                     writes_baseline ? &found : nullptr);
  for (const ReportStream& report : outputs.reports()) report.reporter->begin();
  if (loaded) {
    print_notes(*loaded, streams.err);
    for (const InputFault& fault : loaded->faults) sink.fault(fault);
  }
  const auto source = input_source(inputs, streams.in);
  run_pipeline(*source, circumstances, loaded ? &loaded->objects : nullptr,
               {.jobs = options.jobs, .strict_versions = options.strict_versions}, sink);
  progress.clear();
  summary.repeated = repeated.count();
  summary.elapsed =
      std::chrono::duration_cast<std::chrono::milliseconds>(clock.monotonic() - started);
  for (const ReportStream& report : outputs.reports()) report.reporter->end(summary);
  if (loaded) print_unreadable_elsewhere(loaded->objects, streams.err);
  if (!options.quiet && streams.out.good()) repeated.print(streams.err);
  if (loaded && !options.quiet) print_gone(loaded->objects.gone(), streams.err);
  if (const std::string file = outputs.close(); !file.empty()) {
    return refuse(streams, "the report " + file + " cannot be written");
  }
  if (writes_baseline) return write_baseline(options, summary, found, streams);
  tell_mended(options, choice, streams.err);
  if (fixed.failed > 0) return kExitUnusable;
  const int code = exit_code(options, summary);
  if (code == kExitInvalid && summary.invalid == 0) explain_code(options, summary, streams.err);
  return code;
}

}  // namespace dynamo::cli
