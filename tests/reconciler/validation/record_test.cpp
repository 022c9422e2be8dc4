// The admission record: its content for each kind, and how an edited one is handled.
#include "reconciler/verdict/record.hpp"

#include <gtest/gtest.h>

#include <string>

#include "json/writer.hpp"
#include "reconciler/verdict/validator.hpp"

namespace dynamo::reconciler::validation {
namespace {

kube::Object object(const std::string& spec, const std::string& annotation = "",
                    const std::string& uid = "u-1") {
  std::string quoted;
  json::append_quoted(quoted, annotation);
  return kube::Object::parse(
             R"({"apiVersion":"nvidia.com/v1alpha1","kind":"K","metadata":{"namespace":"ns",)"
             R"("name":"x","generation":4,"uid":")" +
             uid + R"(","annotations":{"dynamo-admission/last-admitted":)" + quoted +
             R"(}},"spec":)" + spec + "}")
      .value();
}

TEST(Record, RecordContainsImmutableFields) {
  using enum api::Kind;
  EXPECT_EQ(immutable_part(kGraphDeployment,
                           object(R"({"backendFramework":"vllm","envs":[],"services":{)"
                                  R"("A":{"replicas":2,"multinode":{"nodeCount":2}},"B":{}}})")),
            R"({"backendFramework":"vllm","services":{"A":{"multinode":{"nodeCount":2}},"B":{}}})");
  EXPECT_EQ(
      immutable_part(kComponentDeployment, object(R"({"backendFramework":"vllm","replicas":1})")),
      R"({"backendFramework":"vllm"})");
  EXPECT_EQ(immutable_part(kModel, object(R"({"modelName":"m","baseModelName":"b"})")),
            R"({"baseModelName":"b"})");
  EXPECT_EQ(immutable_part(kCheckpoint, object(R"({"identity":{"model":"m"},"job":{}})")),
            R"({"identity":{"model":"m"}})");
  EXPECT_EQ(immutable_part(kGraphDeploymentRequest, object(R"({"model":"m"})")),
            R"({"model":"m"})");
  EXPECT_EQ(immutable_part(kScalingAdapter, object(R"({"dgdRef":{}})")), "");
}

TEST(Record, LongSpecOutgrowsTheRecord) {
  using enum api::Kind;
  const auto request = [](std::size_t length) {
    return object(R"({"model":")" + std::string(length, 'm') + R"("})");
  };
  EXPECT_FALSE(outgrows_record(kGraphDeploymentRequest, request(100)));
  EXPECT_TRUE(outgrows_record(kGraphDeploymentRequest, request(kMaxRecordBytes)));
  EXPECT_TRUE(outgrows_record(kGraphDeploymentRequest, request(kMaxRecordBytes - 20)))
      << "what stands around it counts";
  EXPECT_FALSE(outgrows_record(kGraphDeployment, request(kMaxRecordBytes)));
  EXPECT_FALSE(outgrows_record(kScalingAdapter, request(kMaxRecordBytes)));
}

TEST(Record, MalformedSpecDoesNotThrow) {
  for (const char* const spec : {"null", "[]", "7", "\"x\"", R"({"services":[1]})",
                                 R"({"services":{"A":3}})", R"({"identity":null})"}) {
    for (const api::KindNames& each : api::kKinds) {
      EXPECT_NO_THROW(immutable_part(each.kind, object(spec))) << spec;
    }
  }
}

TEST(Record, RecordIsReadBack) {
  const std::string part = R"({"backendFramework":"vllm"})";
  const std::string text = record_text(object("{}"), part);
  const Record read = read_record(object("{}", text));
  EXPECT_EQ(read.state, RecordState::kRead);
  EXPECT_EQ(read.generation, 4);
  EXPECT_EQ(read.spec, part);
}

TEST(Record, RecordOfEarlierObjectIsIgnored) {
  const std::string text = record_text(object("{}", "", "u-0"), "{}");
  EXPECT_EQ(read_record(object("{}", text, "u-1")).state, RecordState::kAbsent);
}

TEST(Record, EditedRecordIsRejected) {
  std::string text = record_text(object("{}"), R"({"backendFramework":"vllm"})");
  const std::string good = text;
  text.replace(text.find("vllm"), 4, "sglx");
  EXPECT_EQ(read_record(object("{}", text)).state, RecordState::kUnreadable);
  EXPECT_EQ(read_record(object("{}", good)).state, RecordState::kRead);
  for (const std::string& bad :
       {std::string(), std::string("{"), std::string("[]"), std::string("{}"),
        std::string(100'000, 'x'), std::string(R"({"spec":{},"generation":"x"})")}) {
    EXPECT_EQ(read_record(object("{}", bad)).state, RecordState::kUnreadable) << bad.substr(0, 40);
  }
}

TEST(Record, RecordSizeIsLimited) {
  const std::string large = R"({"model":")" + std::string(kMaxRecordBytes, 'm') + R"("})";
  EXPECT_EQ(immutable_part(api::Kind::kGraphDeploymentRequest, object(large)), "");
  const std::string almost = R"({"model":")" + std::string(kMaxRecordBytes - 20, 'm') + R"("})";
  EXPECT_EQ(record_text(object("{}"), almost), "");
}

// --- Comparison with the object.

class ValidatorTest : public ::testing::Test {
 protected:
  ValidationResult change(api::Kind kind, const std::string& before, const std::string& now) {
    return validator_.validate_change(kind, object(now), before, inputs());
  }
  admission::EvaluationInputs inputs() const {
    return {.settings = settings_, .facts = facts_, .leases = leases_, .now = {}};
  }
  StoredObjectValidator validator_;
  api::Settings settings_;
  api::ClusterFacts facts_;
  admission::NoNamespaceLeases leases_;
};

TEST_F(ValidatorTest, ChangedFieldsAreFound) {
  using enum api::Kind;
  const auto found =
      change(kModel, R"({"baseModelName":"a"})", R"({"modelName":"m","baseModelName":"b"})");
  ASSERT_EQ(found.rules.size(), 1U);
  EXPECT_EQ(found.rules[0], "dm.base.immutable");
  EXPECT_NE(found.message.find("DynamoModel.nvidia.com \"x\" is invalid: spec.baseModelName"),
            std::string::npos)
      << found.message;
  EXPECT_EQ(change(kGraphDeployment, R"({"backendFramework":"vllm","services":{"A":{}}})",
                   R"({"backendFramework":"sglang","services":{"B":{}}})")
                .rules.size(),
            2U);
}

TEST_F(ValidatorTest, MutableFieldsMayChange) {
  EXPECT_TRUE(change(api::Kind::kGraphDeployment,
                     R"({"backendFramework":"vllm","services":{"A":{}}})",
                     R"({"backendFramework":"vllm","services":{"A":{"replicas":7,)"
                     R"("scalingAdapter":{"enabled":true}}}})")
                  .is_valid());
}

TEST_F(ValidatorTest, VerdictMatchesTheWebhook) {
  const ValidationResult verdict =
      validator_.validate(api::Kind::kModel, object(R"({"modelType":"lora"})"), inputs());
  EXPECT_FALSE(verdict.is_valid());
  EXPECT_EQ(verdict.exemption, admission::Exemption::kNone);
  EXPECT_EQ(verdict.message.find("DynamoModel.nvidia.com \"x\" is invalid: "), 0U)
      << verdict.message;
}

TEST_F(ValidatorTest, MalformedSpecDoesNotThrow) {
  for (const char* const spec : {"null", "[]", "7", R"({"services":[1]})"}) {
    for (const api::KindNames& each : api::kKinds) {
      EXPECT_NO_THROW(validator_.validate(each.kind, object(spec), inputs())) << spec;
      EXPECT_NO_THROW(validator_.validate_change(each.kind, object(spec), "{}", inputs())) << spec;
    }
  }
}

}  // namespace
}  // namespace dynamo::reconciler::validation
