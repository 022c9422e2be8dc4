// Payload annotations that a user edited, or that do not fit the object any more.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "conversion/convert.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"
#include "tests/conversion/convert_fixture.hpp"

namespace dynamo::test {
namespace {

using testing::HasSubstr;

// A graph or request with one annotation.
std::string annotated(std::string_view version, std::string_view kind, std::string_view key,
                      std::string_view payload, std::string_view spec) {
  std::string text;
  json::Writer out(text);
  out.start_object();
  out.member("apiVersion", "nvidia.com/" + std::string(version)).member("kind", kind);
  out.key("metadata").start_object().member("name", "g").key("annotations").start_object();
  out.member(key, payload).member("keep", "me");
  out.end_object().end_object();
  out.key("spec").raw(spec).end_object();
  return text;
}

std::string annotated_beta_graph(std::string_view payload) {
  return annotated("v1beta1", "DynamoGraphDeployment", "nvidia.com/dgd-spec", payload,
                   R"({"components":[{"name":"w","type":"worker"}]})");
}

std::string annotated_alpha_graph(std::string_view payload) {
  return annotated("v1alpha1", "DynamoGraphDeployment", "nvidia.com/dgd-spec", payload,
                   R"({"services":{"w":{"componentType":"worker"}}})");
}

class UnreadablePayloadTest : public testing::TestWithParam<std::string_view> {};

TEST_P(UnreadablePayloadTest, CountsAsAbsent) {
  const std::string alpha = converted(annotated_beta_graph(GetParam()));
  EXPECT_EQ(field(alpha, "/spec"), R"({"services":{"w":{"componentType":"worker"}}})");
  EXPECT_EQ(field(alpha, "/metadata/annotations"), R"({"keep":"me"})");
  const std::string beta = converted(annotated_alpha_graph(GetParam()));
  EXPECT_EQ(field(beta, "/spec"), R"({"components":[{"name":"w","type":"worker"}]})");
  EXPECT_EQ(field(beta, "/metadata/annotations"), R"({"keep":"me"})");
}

INSTANTIATE_TEST_SUITE_P(
    Texts, UnreadablePayloadTest,
    testing::Values("", "x", "{", "[]", "null", "1", "\"text\"", R"({"spec":1})", R"({"spec":[]})",
                    R"({"version":1,"spec":{"services":[],"components":{}}})",
                    R"({"spec":{"pvcs":[1],"components":[1]}})",
                    R"({"spec":{"services":{"w":{"serviceName":1}},"components":[{"name":1}]}})",
                    "{\"spec\":{\"annotations\":{\"a\":1}}}", "{\"spec\":{}}trailing"));

TEST(PayloadTest, MarkupIsEscapedLikeGo) {
  for (const auto& [text, escaped] :
       {std::pair{"a<b", R"(a\\u003cb)"}, {"a>b", R"(a\\u003eb)"}, {"a&b", R"(a\\u0026b)"}}) {
    const auto object = json::parse_copy(
        R"({"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment","spec":{"pvcs":[)"
        R"({"name":")" +
        std::string(text) + R"("}]}})");
    std::string beta;
    EXPECT_FALSE(
        conversion::Converter().convert(object->root(), conversion::Version::kV1beta1, beta));
    EXPECT_THAT(beta, HasSubstr(escaped));
  }
}

TEST(PayloadTest, VersionIsNotChecked) {
  const std::string alpha =
      converted(annotated_beta_graph(R"({"version":99,"spec":{"pvcs":[{"name":"p"}]},"other":1})"));
  EXPECT_EQ(field(alpha, "/spec/pvcs"), R"([{"name":"p","size":"0"}])");
}

TEST(PayloadTest, EnvelopeIsOptional) {
  const std::string alpha = converted(annotated_beta_graph(R"({"pvcs":[{"name":"p"}]})"));
  EXPECT_EQ(field(alpha, "/spec/pvcs"), R"([{"name":"p","size":"0"}])");
}

TEST(PayloadTest, NamesMatchInAnyCase) {
  const std::string alpha = converted(annotated_beta_graph(R"({"spec":{"PVCs":[{"Name":"p"}]}})"));
  EXPECT_EQ(field(alpha, "/spec/pvcs"), R"([{"name":"p","size":"0"}])");
}

