#include <algorithm>
#include <array>
#include <chrono>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "desired/render_flags.hpp"
#include "process/shared_flags.hpp"
#include "reconciler/app/flags.hpp"
#include "reconciler/app/reconcilers.hpp"

namespace dynamo::reconciler {
namespace {

using std::chrono_literals::operator""h;
using std::chrono_literals::operator""s;

using runtime::Choice;
using runtime::ChoiceForm;
using runtime::CountForm;
using runtime::DnsNameForm;
using runtime::DurationForm;
using runtime::into;
using runtime::NamesForm;
using runtime::NamespaceForm;
using runtime::PathForm;
using runtime::SwitchForm;

using Row = runtime::Flag<Options>;

constexpr std::array<Choice<validation::Mode>, 2> kModes{
    {{"companion", validation::Mode::kCompanion}, {"replacement", validation::Mode::kReplacement}}};

constexpr std::array<runtime::UsageExample, 3> kExamples{{
    {"next to the Go operator", "dynamo-reconciler --operator-version 1.2.0"},
    {"preview of the changes to a cluster",
     "dynamo-reconciler --kubeconfig ~/.kube/config --once --dry-run"},
    {"as a replacement of the operator in one namespace",
     "dynamo-reconciler --mode replacement --controllers '*' --restrictedNamespace team-a"},
}};

constexpr std::array<runtime::UsageExample, 1> kCommands{{
    {"Copies the output of a profiling pod into a ConfigMap, in the pod's second container; "
     "`dynamo-reconciler copy-profile --help` lists its flags.",
     "dynamo-reconciler copy-profile --request NAME"},
}};

constexpr std::array<runtime::EnvironmentVariable, 2> kEnvironment{{
    {"KUBERNETES_SERVICE_HOST",
     "Address of the API server, unless --kubeconfig sets it. Every pod has it."},
    {"KUBERNETES_SERVICE_PORT", "The port of that API server."},
}};

Row shared(std::string_view name, std::string_view own_help = {}) {
  static const process::SharedFlags<Options> flags({.restricted_namespace = "restrictedNamespace",
                                                    .operator_version = "unknown",
                                                    .shortest_renew_interval = 1s,
                                                    .drain_timeout = "10s"});
  return flags.row(name, own_help);
}

std::vector<Row> controllers() {
  return {
      {"controllers", into(&Options::controllers, NamesForm{}), "validation",
       "Which controllers run: NAMEs of validation, model, scaling-adapter, component, graph, "
       "request "
       "and checkpoint. `*` runs all of them, more than the default. -NAME excludes one, also "
       "after "
       "`*`."},
      {"mode", into(&Options::mode, ChoiceForm{kModes}), "companion",
       "`companion`: the Go operator runs its controllers, and validation writes a separate "
       "condition. `replacement`: no other operator runs these controllers, and conditions and "
       "states are those that the operator would write. Controllers that write what the operator "
       "writes do not run while an operator leads."},
      {"once", into(&Options::once, SwitchForm{}), "false",
       "Reconcile every object once, and exit: 0 when all succeeded, else 1."},
      {"dry-run", into(&Options::dry_run, SwitchForm{}), "false",
       "Print what would be done, as YAML, and do nothing. No lease is taken. An operator that "
       "leads is reported and does not block the run."},
      {"workers", into(&Options::workers, CountForm{1, 64}), "8",
       "Objects of one kind that a controller reconciles at once; never the same object twice."},
      {"pass-timeout", into(&Options::reconcile_timeout, DurationForm{1s, 1h}), "30s",
       "How long one reconcile of one object may take; then it is cancelled and retried. Calls "
       "to model servers and etcd do not count, since they have a limit of their own."},
  };
}

std::vector<Row> admission_flags() {
  return {
      {"enable-webhooks", into(&Options::enable_webhooks, SwitchForm{}), "false",
       "Set this if webhooks validate every write. With `--mode replacement`, `validation` then "
       "does not validate again; the controller that acts on an object does. With `--mode "
       "companion`, it always validates, as a second check."},
      shared("policy",
             "The policy file, the same as the server's. If it is missing or invalid at the "
             "start, the program does not start. After a change, all objects are validated "
             "again; an invalid change is logged and counted, and the previous policy stays in "
             "force."),
      {"admission-record", into(&Options::admission_record, SwitchForm{}), "true",
       "Keep the immutable fields in an annotation of each object, to find changes that no "
       "webhook validated. Needs the right to patch the objects."},
      shared("operator-version", "The version of the operator, the same as the server's flag."),
      shared("operator-service-account"),
      shared("planner-service-accounts"),
      shared("operator-generation"),
      shared("discovery-backend"),
      shared("operator-checkpoints"),
      shared("operator-gpu-discovery"),
      shared("dgdr-default-image"),
  };
}

// The options that affect rendered objects, and the files for our own calls to etcd.
std::vector<Row> graph_flags() {
  std::vector<Row> rows = runtime::flags_of<Options>(render_flags());
  const auto etcd = std::ranges::find(rows, "etcdAddr", &Row::name);
  const std::vector<Row> files = {
      {"etcd-ca-file", into(&Options::etcd_ca_file, PathForm{}), "",
       "The CA of etcd's certificate, as PEM. Without it: the system's trusted CAs."},
      {"etcd-cert-file", into(&Options::etcd_cert_file, PathForm{}), "",
       "Our certificate for etcd, as PEM. Without it: none is presented."},
      {"etcd-key-file", into(&Options::etcd_key_file, PathForm{}), "",
       "The private key of --etcd-cert-file, as PEM."},
      {"etcd-username-file", into(&Options::etcd_username_file, PathForm{}), "",
       "A file with our user name for etcd. Without it: etcd gets no user and no password."},
      {"etcd-password-file", into(&Options::etcd_password_file, PathForm{}), "",
       "A file with the password of --etcd-username-file."}};
  rows.insert(std::next(etcd), files.begin(), files.end());
  return rows;
}

std::vector<Row> request_flags() {
  std::vector<Row> rows = runtime::flags_of<Options>(profiling_flags());
  rows.push_back({"max-profiling-jobs", into(&Options::max_profiling_jobs, CountForm{0, 1'000}),
                  "10", "Profiling Jobs that run at once; further requests wait. 0: no limit."});
  return rows;
}

std::vector<Row> scope() {
  return {
      shared(
          "restrictedNamespace",
          "The one namespace to reconcile. As a replacement, the reconciler keeps the operator's "
          "marker lease there. Without it: all, except those with another operator's live marker "
          "lease."),
      {"exclude-ephemeral", into(&Options::exclude_ephemeral, SwitchForm{}), "true",
       "Skip namespaces whose name contains `ephemeral`, as the operator does."},
      {"excluded-namespaces", into(&Options::excluded_namespaces, NamesForm{}),
       "kube-system,kube-node-lease",
       "Graphs, components and models of these namespaces get a condition and an Event, and no "
       "objects are created for them; existing ones stay. Name the namespaces that the webhooks "
       "exclude. Without the flag the pod's own namespace is excluded, too, even if it is that of "
       "--restrictedNamespace."},
      shared("namespace-scope-lease-duration",
             "How long the marker lease of the restricted namespace is valid without a renewal."),
      shared("namespace-scope-lease-renew-interval", "How often that lease is renewed."),
      shared("lease-namespaces",
             "Globs: marker leases count in these namespaces only. Without it: in all."),
      shared("lease-holders"),
      shared("lease-max-duration"),
  };
}

std::vector<Row> leaders() {
  return {
      {"leader-elect", into(&Options::leader_elect, SwitchForm{}), "true",
       "Only the leader reconciles. If false, run one replica."},
      {"leader-election-id", into(&Options::leader_election_id, DnsNameForm{}), "dynamo-reconciler",
       "The Lease of the leader."},
      {"leader-election-namespace", into(&Options::leader_election_namespace, NamespaceForm{}), "",
       "Namespace of that Lease. Without it: in the pod's namespace."},
      {"leader-election-lease-duration",
       into(&Options::leader_election_lease_duration, DurationForm{1s, 1h}), "15s",
       "Lease duration: how long followers wait before they replace a leader that stopped "
       "renewing."},
      {"leader-election-renew-deadline",
       into(&Options::leader_election_renew_deadline, DurationForm{1s, 1h}), "10s",
       "How long after its last renewal of the Lease a leader stops leading."},
      {"leader-election-retry-period",
       into(&Options::leader_election_retry_period, DurationForm{1s, 1h}), "2s",
       "How often the Lease is read."},
      {"operator-lease-name", into(&Options::operator_lease_name, DnsNameForm{}),
       "dynamo.nvidia.com",
       "The Lease by which the Go operator elects its leader. While it has a live holder, or "
       "cannot be read, no controller runs that would do the operator's work. A holder counts as "
       "dead once the Lease is unchanged for its leaseDurationSeconds, measured from our start "
       "at the earliest."},
      {"operator-lease-namespace", into(&Options::operator_lease_namespace, NamespaceForm{}), "",
       "Namespace of that Lease. Without it: in kube-system, or in the restricted namespace."},
  };
}

std::vector<Row> cluster_flags() {
  return {
      shared("kubeconfig"),
      shared("kube-context"),
      {"kube-connections", into(&Options::kube_connections, CountForm{2, 256}), "16",
       "Concurrent calls to the API server, not counting those for leases."},
  };
}

std::vector<Row> process() {
  return {
      shared("health-probe-bind-address",
             "Where /healthz and /readyz are served, over plain HTTP. Not with --once."),
      shared("metrics-bind-address", "Where /metrics is served, over plain HTTP. Not with --once."),
      shared("drain-timeout", "On SIGTERM: how long running reconciles may take to finish."),
      shared("log-level"),
      shared("log-format"),
  };
}

// Requires `shorter` to be below `longer`.
std::optional<std::string> out_of_order(std::string_view shorter, std::chrono::nanoseconds first,
                                        std::string_view longer, std::chrono::nanoseconds second) {
  if (first < second) return std::nullopt;
  return std::string(shorter) + " must be shorter than " + std::string(longer) + " (" +
         runtime::format_duration(second) + "); found \"" + runtime::format_duration(first) + "\"";
}

// Requires both of these flags, or neither.
std::optional<std::string> unpaired(std::string_view first, const std::string& value,
                                    std::string_view second, const std::string& other) {
  if (value.empty() == other.empty()) return std::nullopt;
  const std::string given(value.empty() ? second : first);
  const std::string missing(value.empty() ? first : second);
  return given + " must come with " + missing + "; found no " + missing;
}

std::optional<std::string> check_together(Options& options, const runtime::ParsedFlags& given) {
  options.excludes_pod_namespace = !given.has("excluded-namespaces");
  if (auto wrong = ControllerSelection(options.controllers).problem(known_controllers())) {
    return wrong;
  }
  if (auto wrong = out_of_order(
          "--namespace-scope-lease-renew-interval", options.namespace_scope_lease_renew_interval,
          "--namespace-scope-lease-duration", options.namespace_scope_lease_duration)) {
    return wrong;
  }
  if (auto wrong = out_of_order(
          "--leader-election-renew-deadline", options.leader_election_renew_deadline,
          "--leader-election-lease-duration", options.leader_election_lease_duration)) {
    return wrong;
  }
  if (options.leader_election_lease_duration - options.leader_election_renew_deadline < 1s) {
    return "--leader-election-renew-deadline must be at least 1s shorter than "
           "--leader-election-lease-duration: the leader's last call ends in that time; found \"" +
           runtime::format_duration(options.leader_election_renew_deadline) + "\" and \"" +
           runtime::format_duration(options.leader_election_lease_duration) + "\"";
  }
  if (auto wrong = out_of_order(
          "--leader-election-retry-period", options.leader_election_retry_period,
          "--leader-election-renew-deadline", options.leader_election_renew_deadline)) {
    return wrong;
  }
  if (auto wrong = unpaired("--etcd-cert-file", options.etcd_cert_file, "--etcd-key-file",
                            options.etcd_key_file)) {
    return wrong;
  }
  if (auto wrong = unpaired("--etcd-username-file", options.etcd_username_file,
                            "--etcd-password-file", options.etcd_password_file)) {
    return wrong;
  }
  if (!options.mpi_secret_namespaces.empty() && options.mpi_secret_namespace.empty()) {
    return "--mpi-run-ssh-secret-namespaces must come with --mpi-run-ssh-secret-namespace, where "
           "the Secret is copied from; found no --mpi-run-ssh-secret-namespace";
  }
  if (!options.kube_context.empty() && options.kubeconfig.empty()) {
    return "--kube-context must come with --kubeconfig, which defines the contexts; found no "
           "--kubeconfig";
  }
  const std::array<runtime::NamedAddress, 2> addresses{
      {{"--health-probe-bind-address", options.health_probe_bind_address},
       {"--metrics-bind-address", options.metrics_bind_address}}};
  return runtime::address_clash(addresses);
}

}  // namespace

const runtime::FlagTable<Options>& flag_table() {
  static const runtime::FlagTable<Options> table(
      {.name = "dynamo-reconciler",
       .purpose = "controllers for nvidia.com/v1alpha1, with the rules of dynamo-webhook",
       .examples = kExamples,
       .table = "src/reconciler/app/flag_table.cpp",
       .commands = kCommands,
       .environment = kEnvironment},
      {{"Controllers", controllers()},
       {"Admission", admission_flags()},
       {"Graphs and components", graph_flags()},
       {"Requests", request_flags()},
       {"Checkpoints", runtime::flags_of<Options>(checkpoint_flags())},
       {"Namespaces", scope()},
       {"Leaders", leaders()},
       {"Cluster", cluster_flags()},
       {"Process and log", process()}},
      &check_together);
  return table;
}

std::variant<Options, runtime::EarlyExit> parse_flags(std::span<const char* const> arguments) {
  return runtime::parse_flags(flag_table(), arguments);
}

}  // namespace dynamo::reconciler
