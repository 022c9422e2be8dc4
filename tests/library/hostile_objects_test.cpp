// Objects that are expensive on purpose, through the C boundary.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/library/c_abi_fixture.hpp"
#include "tests/support/schema_objects.hpp"

namespace dynamo::test {
namespace {

std::string nested(bool swapped) {
  std::string text = "1";
  for (int depth = 0; depth < 60; ++depth) {
    text = R"({"n":)" + text + (swapped ? R"(,"b":2,"a":1})" : R"(,"a":1,"b":2})");
  }
  return text;
}

std::string deleted(bool swapped) {
  return R"({"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeploymentRequest",)"
         R"("metadata":{"name":"a","deletionTimestamp":"2026-01-01T00:00:00Z"},)"
         R"("spec":{"profilingConfig":{"config":)" +
         nested(swapped) + "}}}";
}

TEST(CAbiOfHostileObjects, ComparesDeepObjectsQuickly) {
  const Evaluator evaluator = make_evaluator();
  const Decision decision = make_decision();
  const std::string now = deleted(true);
  const std::string old = deleted(false);
  for (const std::int32_t schema : {DYNAMO_ADMISSION_SCHEMA_NONE, DYNAMO_ADMISSION_SCHEMA}) {
    dynamo_admission_request request = request_of("UPDATE", now, text(old));
    request.with_schema = schema;
    ASSERT_EQ(dynamo_admission_evaluate(evaluator.get(), &request, nullptr, decision.get()),
              DYNAMO_ADMISSION_OK);
    if (schema != DYNAMO_ADMISSION_SCHEMA_NONE) continue;  // it adds the defaults to the new object
    EXPECT_EQ(copy(dynamo_admission_decision_exemption(decision.get())), "terminating");
  }
}

// The size of a decision's texts: the denial, and each cause and warning.
std::size_t message_bytes(const dynamo_admission_decision* decision) {
  std::size_t bytes = dynamo_admission_decision_message(decision).length +
                      dynamo_admission_decision_error(decision).length +
                      dynamo_admission_decision_patch(decision).length;
  for (const dynamo_admission_part part : {DYNAMO_ADMISSION_FIELD, DYNAMO_ADMISSION_MESSAGE}) {
    for (std::size_t i = 0; i < dynamo_admission_decision_cause_count(decision); ++i) {
      bytes += dynamo_admission_decision_cause(decision, i, part).length;
    }
  }
  for (std::size_t i = 0; i < dynamo_admission_decision_warning_count(decision); ++i) {
    bytes += dynamo_admission_decision_warning(decision, i, DYNAMO_ADMISSION_MESSAGE).length;
  }
  return bytes;
}

TEST(CAbiOfHostileObjects, LimitsLongTextsInFindings) {
  constexpr std::size_t kLong = 100'000;
  constexpr std::size_t kMaxMessageBytes = std::size_t{64} << 10U;
  const Evaluator evaluator = make_evaluator();
  const Decision decision = make_decision();
  const std::string value = "$(" + std::string(kLong, 'A') + ")";
  std::size_t objects = 0;
  for (const std::string_view kind :
       {"DynamoGraphDeployment", "DynamoModel", "DynamoGraphDeploymentRequest", "DynamoCheckpoint",
        "DynamoGraphDeploymentScalingAdapter"}) {
    for_each_schema(
        *schema::find_resource(kind), [&](const schema::Schema& schema, const WrapValue& wrap) {
          std::string object;
          for (const schema::Property& property : schema.properties) {
            if (property.schema->type != schema::Type::kString) continue;
            object += (object.empty() ? "{\"" : ",\"") + std::string(property.name) + "\":\"" +
                      value + '"';
          }
          if (object.empty()) return;
          const std::string json = wrap(object + ",\"" + value + "\":1}");
          // Alternately with and without the schema.
          dynamo_admission_request request = request_of("CREATE", json);
          request.with_schema =
              ++objects % 2 == 0 ? DYNAMO_ADMISSION_SCHEMA_NONE : DYNAMO_ADMISSION_SCHEMA_STRICT;
          ASSERT_EQ(dynamo_admission_evaluate(evaluator.get(), &request, nullptr, decision.get()),
                    DYNAMO_ADMISSION_OK);
          EXPECT_LT(message_bytes(decision.get()), kMaxMessageBytes) << wrap("long texts");
        });
  }
  EXPECT_GT(objects, 100U);
}

}  // namespace
}  // namespace dynamo::test
