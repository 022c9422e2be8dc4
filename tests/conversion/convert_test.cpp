#include "conversion/convert.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "conversion/named_list.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"
#include "tests/conversion/convert_fixture.hpp"

namespace dynamo::test {
namespace {

using testing::HasSubstr;

std::string alpha_graph(std::string_view services) {
  return "apiVersion: nvidia.com/v1alpha1\nkind: DynamoGraphDeployment\n"
         "metadata: {name: g}\nspec:\n  services:\n    w: " +
         std::string(services);
}

// The converter's own text, which contains payloads as it wrote them.
std::string converted_text(std::string_view object, conversion::Version version) {
  const auto parsed = json::parse_copy(object);
  conversion::Converter converter;
  std::string out;
  if (const auto reason = converter.convert(parsed->root(), version, out))
    return "error: " + *reason;
  return out;
}

// The object with another text in the place of the only occurrence of `old_part`.
std::string replaced(std::string object, std::string_view old_part, std::string_view part) {
  const std::size_t at = object.find(old_part);
  if (at == std::string::npos || object.find(old_part, at + 1) != std::string::npos) {
    return "error: not once in " + object;
  }
  return object.replace(at, old_part.size(), part);
}

std::string beta_graph(std::string_view component) {
  return "apiVersion: nvidia.com/v1beta1\nkind: DynamoGraphDeployment\n"
         "metadata: {name: g}\nspec:\n  components:\n  - " +
         std::string(component);
}

constexpr std::string_view kSpecPayload = "/metadata/annotations/nvidia.com~1dgd-spec/spec";

TEST(ConvertTest, ServiceBecomesComponent) {
  const std::string beta = converted(alpha_graph(
      "{componentType: worker, subComponentType: decode, replicas: 2, resources: {limits: {gpu: "
      "'1', memory: 1024Mi}}, sharedMemory: {size: 1Gi}}"));
  EXPECT_EQ(field(beta, "/apiVersion"), R"("nvidia.com/v1beta1")");
  EXPECT_EQ(field(beta, "/spec/components/0"),
            R"({"name":"w","podTemplate":{"spec":{"containers":[{"name":"main","resources":)"
            R"({"limits":{"memory":"1Gi","nvidia.com/gpu":"1"}}}]}},"replicas":2,)"
            R"("sharedMemorySize":"1Gi","type":"decode"})");
  EXPECT_EQ(field(beta, std::string(kSpecPayload) + "/services/w/resources/limits/memory"),
            R"("1024Mi")");
}

// A case of one side that the other version cannot express.
struct ShapeCase {
  std::string_view input;
  std::string_view component;  // in the other version
  std::string_view payload;
};

class AlphaShapeTest : public testing::TestWithParam<ShapeCase> {};

TEST_P(AlphaShapeTest, ReturnsFromPayload) {
  const std::string alpha = alpha_graph(GetParam().input);
  const std::string beta = converted(alpha);
  EXPECT_EQ(field(beta, "/spec/components/0"), GetParam().component);
  EXPECT_EQ(field(beta, std::string(kSpecPayload) + "/services/w"), GetParam().payload);
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, AlphaShapeTest,
    testing::Values(
        ShapeCase{"{extraPodSpec: {}}", R"({"name":"w"})", R"({"extraPodSpec":{}})"},
        ShapeCase{"{extraPodSpec: {mainContainer: {name: main}}}", R"({"name":"w"})",
                  R"({"extraPodSpec":{"mainContainer":{"name":"main","resources":{}}}})"},
        ShapeCase{"{envFromSecret: ''}",
                  R"({"name":"w","podTemplate":{"spec":{"containers":[{"name":"main"}]}}})",
                  R"({"envFromSecret":""})"},
        ShapeCase{"{resources: {}}",
                  R"({"name":"w","podTemplate":{"spec":{"containers":[{"name":"main"}]}}})",
                  R"({"resources":{}})"},
        ShapeCase{"{sharedMemory: {}}", R"({"name":"w"})", R"({"sharedMemory":{"size":"0"}})"},
        ShapeCase{"{scalingAdapter: {enabled: false}}", R"({"name":"w"})",
                  R"({"scalingAdapter":{}})"}));

class BetaShapeTest : public testing::TestWithParam<ShapeCase> {};

TEST_P(BetaShapeTest, ReturnsFromPayload) {
  const std::string alpha = converted(beta_graph(GetParam().input));
  EXPECT_EQ(field(alpha, "/spec/services/w"), GetParam().component);
  EXPECT_EQ(field(alpha, std::string(kSpecPayload) + "/components/0"), GetParam().payload);
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, BetaShapeTest,
    testing::Values(
        ShapeCase{"{name: w, podTemplate: {}}", "{}",
                  R"({"name":"w","podTemplate":{"metadata":{},"spec":{"containers":null}}})"},
        ShapeCase{"{name: w, experimental: {}}", "{}", R"({"experimental":{},"name":"w"})"},
        ShapeCase{"{name: w, podTemplate: {spec: {containers: [{name: main}]}}}", "{}",
                  R"({"name":"w","podTemplate":{"metadata":{},"spec":{"containers":)"
                  R"([{"name":"main","resources":{}}]}}})"},
        ShapeCase{"{name: w, frontendSidecar: side}", "{}",
                  R"({"frontendSidecar":"side","name":"w"})"},
        ShapeCase{"{name: w, frontendSidecar: log, podTemplate: {spec: {containers: [{name: main, "
                  "image: i}, {name: log, image: l}]}}}",
                  R"({"extraPodSpec":{"containers":[{"image":"l","name":"log","resources":{}}],)"
                  R"("mainContainer":{"image":"i","name":"","resources":{}}}})",
                  R"({"frontendSidecar":"log","name":"w","podTemplate":{"metadata":{},"spec":)"
                  R"({"containers":[{"name":"log","resources":{}}]}}})"},
        ShapeCase{"{name: w, frontendSidecar: side, podTemplate: {spec: {containers: [{name: main, "
                  "image: i, volumeMounts: [{name: d, mountPath: /d}]}]}}}",
                  R"({"extraPodSpec":{"mainContainer":{"image":"i","name":"","resources":{}}},)"
                  R"("volumeMounts":[{"mountPoint":"/d","name":"d"}]})",
                  R"({"frontendSidecar":"side","name":"w"})"}));

// Go's encoder: binary64, with an exponent below 1e-6 and from 1e21.
TEST(ConvertTest, OpaqueNumbersAreWrittenLikeGo) {
  EXPECT_THAT(
      converted_text(
          R"({"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeployment","spec":{"services":)"
          R"({"w":{"eppConfig":{"config":{"plugins":[{"type":"t","parameters":)"
          R"({"a":1e21,"b":1e20,"c":0.000001,"d":0.000000999999999,"e":9007199254740993,)"
          R"("f":-9007199254740993,"g":9007199254740992,"h":1.5,"i":-1e-9,"j":1e-10}}]}}}}}})",
          conversion::Version::kV1beta1),
      HasSubstr(
          R"({"a":1e+21,"b":100000000000000000000,"c":0.000001,"d":9.99999999e-7,)"
          R"("e":9007199254740992,"f":-9007199254740992,"g":9007199254740992,"h":1.5,"i":-1e-9,"j":1e-10})"));
}

TEST(ConvertTest, UnsortedComponentsKeepTheirOrder) {
  const std::string beta = beta_graph("{name: z}\n  - {name: a}\n  - {name: m, type: frontend}");
  const std::string alpha = converted(beta);
  EXPECT_EQ(field(alpha, std::string(kSpecPayload) + "/components"),
            R"([{"name":"z"},{"name":"a"},{"name":"m"}])");
  EXPECT_EQ(field(converted_there_and_back(beta), "/spec/components"),
            R"([{"name":"z"},{"name":"a"},{"name":"m","type":"frontend"}])");
}

// The user of the other version changes an entry that the payload also has.
TEST(ConvertTest, LiveVariableWinsOverPayload) {
  const std::string edited =
      "apiVersion: nvidia.com/v1beta1\nkind: DynamoGraphDeployment\n"
      "metadata: {name: g, annotations: {nvidia.com/dgd-spec: '{\"version\":1,\"spec\":{"
      "\"services\":{\"w\":{\"envs\":[{\"name\":\"A\",\"value\":\"1\"}],\"extraPodSpec\":{"
      "\"mainContainer\":{\"env\":[{\"name\":\"B\",\"value\":\"2\"}]}}}}}}'}}\n"
      "spec: {components: [{name: w, podTemplate: {spec: {containers: [{name: main, image: i, "
      "env: [{name: A, value: '1'}, {name: B, value: '9'}]}]}}}]}";
  const std::string alpha = converted(edited);
  EXPECT_EQ(field(alpha, "/spec/services/w/envs"),
            R"([{"name":"A","value":"1"},{"name":"B","value":"9"}])");
  EXPECT_EQ(field(alpha, "/spec/services/w/extraPodSpec/mainContainer"),
            R"({"image":"i","name":"","resources":{}})");
}

TEST(ConvertTest, LiveMountWinsOverPayload) {
  const std::string beta =
      "apiVersion: nvidia.com/v1beta1\nkind: DynamoGraphDeployment\n"
      "metadata: {name: g, annotations: {nvidia.com/dgd-spec: '{\"version\":1,\"spec\":{"
      "\"services\":{\"w\":{\"volumeMounts\":[{\"name\":\"d\",\"mountPoint\":\"/d\"}],"
      "\"extraPodSpec\":{\"mainContainer\":{\"volumeMounts\":[{\"name\":\"m\","
      "\"mountPath\":\"/m\"}]}}}}}}'}}\n"
      "spec: {components: [{name: w, podTemplate: {spec: {containers: [{name: main, image: i, "
      "volumeMounts: [{name: m, mountPath: /m, readOnly: true}, {name: d, mountPath: /d}]}]}}}]}";
  EXPECT_EQ(field(converted(beta), "/spec/services/w/volumeMounts"),
            R"([{"mountPoint":"/d","name":"d"}])");
  EXPECT_EQ(field(converted(beta), "/spec/services/w/extraPodSpec/mainContainer/volumeMounts"),
            R"([{"mountPath":"/m","name":"m","readOnly":true}])");
  EXPECT_EQ(field(converted_there_and_back(beta),
                  "/spec/components/0/podTemplate/spec/containers/0/volumeMounts/0"),
            R"({"mountPath":"/m","name":"m","readOnly":true})");
}

TEST(ConvertTest, LastOfEqualNewVariablesCounts) {
  const auto merged = [](std::string_view variables) {
    return field(converted(alpha_graph("{envs: [{name: A, value: '0'}], extraPodSpec: "
                                       "{mainContainer: {env: [" +
                                       std::string(variables) + "]}}}")),
                 "/spec/components/0/podTemplate/spec/containers/0/env");
  };
  EXPECT_EQ(merged("{name: C, value: '1'}, {name: C, value: '2'}"),
            R"([{"name":"A","value":"0"},{"name":"C","value":"2"}])");
  EXPECT_EQ(merged("{name: C, value: '1'}, {name: B, value: '2'}, {name: C, value: '3'}, "
                   "{name: D, value: '4'}, {name: D, value: '5'}"),
            R"([{"name":"A","value":"0"},{"name":"C","value":"3"},{"name":"B","value":"2"},)"
            R"({"name":"D","value":"5"}])");
}

TEST(ConvertTest, ProbePortOfMainContainerWins) {
  EXPECT_EQ(field(converted(alpha_graph("{livenessProbe: {httpGet: {path: /a, port: 80}}, "
                                        "extraPodSpec: {mainContainer: {livenessProbe: "
                                        "{httpGet: {port: 90}}}}}")),
                  "/spec/components/0/podTemplate/spec/containers/0/livenessProbe/httpGet"),
            R"({"path":"/a","port":90})");
}

// Go's ports hold a number and a text: the sum has the number of the first, so the halves stay
// merged.
TEST(ConvertTest, MergedPortsKeepHiddenNumber) {
  const std::string back = converted_there_and_back(
      alpha_graph("{livenessProbe: {httpGet: {path: /a, port: 80}}, extraPodSpec: {mainContainer: "
                  "{image: i, livenessProbe: {httpGet: {port: http}}}}}"));
  EXPECT_EQ(field(back, "/spec/services/w/livenessProbe"),
            R"({"httpGet":{"path":"/a","port":"http"}})");
  EXPECT_EQ(field(back, "/spec/services/w/extraPodSpec/mainContainer/livenessProbe"), "");
}

// v1beta1 has one cache; the flags of others return from the payload.
TEST(ConvertTest, FurtherCacheFlagsReturn) {
  const auto mounts = [](std::string_view beta) {
    return field(sorted_text(converted_text(beta, conversion::Version::kV1alpha1)),
                 "/spec/services/w/volumeMounts");
  };
  constexpr std::string_view kMounts =
      R"([{"mountPoint":"/c","name":"c","useAsCompilationCache":true},)"
      R"({"mountPoint":"/d","name":"d","useAsCompilationCache":true},)"
      R"({"mountPoint":"/e","name":"e"}])";
  const std::string beta =
      converted_text(sorted_text(alpha_graph("{volumeMounts: " + std::string(kMounts) + "}")),
                     conversion::Version::kV1beta1);
  EXPECT_EQ(mounts(beta), kMounts);
  // A user of v1beta1 changes the cache, a mount of a further one, or another mount.
  EXPECT_EQ(mounts(replaced(beta, R"("pvcName":"c")", R"("pvcName":"d")")),
            R"([{"mountPoint":"/c","name":"d","useAsCompilationCache":true},)"
            R"({"mountPoint":"/c","name":"c"},{"mountPoint":"/d","name":"d"},)"
            R"({"mountPoint":"/e","name":"e"}])");
  EXPECT_EQ(mounts(replaced(beta, R"({"name":"d","mountPath":"/d"},)", "")),
            R"([{"mountPoint":"/c","name":"c","useAsCompilationCache":true},)"
            R"({"mountPoint":"/e","name":"e"}])");
  constexpr std::string_view kOther = R"({"name":"e","mountPath":"/e"})";
  EXPECT_EQ(mounts(replaced(beta, kOther, R"({"name":"f","mountPath":"/f"})")),
            R"([{"mountPoint":"/c","name":"c","useAsCompilationCache":true},)"
            R"({"mountPoint":"/d","name":"d","useAsCompilationCache":true},)"
            R"({"mountPoint":"/f","name":"f"}])");
  EXPECT_EQ(mounts(replaced(beta, kOther, std::string(kOther) + "," + std::string(kOther))),
            R"([{"mountPoint":"/c","name":"c","useAsCompilationCache":true},)"
            R"({"mountPoint":"/d","name":"d"},{"mountPoint":"/e","name":"e"}])");
}

// The payload mounts the cache in `mainContainer`, too; the user of v1beta1 removed that mount.
TEST(ConvertTest, RemovedMountOfCacheReturns) {
  const std::string beta =
      "apiVersion: nvidia.com/v1beta1\nkind: DynamoGraphDeployment\n"
      "metadata: {name: g, annotations: {nvidia.com/dgd-spec: '{\"version\":1,\"spec\":{"
      "\"services\":{\"w\":{\"volumeMounts\":[{\"name\":\"c\",\"mountPoint\":\"/c\","
      "\"useAsCompilationCache\":true}],\"extraPodSpec\":{\"mainContainer\":{\"volumeMounts\":["
      "{\"name\":\"c\",\"mountPath\":\"/c\"},{\"name\":\"d\",\"mountPath\":\"/d\"}]}}}}}}'}}\n"
      "spec: {components: [{name: w, compilationCache: {pvcName: c, mountPath: /c}, podTemplate: "
      "{spec: {containers: [{name: main, image: i, volumeMounts: [{name: d, mountPath: /d}]}]}}}]}";
  EXPECT_EQ(field(converted(beta), "/spec/services/w/extraPodSpec/mainContainer/volumeMounts"),
            R"([{"mountPath":"/c","name":"c"},{"mountPath":"/d","name":"d"}])");
}

TEST(ConvertTest, SidecarReturnsWithoutPodTemplate) {
  const auto sidecar = [](std::string_view name) {
    return field(converted(std::string("apiVersion: nvidia.com/v1beta1\n"
                                       "kind: DynamoGraphDeployment\nmetadata: {name: g, "
                                       "annotations: {nvidia.com/dgd-spec: '{\"version\":1,"
                                       "\"spec\":{\"services\":{\"w\":{\"frontendSidecar\":"
                                       "{\"image\":\"i\"}}}}}'}}\n"
                                       "spec: {components: [{name: w, frontendSidecar: ")
                               .append(name)
                               .append("}]}")),
                 "/spec/services/w");
  };
  EXPECT_EQ(sidecar("sidecar-frontend"), R"({"frontendSidecar":{"image":"i"}})");
  EXPECT_EQ(sidecar("other"), "{}");
}

TEST(ConvertTest, SidecarSecretKeepsItsOptions) {
  const std::string beta = converted_text(
      sorted_text(alpha_graph("{frontendSidecar: {image: i, envFromSecret: s}, extraPodSpec: "
                              "{mainContainer: {image: m}}}")),
      conversion::Version::kV1beta1);
  const std::string alpha = converted_text(
      replaced(beta, R"("secretRef":{"name":"s"})", R"("secretRef":{"name":"s","optional":true})"),
      conversion::Version::kV1alpha1);
  const auto secret = [](std::string_view graph) {
    return field(converted_text(graph, conversion::Version::kV1beta1),
                 "/spec/components/0/podTemplate/spec/containers/1/envFrom");
  };
  EXPECT_EQ(secret(alpha), R"([{"secretRef":{"name":"s","optional":true}}])");
  EXPECT_EQ(secret(replaced(alpha, R"("envFromSecret":"s")", R"("envFromSecret":"t")")),
            R"([{"secretRef":{"name":"t"}}])");
}

TEST(ConvertTest, SavedSidecarHasOnlyWhatTheServiceLacks) {
  const std::string beta = converted_text(
      sorted_text(alpha_graph("{frontendSidecar: {image: i, envFromSecret: s}, extraPodSpec: "
                              "{mainContainer: {image: m}}}")),
      conversion::Version::kV1beta1);
  const std::string alpha =
      converted_text(replaced(beta, R"("image":"i")", R"("image":"i","workingDir":"/w")"),
                     conversion::Version::kV1alpha1);
  EXPECT_NE(alpha.find(R"(\"workingDir\":\"/w\")"), std::string::npos) << alpha;
  EXPECT_EQ(alpha.find(R"(\"envFrom)"), std::string::npos) << alpha;
}

TEST(ConvertTest, SavedContainerReturns) {
  const std::string alpha =
      "apiVersion: nvidia.com/v1alpha1\nkind: DynamoGraphDeployment\n"
      "metadata: {name: g, annotations: {nvidia.com/dgd-spec: '{\"version\":1,\"spec\":{"
      "\"components\":[{\"name\":\"w\",\"podTemplate\":{\"spec\":{\"containers\":[{\"name\":"
      "\"log\",\"image\":\"l\"},{\"name\":\"empty\"},{\"name\":\"sidecar-frontend\",\"image\":"
      "\"f\"}]}}}]}}'}}\nspec: {services: {w: {extraPodSpec: {mainContainer: {image: m}}}}}";
  EXPECT_EQ(field(converted(alpha), "/spec/components/0/podTemplate/spec/containers"),
            R"([{"image":"m","name":"main"},{"image":"l","name":"log"}])");
}

TEST(ConvertTest, MainContainerWithOnlyNameIsDropped) {
  const std::string beta =
      "apiVersion: nvidia.com/v1beta1\nkind: DynamoGraphDeployment\n"
      "metadata: {name: g, annotations: {nvidia.com/dgd-spec: '{\"version\":1,\"spec\":{"
      "\"services\":{\"w\":{\"extraPodSpec\":{\"mainContainer\":{\"name\":\"main\"}}}}}}'}}\n"
      "spec: {components: [{name: w, podTemplate: {spec: {nodeSelector: {a: b}, containers: "
      "[{name: main}]}}}]}";
  EXPECT_EQ(field(converted(beta), "/spec/services/w"),
            R"({"extraPodSpec":{"nodeSelector":{"a":"b"}}})");
}

// Longer lists of mounts are sorted to find the first of each name and path.
TEST(ConvertTest, FirstOfEqualMountsCounts) {
  for (const std::size_t count : {16U, 17U, 40U}) {
    const std::vector<std::string> names(count, "m");
    std::vector<conversion::MountKey> mounts;
    std::vector<bool> first;
    std::vector<std::string> paths;
    for (std::size_t i = 0; i < count; ++i) paths.push_back("/" + std::to_string(i % 12));
    for (std::size_t i = 0; i < count; ++i) {
      mounts.push_back({names[i], paths[i]});
      first.push_back(i < 12);
    }
    EXPECT_EQ(conversion::find_first_mounts(mounts), first) << count;
  }
}

TEST(ConvertTest, RequestStateFollowsChangedPhase) {
  std::string beta = converted_text(
      R"({"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeploymentRequest","metadata":)"
      R"({"name":"r"},"spec":{"model":"m","backend":"vllm"},"status":{"state":"Ready",)"
      R"("deployment":{"name":"g","namespace":"team","created":true}}})",
      conversion::Version::kV1beta1);
  const auto state = [&beta] {
    return field(converted_text(beta, conversion::Version::kV1alpha1), "/status/state");
  };
  EXPECT_EQ(state(), R"("Ready")");
  constexpr std::string_view kDeployed = R"("phase":"Deployed")";
  const std::size_t at = beta.find(kDeployed);
  ASSERT_NE(at, std::string::npos) << beta;
  beta.replace(at, kDeployed.size(), R"("phase":"Failed")");
  EXPECT_EQ(state(), R"("Failed")");
}

TEST(ConvertTest, DeploymentTakesNameOfObject) {
  const std::string alpha =
      "apiVersion: nvidia.com/v1alpha1\nkind: DynamoComponentDeployment\n"
      "metadata: {name: solo}\nspec: {componentType: worker}";
  const std::string beta = converted(alpha);
  EXPECT_EQ(field(beta, "/spec"), R"({"name":"solo","type":"worker"})");
  EXPECT_EQ(field(beta, "/metadata/annotations/nvidia.com~1dcd-spec"),
            R"({"rawJSON":[{"nil":true,"path":"serviceName"}],"spec":{},"version":1})");
  EXPECT_EQ(field(converted_there_and_back(alpha), "/spec"), R"({"componentType":"worker"})");
}

// The halves of a member are saved, but not again after the object was stored in v1beta1.
TEST(ConvertTest, DeploymentSavesSplitsOnce) {
  const auto payload = [](std::string_view annotations) {
    return field(converted(std::string("apiVersion: nvidia.com/v1alpha1\n"
                                       "kind: DynamoComponentDeployment\nmetadata: {name: solo")
                               .append(annotations)
                               .append("}\nspec: {serviceName: s, envs: [{name: A}], extraPodSpec: "
                                       "{mainContainer: {image: i}}}")),
                 "/metadata/annotations/nvidia.com~1dcd-spec/spec");
  };
  EXPECT_EQ(
      payload(""),
      R"({"envs":[{"name":"A"}],"extraPodSpec":{"mainContainer":{"name":"","resources":{}}}})");
  EXPECT_EQ(payload(", annotations: {nvidia.com/dcd-spec: '{\"version\":1,\"spec\":{\"name\":"
                    "\"s\"}}'}"),
            "");
}

TEST(ConvertTest, ScalingAdapterRenamesItsComponent) {
  EXPECT_EQ(converted("{apiVersion: nvidia.com/v1beta1, kind: DynamoGraphDeploymentScalingAdapter, "
                      "metadata: {name: s}, spec: {replicas: 0, dgdRef: {name: g, componentName: "
                      "w}}}"),
            R"({"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeploymentScalingAdapter",)"
            R"("metadata":{"name":"s"},"spec":{"dgdRef":{"name":"g","serviceName":"w"},)"
            R"("replicas":0},"status":{}})");
}

TEST(ConvertTest, RequestReadsItsConfig) {
  const std::string beta = converted(
      "{apiVersion: nvidia.com/v1alpha1, kind: DynamoGraphDeploymentRequest, metadata: {name: r}, "
      "spec: {model: m, profilingConfig: {config: {sla: {ttft: 200.5, isl: 3000.9, extra: 1}, "
      "planner: {a: 1}}}}}");
  EXPECT_EQ(field(beta, "/spec/sla"), R"({"ttft":200.5})");
  EXPECT_EQ(field(beta, "/spec/workload"), R"({"isl":3000})");
  EXPECT_EQ(field(beta, "/spec/features"), R"({"planner":{"a":1}})");
  EXPECT_EQ(field(beta, "/metadata/annotations/nvidia.com~1dgdr-spec/spec/profilingConfig/config"),
            R"({"sla":{"extra":1}})");
  EXPECT_EQ(field(beta, "/status"), R"({"phase":"Pending"})");
}

TEST(ConvertTest, RequestConfigHasNumbersOfGo) {
  EXPECT_THAT(
      converted_text(
          R"({"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeploymentRequest","spec":)"
          R"({"model":"m","profilingConfig":{"config":{"a":9007199254740993,)"
          R"("b":-9007199254740993,"c":9007199254740992,"d":-9007199254740992,"e":7}}}})",
          conversion::Version::kV1beta1),
      HasSubstr(R"({\"a\":9007199254740992,\"b\":-9007199254740992,\"c\":9007199254740992,)"
                R"(\"d\":-9007199254740992,\"e\":7})"));
}

std::string request_with_job(std::string_view containers) {
  return std::string(
             "apiVersion: nvidia.com/v1beta1\nkind: DynamoGraphDeploymentRequest\n"
             "metadata: {name: r}\nspec: {model: m, overrides: {profilingJob: {template: "
             "{spec: {containers: [")
      .append(containers)
      .append("]}}}}}");
}

TEST(ConvertTest, FirstUnnamedContainerIsProfiler) {
  constexpr std::string_view kSaved =
      "/metadata/annotations/nvidia.com~1dgdr-spec/spec/overrides/profilingJob/template/spec"
      "/containers";
  constexpr std::string_view kResources = "/spec/profilingConfig/resources";
  const std::string unnamed = request_with_job(
      "{name: side, image: s}, {image: i, resources: {limits: {cpu: '1'}}}, {image: j}");
  EXPECT_EQ(field(converted(unnamed), kResources), R"({"limits":{"cpu":"1"}})");
  EXPECT_EQ(field(converted(unnamed), kSaved),
            R"([{"image":"s","name":"side","resources":{}},{"image":"i","name":"profiler",)"
            R"("resources":{}},{"image":"j","name":"","resources":{}}])");
  EXPECT_EQ(field(converted_there_and_back(unnamed),
                  "/spec/overrides/profilingJob/template/spec/containers"),
            R"([{"image":"s","name":"side"},{"image":"i","name":"profiler","resources":)"
            R"({"limits":{"cpu":"1"}}},{"image":"j","name":""}])");
  const std::string named = request_with_job(
      "{image: i, resources: {limits: {cpu: '1'}}}, {name: profiler, resources: {limits: {cpu: "
      "'2'}}}");
  EXPECT_EQ(field(converted(named), kResources), R"({"limits":{"cpu":"2"}})");
  EXPECT_EQ(field(converted(named), kSaved),
            R"([{"image":"i","name":"","resources":{"limits":{"cpu":"1"}}},)"
            R"({"name":"profiler","resources":{}}])");
}

TEST(ConvertTest, RequestDropsRetiredAnnotations) {
  const std::string beta = converted(
      "{apiVersion: nvidia.com/v1alpha1, kind: DynamoGraphDeploymentRequest, metadata: {name: r, "
      "annotations: {nvidia.com/dgdr-output-pvc: x}}, spec: {model: m}}");
  EXPECT_EQ(field(beta, "/metadata"), R"({"name":"r"})");
}

TEST(ConvertTest, UnknownFieldsAreDropped) {
  const std::string beta = converted(alpha_graph("{componentType: worker, unknown: 1}"));
  EXPECT_EQ(field(beta, "/spec/components/0"), R"({"name":"w","type":"worker"})");
}

TEST(ConvertTest, MetadataIsWrittenEvenIfEmpty) {
  EXPECT_EQ(field(converted("{apiVersion: nvidia.com/v1alpha1, kind: DynamoGraphDeployment}"),
                  "/metadata"),
            "{}");
}

constexpr std::string_view kTooMuchMemory =
    "spec: must have fewer values; the object needs too much memory to be converted";

// The longest payload whose memory is not counted has 64 KiB.
TEST(ConvertTest, MemoryOfLongPayloadIsLimited) {
  const auto reason = [](std::size_t length) {
    std::string payload = R"({"spec":{"pvcs":[]}})";
    payload.resize(length, ' ');
    std::string object;
    json::Writer out(object);
    out.start_object();
    out.member("apiVersion", "nvidia.com/v1beta1").member("kind", "DynamoGraphDeployment");
    out.key("metadata").start_object().key("annotations").start_object();
    out.member("nvidia.com/dgd-spec", payload).end_object().end_object().end_object();
    const auto parsed = json::parse_copy(object);
    conversion::Converter converter;
    converter.limit_memory(100'000);
    std::string text;
    return converter.convert(parsed->root(), conversion::Version::kV1alpha1, text).value_or("");
  };
  EXPECT_EQ(reason(65'536), "");
  EXPECT_EQ(reason(65'537), kTooMuchMemory);
}

TEST(ConvertTest, MemoryOfNodesIsLimited) {
  const auto reason = [](std::size_t count) {
    std::string arguments = "a";
    for (std::size_t i = 1; i < count; ++i) arguments += ",a";
    const auto object = json::parse_copy(
        sorted_text(alpha_graph("{extraPodSpec: {mainContainer: {args: [" + arguments + "]}}}")));
    conversion::Converter converter;
    converter.limit_memory(200'000);
    std::string text;
    return converter.convert(object->root(), conversion::Version::kV1beta1, text).value_or("");
  };
  EXPECT_EQ(reason(1'000), "");
  EXPECT_EQ(reason(2'000), kTooMuchMemory);
}

// Quantities that must be rewritten need memory of their own.
TEST(ConvertTest, ManyQuantitiesAreRewritten) {
  std::string limits;
  for (int i = 0; i < 3'000; ++i) limits += "r" + std::to_string(i) + ": '0.123456789', ";
  const std::string beta =
      converted(alpha_graph("{resources: {limits: {custom: {" + limits + "z: '1'}}}}"));
  for (const int i : {0, 1'000, 2'999}) {
    EXPECT_EQ(field(beta, "/spec/components/0/podTemplate/spec/containers/0/resources/limits/r" +
                              std::to_string(i)),
              R"("123456789n")");
  }
}

TEST(ConvertTest, LongMapsAreMergedByKey) {
  std::string limits;
  for (int i = 0; i < 20; ++i) limits += "r" + std::to_string(i) + ": '1', ";
  const std::string beta =
      converted(alpha_graph("{resources: {limits: {custom: {" + limits +
                            "}}}, extraPodSpec: {mainContainer: {resources: {limits: {r5: '7', "
                            "r30: '8'}}}}}"));
  const std::string merged =
      field(beta, "/spec/components/0/podTemplate/spec/containers/0/resources/limits");
  EXPECT_EQ(json::parse_copy(merged)->root().size(), 21U);
  EXPECT_EQ(field(merged, "/r4"), R"("1")");
  EXPECT_EQ(field(merged, "/r5"), R"("7")");
  EXPECT_EQ(field(merged, "/r30"), R"("8")");
}

TEST(ConvertErrorTest, OtherKindIsRefused) {
  EXPECT_THAT(converted("{apiVersion: nvidia.com/v1alpha1, kind: DynamoModel, metadata: {}}"),
              HasSubstr("DynamoModel"));
}

TEST(ConvertErrorTest, OtherGroupIsRefused) {
  EXPECT_THAT(converted("{apiVersion: example.com/v1alpha1, kind: DynamoGraphDeployment}"),
              HasSubstr("example.com/v1alpha1"));
}

TEST(ConvertErrorTest, UnknownVersionIsRefused) {
  EXPECT_FALSE(conversion::parse_api_version("nvidia.com/v2"));
  EXPECT_THAT(converted("{apiVersion: nvidia.com/v2, kind: DynamoGraphDeployment}"),
              HasSubstr("nvidia.com/v2"));
}

TEST(ConvertErrorTest, SameVersionIsRefused) {
  conversion::Converter converter;
  std::string out = "kept";
  const auto parsed =
      json::parse_copy(R"({"apiVersion":"nvidia.com/v1beta1","kind":"DynamoGraphDeployment"})");
  EXPECT_TRUE(converter.convert(parsed->root(), conversion::Version::kV1beta1, out));
  EXPECT_EQ(out, "kept");
}

TEST(ConvertErrorTest, NonObjectsAreRefused) {
  for (const std::string_view text : {"[]", "1", "'x'", "{kind: 1, apiVersion: []}"}) {
    EXPECT_THAT(converted(text), HasSubstr("error")) << text;
  }
}

TEST(ConvertErrorTest, WrongTypeNamesTheField) {
  EXPECT_EQ(converted(alpha_graph("{replicas: two}")),
            "error: spec.services[w].replicas: must be an integer, not of type string");
  EXPECT_EQ(converted(alpha_graph("{envs: [{name: A}, 1]}")),
            "error: spec.services[w].envs[1]: must be an object, not of type integer");
  EXPECT_THAT(converted(alpha_graph("{replicas: 4294967296}")), HasSubstr("32 bits"));
  EXPECT_THAT(converted(alpha_graph("{sharedMemory: {size: much}}")), HasSubstr("quantity"));
}

TEST(ConvertErrorTest, DuplicateComponentIsRefused) {
  EXPECT_EQ(converted(beta_graph("{name: w}\n  - {name: a}\n  - {name: w}")),
            "error: spec.components has two components with the name \"w\"");
}

TEST(ConvertErrorTest, ConfigMustBeAnObject) {
  EXPECT_THAT(converted("{apiVersion: nvidia.com/v1alpha1, kind: DynamoGraphDeploymentRequest, "
                        "spec: {profilingConfig: {config: [1]}}}"),
              HasSubstr("ProfilingConfig.Config"));
}

}  // namespace
}  // namespace dynamo::test
