// `validate --fix`: which mistakes are fixed, which are not, and how files are written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <ostream>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cli/commands/commands.hpp"
#include "cli/fix/fix.hpp"
#include "cli/fix/line_diff.hpp"
#include "cli/fix/rewrite.hpp"
#include "cli/fix/text_fixer.hpp"
#include "cli/report/rule_book.hpp"
#include "tests/cli/command_line.hpp"
#include "tests/cli/fixing.hpp"
#include "tests/cli/validate_fixture.hpp"
#include "tests/cli/workspace.hpp"

namespace dynamo::cli {
namespace {

namespace fs = std::filesystem;
using test::fix_text;
using test::graph_of;
using test::RunResult;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

TEST(Fixes, BelongToKnownRulesAndDefaults) {
  for (const std::string_view rule : fixed_rules())
    EXPECT_NE(find_rule_entry(rule), nullptr) << rule;
  EXPECT_THAT(
      fixed_rules(),
      ElementsAre("schema.type", "schema.enum", "schema.unknown-field", "pod.vocabulary", "pod.dns",
                  "pod.env", "pod.forbidden-in-template", "pod.lifecycle", "pod.ports", "pod.probe",
                  "pod.scheduling", "pod.security", "pod.volumes", "service.autoscaling.deprecated",
                  "service.dynamo-namespace.deprecated", "dgd.default.replicas"));
}

// --- Fixes

struct FixCase {
  std::string_view name;
  std::string before;
  std::string after;  // the same text: no fix is certain
};

void PrintTo(const FixCase& row, std::ostream* out) {
  *out << row.before;
}

std::string spoiled_name(const testing::TestParamInfo<FixCase>& row) {
  return std::string(row.param.name);
}

class FixedTexts : public testing::TestWithParam<FixCase> {};

TEST_P(FixedTexts, ProduceTheIntendedText) {
  EXPECT_EQ(fix_text(GetParam().before), GetParam().after);
  EXPECT_EQ(fix_text(GetParam().after), GetParam().after) << "fixing again changes something";
}

std::string env_value(std::string_view written) {
  return graph_of("      envs:\n        - name: A\n          value: " + std::string(written) +
                  "\n");
}

FixCase left_alone(std::string_view name, const std::string& text) {
  return {name, text, text};
}

INSTANTIATE_TEST_SUITE_P(
    Quotes, FixedTexts,
    testing::Values(
        FixCase{"integer", env_value("8000"), env_value("\"8000\"")},
        FixCase{"float_keeps_its_digits", env_value("1.10"), env_value("\"1.10\"")},
        FixCase{"word_of_yaml_1_1", env_value("on"), env_value("\"on\"")},
        FixCase{"octal", env_value("017 # mode"), env_value("\"017\" # mode")},
        FixCase{"behind_a_tab", env_value("yes\t# really"), env_value("\"yes\"\t# really")},
        FixCase{"in_flow_style",
                graph_of("      envs: [{name: A, value: 8000}, {name: B,value: no}]\n"),
                graph_of("      envs: [{name: A, value: \"8000\"}, {name: B,value: \"no\"}]\n")},
        FixCase{"of_labels",
                graph_of("      labels: {a: true}\n      annotations:\n        b: 1e3\n"),
                graph_of("      labels: {a: \"true\"}\n      annotations:\n        b: \"1e3\"\n")},
        left_alone("text_is_left", env_value("8000 x")), left_alone("null_is_left", env_value("~")),
        left_alone("a_tag_is_left", env_value("!!int 8000")),
        left_alone("an_anchor_is_left", env_value("&port 8000")),
        left_alone("an_alias_is_left",
                   graph_of("      labels: {a: &p 8000}\n      annotations: {b: *p}\n")),
        left_alone("a_list_is_left", env_value("[8000]")),
        left_alone("a_block_scalar_is_left", graph_of("      replicas: |\n        2\n", false)),
        left_alone("text_over_lines_is_left",
                   graph_of("      replicas: \"2\\\n        0\"\n", false)),
        FixCase{"too_many", graph_of("      replicas: \"2\"\n", false),
                graph_of("      replicas: 2\n", false)},
        FixCase{"too_many_single", graph_of("      replicas: '2' # two\n", false),
                graph_of("      replicas: 2 # two\n", false)},
        left_alone("octal_in_quotes_is_left", graph_of("      replicas: \"010\"\n", false)),
        left_alone("words_for_numbers_are_left", graph_of("      replicas: \"two\"\n", false))),
    spoiled_name);

INSTANTIATE_TEST_SUITE_P(
    Names, FixedTexts,
    testing::Values(FixCase{"a_letter_too_many", graph_of("      replicass: 2\n", false),
                            graph_of("      replicas: 2\n", false)},
                    FixCase{"two_letters_swapped", graph_of("      replicsa: 2 # why\n", false),
                            graph_of("      replicas: 2 # why\n", false)},
                    FixCase{"another_case", graph_of("      componenttype: worker\n"),
                            graph_of("      componentType: worker\n")},
                    FixCase{"in_quotes", graph_of("      \"replica\": 2\n", false),
                            graph_of("      \"replicas\": 2\n", false)},
                    FixCase{"name_and_value_at_once", graph_of("      replica: \"2\"\n", false),
                            graph_of("      replicas: 2\n", false)},
                    left_alone("two_wrong_letters", graph_of("      repliss: 2\n", false)),
                    left_alone("when_the_right_one_is_there", graph_of("      replicass: 2\n"))),
    spoiled_name);

INSTANTIATE_TEST_SUITE_P(
    Words, FixedTexts,
    testing::Values(FixCase{"a_letter_missing", graph_of("", true, "  backendFramework: vlm\n"),
                            graph_of("", true, "  backendFramework: vllm\n")},
                    FixCase{"another_case", graph_of("", true, "  backendFramework: 'VLLM'\n"),
                            graph_of("", true, "  backendFramework: 'vllm'\n")},
                    left_alone("further_away", graph_of("", true, "  backendFramework: vm\n"))),
    spoiled_name);

// One line of a pod, in a service with all required fields.
std::string pod(std::string_view line) {
  return graph_of("      extraPodSpec:\n        " + std::string(line) +
                  "\n        mainContainer: {image: \"a:1\"}\n");
}

std::string container(std::string_view fields) {
  return graph_of("      extraPodSpec:\n        mainContainer: {image: \"a:1\", " +
                  std::string(fields) + "}\n");
}

std::string variable(std::string_view source) {
  return container("env: [{name: A, valueFrom: {" + std::string(source) + "}}]");
}

std::string node_field(std::string_view key) {
  return "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
         "{nodeSelectorTerms: [{matchFields: [{key: " +
         std::string(key) + ", operator: In, values: [a]}]}]}}}";
}

INSTANTIATE_TEST_SUITE_P(
    WordsOfPods, FixedTexts,
    testing::Values(
        FixCase{"pull_policy", container("imagePullPolicy: Allways"),
                container("imagePullPolicy: Always")},
        FixCase{"in_quotes", container("imagePullPolicy: 'Nevr'"),
                container("imagePullPolicy: 'Never'")},
        FixCase{"in_a_list", pod("tolerations: [{key: a, operator: Exist}] # all"),
                pod("tolerations: [{key: a, operator: Exists}] # all")},
        FixCase{"in_another_case", pod("tolerations: [{key: a, operator: exists}]"),
                pod("tolerations: [{key: a, operator: Exists}]")},
        FixCase{"below_a_list_of_words",
                pod("volumes: [{name: v, ephemeral: {volumeClaimTemplate: {spec: {accessModes: "
                    "[ReadWriteOnce, ReadOnlyMani], resources: {requests: {storage: 1Gi}}}}}}]"),
                pod("volumes: [{name: v, ephemeral: {volumeClaimTemplate: {spec: {accessModes: "
                    "[ReadWriteOnce, ReadOnlyMany], resources: {requests: {storage: 1Gi}}}}}}]")},
        FixCase{"a_probe_of_the_service",
                graph_of("      livenessProbe: {httpGet: {port: 1, scheme: Https}}\n"),
                graph_of("      livenessProbe: {httpGet: {port: 1, scheme: HTTPS}}\n")},
        FixCase{"a_protocol_in_lower_case", container("ports: [{containerPort: 1, protocol: tcp}]"),
                container("ports: [{containerPort: 1, protocol: TCP}]")},
        FixCase{"of_an_init_container",
                pod("initContainers: [{name: i, image: \"a:1\", restartPolicy: Alwys}]"),
                pod("initContainers: [{name: i, image: \"a:1\", restartPolicy: Always}]")},
        FixCase{"of_a_pod", pod("restartPolicy: Alwys"), pod("restartPolicy: Always")},
        FixCase{"a_field_of_the_pod", variable("fieldRef: {fieldPath: status.podIp}"),
                variable("fieldRef: {fieldPath: status.podIP}")},
        FixCase{"a_field_of_the_metadata", variable("fieldRef: {fieldPath: metadata.nam}"),
                variable("fieldRef: {fieldPath: metadata.name}")},
        FixCase{"a_resource_in_another_case", variable("resourceFieldRef: {resource: limits.CPU}"),
                variable("resourceFieldRef: {resource: limits.cpu}")},
        FixCase{"a_field_of_nodes", pod(node_field("metadata.nam")),
                pod(node_field("metadata.name"))},
        left_alone("another_resource", variable("resourceFieldRef: {resource: limits.gpu}")),
        FixCase{"behind_a_byte_order_mark", "\xEF\xBB\xBF" + container("imagePullPolicy: Allways"),
                "\xEF\xBB\xBF" + container("imagePullPolicy: Always")},
        left_alone("another_protocol", container("ports: [{containerPort: 1, protocol: UDT}]")),
        left_alone("a_resource_is_no_misspelt_one",
                   container("resizePolicy: [{resourceName: gpu, restartPolicy: NotRequired}]")),
        left_alone("an_announced_word", pod("tolerations: [{key: a, operator: Lt, value: '5'}]")),
        left_alone("two_words_are_near",
                   graph_of("      livenessProbe: {httpGet: {port: 1, scheme: HTTPX}}\n")),
        left_alone("what_only_warns", pod("volumes: [{name: v, emptyDir: {medium: Memori}}]")),
        left_alone("a_word_that_is_right_elsewhere", pod("tolerations: [{operator: Equal}]"))),
    spoiled_name);

INSTANTIATE_TEST_SUITE_P(
    Ignored, FixedTexts,
    testing::Values(
        FixCase{"a_line", graph_of("      dynamoNamespace: x # old\n"), graph_of("")},
        FixCase{"a_block_with_comments",
                graph_of(
                    "      # before\n      autoscaling: # why\n        enabled: true\n\n"
                    "        # inside\n        maxReplicas: 3\n      # behind\n      labels: {}\n"),
                graph_of("      # before\n      # behind\n      labels: {}\n")},
        FixCase{
            "a_member_in_braces",
            graph_of(
                "      envs: []\n    Two: {replicas: 1, autoscaling: {enabled: true}, envs: []}\n"),
            graph_of("      envs: []\n    Two: {replicas: 1, envs: []}\n")},
        FixCase{"the_last_in_braces", graph_of("    Two: {replicas: 1, dynamoNamespace: x}\n"),
                graph_of("    Two: {replicas: 1}\n")},
        left_alone("a_comment_in_braces_stays",
                   graph_of("    Two: {replicas: 1, # one\n          dynamoNamespace: x}\n"))),
    spoiled_name);

INSTANTIATE_TEST_SUITE_P(
    Defaults, FixedTexts,
    testing::Values(
        FixCase{"in_a_block", graph_of("      envs: []\n", false),
                graph_of("      replicas: 1\n      envs: []\n", false)},
        FixCase{"in_front_of_what_goes",
                graph_of("      dynamoNamespace: x\n      envs: []\n", false),
                graph_of("      replicas: 1\n      envs: []\n", false)},
        FixCase{"in_front_of_comments", graph_of("      # none\n      envs: []\n", false),
                graph_of("      replicas: 1\n      # none\n      envs: []\n", false)},
        FixCase{"in_braces", graph_of("    Two: {envs: []}\n    Three: {}\n"),
                graph_of("    Two: {replicas: 1, envs: []}\n    Three: {replicas: 1}\n")},
        left_alone("not_where_an_adapter_scales",
                   graph_of("      scalingAdapter: {enabled: true}\n", false)),
        left_alone("not_where_something_is_wrong", graph_of("      nonsense: 1\n", false))),
    spoiled_name);

// A graph of v1beta1 with these lines in its component, and in that one's main container.
std::string beta_graph_of(std::string_view component_lines, std::string_view container_lines) {
  std::string text =
      "apiVersion: nvidia.com/v1beta1\nkind: DynamoGraphDeployment\nmetadata:\n  name: a\nspec:\n"
      "  components:\n  - name: Frontend\n";
  text += component_lines;
  text +=
      "    type: frontend\n    podTemplate:\n      spec:\n        containers:\n"
      "        - name: main\n          image: a:1.5.0\n";
  text += container_lines;
  return text;
}

INSTANTIATE_TEST_SUITE_P(
    OfV1beta1, FixedTexts,
    testing::Values(
        FixCase{"a_word_of_a_pod",
                beta_graph_of("    replicas: 1\n", "          imagePullPolicy: Allways\n"),
                beta_graph_of("    replicas: 1\n", "          imagePullPolicy: Always\n")},
        FixCase{"a_default", beta_graph_of("", ""), beta_graph_of("    replicas: 1\n", "")},
        FixCase{"a_default_in_braces",
                beta_graph_of("    replicas: 1\n", "") + "  - {name: Two, type: frontend}\n",
                beta_graph_of("    replicas: 1\n", "") +
                    "  - {replicas: 1, name: Two, type: frontend}\n"},
        left_alone("not_where_an_adapter_scales", beta_graph_of("    scalingAdapter: {}\n", "")),
        FixCase{"a_name_and_a_type", beta_graph_of("    replica: \"2\"\n", ""),
                beta_graph_of("    replicas: 2\n", "")}),
    spoiled_name);

INSTANTIATE_TEST_SUITE_P(
    Documents, FixedTexts,
    testing::Values(
        FixCase{"of_several_each",
                graph_of("      replicas: \"2\"\n", false) + "---\na: [8000]\n---\n" +
                    graph_of("      replica: 2\n", false),
                graph_of("      replicas: 2\n", false) + "---\na: [8000]\n---\n" +
                    graph_of("      replicas: 2\n", false)},
        FixCase{"after_broken_ones", "a: [\n---\n" + graph_of("      replica: 2\n", false),
                "a: [\n---\n" + graph_of("      replicas: 2\n", false)},
        FixCase{
            "with_duplicates",
            graph_of(
                "      envs:\n        - {name: A, value: 1}\n      envs: [{name: B, value: 2}]\n"),
            graph_of("      envs:\n        - {name: A, value: 1}\n      envs: [{name: B, value: "
                     "\"2\"}]\n")},
        FixCase{"with_characters_of_several_bytes",
                graph_of("      labels: {\"käse\": \"日本\", b: yes} # ü\n"),
                graph_of("      labels: {\"käse\": \"日本\", b: \"yes\"} # ü\n")},
        left_alone("of_other_versions",
                   "apiVersion: nvidia.com/v1beta2\nkind: DynamoGraphDeployment\n"
                   "metadata: {name: a}\nspec: {servicess: {}}\n"),
        left_alone("that_are_templates", "{{- if .x }}\n" + graph_of("      replica: 2\n", false)),
        left_alone("that_envsubst_renders",
                   graph_of("      replicas: ${N}\n      envs: [{name: A, value: 1}]\n", false))),
    spoiled_name);

TEST(FixTest, KeepsCarriageReturns) {
  const auto with_returns = [](std::string text) {
    for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 2)) {
      text.insert(at, "\r");
    }
    return text;
  };
  const std::string text = graph_of(
      "      envs: [{name: A, value: 1}]\n      autoscaling:\n        enabled: true\n", false);
  EXPECT_EQ(
      fix_text(with_returns(text)),
      with_returns(graph_of("      replicas: 1\n      envs: [{name: A, value: \"1\"}]\n", false)));
}

