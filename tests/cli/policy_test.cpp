// kubectl dynamo policy check.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "cli/commands/commands.hpp"
#include "json/parser.hpp"
#include "json/pointer.hpp"
#include "tests/cli/workspace.hpp"
#include "tests/support/golden.hpp"

namespace dynamo::cli {
namespace {

using test::RunResult;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr std::string_view kPolicy =
    "version: 1\n"
    "severities:\n"
    "  - rules: [dgd.pvc.create.*, dm.model-name]\n"
    "    severity: warn\n"
    "    namespaces: [dev-*, test]\n"
    "  - {rules: service.autoscaling.deprecated, severity: warn}\n"
    "  - {rules: dgd.pvc.name, severity: off, kinds: dgd, names: llama*}\n"
    "  - {rules: dgd.pvc.name, severity: deny}\n"
    "exemptions:\n"
    "  - rules: dgd.restart.order.*\n"
    "    namespaces: team-a\n"
    "    holder: team-a\n"
    "    reason: moves to new services, ticket 123\n"
    "    expires: 2026-12-31\n"
    "  - {rules: dgd.pvc.name, holder: team-b, reason: ticket 4, expires: 2026-02-01}\n"
    "  - {rules: dgd.pvc.name, holder: team-c, reason: ticket 5, expires: '2026-02-03T12:00:00Z'}\n"
    "parameters:\n"
    "  - allowedRegistries: [nvcr.io/nvidia, docker.io/library]\n"
    "    maxReplicasPerService: 16\n"
    "    requiredResourceLimits: [memory, gpu]\n"
    "  - {allowedLoraSchemes: s3, namespaces: team-a}\n";

constexpr std::string_view kMistakes =
    "version: 1\n"
    "severities:\n"
    "  - {rules: no.such.rule, severity: maybe}\n"
    "parameters:\n"
    "  - allowedRegistries: [nvidia]\n";

RunResult checked(const test::Workspace& workspace, std::string_view text,
                  std::vector<std::string> more = {}) {
  workspace.write("policy.yaml", text);
  std::vector<std::string> arguments{"policy", "check", "@/policy.yaml", "--now", "2026-02-03"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  RunResult ran = workspace.run(arguments);
  ran.out = workspace.shown(ran.out);
  return ran;
}

TEST(PolicyCheckCommand, ExplainsThePolicyAsText) {
  const test::Workspace workspace;
  const RunResult ran = checked(workspace, kPolicy);
  EXPECT_EQ(ran.code, kExitValid);
  EXPECT_THAT(ran.err, IsEmpty());
  EXPECT_EQ(test::differs_from_golden("policy/explained.txt", ran.out), "");
}

TEST(PolicyCheckCommand, ExplainsThePolicyAsJson) {
  const test::Workspace workspace;
  const RunResult ran = checked(workspace, kPolicy, {"-o", "json"});
  EXPECT_EQ(ran.code, kExitValid);
  const auto document = json::parse_copy(ran.out);
  ASSERT_FALSE(document->error) << ran.out;
  EXPECT_EQ(
      test::differs_from_golden("policy/explained.json", test::pretty(document->root()) + "\n"),
      "");
}

TEST(PolicyCheckCommand, ReportsEveryErrorWithItsPlace) {
  const test::Workspace workspace;
  const RunResult ran = checked(workspace, kMistakes);
  EXPECT_EQ(ran.code, kExitInvalid);
  EXPECT_THAT(ran.err, IsEmpty());
  EXPECT_EQ(test::differs_from_golden("policy/mistakes.txt", ran.out), "");
}

TEST(PolicyCheckCommand, ReportsRulesThatAGlobCannotChange) {
  const test::Workspace workspace;
  const RunResult ran =
      checked(workspace, "{version: 1, severities: [{rules: pod.*, severity: warn}]}");
  EXPECT_EQ(ran.code, kExitValid);
  EXPECT_THAT(ran.out, HasSubstr("  pod.too-much: always denies, as no other rule validates what "
                                 "it denies\n"));
  EXPECT_THAT(ran.out, Not(HasSubstr("pod.too-much: deny -> warn")));
  EXPECT_THAT(ran.out, Not(HasSubstr("type.mismatch")));
  const RunResult bad = checked(workspace,
                                "version: 1\nseverities:\n"
                                "  - {rules: pod.too-much, severity: warn}\n");
  EXPECT_EQ(bad.code, kExitInvalid);
  EXPECT_THAT(bad.out, HasSubstr("policy.yaml:3:13: error: \"pod.too-much\" cannot be softened"));
}

TEST(PolicyCheckCommand, MarksNamesWithColumnsInCharacters) {
  const test::Workspace workspace;
  const RunResult ran =
      checked(workspace,
              "version: 1\nseverities:\n  - {rules: pod.probe, severity: warn,\tkids: "
              "dgd}\n  - {names: [ü, \"é\", 5], rules: pod.probe, severity: off}\n");
  EXPECT_THAT(ran.out, AllOf(HasSubstr("policy.yaml:3:40: error: unknown field \"kids\""),
                             HasSubstr("policy.yaml:4:22: error: names must hold")));
}

TEST(PolicyCheckCommand, ReportsErrorsAsJson) {
  const test::Workspace workspace;
  const RunResult ran = checked(workspace, kMistakes, {"-o", "json"});
  EXPECT_EQ(ran.code, kExitInvalid);
  const auto document = json::parse_copy(ran.out);
  ASSERT_FALSE(document->error) << ran.out;
  const json::Value root = document->root();
  EXPECT_EQ(root["formatVersion"].integer(), 1);
  EXPECT_EQ(root["valid"].boolean(), false);
  EXPECT_EQ(root["errors"].size(), 3U);
  EXPECT_EQ(json::at_pointer(root, "/errors/2/line").integer(), 5);
  EXPECT_EQ(json::at_pointer(root, "/errors/2/column").integer(), 25);
  EXPECT_EQ(root["severities"].size(), 0U);
}

TEST(PolicyCheckCommand, UsesEveryGoldenFile) {
  EXPECT_EQ(test::files_below(test::testdata("golden") / "policy", "").size(), 3U);
}

TEST(PolicyCheckCommand, ReadsStandardInput) {
  const test::Workspace workspace;
  const RunResult ran = workspace.run({"policy", "check", "-"}, "version: 2\n");
  EXPECT_EQ(ran.code, kExitInvalid);
  EXPECT_EQ(
      ran.out,
      "standard input:1:10: error: version must be 1\n    1 | version: 2\n      |          ^\n"
      "standard input: cannot be used: 1 mistake\n");
  EXPECT_EQ(workspace.run({"policy", "check", "-f", "-"}, "version: 1\n").code, kExitValid);
}

TEST(PolicyCheckCommand, CountsDaysFromTheClockByDefault) {
  const test::Workspace workspace;
  workspace.write("policy.yaml",
                  "{version: 1, exemptions: [{rules: '*', holder: a, reason: b, expires: "
                  "2020-01-01}]}");
  const RunResult ran = workspace.run({"policy", "check", "@/policy.yaml"});
  EXPECT_EQ(ran.code, kExitValid) << "a warning is no mistake";
  EXPECT_THAT(ran.out, AllOf(HasSubstr("  expired\n"), HasSubstr("expired on 2020-01-01"),
                             EndsWith("; warnings: 1\n")));
  EXPECT_THAT(workspace.run({"policy", "check", "@/policy.yaml", "--now", "2019-12-30"}).out,
              HasSubstr("  2 days left\n"));
}

TEST(PolicyCheckCommand, UnreadableFileIsUnusable) {
  const test::Workspace workspace;
  const RunResult ran = workspace.run({"policy", "check", "@/none.yaml"});
  EXPECT_EQ(ran.code, kExitUnusable);
  EXPECT_THAT(ran.out, IsEmpty());
  EXPECT_THAT(workspace.shown(ran.err), testing::StartsWith("kubectl-dynamo: none.yaml: "));
}

TEST(PolicyCheckCommand, EscapesTerminalSequences) {
  const test::Workspace workspace;
  const RunResult ran =
      checked(workspace,
              "{version: 1, exemptions: [{rules: '*', holder: \"a\\e[31m\", reason: "
              "\"b\\n\\u202e\", expires: 2026-03-01, names: \"\\e\"}]}");
  EXPECT_EQ(ran.code, kExitValid);
  EXPECT_THAT(ran.out, AllOf(Not(HasSubstr("\x1b")), Not(HasSubstr("\u202e"))));
}

TEST(PolicyCheckCommand, UsesTheSameFileAsValidate) {
  const test::Workspace workspace;
  workspace.write("policy.yaml", "{version: 1, parameters: [{maxReplicasPerService: 8}]}");
  workspace.write("graph.yaml", test::graph_yaml("a", 9));
  const RunResult ran =
      workspace.run({"validate", "-f", "@/graph.yaml", "--policy", "@/policy.yaml"});
  EXPECT_EQ(ran.code, kExitInvalid);
  EXPECT_THAT(workspace.shown(ran.out),
              HasSubstr("graph.yaml:8:17: error: spec.services[Frontend].replicas: Forbidden: must "
                        "be at most 8, as the policy demands; found 9; lower it "
                        "[policy.replicas]"));
  workspace.write("policy.yaml",
                  "{version: 1, severities: [{rules: dgd.services.limit, severity: off}]}");
  const RunResult soft =
      workspace.run({"validate", "-f", "@/graph.yaml", "--policy", "@/policy.yaml"});
  EXPECT_EQ(soft.code, kExitUnusable);
  EXPECT_THAT(soft.err, HasSubstr("\"dgd.services.limit\" cannot be softened"));
  workspace.write("policy.yaml", "{version: 1, parameters: [{maxReplicas: 8}]}");
  const RunResult bad =
      workspace.run({"validate", "-f", "@/graph.yaml", "--policy", "@/policy.yaml"});
  EXPECT_EQ(bad.code, kExitUnusable);
  EXPECT_THAT(bad.err, HasSubstr("unknown field \"maxReplicas\""));
}

TEST(PolicyCheckCommand, ReportsThatAuthorsMayIgnoreRules) {
  const test::Workspace workspace;
  const RunResult ran = checked(workspace, "{version: 1, honourIgnores: true}");
  EXPECT_EQ(ran.code, kExitValid);
  EXPECT_THAT(ran.out, HasSubstr("honourIgnores: authors may ignore warnings, and errors of "
                                 "rules on rendered objects,\n"));
  EXPECT_THAT(checked(workspace, "version: 1\n").out, Not(HasSubstr("honourIgnores")));
}

// The server omits these findings; here the options decide whether they are reported.
TEST(PolicyCheckCommand, OptionsDecideAboutIgnoredFindings) {
  const test::Workspace workspace;
  workspace.write("policy.yaml", "{version: 1, honourIgnores: true}");
  workspace.write("graph.yaml",
                  "apiVersion: nvidia.com/v1alpha1\nkind: DynamoGraphDeployment\n"
                  "metadata: {name: a, annotations: {dynamo-admission.nvidia.com/ignore: "
                  "pod.vocabulary, dynamo-admission.nvidia.com/ignore-reason: a test}}\n"
                  "spec: {services: {A: {componentType: frontend, replicas: 1, extraPodSpec: "
                  "{dnsPolicy: Foo, mainContainer: {image: 'a:1'}}}}}\n");
  const std::vector<std::string> line{"validate", "-f", "@/graph.yaml", "--policy",
                                      "@/policy.yaml"};
  EXPECT_EQ(workspace.run(line).code, kExitValid);
  std::vector<std::string> strict = line;
  strict.emplace_back("--no-ignores");
  const RunResult enforced = workspace.run(strict);
  EXPECT_EQ(enforced.code, kExitInvalid);
  EXPECT_THAT(enforced.out, HasSubstr("[pod.vocabulary]"));
}

TEST(PolicyCheckCommand, SuggestsNamesAndReportsTabs) {
  const test::Workspace workspace;
  const RunResult misspelt = checked(
      workspace, "version: 1\nseverites: []\nseverities: [{rules: dgd.pvc.nam, severity: warn}]\n");
  EXPECT_THAT(misspelt.err + misspelt.out,
              AllOf(HasSubstr("unknown field \"severites\" in a policy; did you mean severities?; "
                              "known are version, "),
                    HasSubstr("no rule is called \"dgd.pvc.nam\"; did you mean dgd.pvc.name?; "
                              "`kubectl dynamo rules` lists them")));
  const RunResult words = checked(workspace,
                                  "version: 1\nseverities:\n- {rules: pod.image, severity:\twarm}\n"
                                  "- {ruls: pod.image, severity: warn, kinds: DynamoModle}\n");
  EXPECT_THAT(
      words.out,
      AllOf(HasSubstr("policy.yaml:3:32: error: severity must be deny, warn or off; did you "
                      "mean warn?\n    3 | - {rules: pod.image, severity:\twarm}\n"),
            HasSubstr("; did you mean DynamoModel?\n"), HasSubstr("unknown field \"ruls\""),
            HasSubstr("3 mistakes")))
      << "what is misspelt is not missing as well";
  const RunResult tab = checked(workspace, "version: 1\n\tseverities: []\n");
  EXPECT_THAT(tab.err + tab.out, HasSubstr(":2:1: error: a tab cannot indent YAML; use spaces\n"
                                           "    2 | \tseverities: []\n      | ^\n"));
}

}  // namespace
}  // namespace dynamo::cli
