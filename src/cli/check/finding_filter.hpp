// Which findings are reported: selected by options, excused by an object's annotation, or known
// from a baseline. Findings that are not reported do not count.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "admission/ignores.hpp"
#include "cli/check/baseline.hpp"
#include "cli/options/options.hpp"
#include "cli/report/report.hpp"
#include "json/document.hpp"

namespace dynamo::cli {

// "dynamo-admission.nvidia.com/ignore: RULE[,RULE]", ids or globs, on an object, with the reason in
// the other annotation. Without a reason the annotation excuses nothing.
using admission::kIgnoreAnnotation;
using admission::kIgnoreReasonAnnotation;

// The request in an object's annotations; empty if they are absent.
IgnoreRequest ignore_request_of(json::Value metadata);

// Immutable except for the baseline's counts; for one thread.
class FindingFilter {
 public:
  // On failure returns one line: why the options select nothing that exists, or why the baseline
  // cannot be read.
  static std::variant<FindingFilter, std::string> of(const Options& options);

  // Removes findings that are not reported, and counts them.
  void apply(ObjectReport& report, Summary& summary);

  // The number of baseline entries without a finding: those findings are fixed.
  std::size_t unused_entries() const { return baseline_->unused(); }

  // Shares the entries, and which are used, with a filter that read the same baseline file.
  void share_baseline(const FindingFilter& other) { baseline_ = other.baseline_; }

 private:
  bool is_chosen(const Finding& finding) const;
  bool excuse(ObjectReport& report) const;

  std::vector<std::string> only_;
  std::vector<std::string> skipped_;
  bool errors_only_ = false;
  bool ignores_ = true;
  std::shared_ptr<Baseline> baseline_ = std::make_shared<Baseline>();
};

}  // namespace dynamo::cli
