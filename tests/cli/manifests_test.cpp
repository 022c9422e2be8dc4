#include "cli/input/manifests.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "cli/input/manifests_kind.hpp"
#include "tests/cli/workspace.hpp"

namespace dynamo::cli {
namespace {

using test::graph_json;
using test::graph_yaml;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

std::string_view name_of(OtherContent what) {
  switch (what) {
    case OtherContent::kKind:
      return "ignored";
    case OtherContent::kVersion:
      return "other version";
    case OtherContent::kForeign:
      return "foreign";
    case OtherContent::kNoManifest:
      return "no manifest";
    case OtherContent::kTemplate:
      return "template";
    case OtherContent::kEncrypted:
      return "encrypted";
  }
  return {};
}

// One line per result: "LINE KIND NAME", "ignored", "foreign", "LINE:COLUMN reason", "no manifest
// LINE:COLUMN reason".
class Listing final : public ManifestVisitor {
 public:
  void object(const Manifest& manifest) override {
    const Place place = manifest.locator.of(manifest.written);
    found.push_back(std::to_string(place.line) + " " + std::string(manifest.resource.kind) + " " +
                    std::string(manifest.object["metadata"]["name"].string_or_empty()));
  }
  void other(OtherDocument document) override {
    std::string line{name_of(document.what)};
    if (document.what != OtherContent::kKind && document.what != OtherContent::kForeign) {
      line += " " + shown(document.fault);
    }
    found.push_back(std::move(line));
  }
  void fault(InputFault fault) override { found.push_back(shown(fault)); }

  static std::string shown(const InputFault& fault) {
    return std::to_string(fault.line) + ":" + std::to_string(fault.column) + " " + fault.reason;
  }

