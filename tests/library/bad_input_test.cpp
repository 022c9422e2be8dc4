// The C boundary: it survives every caller error.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "json/scan.hpp"
#include "tests/library/c_abi_fixture.hpp"
#include "tests/library/guarded_text.hpp"

namespace dynamo::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST_F(CAbi, AnswersInvalidReviewsWithHttp400) {
  ASSERT_EQ(dynamo_admission_review(evaluator_.get(), text(kValidate), text("{}"), nullptr,
                                    decision_.get()),
            DYNAMO_ADMISSION_BAD_REVIEW);
  EXPECT_EQ(dynamo_admission_decision_http_status(decision_.get()), 400);
  EXPECT_EQ(copy(dynamo_admission_decision_answer(decision_.get())), error() + "\n");
  EXPECT_FALSE(allowed());
  ASSERT_EQ(dynamo_admission_review(evaluator_.get(), text(kValidate), text("{"), nullptr,
                                    decision_.get()),
            DYNAMO_ADMISSION_NOT_JSON);
  EXPECT_THAT(error(), StartsWith("AdmissionReview: byte 1"));
}

TEST_F(CAbi, RefusesUnknownPaths) {
  ASSERT_EQ(dynamo_admission_review(evaluator_.get(), text("/validate"), text(review_of(kGood)),
                                    nullptr, decision_.get()),
            DYNAMO_ADMISSION_INVALID_ARGUMENT);
  EXPECT_THAT(error(), HasSubstr("\"/validate\""));
  expect_no_results();
}

TEST_F(CAbi, ClearsTheVerdictWhenACallFails) {
  ASSERT_EQ(evaluate("CREATE", kNegative), DYNAMO_ADMISSION_OK);
  EXPECT_EQ(evaluate("CREATE", "{"), DYNAMO_ADMISSION_NOT_JSON);
  expect_no_results();
  ASSERT_EQ(evaluate("CREATE", kGood), DYNAMO_ADMISSION_OK);
  EXPECT_EQ(dynamo_admission_evaluate(nullptr, nullptr, nullptr, decision_.get()),
            DYNAMO_ADMISSION_INVALID_ARGUMENT);
  expect_no_results();
}

TEST_F(CAbi, ExplainsInvalidArguments) {
  const struct {
    std::string_view operation;
    std::string_view object;
    dynamo_admission_status status;
    std::string_view error;
  } rows[] = {
      {"create", kGood, DYNAMO_ADMISSION_INVALID_ARGUMENT,
       "operation must be CREATE, UPDATE, DELETE or CONNECT; found \"create\""},
      {"", kGood, DYNAMO_ADMISSION_INVALID_ARGUMENT,
       "operation must be CREATE, UPDATE, DELETE or CONNECT; found \"\""},
      {"CREATE", "[]", DYNAMO_ADMISSION_INVALID_ARGUMENT,
       "object must be a JSON object; found list"},
      {"CREATE", "{} {}", DYNAMO_ADMISSION_NOT_JSON, "object: byte 3: "},
      {"CREATE", "", DYNAMO_ADMISSION_NOT_JSON, "object: byte 0: "},
      {"CREATE", "{\"a\": \"\xff\"}", DYNAMO_ADMISSION_NOT_JSON, "object: byte 7: "},
      {"CREATE", "{}", DYNAMO_ADMISSION_UNKNOWN_KIND,
       "object must be of nvidia.com/v1alpha1 and of a kind that has rules; found apiVersion \"\", "
       "kind \"\""},
      {"CREATE", R"({"apiVersion":"v1","kind":"Pod"})", DYNAMO_ADMISSION_UNKNOWN_KIND,
       "object must be of nvidia.com/v1alpha1 and of a kind that has rules; found apiVersion "
       "\"v1\", kind \"Pod\""},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.error);
    EXPECT_EQ(evaluate(row.operation, row.object), row.status);
    EXPECT_THAT(error(), StartsWith(std::string(row.error)));
    expect_no_results();
  }
  EXPECT_EQ(evaluate("UPDATE", kGood, text(R"({"apiVersion":"v1","kind":"Pod"})")),
            DYNAMO_ADMISSION_UNKNOWN_KIND);
}

