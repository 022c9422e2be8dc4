// Which findings `validate` reports: options, annotations, baselines.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/commands/commands.hpp"
#include "tests/cli/validate_fixture.hpp"
#include "tests/cli/workspace.hpp"

namespace dynamo::cli {
namespace {

using test::graph_yaml;
using test::RunResult;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// A schema error in line 8, a rule's warning in line 11.
std::string with_error_and_warning(std::string_view name = "a") {
  return graph_yaml(name, -1) + "      autoscaling: {enabled: true}\n";
}

// An error in line 11 of a rule on rendered objects, which the operator does not have.
std::string with_rendered_pod_error() {
  return graph_yaml("a") + "      livenessProbe: {httpGet: {port: 1}, successThreshold: 3}\n";
}

std::string annotated(std::string text, std::string_view annotations) {
  const std::string line = "  annotations: {" + std::string(annotations) + "}\n";
  return text.insert(text.find("spec:\n"), line);
}

class FindingSelection : public test::ValidateFixture {};

TEST_F(FindingSelection, SkippedRulesAreNeitherReportedNorCounted) {
  workspace_.write("a.yaml", with_error_and_warning());
  EXPECT_EQ(validate({"@/a.yaml"}).code, kExitInvalid);
  const RunResult ran = validate({"@/a.yaml", "--skip", "schema.mini*"});
  EXPECT_EQ(ran.code, kExitValid) << ran.out;
  EXPECT_THAT(ran.out, AllOf(Not(HasSubstr("[schema.minimum]")),
                             HasSubstr("[service.autoscaling.deprecated]"),
                             HasSubstr("; 1 finding not asked for; ")));
  EXPECT_THAT(validate({"@/a.yaml", "--skip", "schema.minimum,service.*"}).out,
              StartsWith("1 object in 1 file: all valid; 2 findings not asked for; "));
}

TEST_F(FindingSelection, OnlySelectedRulesAreReported) {
  workspace_.write("a.yaml", with_error_and_warning());
  const RunResult ran =
      validate({"@/a.yaml", "--only", "service.autoscaling.*", "--warnings-as-errors"});
  EXPECT_EQ(ran.code, kExitInvalid);
  EXPECT_THAT(ran.out, AllOf(Not(HasSubstr("[schema.minimum]")),
                             HasSubstr("[service.autoscaling.deprecated]")));
  EXPECT_EQ(validate({"@/a.yaml", "--only", "dgd.*"}).code, kExitValid);
  EXPECT_EQ(validate({"@/a.yaml", "--only", "schema.*,dgd.*", "--skip", "schema.minimum"}).code,
            kExitValid);
}

TEST_F(FindingSelection, GlobWithoutMatchIsAnError) {
  workspace_.write("a.yaml", graph_yaml("a"));
  const RunResult ran = validate({"@/a.yaml", "--skip", "schema.minimun"});
  EXPECT_EQ(ran.code, kExitUnusable);
  EXPECT_EQ(ran.err,
            "kubectl-dynamo: --skip must match the id of a rule; none matches \"schema.minimun\"; "
            "did you mean schema.minimum?; `kubectl dynamo rules` lists all\n");
}

TEST_F(FindingSelection, ErrorsOnlyOmitsWarnings) {
  workspace_.write("a.yaml", with_error_and_warning());
  for (const std::vector<std::string>& how :
       {std::vector<std::string>{"@/a.yaml", "--errors-only"},
        std::vector<std::string>{"@/a.yaml", "--min-severity", "error"}}) {
    const RunResult ran = validate(how);
    EXPECT_THAT(ran.out, AllOf(HasSubstr("[schema.minimum]"), Not(HasSubstr("warning")),
                               HasSubstr("1 invalid (1 error); 1 finding not asked for")));
  }
}

TEST_F(FindingSelection, AnnotationWithReasonExcusesWarnings) {
  workspace_.write(
      "a.yaml", annotated(graph_yaml("a") + "      autoscaling: {enabled: true}\n",
                          "dynamo-admission.nvidia.com/ignore: 'pod.probe, service.autoscaling.*', "
                          "dynamo-admission.nvidia.com/ignore-reason: moves in May"));
  const RunResult ran = validate({"@/a.yaml", "--warnings-as-errors"});
  EXPECT_EQ(ran.code, kExitValid);
  EXPECT_THAT(ran.out,
              AllOf(HasSubstr("a.yaml:12:7: ignored: spec.services[Frontend].autoscaling: is "
                              "deprecated"),
                    HasSubstr("[service.autoscaling.deprecated]; because moves in May\n"),
                    HasSubstr("all valid; 1 finding ignored by annotations; ")));
  EXPECT_EQ(validate({"@/a.yaml", "--warnings-as-errors", "--no-ignores"}).code, kExitInvalid);
  EXPECT_THAT(
      validate({"@/a.yaml", "-o", "json"}).out,
      AllOf(HasSubstr("\"ignoreReason\":\"moves in May\""), HasSubstr("\"ignoredFindings\":1")));
}

TEST_F(FindingSelection, ExcusedFindingsAreSortedByColumn) {
  workspace_.write(
      "a.yaml",
      "apiVersion: nvidia.com/v1alpha1\nkind: DynamoGraphDeployment\nmetadata: {name: a, "
      "annotations: {dynamo-admission.nvidia.com/ignore: '*', "
      "dynamo-admission.nvidia.com/ignore-reason: x}}\nspec: {services: {F: {componentType: "
      "frontend, replicas: 1, extraPodSpec: {mainContainer: {image: \"my-registry/x:my-tag\"}}, "
      "autoscaling: {enabled: true}}}}\n");
  const std::string out = validate({"@/a.yaml"}).out;
  const std::size_t image = out.find("mainContainer.image: ");
  const std::size_t autoscaling = out.find("services[F].autoscaling: ");
  ASSERT_TRUE(image != std::string::npos && autoscaling != std::string::npos) << out;
  EXPECT_LT(image, autoscaling) << out;
}

TEST_F(FindingSelection, AnnotationWithoutReasonExcusesNothing) {
  workspace_.write("a.yaml", annotated(graph_yaml("a") + "      autoscaling: {enabled: true}\n",
                                       "dynamo-admission.nvidia.com/ignore: 'service.*'"));
  const RunResult ran = validate({"@/a.yaml", "--warnings-as-errors"});
  EXPECT_EQ(ran.code, kExitInvalid);
  EXPECT_THAT(ran.out,
              AllOf(HasSubstr("a.yaml:12:7: warning: spec.services[Frontend].autoscaling: is"),
                    HasSubstr("a.yaml:5:"),
                    HasSubstr("metadata.annotations[dynamo-admission.nvidia.com/ignore]: ignores "
                              "nothing without a reason; write "
                              "dynamo-admission.nvidia.com/ignore-reason: WHY next to it")));
  for (const std::string_view without : {"--errors-only", "--no-ignores", "--skip=service.*"}) {
    EXPECT_THAT(validate({"@/a.yaml", std::string(without)}).out,
                Not(HasSubstr("without a reason")))
        << without;
  }
}

TEST_F(FindingSelection, AnnotationWithAnUnknownRuleIsAWarning) {
  const std::string graph = graph_yaml("a") + "      autoscaling: {enabled: true}\n";
  const auto ignoring = [&graph](std::string_view rules) {
    return annotated(graph, "dynamo-admission.nvidia.com/ignore: '" + std::string(rules) +
                                "', dynamo-admission.nvidia.com/ignore-reason: moves in May");
  };
  workspace_.write("a.yaml", ignoring("service.autoscaling.deprecatd, *.deprecated, gpu.*"));
  const RunResult ran = validate({"@/a.yaml"});
  EXPECT_EQ(ran.code, kExitValid);
  EXPECT_THAT(
      ran.out,
      AllOf(HasSubstr("a.yaml:5:53: warning: "
                      "metadata.annotations[dynamo-admission.nvidia.com/ignore]: must name "
                      "rules, by id or glob; found \"service.autoscaling.deprecatd\", which "
                      "matches none; did you mean \"service.autoscaling.deprecated\"? "
                      "[ignore.unknown-rule]\n"),
            HasSubstr("found \"gpu.*\", which matches none; `kubectl dynamo rules` lists "
                      "all [ignore.unknown-rule]\n")));
  workspace_.write("a.yaml", ignoring("gpu.*, *"));
  EXPECT_THAT(validate({"@/a.yaml"}).out,
              AllOf(HasSubstr("ignored: metadata.annotations["), HasSubstr("moves in May\n")));
}

TEST_F(FindingSelection, OnlyErrorsAboutRenderedObjectsAreExcused) {
  const std::string_view everything =
      "dynamo-admission.nvidia.com/ignore: '*', dynamo-admission.nvidia.com/ignore-reason: why not";
  workspace_.write("rendered.yaml", annotated(with_rendered_pod_error(), everything));
  const RunResult rendered = validate({"@/rendered.yaml"});
  EXPECT_EQ(rendered.code, kExitValid) << rendered.out;
  EXPECT_THAT(rendered.out, HasSubstr("ignored: spec.services[Frontend].livenessProbe"));
  EXPECT_EQ(validate({"@/rendered.yaml", "--no-ignores"}).code, kExitInvalid);
  workspace_.write("schema.yaml", annotated(graph_yaml("a", -1), everything));
  EXPECT_EQ(validate({"@/schema.yaml"}).code, kExitInvalid) << "the API server refuses it anyhow";
  workspace_.write("operator.yaml",
                   annotated(graph_yaml("a") + "  pvcs: [{create: false}]\n", everything));
  EXPECT_EQ(validate({"@/operator.yaml"}).code, kExitInvalid) << "the operator refuses it anyhow";
}

TEST_F(FindingSelection, BaselineCoversOnlyRecordedFindings) {
  workspace_.write("a.yaml", with_error_and_warning());
  const RunResult written = validate({"@/a.yaml", "--write-baseline", "@/base.json"});
  EXPECT_EQ(written.code, kExitValid);
  EXPECT_THAT(workspace_.read("base.json"),
              AllOf(StartsWith("{\"formatVersion\":1,\"findings\":[\n"),
                    HasSubstr("\"rule\":\"schema.minimum\",\"field\":\"spec.services[Frontend]")));
  // Lines have moved, messages may change.
  workspace_.write("a.yaml", "# old\n\n" + with_error_and_warning());
  const RunResult known =
      validate({"@/a.yaml", "--baseline", "@/base.json", "--warnings-as-errors"});
  EXPECT_EQ(known.code, kExitValid) << known.out;
  EXPECT_THAT(known.out, HasSubstr("; 2 findings of the baseline; "));
  workspace_.write("b.yaml", with_error_and_warning("b"));
  const RunResult with_new = validate({"@/a.yaml", "@/b.yaml", "--baseline", "@/base.json"});
  EXPECT_EQ(with_new.code, kExitInvalid);
  EXPECT_THAT(with_new.out, Not(HasSubstr("DynamoGraphDeployment a")));
}

TEST_F(FindingSelection, FixedBaselineEntriesAreReported) {
  workspace_.write("a.yaml", with_error_and_warning());
  validate({"@/a.yaml", "--write-baseline", "@/base.json"});
  workspace_.write("a.yaml", graph_yaml("a", -1));
  const RunResult ran = validate({"@/a.yaml", "--baseline", "@/base.json"});
  EXPECT_EQ(ran.err,
            "kubectl-dynamo: 1 finding of the baseline was not found again; write it again with "
            "--write-baseline\n");
}

// --- Errors beyond the limit of one object

// More than the limit, followed by one of another rule.
std::string with_many_errors() {
  std::string text = graph_yaml("a", -1);
  for (int i = 0; i < 120; ++i) text += "      unknown" + std::to_string(i) + ": 1\n";
  return text;
}

TEST_F(FindingSelection, OmittedErrorsCountDespiteFilters) {
  workspace_.write("a.yaml", with_many_errors());
  for (const std::string option : {"--skip", "--only"}) {
    const RunResult ran = validate(
        {"@/a.yaml", option, option == "--skip" ? "schema.unknown-field" : "schema.minimum"});
    EXPECT_EQ(ran.code, kExitInvalid) << option;
    EXPECT_THAT(ran.out, HasSubstr("more findings of this object")) << option;
    EXPECT_THAT(ran.out, HasSubstr("1 invalid")) << option;
  }
  EXPECT_THAT(validate({"@/a.yaml", "--skip", "schema.unknown-field", "-o", "json"}).out,
              Not(HasSubstr("\"valid\":true")));
}

TEST_F(FindingSelection, WritingABaselineReportsOmittedFindings) {
  workspace_.write("a.yaml", with_many_errors());
  const RunResult written = validate({"@/a.yaml", "--write-baseline", "@/base.json"});
  EXPECT_THAT(written.err,
              HasSubstr("findings beyond the limits of their objects are not in the baseline"));
  EXPECT_EQ(validate({"@/a.yaml", "--baseline", "@/base.json"}).code, kExitInvalid);
}

TEST_F(FindingSelection, AnnotationExcusesNoErrorWhileSomeAreOmitted) {
  workspace_.write("policy.yaml",
                   "version: 1\nseverities:\n  - {rules: policy.registry, severity: deny}\n"
                   "parameters:\n  allowedRegistries: [nvcr.io/nvidia]\n");
  std::string text = annotated(graph_yaml("a"),
                               "dynamo-admission.nvidia.com/ignore: '*', "
                               "dynamo-admission.nvidia.com/ignore-reason: because");
  text += "      livenessProbe: {httpGet: {port: 1}, successThreshold: 3}\n";
  EXPECT_EQ(validate({"@/a.yaml"}).code, kExitUnusable) << "nothing is there yet";
  workspace_.write("a.yaml", text);
  EXPECT_EQ(validate({"@/a.yaml"}).code, kExitValid) << "one error is excused";
  std::string more = "      envs:\n";
  for (int i = 0; i < 120; ++i) more += "      - {name: 'A=" + std::to_string(i) + "'}\n";
  workspace_.write("a.yaml", text + more);
  EXPECT_EQ(validate({"@/a.yaml"}).code, kExitInvalid);
}

TEST_F(FindingSelection, InvalidBaselineIsRefused) {
  workspace_.write("a.yaml", graph_yaml("a"));
  workspace_.write("base.json", "[]");
  const RunResult ran = validate({"@/a.yaml", "--baseline", "@/base.json"});
  EXPECT_EQ(ran.code, kExitUnusable);
  EXPECT_THAT(ran.err, HasSubstr("--baseline base.json: must be a file that --write-baseline has"));
  EXPECT_EQ(validate({"@/a.yaml", "--baseline", "@/none"}).code, kExitUnusable);
}

}  // namespace
}  // namespace dynamo::cli
