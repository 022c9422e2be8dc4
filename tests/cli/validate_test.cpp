// kubectl dynamo validate, from the command line to its output.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "cli/commands/commands.hpp"
#include "json/parser.hpp"
#include "tests/cli/validate_fixture.hpp"
#include "tests/cli/workspace.hpp"

namespace dynamo::cli {
namespace {

namespace fs = std::filesystem;
using test::graph_json;
using test::graph_yaml;
using test::RunResult;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

class Validate : public test::ValidateFixture {};

TEST_F(Validate, ValidObjectExitsWithZero) {
  workspace_.write("a.yaml", graph_yaml("a"));
  const RunResult ran = validate({"-f", "@/a.yaml"});
  EXPECT_EQ(ran.code, kExitValid);
  EXPECT_EQ(ran.out, "1 object in 1 file: all valid; 0.000 s\n");
  EXPECT_THAT(ran.err, IsEmpty());
}

TEST_F(Validate, UnservedKindsAreWarnedOf) {
  workspace_.write("a.yaml",
                   "apiVersion: nvidia.com/v1alpha1\n"
                   "kind: DynamoCheckpoint\n"
                   "metadata: {name: a}\n"
                   "spec:\n"
                   "  identity: {model: m, backendFramework: vllm}\n"
                   "  job: {podTemplateSpec: {spec: {containers: [{name: main, image: i}]}}}\n");
  EXPECT_THAT(validate({"-f", "@/a.yaml", "--operator-replaced"}).out,
              Not(HasSubstr("[ckpt.controller]")));
  const RunResult ran = validate({"-f", "@/a.yaml", "--unserved-kinds", "DynamoCheckpoint"});
  EXPECT_EQ(ran.code, kExitValid);
  EXPECT_THAT(ran.out, HasSubstr("[ckpt.controller]"));
}

TEST_F(Validate, DisabledSettingsOfTheOperatorDeny) {
  workspace_.write("a.yaml",
                   "apiVersion: nvidia.com/v1alpha1\n"
                   "kind: DynamoCheckpoint\n"
                   "metadata: {name: a}\n"
                   "spec:\n"
                   "  identity: {model: m, backendFramework: vllm}\n"
                   "  job: {podTemplateSpec: {spec: {containers: [{name: main, image: i}]}}}\n"
                   "---\n"
                   "apiVersion: nvidia.com/v1beta1\n"
                   "kind: DynamoGraphDeploymentRequest\n"
                   "metadata: {name: r}\n"
                   "spec: {model: m, image: 'a:1.5.0'}\n");
  const auto shown = [&](const char* value) {
    return validate({"-f", "@/a.yaml", "--operator-generation", "later", "--operator-checkpoints",
                     value, "--operator-gpu-discovery", value})
        .out;
  };
  EXPECT_THAT(shown("disabled"), testing::AllOf(HasSubstr("error: spec: Forbidden"),
                                                HasSubstr("error: spec.hardware: Required value")));
  for (const char* const value : {"enabled", "unknown"}) {
    EXPECT_THAT(shown(value), Not(testing::AnyOf(HasSubstr("error: spec: Forbidden"),
                                                 HasSubstr("spec.hardware: Required value"))));
  }
}

TEST_F(Validate, InvalidObjectIsShownWithItsLine) {
  workspace_.write("a.yaml", graph_yaml("a", -1));
  const RunResult ran = validate({"-f", "@/a.yaml"});
  EXPECT_EQ(ran.code, kExitInvalid);
  EXPECT_THAT(ran.out, HasSubstr("a.yaml:8:17: error: spec.services[Frontend].replicas: "));
  EXPECT_THAT(ran.out, HasSubstr("    8 |       replicas: -1\n      |                 ^~\n"));
  EXPECT_THAT(ran.out, HasSubstr("1 invalid"));
}

TEST_F(Validate, LaterGenerationHasItsOwnSchema) {
  workspace_.write("a.yaml", graph_yaml("a") + "      runtimeVersionOverride: 1.5.0\n");
  EXPECT_EQ(validate({"-f", "@/a.yaml", "--operator-generation", "first"}).code, kExitInvalid);
  const RunResult ran = validate({"-f", "@/a.yaml", "--operator-generation", "later"});
  EXPECT_EQ(ran.code, kExitValid) << ran.out;
  EXPECT_THAT(ran.out, Not(HasSubstr("runtimeVersionOverride")));
  workspace_.write("a.yaml", graph_yaml("a") +
                                 "      gpuMemoryService: {enabled: true, mode: x}\n"
                                 "      nope: 1\n");
  const RunResult bad = validate({"-f", "@/a.yaml", "--operator-generation", "later"});
  EXPECT_EQ(bad.code, kExitInvalid);
  EXPECT_THAT(bad.out, HasSubstr("error: spec.services[Frontend].gpuMemoryService.mode: "));
  EXPECT_THAT(bad.out, HasSubstr("error: spec.services[Frontend].nope: Invalid value: must be a "
                                 "field that the API knows"));
}

constexpr std::string_view kBetaGraph = R"(apiVersion: nvidia.com/v1beta1
kind: DynamoGraphDeployment
metadata: {name: a}
spec:
  components:
  - name: Frontend
    type: frontend
    replicas: 1
    podTemplate:
      spec:
        containers:
        - name: main
          image: nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.5.0
)";

TEST_F(Validate, RulesNameFieldsOfV1beta1) {
  workspace_.write("a.yaml", std::string(kBetaGraph) +
                                 "          env: [{name: A, value: x, valueFrom: {fieldRef: "
                                 "{fieldPath: spec.nodeName}}}]\n");
  const RunResult ran = validate({"@/a.yaml"});
  EXPECT_EQ(ran.code, kExitInvalid) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("a.yaml:14:"));
  EXPECT_THAT(
      ran.out,
      HasSubstr("error: spec.components[0].podTemplate.spec.containers[0].env[0].valueFrom"));
}

