// Which findings are heard: what the options choose, what an object's annotation excuses, and what
// a baseline knows already. Whatever is not heard does not count.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "admission/ignores.hpp"
#include "cli/baseline.hpp"
#include "cli/formats/report.hpp"
#include "cli/options/options.hpp"
#include "json/document.hpp"

namespace dynamo::cli {

// "dynamo-admission.nvidia.com/ignore: RULE[,RULE]", ids or globs, on an object, with the reason in
// the other annotation. Without a reason nothing is excused.
using admission::kIgnoreAnnotation;
using admission::kIgnoreReasonAnnotation;

// What the annotations of an object say; empty when they are not there.
IgnoreRequest ignore_request_of(json::Value metadata);

// Why a glob, or a list of them as an option takes it, chooses no rule: "must match …"; nothing
// when each matches one.
std::optional<std::string> why_no_rule(std::string_view globs);

// Immutable but for the baseline's counts; for one thread.
class Choice {
 public:
  // Answers why the options choose nothing that there is, or why the baseline cannot be read: one
  // line.
  static std::variant<Choice, std::string> of(const Options& options);

  // Takes out of the report what is not heard, and counts it.
  void apply(ObjectReport& report, Summary& summary);

  // How many entries of the baseline nothing was found for; they are mended.
  std::size_t mended() const { return baseline_->unused(); }

  // Both have read the same file: what one has found is found.
  void share_baseline(const Choice& other) { baseline_ = other.baseline_; }

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
