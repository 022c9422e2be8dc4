#include "cli/options/options_table.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>
#include <vector>

#include "api/fact_choices.hpp"
#include "cli/options/options_forms.hpp"
#include "desired/render_flags.hpp"
#include "runtime/flag_forms.hpp"

namespace dynamo::cli {
namespace {

using runtime::Choice;
using runtime::ChoiceForm;
using runtime::CountForm;
using runtime::each_into;
using runtime::into;
using runtime::NamespaceForm;
using runtime::ServiceAccountForm;
using runtime::SwitchForm;

using Rows = std::vector<OptionRow>;

constexpr NameForm kInput{"FILE|DIR|-",
                          "the name of a file, of a directory, or - for standard input"};
constexpr NameForm kFile{"FILE", "the name of a file"};
constexpr GlobsForm kRules{"RULE,...", "ids of rules, with * and ?, separated by commas"};
constexpr runtime::RewordedForm kVersion{
    "VERSION", "1 to 128 printable ASCII characters without blanks, such as 1.2.0",
    runtime::TextForm{}};

constexpr std::array<Choice<ObjectFormat>, 2> kObjectFormats{
    {{"yaml", ObjectFormat::kYaml}, {"json", ObjectFormat::kJson}}};
constexpr std::array<Choice<conversion::Version>, 2> kApiVersions{
    {{"v1alpha1", conversion::Version::kV1alpha1}, {"v1beta1", conversion::Version::kV1beta1}}};
constexpr std::array<Choice<ListFormat>, 2> kTextOrJson{
    {{"text", ListFormat::kText}, {"json", ListFormat::kJson}}};
constexpr std::array<Choice<ListFormat>, 2> kTableOrJson{
    {{"table", ListFormat::kText}, {"json", ListFormat::kJson}}};
constexpr std::array<Choice<Level>, 2> kSeverities{
    {{"warning", Level::kWarning}, {"error", Level::kError}}};
constexpr std::array<Choice<Colour>, 3> kColours{
    {{"auto", Colour::kAuto}, {"always", Colour::kAlways}, {"never", Colour::kNever}}};
constexpr std::array<Choice<api::Fact>, 3> kFacts{
    {{"unknown", api::Fact::kUnknown}, {"no", api::Fact::kNo}, {"yes", api::Fact::kYes}}};
constexpr std::array<Choice<PathwayFacts>, 4> kPathways{
    {{"unknown", {}},
     {"grove", {.grove_served = api::Fact::kYes}},
     {"lws", {api::Fact::kNo, api::Fact::kYes}},
     {"component", {api::Fact::kNo, api::Fact::kNo}}}};

constexpr CommandSet kValidating{Command::kValidate, Command::kDefault, Command::kRender,
                                 Command::kDiff, Command::kBench};
constexpr CommandSet kReading{Command::kValidate, Command::kDefault, Command::kConvert,
                              Command::kRender,   Command::kDiff,    Command::kBench};
constexpr CommandSet kListing{Command::kValidate, Command::kDefault, Command::kConvert,
                              Command::kRender,   Command::kDiff,    Command::kBench,
                              Command::kConfig};
constexpr CommandSet kRendering{Command::kRender, Command::kDiff};
constexpr CommandSet kConfigured{Command::kValidate, Command::kDefault, Command::kRender,
                                 Command::kDiff,     Command::kBench,   Command::kConfig,
                                 Command::kLsp};
constexpr CommandSet kWithEvaluationOptions{Command::kValidate, Command::kDefault, Command::kRender,
                                            Command::kDiff,     Command::kReplay,  Command::kBench,
                                            Command::kLsp};
constexpr CommandSet kWithGeneration{Command::kValidate, Command::kDefault, Command::kRender,
                                     Command::kDiff,     Command::kReplay,  Command::kBench,
                                     Command::kLsp,      Command::kDoctor};
constexpr CommandSet kWithTime{Command::kValidate, Command::kDefault, Command::kRender,
                               Command::kDiff,     Command::kReplay,  Command::kPolicy,
                               Command::kBench,    Command::kLsp};
constexpr CommandSet kEvery{
    Command::kValidate,   Command::kDefault, Command::kConvert, Command::kRender, Command::kDiff,
    Command::kExplain,    Command::kRules,   Command::kReplay,  Command::kPolicy, Command::kConfig,
    Command::kSchema,     Command::kLsp,     Command::kDoctor,  Command::kStatus, Command::kBench,
    Command::kCompletion, Command::kMan,     Command::kVersion, Command::kHelp};

Rows inputs() {
  return {
      {kReading,
       {"filename", each_into(&Options::filenames, kInput), "",
        "Input to read: a file, the manifests (*.yaml, *.yml, *.json) of a directory, or - for "
        "standard input. May also be given without -f.",
        'f'},
       Hint::kFiles},
      {kListing,
       {"recursive", into(&Options::recursive, SwitchForm{}), "",
        "Read directories and everything below them.", 'R'}},
      {kReading,
       {"exclude",
        each_into(&Options::excluded,
                  NameForm{"GLOB", "a pattern of names, such as */templates/*"}),
        "",
        "Leave out files of a directory that match GLOB: * matches any characters, including /, "
        "and ? matches one. GLOB must match the whole path as reports print it; in a "
        "configuration, the path relative to its folder. The templates of a chart (next to a "
        "Chart.yaml) are always left out with -R."}},
      {kReading,
       {"as-found", into(&Options::as_found, SwitchForm{}), "",
        "Treat named files like files found in a directory: hidden and excluded files, "
        "templates, files without a manifest, and patches of the kustomization next to them are "
        "skipped. For hooks that name every changed file."}},
      {{Command::kValidate},
       {"strict-versions", into(&Options::strict_versions, SwitchForm{}), "",
        "Treat objects of an API version that this release does not validate as inputs that "
        "could not be read. Not set: they are counted and reported."}},
      {{Command::kValidate},
       {"require-objects", into(&Options::require_objects, SwitchForm{}), "",
        "Exit with 1 when there was no object to validate."}},
      {kConfigured,
       {"config", into(&Options::config_file, NameForm{"FILE|none", "the name of a file, or none"}),
        "",
        "The configuration file. Not set: the nearest .dynamo-admission.yaml in the folders of the "
        "inputs and above them; `config` prints its settings."},
       Hint::kFiles},
      {kConfigured,
       {"config-from",
        into(&Options::config_from,
             NameForm{"GIT-REF", "a commit of the git repository around the inputs"}),
        "",
        "Read .dynamo-admission.yaml, and the policy and baseline that it names, as they are in "
        "this commit. For pull requests: the target branch decides what is checked."}},
      {{Command::kConfig},
       {"filename", each_into(&Options::filenames, kInput), "",
        "File or folder to find the configuration of. May also be given without -f.", 'f'},
       Hint::kFiles},
      {{Command::kReplay, Command::kPolicy},
       {"filename",
        each_into(&Options::filenames,
                  NameForm{"FILE|-", "the name of a file, or - for standard input"}),
        "", "The same as the argument FILE.", 'f'},
       Hint::kFiles},
      {kValidating,
       {"namespace", into(&Options::namespace_name, NamespaceForm{}), "default",
        "Namespace of objects that name none.", 'n'}},
  };
}

Rows clusters() {
  return {
      {{Command::kDoctor, Command::kStatus},
       {"kubeconfig", into(&Options::kubeconfig, kFile), "",
        "Kubeconfig file: the cluster's address and the account. Not set: the files that the "
        "environment variable KUBECONFIG names, else ~/.kube/config; in a pod, its service "
        "account."},
       Hint::kFiles},
      {{Command::kDoctor, Command::kStatus},
       {"context", into(&Options::kube_context, NameForm{"NAME", "the name of a context"}), "",
        "Which context of the kubeconfig. Not set: the current one."}},
      {kRendering,
       {"kubeconfig", into(&Options::kubeconfig, kFile), "",
        "Ask the cluster of this file which APIs it serves, how the objects are stored, and what "
        "their namespaces contain. With neither this nor --context, `render` asks no cluster, "
        "and `diff` asks the cluster of the current context, unless --old or --against sets the "
        "old objects or there is no kubeconfig."},
       Hint::kFiles},
      {kRendering,
       {"context", into(&Options::kube_context, NameForm{"NAME", "the name of a context"}), "",
        "Ask the cluster of this context. It is a context of --kubeconfig, else of the files "
        "that the environment variable KUBECONFIG names, else of ~/.kube/config."}},
      {{Command::kStatus},
       {"namespace", into(&Options::shown_namespace, NamespaceForm{}), "",
        "Namespace of the objects to show. Not set: the namespace of the context, else `default`.",
        'n'}},
      {{Command::kStatus},
       {"all-namespaces", into(&Options::all_namespaces, SwitchForm{}), "",
        "Show the objects of all namespaces.", 'A'}},
      {{Command::kStatus},
       {"show-all", into(&Options::show_all, SwitchForm{}), "",
        "Show all conditions and events. Not set: only those that report a problem. JSON output "
        "always has all."}},
      {{Command::kConfig},
       {"show-all", into(&Options::show_all, SwitchForm{}), "",
        "Show the defaults, too. Not set: only the settings that a file or the command line "
        "sets. JSON output always has all."}},
      {{Command::kDoctor},
       {"namespace", into(&Options::dry_run_namespace, NamespaceForm{}), "",
        "Namespace in which the dry run tries to create an object. The webhook must validate it, "
        "and the namespaceSelectors must select it. Not set: the namespace of "
        "--restricted-namespace, else `default`.",
        'n'}},
      {{Command::kDoctor},
       {"restricted-namespace", into(&Options::restricted_namespace, NamespaceForm{}), "",
        "The server's --restricted-namespace: its rights, its marker Lease and the dry run are "
        "checked there. Not set: a server of the whole cluster."}},
      {{Command::kDoctor},
       {"secret", into(&Options::secret, PairForm{"a Secret, written NAMESPACE/NAME"}), "",
        "The Secret with the served certificate. The rights to it are checked if the server "
        "manages it; its content is checked if no endpoint of a Service in its namespace can be "
        "reached from here. Not set: rights to dynamo-webhook-cert."}},
      {{Command::kDoctor},
       {"service-account",
        into(&Options::service_account, PairForm{"a service account, written NAMESPACE/NAME"}), "",
        "The server's account, whose rights are checked. Those for managed certificates are "
        "checked in the account's namespace. Not set: the rights of the caller."}},
      {{Command::kDoctor},
       {"keeper-service-account",
        into(&Options::keeper_service_account,
             PairForm{"a service account, written NAMESPACE/NAME"}),
        "",
        "The account of dynamo-webhook --role keeper, which then must have the rights for "
        "managed certificates. Not set: the server's account must have them."}},
      {{Command::kDoctor},
       {"cluster-lookups", into(&Options::cluster_lookups, LookupsForm{}), "",
        "The server's --cluster-lookups: its rights to list and watch these are checked, too."}},
      {{Command::kDoctor},
       {"inject-crds", into(&Options::inject_crds, SwitchForm{}), "",
        "The server runs with --inject-crds: its rights to CustomResourceDefinitions are "
        "checked, too."}},
      {{Command::kDoctor},
       {"reconciler-lease",
        each_into(&Options::reconciler_leases, PairForm{"a Lease, written NAMESPACE/NAME"}), "",
        "A Lease with which a dynamo-reconciler elects its leader, if --leader-election-id sets "
        "its name, as in the chart. Leases named dynamo-reconciler are always checked."}},
      {{Command::kDoctor},
       {"operator-lease",
        into(&Options::operator_lease, PairForm{"a Lease, written NAMESPACE/NAME"}), "",
        "The Lease with which the operator elects its leader, if its name is not "
        "dynamo.nvidia.com or its namespace is not kube-system."}},
      {{Command::kDoctor},
       {"lease-namespaces",
        into(
            &Options::lease_namespaces,
            GlobsForm{"GLOB,...", "names of namespaces, with * and ?, separated by single commas"}),
        "", "The server's --lease-namespaces: marker Leases in other namespaces look forged."}},
      {{Command::kDoctor},
       {"lease-holders",
        into(&Options::lease_holders,
             GlobsForm{"GLOB,...", "names of holders, with * and ?, separated by single commas"}),
        "", "The server's --lease-holders: marker Leases of other holders look forged."}},
      {{Command::kDoctor},
       {"lease-max-duration", into(&Options::lease_max_duration, WholeSecondsForm{}), "5m",
        "The server's --lease-max-duration: marker Leases with a longer duration look forged."}},
  };
}

Rows changes() {
  return {
      {kValidating,
       {"old",
        into(&Options::old_path, NameForm{"FILE|DIR", "the name of a file or of a directory"}), "",
        "The objects as they are stored now. An object that is among them (same kind, namespace "
        "and name) is validated as an update."},
       Hint::kFiles},
      {kValidating,
       {"against",
        into(&Options::against,
             NameForm{"GIT-REF",
                      "a commit of the git repository around the inputs, such as main or HEAD~1"}),
        "", "Like --old, with the objects as they are in a commit: a branch, a tag, HEAD~1."}},
  };
}

Rows fixing() {
  return {
      {{Command::kValidate},
       {"fix", into(&Options::fix, SwitchForm{}), "",
        "Fix in the files what is certain, then validate them: missing or superfluous quotes, "
        "names of fields and values with one wrong letter, deprecated fields that are ignored, "
        "defaults that are not written. Comments, order and style stay; a fix without effect is "
        "undone. Templates, patches and standard input are not changed."}},
      {{Command::kValidate},
       {"diff", into(&Options::diff, SwitchForm{}), "",
        "With --fix: print what it would change as a unified diff, change nothing and validate "
        "nothing. Exits with 1 when there is something to fix."}},
      {{Command::kConvert},
       {"to", into(&Options::convert_to, ChoiceForm{kApiVersions}), "v1beta1",
        "The API version of the result."}},
      {{Command::kConvert},
       {"diff", into(&Options::diff, SwitchForm{}), "",
        "Print the changes as a unified diff instead of the manifests."}},
  };
}

Rows evaluation_options() {
  return {
      {kWithEvaluationOptions,
       {"user", into(&Options::user, NameForm{"NAME", "the name of a user"}), "",
        "The requesting user, such as alice or system:serviceaccount:NAMESPACE:NAME. Only some "
        "accounts may scale what a scaling adapter owns. Not set: no particular user. `replay` "
        "takes the user of the review unless this is set."}},
      {kWithEvaluationOptions,
       {"namespace-scope", into(&Options::namespace_scope, NamespaceForm{}), "",
        "The one namespace to which the cluster's webhook is restricted; objects elsewhere are not "
        "validated. Not set: the whole cluster."}},
      {kWithEvaluationOptions,
       {"policy", into(&Options::policy_file, kFile), "",
        "The policy file of the cluster's webhook: YAML with `version: 1`, `severities` (of "
        "rules: deny, warn or off), `exemptions` (with a holder and an expiry) and `parameters` "
        "(such as allowedRegistries). docs/operations/policy.md shows one; `policy check` "
        "explains it."},
       Hint::kFiles},
      {kWithTime,
       {"now", into(&Options::now, TimeForm{}), "",
        "Validate as if it were this time, for verdicts that can be repeated; a day means its "
        "first moment in UTC. Not set: the clock."}},
      {kWithEvaluationOptions,
       {"operator-version", into(&Options::operator_version, kVersion), "",
        "Version of the Dynamo operator, recorded on new graphs. Not set: none is recorded; "
        "`replay` records 0.0.0-unknown, as a server without this flag does."}},
      {kWithEvaluationOptions,
       {"operator-service-account",
        into(&Options::operator_service_account, ServiceAccountForm<api::ServiceAccount>{}), "",
        "As the flag of the cluster's webhook: the one account that may scale what a scaling "
        "adapter owns, in addition to the planner."}},
      {kWithEvaluationOptions,
       {"inference-pool", into(&Options::inference_pool, ChoiceForm{kFacts}), "unknown",
        "Does the cluster serve inference.networking.k8s.io? An endpoint picker needs it; unknown "
        "only warns."}},
      {kWithEvaluationOptions,
       {"pathway", into(&Options::pathway, ChoiceForm{kPathways}), "unknown",
        "How the operator deploys a graph: `grove` if the cluster serves grove.io; else `lws` "
        "for graphs on several nodes if it serves LeaderWorkerSet and Volcano; else `component`, "
        "a Deployment. Rules that depend on it only warn while it is unknown."}},
      {kWithEvaluationOptions,
       {"kubernetes-version", into(&Options::kubernetes_minor, KubernetesVersionForm{}), "",
        "Version of the cluster. Rules that depend on it only warn while it is not set."}},
  };
}

// Facts about the operator.
Rows operator_facts() {
  return {
      {kWithGeneration,
       {"operator-generation",
        into(&Options::operator_generation, ChoiceForm{api::kGenerations<Choice>}), "unknown",
        "As the flag of the cluster's webhook: the operator as released with v1alpha1 alone, or a "
        "later one. `doctor` compares it with the cluster."}},
      {kWithEvaluationOptions,
       {"operator-replaced", into(&Options::operator_replaced, SwitchForm{}), "",
        "As the flag of the cluster's webhook: dynamo-reconciler runs graphs in the place of that "
        "operator."}},
      {kWithEvaluationOptions,
       {"unserved-kinds", into(&Options::unserved_kinds, UnservedKindsForm{}), "",
        "As the flag of the cluster's webhook: kinds for which dynamo-reconciler runs no "
        "controller; a warning says that nothing will happen."}},
      {kWithEvaluationOptions,
       {"discovery-backend", into(&Options::discovery_backend, ChoiceForm{api::kBackends<Choice>}),
        "unknown",
        "As the flag of the cluster's webhook: how services find each other in a graph that does "
        "not set it."}},
      {kWithEvaluationOptions,
       {"operator-checkpoints",
        into(&Options::operator_checkpoints, ChoiceForm{api::kSettings<Choice>}), "unknown",
        "As the flag of the cluster's webhook: whether a later operator serves checkpoints."}},
      {kWithEvaluationOptions,
       {"operator-gpu-discovery",
        into(&Options::operator_gpu_discovery, ChoiceForm{api::kSettings<Choice>}), "unknown",
        "As the flag of the cluster's webhook: whether a later operator discovers the GPUs of "
        "nodes."}},
      {kWithEvaluationOptions,
       {"dgdr-default-image",
        into(&Options::dgdr_default_image, NameForm{"IMAGE", "an image reference"}), "",
        "As the flag of the cluster's webhook: the image that later operators set in requests "
        "without one. Not set: the planner image of --operator-version."}},
  };
}

// The flags of dynamo-reconciler, except those that only it uses, and those of later operators.
Rows operators_flags() {
  Rows rows;
  for (const auto& flags : {reconciler::render_flags(), reconciler::profiling_flags(),
                            reconciler::checkpoint_flags(), reconciler::later_flags()}) {
    for (runtime::Flag<Options>& flag : runtime::flags_of<Options>(flags)) {
      rows.push_back({kRendering, std::move(flag)});
    }
  }
  return rows;
}

Rows output() {
  return {
      {{Command::kValidate},
       {"output", each_into(&Options::outputs, ReportForm{}), "text",
        "Report to print, or to write to a file: text, json, junit, sarif, tap or github. May be "
        "given several times. One report may go to standard output; if none does, text goes "
        "there.",
        'o'}},
      {{Command::kDefault, Command::kConvert, Command::kRender},
       {"output", into(&Options::object_format, ChoiceForm{kObjectFormats}), "yaml",
        "How to print the objects.", 'o'}},
      {{Command::kSchema},
       {"output", into(&Options::output_directory, NameForm{"DIR", "the name of a directory"}), "",
        "Write a file for each kind, and all.json, into this folder instead of printing.", 'o'},
       Hint::kDirectories},
      {{Command::kRules},
       {"output", into(&Options::list_format, ChoiceForm{kTableOrJson}), "table",
        "How to print the rules.", 'o'}},
      {{Command::kExplain, Command::kReplay, Command::kPolicy, Command::kConfig, Command::kDoctor,
        Command::kStatus, Command::kBench, Command::kVersion},
       {"output", into(&Options::list_format, ChoiceForm{kTextOrJson}), "text",
        "How to print the answer.", 'o'}},
      {{Command::kValidate, Command::kRules, Command::kLsp},
       {"only", each_into(&Options::only_rules, kRules), "",
        "Report findings of these rules only; the others do not count. `rules` lists only these."},
       Hint::kRuleIds},
      {{Command::kValidate, Command::kRules, Command::kLsp},
       {"skip", each_into(&Options::skipped_rules, kRules), "",
        "Do not report findings of these rules; they do not count. `rules` leaves these out."},
       Hint::kRuleIds},
      {{Command::kValidate, Command::kLsp},
       {"min-severity", into(&Options::least_severity, ChoiceForm{kSeverities}), "warning",
        "Report only findings of at least this severity."}},
      {{Command::kValidate, Command::kLsp},
       {"errors-only", into(&Options::errors_only, SwitchForm{}), "",
        "The same as --min-severity error."}},
      {{Command::kValidate, Command::kLsp},
       {"no-ignores", into(&Options::no_ignores, SwitchForm{}), "",
        "Also report findings that an object's annotation dynamo-admission.nvidia.com/ignore "
        "excuses."}},
      {{Command::kValidate, Command::kLsp},
       {"baseline", into(&Options::baseline_file, kFile), "",
        "Do not report findings listed in the file, which --write-baseline has written."},
       Hint::kFiles},
      {{Command::kValidate},
       {"write-baseline", into(&Options::write_baseline_file, kFile), "",
        "Write all findings of this run to the file and exit with 0, unless an input could not "
        "be read. For old repositories: from then on only new findings are reported."},
       Hint::kFiles},
      {{Command::kValidate},
       {"warnings-as-errors", into(&Options::warnings_as_errors, SwitchForm{}), "",
        "Exit with 1 for warnings too."}},
      {{Command::kValidate, Command::kDefault, Command::kRender, Command::kDiff, Command::kReplay,
        Command::kDoctor, Command::kStatus},
       {"colour", into(&Options::colour, ChoiceForm{kColours}), "auto",
        "Colours in text: auto uses them on a terminal, unless NO_COLOR is set.", '\0', "color"}},
      {{Command::kValidate, Command::kDefault, Command::kReplay},
       {"quiet", into(&Options::quiet, SwitchForm{}), "",
        "Print only findings and inputs that could not be read: no summary, no progress.", 'q'}},
  };
}

Rows running() {
  return {
      {{Command::kStatus},
       {"watch", into(&Options::watch, SwitchForm{}), "",
        "Read again every two seconds until interrupted. A terminal is redrawn; otherwise "
        "changes are printed, as JSON one line each time.",
        'w'}},
      {kValidating,
       {"jobs", into(&Options::jobs, CountForm{1, 256}), "",
        "Threads that validate. Not set: as many as this process has CPUs.", 'j'}},
      {{Command::kBench},
       {"rounds", into(&Options::rounds, CountForm{1, 1'000'000}), "5",
        "How many times all inputs are validated."}},
      {kEvery, {"help", runtime::ends_program<Options>(), "", "Print this page and exit.", 'h'}},
  };
}

void append(Rows& rows, std::string_view group, Rows more) {
  for (OptionRow& row : more) row.group = group;
  std::ranges::move(more, std::back_inserter(rows));
}

Rows all_rows() {
  Rows rows;
  append(rows, "Inputs", inputs());
  append(rows, "Inputs", clusters());
  append(rows, "Validating a change", changes());
  append(rows, "Fixing", fixing());
  append(rows, "Context of a verdict", evaluation_options());
  append(rows, "Context of a verdict", operator_facts());
  append(rows, "How the operator is started", operators_flags());
  append(rows, "Output", output());
  append(rows, "Running", running());
  return rows;
}

}  // namespace

std::span<const OptionRow> option_rows() {
  static const Rows rows = all_rows();
  return rows;
}

runtime::FlagTable<Options> option_table(Command command) {
  std::vector<runtime::FlagGroup<Options>> groups;
  for (const OptionRow& row : option_rows()) {
    if (!row.commands.has(command)) continue;
    if (groups.empty() || groups.back().title != row.group) groups.push_back({row.group, {}});
    groups.back().flags.push_back(row.flag);
  }
  return {{.name = kProgramName, .purpose = {}, .examples = {}, .table = {}}, groups};
}

const OptionRow* find_option(Command command, std::string_view name) {
  if (name.empty()) return nullptr;
  for (const OptionRow& row : option_rows()) {
    if (row.commands.has(command) && (row.flag.name == name || row.flag.also == name)) return &row;
  }
  return nullptr;
}

const OptionRow* find_option(Command command, char letter) {
  for (const OptionRow& row : option_rows()) {
    if (letter != '\0' && row.commands.has(command) && row.flag.letter == letter) return &row;
  }
  return nullptr;
}

}  // namespace dynamo::cli
