// What the library's border is thin around: an evaluator that never changes, and the judging desk
// that reuses its memory. Statuses instead of exceptions for everything that a caller can get
// wrong.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "admission/dry_run.hpp"
#include "admission/evaluate.hpp"
#include "admission/review.hpp"
#include "api/context.hpp"
#include "json/document.hpp"
#include "json/parser.hpp"
#include "library/include/dynamo_admission.h"
#include "library/settings_text.hpp"

namespace dynamo::library {

using Status = dynamo_admission_status;

// Why a call failed; a status of OK means that it did not.
struct Failure {
  Status status = DYNAMO_ADMISSION_OK;
  std::string reason;  // one line

  bool failed() const { return status != DYNAMO_ADMISSION_OK; }
};

// Settings and policy. Immutable once it is filled; then any number of threads may read it.
struct Evaluator {
  EvaluatorSettings settings = default_settings();
  std::optional<admission::Policy> policy;
  admission::NoNamespaceLeases leases;

  // Reads both texts; an absent one is the default. On a failure the evaluator is unusable.
  Failure fill(std::optional<std::string_view> settings_text,
               std::optional<std::string_view> policy_text);
};

// What is known of the world at one call.
struct Facts {
  api::ClusterFacts cluster;
  // Far in the future when it is not known, so that every exemption has expired.
  std::chrono::system_clock::time_point now = std::chrono::system_clock::time_point::max();
};

// One object to judge. Views of the caller's; nothing of them is kept.
struct Request {
  std::string_view operation;
  std::optional<std::string_view> object;
  std::optional<std::string_view> old_object;
  std::optional<std::string_view> user;
  std::optional<std::string_view> namespace_name;
  std::optional<std::string_view> name;
  std::optional<std::string_view> sub_resource;
  bool dry_run = false;
  bool with_schema = false;
  bool strict = false;  // with the schema: unknown and duplicate fields deny
};

// A cause or a warning, with texts of its own.
struct Finding {
  std::string field;
  std::string reason;
  std::string message;
  std::string detail;
  std::string rule;
};

// What is said of the last object or review.
struct Verdict {
  bool allowed = false;
  std::string exemption;
  std::string message;
  std::string patch;
  std::string stored;
  std::vector<Finding> causes;
  std::vector<Finding> warnings;
  std::size_t causes_omitted = 0;
  std::size_t warnings_omitted = 0;
  std::string answer;
  unsigned http_status = 0;

  // Back to "not allowed, nothing said"; keeps the memory.
  void clear();
};

// Judges one thing after the other with the same memory. Not thread-safe.
class Desk {
 public:
  // A call with arguments begins: the verdict is that of a new desk again. The texts of the one
  // before stay where they are until finish(), for they may be the arguments.
  void begin();
  void finish();

  // Sets the defaults, then judges the defaulted object. On a failure the verdict is cleared.
  Failure evaluate(const Evaluator& evaluator, const Request& request, const Facts& facts);

  // Answers the whole review as the server does on `path`.
  Failure review(const Evaluator& evaluator, std::string_view path, std::string_view body,
                 const Facts& facts);

  const Verdict& verdict() const { return verdicts_[current_]; }

  // Back to the verdict of a new desk.
  void forget() { verdict().clear(); }

 private:
  struct Text {
    std::string bytes;
    json::Document document;
  };

  Failure read(std::string_view what, std::optional<std::string_view> json, Text& text);
  Failure decode(const Request& request, api::AdmissionRequest& decoded, api::Kind& kind);
  void judge(const Evaluator& evaluator, api::Kind kind, const api::AdmissionRequest& request,
             const Facts& facts);
  Failure judge_with_schema(const Evaluator& evaluator, api::Kind kind,
                            const api::AdmissionRequest& request, bool strict, const Facts& facts);
  void keep_findings(api::Kind kind, const api::AdmissionRequest& request,
                     admission::Exemption exemption, const api::ErrorList& findings);
  void keep_warnings(const api::ErrorList& findings);
  admission::Reviewer& reviewer(admission::Enforcement enforcement);
  void give_back();
  Verdict& verdict() { return verdicts_[current_]; }

  json::Parser parser_;
  Text object_;
  Text old_object_;
  admission::Admitter admitter_;
  // One for each enforcement, made when it is first needed.
  std::array<std::optional<admission::Reviewer>, 2> reviewers_;
  std::optional<admission::DryRun> dry_run_;  // made when it is first needed
  std::string body_;
  // Of this call and of the one before, in turn.
  std::array<Verdict, 2> verdicts_;
  std::size_t current_ = 0;
};

}  // namespace dynamo::library