TEST(PayloadTest, UnknownComponentsAreIgnored) {
  const std::string alpha = converted(annotated_beta_graph(
      R"({"spec":{"services":{"gone":{"ingress":{"enabled":true}},"w":{"labels":{"a":"b"}}}}})"));
  EXPECT_EQ(field(alpha, "/spec/services"),
            R"({"w":{"componentType":"worker","labels":{"a":"b"}}})");
  const std::string beta = converted(annotated_alpha_graph(
      R"({"spec":{"components":[{"name":"gone"},{"name":"a"},{"name":"w","podTemplate":{}}]}})"));
  EXPECT_EQ(field(beta, "/spec/components"),
            R"([{"name":"w","podTemplate":{"spec":{"containers":null}},"type":"worker"}])");
}

TEST(PayloadTest, FirstOfDuplicateNamesCounts) {
  const std::string beta = converted(annotated_alpha_graph(
      R"({"spec":{"components":[{"name":"w","experimental":{"grove":{"forceScalingGroup":true}}},)"
      R"({"name":"w","experimental":{}}]}})"));
  EXPECT_EQ(field(beta, "/spec/components/0/experimental"),
            R"({"grove":{"forceScalingGroup":true}})");
}

TEST(PayloadTest, EmptyServiceReturnsUnlessItsNameIsTaken) {
  const std::string alpha =
      converted(annotated_beta_graph(R"({"spec":{"services":{"w":null,"empty":null}}})"));
  EXPECT_EQ(field(alpha, "/spec/services"), R"({"empty":null,"w":{"componentType":"worker"}})");
}

TEST(PayloadTest, UnreadableStatusOfGraphIsAnError) {
  for (const std::string_view payload :
       {"x", "[]", R"({"services":1,"service":1})", R"({"conditions":{}})"}) {
    EXPECT_THAT(converted(annotated("v1beta1", "DynamoGraphDeployment", "nvidia.com/dgd-status",
                                    payload, "{}")),
                HasSubstr("error: annotation nvidia.com/dgd-status"))
        << payload;
    EXPECT_THAT(converted(annotated("v1beta1", "DynamoComponentDeployment", "nvidia.com/dcd-status",
                                    payload, "{}")),
                HasSubstr("error: annotation nvidia.com/dcd-status"))
        << payload;
  }
}

TEST(PayloadTest, EmptyStatusOfGraphIsIgnored) {
  EXPECT_EQ(field(converted(annotated("v1beta1", "DynamoGraphDeployment", "nvidia.com/dgd-status",
                                      "", "{}")),
                  "/metadata/annotations"),
            R"({"keep":"me"})");
}

TEST(PayloadTest, UnreadableStatusOfRequestIsIgnored) {
  const std::string alpha = converted(annotated("v1beta1", "DynamoGraphDeploymentRequest",
                                                "nvidia.com/dgdr-status", "x", R"({"model":"m"})"));
  EXPECT_EQ(field(alpha, "/status"), R"({"state":"Pending"})");
}

TEST(PayloadTest, NullsInEveryPlaceAreHarmless) {
  const std::string_view payload =
      R"({"version":null,"spec":{"pvcs":[null],"services":{"w":{"resources":null,"envs":[null],)"
      R"("labels":{"a":null},"extraPodSpec":{"mainContainer":{"env":null,"volumeMounts":[null]}}}},)"
      R"("components":[null,{"name":"w","podTemplate":{"spec":{"containers":[null]}}}]},)"
      R"("rawJSON":[null,{"path":null,"nil":null}]})";
  EXPECT_THAT(converted(annotated_beta_graph(payload)), HasSubstr("v1alpha1"));
  EXPECT_THAT(converted(annotated_alpha_graph(payload)), HasSubstr("v1beta1"));
}

// The object with null in that place of its payload annotations, which are one value here.
std::string with_null_in_payloads(json::Value object, json::Value payloads, std::size_t place) {
  const auto edited = json::parse_copy(with_null_at(payloads, place));
  std::string text;
  json::Writer out(text);
  out.start_object();
  for (const json::Member member : object.members()) {
    if (member.name != "metadata") out.key(member.name).value(member.value);
  }
  out.key("metadata").start_object().member("name", "g").key("annotations").start_object();
  for (const json::Member payload : edited->root().members()) {
    out.member(payload.name, json::to_text(payload.value));
  }
  out.end_object().end_object().end_object();
  return text;
}

