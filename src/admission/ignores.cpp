#include "admission/ignores.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "text/blanks.hpp"
#include "text/presentable.hpp"
#include "validators/catalog.hpp"
#include "validators/ignore_list.hpp"
#include "validators/rule_groups.hpp"
#include "validators/severities.hpp"

namespace dynamo::admission {
namespace {

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(text::kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(text::kBlanks) - first + 1);
}

struct IgnoreCount {
  std::string_view rule;
  std::size_t findings = 0;
};

void count(std::string_view rule, std::vector<IgnoreCount>& ignored) {
  auto at = std::ranges::find(ignored, rule, &IgnoreCount::rule);
  if (at == ignored.end()) at = ignored.insert(at, IgnoreCount{rule});
  ++at->findings;
}

std::string annotation_field() {
  return "metadata.annotations[" + std::string(kIgnoreAnnotation) + "]";
}

api::Warning warning_of(const IgnoreCount& ignored, std::string_view reason) {
  constexpr std::size_t kShown = 80;
  std::string detail = std::to_string(ignored.findings);
  detail += ignored.findings == 1 ? " finding is" : " findings are";
  detail += " ignored, as the annotation asks, because: ";
  text::append_presentable(detail, reason, kShown);
  return {annotation_field(), std::move(detail), ignored.rule, false};
}

// Adds no warning if the annotation would remove no finding.
void warn_of_no_reason(const validators::IgnoreList& list, api::ErrorList& findings) {
  std::string_view rule;
  for (const api::Error& error : findings.errors()) {
    if (rule.empty() && list.matches(error.rule) && can_be_ignored(error.rule)) rule = error.rule;
  }
  for (const api::Warning& warning : findings.warnings()) {
    if (rule.empty() && !warning.excused && list.matches(warning.rule)) rule = warning.rule;
  }
  if (rule.empty()) return;
  findings.warn_first({{annotation_field(), std::string(kNoReason), rule, false}});
  findings.sort_by_field();
}

}  // namespace

bool can_be_ignored(std::string_view rule) {
  const validators::Rule* const found = validators::find_rule(rule);
  if (found == nullptr || validators::protected_rules().test(validators::index_of(*found))) {
    return false;
  }
  // Rules of the operator, of either generation: it would refuse the object anyway.
  if (validators::phase_of(found->function) == validators::Phase::kHub) return false;
  const auto is_it = [rule](const validators::Rule& each) { return each.id == rule; };
  return std::ranges::none_of(validators::rule_group("operator"), is_it) &&
         std::ranges::none_of(validators::rule_group("policy"), is_it);
}

void remove_ignored_findings(json::Value object, Decision& decision) {
  api::ErrorList& findings = decision.findings;
  if (findings.empty()) return;
  const json::Value annotations = object["metadata"]["annotations"];
  const std::string_view rules = annotations[kIgnoreAnnotation].string_or_empty();
  const std::string_view reason = trimmed(annotations[kIgnoreReasonAnnotation].string_or_empty());
  if (rules.empty()) return;
  const validators::IgnoreList list(rules);
  if (reason.empty()) return warn_of_no_reason(list, findings);
  std::vector<IgnoreCount> ignored;
  if (findings.omitted_errors() == 0) {
    findings.drop_errors_from(0, [&](const api::Error& error) {
      if (!list.matches(error.rule) || !can_be_ignored(error.rule)) return false;
      count(error.rule, ignored);
      ++decision.ignored_errors;
      return true;
    });
  }
  findings.drop_warnings_from(0, [&](const api::Warning& warning) {
    if (warning.excused || !list.matches(warning.rule)) return false;
    count(warning.rule, ignored);
    ++decision.ignored_warnings;
    return true;
  });
  if (ignored.empty()) return;
  std::vector<api::Warning> warnings;
  warnings.reserve(ignored.size());
  for (const IgnoreCount& each : ignored) warnings.push_back(warning_of(each, reason));
  findings.warn_first(std::move(warnings));
  findings.sort_by_field();
}

}  // namespace dynamo::admission
