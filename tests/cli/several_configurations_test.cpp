// Inputs of several .dynamo-admission.yaml in one run: each is validated as if its part ran alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "cli/commands/commands.hpp"
#include "tests/cli/validate_fixture.hpp"

namespace dynamo::cli {
namespace {

using test::graph_yaml;
using test::RunResult;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// An error for operators of the first generation.
std::string of_later(std::string_view name) {
  return graph_yaml(name) + "      runtimeVersionOverride: 1.5.0\n";
}

std::string with_warning(std::string_view name) {
  return graph_yaml(name) + "      autoscaling: {enabled: true}\n";
}

class SeveralConfigurations : public test::ValidateFixture {
 protected:
  void configure(std::string_view text, std::string_view folder = "") {
    workspace_.write(std::string(folder) + ".dynamo-admission.yaml", text);
  }
  RunResult run(const std::vector<std::string>& arguments) {
    RunResult ran = workspace_.run(arguments);
    ran.out = workspace_.shown(ran.out);
    ran.err = workspace_.shown(ran.err);
    return ran;
  }
};

TEST_F(SeveralConfigurations, InputsUseTheNearestConfiguration) {
  configure("operator-generation: first\n");
  configure("operator-generation: later\n", "teams/a/");
  workspace_.write("teams/a/deep/x.yaml", of_later("x"));
  workspace_.write("teams/b/w.yaml", of_later("w"));
  workspace_.write("z.yaml", graph_yaml("z"));
  EXPECT_EQ(validate({"-R", "@/teams/a"}).code, kExitValid);
  EXPECT_EQ(validate({"-R", "@/teams/b"}).code, kExitInvalid);
  for (const std::vector<std::string>& way :
       {std::vector<std::string>{"-R", "@/."},
        {"@/teams/a/deep/x.yaml", "@/teams/b/w.yaml", "@/z.yaml"},
        {"-R", "--as-found", "@/teams/a/deep/x.yaml", "@/teams/b", "@/z.yaml"}}) {
    const RunResult ran = validate(way);
    EXPECT_EQ(ran.code, kExitInvalid);
    EXPECT_THAT(ran.out, AllOf(HasSubstr("w.yaml: DynamoGraphDeployment w: 1 error"),
                               Not(HasSubstr("DynamoGraphDeployment x: ")),
                               HasSubstr("3 objects in 3 files: 1 invalid (1 error)")));
  }
  configure("operator-generation: later\n", "teams/b/");
  EXPECT_EQ(validate({"-R", "@/."}).code, kExitValid);
  EXPECT_EQ(validate({"-R", "@/.", "--operator-generation", "first"}).code, kExitInvalid)
      << "the command line wins";
  EXPECT_EQ(validate({"-R", "@/.", "--config", "none"}).code, kExitValid);
  EXPECT_EQ(validate({"-R", "@/.", "--config", "@/teams/a/.dynamo-admission.yaml"}).code,
            kExitValid);
}

TEST_F(SeveralConfigurations, OneReportCoversAllConfigurations) {
  configure("skip: [schema.*]\n", "a/");
  workspace_.write("a/a.yaml", graph_yaml("a", -1));
  workspace_.write("b.yaml", graph_yaml("b", -1));
  workspace_.write("c/c.yaml", graph_yaml("c", -1));
  const RunResult ran = validate({"-R", "@/.", "-o", "json"});
  EXPECT_EQ(ran.code, kExitInvalid);
  EXPECT_THAT(ran.out, AllOf(HasSubstr("\"objects\":3"), HasSubstr("\"invalid\":2"),
                             HasSubstr("\"skippedFindings\":1")));
}

TEST_F(SeveralConfigurations, OuterExclusionsApply) {
  configure("exclude: [a/drafts, c]\n");
  configure("exclude: [old/*]\n", "a/");
  configure("pathway: lws\n", "c/");
  workspace_.write("z.yaml", graph_yaml("z"));
  workspace_.write("a/a.yaml", graph_yaml("a"));
  for (const char* bad : {"a/drafts/d.yaml", "a/old/o.yaml", "c/c.yaml"}) {
    workspace_.write(bad, graph_yaml("bad", -1));
  }
  const RunResult ran = validate({"-R", "@/."});
  EXPECT_EQ(ran.code, kExitValid) << ran.out;
  EXPECT_THAT(ran.out, HasSubstr("2 objects in 2 files"));
  EXPECT_EQ(validate({"-R", "@/c"}).code, kExitInvalid) << "nothing around it was searched";
}

TEST_F(SeveralConfigurations, WarningsAsErrorsIsPerConfiguration) {
  configure("warnings-as-errors: true\n", "strict/");
  workspace_.write("strict/a.yaml", graph_yaml("a"));
  workspace_.write("b.yaml", with_warning("b"));
  EXPECT_EQ(validate({"-R", "@/."}).code, kExitValid);
  workspace_.write("strict/a.yaml", with_warning("a"));
  const RunResult ran = validate({"-R", "@/."});
  EXPECT_EQ(ran.code, kExitInvalid);
  EXPECT_THAT(ran.out, HasSubstr("2 objects in 2 files: all valid, 2 warnings, of which 1 counts "
                                 "as an error; "));
  const RunResult github = validate({"-R", "@/.", "-o", "github"});
  EXPECT_THAT(github.out, AllOf(HasSubstr("::error file=./strict/a.yaml,"),
                                HasSubstr("::warning file=./b.yaml,")));
  const RunResult tap = validate({"-R", "@/.", "-o", "tap"});
  EXPECT_THAT(tap.out,
              AllOf(HasSubstr("not ok 2 - ./strict/a.yaml"), HasSubstr("\nok 1 - ./b.yaml")));
  const RunResult quiet = validate({"-R", "@/.", "-q"});
  EXPECT_THAT(quiet.err, HasSubstr("1 warning counts as an error (--warnings-as-errors)\n"));
  EXPECT_THAT(validate({"-R", "@/.", "--warnings-as-errors"}).out,
              HasSubstr("2 warnings, which count as errors"));
}

TEST_F(SeveralConfigurations, RequireObjectsIsPerConfiguration) {
  configure("require-objects: true\n", "a/");
  workspace_.write("a/a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n");
  workspace_.write("b.yaml", graph_yaml("b"));
  const RunResult ran = validate({"-R", "@/."});
  EXPECT_EQ(ran.code, kExitInvalid);
  EXPECT_EQ(ran.err,
            "kubectl-dynamo: there must be an object of nvidia.com/v1alpha1 to validate "
            "(require-objects of a/.dynamo-admission.yaml); found none\n");
  configure("pathway: lws\n", "a/");
  EXPECT_EQ(validate({"-R", "@/.", "--require-objects"}).code, kExitValid)
      << "the command line speaks of all inputs";
}

TEST_F(SeveralConfigurations, BaselinesArePerConfiguration) {
  configure("baseline: base.json\n", "a/");
  workspace_.write("a/a.yaml", graph_yaml("a", -1));
  workspace_.write("b.yaml", graph_yaml("b"));
  EXPECT_EQ(validate({"-R", "@/a", "--write-baseline", "@/a/base.json"}).code, kExitValid);
  const RunResult known = validate({"-R", "@/."});
  EXPECT_EQ(known.code, kExitValid);
  EXPECT_THAT(known.out, HasSubstr("; 1 finding of the baseline; "));
  EXPECT_THAT(known.err, HasSubstr("warning: a/.dynamo-admission.yaml:1: baseline: a/base.json"));
  // A shared baseline: entries found by one part count as found.
  workspace_.write("b.yaml", graph_yaml("b", -1));
  configure("pathway: lws\n", "a/");
  EXPECT_EQ(validate({"-R", "@/.", "--write-baseline", "@/all.json"}).code, kExitValid);
  const RunResult all = validate({"-R", "@/.", "--baseline", "@/all.json"});
  EXPECT_EQ(all.code, kExitValid);
  EXPECT_THAT(all.err, Not(HasSubstr("not found again")));
  workspace_.write("b.yaml", graph_yaml("b"));
  EXPECT_THAT(validate({"-R", "@/.", "--baseline", "@/all.json"}).err,
              HasSubstr("1 finding of the baseline was not found again"));
}

TEST_F(SeveralConfigurations, DuplicatesAreFoundAcrossConfigurations) {
  configure("namespace: team\n", "a/");
  workspace_.write("a/a.yaml", graph_yaml("x"));
  workspace_.write("b.yaml", graph_yaml("x"));
  EXPECT_THAT(validate({"-R", "@/."}).err, Not(HasSubstr("more than once")))
      << "their namespaces differ";
  configure("namespace: default\n", "a/");
  EXPECT_THAT(validate({"-R", "@/."}).err, HasSubstr("1 object appears more than once"));
}

TEST_F(SeveralConfigurations, FilesAreFixedWithTheirConfiguration) {
  configure("skip: [schema.*]\n", "a/");
  const std::string wrong = graph_yaml("x") + "      envs: [{name: A, value: 8000}]\n";
  workspace_.write("a/a.yaml", wrong);
  workspace_.write("b.yaml", wrong);
  const RunResult ran = validate({"-R", "@/.", "--fix"});
  EXPECT_EQ(ran.code, kExitValid) << ran.out;
  EXPECT_EQ(workspace_.read("a/a.yaml"), wrong);
  EXPECT_THAT(workspace_.read("b.yaml"), HasSubstr("value: \"8000\""));
}

TEST_F(SeveralConfigurations, ErrorInOneEndsTheRun) {
  configure("pathway: lws\n", "a/");
  configure("pathwy: lws\n", "b/");
  workspace_.write("a/a.yaml", graph_yaml("a"));
  workspace_.write("b/b.yaml", graph_yaml("b"));
  const RunResult ran = validate({"-R", "@/."});
  EXPECT_EQ(ran.code, kExitUnusable);
  EXPECT_THAT(ran.err, HasSubstr("b/.dynamo-admission.yaml:1:1: error: there is no option"));
}

TEST_F(SeveralConfigurations, OldRequiresASingleConfiguration) {
  configure("pathway: lws\n", "new/a/");
  workspace_.write("new/a/a.yaml", graph_yaml("a"));
  workspace_.write("new/b.yaml", graph_yaml("b"));
  workspace_.write("old/b.yaml", graph_yaml("b"));
  const RunResult ran = validate({"-R", "@/new", "--old", "@/old"});
  EXPECT_EQ(ran.code, kExitUnusable);
  EXPECT_EQ(ran.err,
            "kubectl-dynamo: the inputs belong to several configurations "
            "(none and new/a/.dynamo-admission.yaml); --old compares those of one: give them one "
            "after the other, or say --config FILE\n");
}

TEST_F(SeveralConfigurations, ConfigShowsEachConfiguration) {
  configure("pathway: grove\n");
  configure("pathway: lws\n", "a/");
  workspace_.write("a/a.yaml", graph_yaml("a"));
  workspace_.write("b.yaml", graph_yaml("b"));
  for (const std::vector<std::string>& way :
       {std::vector<std::string>{"config", "-R", "@/."}, {"config", "@/b.yaml", "@/a"}}) {
    const RunResult ran = run(way);
    EXPECT_EQ(ran.code, kExitValid);
    EXPECT_THAT(ran.out, testing::StartsWith(".dynamo-admission.yaml\n"));
    EXPECT_THAT(ran.out, HasSubstr("\n\na/.dynamo-admission.yaml\n"));
    EXPECT_THAT(ran.out, testing::ContainsRegex("pathway +grove +.dynamo-admission.yaml:1\n"));
    EXPECT_THAT(ran.out, testing::ContainsRegex("pathway +lws +a/.dynamo-admission.yaml:1\n"));
  }
  const RunResult json = run({"config", "-R", "@/.", "-o", "json"});
  EXPECT_THAT(json.out, AllOf(testing::StartsWith("{\"configurations\":["),
                              HasSubstr("{\"name\":\"pathway\",\"value\":\"grove\","),
                              HasSubstr("{\"name\":\"pathway\",\"value\":\"lws\",")));
  EXPECT_THAT(run({"config", "@/."}).out, Not(HasSubstr("a/.dynamo"))) << "nothing of a is read";
}

}  // namespace
}  // namespace dynamo::cli