  std::vector<std::string> found;
};

std::vector<std::string> read(Syntax syntax, std::string text) {
  Listing listing;
  ManifestReader reader;
  reader.read({syntax, std::move(text), 0}, listing);
  return listing.found;
}

std::vector<std::string> read_yaml(std::string text) {
  return read(Syntax::kYaml, std::move(text));
}
std::vector<std::string> read_json(std::string text) {
  return read(Syntax::kJson, std::move(text));
}

constexpr std::string_view kConfigMap =
    "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\ndata:\n  a: b\n";

TEST(ManifestReaderTest, ReadsManyYamlDocuments) {
  EXPECT_THAT(read_yaml(graph_yaml("a") + "---\n" + graph_yaml("b") + "---\n---\n# nothing\n---\n" +
                        graph_yaml("c")),
              ElementsAre("1 DynamoGraphDeployment a", "12 DynamoGraphDeployment b",
                          "26 DynamoGraphDeployment c"));
}

TEST(ManifestReaderTest, ReadsConsecutiveJsonValues) {
  EXPECT_THAT(read_json(graph_json("a") + "\n" + graph_json("b") + graph_json("c") + "\n---\n" +
                        graph_json("d")),
              ElementsAre("1 DynamoGraphDeployment a", "2 DynamoGraphDeployment b",
                          "2 DynamoGraphDeployment c", "4 DynamoGraphDeployment d"));
}

TEST(ManifestReaderTest, SplitsLists) {
  const std::string items = "[" + graph_json("a") + ",\n" + graph_json("b") + "]}";
  EXPECT_THAT(read_json(R"({"apiVersion":"v1","kind":"List","items":)" + items),
              ElementsAre("1 DynamoGraphDeployment a", "2 DynamoGraphDeployment b"));
  EXPECT_THAT(
      read_yaml(
          R"({"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoGraphDeploymentList","items":)" +
          items),
      ElementsAre("1 DynamoGraphDeployment a", "2 DynamoGraphDeployment b"));
  EXPECT_THAT(read_yaml("apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: Pod\n"
                        "- apiVersion: v1\n  kind: List\n  items:\n  - " +
                        graph_json("x") + "\n"),
              ElementsAre("ignored", "9 DynamoGraphDeployment x"));
  EXPECT_THAT(read_yaml("apiVersion: v1\nkind: List\nitems: []\n"), ElementsAre());
  EXPECT_THAT(read_yaml("apiVersion: v1\nkind: ConfigMapList\nitems: [{}]\n"),
              ElementsAre("ignored"));
}

TEST(ManifestReaderTest, IgnoresOtherKindsAndForeignObjects) {
  EXPECT_THAT(read_yaml(std::string(kConfigMap) + "---\n" + graph_yaml("a") + "---\nx: 1\n"),
              ElementsAre("ignored", "8 DynamoGraphDeployment a", "foreign"));
  EXPECT_THAT(read_json(R"({"apiVersion":"v1","kind":"Pod"} {"x":1})"),
              ElementsAre("ignored", "foreign"));
}

TEST(ManifestReaderTest, FaultyDocumentsDoNotHideTheOthers) {
  EXPECT_THAT(
      read_yaml(graph_yaml("a") + "---\napiVersion: [1,\n---\n" + graph_yaml("b")),
      ElementsAre("1 DynamoGraphDeployment a", StartsWith("1"), "14 DynamoGraphDeployment b"));
  EXPECT_THAT(read_yaml(graph_yaml("a") + "---\na: [1,\n---\n" + graph_yaml("b")),
              ElementsAre("1 DynamoGraphDeployment a", StartsWith("no manifest 1"),
                          "14 DynamoGraphDeployment b"));
  EXPECT_THAT(read_json(graph_json("a") + "\n{\"x\":,}\n" + graph_json("b")),
              ElementsAre("1 DynamoGraphDeployment a", "2:6 expected a JSON value",
                          "3 DynamoGraphDeployment b"));
}

TEST(ManifestReaderTest, TruncatedJsonLineDoesNotHideTheNext) {
  const std::string cut = graph_json("cut").substr(0, 60);
  EXPECT_THAT(
      read_json(cut + "\n" + graph_json("b") + "\n" + graph_json("c")),
      ElementsAre(StartsWith("1:"), "2 DynamoGraphDeployment b", "3 DynamoGraphDeployment c"));
  EXPECT_THAT(read_json("{\"a\":{\"b\":1}\n" + graph_json("b")),
              ElementsAre(StartsWith("2:1 expected ',' or '}'"), "2 DynamoGraphDeployment b"));
  EXPECT_THAT(read_json(graph_json("a") + "\n{\"a\": [1, 2"),
              ElementsAre("1 DynamoGraphDeployment a",
                          HasSubstr("the text ends before the JSON value is complete")));
}

TEST(ManifestReaderTest, TabsAndTemplatesAreExplained) {
  EXPECT_THAT(read_yaml("metadata:\n\tname: x\n"),
              ElementsAre("no manifest 2:1 a tab cannot indent YAML; use spaces"));
  EXPECT_THAT(
      read_yaml("a: 1\n---\nkind: DynamoModel\nname: {{ .Values.x }}\n"),
      ElementsAre("foreign", AllOf(StartsWith("template 4:"), HasSubstr("render it first: helm"))));
  EXPECT_THAT(
      read_yaml("apiVersion: v1\nspec: {name: ${NAME}}\n"),
      ElementsAre(AllOf(StartsWith("template 2:"), HasSubstr("render it first: envsubst"))));
  EXPECT_THAT(read_yaml("apiVersion: v1\n{{- if .Values.x }}\nspec: 1\n"),
              ElementsAre(StartsWith("template ")));
}

TEST(ManifestReaderTest, ErrorsUseLineNumbersOfTheInput) {
  EXPECT_THAT(read_yaml("a: 1\n---\napiVersion: v1\nb: {c: [1}\n"),
              ElementsAre("foreign", "4:10 `}` of line 4 cannot close `[` of line 4"));
}

TEST(ManifestReaderTest, TypedListItemsHaveItsKind) {
  const std::string list = R"({"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoModelList","items":[
{"metadata":{"name":"a"}},
{"kind":"DynamoModel","metadata":{"name":"b"}},
{"apiVersion":"nvidia.com/v1alpha1","kind":"DynamoModel","metadata":{"name":"c"}},
5]})";
  const auto expected = ElementsAre("2 DynamoModel a", "3 DynamoModel b", "4 DynamoModel c",
                                    HasSubstr("a manifest must be an object"));
  EXPECT_THAT(read_json(list), expected);
  EXPECT_THAT(read_yaml(list), expected);
  EXPECT_THAT(read_json(R"({"apiVersion":"v1","kind":"List","items":[{"metadata":{}}]})"),
              ElementsAre("foreign"));
}

TEST(ManifestReaderTest, NamesInAnotherCaseAreReported) {
  EXPECT_THAT(
      read_yaml("apiVersion: nvidia.com/v1alpha1\nKind: DynamoModel\n"),
      ElementsAre("2:1 an object of \"nvidia.com/v1alpha1\" must have a kind; there is none; "
                  "\"Kind\" must be written \"kind\""));
  EXPECT_THAT(read_yaml("apiversion: nvidia.com/v1alpha1\nkind: DynamoModel\n"),
              ElementsAre(HasSubstr("\"apiversion\" must be written \"apiVersion\"")));
}

