#include "cli/check/finding_filter.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "cli/options/rule_globs.hpp"
#include "cli/report/wording.hpp"
#include "text/blanks.hpp"
#include "text/glob.hpp"
#include "validators/ignore_list.hpp"

namespace dynamo::cli {
namespace {

bool matches_any(std::span<const std::string> globs, std::string_view rule) {
  return std::ranges::any_of(
      globs, [rule](const std::string& glob) { return text::matches_glob(glob, rule); });
}

// `disregarded` is the first finding that the annotation would excuse, if any.
void add_no_reason(ObjectReport& report, std::vector<Finding>::const_iterator disregarded) {
  if (disregarded == report.findings.end()) return;
  report.findings.push_back({Level::kWarning,
                             disregarded->rule,
                             "metadata.annotations[" + std::string(kIgnoreAnnotation) + "]",
                             {},
                             std::string(admission::kNoReason),
                             report.ignore.place});
}

// Findings that an author may excuse: warnings, and errors that the operator's own webhooks would
// admit.
bool can_be_excused(const Finding& finding) {
  if (finding.level == Level::kWarning) return true;
  return admission::can_be_ignored(finding.rule);
}

}  // namespace

IgnoreRequest ignore_request_of(json::Value metadata) {
  const json::Value annotations = metadata["annotations"];
  const std::string_view rules = annotations[kIgnoreAnnotation].string_or_empty();
  if (rules.empty()) return {};
  std::string reason{annotations[kIgnoreReasonAnnotation].string_or_empty()};
  if (reason.find_first_not_of(text::kBlanks) == std::string::npos) reason.clear();
  const validators::IgnoreList list(rules);
  return {{list.entries().begin(), list.entries().end()}, std::move(reason), {}};
}

std::variant<FindingFilter, std::string> FindingFilter::of(const Options& options) {
  for (const auto& [name, globs] :
       {std::pair<std::string_view, const std::vector<std::string>&>{"--only", options.only_rules},
        {"--skip", options.skipped_rules}}) {
    if (const auto reason = find_useless(globs)) return std::string(name) + ' ' + *reason;
  }
  FindingFilter filter;
  filter.only_ = options.only_rules;
  filter.skipped_ = options.skipped_rules;
  filter.errors_only_ = options.errors_only || options.least_severity == Level::kError;
  filter.ignores_ = !options.no_ignores;
  if (options.baseline_file.empty() || !options.write_baseline_file.empty()) return filter;
  auto baseline = read_baseline(options.baseline_file);
  if (auto* const reason = std::get_if<std::string>(&baseline)) {
    std::string line = "--baseline ";
    append_printable(line, options.baseline_file);
    return line + ": " + *reason;
  }
  *filter.baseline_ = std::get<Baseline>(std::move(baseline));
  return filter;
}

void FindingFilter::apply(ObjectReport& report, Summary& summary) {
  if (report.findings.empty()) return;
  summary.unselected +=
      std::erase_if(report.findings, [this](const Finding& each) { return !is_chosen(each); });
  drop_reported_better(report.findings);
  if (ignores_ && excuse(report)) summary.excused += report.excused.size();
  // While some errors are omitted, no error is removed, as on the server.
  const bool all_are_seen = report.omitted_errors == 0;
  summary.known += std::erase_if(report.findings, [&](const Finding& each) {
    return (all_are_seen || each.level == Level::kWarning) && baseline_->take(report, each);
  });
}

bool FindingFilter::is_chosen(const Finding& finding) const {
  if (errors_only_ && finding.level == Level::kWarning) return false;
  if (!only_.empty() && !matches_any(only_, finding.rule)) return false;
  return !matches_any(skipped_, finding.rule);
}

bool FindingFilter::excuse(ObjectReport& report) const {
  const IgnoreRequest& request = report.ignore;
  if (request.rules.empty()) return false;
  const bool all_are_seen = report.omitted_errors == 0;
  const auto is_kept = [&request, all_are_seen](const Finding& finding) {
    if (finding.level == Level::kError && !all_are_seen) return true;
    return !matches_any(request.rules, finding.rule) || !can_be_excused(finding);
  };
  if (request.reason.empty()) {
    if (!errors_only_) {
      add_no_reason(report, std::ranges::find_if_not(report.findings, is_kept));
    }
    return false;
  }
  const auto first = std::stable_partition(report.findings.begin(), report.findings.end(), is_kept);
  report.excused.assign(std::make_move_iterator(first),
                        std::make_move_iterator(report.findings.end()));
  report.findings.erase(first, report.findings.end());
  std::ranges::stable_sort(report.excused, {}, [](const Finding& finding) {
    return std::pair{finding.place.line, finding.place.column};
  });
  return !report.excused.empty();
}

}  // namespace dynamo::cli
