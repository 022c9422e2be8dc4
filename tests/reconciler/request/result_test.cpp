// Results that are read from the ConfigMap of a profiler, and refused ones.
#include "reconciler/request/result.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "json/parser.hpp"
#include "json/writer.hpp"

namespace dynamo::reconciler::request {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kKey = "config_with_planner.yaml";

kube::Object config_map(std::string_view text, std::string_view key = kKey) {
  std::string json;
  json::Writer out(json);
  out.start_object().key("metadata").start_object();
  out.member("name", "dgdr-output-r").member("namespace", "team-a").end_object();
  out.key("data").start_object().member(key, text).end_object().end_object();
  return kube::Object::parse(json).value();
}

Extraction extracted(std::string_view text) {
  return extract_result(config_map(text), kKey);
}

std::string graph_of(std::string_view text) {
  const Extraction extraction = extracted(text);
  return extraction.result ? extraction.result->graph : "none: " + extraction.problem;
}

std::string problem_of(std::string_view text) {
  return extracted(text).problem;
}

TEST(ProfilingResult, GraphKeepsNameNamespaceLabelsAndAnnotations) {
  EXPECT_EQ(
      graph_of(R"(
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata: {name: g, namespace: ml, labels: {l: "1"}, annotations: {a: "2"}, uid: u, finalizers: [f]}
spec: {services: {F: {replicas: 1}}, backendFramework: vllm}
status: {state: successful}
)"),
      R"({"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment",)"
      R"("metadata":{"name":"g","namespace":"ml","labels":{"l":"1"},"annotations":{"a":"2"}},)"
      R"("spec":{"backendFramework":"vllm","services":{"F":{"replicas":1}}}})");
}

TEST(ProfilingResult, LastGraphOfSeveralCounts) {
  const std::string found = graph_of(R"(---
{kind: DynamoGraphDeployment, metadata: {name: first}, spec: {}}
---
{kind: DynamoGraphDeployment, metadata: {name: last}, spec: {}}
---
)");
  EXPECT_THAT(found, HasSubstr(R"("name":"last")"));
}

TEST(ProfilingResult, PlainWordsAreReadAsYamlOneOne) {
  const std::string found =
      graph_of("{kind: DynamoGraphDeployment, metadata: {name: g}, spec: {a: yes, b: off, on: 1}}");
  EXPECT_THAT(found, HasSubstr(R"("spec":{"a":true,"b":false,"true":1})"));
}

TEST(ProfilingResult, OtherDocumentsAreKeptInOrder) {
  const Extraction extraction = extracted(R"(
{kind: ConfigMap, apiVersion: v1, metadata: {name: one}, data: {z: "1", a: "2"}}
---
{kind: DynamoGraphDeployment, metadata: {name: g}, spec: {}}
---
{kind: Service, metadata: {name: two}}
---
just a text
---
{metadata: {name: without-kind}}
)");
  ASSERT_TRUE(extraction.result.has_value()) << extraction.problem;
  ASSERT_EQ(extraction.result->additional.size(), 2U);
  EXPECT_EQ(extraction.result->additional[0].kind, "ConfigMap");
  EXPECT_EQ(extraction.result->additional[0].name, "one");
  EXPECT_EQ(extraction.result->additional[1].kind, "Service");
  EXPECT_EQ(extraction.result->annotation,
            "apiVersion: v1\ndata:\n  a: \"2\"\n  z: \"1\"\nkind: ConfigMap\nmetadata:\n"
            "  name: one\n---\nkind: Service\nmetadata:\n  name: two");
}

TEST(ProfilingResult, DocumentThatIsNoYamlIsSkipped) {
  EXPECT_THAT(graph_of("a: [\n---\n{kind: DynamoGraphDeployment, metadata: {name: g}, spec: {}}\n"),
              HasSubstr(R"("name":"g")"));
  EXPECT_THAT(problem_of("a: [\n"), HasSubstr("must hold a DynamoGraphDeployment"));
  EXPECT_THAT(problem_of("a: [\n"), HasSubstr("no YAML"));
}

TEST(ProfilingResult, MissingKeyNamesTheOthers) {
  const Extraction extraction = extract_result(config_map("x", "other.yaml"), kKey);
  EXPECT_FALSE(extraction.result.has_value());
  EXPECT_EQ(extraction.problem,
            "ConfigMap dgdr-output-r must have the key \"config_with_planner.yaml\" with the "
            "generated graph; found \"other.yaml\"");
}

TEST(ProfilingResult, BinaryKeyIsRefused) {
  const kube::Object binary =
      kube::Object::parse(R"({"metadata":{"name":"dgdr-output-r"},"binaryData":{")" +
                          std::string(kKey) + R"(":"/w=="}})")
          .value();
  EXPECT_THAT(extract_result(binary, kKey).problem, HasSubstr("found it in binaryData"));
}