TEST(PayloadTest, NullInAnyPlaceKeepsLiveSpec) {
  for (const std::string_view alpha : typical_objects()) {
    const auto beta = json::parse_copy(converted(alpha));
    const json::Value payloads = beta->root()["metadata"]["annotations"];
    if (!payloads.exists()) continue;  // the scaling adapter
    const std::string spec = json::to_text(beta->root()["spec"]);
    for (std::size_t place = 1; place < payloads.node()->span; ++place) {
      const std::string edited = with_null_in_payloads(beta->root(), payloads, place);
      SCOPED_TRACE(edited);
      const std::string back = converted_there_and_back(edited);
      if (!back.starts_with("error: annotation nvidia.com/d")) {
        EXPECT_EQ(field(back, "/spec"), spec);
      }
    }
  }
}

TEST(PayloadTest, DeepPayloadCountsAsAbsent) {
  const std::string deep = std::string(100'000, '[');
  EXPECT_THAT(converted(annotated_beta_graph(deep)), HasSubstr("v1alpha1"));
  std::string nested = R"({"spec":{"providerOverride":{"value":)";
  for (int i = 0; i < 10'000; ++i) nested += R"({"a":)";
  EXPECT_THAT(converted(annotated_alpha_graph(nested)), HasSubstr("v1beta1"));
}

// 200,000 services and a payload of 256 KiB whose names are in reverse order.
TEST(PayloadTest, ManyNamesTakeLinearithmicTime) {
  std::string services = "{";
  std::string payload = R"({"spec":{"components":[)";
  for (int i = 0; i < 50'000; ++i) {
    const std::string name = std::to_string(100'000 + i);
    services.append(i == 0 ? "\"" : ",\"").append(name).append("\":{}");
    const std::string reversed = std::to_string(150'000 - i);
    if (i < 12'000) payload.append(i == 0 ? "" : ",").append("{\"name\":\"" + reversed + "\"}");
  }
  const std::string object = annotated("v1alpha1", "DynamoGraphDeployment", "nvidia.com/dgd-spec",
                                       payload + "]}}", "{\"services\":" + services + "}}");
  const auto parsed = json::parse_copy(object);
  ASSERT_FALSE(parsed->error);
  std::string beta;
  conversion::Converter converter;
  EXPECT_FALSE(converter.convert(parsed->root(), conversion::Version::kV1beta1, beta));
  const auto back = json::parse_copy(beta);
  ASSERT_FALSE(back->error);
  EXPECT_EQ(back->root()["spec"]["components"].size(), 50'000);
  std::string alpha;
  EXPECT_FALSE(converter.convert(back->root(), conversion::Version::kV1alpha1, alpha));
}

TEST(PayloadTest, ManyVariablesAndMountsTakeLinearithmicTime) {
  std::string env = "[";
  std::string reversed = "[";
  std::string mounts = "[";
  constexpr int kCount = 20'000;
  for (int i = 0; i < kCount; ++i) {
    const std::string comma = i == 0 ? "" : ",";
    env += comma + "{\"name\":\"" + std::to_string(i) + "\"}";
    reversed += comma + "{\"name\":\"" + std::to_string(kCount - i) + "\",\"value\":\"x\"}";
    mounts += comma + "{\"name\":\"" + std::to_string(i) + "\",\"mountPoint\":\"/p\"}";
  }
  const std::string object =
      annotated("v1alpha1", "DynamoGraphDeployment", "other", "",
                "{\"services\":{\"w\":{\"envs\":" + env + "],\"volumeMounts\":" + mounts +
                    "],\"extraPodSpec\":{\"mainContainer\":{\"env\":" + reversed + "]}}}}}");
  const auto parsed = json::parse_copy(object);
  ASSERT_FALSE(parsed->error);
  std::string beta;
  conversion::Converter converter;
  EXPECT_FALSE(converter.convert(parsed->root(), conversion::Version::kV1beta1, beta));
  const auto there = json::parse_copy(beta);
  std::string alpha;
  EXPECT_FALSE(converter.convert(there->root(), conversion::Version::kV1alpha1, alpha));
  EXPECT_EQ(json::parse_copy(alpha)->root()["spec"]["services"]["w"]["envs"].size(),
            std::size_t{kCount});
}

}  // namespace
}  // namespace dynamo::test
