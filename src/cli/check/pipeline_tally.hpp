// Counts results and passes them to reporters: the last stage of `validate`.
#pragma once

#include <iosfwd>
#include <memory>
#include <vector>

#include "cli/check/baseline.hpp"
#include "cli/check/finding_filter.hpp"
#include "cli/check/pipeline.hpp"
#include "cli/check/repeated.hpp"
#include "cli/report/progress.hpp"
#include "cli/report/report.hpp"

namespace dynamo::cli {

// Adds one object to the counts.
void count(const ObjectReport& report, Summary& summary);

// Adds a batch's counts other than those of its objects.
void count_rest(const Batch& batch, Summary& summary);

// A reporter and the stream it writes to.
struct ReportStream {
  std::unique_ptr<Reporter> reporter;
  std::ostream* out = nullptr;
};

// Reports the inputs of one configuration. Refers to all arguments, which must outlive the sink.
// `found` receives every reported finding; null: not needed.
class ReportingSink final : public BatchSink {
 public:
  ReportingSink(const Options& options, std::vector<ReportStream>& streams, Progress& progress,
                Summary& summary, RepeatedObjects& repeated, FindingFilter& filter, Baseline* found)
      : options_(options),
        streams_(streams),
        progress_(progress),
        summary_(summary),
        repeated_(repeated),
        filter_(filter),
        found_(found) {}

  void fault(const InputFault& fault);

  // False once standard output, the first stream, accepts no more.
  bool take(Batch batch) override;
  void idle() override { progress_.show(summary_); }

 private:
  const Options& options_;
  std::vector<ReportStream>& streams_;
  Progress& progress_;
  Summary& summary_;
  RepeatedObjects& repeated_;
  FindingFilter& filter_;
  Baseline* found_;
};

}  // namespace dynamo::cli
