#include "cli/check/pipeline_tally.hpp"

#include <algorithm>
#include <ostream>
#include <string>
#include <variant>
#include <vector>

namespace dynamo::cli {

void count(const ObjectReport& report, Summary& summary) {
  ++summary.objects;
  if (!report.is_valid()) ++summary.invalid;
  for (const Finding& finding : report.findings) {
    ++(finding.level == Level::kError ? summary.errors : summary.warnings);
    if (finding.level == Level::kWarning && report.warnings_fail) ++summary.failing_warnings;
  }
  summary.omitted += report.omitted_findings;
  if (report.warnings_fail) {
    summary.failing_warnings += report.omitted_findings - report.omitted_errors;
  }
}

void count_rest(const Batch& batch, Summary& summary) {
  summary.files += batch.begins_input ? 1 : 0;
  summary.ignored += batch.ignored;
  summary.no_manifests += batch.no_manifests;
  summary.templates += batch.templates;
  summary.encrypted += batch.encrypted;
  for (const SkipReason why : batch.unchecked) {
    std::vector<std::string>& files = summary.unchecked[why];
    if (files.empty() || files.back() != batch.file) files.push_back(batch.file);
  }
  summary.other_versions += batch.other_versions.size() + batch.unserved;
  summary.unserved += batch.unserved;
  constexpr std::size_t kMaxNames = 4;
  for (const std::string& name : batch.other_versions) {
    if (summary.other_version_names.size() < kMaxNames) summary.other_version_names.insert(name);
  }
  summary.faults += static_cast<std::size_t>(std::ranges::count_if(
      batch.entries, [](const auto& entry) { return std::holds_alternative<InputFault>(entry); }));
}

void ReportingSink::fault(const InputFault& fault) {
  progress_.clear();
  ++summary_.faults;
  for (const ReportStream& stream : streams_) stream.reporter->fault(fault);
}

bool ReportingSink::take(Batch batch) {
  count_rest(batch, summary_);
  for (auto& entry : batch.entries) {
    if (const auto* const fault = std::get_if<InputFault>(&entry)) {
      progress_.clear();
      for (const ReportStream& stream : streams_) stream.reporter->fault(*fault);
      continue;
    }
    ObjectReport& report = std::get<ValidatedObject>(entry).report;
    filter_.apply(report, summary_);
    if (found_ != nullptr) {
      for (const Finding& finding : report.findings) found_->add(report, finding);
    }
    report.warnings_fail = options_.warnings_as_errors;
    count(report, summary_);
    repeated_.note(report, options_.namespace_name);
    if (!report.findings.empty() || !report.exemption.empty() || !report.excused.empty()) {
      progress_.clear();
    }
    for (const ReportStream& stream : streams_) stream.reporter->object(report);
  }
  progress_.show(summary_);
  return streams_.front().out->good();
}

}  // namespace dynamo::cli
