// The boundary between C, where any pointer may be null and any byte invalid, and C++. No exception
// crosses it.
#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <string_view>

#include "json/scan.hpp"
#include "library/evaluator.hpp"
#include "library/include/dynamo_admission.h"

using dynamo::library::EvaluatedFinding;
using dynamo::library::EvaluationContext;
using dynamo::library::Evaluator;
using dynamo::library::Facts;
using dynamo::library::Failure;
using dynamo::library::Request;
using dynamo::library::Status;
using dynamo::library::Verdict;

struct dynamo_admission_evaluator {
  Evaluator evaluator;
};

struct dynamo_admission_decision {
  EvaluationContext evaluation;
  dynamo_admission_error error{};
};

namespace {

constexpr dynamo_admission_text kNothing{"", 0};

// Sizes of the structs in their first release; they only grow.
constexpr std::size_t kOldestFacts = 48;
constexpr std::size_t kOldestRequest = 128;

dynamo_admission_text text_of(const std::string& text) {
  return {text.c_str(), text.size()};
}

// Writes to existing memory: the failure may be that there is no more.
void note(dynamo_admission_error* error, Status status, std::string_view reason) {
  if (error == nullptr) return;
  error->status = status;
  std::size_t length = std::min(reason.size(), sizeof error->message - 1);
  // Never cut a character.
  while (length < reason.size() && length > 0 &&
         (static_cast<unsigned char>(reason[length]) & 0xC0U) == 0x80U) {
    --length;
  }
  std::memcpy(error->message, reason.data(), length);
  error->message[length] = '\0';
}

// Calls a function that may fail or throw; records and returns the status.
template <typename Call>
Status guarded(dynamo_admission_error* error, Call call) noexcept {
  try {
    const Failure failure = call();
    note(error, failure.status, failure.reason);
    return failure.status;
  } catch (const std::bad_alloc&) {
    note(error, DYNAMO_ADMISSION_OUT_OF_MEMORY, "out of memory");
    return DYNAMO_ADMISSION_OUT_OF_MEMORY;
  } catch (const std::exception& exception) {
    note(error, DYNAMO_ADMISSION_INTERNAL, exception.what());
    return DYNAMO_ADMISSION_INTERNAL;
  } catch (...) {
    note(error, DYNAMO_ADMISSION_INTERNAL, "not an exception of the standard library");
    return DYNAMO_ADMISSION_INTERNAL;
  }
}

// A failed call must not leave a partial verdict.
template <typename Call>
Status run_evaluation(dynamo_admission_decision* decision, Call call) noexcept {
  decision->evaluation.begin();
  const Status status = guarded(&decision->error, call);
  if (status == DYNAMO_ADMISSION_OUT_OF_MEMORY || status == DYNAMO_ADMISSION_INTERNAL) {
    decision->evaluation.forget();
  }
  decision->evaluation.finish();
  return status;
}

Failure invalid(std::string reason) {
  return {DYNAMO_ADMISSION_INVALID_ARGUMENT, std::move(reason)};
}

// Checks a text from the caller; `bytes` is its maximal length.
Failure take(std::string_view what, dynamo_admission_text text, std::size_t bytes,
             std::optional<std::string_view>& taken) {
  taken.reset();
  if (text.data == nullptr) {
    if (text.length == 0) return {};
    return invalid(std::string(what) + " must not be null with a length of " +
                   std::to_string(text.length));
  }
  if (text.length > bytes) {
    return {DYNAMO_ADMISSION_TOO_LARGE, std::string(what) + " must be at most " +
                                            std::to_string(bytes) + " bytes; found " +
                                            std::to_string(text.length)};
  }
  taken = std::string_view{text.data, text.length};
  return {};
}

// Also checks UTF-8, for short texts that no later code checks.
Failure take_name(std::string_view what, dynamo_admission_text text,
                  std::optional<std::string_view>& taken) {
  Failure failure = take(what, text, DYNAMO_ADMISSION_MAX_NAME_BYTES, taken);
  if (!failure.has_failed() && taken && dynamo::json::find_invalid_utf8(*taken)) {
    failure = invalid(std::string(what) + " must be UTF-8");
    taken.reset();
  }
  return failure;
}

// Copies a struct that begins with its own size: a caller built with an older header has a shorter
// struct; one built with a newer header has additional fields, which must be zero.
template <typename Struct>
Failure take_struct(std::string_view what, const Struct* given, std::size_t oldest, Struct& taken) {
  // larger than any struct of ours; a greater size is invalid
  constexpr std::size_t kLongest = 4096;
  const std::size_t size = given->struct_size;
  if (size < oldest || size > kLongest) {
    return invalid(std::string(what) + ": struct_size must be the struct's size, " +
                   std::to_string(sizeof(Struct)) + "; found " + std::to_string(size));
  }
  taken = Struct{};
  std::memcpy(&taken, given, std::min(size, sizeof(Struct)));
  if (size > sizeof(Struct)) {
    const auto* rest = reinterpret_cast<const unsigned char*>(given) + sizeof(Struct);
    if (std::any_of(rest, rest + (size - sizeof(Struct)), [](auto byte) { return byte != 0; })) {
      return invalid(std::string(what) + ": has fields that this library does not know yet");
    }
  }
  return {};
}

// Converts an enumerator of the header to ours: the values are the same.
template <typename Enum>
bool take_enum(std::int32_t given, std::int32_t last, Enum& taken) {
  if (given < 0 || given > last) return false;
  taken = static_cast<Enum>(given);
  return true;
}

Failure take_facts(const dynamo_admission_facts* given, Facts& facts) {
  if (given == nullptr) return {};
  dynamo_admission_facts taken;
  if (Failure failure = take_struct("facts", given, kOldestFacts, taken); failure.has_failed()) {
    return failure;
  }
  // About the maximum of the standard library's clock: nanoseconds in 64 bits.
  constexpr std::int64_t kLatest = 9'000'000'000;
  if (taken.now < 0 || taken.now > kLatest) {
    return invalid("facts: now must be seconds since 1970, at most " + std::to_string(kLatest));
  }
  if (taken.now != 0) {
    facts.now = std::chrono::system_clock::time_point{std::chrono::seconds{taken.now}};
  }
  dynamo::api::ClusterFacts& cluster = facts.cluster;
  const bool valid =
      take_enum(taken.inference_pool_served, 2, cluster.inference_pool_served) &&
      take_enum(taken.grove_served, 2, cluster.grove_served) &&
      take_enum(taken.leader_worker_set_served, 2, cluster.leader_worker_set_served) &&
      take_enum(taken.kai_scheduler_served, 2, cluster.kai_scheduler_served) &&
      take_enum(taken.kubernetes_discovery, 2, cluster.kubernetes_discovery) &&
      take_enum(taken.operator_generation, 2, cluster.operator_generation) &&
      taken.kubernetes_minor >= 0 && taken.reserved == 0;
  if (!valid) return invalid("facts: every one must be one of its constants");
  if (taken.kubernetes_minor > 0) cluster.kubernetes_minor = taken.kubernetes_minor;
  return {};
}

Failure take_request(const dynamo_admission_request* given, Request& request) {
  if (given == nullptr) return invalid("request must not be null");
  dynamo_admission_request taken;
  Failure failure = take_struct("request", given, kOldestRequest, taken);
  std::optional<std::string_view> operation;
  const auto then = [&](auto step) {
    if (!failure.has_failed()) failure = step();
  };
  then([&] { return take_name("operation", taken.operation, operation); });
  then([&] { return take("object", taken.object, DYNAMO_ADMISSION_MAX_BYTES, request.object); });
  then([&] {
    return take("old object", taken.old_object, DYNAMO_ADMISSION_MAX_BYTES, request.old_object);
  });
  then([&] { return take_name("user", taken.user, request.user); });
  then([&] { return take_name("namespace", taken.namespace_name, request.namespace_name); });
  then([&] { return take_name("name", taken.name, request.name); });
  then([&] { return take_name("sub-resource", taken.sub_resource, request.sub_resource); });
  const bool is_known =
      taken.with_schema >= 0 && taken.with_schema <= DYNAMO_ADMISSION_SCHEMA_STRICT;
  then([&] { return is_known ? Failure{} : invalid("with_schema must be one of its constants"); });
  request.operation = operation.value_or("");
  request.dry_run = taken.dry_run != 0;
  request.with_schema = taken.with_schema != 0;
  request.strict = taken.with_schema == DYNAMO_ADMISSION_SCHEMA_STRICT;
  return failure;
}

const Verdict* verdict_of(const dynamo_admission_decision* decision) {
  return decision == nullptr ? nullptr : &decision->evaluation.verdict();
}

dynamo_admission_text part_of(const std::vector<EvaluatedFinding>& findings, std::size_t index,
                              dynamo_admission_part part) {
  if (index >= findings.size()) return kNothing;
  const EvaluatedFinding& finding = findings[index];
  switch (part) {
    case DYNAMO_ADMISSION_FIELD:
      return text_of(finding.field);
    case DYNAMO_ADMISSION_REASON:
      return text_of(finding.reason);
    case DYNAMO_ADMISSION_MESSAGE:
      return text_of(finding.message);
    case DYNAMO_ADMISSION_DETAIL:
      return text_of(finding.detail);
    case DYNAMO_ADMISSION_RULE:
      return text_of(finding.rule);
    default:
      return kNothing;
  }
}

}  // namespace

