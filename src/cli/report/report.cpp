#include "cli/report/report.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace dynamo::cli {

bool ObjectReport::is_valid() const {
  return omitted_errors == 0 && std::ranges::none_of(findings, [](const Finding& finding) {
           return finding.level == Level::kError;
         });
}

std::vector<const Finding*> ObjectReport::findings_by_place() const {
  std::vector<const Finding*> sorted;
  sorted.reserve(findings.size());
  for (const Finding& finding : findings) sorted.push_back(&finding);
  const auto key = [this](const Finding* finding) {
    const Place& at = finding->place.line > 0 ? finding->place : place;
    return std::tuple<std::uint32_t, std::uint32_t, std::string_view>(at.line, at.column,
                                                                      finding->field);
  };
  std::ranges::stable_sort(sorted, {}, key);
  return sorted;
}

void drop_reported_better(std::vector<Finding>& findings) {
  const auto is_reported = [](const std::vector<Finding>& all, const Finding& finding) {
    return !finding.reported_by.empty() &&
           std::ranges::any_of(all, [&finding](const Finding& other) {
             return other.level == Level::kError && other.rule == finding.reported_by &&
                    other.field == finding.reported_at;
           });
  };
  if (std::ranges::all_of(findings, &std::string_view::empty, &Finding::reported_by)) return;
  std::vector<Finding> kept;
  kept.reserve(findings.size());
  for (const Finding& finding : findings) {
    if (!is_reported(findings, finding)) kept.push_back(finding);
  }
  findings = std::move(kept);
}

}  // namespace dynamo::cli
