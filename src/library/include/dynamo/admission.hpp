// The verdict of dynamo-webhook inside your own program, for C++17 and later: a thin wrapper around
// dynamo_admission.h, which documents the semantics. Header only, so it works with any compiler,
// independent of the one that built the library.
//
//   using namespace dynamo::admission;
//   const Decision decision = evaluate(Operation::kCreate, object_json, {}, "alice", {});
//   if (decision.status() != Status::kOk) return fail(decision.error());
//   for (const Cause& cause : decision.causes()) report(cause.field, cause.message, cause.rule);
//
// Nothing here throws, does I/O, reads the clock or keeps global state.
#pragma once

#include <dynamo_admission.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace dynamo::admission {
inline namespace abi1 {

enum class Operation : std::uint8_t { kCreate, kUpdate, kDelete, kConnect };

// Any status other than kOk leaves a decision that does not allow.
enum class Status : dynamo_admission_status {
  kOk = DYNAMO_ADMISSION_OK,
  kInvalidArgument = DYNAMO_ADMISSION_INVALID_ARGUMENT,
  kTooLarge = DYNAMO_ADMISSION_TOO_LARGE,
  kNotJson = DYNAMO_ADMISSION_NOT_JSON,
  kUnknownKind = DYNAMO_ADMISSION_UNKNOWN_KIND,
  kBadReview = DYNAMO_ADMISSION_BAD_REVIEW,
  kBadSettings = DYNAMO_ADMISSION_BAD_SETTINGS,
  kBadPolicy = DYNAMO_ADMISSION_BAD_POLICY,
  kOutOfMemory = DYNAMO_ADMISSION_OUT_OF_MEMORY,
  kInternal = DYNAMO_ADMISSION_INTERNAL,
  kNotConvertible = DYNAMO_ADMISSION_NOT_CONVERTIBLE,
};

// "not JSON" for kNotJson.
inline std::string_view name(Status status) noexcept {
  return dynamo_admission_status_name(static_cast<dynamo_admission_status>(status));
}

enum class Fact : std::int32_t {
  kUnknown = DYNAMO_ADMISSION_FACT_UNKNOWN,
  kNo = DYNAMO_ADMISSION_FACT_NO,
  kYes = DYNAMO_ADMISSION_FACT_YES,
};

enum class OperatorGeneration : std::int32_t {
  kUnknown = DYNAMO_ADMISSION_GENERATION_UNKNOWN,
  kFirst = DYNAMO_ADMISSION_GENERATION_FIRST,
  kLater = DYNAMO_ADMISSION_GENERATION_LATER,
};

// Facts about the cluster; unknown by default, so that rules warn instead of deny.
struct Facts {
  std::int64_t now = 0;  // seconds since 1970, UTC; 0: unknown, no exemption of a policy applies
  Fact inference_pool_served = Fact::kUnknown;
  Fact grove_served = Fact::kUnknown;
  Fact leader_worker_set_served = Fact::kUnknown;
  Fact kai_scheduler_served = Fact::kUnknown;
  Fact kubernetes_discovery = Fact::kUnknown;
  OperatorGeneration operator_generation = OperatorGeneration::kUnknown;
  std::int32_t kubernetes_minor = 0;  // 35 for v1.35; 0: unknown
};

// One object to evaluate. Views of the caller's data; none are kept after the call.
struct Request {
  Operation operation = Operation::kCreate;
  std::optional<std::string_view> object = std::nullopt;          // JSON; absent on DELETE
  std::optional<std::string_view> old_object = std::nullopt;      // JSON; absent on CREATE
  std::optional<std::string_view> user = std::nullopt;            // absent: unknown
  std::optional<std::string_view> namespace_name = std::nullopt;  // absent: metadata.namespace
  std::optional<std::string_view> name = std::nullopt;            // absent: metadata.name
  std::optional<std::string_view> sub_resource = std::nullopt;    // absent: the object itself
  bool dry_run = false;
  // Validate against the schema of the custom resource first; see dynamo_admission.h.
  bool with_schema = false;
  // With the schema: unknown and duplicate fields deny, as with kubectl, instead of warning.
  bool strict = false;
};

// A reason for a denial. Views into the decision.
struct Cause {
  std::string_view field;    // spec.services[Decode].replicas
  std::string_view reason;   // FieldValueInvalid, as in a status cause
  std::string_view message;  // complete: type, detail and [rule]
  std::string_view detail;   // what must hold; what was found; what to do
  std::string_view rule;     // stable
};

// A finding that does not deny. Views into the decision.
struct Warning {
  std::string_view field;
  std::string_view message;
  std::string_view detail;
  std::string_view rule;
};

namespace detail {

inline dynamo_admission_text text(std::string_view view) noexcept {
  return {view.data() == nullptr ? "" : view.data(), view.size()};
}

inline dynamo_admission_text text(const std::optional<std::string_view>& view) noexcept {
  return view ? text(*view) : dynamo_admission_text{nullptr, 0};
}

inline std::string_view view(dynamo_admission_text text) noexcept {
  return {text.data, text.length};
}

inline std::string_view name(Operation operation) noexcept {
  switch (operation) {
    case Operation::kCreate:
      return "CREATE";
    case Operation::kUpdate:
      return "UPDATE";
    case Operation::kDelete:
      return "DELETE";
    case Operation::kConnect:
      return "CONNECT";
  }
  return "";
}

inline dynamo_admission_facts to_c(const Facts& facts) noexcept {
  dynamo_admission_facts out{};
  out.struct_size = sizeof out;
  out.now = facts.now;
  out.inference_pool_served = static_cast<std::int32_t>(facts.inference_pool_served);
  out.grove_served = static_cast<std::int32_t>(facts.grove_served);
  out.leader_worker_set_served = static_cast<std::int32_t>(facts.leader_worker_set_served);
  out.kai_scheduler_served = static_cast<std::int32_t>(facts.kai_scheduler_served);
  out.kubernetes_discovery = static_cast<std::int32_t>(facts.kubernetes_discovery);
  out.operator_generation = static_cast<std::int32_t>(facts.operator_generation);
  out.kubernetes_minor = facts.kubernetes_minor;
  return out;
}

inline dynamo_admission_request to_c(const Request& request) noexcept {
  dynamo_admission_request out{};
  out.struct_size = sizeof out;
  out.operation = text(name(request.operation));
  out.object = text(request.object);
  out.old_object = text(request.old_object);
  out.user = text(request.user);
  out.namespace_name = text(request.namespace_name);
  out.name = text(request.name);
  out.sub_resource = text(request.sub_resource);
  out.dry_run = request.dry_run ? 1 : 0;
  const std::int32_t schema =
      request.strict ? DYNAMO_ADMISSION_SCHEMA_STRICT : DYNAMO_ADMISSION_SCHEMA;
  out.with_schema = request.with_schema ? schema : DYNAMO_ADMISSION_SCHEMA_NONE;
  return out;
}

template <auto Free>
struct Deleter {
  template <typename Handle>
  void operator()(Handle* handle) const noexcept {
    Free(handle);
  }
};

inline void read(const dynamo_admission_decision* from, std::size_t index, Cause& out) noexcept {
  const auto part = [&](dynamo_admission_part which) {
    return view(dynamo_admission_decision_cause(from, index, which));
  };
  out = {part(DYNAMO_ADMISSION_FIELD), part(DYNAMO_ADMISSION_REASON),
         part(DYNAMO_ADMISSION_MESSAGE), part(DYNAMO_ADMISSION_DETAIL),
         part(DYNAMO_ADMISSION_RULE)};
}

inline void read(const dynamo_admission_decision* from, std::size_t index, Warning& out) noexcept {
  const auto part = [&](dynamo_admission_part which) {
    return view(dynamo_admission_decision_warning(from, index, which));
  };
  out = {part(DYNAMO_ADMISSION_FIELD), part(DYNAMO_ADMISSION_MESSAGE),
         part(DYNAMO_ADMISSION_DETAIL), part(DYNAMO_ADMISSION_RULE)};
}

}  // namespace detail

// The causes or the warnings of a decision, created on access. Valid while the decision is.
template <typename Finding>
class Findings {
 public:
  class Iterator {
   public:
    Iterator(const dynamo_admission_decision* decision, std::size_t index) noexcept
        : decision_(decision), index_(index) {}
    Finding operator*() const noexcept {
      Finding finding;
      detail::read(decision_, index_, finding);
      return finding;
    }
    Iterator& operator++() noexcept {
      ++index_;
      return *this;
    }
    bool operator==(const Iterator& other) const noexcept { return index_ == other.index_; }
    bool operator!=(const Iterator& other) const noexcept { return index_ != other.index_; }

   private:
    const dynamo_admission_decision* decision_;
    std::size_t index_;
  };

  Findings(const dynamo_admission_decision* decision, std::size_t size) noexcept
      : decision_(decision), size_(size) {}
  Iterator begin() const noexcept { return {decision_, 0}; }
  Iterator end() const noexcept { return {decision_, size_}; }
  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  Finding operator[](std::size_t index) const noexcept { return *Iterator{decision_, index}; }

 private:
  const dynamo_admission_decision* decision_;
  std::size_t size_;
};

// A verdict and its memory. Movable, not copyable. Its views are valid until it is destroyed or
// used again. Not thread-safe. A default-constructed or moved-from decision reads as invalid and
// not allowed.
class Decision {
 public:
  Decision() = default;

  Status status() const noexcept {
    return static_cast<Status>(dynamo_admission_decision_status(handle_.get()));
  }
  // One line; "" when the status is kOk.
  std::string_view error() const noexcept {
    return detail::view(dynamo_admission_decision_error(handle_.get()));
  }
  bool allowed() const noexcept { return dynamo_admission_decision_allowed(handle_.get()) != 0; }
  // "none", or why the request was allowed without validation.
  std::string_view exemption() const noexcept {
    return detail::view(dynamo_admission_decision_exemption(handle_.get()));
  }
  // The complete denial as one text; "" if there are no errors.
  std::string_view message() const noexcept {
    return detail::view(dynamo_admission_decision_message(handle_.get()));
  }
  // The defaults as a JSON patch (RFC 6902); "" if there are none to set.
  std::string_view patch() const noexcept {
    return detail::view(dynamo_admission_decision_patch(handle_.get()));
  }
  // With the schema: the object as it would be stored, as JSON; otherwise "".
  std::string_view stored() const noexcept {
    return detail::view(dynamo_admission_decision_stored(handle_.get()));
  }
  // Converts an object (JSON) to "nvidia.com/v1alpha1" or "nvidia.com/v1beta1" in the place of a
  // verdict; it is not allowed. The arguments may be views of this decision.
  void convert(std::string_view object, std::string_view api_version) noexcept {
    dynamo_admission_convert(detail::text(object), detail::text(api_version), use());
  }
  // After convert(): the converted object, as JSON; otherwise "".
  std::string_view converted() const noexcept {
    return detail::view(dynamo_admission_decision_converted(handle_.get()));
  }
  Findings<Cause> causes() const noexcept {
    return {handle_.get(), dynamo_admission_decision_cause_count(handle_.get())};
  }
  Findings<Warning> warnings() const noexcept {
    return {handle_.get(), dynamo_admission_decision_warning_count(handle_.get())};
  }
  // The number of causes that are not listed.
  std::size_t causes_omitted() const noexcept {
    return dynamo_admission_decision_causes_omitted(handle_.get());
  }
  std::size_t warnings_omitted() const noexcept {
    return dynamo_admission_decision_warnings_omitted(handle_.get());
  }
  // For a review: the response to send.
  std::string_view answer() const noexcept {
    return detail::view(dynamo_admission_decision_answer(handle_.get()));
  }
  int http_status() const noexcept { return dynamo_admission_decision_http_status(handle_.get()); }

 private:
  friend class Evaluator;
  dynamo_admission_decision* use() noexcept {
    if (!handle_) {
      dynamo_admission_decision* made = nullptr;
      dynamo_admission_decision_create(&made);
      handle_.reset(made);
    }
    return handle_.get();
  }

  std::unique_ptr<dynamo_admission_decision, detail::Deleter<dynamo_admission_decision_free>>
      handle_;
};

// Settings and policy. Immutable: any number of threads may use one evaluator.
class Evaluator {
 public:
  // With default settings and no policy.
  Evaluator() noexcept : Evaluator(std::nullopt, std::nullopt) {}
  // Texts in the form that dynamo_admission_evaluator_create() reads. If one is wrong, status() and
  // error() report it, and every decision of this evaluator is kInvalidArgument.
  explicit Evaluator(std::optional<std::string_view> settings,
                     std::optional<std::string_view> policy = std::nullopt) noexcept {
    dynamo_admission_evaluator* made = nullptr;
    dynamo_admission_evaluator_create(detail::text(settings), detail::text(policy), &made, &error_);
    handle_.reset(made);
  }

  Status status() const noexcept { return static_cast<Status>(error_.status); }
  std::string_view error() const noexcept { return error_.message; }

  // Evaluates into `decision`, reusing its memory. The request may contain views of that decision.
  void evaluate(const Request& request, const Facts& facts, Decision& decision) const noexcept {
    const auto c_request = detail::to_c(request);
    const auto c_facts = detail::to_c(facts);
    dynamo_admission_evaluate(handle_.get(), &c_request, &c_facts, decision.use());
  }
  Decision evaluate(const Request& request, const Facts& facts = {}) const noexcept {
    Decision decision;
    evaluate(request, facts, decision);
    return decision;
  }

  // Answers a complete AdmissionReview as dynamo-webhook does on that path.
  void review(std::string_view path, std::string_view body, const Facts& facts,
              Decision& decision) const noexcept {
    const auto c_facts = detail::to_c(facts);
    dynamo_admission_review(handle_.get(), detail::text(path), detail::text(body), &c_facts,
                            decision.use());
  }

 private:
  std::unique_ptr<dynamo_admission_evaluator, detail::Deleter<dynamo_admission_evaluator_free>>
      handle_;
  dynamo_admission_error error_{};
};

// Evaluates one object with default settings and no policy. An empty `old_object` means none.
inline Decision evaluate(Operation operation, std::string_view object, std::string_view old_object,
                         std::optional<std::string_view> user, const Facts& facts) noexcept {
  Request request;
  request.operation = operation;
  if (!object.empty() || operation == Operation::kCreate || operation == Operation::kUpdate) {
    request.object = object;
  }
  if (!old_object.empty()) request.old_object = old_object;
  request.user = user;
  return Evaluator{}.evaluate(request, facts);
}

}  // namespace abi1
}  // namespace dynamo::admission