TEST_F(Validate, ImageWithoutVersionIsShown) {
  std::string graph(kBetaGraph);
  graph.replace(graph.rfind("1.5.0"), 5, "latest");
  workspace_.write("a.yaml", graph);
  const RunResult ran = validate({"@/a.yaml"});
  EXPECT_EQ(ran.code, kExitInvalid) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("a.yaml:13:18: error: spec.components[0].runtimeVersionOverride"));
  EXPECT_THAT(ran.out,
              HasSubstr("the tag of spec.components[0].podTemplate.spec.containers[0].image "
                        "is not a version such as 1.5.0; found "
                        "\"nvcr.io/nvidia/ai-dynamo/vllm-runtime:latest\""));
}

TEST_F(Validate, FirstOperatorServesNoV1beta1) {
  workspace_.write("a.yaml", kBetaGraph);
  const RunResult ran = validate({"@/a.yaml", "--operator-generation", "first"});
  EXPECT_EQ(ran.code, kExitValid);
  EXPECT_THAT(ran.out, HasSubstr("; 1 object of nvidia.com/v1beta1, which operators of the first "
                                 "generation do not serve: set --operator-generation later, or run "
                                 "`kubectl dynamo convert --to v1alpha1`; "));
  EXPECT_THAT(validate({"@/a.yaml", "--operator-generation", "first", "-o", "json"}).out,
              HasSubstr("\"otherVersions\":1"));
  const RunResult strict =
      validate({"@/a.yaml", "--operator-generation", "first", "--strict-versions"});
  EXPECT_EQ(strict.code, kExitUnusable);
  EXPECT_THAT(strict.out, HasSubstr("\"nvidia.com/v1beta1\" is not served by operators of the "
                                    "first generation: set --operator-generation later, or run "
                                    "`kubectl dynamo convert --to v1alpha1`"));
}

TEST_F(Validate, OldObjectOfOtherVersionIsConverted) {
  workspace_.write("old.yaml", graph_yaml("a"));
  std::string renamed(kBetaGraph);
  renamed.replace(renamed.find("name: Frontend"), 14, "name: Gateway");
  workspace_.write("a.yaml", renamed);
  const RunResult ran = validate({"@/a.yaml", "--old", "@/old.yaml"});
  EXPECT_THAT(ran.err + ran.out, Not(HasSubstr("could not be compared")));
}

TEST_F(Validate, UnchangedV1beta1GraphIsAValidUpdate) {
  workspace_.write("a.yaml", kBetaGraph);
  workspace_.write("old.yaml", kBetaGraph);
  for (const char* const pathway : {"grove", "component"}) {
    const RunResult ran = validate({"@/a.yaml", "--old", "@/old.yaml", "--pathway", pathway});
    EXPECT_EQ(ran.code, kExitValid) << ran.out;
  }
}

TEST_F(Validate, V1beta1ObjectsPassTheirSchema) {
  const std::string head =
      "apiVersion: nvidia.com/v1beta1\nkind: DynamoGraphDeployment\nmetadata: {name: a}\n";
  workspace_.write("a.yaml", kBetaGraph);
  const RunResult valid = validate({"@/a.yaml", "--strict-versions"});
  EXPECT_EQ(valid.code, kExitValid) << valid.out;
  workspace_.write("a.yaml", head + "spec: {components: [{name: Frontend, type: frontnd}]}\n");
  const RunResult ran = validate({"@/a.yaml"});
  EXPECT_EQ(ran.code, kExitInvalid);
  EXPECT_THAT(
      ran.out,
      HasSubstr("a.yaml:4:44: error: spec.components[0].type: Unsupported value: must be one of "));
  EXPECT_THAT(ran.out, HasSubstr("did you mean \"frontend\"?"));
}

TEST_F(Validate, ListsOfV1beta1AreSplit) {
  workspace_.write("a.yaml",
                   "apiVersion: nvidia.com/v1beta1\nkind: DynamoGraphDeploymentList\nitems:\n"
                   "- metadata: {name: a}\n  spec: {components: []}\n"
                   "- metadata: {name: b}\n  spec: {services: {}}\n");
  const RunResult ran = validate({"@/a.yaml"});
  EXPECT_EQ(ran.code, kExitInvalid);
  EXPECT_THAT(ran.out,
              HasSubstr("error: spec.services: Invalid value: must be a field that the API knows"));
  EXPECT_THAT(ran.out, HasSubstr("2 invalid"));
}