TEST_F(CAbi, RefusesInvalidAndLongNames) {
  const std::string_view bad = "\xC3(";
  const std::string too_long(DYNAMO_ADMISSION_MAX_NAME_BYTES + 1, 'x');
  for (dynamo_admission_text dynamo_admission_request::*field :
       {&dynamo_admission_request::operation, &dynamo_admission_request::user,
        &dynamo_admission_request::namespace_name, &dynamo_admission_request::name,
        &dynamo_admission_request::sub_resource}) {
    auto request = request_of("CREATE", kGood);
    request.*field = text(bad);
    EXPECT_EQ(evaluate(request), DYNAMO_ADMISSION_INVALID_ARGUMENT);
    EXPECT_THAT(error(), HasSubstr("must be UTF-8"));
    request.*field = text(too_long);
    EXPECT_EQ(evaluate(request), DYNAMO_ADMISSION_TOO_LARGE);
    EXPECT_THAT(error(), HasSubstr("must be at most 4096 bytes; found 4097"));
    expect_no_results();
  }
  EXPECT_EQ(
      dynamo_admission_review(evaluator_.get(), text(bad), text("{}"), nullptr, decision_.get()),
      DYNAMO_ADMISSION_INVALID_ARGUMENT);
}

TEST_F(CAbi, AcceptsEveryNullPointer) {
  EXPECT_EQ(dynamo_admission_evaluator_create(kAbsent, kAbsent, nullptr, nullptr),
            DYNAMO_ADMISSION_INVALID_ARGUMENT);
  dynamo_admission_error failure{};
  EXPECT_EQ(dynamo_admission_evaluator_create(kAbsent, kAbsent, nullptr, &failure),
            DYNAMO_ADMISSION_INVALID_ARGUMENT);
  EXPECT_STREQ(failure.message, "evaluator must not be null");
  EXPECT_EQ(failure.status, DYNAMO_ADMISSION_INVALID_ARGUMENT);
  EXPECT_EQ(dynamo_admission_decision_create(nullptr), DYNAMO_ADMISSION_INVALID_ARGUMENT);
  dynamo_admission_evaluator_free(nullptr);
  dynamo_admission_decision_free(nullptr);

  auto request = request_of("CREATE", kGood);
  EXPECT_EQ(dynamo_admission_evaluate(evaluator_.get(), &request, nullptr, nullptr),
            DYNAMO_ADMISSION_INVALID_ARGUMENT);
  EXPECT_EQ(dynamo_admission_evaluate(nullptr, &request, nullptr, decision_.get()),
            DYNAMO_ADMISSION_INVALID_ARGUMENT);
  EXPECT_EQ(error(), "evaluator must not be null");
  EXPECT_EQ(dynamo_admission_evaluate(evaluator_.get(), nullptr, nullptr, decision_.get()),
            DYNAMO_ADMISSION_INVALID_ARGUMENT);
  EXPECT_EQ(error(), "request must not be null");
  expect_no_results();
  EXPECT_EQ(dynamo_admission_review(nullptr, text(kValidate), text("{}"), nullptr, nullptr),
            DYNAMO_ADMISSION_INVALID_ARGUMENT);
  EXPECT_EQ(
      dynamo_admission_review(evaluator_.get(), text(kValidate), kAbsent, nullptr, decision_.get()),
      DYNAMO_ADMISSION_INVALID_ARGUMENT);
  EXPECT_EQ(error(), "review must not be null");
  EXPECT_EQ(
      dynamo_admission_review(evaluator_.get(), kAbsent, text("{}"), nullptr, decision_.get()),
      DYNAMO_ADMISSION_INVALID_ARGUMENT);
  request.object = {nullptr, 5};
  EXPECT_EQ(evaluate(request), DYNAMO_ADMISSION_INVALID_ARGUMENT);
  EXPECT_EQ(error(), "object must not be null with a length of 5");
}