TEST(ProfilingResult, EmptyTextIsRefused) {
  EXPECT_THAT(problem_of(""), HasSubstr("found an empty text"));
  EXPECT_THAT(problem_of("# nothing\n"), HasSubstr("must hold a DynamoGraphDeployment"));
}

TEST(ProfilingResult, AliasesBeyondTheLimitAreRefused) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int level = 1; level < 9; ++level) {
    const std::string before = "*a" + std::to_string(level - 1);
    bomb += "a" + std::to_string(level) + ": &a" + std::to_string(level) + " [";
    for (int i = 0; i < 10; ++i) bomb += (i == 0 ? "" : ", ") + before;
    bomb += "]\n";
  }
  bomb += "---\n{kind: DynamoGraphDeployment, metadata: {name: g}, spec: {}}\n";
  EXPECT_THAT(problem_of(bomb), HasSubstr("must be within limits"));
}

TEST(ProfilingResult, GraphOverTheLimitIsRefused) {
  EXPECT_THAT(problem_of("{kind: DynamoGraphDeployment, metadata: {name: g}, spec: {a: " +
                         std::string(kMaxGraph, 'x') + "}}"),
              HasSubstr("at most 500000 bytes"));
}

TEST(ProfilingResult, GraphOfAnotherVersionIsRefused) {
  for (const std::string version : {"example.com/v1", "nvidia.com/v2", "v1alpha1"}) {
    SCOPED_TRACE(version);
    EXPECT_THAT(problem_of("{apiVersion: " + version + ", kind: DynamoGraphDeployment, spec: {}}"),
                HasSubstr("of nvidia.com/v1alpha1; found \"" + version + "\""));
  }
}

TEST(ProfilingResult, UnknownFieldsOfGraphAreKept) {
  EXPECT_THAT(graph_of("{kind: DynamoGraphDeployment, metadata: {name: g}, spec: {future: 1}}"),
              HasSubstr(R"("spec":{"future":1})"));
}

TEST(ProfilingResult, GraphWithoutSpecIsRefused) {
  EXPECT_THAT(problem_of("{kind: DynamoGraphDeployment, metadata: {name: g}}"),
              HasSubstr("with a spec; found none"));
}

TEST(ProfilingResult, OtherDocumentsOverTheLimitAreRefused) {
  const std::string large = "{kind: ConfigMap, metadata: {name: c}, data: {a: " +
                            std::string(kMaxAdditionalResources, 'x') + "}}\n";
  EXPECT_THAT(problem_of(large + "---\n{kind: DynamoGraphDeployment, metadata: {name: g}, "
                                 "spec: {}}\n"),
              HasSubstr("must take at most 250000 bytes"));
}

TEST(ProfilingResult, MockerHasKeyOfItsOwn) {
  const auto plain = json::parse_copy(R"({"spec":{}})");
  const auto mocked = json::parse_copy(R"({"spec":{"useMocker":true}})");
  EXPECT_EQ(result_key(api::GraphDeploymentRequest{plain->root()}), kKey);
  EXPECT_EQ(result_key(api::GraphDeploymentRequest{mocked->root()}),
            "mocker_config_with_planner.yaml");
}

}  // namespace
}  // namespace dynamo::reconciler::request