TEST_F(Validate, NonManifestOnStandardInputIsAFault) {
  for (const std::string_view nothing : {"", "\n", " \n\t\n"}) {
    const RunResult ran = validate({"-f", "-"}, nothing);
    EXPECT_EQ(ran.code, kExitUnusable);
    EXPECT_THAT(ran.out, StartsWith("standard input: error: there is nothing on standard input\n"));
  }
  for (const std::string_view text : {"a: b\n", "{}"}) {
    const RunResult ran = validate({"-f", "-"}, text);
    EXPECT_EQ(ran.code, kExitUnusable);
    EXPECT_THAT(ran.out, StartsWith("standard input:1:1: error: there is neither apiVersion nor "
                                    "kind: no manifest\n"));
  }
  EXPECT_EQ(validate({"-f", "-"}, "apiVersion: v1\nkind: Pod\n").code, kExitValid);
  workspace_.write("values.yaml", "a: b\n");
  workspace_.write("empty.yaml", "");
  EXPECT_EQ(validate({"@/values.yaml", "@/empty.yaml"}).code, kExitValid);
}

TEST_F(Validate, TypedListItemsAreValidatedAtTheirPlaces) {
  std::string item = graph_json("a", -1);
  item.erase(1, item.find("\"metadata\"") - 1);
  workspace_.write("a.json", R"({"apiVersion":"nvidia.com/v1alpha1","kind":)"
                             R"("DynamoGraphDeploymentList","items":[)"
                             "\n" +
                                 item + "]}");
  const RunResult ran = validate({"@/a.json"});
  EXPECT_EQ(ran.code, kExitInvalid);
  EXPECT_THAT(ran.out, HasSubstr("a.json:2:69: error: spec.services[Frontend].replicas: "));
  EXPECT_THAT(ran.out, HasSubstr("1 object in 1 file: 1 invalid (1 error)"));
}

TEST_F(Validate, JsonHasTheSameFindings) {
  workspace_.write("a.json", graph_json("a", -1));
  const RunResult ran = validate({"-f", "@/a.json"});
  EXPECT_EQ(ran.code, kExitInvalid);
  EXPECT_THAT(ran.out, HasSubstr("a.json:1:135: error: spec.services[Frontend].replicas: "));
  EXPECT_THAT(ran.out, HasSubstr("^~\n"));
}

TEST_F(Validate, UnknownAndDuplicateFieldsMarkTheName) {
  workspace_.write("a.yaml", graph_yaml("a") + "      replcas: 2\n      replicas: 3\n");
  const RunResult ran = validate({"-f", "@/a.yaml"});
  EXPECT_THAT(ran.out, HasSubstr("a.yaml:11:7: error: spec.services[Frontend].replcas: "));
  EXPECT_THAT(ran.out, HasSubstr("a.yaml:12:7: error: spec.services[Frontend].replicas: "));
  EXPECT_THAT(ran.out, HasSubstr("[schema.duplicate-field]"));
  EXPECT_EQ(ran.code, kExitInvalid);
}

TEST_F(Validate, ReadsStandardInput) {
  const RunResult ran = validate({"-f", "-"}, graph_yaml("a") + "---\n" + graph_yaml("b", -1));
  EXPECT_EQ(ran.code, kExitInvalid);
  EXPECT_THAT(ran.out, HasSubstr(":19:17: error: spec.services[Frontend].replicas"));
  EXPECT_THAT(ran.out, HasSubstr("2 objects"));
}

TEST_F(Validate, ReadsFoldersAndFilesInOrder) {
  workspace_.write("d/b.yaml", graph_yaml("b", -1));
  workspace_.write("d/a.yaml", graph_yaml("a", -1));
  workspace_.write("d/x/c.yml", graph_yaml("c", -1));
  workspace_.write("z.json", graph_json("z", -1) + "\n" + graph_json("y"));
  const RunResult ran = validate({"-R", "-f", "@/z.json", "-f", "@/d", "-q"});
  EXPECT_EQ(ran.code, kExitInvalid);
  std::vector<std::string> titles;
  for (std::size_t at = ran.out.find("DynamoGraph"); at != std::string::npos;
       at = ran.out.find("DynamoGraph", at + 1)) {
    titles.push_back(ran.out.substr(at, ran.out.find(':', at) - at));
  }
  EXPECT_THAT(titles, testing::ElementsAre("DynamoGraphDeployment z", "DynamoGraphDeployment a",
                                           "DynamoGraphDeployment b", "DynamoGraphDeployment c"));
}

TEST_F(Validate, OtherKindsAreCounted) {
  const RunResult ran = validate({"-f", "-"}, "apiVersion: v1\nkind: Pod\n---\n" + graph_yaml("a") +
                                                  "---\napiVersion: v2\nkind: Other\n");
  EXPECT_EQ(ran.code, kExitValid);
  EXPECT_THAT(ran.out, HasSubstr("1 object"));
  EXPECT_THAT(ran.out, HasSubstr("2"));
  EXPECT_THAT(ran.out, HasSubstr("ignored"));
}

// Files in a repository that are not manifests.
void write_files_of_other_tools(const test::Workspace& workspace) {
  workspace.write("r/playbook.yaml", "- hosts: all\n  tasks: []\n");
  workspace.write("r/list.json", "[1, 2]\n");
  workspace.write("r/tsconfig.json", "{\n  // why\n  \"strict\": true,\n}\n");
  workspace.write("r/values.yaml", "image: {tag: x}\n");
  workspace.write("r/broken.yml", "a: [\n");
}

