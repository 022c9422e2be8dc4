#include "cli/options/options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/options/options_table.hpp"
#include "tests/cli/command_line.hpp"
#include "text/timestamp.hpp"

namespace dynamo::test {
namespace {

using cli::Colour;
using cli::Command;
using cli::Format;
using cli::ListFormat;
using cli::ObjectFormat;
using cli::Options;
using cli::ReportOutput;
using ::testing::ElementsAre;
using ::testing::StartsWith;

using Words = std::vector<std::string>;

constexpr cli::Pathway kLws{api::Fact::kNo, api::Fact::kYes};

// --- Accepted command lines

TEST(Options, DefaultsAreThoseOfTheTable) {
  for (const cli::CommandRow& command : cli::command_rows()) {
    const Options typed = cli::option_table(command.command).defaults();
    const Options defaults;
    EXPECT_EQ(typed.namespace_name, defaults.namespace_name) << command.name;
    EXPECT_EQ(typed.operator_version, defaults.operator_version) << command.name;
    EXPECT_EQ(typed.inference_pool, defaults.inference_pool) << command.name;
    EXPECT_EQ(typed.pathway, defaults.pathway) << command.name;
    EXPECT_EQ(typed.operator_generation, defaults.operator_generation) << command.name;
    EXPECT_EQ(typed.discovery_backend, defaults.discovery_backend) << command.name;
    EXPECT_EQ(typed.object_format, defaults.object_format) << command.name;
    EXPECT_EQ(typed.list_format, defaults.list_format) << command.name;
    EXPECT_EQ(typed.least_severity, defaults.least_severity) << command.name;
    EXPECT_EQ(typed.lease_max_duration, defaults.lease_max_duration) << command.name;
    EXPECT_EQ(typed.outputs, defaults.outputs) << command.name;
    EXPECT_EQ(typed.colour, defaults.colour) << command.name;
    EXPECT_EQ(typed.rounds, defaults.rounds) << command.name;
  }
}

TEST(Options, NoArgumentsShowHelp) {
  EXPECT_EQ(parsed({}).command, Command::kHelp);
  EXPECT_EQ(parsed({}).argument, "");
}

TEST(Options, ValidateWritesTextToStandardOutputByDefault) {
  EXPECT_THAT(parsed({"validate", "-f", "a.yaml"}).outputs,
              ElementsAre(ReportOutput{Format::kText, ""}));
}

struct Accepted {
  std::string_view name;
  Words arguments;
  std::function<bool(const Options&)> holds;
};

std::string accepted_name(const ::testing::TestParamInfo<Accepted>& row) {
  return std::string(row.param.name);
}

class AcceptedLines : public ::testing::TestWithParam<Accepted> {};

TEST_P(AcceptedLines, SetTheExpectedOptions) {
  EXPECT_TRUE(GetParam().holds(parsed(GetParam().arguments)));
}

INSTANTIATE_TEST_SUITE_P(
    Options, AcceptedLines,
    ::testing::Values(
        Accepted{"files_by_option",
                 {"validate", "-f", "a", "--filename", "b", "--filename=c"},
                 [](const Options& o) {
                   return o.filenames == Words{"a", "b", "c"};
                 }},
        Accepted{"files_as_arguments",
                 {"validate", "a", "-f", "b", "-"},
                 [](const Options& o) {
                   return o.filenames == Words{"b", "a", "-"};
                 }},
        Accepted{"standard_input_by_option",
                 {"validate", "-f", "-"},
                 [](const Options& o) { return o.filenames == Words{"-"}; }},
        Accepted{
            "letters_in_a_row",
            {"validate", "-qRf", "a"},
            [](const Options& o) { return o.quiet && o.recursive && o.filenames == Words{"a"}; }},
        Accepted{"a_value_at_its_letter",
                 {"validate", "a", "-ojson"},
                 [](const Options& o) {
                   return o.outputs == std::vector<ReportOutput>{{Format::kJson, ""}};
                 }},
        Accepted{"a_value_at_its_letter_with_an_equals_sign",
                 {"validate", "a", "-o=json=f"},
                 [](const Options& o) {
                   return o.outputs.back() == ReportOutput{Format::kJson, "f"};
                 }},
        Accepted{"a_file_behind_two_hyphens",
                 {"validate", "--", "-f"},
                 [](const Options& o) { return o.filenames == Words{"-f"}; }},
        Accepted{"values_that_look_like_options_when_attached",
                 {"validate", "--filename=-x"},
                 [](const Options& o) { return o.filenames == Words{"-x"}; }},
        Accepted{"the_last_of_equal_options",
                 {"validate", "a", "-n", "one", "-n", "two"},
                 [](const Options& o) { return o.namespace_name == "two"; }},
        Accepted{"a_switch_that_is_turned_off",
                 {"validate", "a", "-R", "--recursive=false"},
                 [](const Options& o) { return !o.recursive; }},
        Accepted{"old_objects",
                 {"validate", "a", "--old", "before/"},
                 [](const Options& o) { return o.old_path == "before/"; }},
        Accepted{"a_commit",
                 {"validate", "a", "--against", "HEAD~1"},
                 [](const Options& o) { return o.against == "HEAD~1"; }},
        Accepted{"a_user",
                 {"validate", "a", "--user", "system:serviceaccount:ns:name"},
                 [](const Options& o) { return o.user == "system:serviceaccount:ns:name"; }},
        Accepted{"no_user", {"validate", "a"}, [](const Options& o) { return !o.user; }},
        Accepted{"a_scope",
                 {"validate", "a", "--namespace-scope=team-a"},
                 [](const Options& o) { return o.namespace_scope == "team-a"; }},
        Accepted{"a_policy",
                 {"validate", "a", "--policy", "p.yaml"},
                 [](const Options& o) { return o.policy_file == "p.yaml"; }},
        Accepted{"a_time",
                 {"validate", "a", "--now", "2026-02-03T04:05:06+01:00"},
                 [](const Options& o) {
                   return o.now == text::parse_timestamp("2026-02-03T03:05:06Z");
                 }},
        Accepted{"a_day",
                 {"validate", "a", "--now", "2026-02-03"},
                 [](const Options& o) {
                   return o.now == text::parse_timestamp("2026-02-03T00:00:00Z");
                 }},
        Accepted{"no_operator_version",
                 {"validate", "a"},
                 [](const Options& o) { return o.operator_version.empty(); }},
        Accepted{"named_files_as_found",
                 {"validate", "a", "--as-found"},
                 [](const Options& o) { return o.as_found && !o.strict_versions; }},
        Accepted{"other_versions_as_faults",
                 {"validate", "a", "--strict-versions", "--require-objects"},
                 [](const Options& o) { return o.strict_versions && o.require_objects; }},
        Accepted{"globs_to_leave_out",
                 {"validate", "a", "--exclude", "*/x/*", "--exclude=b"},
                 [](const Options& o) {
                   return o.excluded == Words{"*/x/*", "b"};
                 }},
        Accepted{"an_operator_version",
                 {"validate", "a", "--operator-version", "v1.2.0"},
                 [](const Options& o) { return o.operator_version == "v1.2.0"; }},
        Accepted{"an_operator_account",
                 {"validate", "a", "--operator-service-account", "ns/name"},
                 [](const Options& o) {
                   return o.operator_service_account->namespace_name == "ns" &&
                          o.operator_service_account->name == "name";
                 }},
        Accepted{"lookups_for_the_doctor",
                 {"doctor", "--cluster-lookups", "secrets,configmaps"},
                 [](const Options& o) {
                   return o.cluster_lookups == Words{"secrets", "configmaps"};
                 }},
        Accepted{"a_restricted_server_for_the_doctor",
                 {"doctor", "--restricted-namespace", "team-a"},
                 [](const Options& o) {
                   return o.restricted_namespace == "team-a" && o.dry_run_namespace.empty();
                 }},
        Accepted{"a_namespace_for_the_dry_run_of_the_doctor",
                 {"doctor", "--restricted-namespace", "team-a", "-n", "team-b"},
                 [](const Options& o) {
                   return o.restricted_namespace == "team-a" && o.dry_run_namespace == "team-b";
                 }},
        Accepted{"definitions_for_the_doctor",
                 {"doctor", "--inject-crds"},
                 [](const Options& o) { return o.inject_crds; }},
        Accepted{"leaders_for_the_doctor",
                 {"doctor", "--reconciler-lease", "a/b", "--reconciler-lease=c/d-e",
                  "--operator-lease", "kube-system/mine"},
                 [](const Options& o) {
                   return o.reconciler_leases == Words{"a/b", "c/d-e"} &&
                          o.operator_lease == "kube-system/mine";
                 }},
        Accepted{"believed_leases_for_the_doctor",
                 {"doctor", "--lease-namespaces", "team-*,lab", "--lease-holders=them",
                  "--lease-max-duration", "1m30s"},
                 [](const Options& o) {
                   return o.lease_namespaces == Words{"team-*", "lab"} &&
                          o.lease_holders == Words{"them"} &&
                          o.lease_max_duration == std::chrono::seconds(90);
                 }},
        Accepted{"an_inference_pool",
                 {"validate", "a", "--inference-pool", "yes"},
                 [](const Options& o) { return o.inference_pool == api::Fact::kYes; }},
        Accepted{"no_inference_pool",
                 {"validate", "a", "--inference-pool=no"},
                 [](const Options& o) { return o.inference_pool == api::Fact::kNo; }},
        Accepted{"a_pathway",
                 {"validate", "a", "--pathway", "lws"},
                 [](const Options& o) { return o.pathway == kLws; }},
        Accepted{"a_kubernetes_version",
                 {"validate", "a", "--kubernetes-version", "1.35"},
                 [](const Options& o) { return o.kubernetes_minor == 35; }},
        Accepted{"a_kubernetes_version_as_the_cluster_tells_it",
                 {"validate", "a", "--kubernetes-version=v1.34.2"},
                 [](const Options& o) { return o.kubernetes_minor == 34; }},
        Accepted{"an_operator_generation",
                 {"validate", "a", "--operator-generation=first"},
                 [](const Options& o) {
                   return o.operator_generation == api::OperatorGeneration::kFirst;
                 }},
        Accepted{"a_discovery_backend",
                 {"validate", "a", "--discovery-backend=etcd"},
                 [](const Options& o) { return o.discovery_backend == api::Fact::kNo; }},
        Accepted{"warnings_as_errors",
                 {"validate", "a", "--warnings-as-errors"},
                 [](const Options& o) { return o.warnings_as_errors; }},
        Accepted{"colours_in_either_spelling",
                 {"validate", "a", "--color", "never"},
                 [](const Options& o) { return o.colour == Colour::kNever; }},
        Accepted{
            "jobs", {"validate", "a", "-j", "256"}, [](const Options& o) { return o.jobs == 256; }},
        Accepted{"rounds",
                 {"bench", "a", "--rounds", "7"},
                 [](const Options& o) { return o.rounds == 7; }},
        Accepted{"several_outputs",
                 {"validate", "a", "-o", "github", "-o", "sarif=b.sarif"},
                 [](const Options& o) {
                   return o.outputs == std::vector<ReportOutput>{{Format::kGithub, ""},
                                                                 {Format::kSarif, "b.sarif"}};
                 }},
        Accepted{"text_beside_files",
                 {"validate", "a", "-o", "junit=x=y.xml"},
                 [](const Options& o) {
                   return o.outputs == std::vector<ReportOutput>{{Format::kText, ""},
                                                                 {Format::kJunit, "x=y.xml"}};
                 }},
        Accepted{"a_hyphen_for_standard_output",
                 {"validate", "a", "-o", "tap=-"},
                 [](const Options& o) {
                   return o.outputs == std::vector<ReportOutput>{{Format::kTap, ""}};
                 }},
        Accepted{"default_as_json",
                 {"default", "a", "-o", "json"},
                 [](const Options& o) { return o.object_format == ObjectFormat::kJson; }},
        Accepted{"rules_as_json",
                 {"rules", "-o", "json"},
                 [](const Options& o) { return o.list_format == ListFormat::kJson; }},
        Accepted{"rules_as_a_table",
                 {"rules", "-o", "table"},
                 [](const Options& o) { return o.list_format == ListFormat::kText; }},
        Accepted{"a_rule",
                 {"explain", "dgd.pvc.name"},
                 [](const Options& o) { return o.argument == "dgd.pvc.name"; }},
        Accepted{"a_capture", {"replay", "-"}, [](const Options& o) { return o.argument == "-"; }},
        Accepted{"a_capture_by_option",
                 {"replay", "-f", "a.jsonl"},
                 [](const Options& o) { return o.argument == "a.jsonl"; }},
        Accepted{"a_policy_to_check",
                 {"policy", "check", "p.yaml", "--now", "2026-02-03", "-o", "json"},
                 [](const Options& o) {
                   return o.command == Command::kPolicy && o.argument == "p.yaml" && o.now &&
                          o.list_format == ListFormat::kJson;
                 }},
        Accepted{"a_policy_to_check_by_option",
                 {"policy", "-f", "-", "check"},
                 [](const Options& o) { return o.argument == "-"; }},
        Accepted{
            "a_shell", {"completion", "zsh"}, [](const Options& o) { return o.argument == "zsh"; }},
        Accepted{"version_as_an_option",
                 {"--version"},
                 [](const Options& o) { return o.command == Command::kVersion; }},
        Accepted{
            "help_of_all",
            {"-h"},
            [](const Options& o) { return o.command == Command::kHelp && o.argument.empty(); }},
        Accepted{
            "help_of_a_command",
            {"help", "bench"},
            [](const Options& o) { return o.command == Command::kHelp && o.argument == "bench"; }},
        Accepted{"help_before_every_mistake",
                 {"validate", "--nonsense", "--help"},
                 [](const Options& o) {
                   return o.command == Command::kHelp && o.argument == "validate";
                 }},
        Accepted{"help_among_letters",
                 {"rules", "-h"},
                 [](const Options& o) { return o.argument == "rules"; }},
        Accepted{"words_to_complete_as_they_are",
                 {"__complete", "validate", "--", "-x", ""},
                 [](const Options& o) {
                   return o.words == Words{"validate", "--", "-x", ""};
                 }}),
    accepted_name);

// --- Refused command lines

struct Refused {
  std::string_view name;
  Words arguments;
  std::string_view line;  // after "kubectl-dynamo: "; the beginning of it
};

std::string refused_name(const ::testing::TestParamInfo<Refused>& row) {
  return std::string(row.param.name);
}

class RefusedLines : public ::testing::TestWithParam<Refused> {};

TEST_P(RefusedLines, ExplainTheMistake) {
  EXPECT_THAT(refusal(GetParam().arguments),
              StartsWith("kubectl-dynamo: " + std::string(GetParam().line)));
}

INSTANTIATE_TEST_SUITE_P(
    Options, RefusedLines,
    ::testing::Values(
        Refused{"a_misspelt_command",
                {"valdiate"},
                "unknown command \"valdiate\"; did you mean validate?"},
        Refused{"a_command_like_no_other",
                {"frobnicate"},
                "unknown command \"frobnicate\"; `kubectl dynamo --help` lists the commands"},
        Refused{
            "a_file_for_a_command",
            {"graph.yaml"},
            "unknown command \"graph.yaml\"; to check a file: `kubectl dynamo validate -f FILE`"},
        Refused{"an_option_for_a_command",
                {"-f", "a"},
                "the command must come before its options; found \"-f\""},
        Refused{"a_hidden_command_is_not_suggested", {"_complete"}, "unknown command"},
        Refused{"a_misspelt_option",
                {"validate", "a", "--recursve"},
                "unknown option \"--recursve\" of validate; did you mean --recursive?"},
        Refused{"a_misspelt_option_with_a_value",
                {"validate", "--fielname=x"},
                "unknown option \"--fielname\" of validate; did you mean --filename?"},
        Refused{"another_commands_option",
                {"explain", "x", "--recursive"},
                "unknown option \"--recursive\" of explain; `kubectl dynamo explain --help`"},
        Refused{"an_unknown_letter", {"validate", "a", "-z"}, "unknown option \"-z\" of validate"},
        Refused{"an_unknown_letter_among_others",
                {"validate", "a", "-Rz"},
                "unknown option \"-Rz\" of validate"},
        Refused{"nothing_to_read",
                {"validate"},
                "validate needs something to read: -f FILE, -f DIRECTORY, or -f -"},
        Refused{"an_empty_file_name",
                {"validate", ""},
                "--filename must be the name of a file, of a directory, or - for standard input; "
                "found \"\""},
        Refused{"an_empty_value",
                {"validate", "--filename="},
                "--filename must be the name of a file, of a directory, or - for standard input; "
                "found no value"},
        Refused{"a_missing_value_at_the_end",
                {"validate", "-f"},
                "--filename must be the name of a file, of a directory, or - for standard input; "
                "found no value"},
        Refused{"an_option_instead_of_a_value",
                {"validate", "-f", "-R"},
                "--filename must be the name of a file, of a directory, or - for standard input; "
                "found no value"},
        Refused{"standard_input_twice",
                {"validate", "-", "-f", "-"},
                "standard input (-) can be read once"},
        Refused{"two_pasts",
                {"validate", "a", "--old", "b", "--against", "main"},
                "--old and --against must not come together"},
        Refused{"an_unknown_format",
                {"validate", "a", "-o", "xml"},
                "--output must be text, json, junit, sarif, tap or github, each also with =FILE; "
                "found \"xml\""},
        Refused{"a_format_with_an_empty_file",
                {"validate", "a", "-o", "sarif="},
                "--output must be text, json"},
        Refused{"two_formats_for_standard_output",
                {"validate", "a", "-o", "tap", "-o", "json=-"},
                "one --output may go to standard output; found two"},
        Refused{"two_formats_for_one_file",
                {"validate", "a", "-o", "tap=x", "-o", "json=x"},
                "every --output must have a file of its own; found \"x\" twice"},
        Refused{"another_commands_format",
                {"default", "a", "-o", "sarif"},
                "--output must be one of yaml, json; found \"sarif\""},
        Refused{
            "no_namespace",
            {"validate", "a", "-n", "Team_A"},
            "--namespace must be the name of a namespace: at most 63 lower-case letters, digits "
            "and inner hyphens; found \"Team_A\""},
        Refused{"no_scope",
                {"validate", "a", "--namespace-scope", "a.b"},
                "--namespace-scope must be the name of a namespace"},
        Refused{"no_time",
                {"validate", "a", "--now", "2026-02-30T00:00:00Z"},
                "--now must be a time as RFC 3339 writes it, such as 2026-02-03T04:05:06Z, or a "
                "day, such as "
                "2026-02-03; found \"2026-02-30T00:00:00Z\""},
        Refused{"no_account",
                {"validate", "a", "--operator-service-account", "name"},
                "--operator-service-account must be a service account written NAMESPACE/NAME"},
        Refused{"no_restricted_namespace",
                {"doctor", "--restricted-namespace", "Team"},
                "--restricted-namespace must be the name of a namespace"},
        Refused{"no_lease_of_a_leader",
                {"doctor", "--reconciler-lease", "dynamo-reconciler"},
                "--reconciler-lease must be a Lease, written NAMESPACE/NAME"},
        Refused{"no_lookups",
                {"doctor", "--cluster-lookups", "secrets,pods"},
                "--cluster-lookups must be all, or some of dynamographdeployments, "},
        Refused{
            "no_holders",
            {"doctor", "--lease-holders", "a,,b"},
            "--lease-holders must be names of holders, with * and ?, separated by single commas"},
        Refused{"no_longest_duration_of_leases",
                {"doctor", "--lease-max-duration", "1500ms"},
                "--lease-max-duration must be a duration of whole seconds from 1s to 24h"},
        Refused{"no_version",
                {"validate", "a", "--operator-version", "1 2"},
                "--operator-version must be 1 to 128 printable ASCII characters without blanks"},
        Refused{"no_fact",
                {"validate", "a", "--inference-pool", "maybe"},
                "--inference-pool must be one of unknown, no, yes; found \"maybe\""},
        Refused{"no_pathway",
                {"validate", "a", "--pathway", "deployment"},
                "--pathway must be one of unknown, grove, lws, component; found \"deployment\""},
        Refused{"no_kubernetes_version",
                {"validate", "a", "--kubernetes-version", "1.x"},
                "--kubernetes-version must be a Kubernetes version, such as 1.35; found \"1.x\""},
        Refused{"no_kubernetes_version_of_another_major",
                {"validate", "a", "--kubernetes-version", "2.1"},
                "--kubernetes-version must be a Kubernetes version, such as 1.35; found \"2.1\""},
        Refused{"no_colour",
                {"validate", "a", "--colour", "red"},
                "--colour must be one of auto, always, never; found \"red\""},
        Refused{"no_jobs",
                {"validate", "a", "--jobs", "0"},
                "--jobs must be a whole number from 1 to 256; found \"0\""},
        Refused{
            "too_many_jobs", {"validate", "a", "--jobs", "257"}, "--jobs must be a whole number"},
        Refused{"a_switch_with_a_value",
                {"validate", "a", "--quiet=maybe"},
                "--quiet must be true or false; found \"maybe\""},
        Refused{"a_switch_with_an_empty_value",
                {"validate", "a", "--quiet="},
                "--quiet must be true or false; found no value"},
        Refused{"no_rule", {"explain"}, "explain needs one argument, RULE-ID; found none"},
        Refused{"two_rules",
                {"explain", "a", "b"},
                "explain takes one argument, RULE-ID; found \"b\" too"},
        Refused{"two_captures",
                {"replay", "-f", "a", "b"},
                "replay takes one argument, FILE; found \"b\" too"},
        Refused{"two_captures_behind_options",
                {"replay", "-f", "a", "-f", "b"},
                "replay takes one argument, FILE; found \"b\" too"},
        Refused{"no_capture", {"replay"}, "replay needs one argument, FILE; found none"},
        Refused{"nothing_to_do_with_a_policy",
                {"policy"},
                "policy must be followed by check; found nothing; `kubectl dynamo policy --help`"},
        Refused{"a_file_for_what_to_do",
                {"policy", "p.yaml"},
                "policy must be followed by check; found \"p.yaml\""},
        Refused{"what_to_do_misspelt",
                {"policy", "chek", "p.yaml"},
                "policy must be followed by check; found \"chek\"; did you mean check?; "
                "`kubectl dynamo policy --help`"},
        Refused{"no_policy_to_check",
                {"policy", "check"},
                "policy check needs one argument, FILE; found none"},
        Refused{"two_policies_to_check",
                {"policy", "check", "-f", "a", "b"},
                "policy check takes one argument, FILE; found \"b\" too"},
        Refused{"an_empty_glob", {"validate", "a", "--exclude", ""}, "--exclude must be a pattern"},
        Refused{"an_argument_for_rules", {"rules", "x"}, "rules takes no argument; found \"x\""},
        Refused{"an_unknown_shell",
                {"completion", "tcsh"},
                "SHELL must be bash, zsh or fish; found \"tcsh\""},
        Refused{"help_of_an_unknown_command",
                {"help", "rule"},
                "unknown command \"rule\"; did you mean rules?"},
        Refused{"an_escape_in_a_name", {"\x1b[31m"}, "unknown command \"\\u001b[31m\""}),
    refused_name);

TEST(Options, LongErrorIsCutToOneLine) {
  const std::string line = refusal({"validate", "a", "-n", std::string(5000, 'x') + "\n"});
  EXPECT_LT(line.size(), 300U);
}

TEST(Options, ColoursRequireATerminalThatAcceptsThem) {
  EXPECT_TRUE(cli::use_colours(Colour::kAuto, true, false));
  EXPECT_FALSE(cli::use_colours(Colour::kAuto, true, true));
  EXPECT_FALSE(cli::use_colours(Colour::kAuto, false, false));
  EXPECT_TRUE(cli::use_colours(Colour::kAlways, false, true));
  EXPECT_FALSE(cli::use_colours(Colour::kNever, true, false));
}

}  // namespace
}  // namespace dynamo::test