TEST(FixTest, KeepsAMissingFinalLineBreak) {
  std::string text = graph_of("      envs: []\n      replicas: \"2\"\n", false);
  text.pop_back();
  EXPECT_TRUE(fix_text(text).ends_with("      replicas: 2"));
}

// Time must not grow with the square of the number of fixes.
TEST(FixTest, WritesNoDefaultsForHugeObjects) {
  std::string text = graph_of("");
  for (int i = 0; i < 20'000; ++i) text += "    S" + std::to_string(i) + ": {}\n";
  EXPECT_EQ(fix_text(text), text);
}

TEST(FixTest, FixesEachOfManyServices) {
  std::string before = graph_of("");
  std::string after = before;
  for (int i = 0; i < 20; ++i) {
    before += "    S" + std::to_string(i) + ": {}\n";
    after += "    S" + std::to_string(i) + ": {replicas: 1}\n";
  }
  EXPECT_EQ(fix_text(before), after);
}

TEST(FixTest, ReadsJson) {
  const std::string before =
      R"({"apiVersion": "nvidia.com/v1alpha1", "kind": "DynamoGraphDeployment",
  "metadata": {"name": "a"},
  "spec": {"services": {"A": {
        "autoscaling": {"enabled": true},
        "envs": [{"name": "A", "value": 8000}], "extraPodSpec": {"mainContainer": {"image": "a:1"}}},
      "B": {"replica": "2", "dynamoNamespace": "x", "extraPodSpec": {"mainContainer": {"image": "a:1"}}}}}}
)";
  EXPECT_EQ(fix_text(before, "a.json"),
            R"({"apiVersion": "nvidia.com/v1alpha1", "kind": "DynamoGraphDeployment",
  "metadata": {"name": "a"},
  "spec": {"services": {"A": {
        "replicas": 1,
        "envs": [{"name": "A", "value": "8000"}], "extraPodSpec": {"mainContainer": {"image": "a:1"}}},
      "B": {"replicas": 2, "extraPodSpec": {"mainContainer": {"image": "a:1"}}}}}}
)");
}

