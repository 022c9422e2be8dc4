#include "cli/options/options_table.hpp"

#include <algorithm>
#include <array>
#include <ranges>
#include <utility>

#include "api/cluster_objects.hpp"
#include "runtime/flag_values.hpp"
#include "text/timestamp.hpp"

namespace dynamo::cli {
namespace {

constexpr std::string_view kInputsWord = "FILE|DIR|-";

// Each list stands in the order of its enum.
constexpr std::array<std::string_view, 6> kFormats{"text",  "json", "junit",
                                                   "sarif", "tap",  "github"};
constexpr std::array<std::string_view, 2> kObjectFormats{"yaml", "json"};
constexpr std::array<std::string_view, 2> kTextOrJson{"text", "json"};
constexpr std::array<std::string_view, 2> kTableOrJson{"table", "json"};
constexpr std::array<std::string_view, 2> kSeverities{"warning", "error"};
constexpr std::array<std::string_view, 3> kColours{"auto", "always", "never"};
constexpr std::array<std::string_view, 3> kFacts{"unknown", "no", "yes"};
constexpr std::array<std::string_view, 4> kPathways{"unknown", "grove", "lws", "component"};
constexpr std::array<std::string_view, 3> kGenerations{"unknown", "first", "later"};
constexpr std::array<std::string_view, 3> kBackends{"unknown", "kubernetes", "etcd"};

constexpr CommandSet kJudging{Command::kValidate, Command::kDefault, Command::kRender,
                              Command::kDiff, Command::kBench};
constexpr CommandSet kConfigured{Command::kValidate, Command::kDefault, Command::kBench,
                                 Command::kConfig, Command::kLsp};
constexpr CommandSet kWithCircumstances{Command::kValidate, Command::kDefault, Command::kRender,
                                        Command::kDiff,     Command::kReplay,  Command::kBench,
                                        Command::kLsp};
constexpr CommandSet kWithTime{Command::kValidate, Command::kDefault, Command::kRender,
                               Command::kDiff,     Command::kReplay,  Command::kPolicy,
                               Command::kBench,    Command::kLsp};
constexpr CommandSet kEvery{
    Command::kValidate, Command::kDefault, Command::kRender, Command::kDiff,   Command::kExplain,
    Command::kRules,    Command::kReplay,  Command::kPolicy, Command::kConfig, Command::kSchema,
    Command::kLsp,      Command::kDoctor,  Command::kStatus, Command::kBench,  Command::kCompletion,
    Command::kMan,      Command::kVersion, Command::kHelp};

template <std::size_t N>
std::size_t index_in(const std::array<std::string_view, N>& names, std::string_view value) {
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), value) - names.begin());
}

template <auto Member, const auto& Names>
bool set_choice(Options& options, std::string_view value) {
  const std::size_t index = index_in(Names, value);
  if (index == Names.size()) return false;
  using Enum = std::remove_reference_t<decltype(options.*Member)>;
  options.*Member = static_cast<Enum>(index);
  return true;
}

template <bool Options::*Member>
bool set_switch(Options& options, std::string_view value) {
  if (!value.empty() && value != "true" && value != "false") return false;
  options.*Member = value != "false";
  return true;
}

template <std::string Options::*Member>
bool set_text(Options& options, std::string_view value) {
  if (value.empty()) return false;
  options.*Member = value;
  return true;
}

template <std::string Options::*Member>
bool set_namespace(Options& options, std::string_view value) {
  if (!runtime::is_namespace_name(value)) return false;
  options.*Member = value;
  return true;
}

template <unsigned Options::*Member, unsigned Minimum, unsigned Maximum>
bool set_count(Options& options, std::string_view value) {
  const auto count = runtime::parse_count(value);
  if (!count || *count < Minimum || *count > Maximum) return false;
  options.*Member = static_cast<unsigned>(*count);
  return true;
}

bool add_filename(Options& options, std::string_view value) {
  if (value.empty()) return false;
  options.filenames.emplace_back(value);
  return true;
}

