// The doctor's findings: one line per checked item.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dynamo::doctor {

enum class Level : std::uint8_t {
  kOk,
  kSkipped,  // could not be checked from here; the text says why
  kWarning,  // works now, but will cause trouble
  kFailed,   // is broken, or breaks at the next incident
};

// "ok", "skipped", "warning", "failed".
std::string_view to_string(Level level);

struct CheckFinding {
  Level level;
  std::string_view check;  // the check's id, stable
  std::string subject;     // "ValidatingWebhookConfiguration/dynamo-admission webhook v.example"
  std::string text;        // what must hold and what was found, one line
  std::string remedy;      // what to do; may be empty
};

// "team-a/x, team-a/y and 3 more": at most five names.
std::string join_names(const std::vector<std::string>& names);

// Collects the findings of one check.
class Findings {
 public:
  explicit Findings(std::vector<CheckFinding>& list) : list_(list) {}

  void begin(std::string_view check) { check_ = check; }
  void ok(std::string subject, std::string text) {
    add({Level::kOk, check_, std::move(subject), std::move(text), {}});
  }
  void skipped(std::string subject, std::string text, std::string remedy = {}) {
    add({Level::kSkipped, check_, std::move(subject), std::move(text), std::move(remedy)});
  }
  void warning(std::string subject, std::string text, std::string remedy) {
    add({Level::kWarning, check_, std::move(subject), std::move(text), std::move(remedy)});
  }
  void failed(std::string subject, std::string text, std::string remedy) {
    add({Level::kFailed, check_, std::move(subject), std::move(text), std::move(remedy)});
  }
  void report(Level level, std::string subject, std::string text, std::string remedy) {
    add({level, check_, std::move(subject), std::move(text), std::move(remedy)});
  }
  // Whether the running check has added anything other than kOk.
  bool has_trouble() const;

 private:
  void add(CheckFinding finding) { list_.push_back(std::move(finding)); }

  std::vector<CheckFinding>& list_;
  std::string_view check_;
};

}  // namespace dynamo::doctor
