#include <algorithm>
#include <array>
#include <cassert>

#include "cli/options/options_table.hpp"

namespace dynamo::cli {
namespace {

constexpr std::string_view kInputsWord = "FILE|DIR|-";
constexpr std::array<std::string_view, 1> kPolicyVerbs{"check"};
constexpr std::array<std::string_view, 7> kKinds{"DynamoCheckpoint",
                                                 "DynamoComponentDeployment",
                                                 "DynamoGraphDeployment",
                                                 "DynamoGraphDeploymentRequest",
                                                 "DynamoGraphDeploymentScalingAdapter",
                                                 "DynamoModel",
                                                 "DynamoWorkerMetadata"};
constexpr std::array<std::string_view, 3> kShells{"bash", "zsh", "fish"};

constexpr auto kValidateExamples = std::to_array<Example>({
    {"one file", "kubectl dynamo validate -f graph.yaml"},
    {"a folder and all below it", "kubectl dynamo validate -R -f deploy/"},
    {"what a chart renders", "helm template my-chart | kubectl dynamo validate -f -"},
    {"what a merge would change: each object against the same one on main",
     "kubectl dynamo validate -R -f deploy/ --against main"},
    {"in continuous integration: annotations, and a report to upload",
     "kubectl dynamo validate -R -f deploy/ -o github -o sarif=dynamo.sarif"},
    {"preview of the fixes; without --diff they are written",
     "kubectl dynamo validate -R -f deploy/ --fix --diff"},
    {"as a user, in a cluster whose webhook is restricted to a namespace",
     "kubectl dynamo validate -f graph.yaml --user alice --namespace-scope team-a"},
});
constexpr auto kDefaultExamples = std::to_array<Example>({
    {"the object as `kubectl apply` would store it", "kubectl dynamo default -f graph.yaml"},
    {"the same as JSON", "kubectl dynamo default -f graph.yaml -o json"},
});
constexpr auto kConvertExamples = std::to_array<Example>({
    {"manifests for an operator of 1.5 or later",
     "kubectl dynamo convert -f graph.yaml > new.yaml"},
    {"what the conversion changes", "kubectl dynamo convert -f graph.yaml --diff"},
    {"back to the earlier version", "kubectl dynamo convert -f new.yaml --to v1alpha1"},
});
constexpr auto kRenderExamples = std::to_array<Example>({
    {"what a graph becomes", "kubectl dynamo render -f graph.yaml"},
    {"in a cluster that serves LeaderWorkerSets, where services find each other through etcd",
     "kubectl dynamo render -f graph.yaml --pathway lws --discovery-backend etcd"},
});
constexpr auto kDiffExamples = std::to_array<Example>({
    {"what a merge would change, and whose pods it would replace",
     "kubectl dynamo diff -R -f deploy/ --against main"},
    {"what an apply would do to the cluster of a context, whose operator has a NATS address",
     "kubectl dynamo diff -f graph.yaml --context lab --natsAddr nats://nats:4222"},
    {"the saved objects of a cluster against those that should exist",
     "kubectl dynamo diff -f graph.yaml --old saved.yaml"},
});
constexpr auto kExplainExamples = std::to_array<Example>({
    {"the id in brackets at the end of a message",
     "kubectl dynamo explain service.replicas.non-negative"},
    {"all rules about probes", "kubectl dynamo explain 'pod.probe*'"},
});
constexpr auto kRulesExamples = std::to_array<Example>({
    {"everything that is checked or set", "kubectl dynamo rules"},
    {"those about claims and volumes", "kubectl dynamo rules --only 'storage.*,dgd.pvc.*'"},
    {"for a program", "kubectl dynamo rules -o json"},
});
constexpr auto kReplayExamples = std::to_array<Example>({
    {"one review, as the API server posted it", "kubectl dynamo replay review.json"},
    {"a capture with one review a line, validated by the current rules",
     "kubectl dynamo replay capture.jsonl"},
});
constexpr auto kPolicyExamples = std::to_array<Example>({
    {"what a policy changes, before it is mounted", "kubectl dynamo policy check policy.yaml"},
    {"as it will be at the end of the year",
     "kubectl dynamo policy check policy.yaml --now 2026-12-31"},
});
constexpr auto kConfigExamples = std::to_array<Example>({
    {"the settings for the manifests of a folder, and their sources",
     "kubectl dynamo config deploy/"},
    {"all configurations of a repository", "kubectl dynamo config -R ."},
});
constexpr auto kSchemaExamples = std::to_array<Example>({
    {"one for every manifest, for an editor's settings",
     "kubectl dynamo schema > dynamo-schema.json"},
    {"a file for each kind, and all.json", "kubectl dynamo schema -o schemas/"},
});
constexpr auto kLspExamples = std::to_array<Example>({
    {"as editors start it", "kubectl-dynamo lsp"},
    {"for clusters with Grove", "kubectl-dynamo lsp --pathway grove"},
});
constexpr auto kDoctorExamples = std::to_array<Example>({
    {"the cluster of the current context", "kubectl dynamo doctor"},
    {"the rights of the server's account, not of the caller",
     "kubectl dynamo doctor --service-account dynamo-system/dynamo-webhook"},
    {"a server that validates one namespace only",
     "kubectl dynamo doctor --restricted-namespace team-a"},
});
constexpr auto kStatusExamples = std::to_array<Example>({
    {"everything in the namespace of the current context", "kubectl dynamo status"},
    {"one graph, drawn again while it comes up", "kubectl dynamo status llama -w"},
    {"all namespaces, for a program", "kubectl dynamo status -A -o json"},
});
constexpr auto kBenchExamples = std::to_array<Example>({
    {"documents a second on this machine", "kubectl dynamo bench -R -f deploy/"},
});
constexpr auto kCompletionExamples = std::to_array<Example>({
    {"bash, for this shell", "source <(kubectl-dynamo completion bash)"},
    {"zsh, in a folder of $fpath", "kubectl-dynamo completion zsh > ~/.zfunc/_kubectl-dynamo"},
    {"fish", "kubectl-dynamo completion fish > ~/.config/fish/completions/kubectl-dynamo.fish"},
});
constexpr auto kManExamples = std::to_array<Example>({
    {"read it", "kubectl dynamo man | man -l -"},
    {"install it", "kubectl dynamo man > /usr/local/share/man/man1/kubectl-dynamo.1"},
});

// clang-format off
constexpr auto kCommands = std::to_array<CommandRow>({
    {Command::kValidate, "validate", "checks manifests as the cluster would",
     CommandArguments::kInputs, kInputsWord, Hint::kFiles, {},
     "Reads manifests (YAML or JSON, many documents in one file, lists) and validates every "
     "object of nvidia.com/v1alpha1 in them: the schema of its resource, then the rules of the "
     "admission webhook. Nothing is sent anywhere. Objects of other kinds are counted and "
     "otherwise ignored. An input that cannot be read is reported in one line; the rest is still "
     "checked.\nA new object is validated as if it were created. With --old or --against, an "
     "object that existed before (same kind, namespace and name) is validated as an update of "
     "it, so that changes to immutable fields are found before they are merged.",
     kValidateExamples},
    {Command::kDefault, "default", "prints objects as the cluster would store them",
     CommandArguments::kInputs, kInputsWord, Hint::kFiles, {},
     "Reads manifests as `validate` does and prints each object of nvidia.com, in its own API "
     "version, with its defaults set and without the fields that the schema does not know: "
     "`explain 'dgd.default.*'` describes the defaults. Those of v1beta1 depend on --pathway and "
     "--operator-version. An object that would be refused is not printed; its errors are printed "
     "on standard error.",
     kDefaultExamples},
    {Command::kConvert, "convert", "converts manifests between v1alpha1 and v1beta1",
     CommandArguments::kInputs, kInputsWord, Hint::kFiles, {},
     "Reads manifests and prints them with every graph, component, request and scaling adapter in "
     "the API version of --to, as the operator's conversion webhook returns them. Fields that the "
     "new version cannot express are kept in annotations such as nvidia.com/dgd-spec, so that a "
     "conversion back loses nothing. A comment stays with its field if the field keeps its place; "
     "standard error has the lines of other comments. Objects of other kinds, and those that have "
     "the version already, are printed unchanged. No file is written.",
     kConvertExamples},
    {Command::kRender, "render", "prints the objects that the operator renders",
     CommandArguments::kInputs, kInputsWord, Hint::kFiles, {},
     "Reads manifests as `validate` does and prints all objects that an operator of this version "
     "with the given flags creates for each of them, down to Deployments and Services. With "
     "--kubeconfig or --context the cluster's objects are taken into account. Without, objects "
     "that depend on them, such as on a named checkpoint, cannot be rendered; standard error has "
     "the reason. Objects of v1beta1 are rendered as later operators do; graphs, components and "
     "requests of v1alpha1, too, with `--operator-generation later` or a cluster that serves "
     "v1beta1.",
     kRenderExamples},
    {Command::kDiff, "diff", "shows which objects a change creates, changes, deletes and rolls",
     CommandArguments::kInputs, kInputsWord, Hint::kFiles, {},
     "Renders each object as it was and as it is, and shows the effect on the rendered objects: + "
     "is created, ~ changes, - is deleted; \"rolls\" means that pods are replaced. The old state "
     "is that of --old or --against, else that of the cluster of --kubeconfig or --context, else "
     "that of the current context. Without these options and without a kubeconfig every object is "
     "shown as created. Values are shown for images, replicas and restartAt only; others might be secrets. "
     "Nothing is written.",
     kDiffExamples},
    {Command::kExplain, "explain", "explains a rule by the id in a message",
     CommandArguments::kOne, "RULE-ID", Hint::kRuleIds, {},
     "Prints what the rule requires, its kinds and operations, and whether it refuses or warns. A "
     "whole message may be pasted, in quotes, and a pattern (`pod.*`) explains all that it "
     "matches.",
     kExplainExamples},
    {Command::kRules, "rules", "lists every rule and every default",
     CommandArguments::kNone, "", Hint::kNothing, {},
     "Prints one line each, in the order in which they run. `explain` describes one rule.",
     kRulesExamples},
    {Command::kReplay, "replay", "validates recorded admission reviews as the server would",
     CommandArguments::kOne, "FILE", Hint::kFiles, {},
     "FILE (- is standard input) holds one AdmissionReview, or one a line. Each is answered as the "
     "webhook server would answer it today, and the verdict is printed.",
     kReplayExamples},
    {Command::kPolicy, "policy", "checks a policy file and explains what it changes",
     CommandArguments::kVerbed, "FILE", Hint::kFiles, kPolicyVerbs,
     "FILE (- is standard input) is the file of the webhook's --policy, which `validate "
     "--policy` takes too. Every mistake in it is printed with its place. For a file without "
     "mistakes it prints which rules get which severity for which objects, which parameters apply, "
     "and how long the exemptions last; statements without effect and expired exemptions are "
     "warnings.",
     kPolicyExamples},
    {Command::kConfig, "config", "shows which settings count for manifests, and where they come from",
     CommandArguments::kInputs, kInputsWord, Hint::kFiles, {},
     "A file .dynamo-admission.yaml sets options of `validate` for a repository, one per line, "
     "by their names without leading hyphens (`operator-generation: first`); a list sets an "
     "option that may be given several times. It is searched for in the folders of the inputs "
     "and above them, up to the root of their git repository. Flags of the operator, for "
     "`render` and `diff`, are listed below `operatorFlags`. The command line takes precedence. "
     "Without inputs the current folder counts. If the inputs belong to several files, each is "
     "shown; -R searches below folders, too. `config` prints the settings that a file or the "
     "command line sets; --show-all adds the defaults.",
     kConfigExamples},
    {Command::kSchema, "schema", "prints the schema of the manifests for editors",
     CommandArguments::kOptional, "KIND", Hint::kChoices, kKinds,
     "JSON Schema 2020-12 for yaml-language-server, VS Code and other editors: names, types, "
     "bounds, closed lists of values, defaults and descriptions. KIND may be a short name, as dgd; "
     "without one the schema takes every manifest, and ignores those of other kinds. It does not "
     "contain the rules: `validate` checks those. docs/editor.md shows the settings.",
     kSchemaExamples},
    {Command::kLsp, "lsp", "is a language server for editors",
     CommandArguments::kNone, "", Hint::kNothing, {},
     "Implements the language server protocol on standard input and output: what `validate` "
     "finds while the user types, fixes as code actions, what a field is for, names and values "
     "to complete. The configuration that is nearest to a document counts, as for `validate`. "
     "Only this configuration, the files that it names and kustomizations are opened; no "
     "connection is opened. docs/editor.md shows the settings.",
     kLspExamples},
    {Command::kDoctor, "doctor", "finds problems of an installed webhook",
     CommandArguments::kNone, "", Hint::kNothing, {},
     "Checks a cluster from outside: the webhook configurations (rules, selectors, time-outs, "
     "failure policies, caBundles), the Service and its endpoints, the certificate that is "
     "served, rights, clocks, marker leases; and asks the API server to create an object that "
     "must be denied, as a dry run. Changes nothing. Each line states what must hold, what was "
     "found and what to do. Exits with 1 when a check failed, with 2 when the cluster cannot be "
     "asked; as JSON, `error` has the reason.\nThe webhook's image contains this program: in a pod "
     "the doctor also reaches the servers' pods.",
     kDoctorExamples},
    {Command::kStatus, "status", "shows graphs with their services, pods, models and events as a tree",
     CommandArguments::kOptional, "NAME", Hint::kNothing, {},
     "Reads the objects of nvidia.com/v1alpha1 in a namespace of a cluster, and its pods and "
     "events, and prints them as one tree: graphs with their services, below these scaling "
     "adapters, models, checkpoints and pods (at most 10 of a service, those with problems "
     "first; as JSON at most 100), each with its conditions and its last three events; then what "
     "belongs to no graph. NAME shows the graph of that name, else any object of that name. "
     "Changes nothing. The end of the output lists what it may not read and what the cluster "
     "does not serve.\nExits with 2 when the cluster cannot be asked, or has no object of that "
     "name.",
     kStatusExamples},
    {Command::kBench, "bench", "measures how fast the given manifests are validated here",
     CommandArguments::kInputs, kInputsWord, Hint::kFiles, {},
     "Reads the inputs once, then parses and validates them --rounds times on --jobs threads, "
     "and prints documents and bytes a second and the time of one document.",
     kBenchExamples},
    {Command::kCompletion, "completion", "prints a script that completes commands in a shell",
     CommandArguments::kOne, "SHELL", Hint::kChoices, kShells,
     "SHELL is bash, zsh or fish. The script completes `kubectl-dynamo`; for `kubectl dynamo`, "
     "kubectl itself asks the program kubectl_complete-dynamo, which is installed next to this "
     "one.",
     kCompletionExamples},
    {Command::kMan, "man", "prints the manual page", CommandArguments::kNone, "", Hint::kNothing, {},
     "In roff, for man(1).", kManExamples},
    {Command::kVersion, "version", "prints the version", CommandArguments::kNone, "", Hint::kNothing, {},
     "Also prints the API that it supports.", {}},
    {Command::kHelp, "help", "explains this program or one of its commands",
     CommandArguments::kOptional, "COMMAND", Hint::kCommands, {},
     "`kubectl dynamo COMMAND --help` prints the same.", {}},
    {Command::kComplete, "__complete", "what a shell may offer next",
     CommandArguments::kWords, "WORD...", Hint::kNothing, {},
     "One candidate a line, then a line with a directive, as kubectl's plugins answer.", {}, true},
});
// clang-format on

}  // namespace

std::span<const CommandRow> command_rows() {
  return kCommands;
}

const CommandRow* find_command(std::string_view name) {
  const auto* const row =
      std::find_if(kCommands.begin(), kCommands.end(),
                   [name](const CommandRow& each) { return each.name == name; });
  return row == kCommands.end() ? nullptr : row;
}

const CommandRow& row_of(Command command) {
  const CommandRow& row = kCommands[static_cast<std::size_t>(command)];
  assert(row.command == command);
  return row;
}

}  // namespace dynamo::cli