TEST(CAbiOfNothing, ReadsAsNotAllowed) {
  const Decision fresh = make_decision();
  for (const dynamo_admission_decision* nothing :
       {static_cast<const dynamo_admission_decision*>(nullptr),
        static_cast<const dynamo_admission_decision*>(fresh.get())}) {
    EXPECT_EQ(dynamo_admission_decision_allowed(nothing), 0);
    EXPECT_EQ(dynamo_admission_decision_cause_count(nothing), 0U);
    EXPECT_EQ(dynamo_admission_decision_causes_omitted(nothing), 0U);
    EXPECT_EQ(dynamo_admission_decision_warning_count(nothing), 0U);
    EXPECT_EQ(dynamo_admission_decision_warnings_omitted(nothing), 0U);
    EXPECT_EQ(dynamo_admission_decision_http_status(nothing), 0);
    EXPECT_EQ(copy(dynamo_admission_decision_error(nothing)), "");
    EXPECT_EQ(copy(dynamo_admission_decision_exemption(nothing)), "");
    EXPECT_EQ(copy(dynamo_admission_decision_message(nothing)), "");
    EXPECT_EQ(copy(dynamo_admission_decision_patch(nothing)), "");
    EXPECT_EQ(copy(dynamo_admission_decision_stored(nothing)), "");
    EXPECT_EQ(copy(dynamo_admission_decision_answer(nothing)), "");
    EXPECT_EQ(copy(dynamo_admission_decision_cause(nothing, 0, DYNAMO_ADMISSION_FIELD)), "");
    EXPECT_EQ(copy(dynamo_admission_decision_warning(nothing, 0, DYNAMO_ADMISSION_FIELD)), "");
  }
  EXPECT_EQ(dynamo_admission_decision_status(nullptr), DYNAMO_ADMISSION_INVALID_ARGUMENT);
}

TEST_F(CAbi, ReturnsEmptyForInvalidIndexOrPart) {
  ASSERT_EQ(evaluate("CREATE", kNegative), DYNAMO_ADMISSION_OK);
  EXPECT_EQ(cause(1, DYNAMO_ADMISSION_FIELD), "");
  EXPECT_EQ(cause(SIZE_MAX, DYNAMO_ADMISSION_FIELD), "");
  EXPECT_EQ(cause(0, DYNAMO_ADMISSION_RULE + 1), "");
  EXPECT_EQ(cause(0, -1), "");
}

TEST_F(CAbi, NeverAccessesBytesPastATextEnd) {
  const GuardedText operation{"CREATE"};
  const GuardedText object{kNegative};
  const GuardedText user{"jane"};
  const GuardedText path{kValidate};
  const GuardedText review{review_of(kNegative)};
  const GuardedText settings{"enforcement: deny"};
  const GuardedText policy{"version: 1"};
  const GuardedText truncated{kNegative.substr(0, kNegative.size() - 3)};
  const GuardedText empty{""};

  dynamo_admission_evaluator* created = nullptr;
  ASSERT_EQ(dynamo_admission_evaluator_create(settings.text(), policy.text(), &created, nullptr),
            DYNAMO_ADMISSION_OK);
  evaluator_.reset(created);
  dynamo_admission_request request{};
  request.struct_size = sizeof request;
  request.operation = operation.text();
  request.object = object.text();
  request.old_object = object.text();
  request.user = user.text();
  request.namespace_name = user.text();
  request.name = user.text();
  request.sub_resource = empty.text();
  ASSERT_EQ(evaluate(request), DYNAMO_ADMISSION_OK) << error();
  EXPECT_EQ(causes(), 1U);
  ASSERT_EQ(dynamo_admission_review(evaluator_.get(), path.text(), review.text(), nullptr,
                                    decision_.get()),
            DYNAMO_ADMISSION_OK);
  EXPECT_EQ(causes(), 1U);
  request.object = truncated.text();
  EXPECT_EQ(evaluate(request), DYNAMO_ADMISSION_NOT_JSON);
  request.object = empty.text();
  EXPECT_EQ(evaluate(request), DYNAMO_ADMISSION_NOT_JSON);
}

TEST_F(CAbi, RefusesAHundredMegabytesWithoutReadingThem) {
  const GuardedText page{"x"};
  for (const std::size_t bytes : {std::size_t{100} << 20U, SIZE_MAX}) {
    dynamo_admission_request request = request_of("CREATE", kGood);
    request.object = page.unreadable(bytes);
    EXPECT_EQ(evaluate(request), DYNAMO_ADMISSION_TOO_LARGE);
    EXPECT_EQ(error(), "object must be at most 67108864 bytes; found " + std::to_string(bytes));
    request = request_of("UPDATE", kGood, page.unreadable(bytes));
    EXPECT_EQ(evaluate(request), DYNAMO_ADMISSION_TOO_LARGE);
    EXPECT_EQ(dynamo_admission_review(evaluator_.get(), text(kValidate), page.unreadable(bytes),
                                      nullptr, decision_.get()),
              DYNAMO_ADMISSION_TOO_LARGE);
    expect_no_results();
    dynamo_admission_evaluator* created = nullptr;
    dynamo_admission_error failure{};
    EXPECT_EQ(
        dynamo_admission_evaluator_create(page.unreadable(bytes), kAbsent, &created, &failure),
        DYNAMO_ADMISSION_TOO_LARGE);
    EXPECT_EQ(
        dynamo_admission_evaluator_create(kAbsent, page.unreadable(bytes), &created, &failure),
        DYNAMO_ADMISSION_TOO_LARGE);
    EXPECT_EQ(created, nullptr);
    EXPECT_THAT(failure.message, StartsWith("policy must be at most 1048576 bytes"));
  }
}