std::uint32_t dynamo_admission_abi_version() {
  return DYNAMO_ADMISSION_ABI_VERSION;
}

const char* dynamo_admission_version() {
  return DYNAMO_VERSION;
}

const char* dynamo_admission_status_name(dynamo_admission_status status) {
  switch (status) {
    case DYNAMO_ADMISSION_OK:
      return "ok";
    case DYNAMO_ADMISSION_INVALID_ARGUMENT:
      return "invalid argument";
    case DYNAMO_ADMISSION_TOO_LARGE:
      return "too large";
    case DYNAMO_ADMISSION_NOT_JSON:
      return "not JSON";
    case DYNAMO_ADMISSION_UNKNOWN_KIND:
      return "unknown kind";
    case DYNAMO_ADMISSION_BAD_REVIEW:
      return "bad review";
    case DYNAMO_ADMISSION_BAD_SETTINGS:
      return "bad settings";
    case DYNAMO_ADMISSION_BAD_POLICY:
      return "bad policy";
    case DYNAMO_ADMISSION_OUT_OF_MEMORY:
      return "out of memory";
    case DYNAMO_ADMISSION_INTERNAL:
      return "internal error";
    case DYNAMO_ADMISSION_NOT_CONVERTIBLE:
      return "not convertible";
    default:
      return "unknown status";
  }
}