bool add_excluded(Options& options, std::string_view value) {
  if (value.empty()) return false;
  options.excluded.emplace_back(value);
  return true;
}

bool set_user(Options& options, std::string_view value) {
  if (value.empty()) return false;
  options.user = value;
  return true;
}

bool set_now(Options& options, std::string_view value) {
  const auto now = text::parse_day_or_timestamp(value);
  if (!now) return false;
  options.now = now;
  return true;
}

bool set_operator_version(Options& options, std::string_view value) {
  const bool printable =
      std::all_of(value.begin(), value.end(), [](char c) { return c > ' ' && c < '\x7f'; });
  return printable && set_text<&Options::operator_version>(options, value);
}

// "1.35", "v1.35", "1.35.2": the major version has been 1 for as long as there is Kubernetes.
bool set_kubernetes_version(Options& options, std::string_view value) {
  if (value.starts_with('v')) value.remove_prefix(1);
  if (!value.starts_with("1.")) return false;
  value.remove_prefix(2);
  const std::size_t point = value.find('.');
  const auto minor = runtime::parse_count(value.substr(0, point));
  const bool has_patch = point != std::string_view::npos;
  if (has_patch && !runtime::parse_count(value.substr(point + 1))) return false;
  if (!minor || *minor > 1000) return false;
  options.kubernetes_minor = static_cast<int>(*minor);
  return true;
}

bool set_operator_service_account(Options& options, std::string_view value) {
  auto account = runtime::parse_service_account(value);
  if (!account) return false;
  options.operator_service_account =
      api::ServiceAccount{std::move(account->service_namespace), std::move(account->name)};
  return true;
}

// NAMESPACE/NAME.
template <std::string Options::*Member>
bool set_pair(Options& options, std::string_view value) {
  if (!runtime::parse_service_account(value)) return false;
  options.*Member = value;
  return true;
}

// Separated by commas; of two such options the last one counts.
bool set_lookups(Options& options, std::string_view value) {
  options.cluster_lookups.clear();
  for (const auto part : std::views::split(value, ',')) {
    options.cluster_lookups.emplace_back(part.begin(), part.end());
  }
  return std::ranges::all_of(options.cluster_lookups, &api::is_lookup);
}

// Globs, separated by commas; of two such options the last one counts.
template <std::vector<std::string> Options::*Member>
bool set_globs(Options& options, std::string_view value) {
  std::vector<std::string>& globs = options.*Member;
  globs.clear();
  for (const auto part : std::views::split(value, ',')) {
    globs.emplace_back(part.begin(), part.end());
  }
  return std::ranges::none_of(globs, &std::string::empty);
}

// The same, of every such option.
template <std::vector<std::string> Options::*Member>
bool add_globs(Options& options, std::string_view value) {
  std::vector<std::string> globs = options.*Member;
  if (!set_globs<Member>(options, value)) {
    options.*Member = std::move(globs);
    return false;
  }
  (options.*Member).insert((options.*Member).begin(), globs.begin(), globs.end());
  return true;
}

bool set_lease_max_duration(Options& options, std::string_view value) {
  using std::chrono::seconds;
  const auto duration = runtime::parse_duration(value);
  if (!duration || *duration < seconds(1) || *duration > std::chrono::hours(24)) return false;
  options.lease_max_duration = std::chrono::floor<seconds>(*duration);
  return options.lease_max_duration == *duration;
}

// FORMAT or FORMAT=FILE.
bool add_output(Options& options, std::string_view value) {
  const std::size_t equals = value.find('=');
  const std::size_t format = index_in(kFormats, value.substr(0, equals));
  if (format == kFormats.size()) return false;
  std::string file;
  if (equals != std::string_view::npos) {
    file = value.substr(equals + 1);
    if (file.empty()) return false;
    if (file == "-") file.clear();
  }
  options.outputs.push_back({static_cast<Format>(format), std::move(file)});
  return true;
}

