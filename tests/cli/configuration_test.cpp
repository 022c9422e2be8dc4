// .dynamo-admission.yaml and `kubectl dynamo config`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "cli/commands/commands.hpp"
#include "cli/options/configuration.hpp"
#include "tests/cli/command_line.hpp"
#include "tests/cli/workspace.hpp"

namespace dynamo::cli {
namespace {

using test::graph_yaml;
using test::RunResult;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Configuration : public testing::Test {
 protected:
  RunResult run(const std::vector<std::string>& arguments) {
    RunResult ran = workspace_.run(arguments);
    ran.out = workspace_.shown(ran.out);
    ran.err = workspace_.shown(ran.err);
    return ran;
  }
  void configure(std::string_view text, std::string_view folder = "") {
    workspace_.write(std::string(folder) + ".dynamo-admission.yaml", text);
  }

  test::Workspace workspace_;
};

TEST_F(Configuration, IsFoundAboveTheManifests) {
  configure("operator-generation: first\n");
  workspace_.write("deploy/a.yaml", graph_yaml("a") + "      runtimeVersionOverride: 1.5.0\n");
  EXPECT_EQ(run({"validate", "@/deploy/a.yaml"}).code, kExitInvalid);
  EXPECT_EQ(run({"validate", "@/deploy"}).code, kExitInvalid);
  EXPECT_EQ(run({"validate", "@/deploy/a.yaml", "--config", "none"}).code, kExitValid);
}

TEST_F(Configuration, CommandLineOverridesFile) {
  configure("operator-generation: later\nskip: [schema.unknown-field]\n");
  workspace_.write("a.yaml", graph_yaml("a") + "      runtimeVersionOverride: 1.5.0\n");
  EXPECT_EQ(run({"validate", "@/a.yaml"}).code, kExitValid);
  EXPECT_EQ(
      run({"validate", "@/a.yaml", "--operator-generation", "first", "--skip", "schema.minimum"})
          .code,
      kExitInvalid);
}

TEST_F(Configuration, SearchEndsAtTheRepositoryRoot) {
  configure("operator-generation: first\n");
  std::filesystem::create_directories(workspace_.path("repository/.git"));
  workspace_.write("repository/a.yaml", graph_yaml("a") + "      runtimeVersionOverride: 1.5.0\n");
  EXPECT_EQ(run({"validate", "@/repository/a.yaml"}).code, kExitValid);
}

TEST_F(Configuration, OnlyValidateAcceptsSeveralConfigurations) {
  configure("pathway: lws\n", "a/");
  configure("pathway: grove\n", "b/");
  workspace_.write("a/a.yaml", graph_yaml("a"));
  workspace_.write("b/b.yaml", graph_yaml("b"));
  const RunResult ran = run({"default", "@/a", "@/b"});
  EXPECT_EQ(ran.code, kExitUnusable);
  EXPECT_EQ(
      ran.err,
      "kubectl-dynamo: the inputs belong to several configurations "
      "(a/.dynamo-admission.yaml and b/.dynamo-admission.yaml); give them to this command one "
      "after the other, leave folders out with --exclude, or say --config FILE\n");
  EXPECT_EQ(run({"default", "@/a", "@/b", "--config", "@/a/.dynamo-admission.yaml"}).code,
            kExitValid);
}

TEST_F(Configuration, IsFoundBelowTheNamedFolder) {
  workspace_.write("a.yaml", graph_yaml("a"));
  workspace_.write("sub/deep/b.yaml", graph_yaml("b") + "      runtimeVersionOverride: 1.5.0\n");
  configure("operator-generation: first\n", "sub/");
  EXPECT_EQ(run({"validate", "-R", "@/sub"}).code, kExitInvalid);
  EXPECT_EQ(run({"validate", "-R", "@/."}).code, kExitInvalid);
  const RunResult mixed = run({"default", "-R", "@/."});
  EXPECT_EQ(mixed.code, kExitUnusable);
  EXPECT_THAT(mixed.err, HasSubstr("(none and sub/.dynamo-admission.yaml)"));
  EXPECT_EQ(run({"validate", "@/."}).code, kExitValid) << "nothing of sub is read";
  EXPECT_EQ(run({"validate", "-R", "@/.", "--exclude", "*/sub"}).code, kExitValid);
  EXPECT_EQ(run({"validate", "-R", "@/.", "--config", "none"}).code, kExitValid);
  configure("exclude: ['*/sub']\n");
  EXPECT_EQ(run({"validate", "-R", "@/."}).code, kExitValid);
  configure("pathway: grove\n");
  for (const char* command : {"default", "render", "diff", "bench"}) {
    const RunResult ran = run({command, "-R", "@/."});
    EXPECT_EQ(ran.code, kExitUnusable) << command;
    EXPECT_THAT(ran.err, HasSubstr("(.dynamo-admission.yaml and sub/.dynamo-admission.yaml)"));
  }
  // A folder with a configuration, but without inputs.
  configure("pathway: grove\n", "empty/");
  std::filesystem::remove_all(workspace_.path("sub"));
  EXPECT_EQ(run({"validate", "-R", "@/."}).code, kExitValid);
}

TEST_F(Configuration, FileNamesAreRelativeToTheConfiguration) {
  configure("policy: policies/p.yaml\n");
  workspace_.write("policies/p.yaml",
                   "{version: 1, severities: [{rules: schema.none, severity: x}]}");
  workspace_.write("deploy/a.yaml", graph_yaml("a"));
  const RunResult ran = run({"validate", "@/deploy/a.yaml"});
  EXPECT_EQ(ran.code, kExitUnusable);
  EXPECT_THAT(ran.err, HasSubstr("--policy policies/p.yaml: line 1"));
}

TEST_F(Configuration, AppliesToEveryValidatingCommand) {
  configure("operator-generation: first\n");
  workspace_.write("a.yaml", graph_yaml("a") + "      runtimeVersionOverride: 1.5.0\n");
  for (const char* command : {"validate", "default", "render", "diff"}) {
    EXPECT_EQ(run({command, "@/a.yaml"}).code, kExitInvalid) << command;
    EXPECT_EQ(run({command, "@/a.yaml", "--config", "none"}).code, kExitValid) << command;
  }
}

TEST_F(Configuration, ExcludeGlobsAreRelativeToTheConfiguration) {
  configure("exclude: [deploy/drafts/*, other]\n");
  std::filesystem::create_directories(workspace_.path(".git"));
  workspace_.write("deploy/a.yaml", graph_yaml("a"));
  workspace_.write("deploy/drafts/b.yaml", graph_yaml("b", -1));
  workspace_.write("other/deep/c.yaml", graph_yaml("c", -1));
  const std::vector<std::vector<std::string>> ways{
      {"-R", "@/"},
      {"-R", "@/."},
      {"-R", "@/deploy"},
      {"-R", "@/deploy/"},
      {"-R", "@/deploy/../deploy"},
      {"-R", "@/deploy/drafts"},
      {"-R", "@/other/deep"},
      {"--as-found", "@/deploy/a.yaml", "@/deploy/drafts/b.yaml", "@/other/deep/c.yaml"}};
  for (const std::vector<std::string>& way : ways) {
    std::vector<std::string> words{"validate"};
    words.insert(words.end(), way.begin(), way.end());
    const RunResult ran = run(words);
    EXPECT_EQ(ran.code, kExitValid) << testing::PrintToString(way) << ran.out << ran.err;
    words.insert(words.end(), {"--config", "none"});
    EXPECT_EQ(run(words).code, kExitInvalid) << testing::PrintToString(way);
  }
  EXPECT_EQ(run({"validate", "@/deploy/drafts/b.yaml"}).code, kExitInvalid)
      << "a named file is meant";
  const RunResult empty = run({"validate", "@/deploy/drafts"});
  EXPECT_EQ(empty.code, kExitUnusable);
  EXPECT_THAT(empty.err + empty.out, HasSubstr("; exclude of the configuration left out what"));
  EXPECT_EQ(run({"validate", "-R", "@/.", "--exclude", "*/drafts/*"}).code, kExitInvalid)
      << "the command line wins";
}

TEST_F(Configuration, ErrorsHaveLineAndColumn) {
  configure("pathwy: lws\npathway: x\nkubernetes-version: 1.35\njobs: 2\nskip: {}\n");
  workspace_.write("a.yaml", graph_yaml("a"));
  const RunResult ran = run({"validate", "@/a.yaml"});
  EXPECT_EQ(ran.code, kExitUnusable);
  EXPECT_THAT(
      ran.err,
      AllOf(HasSubstr(".dynamo-admission.yaml:1:1: error: there is no option \"pathwy\" that a "
                      "configuration may set; did you mean pathway?\n"),
            HasSubstr(
                ".dynamo-admission.yaml:2:10: error: pathway must be one of unknown, grove, lws, "
                "component; found \"x\"\n"),
            HasSubstr(
                ".dynamo-admission.yaml:3:21: error: kubernetes-version must be a string; write it "
                "in quotes\n"),
            HasSubstr(".dynamo-admission.yaml:4:1: error: there is no option \"jobs\""),
            HasSubstr(".dynamo-admission.yaml:5:7: error: skip must be a string")));
  configure("- pathway\n");
  EXPECT_THAT(run({"validate", "@/a.yaml"}).err,
              HasSubstr(":1:1: error: must be a list of options"));
  configure("pathway: [\n");
  EXPECT_THAT(run({"validate", "@/a.yaml"}).err,
              HasSubstr("error: this list is not closed: `[` of line 1"));
  configure("");
  EXPECT_EQ(run({"validate", "@/a.yaml"}).code, kExitValid);
}

TEST_F(Configuration, RefusesSeveralDocuments) {
  workspace_.write("a.yaml", graph_yaml("a"));
  configure("namespace: x\n---\nnamespace: y\n");
  const RunResult ran = run({"validate", "@/a.yaml"});
  EXPECT_EQ(ran.code, kExitUnusable);
  EXPECT_THAT(ran.err,
              HasSubstr(".dynamo-admission.yaml:2:1: error: a configuration must be one document"));
  configure("namespace: x\n---\nnamespace: [\n");
  EXPECT_EQ(run({"validate", "@/a.yaml"}).code, kExitUnusable);
  configure("---\nnamespace: x\n---\n# nothing\n");
  EXPECT_EQ(run({"validate", "@/a.yaml"}).code, kExitValid);
}

// A CI system may treat a separate line as a command.
TEST_F(Configuration, FileNamesArePrintedOnOneLine) {
  const std::string folder = "c\n::error::c\x1B[31m/";
  workspace_.write(folder + "a.yaml", "a: 1\n");
  for (const std::string_view text : {"foo: 1\n", "require-objects: true\n", "policy: none\n"}) {
    configure(text, folder);
    const RunResult ran = run({"validate", "@/" + folder + "a.yaml"});
    EXPECT_NE(ran.code, kExitValid) << text;
    EXPECT_THAT(ran.err, Not(HasSubstr("\n::"))) << text;
    EXPECT_THAT(ran.err, Not(HasSubstr("\x1B"))) << text;
  }
}

TEST_F(Configuration, ColumnsCountCharacters) {
  configure("user: \"ü\tü\"\nskip: [\"ü\",\tpod.x, {a: 1}]\n\"äpathwy\":\tlws\n");
  workspace_.write("a.yaml", graph_yaml("a"));
  EXPECT_THAT(
      run({"validate", "@/a.yaml"}).err,
      AllOf(HasSubstr(":3:1: error: there is no option"), HasSubstr(":2:8: error: skip must match"),
            HasSubstr(":2:13: error: skip must match"),
            HasSubstr(":2:20: error: skip must be a string")));
}

TEST_F(Configuration, ErrorsNamePlacesWithoutShowingLines) {
  configure("pathway:\t\"grov\"\nskip:\n- pod.image\n- pod.imag\n");
  workspace_.write("a.yaml", graph_yaml("a"));
  const RunResult ran = run({"validate", "@/a.yaml"});
  EXPECT_EQ(ran.code, kExitUnusable);
  EXPECT_EQ(
      ran.err,
      "kubectl-dynamo: .dynamo-admission.yaml:1:10: error: pathway must be one of unknown, "
      "grove, lws, component; found \"grov\"; did you mean grove?\n"
      "kubectl-dynamo: .dynamo-admission.yaml:4:3: error: skip must match the id of a rule; "
      "none matches \"pod.imag\"; did you mean pod.image?; `kubectl dynamo rules` lists all\n")
      << "a configuration is no input, whose lines may be printed";
}

TEST_F(Configuration, ConfigShowsEffectiveValuesWithSources) {
  configure("# ours\npathway: grove\nskip: [dgd.*, pod.image]\nno-ignores: true\n");
  workspace_.write("a.yaml", graph_yaml("a"));
  const RunResult ran = run({"config", "@/a.yaml", "--show-all"});
  EXPECT_EQ(ran.code, kExitValid);
  EXPECT_THAT(ran.out, testing::StartsWith(".dynamo-admission.yaml\n"));
  EXPECT_THAT(ran.out, testing::ContainsRegex("pathway +grove +.dynamo-admission.yaml:2\n"));
  EXPECT_THAT(ran.out,
              testing::ContainsRegex("skip +dgd.., pod.image +.dynamo-admission.yaml:3\n"));
  EXPECT_THAT(ran.out, testing::ContainsRegex("no-ignores +true +.dynamo-admission.yaml:4\n"));
  EXPECT_THAT(ran.out, testing::ContainsRegex("namespace +default +default\n"));
  EXPECT_THAT(ran.out, testing::ContainsRegex("user +- +default\n"));
  EXPECT_THAT(run({"config", "@/a.yaml", "--config", "none"}).out,
              testing::StartsWith("no .dynamo-admission.yaml was found\n"));
  EXPECT_THAT(run({"config", "@/a.yaml", "-o", "json"}).out,
              HasSubstr("{\"name\":\"pathway\",\"value\":\"grove\",\"source\":"));
}

TEST_F(Configuration, ConfigShowsOnlyExplicitSettings) {
  configure("pathway: grove\n");
  workspace_.write("a.yaml", graph_yaml("a"));
  EXPECT_THAT(
      run({"config", "@/a.yaml"}).out,
      testing::MatchesRegex(".dynamo-admission.yaml\n"
                            "  pathway +grove +.dynamo-admission.yaml:1\n"
                            "  not set: [0-9]+ settings; --show-all shows their defaults\n"));
  EXPECT_THAT(
      run({"config", "@/a.yaml", "--config", "none"}).out,
      testing::MatchesRegex("no .dynamo-admission.yaml was found\n"
                            "  not set: [0-9]+ settings; --show-all shows their defaults\n"));
  EXPECT_THAT(run({"config", "@/a.yaml", "-o", "json"}).out, HasSubstr("\"source\":\"default\""));
}

// The values belong to the repository and appear in the log of the CI job that validates it.
TEST_F(Configuration, ConfigEscapesControlCharactersOfValues) {
  configure(R"(user: "a\e[31m\n::error::x"
exclude: ["\e]0;owned\a"]
)");
  workspace_.write("a.yaml", graph_yaml("a"));
  const std::string text = run({"config", "@/a.yaml"}).out;
  EXPECT_THAT(text, HasSubstr("user "));
  EXPECT_EQ(text.find('\033'), std::string::npos);
  EXPECT_EQ(text.find('\a'), std::string::npos);
  EXPECT_EQ(text.find("\n::error"), std::string::npos);
}

// `diff` reads it: a context must not override it.
TEST_F(Configuration, RecordsThatItSetsTheNamespace) {
  const Options options = test::parsed({"diff", "-f", workspace_.path("a.yaml")});
  EXPECT_FALSE(options.namespace_is_configured);
  configure("namespace: team-a\n");
  workspace_.write("a.yaml", graph_yaml("a"));
  auto found = with_configurations(options);
  ASSERT_TRUE(std::holds_alternative<InputGroups>(found));
  const auto& groups = std::get<InputGroups>(found).groups;
  ASSERT_EQ(groups.size(), 1U);
  EXPECT_TRUE(groups.front().resolved.options.namespace_is_configured);
}

TEST_F(Configuration, SetsFlagsOfTheOperator) {
  configure(
      "operatorFlags:\n  natsAddr: nats://file:4222\n  debugger-image: own\n"
      "  checkpoint-enabled: true\n");
  workspace_.write("a.yaml", graph_yaml("a"));
  const std::string plain = run({"render", "@/a.yaml"}).out;
  EXPECT_THAT(plain, HasSubstr("nats://file:4222"));
  const RunResult both = run({"render", "@/a.yaml", "--natsAddr", "nats://typed:4222"});
  EXPECT_EQ(both.code, kExitValid) << both.err;
  EXPECT_THAT(both.out, AllOf(HasSubstr("nats://typed:4222"), Not(HasSubstr("nats://file"))));
  EXPECT_EQ(run({"diff", "@/a.yaml"}).code, run({"diff", "@/a.yaml", "--config", "none"}).code);
  EXPECT_EQ(run({"validate", "@/a.yaml"}).code, kExitValid);
  EXPECT_THAT(run({"render", "@/a.yaml", "--config", "none"}).out, Not(HasSubstr("nats://")));
}

TEST_F(Configuration, ConfigShowsOperatorFlagsWithSources) {
  configure(
      "pathway: grove\noperatorFlags:\n  natsAddr: nats://n:4222\n  checkpoint-enabled: true\n");
  workspace_.write("a.yaml", graph_yaml("a"));
  const std::string shown = run({"config", "@/a.yaml", "--show-all"}).out;
  for (const char* line : {"operatorFlags.natsAddr +nats://n:4222 +.dynamo-admission.yaml:3\n",
                           "operatorFlags.checkpoint-enabled +true +.dynamo-admission.yaml:4\n",
                           "operatorFlags.etcdAddr +- +default\n",
                           "operatorFlags.debugger-image +python:3.12-slim +default\n"}) {
    EXPECT_THAT(shown, testing::ContainsRegex(line));
  }
}

TEST_F(Configuration, OperatorFlagsAreValidated) {
  struct Row {
    const char* given;
    const char* error;
  };
  for (const Row& row : {
           Row{"operatorFlags:\n  natsAdr: x\n",
               ":2:3: error: there is no flag \"natsAdr\" of the operator that changes how it "
               "renders a graph; did you mean natsAddr?"},
           Row{"operatorFlags:\n  workers: '8'\n",
               ":2:3: error: there is no flag \"workers\" of the operator that changes how it "
               "renders a graph; there are natsAddr, etcdAddr, "},
           Row{"operatorFlags:\n  checkpoint-storage-type: disk\n",
               ":2:28: error: operatorFlags.checkpoint-storage-type must be one of pvc, s3, oci; "
               "found \"disk\""},
           Row{"operatorFlags:\n  checkpoint-enabled: perhaps\n",
               ":2:23: error: operatorFlags.checkpoint-enabled must be "},
           Row{"operatorFlags:\n  mpi-run-ssh-secret-name: No_Name\n",
               ":2:28: error: operatorFlags.mpi-run-ssh-secret-name must be "},
           Row{"operatorFlags:\n  etcdAddr: [a]\n",
               ":2:13: error: operatorFlags.etcdAddr must be a string; write it in quotes"},
           Row{"operatorFlags: --natsAddr=x\n",
               ":1:16: error: operatorFlags must be a list of the operator's flags"},
           Row{"operatorFlag: {natsAddr: x}\n", "; did you mean operatorFlags?"},
           Row{"natsAddr: x\n", ":1:1: error: there is no option \"natsAddr\""},
       }) {
    configure(row.given);
    workspace_.write("a.yaml", graph_yaml("a"));
    for (const char* command : {"validate", "render", "config"}) {
      const RunResult ran = run({command, "@/a.yaml"});
      EXPECT_EQ(ran.code, kExitUnusable) << row.given;
      EXPECT_THAT(ran.err, HasSubstr(row.error)) << row.given;
    }
  }
}

TEST_F(Configuration, SetsOnlyOptionsThatAffectVerdicts) {
  const auto names = configurable_options();
  EXPECT_EQ(names.size(), 25U);
  for (const std::string_view name : {"old", "against", "output", "jobs", "now", "filename"}) {
    EXPECT_THAT(names, Not(testing::Contains(name)));
  }
}

}  // namespace
}  // namespace dynamo::cli