dynamo_admission_status dynamo_admission_evaluator_create(dynamo_admission_text settings,
                                                          dynamo_admission_text policy,
                                                          dynamo_admission_evaluator** evaluator,
                                                          dynamo_admission_error* error) {
  if (evaluator != nullptr) *evaluator = nullptr;
  return guarded(error, [&]() -> Failure {
    if (evaluator == nullptr) return invalid("evaluator must not be null");
    std::optional<std::string_view> settings_text;
    std::optional<std::string_view> policy_text;
    Failure failure =
        take("settings", settings, DYNAMO_ADMISSION_MAX_SETTINGS_BYTES, settings_text);
    if (!failure.has_failed()) {
      failure = take("policy", policy, DYNAMO_ADMISSION_MAX_SETTINGS_BYTES, policy_text);
    }
    if (failure.has_failed()) return failure;
    auto created = std::make_unique<dynamo_admission_evaluator>();
    failure = created->evaluator.fill(settings_text, policy_text);
    if (!failure.has_failed()) *evaluator = created.release();
    return failure;
  });
}

void dynamo_admission_evaluator_free(dynamo_admission_evaluator* evaluator) {
  delete evaluator;
}

dynamo_admission_status dynamo_admission_decision_create(dynamo_admission_decision** decision) {
  if (decision == nullptr) return DYNAMO_ADMISSION_INVALID_ARGUMENT;
  *decision = nullptr;
  return guarded(nullptr, [&]() -> Failure {
    *decision = new dynamo_admission_decision;
    return {};
  });
}

void dynamo_admission_decision_free(dynamo_admission_decision* decision) {
  delete decision;
}

dynamo_admission_status dynamo_admission_evaluate(const dynamo_admission_evaluator* evaluator,
                                                  const dynamo_admission_request* request,
                                                  const dynamo_admission_facts* facts,
                                                  dynamo_admission_decision* decision) {
  if (decision == nullptr) return DYNAMO_ADMISSION_INVALID_ARGUMENT;
  return run_evaluation(decision, [&]() -> Failure {
    if (evaluator == nullptr) return invalid("evaluator must not be null");
    Request taken;
    if (Failure failure = take_request(request, taken); failure.has_failed()) return failure;
    Facts known;
    if (Failure failure = take_facts(facts, known); failure.has_failed()) return failure;
    return decision->evaluation.evaluate(evaluator->evaluator, taken, known);
  });
}

dynamo_admission_status dynamo_admission_review(const dynamo_admission_evaluator* evaluator,
                                                dynamo_admission_text path,
                                                dynamo_admission_text review,
                                                const dynamo_admission_facts* facts,
                                                dynamo_admission_decision* decision) {
  if (decision == nullptr) return DYNAMO_ADMISSION_INVALID_ARGUMENT;
  return run_evaluation(decision, [&]() -> Failure {
    if (evaluator == nullptr) return invalid("evaluator must not be null");
    std::optional<std::string_view> name;
    if (Failure failure = take_name("path", path, name); failure.has_failed()) return failure;
    std::optional<std::string_view> body;
    if (Failure failure = take("review", review, DYNAMO_ADMISSION_MAX_BYTES, body);
        failure.has_failed()) {
      return failure;
    }
    if (!body) return invalid("review must not be null");
    Facts known;
    if (Failure failure = take_facts(facts, known); failure.has_failed()) return failure;
    return decision->evaluation.review(evaluator->evaluator, name.value_or(""), *body, known);
  });
}

