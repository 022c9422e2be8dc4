// What the doctor says: one line per thing that was looked at.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dynamo::doctor {

enum class Level : std::uint8_t {
  kOk,
  kSkipped,  // could not be looked at from here; says why
  kWarning,  // works, but will hurt some day
  kFailed,   // is broken, or will be at the next incident
};

// "ok", "skipped", "warning", "failed".
std::string_view to_string(Level level);

struct Finding {
  Level level;
  std::string_view check;  // the check's id, stable
  std::string subject;     // "ValidatingWebhookConfiguration/dynamo-admission webhook v.example"
  std::string text;        // what must hold and what was found, one line
  std::string remedy;      // what to do; empty when there is nothing to do
};

// Collects what one check says.
class Findings {
 public:
  explicit Findings(std::vector<Finding>& list) : list_(list) {}

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
  void say(Level level, std::string subject, std::string text, std::string remedy) {
    add({level, check_, std::move(subject), std::move(text), std::move(remedy)});
  }
  // Whether the check that runs has said anything but kOk.
  bool troubled() const;

 private:
  void add(Finding finding) { list_.push_back(std::move(finding)); }

  std::vector<Finding>& list_;
  std::string_view check_;
};

}  // namespace dynamo::doctor
