// Arbitrary callers of the C ABI: null pointers, lengths within the documented limits, bytes that
// are not text, structs of any size. Every call returns a known status; a failed one gives the
// reason in one line and allows nothing; results are UTF-8 and end with a zero byte; and a reused
// decision has the same result as a new one, even if the request refers to the decision's own
// texts.
//
// Input: a byte that selects missing arguments, a byte of facts, and texts separated by zero bytes:
// operation, object, old object, user, namespace, sub-resource, path, review, settings, policy.
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "fuzz/check.hpp"
#include "json/scan.hpp"
#include "library/include/dynamo_admission.h"

namespace {

using dynamo::fuzz::require;

// Bits of the first byte.
constexpr unsigned kNoEvaluator = 1U;
constexpr unsigned kNoRequest = 2U;
constexpr unsigned kNoFacts = 4U;
constexpr unsigned kNoDecision = 8U;
constexpr unsigned kOddSizes = 16U;
constexpr unsigned kEmptyIsNull = 32U;
constexpr unsigned kNullWithLength = 64U;
constexpr unsigned kHuge = 128U;

// A separate copy of each text, so that a sanitizer detects an overread.
struct Copy {
  std::unique_ptr<char[]> bytes;
  std::size_t size = 0;
};

struct Input {
  unsigned what = 0;
  unsigned facts = 0;
  std::array<Copy, 10> texts;