TEST_F(CAbi, AcceptsTheLongestObject) {
  std::string object{kGood};
  object.append(DYNAMO_ADMISSION_MAX_BYTES - object.size(), ' ');
  ASSERT_EQ(evaluate("CREATE", object), DYNAMO_ADMISSION_OK) << error();
  EXPECT_TRUE(allowed());
}

TEST_F(CAbi, RefusesUnknownSchemaModes) {
  auto request = request_of("CREATE", kGood);
  for (const int unknown : {-1, DYNAMO_ADMISSION_SCHEMA_STRICT + 1}) {
    request.with_schema = unknown;
    EXPECT_EQ(evaluate(request), DYNAMO_ADMISSION_INVALID_ARGUMENT);
    EXPECT_EQ(error(), "with_schema must be one of its constants");
    EXPECT_FALSE(allowed());
  }
}

// Bytes that this process has allocated. Sanitizers use their own allocator, which reports 0.
std::size_t bytes_in_use() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

TEST_F(CAbi, FreesMemoryOfALargeObject) {
  std::string object = R"({"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment",)"
                       R"("metadata":{"name":"large"},"spec":{"services":{}},"status":{"x":[0)";
  for (int i = 0; i < 1'000'000; ++i) object += ",0";
  object += "]}}";
  auto large = request_of("UPDATE", object, text(object));
  large.with_schema = 1;
  const std::string review = review_of(object);
  const std::size_t before = bytes_in_use();
  ASSERT_EQ(evaluate(large), DYNAMO_ADMISSION_OK) << error();
  large.with_schema = 0;
  ASSERT_EQ(evaluate(large), DYNAMO_ADMISSION_OK) << error();
  ASSERT_EQ(dynamo_admission_review(evaluator_.get(), text(kValidate), text(review), nullptr,
                                    decision_.get()),
            DYNAMO_ADMISSION_OK);
  const std::size_t with_large = bytes_in_use();
  ASSERT_EQ(evaluate("CREATE", kGood), DYNAMO_ADMISSION_OK);
  ASSERT_EQ(dynamo_admission_review(evaluator_.get(), text(kValidate), text(review_of(kGood)),
                                    nullptr, decision_.get()),
            DYNAMO_ADMISSION_OK);
  const std::size_t megabyte = std::size_t{1} << 20U;
  // The review's text, and a tape node for each number. It was more when the tape doubled beyond
  // the maximum for a text of that length.
  constexpr std::size_t kNodes = std::size_t{1'000'000} * 16;
  if (before > 0) {
    EXPECT_GE(with_large, before + kNodes + review.size()) << "the object is large";
    EXPECT_LT(with_large, before + 2 * (kNodes + review.size())) << "as the tape is";
  }
  EXPECT_LT(bytes_in_use(), before + 4 * megabyte);
}

TEST_F(CAbi, RefusesDeepNesting) {
  const auto nested = [](std::size_t depth) {
    return R"({"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment","x":)" +
           std::string(depth - 1, '[') + std::string(depth - 1, ']') + "}";
  };
  EXPECT_EQ(evaluate("CREATE", nested(DYNAMO_ADMISSION_MAX_DEPTH)), DYNAMO_ADMISSION_OK);
  EXPECT_EQ(evaluate("CREATE", nested(DYNAMO_ADMISSION_MAX_DEPTH + 1)), DYNAMO_ADMISSION_NOT_JSON);
  EXPECT_EQ(evaluate("CREATE", nested(1'000'000)), DYNAMO_ADMISSION_NOT_JSON);
}

