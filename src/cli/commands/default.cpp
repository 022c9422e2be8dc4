// kubectl dynamo default
#include <memory>
#include <ostream>
#include <string>
#include <string_view>

#include "cli/check/pipeline.hpp"
#include "cli/check/pipeline_tally.hpp"
#include "cli/check/validator.hpp"
#include "cli/commands/commands.hpp"
#include "cli/formats/formats.hpp"
#include "cli/history/old_objects_load.hpp"
#include "cli/input/inputs.hpp"
#include "cli/report/wording.hpp"
#include "json/visible.hpp"

namespace dynamo::cli {
namespace {

// Prints what would be stored, and on standard error why an object would not be.
class StoredSink final : public BatchSink {
 public:
  StoredSink(const Options& options, Streams& streams)
      : streams_(streams), is_yaml_(options.object_format == ObjectFormat::kYaml) {
    ReporterOptions how;
    how.colours = should_use_colours(options.colour, streams.err_is_terminal, streams.no_color);
    how.quiet = true;
    reporter_ = make_reporter(Format::kText, streams.err, how);
  }

  void fault(const InputFault& fault) {
    ++summary_.faults;
    reporter_->fault(fault);
  }

  bool take(Batch batch) override {
    count_rest(batch, summary_);
    for (auto& entry : batch.entries) {
      if (const auto* const fault = std::get_if<InputFault>(&entry)) {
        reporter_->fault(*fault);
        continue;
      }
      auto& validated = std::get<ValidatedObject>(entry);
      drop_reported_better(validated.report.findings);
      count(validated.report, summary_);
      reporter_->object(validated.report);
      if (validated.report.is_valid()) print(validated.stored);
    }
    return streams_.out.good();
  }

  const Summary& summary() const { return summary_; }

 private:
  void print(std::string_view stored) {
    if (is_yaml_ && printed_) streams_.out << "---\n";
    if (is_yaml_) {
      streams_.out << stored;
    } else {
      std::string line;
      json::append_visible(line, stored);
      streams_.out << line << '\n';
    }
    printed_ = true;
  }

  Streams& streams_;
  bool is_yaml_;
  bool printed_ = false;
  std::unique_ptr<Reporter> reporter_;
  Summary summary_;
};

}  // namespace

int run_default(const Options& options, Streams& streams) {
  const auto known = read_evaluation_options(options);
  if (const auto* const fault = std::get_if<EvaluationOptionsFault>(&known)) {
    return refuse(streams, fault->reason);
  }
  const auto& evaluation_options = std::get<EvaluationOptions>(known);
  auto old = load_old_objects(options, evaluation_options);
  if (const auto* const fault = std::get_if<OldObjectsFault>(&old)) {
    return refuse(streams, fault->reason);
  }
  const auto& loaded = std::get<std::optional<LoadedOldObjects>>(old);
  StoredSink sink(options, streams);
  if (loaded) {
    for (const InputFault& fault : loaded->faults) sink.fault(fault);
  }
  const bool is_yaml = options.object_format == ObjectFormat::kYaml;
  const auto source = input_source(wanted_inputs(options, streams), streams.in);
  run_pipeline(*source, evaluation_options, loaded ? &loaded->objects : nullptr,
               {.jobs = options.jobs, .stored = is_yaml ? StoredForm::kYaml : StoredForm::kJson},
               sink);
  const Summary& summary = sink.summary();
  report_left_out(summary, options, streams);
  if (summary.faults > 0) return kExitUnusable;
  return summary.invalid > 0 ? kExitInvalid : kExitValid;
}

}  // namespace dynamo::cli