  Input(const std::uint8_t* data, std::size_t size) {
    if (size > 0) what = data[0];
    if (size > 1) facts = data[1];
    std::string_view rest = size > 2 ? dynamo::fuzz::as_text(data + 2, size - 2) : "";
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const bool last = i + 1 == texts.size();
      const std::size_t end = last ? rest.size() : std::min(rest.find('\0'), rest.size());
      texts[i].bytes = std::make_unique<char[]>(end);
      texts[i].size = end;
      if (end > 0) std::memcpy(texts[i].bytes.get(), rest.data(), end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }

  dynamo_admission_text text(std::size_t index) const {
    const Copy& copy = texts[index];
    if (copy.size == 0 && (what & kEmptyIsNull) != 0) return {nullptr, 0};
    if (copy.size == 3 && (what & kNullWithLength) != 0) return {nullptr, copy.size};
    if (copy.size == 5 && (what & kHuge) != 0) return {copy.bytes.get(), std::size_t{100} << 20U};
    return {copy.bytes.get(), copy.size};
  }
};

std::string_view checked(dynamo_admission_text text) {
  require(text.data != nullptr, "an answered text is never null");
  require(text.data[text.length] == '\0', "an answered text ends with a zero byte");
  const std::string_view view{text.data, text.length};
  require(!dynamo::json::find_invalid_utf8(view), "an answered text is UTF-8");
  return view;
}

// All values of a decision in one text.
std::string everything(const dynamo_admission_decision* decision) {
  std::string all;
  const auto add = [&](std::string_view text) {
    all += text;
    all += '\n';
  };
  add(std::to_string(dynamo_admission_decision_status(decision)));
  add(checked(dynamo_admission_decision_error(decision)));
  add(std::to_string(dynamo_admission_decision_allowed(decision)));
  add(checked(dynamo_admission_decision_exemption(decision)));
  add(checked(dynamo_admission_decision_message(decision)));
  add(checked(dynamo_admission_decision_patch(decision)));
  add(checked(dynamo_admission_decision_stored(decision)));
  add(checked(dynamo_admission_decision_answer(decision)));
  add(std::to_string(dynamo_admission_decision_http_status(decision)));
  // One index past the end for each list.
  const std::size_t causes = dynamo_admission_decision_cause_count(decision);
  for (std::size_t i = 0; i <= causes; ++i) {
    for (dynamo_admission_part part = -1; part <= DYNAMO_ADMISSION_RULE + 1; ++part) {
      add(checked(dynamo_admission_decision_cause(decision, i, part)));
    }
  }
  const std::size_t warnings = dynamo_admission_decision_warning_count(decision);
  for (std::size_t i = 0; i <= warnings; ++i) {
    for (dynamo_admission_part part = -1; part <= DYNAMO_ADMISSION_RULE + 1; ++part) {
      add(checked(dynamo_admission_decision_warning(decision, i, part)));
    }
  }
  return all;
}

void check_verdict(dynamo_admission_status status, const dynamo_admission_decision* decision,
                   bool is_review) {
  require(status >= DYNAMO_ADMISSION_OK && status < DYNAMO_ADMISSION_OUT_OF_MEMORY,
          "what a caller does is no defect of ours");
  if (decision == nullptr) {
    require(status == DYNAMO_ADMISSION_INVALID_ARGUMENT, "no decision, no verdict");
    return;
  }
  require(dynamo_admission_decision_status(decision) == status, "the decision knows its status");
  const std::string_view error = checked(dynamo_admission_decision_error(decision));
  const std::size_t causes = dynamo_admission_decision_cause_count(decision);
  const bool allowed = dynamo_admission_decision_allowed(decision) != 0;
  if (status == DYNAMO_ADMISSION_OK) {
    require(error.empty(), "what went well has no error");
    // An audited review is allowed despite findings.
    require(allowed || causes > 0, "a denial has a cause");
    require(is_review || !allowed || causes == 0, "causes deny");
    return;
  }
  require(!error.empty() && error.find('\n') == std::string_view::npos, "an error is one line");
  require(!allowed && causes == 0, "a failed call leaves no verdict");
  if (!is_review) {
    require(dynamo_admission_decision_answer(decision).length == 0, "nothing is answered");
  }
}

dynamo_admission_request request_of(const Input& input) {
  dynamo_admission_request request{};
  request.struct_size = (input.what & kOddSizes) != 0 ? input.facts * 16U : sizeof request;
  request.operation = input.text(0);
  request.object = input.text(1);
  request.old_object = input.text(2);
  request.user = input.text(3);
  request.namespace_name = input.text(4);
  request.name = input.text(4);
  request.sub_resource = input.text(5);
  request.dry_run = static_cast<std::int32_t>(input.facts & 1U);
  request.with_schema = static_cast<std::int32_t>((input.facts >> 1U) % 3U);
  return request;
}

dynamo_admission_facts facts_of(const Input& input) {
  const auto fact = static_cast<std::int32_t>(input.facts % 5U) - 1;
  dynamo_admission_facts facts{};
  facts.struct_size = (input.what & kOddSizes) != 0 ? input.facts : sizeof facts;
  facts.now = (static_cast<std::int64_t>(input.facts) - 16) * 100'000'000;
  facts.inference_pool_served = fact;
  facts.grove_served = fact;
  facts.leader_worker_set_served = 2 - fact;
  facts.kai_scheduler_served = fact;
  facts.kubernetes_discovery = fact;
  facts.operator_generation = fact;
  facts.kubernetes_minor = static_cast<std::int32_t>(input.facts) - 8;
  return facts;
}

// Uses the decision's results as its next object and names; `other` gets copies of them.
void feed_back(const dynamo_admission_evaluator* evaluator, dynamo_admission_request request,
               unsigned which, dynamo_admission_decision* decision,
               dynamo_admission_decision* other) {
  const std::array<dynamo_admission_text, 4> objects{
      dynamo_admission_decision_stored(decision), dynamo_admission_decision_patch(decision),
      dynamo_admission_decision_message(decision), dynamo_admission_decision_error(decision)};
  request.struct_size = sizeof request;
  request.object = objects[which % objects.size()];
  request.name = dynamo_admission_decision_cause(decision, 0, DYNAMO_ADMISSION_FIELD);
  request.user = dynamo_admission_decision_exemption(decision);
  request.with_schema = DYNAMO_ADMISSION_SCHEMA;
  const std::string object{checked(request.object)};
  const std::string name{checked(request.name)};
  const std::string user{checked(request.user)};
  dynamo_admission_request copied = request;
  copied.object = {object.c_str(), object.size()};
  copied.name = {name.c_str(), name.size()};
  copied.user = {user.c_str(), user.size()};
  check_verdict(dynamo_admission_evaluate(evaluator, &copied, nullptr, other), other, false);
  check_verdict(dynamo_admission_evaluate(evaluator, &request, nullptr, decision), decision, false);
  require(everything(decision) == everything(other), "own texts are arguments like any others");
}

struct Handles {
  dynamo_admission_evaluator* evaluator = nullptr;
  dynamo_admission_decision* fresh = nullptr;
  dynamo_admission_decision* none = nullptr;
  dynamo_admission_decision* other = nullptr;
  ~Handles() {
    dynamo_admission_evaluator_free(evaluator);
    dynamo_admission_decision_free(fresh);
    dynamo_admission_decision_free(none);
    dynamo_admission_decision_free(other);
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Input input{data, size};
  static dynamo_admission_decision* const used = [] {
    dynamo_admission_decision* created = nullptr;
    dynamo_admission_decision_create(&created);
    return created;
  }();

  Handles handles;
  dynamo_admission_error error{};
  const dynamo_admission_status created =
      dynamo_admission_evaluator_create(input.text(8), input.text(9), &handles.evaluator, &error);
  require((created == DYNAMO_ADMISSION_OK) == (handles.evaluator != nullptr),
          "an evaluator, or a reason");
  require(error.status == created, "the error has the status");
  require(std::memchr(error.message, '\0', sizeof error.message) != nullptr, "the error ends");
  const std::string_view message{error.message};
  require(message.empty() == (created == DYNAMO_ADMISSION_OK), "a failure has a reason");
  require(message.find('\n') == std::string_view::npos, "an error is one line");
  require(!dynamo::json::find_invalid_utf8(message), "an error is UTF-8");
  if (handles.evaluator == nullptr) {
    dynamo_admission_evaluator_create({nullptr, 0}, {nullptr, 0}, &handles.evaluator, nullptr);
  }

  const auto* evaluator = (input.what & kNoEvaluator) != 0 ? nullptr : handles.evaluator;
  // The largest size that may be claimed.
  struct {
    dynamo_admission_request request;
    std::array<char, 4096> rest{};
  } request{request_of(input)};
  struct {
    dynamo_admission_facts facts;
    std::array<char, 4096> rest{};
  } facts{facts_of(input)};
  const auto* given_request = (input.what & kNoRequest) != 0 ? nullptr : &request.request;
  const auto* given_facts = (input.what & kNoFacts) != 0 ? nullptr : &facts.facts;
  const bool no_decision = (input.what & kNoDecision) != 0;
  require(dynamo_admission_decision_create(&handles.fresh) == DYNAMO_ADMISSION_OK, "memory");
  require(dynamo_admission_decision_create(&handles.other) == DYNAMO_ADMISSION_OK, "memory");

  const auto both = [&](bool is_review, auto call) {
    auto* reused = no_decision ? nullptr : used;
    check_verdict(call(reused), reused, is_review);
    check_verdict(call(handles.fresh), handles.fresh, is_review);
    require(no_decision || everything(used) == everything(handles.fresh),
            "a verdict does not depend on the ones before");
  };
  both(false, [&](auto* decision) {
    return dynamo_admission_evaluate(evaluator, given_request, given_facts, decision);
  });
  feed_back(evaluator, request.request, input.facts >> 2U, handles.fresh, handles.other);
  both(true, [&](auto* decision) {
    return dynamo_admission_review(evaluator, input.text(6), input.text(7), given_facts, decision);
  });
  for (const std::string_view version : {"nvidia.com/v1alpha1", "nvidia.com/v1beta1"}) {
    const dynamo_admission_status status =
        dynamo_admission_convert(input.text(1), {version.data(), version.size()}, handles.fresh);
    const std::string_view converted = checked(dynamo_admission_decision_converted(handles.fresh));
    require(converted.empty() == (status != DYNAMO_ADMISSION_OK), "an object, or a reason");
    require(status != DYNAMO_ADMISSION_INTERNAL, "what a caller does is no defect of ours");
  }
  return 0;
}
