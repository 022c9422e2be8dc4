// kubectl dynamo validate on templates, encrypted files, names that are not files, and YAML that
// only kubectl reads in its way.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "cli/commands/commands.hpp"
#include "tests/cli/validate_fixture.hpp"
#include "tests/cli/workspace.hpp"

namespace dynamo::cli {
namespace {

using test::graph_yaml;
using test::RunResult;
using testing::HasSubstr;
using testing::Not;

class InputForms : public test::ValidateFixture {};

TEST_F(InputForms, ExpressionOfAnyTemplateLanguageMarksATemplate) {
  for (const std::string_view image :
       {"${IMAGE}", "${R/a/b}", "${R^^}", "${R,,}", "${R%x}", "${R#x}", "${#R}", "${A:-${B}}",
        "$IMAGE", "$REGISTRY/a:1", "$(Build.Id)", "((image))", "'[[image]]'", "'@@IMAGE@@'",
        "__IMAGE__", "'#{IMAGE}#'", "<%= image %>", "'{{ .Values.image }}'", "#@ data.values.i"}) {
    std::string text = graph_yaml("a");
    constexpr std::string_view kPod = "{mainContainer: {image: example.com/runtime:1.0.0}}";
    text.replace(text.find(kPod), kPod.size(),
                 "\n        mainContainer:\n          image: " + std::string(image));
    workspace_.write("r/graph.yaml", text);
    const RunResult found = validate({"-R", "@/r"});
    EXPECT_EQ(found.code, kExitValid) << image << found.out;
    EXPECT_THAT(found.out, HasSubstr("; 1 template skipped; ")) << image;
    const RunResult named = validate({"@/r/graph.yaml"});
    EXPECT_EQ(named.code, kExitUnusable) << image;
    EXPECT_THAT(named.out, HasSubstr("this is a template, not yet a manifest")) << image;
  }
}

TEST_F(InputForms, FluxFunctionInANameMarksATemplate) {
  workspace_.write("r/graph.yaml", graph_yaml("chat-${cluster_name/_/-}"));
  const RunResult found = validate({"-R", "@/r"});
  EXPECT_EQ(found.code, kExitValid) << found.out;
  EXPECT_THAT(found.out, HasSubstr("; 1 template skipped; "));
  EXPECT_THAT(validate({"@/r/graph.yaml"}).out, HasSubstr("flux envsubst < FILE"));
}

TEST_F(InputForms, KubeletVariableIsNoTemplate) {
  std::string text = graph_yaml("a");
  text.replace(text.find("image: example"), 6, "args: ['$(POD_NAME)', '{{x}}', '$X'], image:");
  workspace_.write("r/a.yaml", text + "      replcas: 1\n");
  EXPECT_EQ(validate({"-R", "@/r"}).code, kExitInvalid);
}

constexpr std::string_view kSopsBlock =
    "sops: {mac: \"ENC[AES256_GCM,data:x,type:str]\", version: 3.9.0}\n";

TEST_F(InputForms, SopsFileIsSkipped) {
  workspace_.write("r/graph.yaml",
                   graph_yaml("a") +
                       "      envFromSecret: \"ENC[AES256_GCM,data:eA==,type:str]\"\n" +
                       std::string(kSopsBlock));
  const RunResult found = validate({"-R", "@/r"});
  EXPECT_EQ(found.code, kExitValid) << found.out;
  EXPECT_THAT(found.out, HasSubstr("; 1 document encrypted by SOPS skipped; "));
  const RunResult named = validate({"@/r/graph.yaml"});
  EXPECT_EQ(named.code, kExitUnusable);
  EXPECT_THAT(named.out, HasSubstr("encrypted by SOPS; decrypt it first: sops --decrypt FILE"));
}

TEST_F(InputForms, PlainSpecIsValidatedWithoutSopsBlock) {
  std::string text = graph_yaml("a");
  text.replace(text.find("  name: a\n"), 10,
               "  name: a\n  annotations: {key: \"ENC[AES256_GCM,data:eA==,type:str]\"}\n");
  workspace_.write("r/graph.yaml", text + std::string(kSopsBlock));
  const RunResult found = validate({"-R", "@/r"});
  EXPECT_EQ(found.code, kExitValid) << found.out;
  EXPECT_THAT(found.out, HasSubstr("1 object in 1 file: all valid"));
}

TEST_F(InputForms, SopsFileWithEncryptedKindIsSkipped) {
  constexpr std::string_view kEncrypted = "\"ENC[AES256_GCM,data:eA==,type:str]\"\n";
  std::string text;
  for (const std::string_view field : {"apiVersion: ", "kind: "}) {
    text += std::string(field) + std::string(kEncrypted);
  }
  workspace_.write("r/graph.yaml", text + std::string(kSopsBlock));
  const RunResult found = validate({"-R", "@/r"});
  EXPECT_EQ(found.code, kExitValid) << found.out;
  EXPECT_THAT(found.out, HasSubstr("1 document encrypted by SOPS skipped"));
  const RunResult named = validate({"@/r/graph.yaml"});
  EXPECT_EQ(named.code, kExitUnusable) << named.out;
  EXPECT_THAT(named.out, HasSubstr("encrypted by SOPS; decrypt it first: sops --decrypt FILE"));
}

TEST_F(InputForms, PlainObjectWithSopsBlockIsValidated) {
  workspace_.write("r/graph.yaml", graph_yaml("a") + std::string(kSopsBlock));
  EXPECT_EQ(validate({"-R", "@/r"}).code, kExitInvalid);
}

TEST_F(InputForms, MissingFileErrorListsSupportedInputs) {
  EXPECT_THAT(validate({"https://example.com/a.yaml"}).out, HasSubstr("curl -fsSL URL | kubectl"));
  EXPECT_THAT(validate({"oci://example.com/a"}).out, HasSubstr("fetch the manifest first"));
  EXPECT_THAT(validate({"@/no*.yaml"}).out, HasSubstr("patterns are the shell's to expand"));
  EXPECT_THAT(validate({"@/no.yaml,b.yaml"}).out, HasSubstr("several files need an -f each"));
}

TEST_F(InputForms, DocumentAfterEndWithoutSeparatorIsDropped) {
  workspace_.write("a.yaml", graph_yaml("a") + "...\n" + graph_yaml("b"));
  const RunResult dropped = validate({"@/a.yaml"});
  EXPECT_EQ(dropped.code, kExitValid);
  EXPECT_THAT(dropped.out, HasSubstr("kubectl drops this document, which follows \"...\" without a "
                                     "separator; write --- in front of it "
                                     "[schema.dropped-document]"));
  workspace_.write("a.yaml", graph_yaml("a") + "...\n---\n" + graph_yaml("b"));
  EXPECT_THAT(validate({"@/a.yaml"}).out, Not(HasSubstr("drops")));
}

TEST_F(InputForms, BraceAtTheBeginningIsJson) {
  const std::string text =
      R"({"apiVersion": "nvidia.com/v1alpha1", "kind": "DynamoModel", "metadata": {"name": "a",},
          "spec": {"modelName": "m", "baseModelName": "m", "modelType": "base"}})";
  workspace_.write("a.yaml", text);
  const RunResult ran = validate({"@/a.yaml"});
  EXPECT_EQ(ran.code, kExitUnusable);
  EXPECT_THAT(ran.out, HasSubstr("a text that begins with { is JSON for kubectl up to 1.32"));
  workspace_.write("a.yaml", "---\n" + text);
  EXPECT_EQ(validate({"@/a.yaml"}).code, kExitValid);
}

TEST_F(InputForms, LinesMayEndInLoneCarriageReturns) {
  std::string text = graph_yaml("a") + "      replcas: 1\n";
  const RunResult feeds = [&] {
    workspace_.write("a.yaml", text);
    return validate({"@/a.yaml"});
  }();
  std::ranges::replace(text, '\n', '\r');
  workspace_.write("a.yaml", text);
  EXPECT_EQ(validate({"@/a.yaml"}).out, feeds.out);
}

}  // namespace
}  // namespace dynamo::cli