TEST_F(CAbi, LocatesErrorsInSettingsAndPolicy) {
  const struct {
    std::string_view settings;
    std::string_view policy;
    dynamo_admission_status status;
    std::string_view error;
  } rows[] = {
      {"enforce: deny", "version: 1", DYNAMO_ADMISSION_BAD_SETTINGS,
       "settings: line 1: unknown setting \"enforce\"; known are "},
      {"\nenforcement: no\n", "version: 1", DYNAMO_ADMISSION_BAD_SETTINGS,
       "settings: line 2: enforcement must be a string that is not empty; found boolean"},
      {"enforcement: shout", "version: 1", DYNAMO_ADMISSION_BAD_SETTINGS,
       "settings: line 1: enforcement must be deny or audit; found \"shout\""},
      {"operator-service-account: a", "version: 1", DYNAMO_ADMISSION_BAD_SETTINGS,
       "settings: line 1: operator-service-account must be NAMESPACE/NAME; found \"a\""},
      {"[]", "version: 1", DYNAMO_ADMISSION_BAD_SETTINGS, "settings: must be an object"},
      {"{}\n---\n{}", "version: 1", DYNAMO_ADMISSION_BAD_SETTINGS,
       "settings: must be one document"},
      {"a: [", "version: 1", DYNAMO_ADMISSION_BAD_SETTINGS, "settings: line "},
      {"\xff\xfe", "version: 1", DYNAMO_ADMISSION_BAD_SETTINGS, "settings: line "},
      {"", "", DYNAMO_ADMISSION_BAD_POLICY, "policy: "},
      {"", "version: 1\nseverities: [{rules: [no.such], severity: off}]\n",
       DYNAMO_ADMISSION_BAD_POLICY, "policy: line 2, column "},
      {"", "version: 1\nseverities:\n  - {rules: [pod.too-much], severity: warn}\n",
       DYNAMO_ADMISSION_BAD_POLICY,
       "policy: line 3, column 14: \"pod.too-much\" cannot be softened: "},
      {"", "version: 2\nmore: 1\n", DYNAMO_ADMISSION_BAD_POLICY, "policy: line 1, column 10: "},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.error);
    char anything = 0;
    auto* created = reinterpret_cast<dynamo_admission_evaluator*>(&anything);
    dynamo_admission_error failure{};
    EXPECT_EQ(
        dynamo_admission_evaluator_create(text(row.settings), text(row.policy), &created, &failure),
        row.status);
    EXPECT_EQ(created, nullptr);
    EXPECT_EQ(failure.status, row.status);
    EXPECT_THAT(failure.message, StartsWith(std::string(row.error)));
    EXPECT_EQ(std::strchr(failure.message, '\n'), nullptr) << failure.message;
  }
}

TEST_F(CAbi, CutsALongErrorBetweenCharacters) {
  std::string settings = "enforcement: audit\n";
  std::string policy = "version: 1\nseverities:\n  - {severity: warn, rules: [";
  for (int i = 0; i < 400; ++i) policy += "\xC3\xA9";
  policy += "]}\n";
  dynamo_admission_evaluator* created = nullptr;
  dynamo_admission_error failure{};
  std::memset(failure.message, 'x', sizeof failure.message);
  EXPECT_EQ(dynamo_admission_evaluator_create(text(settings), text(policy), &created, &failure),
            DYNAMO_ADMISSION_BAD_POLICY);
  const std::size_t length = strnlen(failure.message, sizeof failure.message);
  ASSERT_LT(length, sizeof failure.message);
  EXPECT_FALSE(json::find_invalid_utf8({failure.message, length}).has_value());
}

TEST_F(CAbi, SupportsProgramsWithOlderAndNewerHeaders) {
  // A newer program has more fields, which it may only use if this library knows them.
  struct NewerRequest {
    dynamo_admission_request request;
    std::uint64_t more;
  } newer{request_of("CREATE", kGood), 0};
  newer.request.struct_size = sizeof newer;
  EXPECT_EQ(evaluate(newer.request), DYNAMO_ADMISSION_OK) << error();
  newer.more = 1;
  EXPECT_EQ(dynamo_admission_evaluate(evaluator_.get(), &newer.request, nullptr, decision_.get()),
            DYNAMO_ADMISSION_INVALID_ARGUMENT);
  EXPECT_EQ(error(), "request: has fields that this library does not know yet");

  for (const std::size_t size : {std::size_t{0}, std::size_t{8}, std::size_t{4097}, SIZE_MAX}) {
    auto request = request_of("CREATE", kGood);
    request.struct_size = size;
    EXPECT_EQ(evaluate(request), DYNAMO_ADMISSION_INVALID_ARGUMENT);
    EXPECT_THAT(error(), StartsWith("request: struct_size must be the struct's size"));
    request.struct_size = sizeof request;
    auto facts = no_facts();
    facts.struct_size = size;
    EXPECT_EQ(dynamo_admission_evaluate(evaluator_.get(), &request, &facts, decision_.get()),
              DYNAMO_ADMISSION_INVALID_ARGUMENT);
    EXPECT_THAT(error(), StartsWith("facts: struct_size must be the struct's size"));
  }
  // These sizes are part of the ABI: programs are compiled with them.
  EXPECT_EQ(sizeof(dynamo_admission_text), 16U);
  EXPECT_EQ(sizeof(dynamo_admission_error), 1024U);
  EXPECT_EQ(sizeof(dynamo_admission_facts), 48U);
  EXPECT_EQ(sizeof(dynamo_admission_request), 128U);
}

