// The spec is hashed like in the Go operator, so that its objects need no rewrite.
#include "manifests/go_form.hpp"

#include <gtest/gtest.h>

#include <string>

#include "json/parser.hpp"
#include "manifests/desired_objects.hpp"
#include "manifests/sync.hpp"
#include "tests/render/rendering.hpp"

namespace dynamo::render {
namespace {

using test::Yaml;

std::string hash_of(std::string_view text) {
  return spec_hash(json::parse_copy(text)->root());
}

std::string form_of(std::string_view kind, std::string_view yaml) {
  const Yaml read{std::string(yaml)};
  return go_form(kind, read.root());
}

TEST(GoForm, QuantitiesAreCanonical) {
  const struct {
    std::string_view written;
    std::string_view canonical;
  } rows[] = {
      {"1000m", "1"},
      {"0.5", "500m"},
      {"1024Mi", "1Gi"},
      {"2048Mi", "2Gi"},
      {"16", "16"},
      {"100m", "100m"},
      {"8Gi", "8Gi"},
      {"1073741824", "1073741824"},
      {"1000Ki", "1000Ki"},
      {"1000", "1k"},
      {"0", "0"},
      {"1.5Gi", "1536Mi"},
      {"0.5Ki", "512"},
      {"+1", "1"},
      {"1500m", "1500m"},
      {"1e3", "1e3"},
      {"x", "x"},
      {"9999999999999999999", "9999999999999999999"},
      {"", ""},
      {"-1", "-1"},
  };
  for (const auto& row : rows)
    EXPECT_EQ(canonical_quantity(row.written), row.canonical) << row.written;
}

TEST(GoForm, PodsGetEmptyResources) {
  EXPECT_EQ(
      hash_of(form_of("Deployment",
                      "{template: {spec: {containers: [{name: a, env: [{name: E, value: ''}]}, "
                      "{name: b, resources: "
                      "{limits: {cpu: 1000m, memory: 1024Mi}}}], volumes: [{name: v, emptyDir: "
                      "{sizeLimit: 2048Mi}}]}}}")),
      hash_of(
          R"({"template":{"spec":{"containers":[{"env":[{"name":"E"}],"name":"a","resources":{}},)"
          R"({"name":"b","resources":{"limits":{"cpu":"1","memory":"1Gi"}}}],)"
          R"("volumes":[{"emptyDir":{"sizeLimit":"2Gi"},"name":"v"}]}}})"));
}

TEST(GoForm, GroupGetsEmptyRollout) {
  EXPECT_EQ(
      hash_of(form_of("LeaderWorkerSet",
                      "{replicas: 1, leaderWorkerTemplate: {workerTemplate: {spec: {containers: "
                      "[{name: a}]}}}}")),
      hash_of(
          R"({"leaderWorkerTemplate":{"workerTemplate":{"spec":{"containers":[{"name":"a","resources":{}}]}}},)"
          R"("replicas":1,"rolloutStrategy":{"type":""}})"));
}

TEST(GoForm, CliquesGetEmptyResources) {
  EXPECT_EQ(hash_of(form_of("PodCliqueSet",
                            "{template: {cliques: [{name: a, spec: {podSpec: {containers: [{name: "
                            "b}]}}}]}}")),
            hash_of(R"({"template":{"cliques":[{"name":"a","spec":{"podSpec":{"containers":)"
                    R"([{"name":"b","resources":{}}]}}}]}})"));
}

TEST(GoForm, ComponentGetsZeroValuesOfTypes) {
  EXPECT_EQ(
      hash_of(
          form_of("DynamoComponentDeployment",
                  "{sharedMemory: {disabled: true}, extraPodSpec: {mainContainer: {image: i}}}")),
      hash_of(
          R"({"extraPodSpec":{"containers":null,"mainContainer":{"image":"i","name":"","resources":{}}},)"
          R"("sharedMemory":{"disabled":true,"size":"0"}})"));
}

// The CRD of graphs defaults some of them, which must not change the component's hash.
TEST(GoForm, DisabledSwitchIsAppliedButNotHashed) {
  const Yaml off(
      "globalDynamoNamespace: false\nautoscaling: {enabled: false, minReplicas: 1}\n"
      "ingress: {enabled: false, useVirtualService: false, host: h}\n"
      "scalingAdapter: {enabled: false}\ncheckpoint: {enabled: false, mode: Auto}\n"
      "sharedMemory: {disabled: false, size: 1Gi}\n"
      "volumeMounts: [{name: m, mountPoint: /m, useAsCompilationCache: false}]\n");
  const std::string without =
      R"({"autoscaling":{"minReplicas":1},"checkpoint":{"mode":"Auto"},"ingress":{"host":"h"},)"
      R"("scalingAdapter":{},"sharedMemory":{"size":"1Gi"},)"
      R"("volumeMounts":[{"mountPoint":"/m","name":"m"}]})";
  EXPECT_EQ(hash_of(go_form("DynamoComponentDeployment", off.root())), hash_of(without));
  EXPECT_EQ(hash_of(without_zeros("DynamoComponentDeployment", off.root())),
            hash_of(json::to_text(off.root())));
  const Yaml on(
      "scalingAdapter: {enabled: true}\nvolumeMounts: [{name: m, useAsCompilationCache: true}]\n");
  EXPECT_EQ(
      hash_of(go_form("DynamoComponentDeployment", on.root())),
      hash_of(
          R"({"scalingAdapter":{"enabled":true},"volumeMounts":[{"name":"m","useAsCompilationCache":true}]})"));
}

TEST(GoForm, ServiceIsUnchanged) {
  EXPECT_EQ(hash_of(form_of("Service",
                            "{ports: [{port: 9090, name: system, protocol: TCP, targetPort: "
                            "system}], selector: {b: '2', a: '1'}}")),
            "fe39ca230abe08edd5eb4082652bf7f29a061b9df6f6d2b2b9e8528350b64b86");
}

// It is not applied.
TEST(GoForm, IsHashedButNotApplied) {
  const Yaml yaml("metadata: {name: w, uid: u}\nspec: {dynamoNamespace: x, serviceName: W}\n");
  const DesiredObjects objects = desired_objects_of(api::ComponentDeployment{yaml.root()}, "ml",
                                                    {.profile = default_operator_profile()});
  const auto manifest = json::parse_copy(objects.items.front().manifest);
  const json::Value spec = manifest->root()["spec"];
  EXPECT_EQ(objects.items.front().manifest.find("\"resources\""), std::string::npos);
  EXPECT_EQ(objects.items.front().spec_hash, hash_of(go_form("Deployment", spec)));
  EXPECT_NE(objects.items.front().spec_hash, spec_hash(spec));
}

}  // namespace
}  // namespace dynamo::render