TEST(ManifestReaderTest, MisspeltNamesAreReported) {
  EXPECT_THAT(
      read_yaml("apiVerson: nvidia.com/v1alpha1\nkind: DynamoModel\nmetadata: {name: a}\n"),
      ElementsAre(HasSubstr("there is none; \"apiVerson\" must be written \"apiVersion\"")));
  EXPECT_THAT(
      read_yaml("apiVersion: nvidia.com/v1alpha1\nknid: DynamoModel\n"),
      ElementsAre("2:1 an object of \"nvidia.com/v1alpha1\" must have a kind; there is none; "
                  "\"knid\" must be written \"kind\""));
  EXPECT_THAT(read_yaml("apiVersoin: nvidia.com/v1alpha1\nkid: DynamoModel\n"),
              ElementsAre(HasSubstr("\"apiVersoin\" must be written \"apiVersion\"")));
  EXPECT_THAT(read_yaml("apiVerson: apps/v1\nkid: Deployment\n"), ElementsAre("foreign"));
  EXPECT_THAT(read_yaml("apiVerson: apps/v1\nkind: Deployment\n"), ElementsAre("ignored"));
}

TEST(ManifestReaderTest, ReadingContinuesAfterInvalidJson) {
  EXPECT_THAT(read_json("{}\nsome } text {\nmore\n" + graph_json("a")),
              ElementsAre("foreign", "2:1 expected a JSON object", "4 DynamoGraphDeployment a"));
}

TEST(ManifestReaderTest, DocumentsMustBeObjects) {
  EXPECT_THAT(read_yaml("- a\n- b\n"),
              ElementsAre("no manifest 1:1 a manifest must be an object; found list"));
  EXPECT_THAT(read_yaml("---\ntext\n"),
              ElementsAre("no manifest 2:1 a manifest must be an object; found string"));
  EXPECT_THAT(read_json("[1]"),
              ElementsAre("no manifest 1:1 a manifest must be an object; found list"));
}

TEST(ManifestReaderTest, FilesOfOtherToolsAreReportedOnce) {
  EXPECT_THAT(read_json("{\n  // why\n  \"a\": 1,\n  \"b\": [1, 2,]\n}\n{\"c\": }\n"),
              ElementsAre(StartsWith("no manifest 2:3")));
  EXPECT_THAT(read_yaml("// tsconfig\n{\"a\": 1, // why\n}\n"),
              ElementsAre(StartsWith("no manifest ")));
  EXPECT_THAT(read_yaml("kind: DynamoModel\nplural: dynamomodels\n"),
              ElementsAre(StartsWith("no manifest 1:7 apiVersion of a DynamoModel must be")));
  EXPECT_THAT(read_yaml("kind: DynamoModel\nmetadata: {name: a}\n"),
              ElementsAre(StartsWith("1:7 apiVersion of a DynamoModel must be")));
}

TEST(ManifestReaderTest, WrongKindOrApiVersionIsLocated) {
  EXPECT_THAT(read_yaml("metadata: {name: a}\nkind: DynamoModl\napiVersion: nvidia.com/v1alpha1\n"),
              ElementsAre(StartsWith("2:7 there is no kind \"DynamoModl\"")));
  EXPECT_THAT(read_yaml("metadata: {name: a}\nkind: DynamoModel\napiVersion: nvidia.co/v1alpha1\n"),
              ElementsAre(StartsWith("3:13 there is no DynamoModel in \"nvidia.co/v1alpha1\"")));
  EXPECT_THAT(read_json("{\"metadata\":{},\n\"kind\":\"DynamoModel\",\n\"apiVersion\":\"v1\"}"),
              ElementsAre(StartsWith("3:14 apiVersion of a DynamoModel must be")));
}

TEST(ManifestReaderTest, OtherVersionsOfOurGroupAreNotFaults) {
  EXPECT_THAT(
      read_yaml("apiVersion: nvidia.com/v1beta2\nkind: DynamoGraphDeployment\n"),
      ElementsAre("other version 1:13 DynamoGraphDeployment of \"nvidia.com/v1beta2\" is of an "
                  "API version that this release does not validate; it validates "
                  "nvidia.com/v1alpha1 and nvidia.com/v1beta1"));
  EXPECT_THAT(read_yaml("apiVersion: nvidia.com/v1beta2\nkind: DynamoGraphDeploymentList\n"
                        "items: [{metadata: {name: a}}]\n"),
              ElementsAre(StartsWith("other version ")));
}