TEST_F(Validate, NonManifestsInFoldersAreCounted) {
  write_files_of_other_tools(workspace_);
  workspace_.write("r/graph.yaml", graph_yaml("a"));
  const RunResult ran = validate({"-R", "@/r"});
  EXPECT_EQ(ran.code, kExitValid) << ran.out;
  EXPECT_EQ(ran.out,
            "1 object in 6 files: all valid; 5 documents that are no manifests skipped; 0.000 "
            "s\n");
  const RunResult json = validate({"-R", "@/r", "-o", "json"});
  EXPECT_THAT(json.out, HasSubstr("\"noManifests\":5"));
}

TEST_F(Validate, NamedFileMustBeAManifest) {
  write_files_of_other_tools(workspace_);
  for (const char* name :
       {"@/r/playbook.yaml", "@/r/list.json", "@/r/tsconfig.json", "@/r/broken.yml"}) {
    EXPECT_EQ(validate({name}).code, kExitUnusable) << name;
    EXPECT_EQ(validate({name, "--as-found"}).code, kExitValid) << name;
  }
  EXPECT_EQ(validate({"@/r/values.yaml"}).code, kExitValid);
}

TEST_F(Validate, BrokenManifestInAFolderIsAFault) {
  workspace_.write("r/graph.yaml", graph_yaml("a") + "  bad: [\n");
  EXPECT_EQ(validate({"-R", "@/r"}).code, kExitUnusable);
  workspace_.write("r/graph.yaml", "apiVersion: nvidia.com/v1alpha1\nmetadata: {name: a}\n");
  EXPECT_EQ(validate({"-R", "@/r"}).code, kExitUnusable);
}

TEST_F(Validate, EnvsubstVariablesMarkATemplate) {
  std::string text = graph_yaml("a");
  text.replace(text.find("replicas: 1"), 11, "replicas: ${REPLICAS}");
  workspace_.write("r/graph.yaml", text);
  const RunResult found = validate({"-R", "@/r"});
  EXPECT_EQ(found.code, kExitValid) << found.out;
  EXPECT_THAT(found.out, HasSubstr("; 1 template skipped; "));
  const RunResult named = validate({"@/r/graph.yaml"});
  EXPECT_EQ(named.code, kExitUnusable);
  EXPECT_THAT(named.out, HasSubstr("r/graph.yaml:8:17: error: this is a template, not yet a "
                                   "manifest; render it first: envsubst < FILE | kubectl dynamo"));
  EXPECT_THAT(named.out, HasSubstr("    8 |       replicas: ${REPLICAS}\n"
                                   "      |                 ^~~~~~~~~~~\n"));
}

TEST_F(Validate, VariablesWithDefaultsMarkATemplate) {
  for (const std::string_view form : {"${N:-2}", "${N:=2}", "${N-2}"}) {
    std::string text = graph_yaml("a");
    text.replace(text.find("replicas: 1"), 11, "replicas: " + std::string(form));
    workspace_.write("r/graph.yaml", text);
    const RunResult found = validate({"-R", "@/r"});
    EXPECT_EQ(found.code, kExitValid) << form << found.out;
    EXPECT_THAT(found.out, HasSubstr("; 1 template skipped; "));
  }
}

TEST_F(Validate, ShellVariableInACommandIsNoTemplate) {
  std::string text = graph_yaml("a");
  text.replace(text.find("image: example"), 6, R"(command: [sh, -c, "echo ${HOME}"], image:)");
  workspace_.write("a.yaml", text);
  EXPECT_EQ(validate({"@/a.yaml"}).code, kExitValid) << validate({"@/a.yaml"}).out;
  // Another mistake next to it is still reported.
  workspace_.write("a.yaml", text + "      replcas: 1\n");
  EXPECT_EQ(validate({"@/a.yaml"}).code, kExitInvalid);
}

TEST_F(Validate, OtherApiVersionsAreReportedWithoutError) {
  std::string beta = graph_yaml("a");
  beta.replace(beta.find("v1alpha1"), 8, "v1beta2");
  workspace_.write("a.yaml", beta);
  const RunResult ran = validate({"@/a.yaml"});
  EXPECT_EQ(ran.code, kExitValid);
  EXPECT_EQ(ran.out,
            "0 objects in 1 file: nothing of nvidia.com/v1alpha1 to validate; 1 object of an API "
            "version that this release does not validate (nvidia.com/v1beta2); 0.000 s\n");
  EXPECT_THAT(validate({"@/a.yaml", "-o", "json"}).out, HasSubstr("\"otherVersions\":1"));
  const RunResult strict = validate({"@/a.yaml", "--strict-versions"});
  EXPECT_EQ(strict.code, kExitUnusable);
  EXPECT_THAT(
      strict.out,
      StartsWith("a.yaml:1:13: error: DynamoGraphDeployment of \"nvidia.com/v1beta2\" is of an "
                 "API version that this release does not validate; it validates "
                 "nvidia.com/v1alpha1 and nvidia.com/v1beta1\n"));
}

TEST_F(Validate, RequireObjectsFailsWithoutObjects) {
  fs::create_directories(workspace_.path("empty"));
  workspace_.write("pod.yaml", "apiVersion: v1\nkind: Pod\n");
  for (const char* name : {"@/empty", "@/pod.yaml"}) {
    EXPECT_EQ(validate({"-R", name}).code, kExitValid) << name;
    const RunResult required = validate({"-R", name, "--require-objects"});
    EXPECT_EQ(required.code, kExitInvalid) << name;
    EXPECT_THAT(required.err, HasSubstr("there must be an object of nvidia.com/v1alpha1 to "
                                        "validate (--require-objects); found none\n"));
  }
  workspace_.write("a.yaml", graph_yaml("a"));
  EXPECT_EQ(validate({"@/a.yaml", "--require-objects"}).code, kExitValid);
}

