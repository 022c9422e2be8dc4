// How `validate` merges findings about one mistake, and the order in which it reports findings.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "tests/cli/validate_fixture.hpp"
#include "tests/cli/workspace.hpp"

namespace dynamo::cli {
namespace {

using test::graph_yaml;
using test::RunResult;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class MergedFindings : public test::ValidateFixture {};

TEST_F(MergedFindings, MistakeIsReportedOnce) {
  workspace_.write("old.yaml", graph_yaml("a") + "  backendFramework: vllm\n");
  workspace_.write(
      "new.yaml",
      graph_yaml("a") + "  backendFramework: sglang\n  pvcs: [{name: x, create: true}]\n");
  const RunResult ran = validate({"@/new.yaml", "--old", "@/old.yaml"});
  EXPECT_THAT(ran.out, HasSubstr("[dgd.backend.immutable]"));
  EXPECT_EQ(ran.out.find("[dgd.backend.immutable]"), ran.out.rfind("[dgd.backend.immutable]"));
  EXPECT_THAT(ran.out, HasSubstr("[dgd.pvc.create.access-mode]"));
  EXPECT_THAT(ran.out, Not(HasSubstr("schema.cel.claim-creation")));
}

TEST_F(MergedFindings, MisspeltFieldIsNotReportedAsMissing) {
  const std::string graph = graph_yaml("a") + "  pvcs: [{create: true, name: x, siz: 1Gi}]\n";
  workspace_.write("a.yaml", graph);
  const RunResult ran = validate({"@/a.yaml"});
  EXPECT_THAT(ran.out, HasSubstr("did you mean \"size\"?"));
  EXPECT_THAT(ran.out, Not(HasSubstr("[dgd.pvc.create.size]")));
  EXPECT_THAT(ran.out, HasSubstr("[dgd.pvc.create.access-mode]")) << "that is another mistake";
  // If one is suppressed, the other is reported.
  EXPECT_THAT(validate({"@/a.yaml", "--skip", "schema.unknown-field"}).out,
              HasSubstr("[dgd.pvc.create.size]"));
  // Existing fields are validated.
  workspace_.write("b.yaml", graph_yaml("b", -1) + "      replica: 2\n");
  EXPECT_THAT(validate({"@/b.yaml"}).out,
              AllOf(HasSubstr("[schema.minimum]"), HasSubstr("did you mean \"replicas\"?")));
  // So is everything below a misspelt name.
  workspace_.write("c.yaml",
                   "apiVersion: nvidia.com/v1alpha1\nkind: DynamoGraphDeployment\nmetadata: {name: "
                   "c}\nspec:\n  services:\n    F: {componentType: frontend, extraPodSpek: "
                   "{mainContainer: {image: \"a:1\"}}}\n");
  EXPECT_THAT(validate({"@/c.yaml"}).out, HasSubstr(": 1 error\n"));
}

TEST_F(MergedFindings, RuleDoesNotRepeatCheckOfSchema) {
  constexpr std::string_view kPod =
      "type: frontend, podTemplate: {spec: {containers: [{name: main, image: \"a:1.5.0\"}, {name: "
      "log}], initContainers: [{name: copy}]}}}\n";
  workspace_.write("a.yaml",
                   "apiVersion: nvidia.com/v1beta1\nkind: DynamoGraphDeployment\nmetadata: {name: "
                   "a}\nspec:\n  components:\n  - {name: f, " +
                       std::string(kPod) + "  - {name: F, " + std::string(kPod));
  const std::string out = validate({"@/a.yaml"}).out;
  EXPECT_THAT(out, AllOf(HasSubstr("[schema.cel.component-names]"),
                         HasSubstr("[schema.cel.container-image]"),
                         HasSubstr("[schema.cel.init-container-image]")));
  EXPECT_THAT(
      out, AllOf(Not(HasSubstr("[pod.image]")), Not(HasSubstr("[dgd.services.name-collision]"))));
}

TEST_F(MergedFindings, ComponentNameIsReportedAtName) {
  workspace_.write("a.yaml",
                   "apiVersion: nvidia.com/v1beta1\nkind: DynamoGraphDeployment\nmetadata: {name: "
                   "a}\nspec:\n  components:\n  - {name: a_b, type: frontend, podTemplate: {spec: "
                   "{containers: [{name: main, image: \"a:1.5.0\"}]}}}\n");
  const std::string out = validate({"@/a.yaml"}).out;
  EXPECT_THAT(out, AllOf(HasSubstr("spec.components[0].name: "), HasSubstr("[schema.pattern]")));
  EXPECT_THAT(out, Not(HasSubstr("[dgd.services.name-dns]")));
}

TEST_F(MergedFindings, EqualItemsAreReportedOnce) {
  workspace_.write(
      "a.yaml",
      "apiVersion: nvidia.com/v1alpha1\nkind: DynamoGraphDeployment\nmetadata: {name: "
      "a}\nspec:\n  services:\n    F:\n      componentType: frontend\n"
      "      extraPodSpec:\n"
      "        volumes: [{name: v, emptyDir: {}}, {name: v, emptyDir: {}}]\n"
      "        mainContainer:\n"
      "          image: a:1\n"
      "          env: [{name: B, value: x}, {name: B, value: z}]\n"
      "          ports: [{name: http, containerPort: 8000}, {name: http, "
      "containerPort: 8001}]\n"
      "          volumeMounts: [{name: v, mountPath: /a}, {name: v, mountPath: /a}]\n");
  const std::string out = validate({"@/a.yaml"}).out;
  EXPECT_THAT(out, HasSubstr(": 4 errors\n"));
  EXPECT_THAT(out, AllOf(HasSubstr("volumes[1]: "), HasSubstr("env[1]: "),
                         HasSubstr("ports[1].name: "), HasSubstr("volumeMounts[1]: ")));
  EXPECT_THAT(validate({"@/a.yaml", "--skip", "schema.duplicate-item"}).out,
              HasSubstr("volumes[1].name: "));
}

TEST_F(MergedFindings, FindingsAreSortedByColumnInEveryFormat) {
  workspace_.write("a.yaml",
                   "apiVersion: nvidia.com/v1alpha1\nkind: DynamoModel\nmetadata: {name: a}\nspec: "
                   "{zz: 1, modelName: 5, baseModelName: 6, aa: 2}\n");
  for (const char* format : {"text", "json", "github", "sarif", "junit", "tap"}) {
    const std::string out = validate({"@/a.yaml", "-o", format}).out;
    std::size_t at = 0;
    for (const char* field : {"spec.zz", "spec.modelName", "spec.baseModelName", "spec.aa"}) {
      const std::size_t found = out.find(field);
      ASSERT_NE(found, std::string::npos) << format << field;
      EXPECT_LT(at, found) << format << ": " << field;
      at = found;
    }
  }
}

}  // namespace
}  // namespace dynamo::cli