TEST(ManifestReaderTest, DepthAndAliasesAreLimited) {
  constexpr std::size_t kLevels = 100'000;
  const std::string deep = std::string(kLevels, '[') + std::string(kLevels, ']');
  EXPECT_THAT(read_yaml("a: " + deep), ElementsAre(HasSubstr("nested deeper than 128 levels")));
  EXPECT_THAT(read_json("{\"a\": " + deep + "}"),
              ElementsAre(HasSubstr("nested deeper than 128 levels")));
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string inner = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + inner;
    for (int k = 0; k < 8; ++k) bomb += ", " + inner;
    bomb += "]\n";
  }
  EXPECT_THAT(read_yaml(bomb),
              ElementsAre(HasSubstr("more than 1000000 values in one document, with aliases")));
  std::string wide = "{\"a\":[0";
  for (std::size_t i = 0; i < kMaxNodes; ++i) wide += ",0";
  EXPECT_THAT(read_json(wide + "]}"), ElementsAre("1:1 more than 1000000 values in one document"));
}

// Text after a mistake was read as part of it: repeating that for each mistake would take hours.
TEST(ManifestReaderTest, ReadingTextFullOfMistakesTerminates) {
  constexpr std::size_t kLines = 500'000;
  std::string unclosed = "{\"apiVersion\"\n";
  for (std::size_t i = 0; i < kLines; ++i) unclosed += "{\n";
  std::string closed = unclosed;
  for (std::size_t i = 0; i <= kLines; ++i) closed += "}\n";
  std::string strange = "x\n{\"apiVersion\": 1}\n";
  for (std::size_t i = 0; i < kLines; ++i) strange += "x\n{}\n";
  for (const std::string& text : {unclosed, closed, strange}) {
    const std::vector<std::string> found = read_json(text);
    EXPECT_LE(found.size(), 2'001U);
    EXPECT_THAT(found.back(), HasSubstr("there are too many mistakes to read on"));
  }
}

// Only templates contain these, but the mistake is another one.
TEST(ManifestReaderTest, LimitFaultsAreNotReportedAsTemplates) {
  const std::string graph = graph_yaml("a");
  EXPECT_THAT(read_yaml(graph + "# {{ x }}\r# y\n"), ElementsAre(HasSubstr("control characters")));
  EXPECT_THAT(read_yaml(graph + "# {{ x }}\xFF\n"), ElementsAre(HasSubstr("not UTF-8")));
  EXPECT_THAT(read_yaml(graph + "x: " + std::string(200, '[') + std::string(200, ']') +
                        "\ny: |\n  {{ x }}\n"),
              ElementsAre(HasSubstr("nested deeper than 128 levels")));
  EXPECT_THAT(read_yaml(graph + "x: [1} # {{ x }}\n"), ElementsAre(HasSubstr("cannot close")));
}

TEST(ManifestReaderTest, ReadingUnclosedVariablesTerminates) {
  std::string line = "k: @";
  while (line.size() < 4'000'000) line += "${a:";
  EXPECT_THAT(read_yaml(line), ElementsAre(StartsWith("no manifest 1:")));
  EXPECT_THAT(read_yaml("k: @" + std::string("${a:x\n") + "  ${b}\n"),
              ElementsAre(StartsWith("no manifest 1:")));
  EXPECT_THAT(read_yaml("k: @${a:x} ${b}\n"), ElementsAre(StartsWith("template 1:")));
}

TEST(ManifestReaderTest, LineNumbersIncludePrecedingLines) {
  Listing listing;
  ManifestReader reader;
  reader.read({Syntax::kYaml, "---\n" + graph_yaml("a"), 100}, listing);
  reader.read({Syntax::kJson, "\n" + graph_json("b"), 100}, listing);
  reader.read({Syntax::kYaml, "apiVersion: [\n", 100}, listing);
  ASSERT_EQ(listing.found.size(), 3U);
  EXPECT_EQ(listing.found[0], "102 DynamoGraphDeployment a");
  EXPECT_EQ(listing.found[1], "102 DynamoGraphDeployment b");
  EXPECT_THAT(listing.found[2], StartsWith("10"));
}

TEST(SurelyOfAnotherKind, DecidesOnlyUnambiguousDocuments) {
  EXPECT_TRUE(is_surely_of_another_kind(kConfigMap));
  EXPECT_TRUE(is_surely_of_another_kind("kind: \"Pod\" # x\napiVersion: 'v1'\r\n"));
  EXPECT_TRUE(is_surely_of_another_kind("kind: Pod\napiVersion: v1\ndata:\n  x: |\n    kind: Y\n"));
  EXPECT_TRUE(is_surely_of_another_kind("kind: Pod\napiVersion: v1\na: !x 'a\\.b\\d'\n"));
  // Our group in other notations, and lines that are not members.
  const std::string text = "metadata: {labels: {x: \"\nkind: Pod\napiVersion: v1\n\"}}\n";
  for (const std::string_view ours :
       {"\"apiVersion\": nvidia.com/v1alpha1\n", "\"apiVersion\": \"nvidia\\x2ecom/v1alpha1\"\n",
        "\"apiVersion\": \"nvidia.\\\n  com/v1alpha1\"\n",
        "\"apiVersion\": \"\\u006evidia.com/v1alpha1\"\n",
        "\"apiVersion\": !!binary bnZpZGlhLmNvbS92MWFscGhhMQ==\n",
        "? apiVersion\n: !<tag:yaml.org,2002:binary> bnZpZGlhLmNvbS92MWFscGhhMQ==\n"}) {
    EXPECT_FALSE(is_surely_of_another_kind(std::string(ours) + "\"kind\": DynamoModel\n" + text))
        << ours;
  }
  EXPECT_FALSE(
      is_surely_of_another_kind("{\n\"apiVersion\": \"nvidia.com/v1alpha1\", \"kind\": "
                                "\"DynamoModel\", \"metadata\": {\"labels\": "
                                "{\napiVersion: v1\n,\nkind: ConfigMap\n}}}\n"));
  for (const std::string_view doubtful :
       {"kind: Pod\n", "apiVersion: v1\n", "kind: Pod\napiVersion: v1\nkind: Pod\n",
        "kind: List\napiVersion: v1\n", "kind: !!str Pod\napiVersion: v1\n",
        "kind: &x Pod\napiVersion: v1\n", "kind:\n  Pod\napiVersion: v1\n",
        "kind:Pod\napiVersion: v1", "kind: |\n  Pod\napiVersion: v1\n",
        "{kind: Pod, apiVersion: v1}", "kind: DynamoModl\napiVersion: nvidia.com/v1alpha1\n",
        "kind: DynamoModel\napiVersion: nvidia.com/v1alpha1\n",
        "kind: 'DynamoModel\napiVersion: v1\n"}) {
    EXPECT_FALSE(is_surely_of_another_kind(doubtful)) << doubtful;
  }
}

std::string verdict(std::string_view api_version, std::string_view kind) {
  const KindCheck verdict = check_kind(api_version, kind);
  switch (verdict.what) {
    case KindCheck::Action::kValidate:
      return "validate " + std::string(verdict.resource->kind);
    case KindCheck::Action::kIgnore:
      return "ignore";
    case KindCheck::Action::kSplitList:
      return "take apart";
    case KindCheck::Action::kRefuse:
      return verdict.reason;
    case KindCheck::Action::kOtherVersion:
      return "another version";
    case KindCheck::Action::kForeign:
    case KindCheck::Action::kNoManifest:
      return "no manifest";
  }
  return {};
}

TEST(KindCheckTest, AcceptsOurKindsAndListsAndIgnoresOthers) {
  EXPECT_EQ(verdict("nvidia.com/v1alpha1", "DynamoModel"), "validate DynamoModel");
  EXPECT_EQ(verdict("nvidia.com/v1alpha1", "DynamoWorkerMetadata"),
            "validate DynamoWorkerMetadata");
  EXPECT_EQ(verdict("v1", "List"), "take apart");
  EXPECT_EQ(verdict("nvidia.com/v1alpha1", "DynamoModelList"), "take apart");
  EXPECT_EQ(verdict("v1", "Pod"), "ignore");
  EXPECT_EQ(verdict("", ""), "ignore");
  EXPECT_EQ(verdict("nvidia.com/v1", "ClusterPolicy"), "ignore") << "of the GPU operator";
  EXPECT_EQ(verdict("nvidia.com/v1alpha1", "NVIDIADriver"), "ignore");
  EXPECT_EQ(verdict("example.com/v1", "DynamoModel"), "ignore") << "somebody else's";
}

TEST(KindCheckTest, RecognizesOtherVersionsOfOurGroup) {
  for (const std::string version : {"v1beta1", "v1", "v2", "v1alpha2", "v2alpha1"}) {
    EXPECT_EQ(verdict("nvidia.com/" + version, "DynamoModel"), "another version") << version;
    EXPECT_EQ(verdict("nvidia.com/" + version, "DynamoOfTomorrow"), "another version") << version;
    EXPECT_EQ(verdict("nvidia.com/" + version, "DynamoModelList"), "another version") << version;
    EXPECT_EQ(verdict("nvidia.com/" + version, "ClusterPolicy"), "ignore") << version;
    EXPECT_EQ(verdict("example.com/" + version, "DynamoModel"), "ignore") << version;
  }
}

TEST(KindCheckTest, ValidatesKindsThatV1beta1Has) {
  for (const std::string kind :
       {"DynamoGraphDeployment", "DynamoComponentDeployment", "DynamoGraphDeploymentRequest",
        "DynamoGraphDeploymentScalingAdapter"}) {
    const cli::KindCheck found = cli::check_kind("nvidia.com/v1beta1", kind);
    ASSERT_EQ(found.what, cli::KindCheck::Action::kValidate) << kind;
    EXPECT_EQ(found.resource->api_version, "nvidia.com/v1beta1");
    EXPECT_EQ(cli::check_kind("nvidia.com/v1beta1", kind + "List").what,
              cli::KindCheck::Action::kSplitList);
    EXPECT_EQ(cli::check_kind("nvidia.com/v1alpha1", kind).resource->api_version,
              "nvidia.com/v1alpha1");
  }
}

TEST(KindCheckTest, RefusesMisspeltObjectsOfOurGroup) {
  EXPECT_EQ(verdict("nvidia.com/v1alpha1", "DynamoGraphDeploymnt"),
            "there is no kind \"DynamoGraphDeploymnt\" in nvidia.com/v1alpha1; did you mean "
            "\"DynamoGraphDeployment\"?");
  EXPECT_EQ(verdict("nvidia.com/v1alpha1", "dynamomodel"),
            "there is no kind \"dynamomodel\" in nvidia.com/v1alpha1; did you mean "
            "\"DynamoModel\"?");
  EXPECT_EQ(verdict("nvidia.com/v1alpha1", "\u200BDynamoModel"),
            "there is no kind \"\\u200bDynamoModel\" (contains U+200B ZERO WIDTH SPACE) in "
            "nvidia.com/v1alpha1; did you mean \"DynamoModel\"?");
  EXPECT_EQ(verdict("nvidia.com/v1alpha1", "Dynam\u043EModel"),
            "there is no kind \"Dynam\u043EModel\" (contains U+043E CYRILLIC SMALL LETTER O, which "
            "looks like \"o\") in nvidia.com/v1alpha1; did you mean \"DynamoModel\"?");
  for (const std::string version :
       {"v1alpah1", "v1aplha1", "v", "v0", "1alpha1", "v1alpha", "v1beta1 "}) {
    EXPECT_EQ(verdict("nvidia.com/" + version, "DynamoModel"),
              "apiVersion of a DynamoModel must be \"nvidia.com/v1alpha1\"; it is \"nvidia.com/" +
                  version + "\"");
  }
  EXPECT_EQ(verdict("v1alpha1", "DynamoModel"),
            "apiVersion of a DynamoModel must be \"nvidia.com/v1alpha1\"; it is \"v1alpha1\"");
  EXPECT_EQ(verdict("nvidia.com/v1alpha1", ""),
            "an object of \"nvidia.com/v1alpha1\" must have a kind; there is none");
  EXPECT_EQ(verdict("v1", "DynamoModel"),
            "apiVersion of a DynamoModel must be \"nvidia.com/v1alpha1\"; it is \"v1\"");
  for (const std::string group : {"nvidia.co", "nvdia.com", "dynamo.nvidia.com", "NVIDIA.com"}) {
    EXPECT_EQ(verdict(group + "/v1alpha1", "DynamoModel"),
              "there is no DynamoModel in \"" + group +
                  "/v1alpha1\"; did you mean \"nvidia.com/v1alpha1\"?");
  }
  EXPECT_EQ(verdict("", "DynamoModel"),
            "apiVersion of a DynamoModel must be \"nvidia.com/v1alpha1\"; there is none");
}

}  // namespace
}  // namespace dynamo::cli