dynamo_admission_status dynamo_admission_convert(dynamo_admission_text object,
                                                 dynamo_admission_text api_version,
                                                 dynamo_admission_decision* decision) {
  if (decision == nullptr) return DYNAMO_ADMISSION_INVALID_ARGUMENT;
  return run_evaluation(decision, [&]() -> Failure {
    std::optional<std::string_view> version;
    if (Failure failure = take_name("api_version", api_version, version); failure.has_failed()) {
      return failure;
    }
    std::optional<std::string_view> taken;
    if (Failure failure = take("object", object, DYNAMO_ADMISSION_MAX_BYTES, taken);
        failure.has_failed()) {
      return failure;
    }
    return decision->evaluation.convert(taken, version.value_or(""));
  });
}

dynamo_admission_status dynamo_admission_decision_status(
    const dynamo_admission_decision* decision) {
  return decision == nullptr ? DYNAMO_ADMISSION_INVALID_ARGUMENT : decision->error.status;
}

dynamo_admission_text dynamo_admission_decision_error(const dynamo_admission_decision* decision) {
  if (decision == nullptr) return kNothing;
  return {decision->error.message, std::strlen(decision->error.message)};
}

std::int32_t dynamo_admission_decision_allowed(const dynamo_admission_decision* decision) {
  const Verdict* verdict = verdict_of(decision);
  return verdict != nullptr && verdict->allowed ? 1 : 0;
}

dynamo_admission_text dynamo_admission_decision_exemption(
    const dynamo_admission_decision* decision) {
  const Verdict* verdict = verdict_of(decision);
  return verdict == nullptr ? kNothing : text_of(verdict->exemption);
}

dynamo_admission_text dynamo_admission_decision_message(const dynamo_admission_decision* decision) {
  const Verdict* verdict = verdict_of(decision);
  return verdict == nullptr ? kNothing : text_of(verdict->message);
}

dynamo_admission_text dynamo_admission_decision_patch(const dynamo_admission_decision* decision) {
  const Verdict* verdict = verdict_of(decision);
  return verdict == nullptr ? kNothing : text_of(verdict->patch);
}

dynamo_admission_text dynamo_admission_decision_stored(const dynamo_admission_decision* decision) {
  const Verdict* verdict = verdict_of(decision);
  return verdict == nullptr ? kNothing : text_of(verdict->stored);
}

dynamo_admission_text dynamo_admission_decision_converted(
    const dynamo_admission_decision* decision) {
  const Verdict* verdict = verdict_of(decision);
  return verdict == nullptr ? kNothing : text_of(verdict->converted);
}

std::size_t dynamo_admission_decision_cause_count(const dynamo_admission_decision* decision) {
  const Verdict* verdict = verdict_of(decision);
  return verdict == nullptr ? 0 : verdict->causes.size();
}

std::size_t dynamo_admission_decision_causes_omitted(const dynamo_admission_decision* decision) {
  const Verdict* verdict = verdict_of(decision);
  return verdict == nullptr ? 0 : verdict->causes_omitted;
}

dynamo_admission_text dynamo_admission_decision_cause(const dynamo_admission_decision* decision,
                                                      std::size_t index,
                                                      dynamo_admission_part part) {
  const Verdict* verdict = verdict_of(decision);
  return verdict == nullptr ? kNothing : part_of(verdict->causes, index, part);
}

std::size_t dynamo_admission_decision_warning_count(const dynamo_admission_decision* decision) {
  const Verdict* verdict = verdict_of(decision);
  return verdict == nullptr ? 0 : verdict->warnings.size();
}

std::size_t dynamo_admission_decision_warnings_omitted(const dynamo_admission_decision* decision) {
  const Verdict* verdict = verdict_of(decision);
  return verdict == nullptr ? 0 : verdict->warnings_omitted;
}

dynamo_admission_text dynamo_admission_decision_warning(const dynamo_admission_decision* decision,
                                                        std::size_t index,
                                                        dynamo_admission_part part) {
  const Verdict* verdict = verdict_of(decision);
  return verdict == nullptr ? kNothing : part_of(verdict->warnings, index, part);
}

dynamo_admission_text dynamo_admission_decision_answer(const dynamo_admission_decision* decision) {
  const Verdict* verdict = verdict_of(decision);
  return verdict == nullptr ? kNothing : text_of(verdict->answer);
}

std::int32_t dynamo_admission_decision_http_status(const dynamo_admission_decision* decision) {
  const Verdict* verdict = verdict_of(decision);
  return verdict == nullptr ? 0 : static_cast<std::int32_t>(verdict->http_status);
}