TEST_F(Validate, DuplicateObjectsAreReported) {
  workspace_.write("a.yaml", graph_yaml("a") + "---\n" + graph_yaml("b"));
  std::string placed = graph_yaml("a");
  placed.replace(placed.find("  name: a"), 9, "  name: a\n  namespace: team");
  workspace_.write("b.yaml", graph_yaml("a") + "---\n" + placed);
  const RunResult ran = validate({"@/a.yaml", "@/b.yaml"});
  EXPECT_EQ(ran.code, kExitValid);
  EXPECT_EQ(ran.err,
            "kubectl-dynamo: 1 object appears more than once among the inputs; the one applied "
            "last counts\n  DynamoGraphDeployment default/a: a.yaml:1:1, b.yaml:1:1\n");
  EXPECT_THAT(validate({"@/a.yaml", "@/b.yaml", "-o", "json"}).out, HasSubstr("\"repeated\":1"));
  EXPECT_THAT(validate({"@/a.yaml", "@/b.yaml", "-n", "team"}).err,
              HasSubstr("team/a: a.yaml:1:1, "
                        "b.yaml:1:1, b.yaml"));
  EXPECT_THAT(validate({"@/a.yaml", "@/b.yaml", "-q"}).err, IsEmpty());
}

TEST_F(Validate, FindingsOfOneLineAreSortedByColumn) {
  workspace_.write("a.yaml",
                   "apiVersion: nvidia.com/v1alpha1\nkind: DynamoModel\nmetadata: {name: a}\n"
                   "spec: {zzz: 1, modelType: big, aaa: 2}\n");
  const RunResult ran = validate({"@/a.yaml"});
  const std::size_t first = ran.out.find("a.yaml:4:8: error: spec.zzz");
  const std::size_t second = ran.out.find("a.yaml:4:27: error: spec.modelType");
  const std::size_t third = ran.out.find("a.yaml:4:32: error: spec.aaa");
  EXPECT_LT(first, second) << ran.out;
  EXPECT_LT(second, third) << ran.out;
  EXPECT_NE(third, std::string::npos) << ran.out;
}

TEST_F(Validate, ColumnsCountCharacters) {
  workspace_.write("a.yaml",
                   "apiVersion: nvidia.com/v1alpha1\nkind: DynamoModel\nmetadata: {name: a}\n"
                   "spec: {\"模型\": 1, modelType: \"大\", modelName: a, baseModelName: a}\n");
  const RunResult ran = validate({"@/a.yaml"});
  EXPECT_THAT(ran.out, HasSubstr("a.yaml:4:28: error: spec.modelType"));
  EXPECT_THAT(ran.out, HasSubstr("      | " + std::string(29, ' ') + "^~~~\n"));
  const RunResult json = validate({"@/a.yaml", "-o", "json"});
  EXPECT_THAT(json.out, HasSubstr("\"line\":4,\"column\":28,\"length\":3"));
  for (const char* format : {"tap", "junit"}) {
    EXPECT_THAT(validate({"@/a.yaml", "-o", format}).out, HasSubstr("a.yaml:4:28")) << format;
  }
}

TEST_F(Validate, MarkIsAlignedAfterWideCharacters) {
  // One of each: East Asian blocks, and pictures between narrow characters.
  for (const char* wide :
       {"模", "한", "✅", "⚡", "⭐", "❌", "⌚", "🟢", "🪐", "🫠", "🀄", "🇽", "😀"}) {
    const bool is_narrow = std::string_view(wide) == "🇽";  // half of a flag
    workspace_.write("a.yaml",
                     "apiVersion: nvidia.com/v1alpha1\nkind: DynamoModel\nmetadata: {name: a}\n"
                     "spec: {modelName: \"" +
                         std::string(wide) + "\", modelType: big, baseModelName: a}\n");
    EXPECT_THAT(validate({"@/a.yaml"}).out,
                HasSubstr("      | " + std::string(is_narrow ? 34 : 35, ' ') + "^~~\n"))
        << wide;
  }
}

TEST_F(Validate, ColumnsCountCharactersInLongLines) {
  std::string text =
      R"({"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoModel","metadata":{"name":"a","annotations":{"a":")";
  for (int i = 0; i < 2000; ++i) text += "大";
  text += R"("}},"spec":{"modelName":"a","baseModelName":"大","modelType":"b大"}})";
  const std::string column = std::to_string(text.find("\"b大\"") + 1 - std::size_t{2} * 2001);
  for (const char* name : {"a.json", "a.yaml"}) {
    workspace_.write(name, text + "\n");
    const std::string file = std::string("@/") + name;
    EXPECT_THAT(validate({file}).out, HasSubstr(std::string(name) + ":1:" + column + ": error"));
    EXPECT_THAT(validate({file, "-o", "json"}).out,
                HasSubstr("\"line\":1,\"column\":" + column + ",\"length\":4"));
    const std::string end = std::to_string(std::stoul(column) + 4);
    EXPECT_THAT(validate({file, "-o", "github"}).out,
                HasSubstr(",line=1,col=" + column + ",endColumn=" + end));
    EXPECT_THAT(validate({file, "-o", "sarif"}).out,
                HasSubstr("\"startColumn\":" + column + ",\"endColumn\":" + end));
    EXPECT_THAT(validate({file, "-o", "junit"}).out, HasSubstr(std::string(name) + ":1:" + column));
  }
  // Unreadable text, too.
  text.insert(text.size() - 2, "?");
  workspace_.write("a.json", text);
  EXPECT_THAT(
      validate({"@/a.json"}).out,
      HasSubstr("a.json:1:" + std::to_string(text.find("?}}") + 1 - std::size_t{2} * 2002)));
}