TEST_F(CAbi, RefusesUnknownFactValues) {
  const auto request = request_of("CREATE", kGood);
  for (std::int32_t dynamo_admission_facts::*field :
       {&dynamo_admission_facts::inference_pool_served, &dynamo_admission_facts::grove_served,
        &dynamo_admission_facts::leader_worker_set_served,
        &dynamo_admission_facts::kai_scheduler_served,
        &dynamo_admission_facts::kubernetes_discovery, &dynamo_admission_facts::operator_generation,
        &dynamo_admission_facts::reserved}) {
    for (const std::int32_t value : {-1, 3, INT32_MAX, INT32_MIN}) {
      auto facts = no_facts();
      facts.*field = value;
      EXPECT_EQ(dynamo_admission_evaluate(evaluator_.get(), &request, &facts, decision_.get()),
                DYNAMO_ADMISSION_INVALID_ARGUMENT);
      expect_no_results();
    }
  }
  for (const std::int64_t now : {std::int64_t{-1}, INT64_MAX, INT64_MIN}) {
    auto facts = no_facts();
    facts.now = now;
    EXPECT_EQ(dynamo_admission_evaluate(evaluator_.get(), &request, &facts, decision_.get()),
              DYNAMO_ADMISSION_INVALID_ARGUMENT);
    EXPECT_THAT(error(), StartsWith("facts: now must be"));
  }
}

TEST_F(CAbi, ExplainsFailedConversions) {
  const struct {
    dynamo_admission_text object;
    dynamo_admission_text version;
    dynamo_admission_status status;
    std::string_view error;
  } rows[] = {
      {text(kGood), text("v1beta1"), DYNAMO_ADMISSION_INVALID_ARGUMENT,
       "api_version must be nvidia.com/v1alpha1 or nvidia.com/v1beta1; found \"v1beta1\""},
      {text(kGood), kAbsent, DYNAMO_ADMISSION_INVALID_ARGUMENT, "api_version must be"},
      {kAbsent, text("nvidia.com/v1beta1"), DYNAMO_ADMISSION_INVALID_ARGUMENT,
       "object must not be null"},
      {text("{"), text("nvidia.com/v1beta1"), DYNAMO_ADMISSION_NOT_JSON, "object: byte 1: "},
      {text("[]"), text("nvidia.com/v1beta1"), DYNAMO_ADMISSION_INVALID_ARGUMENT,
       "object must be a JSON object; found list"},
      {text(kGood), text("nvidia.com/v1alpha1"), DYNAMO_ADMISSION_NOT_CONVERTIBLE,
       "object: the object has version nvidia.com/v1alpha1 already"},
      {text(R"({"apiVersion":"v1","kind":"Pod"})"), text("nvidia.com/v1beta1"),
       DYNAMO_ADMISSION_NOT_CONVERTIBLE, "object: cannot convert apiVersion \"v1\""},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.error);
    EXPECT_EQ(dynamo_admission_convert(row.object, row.version, decision_.get()), row.status);
    EXPECT_THAT(error(), StartsWith(std::string(row.error)));
    EXPECT_EQ(copy(dynamo_admission_decision_converted(decision_.get())), "");
    expect_no_results();
  }
  EXPECT_EQ(dynamo_admission_convert(text(kGood), text("nvidia.com/v1beta1"), nullptr),
            DYNAMO_ADMISSION_INVALID_ARGUMENT);
  EXPECT_EQ(copy(dynamo_admission_decision_converted(nullptr)), "");
}

}  // namespace
}  // namespace dynamo::test
