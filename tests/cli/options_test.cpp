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

constexpr cli::PathwayFacts kLws{api::Fact::kNo, api::Fact::kYes};

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
    EXPECT_EQ(typed.operator_checkpoints, defaults.operator_checkpoints) << command.name;
    EXPECT_EQ(typed.operator_gpu_discovery, defaults.operator_gpu_discovery) << command.name;
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

struct AcceptedLine {
  std::string_view name;
  Words arguments;
  std::function<bool(const Options&)> holds;
};

std::string accepted_name(const ::testing::TestParamInfo<AcceptedLine>& row) {
  return std::string(row.param.name);
}

class AcceptedLines : public ::testing::TestWithParam<AcceptedLine> {};

TEST_P(AcceptedLines, SetTheExpectedOptions) {
  EXPECT_TRUE(GetParam().holds(parsed(GetParam().arguments)));
}

INSTANTIATE_TEST_SUITE_P(
    Options, AcceptedLines,
    ::testing::Values(
        AcceptedLine{"files_by_option",
                     {"validate", "-f", "a", "--filename", "b", "--filename=c"},
                     [](const Options& o) {
                       return o.filenames == Words{"a", "b", "c"};
                     }},
        AcceptedLine{"files_as_arguments",
                     {"validate", "a", "-f", "b", "-"},
                     [](const Options& o) {
                       return o.filenames == Words{"b", "a", "-"};
                     }},
        AcceptedLine{"standard_input_by_option",
                     {"validate", "-f", "-"},
                     [](const Options& o) { return o.filenames == Words{"-"}; }},
        AcceptedLine{
            "letters_in_a_row",
            {"validate", "-qRf", "a"},
            [](const Options& o) { return o.quiet && o.recursive && o.filenames == Words{"a"}; }},
        AcceptedLine{"a_value_at_its_letter",
                     {"validate", "a", "-ojson"},
                     [](const Options& o) {
                       return o.outputs == std::vector<ReportOutput>{{Format::kJson, ""}};
                     }},
        AcceptedLine{"a_letter_with_an_equals_sign",
                     {"validate", "a", "-o=json=f"},
                     [](const Options& o) {
                       return o.outputs.back() == ReportOutput{Format::kJson, "f"};
                     }},
        AcceptedLine{"a_file_behind_two_hyphens",
                     {"validate", "--", "-f"},
                     [](const Options& o) { return o.filenames == Words{"-f"}; }},
        AcceptedLine{"values_that_look_like_options_when_attached",
                     {"validate", "--filename=-x"},
                     [](const Options& o) { return o.filenames == Words{"-x"}; }},
        AcceptedLine{"the_last_of_equal_options",
                     {"validate", "a", "-n", "one", "-n", "two"},
                     [](const Options& o) { return o.namespace_name == "two"; }},
        AcceptedLine{"a_switch_that_is_turned_off",
                     {"validate", "a", "-R", "--recursive=false"},
                     [](const Options& o) { return !o.recursive; }},
        AcceptedLine{"old_objects",
                     {"validate", "a", "--old", "before/"},
                     [](const Options& o) { return o.old_path == "before/"; }},
        AcceptedLine{"a_commit",
                     {"validate", "a", "--against", "HEAD~1"},
                     [](const Options& o) { return o.against == "HEAD~1"; }},
        AcceptedLine{"a_user",
                     {"validate", "a", "--user", "system:serviceaccount:ns:name"},
                     [](const Options& o) { return o.user == "system:serviceaccount:ns:name"; }},
        AcceptedLine{"no_user", {"validate", "a"}, [](const Options& o) { return !o.user; }},
        AcceptedLine{"a_scope",
                     {"validate", "a", "--namespace-scope=team-a"},
                     [](const Options& o) { return o.namespace_scope == "team-a"; }},
        AcceptedLine{"a_policy",
                     {"validate", "a", "--policy", "p.yaml"},
                     [](const Options& o) { return o.policy_file == "p.yaml"; }},
        AcceptedLine{"a_time",
                     {"validate", "a", "--now", "2026-02-03T04:05:06+01:00"},
                     [](const Options& o) {
                       return o.now == text::parse_timestamp("2026-02-03T03:05:06Z");
                     }},
        AcceptedLine{"a_day",
                     {"validate", "a", "--now", "2026-02-03"},
                     [](const Options& o) {
                       return o.now == text::parse_timestamp("2026-02-03T00:00:00Z");
                     }},
        AcceptedLine{"no_operator_version",
                     {"validate", "a"},
                     [](const Options& o) { return o.operator_version.empty(); }},
        AcceptedLine{"named_files_as_found",
                     {"validate", "a", "--as-found"},
                     [](const Options& o) { return o.as_found && !o.strict_versions; }},
        AcceptedLine{"other_versions_as_faults",
                     {"validate", "a", "--strict-versions", "--require-objects"},
                     [](const Options& o) { return o.strict_versions && o.require_objects; }},
        AcceptedLine{"globs_to_leave_out",
                     {"validate", "a", "--exclude", "*/x/*", "--exclude=b"},
                     [](const Options& o) {
                       return o.excluded == Words{"*/x/*", "b"};
                     }},
        AcceptedLine{"an_operator_version",
                     {"validate", "a", "--operator-version", "v1.2.0"},
                     [](const Options& o) { return o.operator_version == "v1.2.0"; }},
        AcceptedLine{"an_operator_account",
                     {"validate", "a", "--operator-service-account", "ns/name"},
                     [](const Options& o) {
                       return o.operator_service_account->namespace_name == "ns" &&
                              o.operator_service_account->name == "name";
                     }},
        AcceptedLine{"kinds_without_a_controller",
                     {"validate", "a", "--unserved-kinds", "DynamoCheckpoint"},
                     [](const Options& o) {
                       return o.unserved_kinds == std::vector{api::Kind::kCheckpoint};
                     }},
        AcceptedLine{"lookups_for_the_doctor",
                     {"doctor", "--cluster-lookups", "secrets,configmaps"},
                     [](const Options& o) {
                       return o.cluster_lookups == Words{"secrets", "configmaps"};
                     }},
        AcceptedLine{"a_restricted_server_for_the_doctor",
                     {"doctor", "--restricted-namespace", "team-a"},
                     [](const Options& o) {
                       return o.restricted_namespace == "team-a" && o.dry_run_namespace.empty();
                     }},
        AcceptedLine{"a_namespace_for_the_dry_run",
                     {"doctor", "--restricted-namespace", "team-a", "-n", "team-b"},
                     [](const Options& o) {
                       return o.restricted_namespace == "team-a" && o.dry_run_namespace == "team-b";
                     }},
        AcceptedLine{"a_generation_for_the_doctor",
                     {"doctor", "--operator-generation", "later"},
                     [](const Options& o) {
                       return o.operator_generation == api::OperatorGeneration::kLater;
                     }},
        AcceptedLine{"definitions_for_the_doctor",
                     {"doctor", "--inject-crds"},
                     [](const Options& o) { return o.inject_crds; }},
        AcceptedLine{"leaders_for_the_doctor",
                     {"doctor", "--reconciler-lease", "a/b", "--reconciler-lease=c/d-e",
                      "--operator-lease", "kube-system/mine"},
                     [](const Options& o) {
                       return o.reconciler_leases == Words{"a/b", "c/d-e"} &&
                              o.operator_lease == "kube-system/mine";
                     }},
        AcceptedLine{"believed_leases_for_the_doctor",
                     {"doctor", "--lease-namespaces", "team-*,lab", "--lease-holders=them",
                      "--lease-max-duration", "1m30s"},
                     [](const Options& o) {
                       return o.lease_namespaces == Words{"team-*", "lab"} &&
                              o.lease_holders == Words{"them"} &&
                              o.lease_max_duration == std::chrono::seconds(90);
                     }},
        AcceptedLine{"an_inference_pool",
                     {"validate", "a", "--inference-pool", "yes"},
                     [](const Options& o) { return o.inference_pool == api::Fact::kYes; }},
        AcceptedLine{"no_inference_pool",
                     {"validate", "a", "--inference-pool=no"},
                     [](const Options& o) { return o.inference_pool == api::Fact::kNo; }},
        AcceptedLine{"a_pathway",
                     {"validate", "a", "--pathway", "lws"},
                     [](const Options& o) { return o.pathway == kLws; }},
        AcceptedLine{"a_kubernetes_version",
                     {"validate", "a", "--kubernetes-version", "1.35"},
                     [](const Options& o) { return o.kubernetes_minor == 35; }},
        AcceptedLine{"a_kubernetes_version_as_the_cluster_reports_it",
                     {"validate", "a", "--kubernetes-version=v1.34.2"},
                     [](const Options& o) { return o.kubernetes_minor == 34; }},
        AcceptedLine{"an_operator_generation",
                     {"validate", "a", "--operator-generation=first"},
                     [](const Options& o) {
                       return o.operator_generation == api::OperatorGeneration::kFirst;
                     }},
        AcceptedLine{"a_discovery_backend",
                     {"validate", "a", "--discovery-backend=etcd"},
                     [](const Options& o) { return o.discovery_backend == api::Fact::kNo; }},
        AcceptedLine{"an_image_of_requests",
                     {"validate", "a", "--dgdr-default-image", "r/p:1"},
                     [](const Options& o) { return o.dgdr_default_image == "r/p:1"; }},
        AcceptedLine{"warnings_as_errors",
                     {"validate", "a", "--warnings-as-errors"},
                     [](const Options& o) { return o.warnings_as_errors; }},
        AcceptedLine{"colours_in_either_spelling",
                     {"validate", "a", "--color", "never"},
                     [](const Options& o) { return o.colour == Colour::kNever; }},
        AcceptedLine{
            "jobs", {"validate", "a", "-j", "256"}, [](const Options& o) { return o.jobs == 256; }},
        AcceptedLine{"rounds",
                     {"bench", "a", "--rounds", "7"},
                     [](const Options& o) { return o.rounds == 7; }},
        AcceptedLine{"several_outputs",
                     {"validate", "a", "-o", "github", "-o", "sarif=b.sarif"},
                     [](const Options& o) {
                       return o.outputs == std::vector<ReportOutput>{{Format::kGithub, ""},
                                                                     {Format::kSarif, "b.sarif"}};
                     }},
        AcceptedLine{"text_and_a_file",
                     {"validate", "a", "-o", "junit=x=y.xml"},
                     [](const Options& o) {
                       return o.outputs == std::vector<ReportOutput>{{Format::kText, ""},
                                                                     {Format::kJunit, "x=y.xml"}};
                     }},
        AcceptedLine{"a_hyphen_for_standard_output",
                     {"validate", "a", "-o", "tap=-"},
                     [](const Options& o) {
                       return o.outputs == std::vector<ReportOutput>{{Format::kTap, ""}};
                     }},
        AcceptedLine{"default_as_json",
                     {"default", "a", "-o", "json"},
                     [](const Options& o) { return o.object_format == ObjectFormat::kJson; }},
        AcceptedLine{"rules_as_json",
                     {"rules", "-o", "json"},
                     [](const Options& o) { return o.list_format == ListFormat::kJson; }},
        AcceptedLine{"rules_as_a_table",
                     {"rules", "-o", "table"},
                     [](const Options& o) { return o.list_format == ListFormat::kText; }},
        AcceptedLine{"a_rule",
                     {"explain", "dgd.pvc.name"},
                     [](const Options& o) { return o.argument == "dgd.pvc.name"; }},
        AcceptedLine{
            "a_capture", {"replay", "-"}, [](const Options& o) { return o.argument == "-"; }},
        AcceptedLine{"a_capture_by_option",
                     {"replay", "-f", "a.jsonl"},
                     [](const Options& o) { return o.argument == "a.jsonl"; }},
        AcceptedLine{"a_policy_to_check",
                     {"policy", "check", "p.yaml", "--now", "2026-02-03", "-o", "json"},
                     [](const Options& o) {
                       return o.command == Command::kPolicy && o.argument == "p.yaml" && o.now &&
                              o.list_format == ListFormat::kJson;
                     }},
        AcceptedLine{"a_policy_to_check_by_option",
                     {"policy", "-f", "-", "check"},
                     [](const Options& o) { return o.argument == "-"; }},
        AcceptedLine{
            "a_shell", {"completion", "zsh"}, [](const Options& o) { return o.argument == "zsh"; }},
        AcceptedLine{"version_as_an_option",
                     {"--version"},
                     [](const Options& o) { return o.command == Command::kVersion; }},
        AcceptedLine{
            "help_of_all",
            {"-h"},
            [](const Options& o) { return o.command == Command::kHelp && o.argument.empty(); }},
        AcceptedLine{
            "help_of_a_command",
            {"help", "bench"},
            [](const Options& o) { return o.command == Command::kHelp && o.argument == "bench"; }},
        AcceptedLine{"help_before_every_mistake",
                     {"validate", "--nonsense", "--help"},
                     [](const Options& o) {
                       return o.command == Command::kHelp && o.argument == "validate";
                     }},
        AcceptedLine{"help_among_letters",
                     {"rules", "-h"},
                     [](const Options& o) { return o.argument == "rules"; }},
        AcceptedLine{"words_to_complete_as_they_are",
                     {"__complete", "validate", "--", "-x", ""},
                     [](const Options& o) {
                       return o.words == Words{"validate", "--", "-x", ""};
                     }}),
    accepted_name);