TEST_F(Validate, MisspeltRestartPolicyHasASuggestion) {
  std::string text = graph_yaml("a");
  text.insert(text.rfind('}'),
              ", initContainers: [{name: i, image: \"a:1\", restartPolicy: Alwys}]");
  workspace_.write("a.yaml", text);
  const RunResult ran = validate({"@/a.yaml"});
  EXPECT_EQ(ran.code, kExitInvalid);
  EXPECT_THAT(ran.out, AllOf(HasSubstr("a: 1 error\n"),
                             HasSubstr("; did you mean \"Always\"? [pod.forbidden-in-template]")));
}

TEST_F(Validate, ListItemsAreValidatedAtTheirPlaces) {
  const RunResult ran =
      validate({"-f", "-"}, "apiVersion: v1\nkind: List\nitems:\n- " + graph_json("a") + "\n- " +
                                graph_json("b", -1) + "\n");
  EXPECT_EQ(ran.code, kExitInvalid);
  EXPECT_THAT(ran.out, HasSubstr(":5:137: error: spec.services[Frontend].replicas"));
  EXPECT_THAT(ran.out, HasSubstr("2 objects"));
}

struct BadInput {
  const char* name;
  std::string_view file;
  std::string text;
  std::string_view line;  // its message
};

void PrintTo(const BadInput& row, std::ostream* out) {
  *out << row.name;
}

std::string deep(std::size_t levels) {
  return "{\"a\":" + std::string(levels, '[') + std::string(levels, ']') + "}";
}

std::string alias_bomb() {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 30; ++i) {
    const std::string inner = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + inner;
    for (int k = 0; k < 9; ++k) bomb += ", " + inner;
    bomb += "]\n";
  }
  return bomb;
}

class BadInputs : public Validate, public testing::WithParamInterface<BadInput> {};

TEST_P(BadInputs, AreOneLineAndDoNotHideOthers) {
  const BadInput& row = GetParam();
  workspace_.write(std::string("1_") + std::string(row.file), row.text);
  workspace_.write("0.yaml", graph_yaml("before", -1));
  workspace_.write("2.yaml", graph_yaml("after", -1));
  const RunResult ran = validate({"@/0.yaml", "@/1_" + std::string(row.file), "@/2.yaml", "-q"});
  EXPECT_EQ(ran.code, kExitUnusable);
  EXPECT_THAT(ran.out, HasSubstr("DynamoGraphDeployment before: 1 error"));
  EXPECT_THAT(ran.out, HasSubstr("DynamoGraphDeployment after: 1 error"));
  const std::size_t at = ran.out.find("1_");
  ASSERT_NE(at, std::string::npos) << ran.out;
  EXPECT_THAT(ran.out.substr(at, ran.out.find('\n', at) - at), HasSubstr(row.line));
  EXPECT_EQ(ran.out.find("1_", at + 1), std::string::npos) << ran.out;
}

