// The implementation behind the C API: an immutable Evaluator, and an EvaluationContext that
// evaluates requests and reuses its memory. Caller errors become statuses, not exceptions.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "admission/answer.hpp"
#include "admission/dry_run.hpp"
#include "admission/evaluate.hpp"
#include "admission/review.hpp"
#include "api/context.hpp"
#include "conversion/convert.hpp"
#include "json/document.hpp"
#include "json/parser.hpp"
#include "library/include/dynamo_admission.h"

namespace dynamo::library {

using Status = dynamo_admission_status;

// Why a call failed; a status of OK means that it succeeded.
struct Failure {
  Status status = DYNAMO_ADMISSION_OK;
  std::string reason;  // one line

  bool has_failed() const { return status != DYNAMO_ADMISSION_OK; }
};

struct EvaluatorSettings {
  api::Settings settings;
  admission::Enforcement enforcement = admission::Enforcement::kDeny;
};

// The settings for an empty text.
EvaluatorSettings default_settings();

// Settings and policy. Immutable after fill(); then any number of threads may read it.
struct Evaluator {
  EvaluatorSettings settings = default_settings();
  std::optional<admission::Policy> policy;
  admission::NoNamespaceLeases leases;

  // Reads both texts; an absent text means the default. After a failure the evaluator is unusable.
  Failure fill(std::optional<std::string_view> settings_text,
               std::optional<std::string_view> policy_text);
};

// Cluster facts and time for one call.
struct Facts {
  api::ClusterFacts cluster;
  // Far in the future if the time is unknown, so that every exemption has expired.
  std::chrono::system_clock::time_point now = std::chrono::system_clock::time_point::max();
};

// One object to evaluate. Views of the caller's data; none are kept after the call.
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

// A cause or a warning; owns its texts.
struct EvaluatedFinding {
  std::string field;
  std::string reason;
  std::string message;
  std::string detail;
  std::string rule;
};

// The result for the last object or review.
struct Verdict {
  bool allowed = false;
  std::string exemption;
  std::string message;
  std::string patch;
  std::string stored;
  std::vector<EvaluatedFinding> causes;
  std::vector<EvaluatedFinding> warnings;
  std::size_t causes_omitted = 0;
  std::size_t warnings_omitted = 0;
  std::string answer;
  unsigned http_status = 0;
  std::string converted;

  // Resets to "not allowed" without findings; keeps the memory.
  void clear();
};

// Evaluates requests in sequence with the same memory. Not thread-safe.
class EvaluationContext {
 public:
  // Starts a call with arguments: the verdict is reset. The texts of the previous verdict stay
  // valid until finish(), because they may be the arguments.
  void begin();
  void finish();

  // Applies the defaults, then evaluates the defaulted object. On a failure the verdict is cleared.
  Failure evaluate(const Evaluator& evaluator, const Request& request, const Facts& facts);

  // Answers a complete review as the server does on `path`.
  Failure review(const Evaluator& evaluator, std::string_view path, std::string_view body,
                 const Facts& facts);

  // Converts an object to the API version, without a verdict.
  Failure convert(std::optional<std::string_view> object, std::string_view api_version);

  const Verdict& verdict() const { return verdicts_[current_]; }

  // Resets the verdict to that of a new context.
  void forget() { verdict().clear(); }

 private:
  struct Text {
    std::string bytes;
    json::Document document;
  };

  // `metadata_depth`: as skip_managed_fields_at of the parser.
  Failure read(std::string_view what, std::optional<std::string_view> json, Text& text,
               std::size_t metadata_depth = 1);
  Failure decode(const Request& request, const Facts& facts, api::AdmissionRequest& decoded,
                 api::Kind& kind);
  void evaluate_without_schema(const Evaluator& evaluator, api::Kind kind,
                               const api::AdmissionRequest& request, const Facts& facts);
  Failure evaluate_with_schema(const Evaluator& evaluator, api::Kind kind,
                               const api::AdmissionRequest& request, bool strict,
                               const Facts& facts);
  void keep_findings(api::Kind kind, const api::AdmissionRequest& request,
                     admission::Exemption exemption, const api::ErrorList& findings);
  void keep_warnings(const api::ErrorList& findings);
  admission::Reviewer& reviewer(admission::Enforcement enforcement);
  void give_back();
  Verdict& verdict() { return verdicts_[current_]; }

  json::Parser parser_;
  Text object_;
  Text old_object_;
  admission::RequestEvaluator request_evaluator_;
  // One for each enforcement, created on first use.
  std::array<std::optional<admission::Reviewer>, 2> reviewers_;
  std::optional<admission::DryRun> dry_run_;  // created on first use
  conversion::Converter converter_;
  std::string body_;
  // Of this call and of the previous one, alternating.
  std::array<Verdict, 2> verdicts_;
  std::size_t current_ = 0;
};

}  // namespace dynamo::library