// --- Refused command lines

struct RefusedLine {
  std::string_view name;
  Words arguments;
  std::string_view line;  // after "kubectl-dynamo: "; the beginning of it
};

std::string refused_name(const ::testing::TestParamInfo<RefusedLine>& row) {
  return std::string(row.param.name);
}

class RefusedLines : public ::testing::TestWithParam<RefusedLine> {};

TEST_P(RefusedLines, ExplainTheMistake) {
  EXPECT_THAT(refusal(GetParam().arguments),
              StartsWith("kubectl-dynamo: " + std::string(GetParam().line)));
}

INSTANTIATE_TEST_SUITE_P(
    Options, RefusedLines,
    ::testing::Values(
        RefusedLine{"a_misspelt_command",
                    {"valdiate"},
                    "unknown command \"valdiate\"; did you mean validate?"},
        RefusedLine{"a_command_like_no_other",
                    {"frobnicate"},
                    "unknown command \"frobnicate\"; `kubectl dynamo --help` lists the commands"},
        RefusedLine{
            "a_file_for_a_command",
            {"graph.yaml"},
            "unknown command \"graph.yaml\"; to check a file: `kubectl dynamo validate -f FILE`"},
        RefusedLine{"an_option_for_a_command",
                    {"-f", "a"},
                    "the command must come before its options; found \"-f\""},
        RefusedLine{"a_hidden_command_is_not_suggested", {"_complete"}, "unknown command"},
        RefusedLine{"a_misspelt_option",
                    {"validate", "a", "--recursve"},
                    "unknown option \"--recursve\" of validate; did you mean --recursive?"},
        RefusedLine{"a_misspelt_option_with_a_value",
                    {"validate", "--fielname=x"},
                    "unknown option \"--fielname\" of validate; did you mean --filename?"},
        RefusedLine{"another_commands_option",
                    {"explain", "x", "--recursive"},
                    "unknown option \"--recursive\" of explain; `kubectl dynamo explain --help`"},
        RefusedLine{
            "an_unknown_letter", {"validate", "a", "-z"}, "unknown option \"-z\" of validate"},
        RefusedLine{"an_unknown_letter_among_others",
                    {"validate", "a", "-Rz"},
                    "unknown option \"-Rz\" of validate"},
        RefusedLine{"nothing_to_read",
                    {"validate"},
                    "validate needs something to read: -f FILE, -f DIRECTORY, or -f -"},
        RefusedLine{
            "an_empty_file_name",
            {"validate", ""},
            "--filename must be the name of a file, of a directory, or - for standard input; "
            "found \"\""},
        RefusedLine{
            "an_empty_value",
            {"validate", "--filename="},
            "--filename must be the name of a file, of a directory, or - for standard input; "
            "found no value"},
        RefusedLine{
            "a_missing_value_at_the_end",
            {"validate", "-f"},
            "--filename must be the name of a file, of a directory, or - for standard input; "
            "found no value"},
        RefusedLine{
            "an_option_instead_of_a_value",
            {"validate", "-f", "-R"},
            "--filename must be the name of a file, of a directory, or - for standard input; "
            "found no value"},
        RefusedLine{"standard_input_twice",
                    {"validate", "-", "-f", "-"},
                    "standard input (-) can be read once"},
        RefusedLine{"two_pasts",
                    {"validate", "a", "--old", "b", "--against", "main"},
                    "--old and --against must not come together"},
        RefusedLine{
            "an_unknown_format",
            {"validate", "a", "-o", "xml"},
            "--output must be text, json, junit, sarif, tap or github, each also with =FILE; "
            "found \"xml\""},
        RefusedLine{"a_format_with_an_empty_file",
                    {"validate", "a", "-o", "sarif="},
                    "--output must be text, json"},
        RefusedLine{"two_formats_for_standard_output",
                    {"validate", "a", "-o", "tap", "-o", "json=-"},
                    "one --output may go to standard output; found two"},
        RefusedLine{"two_formats_for_one_file",
                    {"validate", "a", "-o", "tap=x", "-o", "json=x"},
                    "every --output must have a file of its own; found \"x\" twice"},
        RefusedLine{"another_commands_format",
                    {"default", "a", "-o", "sarif"},
                    "--output must be one of yaml, json; found \"sarif\""},
        RefusedLine{
            "no_namespace",
            {"validate", "a", "-n", "Team_A"},
            "--namespace must be the name of a namespace: at most 63 lower-case letters, digits "
            "and inner hyphens; found \"Team_A\""},
        RefusedLine{"no_scope",
                    {"validate", "a", "--namespace-scope", "a.b"},
                    "--namespace-scope must be the name of a namespace"},
        RefusedLine{
            "no_time",
            {"validate", "a", "--now", "2026-02-30T00:00:00Z"},
            "--now must be a time as RFC 3339 writes it, such as 2026-02-03T04:05:06Z, or a "
            "day, such as "
            "2026-02-03; found \"2026-02-30T00:00:00Z\""},
        RefusedLine{"no_account",
                    {"validate", "a", "--operator-service-account", "name"},
                    "--operator-service-account must be a service account written NAMESPACE/NAME"},
        RefusedLine{"no_restricted_namespace",
                    {"doctor", "--restricted-namespace", "Team"},
                    "--restricted-namespace must be the name of a namespace"},
        RefusedLine{"no_lease_of_a_leader",
                    {"doctor", "--reconciler-lease", "dynamo-reconciler"},
                    "--reconciler-lease must be a Lease, written NAMESPACE/NAME"},
        RefusedLine{"no_kinds_without_a_controller",
                    {"validate", "a", "--unserved-kinds", "DynamoCheckpoint,DynamoModel"},
                    "--unserved-kinds must be DynamoGraphDeploymentRequest, DynamoCheckpoint or "},
        RefusedLine{"no_lookups",
                    {"doctor", "--cluster-lookups", "secrets,pods"},
                    "--cluster-lookups must be all, or some of dynamographdeployments, "},
        RefusedLine{
            "no_holders",
            {"doctor", "--lease-holders", "a,,b"},
            "--lease-holders must be names of holders, with * and ?, separated by single commas"},
        RefusedLine{"no_longest_duration_of_leases",
                    {"doctor", "--lease-max-duration", "1500ms"},
                    "--lease-max-duration must be a duration of whole seconds from 1s to 24h"},
        RefusedLine{
            "no_version",
            {"validate", "a", "--operator-version", "1 2"},
            "--operator-version must be 1 to 128 printable ASCII characters without blanks"},
        RefusedLine{"no_fact",
                    {"validate", "a", "--inference-pool", "maybe"},
                    "--inference-pool must be one of unknown, no, yes; found \"maybe\""},
        RefusedLine{
            "no_pathway",
            {"validate", "a", "--pathway", "deployment"},
            "--pathway must be one of unknown, grove, lws, component; found \"deployment\""},
        RefusedLine{
            "no_kubernetes_version",
            {"validate", "a", "--kubernetes-version", "1.x"},
            "--kubernetes-version must be a Kubernetes version, such as 1.35; found \"1.x\""},
        RefusedLine{
            "no_kubernetes_version_of_another_major",
            {"validate", "a", "--kubernetes-version", "2.1"},
            "--kubernetes-version must be a Kubernetes version, such as 1.35; found \"2.1\""},
        RefusedLine{"no_colour",
                    {"validate", "a", "--colour", "red"},
                    "--colour must be one of auto, always, never; found \"red\""},
        RefusedLine{"no_jobs",
                    {"validate", "a", "--jobs", "0"},
                    "--jobs must be a whole number from 1 to 256; found \"0\""},
        RefusedLine{
            "too_many_jobs", {"validate", "a", "--jobs", "257"}, "--jobs must be a whole number"},
        RefusedLine{"a_switch_with_a_value",
                    {"validate", "a", "--quiet=maybe"},
                    "--quiet must be true or false; found \"maybe\""},
        RefusedLine{"a_switch_with_an_empty_value",
                    {"validate", "a", "--quiet="},
                    "--quiet must be true or false; found no value"},
        RefusedLine{"no_rule", {"explain"}, "explain needs one argument, RULE-ID; found none"},
        RefusedLine{"two_rules",
                    {"explain", "a", "b"},
                    "explain takes one argument, RULE-ID; found \"b\" too"},
        RefusedLine{"two_captures",
                    {"replay", "-f", "a", "b"},
                    "replay takes one argument, FILE; found \"b\" too"},
        RefusedLine{"two_captures_behind_options",
                    {"replay", "-f", "a", "-f", "b"},
                    "replay takes one argument, FILE; found \"b\" too"},
        RefusedLine{"no_capture", {"replay"}, "replay needs one argument, FILE; found none"},
        RefusedLine{
            "nothing_to_do_with_a_policy",
            {"policy"},
            "policy must be followed by check; found nothing; `kubectl dynamo policy --help`"},
        RefusedLine{"a_file_for_what_to_do",
                    {"policy", "p.yaml"},
                    "policy must be followed by check; found \"p.yaml\""},
        RefusedLine{"what_to_do_misspelt",
                    {"policy", "chek", "p.yaml"},
                    "policy must be followed by check; found \"chek\"; did you mean check?; "
                    "`kubectl dynamo policy --help`"},
        RefusedLine{"no_policy_to_check",
                    {"policy", "check"},
                    "policy check needs one argument, FILE; found none"},
        RefusedLine{"two_policies_to_check",
                    {"policy", "check", "-f", "a", "b"},
                    "policy check takes one argument, FILE; found \"b\" too"},
        RefusedLine{
            "an_empty_glob", {"validate", "a", "--exclude", ""}, "--exclude must be a pattern"},
        RefusedLine{
            "an_argument_for_rules", {"rules", "x"}, "rules takes no argument; found \"x\""},
        RefusedLine{"an_unknown_shell",
                    {"completion", "tcsh"},
                    "SHELL must be bash, zsh or fish; found \"tcsh\""},
        RefusedLine{"help_of_an_unknown_command",
                    {"help", "rule"},
                    "unknown command \"rule\"; did you mean rules?"},
        RefusedLine{"an_escape_in_a_name", {"\x1b[31m"}, "unknown command \"\\u001b[31m\""}),
    refused_name);

TEST(Options, LongErrorIsCutToOneLine) {
  const std::string line = refusal({"validate", "a", "-n", std::string(5000, 'x') + "\n"});
  EXPECT_LT(line.size(), 300U);
}

TEST(Options, ColoursRequireATerminalThatAcceptsThem) {
  EXPECT_TRUE(cli::should_use_colours(Colour::kAuto, true, false));
  EXPECT_FALSE(cli::should_use_colours(Colour::kAuto, true, true));
  EXPECT_FALSE(cli::should_use_colours(Colour::kAuto, false, false));
  EXPECT_TRUE(cli::should_use_colours(Colour::kAlways, false, true));
  EXPECT_FALSE(cli::should_use_colours(Colour::kNever, true, false));
}

}  // namespace
}  // namespace dynamo::test
