// The graph and the ConfigMaps that are created from a profiler's result.
#include "reconciler/request/generated.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "json/parser.hpp"

namespace dynamo::reconciler::request {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kGenerated =
    R"({"metadata":{"name":"made","namespace":"ignored","labels":{"l":"1","over":"gen"},)"
    R"("annotations":{"a":"1"}},"spec":{"services":{}}})";

std::string request_with(std::string_view overrides) {
  return R"({"metadata":{"name":"r","namespace":"team-a"},"spec":{"deploymentOverrides":)" +
         std::string(overrides) + "}}";
}

std::string manifest_with(std::string_view overrides) {
  const auto request = json::parse_copy(request_with(overrides));
  const auto generated = json::parse_copy(kGenerated);
  return graph_manifest(api::GraphDeploymentRequest{request->root()}, generated->root());
}

TEST(GeneratedGraph, NamespaceIsThatOfTheRequest) {
  EXPECT_EQ(manifest_with("{}"),
            R"({"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment",)"
            R"("metadata":{"name":"made","namespace":"team-a","labels":{)"
            R"("dgdr.nvidia.com/name":"r","dgdr.nvidia.com/namespace":"team-a","l":"1",)"
            R"("nvidia.com/managed-by":"dynamo-operator","over":"gen"},)"
            R"("annotations":{"a":"1"}},"spec":{"services":{}}})");
}

TEST(GeneratedGraph, OverridesReplaceNameNamespaceLabelsAndAnnotations) {
  EXPECT_EQ(manifest_with(R"({"name":"prod","namespace":"team-b","labels":{"over":"user"},)"
                          R"("annotations":{"b":"2"}})"),
            R"({"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment",)"
            R"("metadata":{"name":"prod","namespace":"team-b","labels":{)"
            R"("dgdr.nvidia.com/name":"r","dgdr.nvidia.com/namespace":"team-a","l":"1",)"
            R"("nvidia.com/managed-by":"dynamo-operator","over":"user"},)"
            R"("annotations":{"a":"1","b":"2"}},"spec":{"services":{}}})");
}

TEST(GeneratedGraph, TrackingLabelsWinOverOverrides) {
  const std::string manifest = manifest_with(
      R"({"labels":{"dgdr.nvidia.com/name":"spoofed","nvidia.com/managed-by":"me"}})");
  const kube::Object graph = kube::Object::parse(manifest).value();
  const kube::ObjectKey own{.namespace_name = "team-a", .name = "r"};
  EXPECT_EQ(labelled_request(graph), own);
}

TEST(GeneratedConfigMap, KeepsLabelsAndContentInOtherNamespace) {
  const auto request = json::parse_copy(request_with(R"({"namespace":"team-b"})"));
  const AdditionalResource resource{
      .kind = "ConfigMap",
      .name = "c",
      .manifest = R"({"kind":"ConfigMap","metadata":{"name":"c","namespace":"x",)"
                  R"("labels":{"k":"v"},"ownerReferences":[{}]},"data":{"a":"1"},"status":{}})"};
  EXPECT_EQ(config_map_manifest(api::GraphDeploymentRequest{request->root()}, resource),
            R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c","namespace":"team-b",)"
            R"("labels":{"dgdr.nvidia.com/name":"r","dgdr.nvidia.com/namespace":"team-a","k":"v",)"
            R"("nvidia.com/managed-by":"dynamo-operator"}},"data":{"a":"1"}})");
}

std::string other_namespaces(std::string_view spec, std::string_view of_graph,
                             std::vector<AdditionalResource> additional = {}) {
  const auto request = json::parse_copy(R"({"metadata":{"name":"r","namespace":"team-a"},"spec":)" +
                                        std::string(spec) + "}");
  ProfilingResult result;
  result.graph = R"({"metadata":{"name":"g")" +
                 (of_graph.empty() ? "" : R"(,"namespace":")" + std::string(of_graph) + "\"") +
                 "}}";
  result.additional = std::move(additional);
  return describe_other_namespaces(api::GraphDeploymentRequest{request->root()}, result);
}

TEST(OtherNamespaces, NothingIsReportedWithoutOne) {
  for (const std::string_view spec : {"{}", R"({"autoApply":true})"}) {
    EXPECT_EQ(other_namespaces(spec, ""), "");
    EXPECT_EQ(other_namespaces(spec, "team-a"), "");
  }
  EXPECT_EQ(other_namespaces(R"({"deploymentOverrides":{"namespace":"x"}})", "x"), "");
}

TEST(OtherNamespaces, GraphIsNamedWithItsTarget) {
  const std::string found =
      R"(the result names namespace "x" for DynamoGraphDeployment "g"; it is created in )";
  EXPECT_EQ(other_namespaces(R"({"autoApply":true})", "x"),
            found + R"("team-a", the namespace of the request)");
  EXPECT_EQ(
      other_namespaces(R"({"autoApply":true,"deploymentOverrides":{"namespace":"team-b"}})", "x"),
      found + R"("team-b", the namespace of spec.deploymentOverrides)");
}

TEST(OtherNamespaces, ManualGraphKeepsItsNamespace) {
  EXPECT_EQ(other_namespaces("{}", "x"),
            R"(status.generatedDeployment names namespace "x", and a client applies it there, not )"
            R"(in "team-a", the namespace of the request)");
}

TEST(OtherNamespaces, ConfigMapsAreNamedUpToFive) {
  std::vector<AdditionalResource> additional = {
      {.kind = "Secret", .name = "s", .namespace_name = "x"},
      {.kind = "ConfigMap", .name = "own", .namespace_name = "team-a"},
      {.kind = "ConfigMap", .name = "c", .namespace_name = "x"}};
  EXPECT_EQ(other_namespaces("{}", "", additional),
            R"(the result names namespace "x" for ConfigMap "c"; it is created in "team-a", the )"
            "namespace of the request");
  additional.push_back({.kind = "ConfigMap", .name = "", .namespace_name = "x"});
  EXPECT_THAT(other_namespaces("{}", "", additional), HasSubstr("\"c\"; it is created"));
  additional.insert(additional.end(), 5, additional[2]);
  EXPECT_THAT(other_namespaces("{}", "", additional),
              HasSubstr(R"(for ConfigMap "c" and more; they are created in "team-a")"));
}

TEST(GeneratedObjects, OtherKindsAndUnnamedConfigMapsAreNamed) {
  ProfilingResult result;
  EXPECT_EQ(describe_refused_objects(result), "");
  result.additional = {{.kind = "ConfigMap", .name = "c"},
                       {.kind = "Secret", .name = "s"},
                       {.kind = "ConfigMap", .name = "Not a name"},
                       {.kind = "Role", .name = "r"}};
  EXPECT_EQ(describe_refused_objects(result), "Secret s, ConfigMap Not a name, Role r");
  result.additional.insert(result.additional.end(), 5, result.additional.back());
  EXPECT_THAT(describe_refused_objects(result), HasSubstr("Role r, Role r and more"));
}

}  // namespace
}  // namespace dynamo::reconciler::request