INSTANTIATE_TEST_SUITE_P(
    Each, BadInputs,
    testing::Values(
        BadInput{"NotYaml", "a.yaml", "a: b: c\n", "1_a.yaml:1:"},
        BadInput{"Binary", "a.yaml", std::string("\x7F\x45LF\x02\x00\x00", 7),
                 "1_a.yaml:1:1: error: control characters are not allowed in YAML"},
        BadInput{"Template", "a.yaml", "{{- if .Values.x }}\na: 1\n{{- end }}\n", "1_a.yaml:"},
        BadInput{"Truncated", "a.yaml", graph_yaml("a").substr(0, 100) + "\"", "1_a.yaml:"},
        BadInput{"TruncatedJson", "a.json", graph_json("a").substr(0, 100),
                 "the text ends before the JSON value is complete"},
        BadInput{"NotUtf8", "a.yaml", "a: \xFF\n", "1_a.yaml:1:4: error: the text is not UTF-8"},
        BadInput{"Tabs", "a.yaml", "a:\n\tb: 1\n", "1_a.yaml:2:"},
        BadInput{"AliasBomb", "a.yaml", alias_bomb(),
                 "more than 1000000 values in one document, with aliases expanded"},
        BadInput{"DeepYaml", "a.yaml", "a: " + std::string(100'000, '['),
                 "nested deeper than 128 levels"},
        BadInput{"DeepBlocks", "a.yaml",
                 "- " +
                     [] {
                       std::string text;
                       for (int i = 0; i < 100'000; ++i) text += "- ";
                       return text;
                     }(),
                 "nested deeper than 128 levels"},
        BadInput{"DeepJson", "a.json", deep(100'000), "nested deeper than 128 levels"},
        BadInput{"ListOfNothing", "a.yaml", "apiVersion: v1\nkind: List\nitems: 5\n",
                 "the items of a List must be a list; found integer"},
        BadInput{"LongDocument", "a.yaml", "a: " + std::string(8'388'606, 'x'),
                 "1_a.yaml:1:1: error: the document is longer than 8388608 bytes; split it"},
        BadInput{"Misspelt", "a.yaml", "apiVersion: nvidia.com/v1alpha1\nkind: DynamoModul\n",
                 "did you mean \"DynamoModel\"?"}),
    [](const auto& instance) { return std::string(instance.param.name); });

TEST_F(Validate, HugeFileIsRefusedUnread) {
  const std::string name = workspace_.write("d/a.yaml", "");
  fs::resize_file(name, 200'000'000);
  workspace_.write("d/b.yaml", graph_yaml("b"));
  const RunResult ran = validate({"-f", "@/d"});
  EXPECT_EQ(ran.code, kExitUnusable);
  EXPECT_THAT(ran.out, HasSubstr("d/a.yaml: error: the input is longer than 134217728 bytes: "
                                 "200000000; split it\n"));
  EXPECT_THAT(ran.out, HasSubstr("1 object"));
}

TEST_F(Validate, UnreadableFileIsOneLine) {
  workspace_.write("empty/readme.md", "");
  workspace_.write("d/b.yaml", graph_yaml("b"));
  ASSERT_EQ(::mkfifo(workspace_.path("d/a.yaml").c_str(), 0600), 0);
  const RunResult ran = validate({"@/empty", "@/none.yaml", "@/d"});
  EXPECT_EQ(ran.code, kExitUnusable);
  EXPECT_THAT(ran.out, HasSubstr("empty: error: there is no manifest (*.yaml, *.yml, *.json) in "
                                 "this directory\n"));
  EXPECT_THAT(ran.out, HasSubstr("none.yaml: error: there is no such file or directory\n"));
  EXPECT_THAT(ran.out, HasSubstr("d/a.yaml: error: only regular files are read; this is a named "
                                 "pipe; use -f - to read from a pipe\n"));
  EXPECT_THAT(ran.out, HasSubstr("1 object in 1 file"));
}

TEST_F(Validate, WarningsAreErrorsOnlyOnRequest) {
  const std::string text = graph_yaml("a") + "      autoscaling: {enabled: true}\n";
  EXPECT_EQ(validate({"-f", "-"}, text).code, kExitValid);
  const RunResult ran = validate({"-f", "-", "--warnings-as-errors"}, text);
  EXPECT_EQ(ran.code, kExitInvalid);
  EXPECT_THAT(ran.out, HasSubstr("warning"));
}

TEST_F(Validate, QuietReportsWarningsThatCountAsErrors) {
  const std::string text = graph_yaml("a") + "      autoscaling: {enabled: true}\n";
  const RunResult strict = validate({"-f", "-", "-q", "--warnings-as-errors"}, text);
  EXPECT_EQ(strict.code, kExitInvalid);
  EXPECT_EQ(strict.err, "kubectl-dynamo: 1 warning counts as an error (--warnings-as-errors)\n");
  EXPECT_THAT(validate({"-f", "-", "-q"}, text).err, IsEmpty());
  // The summary reports it.
  EXPECT_THAT(validate({"-f", "-", "--warnings-as-errors"}, text).err, IsEmpty());
}

TEST_F(Validate, FaultsTakePrecedenceOverInvalidObjects) {
  workspace_.write("bad.yaml", graph_yaml("a", -1));
  EXPECT_EQ(validate({"@/bad.yaml", "@/none.yaml"}).code, kExitUnusable);
}

TEST_F(Validate, ChartTemplatesAreReportedInOneLine) {
  for (const char* chart : {"a", "b", "c", "d"}) {
    workspace_.write(std::string(chart) + "/Chart.yaml", "name: x\n");
    workspace_.write(std::string(chart) + "/templates/graph.yaml", "x: {{ .Values.x }}\n");
  }
  workspace_.write("e/graph.yaml", graph_yaml("e"));
  const RunResult ran = validate({"-R", "@/"});
  EXPECT_EQ(ran.code, kExitValid) << ran.out;
  EXPECT_EQ(ran.err,
            "kubectl-dynamo: skipped the templates of 4 charts (a, b, c and 1 more); to check "
            "what a chart renders: `helm template CHART | kubectl dynamo validate -f -`\n");
  EXPECT_THAT(validate({"-R", "-q", "@/"}).err, IsEmpty());
}

TEST_F(Validate, ExcludedManifestsAreNotValidated) {
  workspace_.write("d/good.yaml", graph_yaml("a"));
  workspace_.write("d/x/bad.yaml", graph_yaml("b", -1));
  EXPECT_EQ(validate({"-R", "@/d"}).code, kExitInvalid);
  EXPECT_EQ(validate({"-R", "@/d", "--exclude", "*/x/*"}).code, kExitValid);
}

TEST_F(Validate, PolicyErrorLinesNameTheProgram) {
  workspace_.write("policy.yaml",
                   "version: 1\nseverities:\n  - {rules: [no.such-rule], severity: off}\n"
                   "  - {rules: [dgd.pvc.name], severity: never}\n");
  const RunResult ran = validate({"-f", "-", "--policy", "@/policy.yaml"}, graph_yaml("a"));
  EXPECT_EQ(ran.code, kExitUnusable);
  EXPECT_GE(std::ranges::count(ran.err, '\n'), 2) << ran.err;
  std::istringstream lines(ran.err);
  for (std::string line; std::getline(lines, line);) {
    EXPECT_THAT(line, StartsWith("kubectl-dynamo: --policy policy.yaml: line "));
  }
}

TEST_F(Validate, SeveralOutputsAreWrittenToTheirFiles) {
  workspace_.write("a.yaml", graph_yaml("a", -1));
  const RunResult ran = validate({"-f", "@/a.yaml", "-o", "json=@/r.json", "-o", "junit=@/r.xml",
                                  "-o", "sarif=@/r.sarif", "-o", "tap=@/r.tap", "-o", "github"});
  EXPECT_EQ(ran.code, kExitInvalid);
  EXPECT_THAT(ran.out, StartsWith("::error "));
  EXPECT_THAT(ran.out, Not(HasSubstr("^~")));
  EXPECT_FALSE(json::parse_copy(workspace_.read("r.json"))->error);
  EXPECT_FALSE(json::parse_copy(workspace_.read("r.sarif"))->error);
  EXPECT_THAT(workspace_.read("r.xml"), HasSubstr("<testsuite"));
  EXPECT_THAT(workspace_.read("r.tap"), HasSubstr("not ok 1"));
}

// A new manifest has no status, but a stored object does.
TEST_F(Validate, UpdateUsesTheStatusOfTheOldObject) {
  const std::string request =
      "apiVersion: nvidia.com/v1alpha1\nkind: DynamoGraphDeploymentRequest\nmetadata: {name: r}\n"
      "spec:\n  backend: vllm\n  profilingConfig: {profilerImage: p:1, config: {a: {b: 1}}}\n";
  workspace_.write("old.yaml", request + "  model: a\nstatus: {state: Ready}\n");
  workspace_.write("new.yaml", request + "  model: b\n");
  EXPECT_THAT(validate({"@/new.yaml", "--old", "@/old.yaml"}).out,
              HasSubstr("[dgdr.spec.immutable]"));
}

TEST_F(Validate, UnwritableReportIsOneLine) {
  workspace_.write("a.yaml", graph_yaml("a"));
  const RunResult ran = validate({"-f", "@/a.yaml", "-o", "json=@/none/r.json"});
  EXPECT_EQ(ran.code, kExitUnusable);
  EXPECT_EQ(
      ran.err,
      "kubectl-dynamo: the report none/r.json cannot be written: No such file or directory\n");
  const RunResult full = validate({"-f", "@/a.yaml", "-o", "json=/dev/full"});
  EXPECT_EQ(full.code, kExitUnusable);
  EXPECT_EQ(full.err,
            "kubectl-dynamo: the report /dev/full cannot be written: No space left on device\n");
}

TEST_F(Validate, NamespaceScopeExemptsFromRulesNotFromSchema) {
  const std::string text = graph_yaml("a") + "      autoscaling: {enabled: true}\n      x: 1\n";
  const RunResult inside =
      validate({"-f", "-", "-n", "team-a", "--namespace-scope", "team-a"}, text);
  EXPECT_THAT(inside.out, HasSubstr("[service.autoscaling.deprecated]"));
  const RunResult outside = validate({"-f", "-", "--namespace-scope", "team-a"}, text);
  EXPECT_THAT(outside.out, Not(HasSubstr("[service.autoscaling.deprecated]")));
  EXPECT_THAT(outside.out, HasSubstr("[schema.unknown-field]"));
  EXPECT_EQ(outside.code, kExitInvalid);
}

TEST_F(Validate, PolicyDecidesWhichRulesDeny) {
  const std::string text = graph_yaml("a") + "      autoscaling: {enabled: true}\n";
  workspace_.write("policy.yaml",
                   "version: 1\nseverities:\n- rules: [service.autoscaling.deprecated]\n"
                   "  severity: off\n");
  EXPECT_THAT(validate({"-f", "-"}, text).out, HasSubstr("service.autoscaling.deprecated"));
  EXPECT_THAT(validate({"-f", "-", "--policy", "@/policy.yaml"}, text).out,
              Not(HasSubstr("service.autoscaling.deprecated")));
  workspace_.write("broken.yaml", "version: 2\n");
  const RunResult broken = validate({"-f", "-", "--policy", "@/broken.yaml"}, text);
  EXPECT_EQ(broken.code, kExitUnusable);
  EXPECT_THAT(broken.err, StartsWith("kubectl-dynamo: --policy broken.yaml: line 1, column "));
  EXPECT_EQ(validate({"-f", "-", "--policy", "@/none.yaml"}, text).err,
            "kubectl-dynamo: --policy none.yaml: the file cannot be opened: No such file or "
            "directory\n");
}

TEST_F(Validate, ReportDoesNotDependOnThreads) {
  for (int i = 0; i < 40; ++i) {
    std::string text;
    for (int k = 0; k < 1 + i % 5; ++k) {
      text +=
          "---\n" + graph_yaml("a" + std::to_string(i), k - 1) + (i % 7 == 0 ? "---\na: [\n" : "");
    }
    workspace_.write("d/" + std::to_string(100 + i) + ".yaml", text);
  }
  const RunResult one = validate({"@/d", "-j", "1", "-o", "text"});
  EXPECT_GT(one.out.size(), 1000U);
  for (const char* jobs : {"2", "5"}) {
    EXPECT_EQ(validate({"@/d", "-j", jobs, "-o", "text"}).out, one.out);
  }
}

}  // namespace
}  // namespace dynamo::cli