// --- Files
// ---------------------------------------------------------------------------------------------

class FixedFiles : public test::ValidateFixture {
 protected:
  static std::string graph(std::string_view replicas) {
    return graph_of("      " + std::string(replicas) +
                        "\n      componentType: frontend\n"
                        "      extraPodSpec: {mainContainer: {image: \"a:1\"}}\n",
                    false);
  }

  const std::string bad_ = graph("replica: 2");
  const std::string good_ = graph("replicas: 2");
};

TEST_F(FixedFiles, AreFixedBeforeValidation) {
  const std::string file = workspace_.write("a.yaml", bad_);
  ASSERT_EQ(::chmod(file.c_str(), 0640), 0);
  const RunResult ran = validate({"-f", "@/a.yaml", "--fix"});
  EXPECT_EQ(ran.code, kExitValid) << ran.out;
  EXPECT_EQ(workspace_.read("a.yaml"), good_);
  EXPECT_EQ(ran.err,
            "a.yaml:8: fixed: spec.services[Frontend].replica: rename it to \"replicas\" "
            "[schema.unknown-field]\nkubectl-dynamo: fixed 1 finding in 1 file\n");
  struct stat status {};
  ASSERT_EQ(::stat(file.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0640U);
  EXPECT_EQ(std::distance(fs::directory_iterator(fs::path(file).parent_path()), {}), 1);
}

TEST_F(FixedFiles, ReadOnlyFilesAreNotFixed) {
  const std::string file = workspace_.write("a.yaml", bad_);
  ASSERT_EQ(::chmod(file.c_str(), 0444), 0);
  const RunResult ran = validate({"-f", "@/a.yaml", "--fix"});
  EXPECT_EQ(ran.code, kExitUnusable);
  EXPECT_EQ(workspace_.read("a.yaml"), bad_);
  EXPECT_THAT(ran.err, HasSubstr("it is read-only"));
}

TEST_F(FixedFiles, DiffShowsFixesWithoutWriting) {
  workspace_.write("a.yaml", bad_);
  const RunResult ran = validate({"-f", "@/a.yaml", "--fix", "--diff"});
  EXPECT_EQ(ran.code, kExitInvalid);
  EXPECT_EQ(workspace_.read("a.yaml"), bad_);
  EXPECT_THAT(ran.out, StartsWith("--- a.yaml\n+++ a.yaml\n@@ -5,6 +5,6 @@\n"));
  EXPECT_THAT(ran.out, HasSubstr("\n-      replica: 2\n+      replicas: 2\n"));
  EXPECT_THAT(ran.err, HasSubstr("would fix 1 finding in 1 file"));
  workspace_.write("a.yaml", good_);
  const RunResult nothing = validate({"-f", "@/a.yaml", "--fix", "--diff"});
  EXPECT_EQ(nothing.code, kExitValid);
  EXPECT_THAT(nothing.out, IsEmpty());
}

TEST_F(FixedFiles, DiffFailsForUnreadableFiles) {
  EXPECT_EQ(validate({"-f", "@/missing.yaml", "--fix", "--diff"}).code, kExitUnusable);
  workspace_.write("broken.yaml",
                   good_ + "---\napiVersion: nvidia.com/v1alpha1\nmetadata: {name: a\n");
  const RunResult broken = validate({"-f", "@/broken.yaml", "--fix", "--diff"});
  EXPECT_EQ(broken.code, kExitUnusable);
  EXPECT_THAT(broken.err, HasSubstr("broken.yaml is not fixed: a part of it cannot be read"));
  workspace_.write("a.yaml", bad_);
  const RunResult both = validate({"-f", "@/broken.yaml", "-f", "@/a.yaml", "--fix", "--diff"});
  EXPECT_EQ(both.code, kExitUnusable);
  EXPECT_THAT(both.out, HasSubstr("+      replicas: 2\n"));
}

TEST_F(FixedFiles, SkippedRulesAreNotFixed) {
  workspace_.write("a.yaml", bad_);
  EXPECT_THAT(validate({"-f", "@/a.yaml", "--fix", "--only", "schema.type"}).err, IsEmpty());
  EXPECT_EQ(workspace_.read("a.yaml"), bad_);
  workspace_.write("b.yaml", graph_of("      envs: []\n", false));
  EXPECT_THAT(validate({"-f", "@/b.yaml", "--fix", "--skip", "dgd.default.*"}).err, IsEmpty());
}

TEST_F(FixedFiles, LinksPatchesTemplatesAndPipesAreNotFixed) {
  workspace_.write("real/a.yaml", bad_);
  fs::create_symlink(workspace_.path("real/a.yaml"), workspace_.path("link.yaml"));
  workspace_.write("overlay/kustomization.yaml", "patches: [{path: patch.yaml}]\n");
  workspace_.write("overlay/patch.yaml", bad_);
  workspace_.write("template.yaml", "{{- if .x }}\n" + bad_);
  const RunResult ran =
      validate({"@/link.yaml", "@/overlay/patch.yaml", "@/template.yaml", "-", "--fix"}, bad_);
  EXPECT_EQ(ran.code, kExitUnusable);  // the template
  EXPECT_THAT(ran.err, HasSubstr("link.yaml is not fixed: it is a symbolic link"));
  EXPECT_THAT(ran.err, HasSubstr("patch.yaml is not fixed: a kustomization names it"));
  EXPECT_THAT(ran.err, HasSubstr("template.yaml is not fixed: it is a template"));
  EXPECT_THAT(ran.err, HasSubstr("standard input is not fixed: only files are fixed"));
  EXPECT_EQ(workspace_.read("real/a.yaml"), bad_);
  EXPECT_EQ(workspace_.read("overlay/patch.yaml"), bad_);
}

TEST_F(FixedFiles, FilesChangedDuringFixingAreNotReplaced) {
  const std::string file = workspace_.write("a.yaml", bad_);
  const auto read = std::get<FileToRewrite>(read_to_rewrite(file, kLongestFixedText));
  workspace_.write("a.yaml", bad_ + "# more\n");
  const auto reason = replace_file(file, read, good_);
  ASSERT_TRUE(reason);
  EXPECT_THAT(*reason, HasSubstr("has changed since it was read"));
  EXPECT_EQ(workspace_.read("a.yaml"), bad_ + "# more\n");
  EXPECT_EQ(std::distance(fs::directory_iterator(fs::path(file).parent_path()), {}), 1);
}

TEST_F(FixedFiles, FilesWithSeveralLinksAreNotFixed) {
  const std::string file = workspace_.write("a.yaml", bad_);
  fs::create_hard_link(file, workspace_.path("b.yaml"));
  EXPECT_THAT(validate({"@/a.yaml", "--fix"}).err, HasSubstr("it has other names too"));
  EXPECT_EQ(workspace_.read("b.yaml"), bad_);
}

TEST(FixOptions, DiffNeedsFix) {
  EXPECT_EQ(test::refusal({"validate", "a", "--diff"}),
            "kubectl-dynamo: --diff shows what --fix would change; it must come with --fix");
}

// --- The diff
// ------------------------------------------------------------------------------------------

TEST(UnifiedDiff, HasThreeLinesOfContext) {
  EXPECT_EQ(unified_diff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n", "a"),
            "--- a/a\n+++ b/a\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n");
  EXPECT_EQ(unified_diff("a\n", "a\nb", "/x"),
            "--- /x\n+++ /x\n@@ -1 +1,2 @@\n a\n+b\n\\ No newline at end of file\n");
  EXPECT_EQ(unified_diff("", "b\n", "x"), "--- a/x\n+++ b/x\n@@ -0,0 +1 @@\n+b\n");
  EXPECT_EQ(unified_diff("same", "same", "x"), "");
  // Names in the form that git apply and patch accept.
  EXPECT_THAT(unified_diff("", "b\n", "./s/../x y"), StartsWith("--- a/x y\t\n+++ b/x y\t\n@@"));
  const std::string here = std::filesystem::current_path().string();
  EXPECT_THAT(unified_diff("", "b\n", here + "/s/x"), StartsWith("--- a/s/x\n+++ b/s/x\n@@"));
}

TEST(UnifiedDiff, SeparatesDistantChanges) {
  std::string before;
  std::string after;
  for (int i = 0; i < 30; ++i) {
    before += std::to_string(i) + "\n";
    if (i != 3) after += (i == 20 ? "x" : std::to_string(i)) + "\n";
  }
  EXPECT_EQ(unified_diff(before, after, "x"),
            "--- a/x\n+++ b/x\n@@ -1,7 +1,6 @@\n 0\n 1\n 2\n-3\n 4\n 5\n 6\n"
            "@@ -18,7 +17,7 @@\n 17\n 18\n 19\n-20\n+x\n 21\n 22\n 23\n");
}

TEST(UnifiedDiff, IsBoundedForCompleteRewrites) {
  std::string before;
  std::string after;
  for (int i = 0; i < 3000; ++i) {
    before += "a" + std::to_string(i) + "\n";
    after += "b" + std::to_string(i) + "\n";
  }
  EXPECT_THAT(unified_diff(before, after, "x"), HasSubstr("@@ -1,3000 +1,3000 @@\n-a0\n"));
}

}  // namespace
}  // namespace dynamo::cli