// clang-format off
constexpr auto kOptions = std::to_array<OptionRow>({
    {Group::kInputs, kJudging, 'f', "filename", "", kInputsWord, true, "", Hint::kFiles, {},
     "the name of a file, of a directory, or - for standard input",
     "What to read: a file, the manifests (*.yaml, *.yml, *.json) of a directory, or - for "
     "standard input. May also be given without -f.",
     &add_filename},
    {Group::kInputs, kJudging, 'R', "recursive", "", "", false, "", Hint::kNothing, {}, "",
     "Read directories with all that is below them.",
     &set_switch<&Options::recursive>},
    {Group::kInputs, kJudging, '\0', "exclude", "", "GLOB", true, "", Hint::kNothing, {},
     "a pattern of names, such as */templates/*",
     "Leave out what matches in a directory: * stands for any characters, / too, ? for one. The "
     "whole name counts, as a report would show it. The templates of a chart (beside a "
     "Chart.yaml) are left out with -R anyhow.",
     &add_excluded},
    {Group::kInputs, kJudging, '\0', "as-found", "", "", false, "", Hint::kNothing, {}, "",
     "Take files that are named as if they had been found in their directories: what is no manifest, "
     "a template, or a patch of the kustomization beside it is passed over. For hooks that name "
     "every changed file.",
     &set_switch<&Options::as_found>},
    {Group::kInputs, {Command::kValidate}, '\0', "strict-versions", "", "", false, "", Hint::kNothing, {}, "",
     "Objects of an API version that this release does not judge are inputs that could not be read; "
     "else they are counted and told.",
     &set_switch<&Options::strict_versions>},
    {Group::kInputs, {Command::kValidate}, '\0', "require-objects", "", "", false, "", Hint::kNothing, {}, "",
     "Exit with 1 when there was no object to judge.",
     &set_switch<&Options::require_objects>},
    {Group::kInputs, kConfigured, '\0', "config", "", "FILE|none", false, "", Hint::kFiles, {},
     "the name of a file, or none",
     "The configuration file. Not set: the nearest .dynamo-admission.yaml in the folders of the "
     "inputs and above them; `config` shows what it says.",
     &set_text<&Options::config_file>},
    {Group::kInputs, {Command::kConfig}, 'f', "filename", "", kInputsWord, true, "", Hint::kFiles, {},
     "the name of a file, of a directory, or - for standard input",
     "Whose configuration to look for. May also be given without -f.",
     &add_filename},
    {Group::kInputs, {Command::kReplay, Command::kPolicy}, 'f', "filename", "", "FILE|-", false, "", Hint::kFiles, {},
     "the name of a file, or - for standard input",
     "The same as the argument FILE.",
     &set_text<&Options::argument>},
    {Group::kInputs, kJudging, 'n', "namespace", "", "NAMESPACE", false, "default", Hint::kNothing, {},
     "the name of a namespace: at most 63 lower-case letters, digits and inner hyphens",
     "Namespace of objects that name none.",
     &set_namespace<&Options::namespace_name>},

    {Group::kInputs, {Command::kDoctor, Command::kStatus}, '\0', "kubeconfig", "", "FILE", false, "", Hint::kFiles, {},
     "the name of a file",
     "Where the cluster is and who asks. Not set: the files of the environment's KUBECONFIG, else "
     "~/.kube/config; in a pod its service account.",
     &set_text<&Options::kubeconfig>},
    {Group::kInputs, {Command::kDoctor, Command::kStatus}, '\0', "context", "", "NAME", false, "", Hint::kNothing, {},
     "the name of a context", "Which context of the kubeconfig. Not set: the current one.",
     &set_text<&Options::kube_context>},
    {Group::kInputs, {Command::kStatus}, 'n', "namespace", "", "NAMESPACE", false, "", Hint::kNothing, {},
     "the name of a namespace: at most 63 lower-case letters, digits and inner hyphens",
     "Whose objects are shown. Not set: the namespace of the context, else `default`.",
     &set_namespace<&Options::shown_namespace>},
    {Group::kInputs, {Command::kStatus}, 'A', "all-namespaces", "", "", false, "", Hint::kNothing, {}, "",
     "Show the objects of all namespaces.",
     &set_switch<&Options::all_namespaces>},
    {Group::kInputs, {Command::kDoctor}, 'n', "namespace", "", "NAMESPACE", false, "", Hint::kNothing, {},
     "the name of a namespace: at most 63 lower-case letters, digits and inner hyphens",
     "Where the dry run tries to create an object, which the webhook must judge, and which the "
     "namespaceSelectors must select. Not set: the namespace of --restricted-namespace, else "
     "`default`.",
     &set_namespace<&Options::dry_run_namespace>},
    {Group::kInputs, {Command::kDoctor}, '\0', "restricted-namespace", "", "NAMESPACE", false, "", Hint::kNothing, {},
     "the name of a namespace: at most 63 lower-case letters, digits and inner hyphens",
     "What the server's --restricted-namespace names: its rights, its marker Lease and the dry run "
     "are looked at there. Not set: a server of the whole cluster.",
     &set_namespace<&Options::restricted_namespace>},
    {Group::kInputs, {Command::kDoctor}, '\0', "secret", "", "NAMESPACE/NAME", false, "", Hint::kNothing, {},
     "a Secret, written NAMESPACE/NAME",
     "The Secret with the served certificate, for when no endpoint of a Service in its namespace can "
     "be reached from here.",
     &set_pair<&Options::secret>},
    {Group::kInputs, {Command::kDoctor}, '\0', "service-account", "", "NAMESPACE/NAME", false, "", Hint::kNothing, {},
     "a service account, written NAMESPACE/NAME",
     "Whose rights are looked at. Not set: those of whoever asks.",
     &set_pair<&Options::service_account>},
    {Group::kInputs, {Command::kDoctor}, '\0', "cluster-lookups", "", "RESOURCES", false, "", Hint::kNothing, {},
     "all, or some of dynamographdeployments, persistentvolumeclaims, configmaps and secrets, separated by commas",
     "What the server's --cluster-lookups names: whether it may list and watch these is looked at, too.",
     &set_lookups},
    {Group::kInputs, {Command::kDoctor}, '\0', "inject-crds", "", "", false, "", Hint::kNothing, {}, "",
     "The server runs with --inject-crds: its rights to CustomResourceDefinitions are looked at, too.",
     &set_switch<&Options::inject_crds>},
    {Group::kInputs, {Command::kDoctor}, '\0', "lease-namespaces", "", "GLOB,...", false, "", Hint::kNothing, {},
     "names of namespaces, with * and ?, separated by single commas",
     "What the server's --lease-namespaces names: marker Leases elsewhere look forged.",
     &set_globs<&Options::lease_namespaces>},
    {Group::kInputs, {Command::kDoctor}, '\0', "lease-holders", "", "GLOB,...", false, "", Hint::kNothing, {},
     "names of holders, with * and ?, separated by single commas",
     "What the server's --lease-holders names: marker Leases of others look forged.",
     &set_globs<&Options::lease_holders>},
    {Group::kInputs, {Command::kDoctor}, '\0', "lease-max-duration", "", "DURATION", false, "5m", Hint::kNothing, {},
     "a duration of whole seconds from 1s to 24h, such as 90s",
     "The server's --lease-max-duration: marker Leases that are to live longer look forged.",
     &set_lease_max_duration},

    {Group::kChange, kJudging, '\0', "old", "", "FILE|DIR", false, "", Hint::kFiles, {},
     "the name of a file or of a directory",
     "The objects as they are stored now. An object that is among them (same kind, namespace and "
     "name) is judged as an update.",
     &set_text<&Options::old_path>},
    {Group::kChange, kJudging, '\0', "against", "", "GIT-REF", false, "", Hint::kNothing, {},
     "a commit of the git repository around the inputs, such as main or HEAD~1",
     "The same, with the objects as they are in a commit: a branch, a tag, HEAD~1.",
     &set_text<&Options::against>},

    {Group::kMending, {Command::kValidate}, '\0', "fix", "", "", false, "", Hint::kNothing, {}, "",
     "Mend in the files what is certain, then judge them: quotes that are missing or too many, names "
     "of fields and values one letter beside the right one, deprecated fields that are ignored, "
     "defaults that are not written. Comments, order and style stay; what helps nothing is taken "
     "back. Templates, patches and standard input are left as they are.",
     &set_switch<&Options::fix>},
    {Group::kMending, {Command::kValidate}, '\0', "diff", "", "", false, "", Hint::kNothing, {}, "",
     "With --fix: print what it would change as a unified diff, change nothing and judge nothing. "
     "Exits with 1 when there is something to mend.",
     &set_switch<&Options::diff>},

    {Group::kCircumstances, kWithCircumstances, '\0', "user", "", "NAME", false, "", Hint::kNothing, {},
     "the name of a user",
     "Who asks, such as alice or system:serviceaccount:NAMESPACE:NAME. Only some accounts may "
     "scale what a scaling adapter owns. Not set: nobody in particular. `replay` takes the user "
     "of the review unless this is set.",
     &set_user},
    {Group::kCircumstances, kWithCircumstances, '\0', "namespace-scope", "", "NAMESPACE", false, "", Hint::kNothing, {},
     "the name of a namespace: at most 63 lower-case letters, digits and inner hyphens",
     "The one namespace to which the cluster's webhook is restricted; the rules are not asked of "
     "objects elsewhere. Not set: the whole cluster.",
     &set_namespace<&Options::namespace_scope>},
    {Group::kCircumstances, kWithCircumstances, '\0', "policy", "", "FILE", false, "", Hint::kFiles, {},
     "the name of a file",
     "The policy of the cluster's webhook, the same file: YAML with `version: 1`, `severities` "
     "(of rules: deny, warn or off), `exemptions` (of holders, until a day) and `parameters` (such "
     "as allowedRegistries). docs/operations.md, \"Give it a policy\", shows one; `policy check` "
     "explains it.",
     &set_text<&Options::policy_file>},
    {Group::kCircumstances, kWithTime, '\0', "now", "", "TIME", false, "", Hint::kNothing, {},
     "a time as RFC 3339 writes it, such as 2026-02-03T04:05:06Z, or a day, such as 2026-02-03",
     "Judge as if it were this time, for verdicts that can be repeated; a day stands for its first "
     "moment in UTC. Not set: the clock.",
     &set_now},
    {Group::kCircumstances, kWithCircumstances, '\0', "operator-version", "", "VERSION", false, "", Hint::kNothing, {},
     "text of printable ASCII without blanks, such as 1.2.0",
     "Version of the Dynamo operator, which new graphs are stamped with. Not set: they are not "
     "stamped; `replay` stamps 0.0.0-unknown, as a server does that was not told.",
     &set_operator_version},
    {Group::kCircumstances, kWithCircumstances, '\0', "operator-service-account", "", "NAMESPACE/NAME", false, "", Hint::kNothing, {},
     "a service account, written NAMESPACE/NAME",
     "As the flag of the cluster's webhook: the one account that may scale what a scaling adapter "
     "owns, beside the planner.",
     &set_operator_service_account},
    {Group::kCircumstances, kWithCircumstances, '\0', "inference-pool", "", "unknown|no|yes", false, "unknown", Hint::kChoices, kFacts,
     "unknown, no or yes",
     "Does the cluster serve inference.networking.k8s.io? An endpoint picker needs it; unknown "
     "only warns.",
     &set_choice<&Options::inference_pool, kFacts>},
    {Group::kCircumstances, kWithCircumstances, '\0', "pathway", "", "unknown|grove|lws|component", false, "unknown", Hint::kChoices, kPathways,
     "unknown, grove, lws or component",
     "What the operator makes of a graph: `grove` where grove.io is served, else `lws` for graphs of "
     "several nodes where LeaderWorkerSet and Volcano are, else `component`, a Deployment. Rules "
     "that differ only warn while it is unknown.",
     &set_choice<&Options::pathway, kPathways>},
    {Group::kCircumstances, kWithCircumstances, '\0', "kubernetes-version", "", "VERSION", false, "", Hint::kNothing, {},
     "a Kubernetes version, such as 1.35",
     "Version of the cluster. Rules that depend on it only warn while it is not set.",
     &set_kubernetes_version},
    {Group::kCircumstances, kWithCircumstances, '\0', "operator-generation", "", "unknown|first|later", false, "unknown", Hint::kChoices, kGenerations,
     "unknown, first or later",
     "As the flag of the cluster's webhook: the operator as released with v1alpha1 alone, or a later "
     "one.",
     &set_choice<&Options::operator_generation, kGenerations>},
    {Group::kCircumstances, kWithCircumstances, '\0', "discovery-backend", "", "unknown|kubernetes|etcd", false, "unknown", Hint::kChoices, kBackends,
     "unknown, kubernetes or etcd",
     "As the flag of the cluster's webhook: how services of a graph that says nothing find each "
     "other.",
     &set_choice<&Options::discovery_backend, kBackends>},

    {Group::kOutput, {Command::kValidate}, 'o', "output", "", "FORMAT[=FILE]", true, "text", Hint::kChoices, kFormats,
     "text, json, junit, sarif, tap or github, each also with =FILE",
     "What to print, or to write to a file: text, json, junit, sarif, tap or github. May be given "
     "several times; one of them may go to standard output, where text goes if none does.",
     &add_output},
    {Group::kOutput, {Command::kDefault, Command::kRender}, 'o', "output", "", "yaml|json", false, "yaml", Hint::kChoices, kObjectFormats,
     "yaml or json", "How to print the objects.",
     &set_choice<&Options::object_format, kObjectFormats>},
    {Group::kOutput, {Command::kSchema}, 'o', "output", "", "DIR", false, "", Hint::kDirectories, {},
     "the name of a directory",
     "Write a file for each kind, and all.json, into this folder instead of printing.",
     &set_text<&Options::output_directory>},
    {Group::kOutput, {Command::kRules}, 'o', "output", "", "table|json", false, "table", Hint::kChoices, kTableOrJson,
     "table or json", "How to print the rules.",
     &set_choice<&Options::list_format, kTableOrJson>},
    {Group::kOutput, {Command::kExplain, Command::kReplay, Command::kPolicy, Command::kConfig, Command::kDoctor, Command::kStatus, Command::kBench, Command::kVersion}, 'o', "output", "", "text|json", false, "text", Hint::kChoices, kTextOrJson,
     "text or json", "How to print the answer.",
     &set_choice<&Options::list_format, kTextOrJson>},
    {Group::kOutput, {Command::kValidate, Command::kRules, Command::kLsp}, '\0', "only", "", "RULE,...", true, "", Hint::kRuleIds, {},
     "ids of rules, with * and ?, separated by commas",
     "Hear findings of these rules only; the others do not count. `rules` lists only these.",
     &add_globs<&Options::only_rules>},
    {Group::kOutput, {Command::kValidate, Command::kRules, Command::kLsp}, '\0', "skip", "", "RULE,...", true, "", Hint::kRuleIds, {},
     "ids of rules, with * and ?, separated by commas",
     "Hear nothing of these rules; their findings do not count. `rules` leaves these out.",
     &add_globs<&Options::skipped_rules>},
    {Group::kOutput, {Command::kValidate, Command::kLsp}, '\0', "min-severity", "", "warning|error", false, "warning", Hint::kChoices, kSeverities,
     "warning or error", "Hear only what is at least so severe.",
     &set_choice<&Options::least_severity, kSeverities>},
    {Group::kOutput, {Command::kValidate, Command::kLsp}, '\0', "errors-only", "", "", false, "", Hint::kNothing, {}, "",
     "The same as --min-severity error.",
     &set_switch<&Options::errors_only>},
    {Group::kOutput, {Command::kValidate, Command::kLsp}, '\0', "no-ignores", "", "", false, "", Hint::kNothing, {}, "",
     "Hear also what an object's annotation dynamo-admission.nvidia.com/ignore excuses.",
     &set_switch<&Options::no_ignores>},
    {Group::kOutput, {Command::kValidate, Command::kLsp}, '\0', "baseline", "", "FILE", false, "", Hint::kFiles, {},
     "the name of a file",
     "Hear nothing of the findings that the file has, which --write-baseline has written.",
     &set_text<&Options::baseline_file>},
    {Group::kOutput, {Command::kValidate}, '\0', "write-baseline", "", "FILE", false, "", Hint::kFiles, {},
     "the name of a file",
     "Write all findings of this run to the file and exit with 0, unless an input could not be read. "
     "For old repositories: what is new is found from then on.",
     &set_text<&Options::write_baseline_file>},
    {Group::kOutput, {Command::kValidate}, '\0', "warnings-as-errors", "", "", false, "", Hint::kNothing, {}, "",
     "Exit with 1 for warnings too.",
     &set_switch<&Options::warnings_as_errors>},
    {Group::kOutput, {Command::kValidate, Command::kDefault, Command::kRender, Command::kDiff, Command::kReplay, Command::kDoctor, Command::kStatus}, '\0', "colour", "color", "auto|always|never", false, "auto", Hint::kChoices, kColours,
     "auto, always or never",
     "Colours in text: auto uses them on a terminal, unless NO_COLOR is set.",
     &set_choice<&Options::colour, kColours>},
    {Group::kOutput, {Command::kValidate, Command::kDefault, Command::kReplay}, 'q', "quiet", "", "", false, "", Hint::kNothing, {}, "",
     "Only findings and inputs that could not be read: no summary, no progress.",
     &set_switch<&Options::quiet>},

    {Group::kRun, {Command::kStatus}, 'w', "watch", "", "", false, "", Hint::kNothing, {}, "",
     "Look again every two seconds, until it is interrupted: a terminal is drawn anew, else what has "
     "changed is printed again, as JSON a line each time.",
     &set_switch<&Options::watch>},
    {Group::kRun, kJudging, 'j', "jobs", "", "NUMBER", false, "", Hint::kNothing, {},
     "a number from 1 to 256",
     "Threads that judge. Not set: as many as this process has CPUs.",
     &set_count<&Options::jobs, 1, 256>},
    {Group::kRun, {Command::kBench}, '\0', "rounds", "", "NUMBER", false, "5", Hint::kNothing, {},
     "a number from 1 to 1000000",
     "How often everything is judged.",
     &set_count<&Options::rounds, 1, 1'000'000>},
    // parse_options() looks at it itself: it wins over every mistake.
    {Group::kRun, kEvery, 'h', "help", "", "", false, "", Hint::kNothing, {}, "",
     "Print this page and exit.",
     [](Options&, std::string_view) { return true; }},
});
// clang-format on

}  // namespace

std::string_view title(Group group) {
  constexpr std::array<std::string_view, 6> kTitles{
      "Inputs", "Judging a change", "Mending", "What a verdict may depend on", "Output", "Running"};
  return kTitles[static_cast<std::size_t>(group)];
}

std::span<const OptionRow> option_rows() {
  return kOptions;
}

const OptionRow* find_option(Command command, std::string_view name) {
  if (name.empty()) return nullptr;
  for (const OptionRow& row : kOptions) {
    if (row.commands.has(command) && (row.name == name || row.also == name)) return &row;
  }
  return nullptr;
}

const OptionRow* find_option(Command command, char letter) {
  for (const OptionRow& row : kOptions) {
    if (letter != '\0' && row.commands.has(command) && row.letter == letter) return &row;
  }
  return nullptr;
}

}  // namespace dynamo::cli
