// The command line: all flags, their defaults, and conflicting options.
#include "reconciler/app/flags.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "reconciler/app/program.hpp"
#include "reconciler/app/settings.hpp"
#include "tests/support/temporary_directory.hpp"

namespace dynamo::reconciler {
namespace {

using runtime::EarlyExit;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::variant<Options, EarlyExit> parse(const std::vector<const char*>& arguments) {
  return parse_flags(std::span<const char* const>(arguments));
}

std::string mistake_of(const std::vector<const char*>& arguments) {
  const auto parsed = parse(arguments);
  const auto* const exit = std::get_if<EarlyExit>(&parsed);
  if (exit == nullptr) return "accepted";
  EXPECT_EQ(exit->code, 2);
  return exit->text;
}

TEST(ReconcilerFlags, FlagsAreComplete) {
  std::vector<std::string_view> names;
  for (const runtime::FlagSection& section : flag_table().page().sections) {
    for (const runtime::FlagText& flag : section.flags) {
      EXPECT_FALSE(flag.help.empty()) << flag.name;
      names.push_back(flag.name);
    }
  }
  EXPECT_THAT(
      names,
      ElementsAre(
          "controllers", "mode", "once", "dry-run", "workers", "pass-timeout", "enable-webhooks",
          "policy", "admission-record", "operator-version", "operator-service-account",
          "planner-service-accounts", "operator-generation", "discovery-backend",
          "operator-checkpoints", "operator-gpu-discovery", "dgdr-default-image", "natsAddr",
          "etcdAddr", "etcd-ca-file", "etcd-cert-file", "etcd-key-file", "etcd-username-file",
          "etcd-password-file", "client-tls-secret-name", "client-credentials-secret-name",
          "model-express-url", "prometheus-endpoint", "mpi-run-ssh-secret-name",
          "mpi-run-ssh-secret-namespace", "mpi-run-ssh-secret-namespaces", "mpi-run-ssh-keygen",
          "planner-cluster-role-name", "epp-cluster-role-name", "ingress-controller-class-name",
          "ingress-controller-tls-secret-name", "ingress-host-suffix", "ingress-annotations",
          "istio-virtual-service-gateway", "grove-termination-delay", "debugger-image",
          "profile-copier-image", "profile-copier-command", "dgdr-profiling-cluster-role-name",
          "max-profiling-jobs", "checkpoint-enabled", "checkpoint-storage-type",
          "checkpoint-pvc-name", "checkpoint-pvc-base-path", "checkpoint-s3-uri",
          "checkpoint-oci-uri", "checkpoint-signal-host-path",
          "checkpoint-restore-marker-file-path", "checkpoint-ready-for-checkpoint-file-path",
          "checkpoint-init-container-image", "restrictedNamespace", "exclude-ephemeral",
          "excluded-namespaces", "namespace-scope-lease-duration",
          "namespace-scope-lease-renew-interval", "lease-namespaces", "lease-holders",
          "lease-max-duration", "leader-elect", "leader-election-id", "leader-election-namespace",
          "leader-election-lease-duration", "leader-election-renew-deadline",
          "leader-election-retry-period", "operator-lease-name", "operator-lease-namespace",
          "kubeconfig", "kube-context", "kube-connections", "health-probe-bind-address",
          "metrics-bind-address", "drain-timeout", "log-level", "log-format", "version", "help"));
}

// Tests create Options without the flag table.
TEST(ReconcilerFlags, DefaultsMatchTheOptionsStruct) {
  const Options given = std::get<Options>(parse({}));
  const Options made;
  EXPECT_EQ(given.controllers, made.controllers);
  EXPECT_EQ(given.mode, made.mode);
  EXPECT_EQ(given.workers, made.workers);
  EXPECT_EQ(given.reconcile_timeout, made.reconcile_timeout);
  EXPECT_EQ(given.admission_record, made.admission_record);
  EXPECT_EQ(given.exclude_ephemeral, made.exclude_ephemeral);
  EXPECT_EQ(given.excluded_namespaces, made.excluded_namespaces);
  EXPECT_EQ(given.excludes_pod_namespace, made.excludes_pod_namespace);
  EXPECT_EQ(given.grove_termination_delay, made.grove_termination_delay);
  EXPECT_EQ(given.debugger_image, made.debugger_image);
  EXPECT_EQ(given.profiling_cluster_role, made.profiling_cluster_role);
  EXPECT_EQ(given.max_profiling_jobs, made.max_profiling_jobs);
  EXPECT_EQ(given.profile_copier_command, made.profile_copier_command);
  EXPECT_EQ(given.mpi_secret_name, made.mpi_secret_name);
  EXPECT_EQ(given.checkpoint_enabled, made.checkpoint_enabled);
  EXPECT_EQ(given.checkpoint_storage, made.checkpoint_storage);
  EXPECT_EQ(given.checkpoint_pvc, made.checkpoint_pvc);
  EXPECT_EQ(given.checkpoint_base_path, made.checkpoint_base_path);
  EXPECT_EQ(given.checkpoint_signal_host_path, made.checkpoint_signal_host_path);
  EXPECT_EQ(given.checkpoint_restore_marker, made.checkpoint_restore_marker);
  EXPECT_EQ(given.checkpoint_ready_file, made.checkpoint_ready_file);
  EXPECT_EQ(given.checkpoint_init_image, made.checkpoint_init_image);
  EXPECT_EQ(given.namespace_scope_lease_duration, made.namespace_scope_lease_duration);
  EXPECT_EQ(given.namespace_scope_lease_renew_interval, made.namespace_scope_lease_renew_interval);
  EXPECT_EQ(given.lease_max_duration, made.lease_max_duration);
  EXPECT_EQ(given.leader_elect, made.leader_elect);
  EXPECT_EQ(given.leader_election_id, made.leader_election_id);
  EXPECT_EQ(given.leader_election_lease_duration, made.leader_election_lease_duration);
  EXPECT_EQ(given.leader_election_renew_deadline, made.leader_election_renew_deadline);
  EXPECT_EQ(given.leader_election_retry_period, made.leader_election_retry_period);
  EXPECT_EQ(given.operator_lease_name, made.operator_lease_name);
  EXPECT_EQ(given.kube_connections, made.kube_connections);
  EXPECT_EQ(given.health_probe_bind_address, made.health_probe_bind_address);
  EXPECT_EQ(given.metrics_bind_address, made.metrics_bind_address);
  EXPECT_EQ(given.drain_timeout, made.drain_timeout);
  EXPECT_EQ(given.operator_version, made.operator_version);
}

TEST(ReconcilerFlags, ValuesAreParsedIntoOptions) {
  const Options given = std::get<Options>(
      parse({"--controllers", "*,-model", "--mode=replacement", "--dry-run", "--once=true",
             "--restrictedNamespace", "team-a", "--exclude-ephemeral=false",
             "--operator-service-account", "sys/op", "--pass-timeout", "5s"}));
  EXPECT_THAT(given.controllers, ElementsAre("*", "-model"));
  EXPECT_EQ(given.mode, validation::Mode::kReplacement);
  EXPECT_TRUE(given.dry_run);
  EXPECT_TRUE(given.once);
  EXPECT_EQ(given.restricted_namespace, "team-a");
  EXPECT_FALSE(given.exclude_ephemeral);
  ASSERT_TRUE(given.operator_service_account.has_value());
  EXPECT_EQ(given.operator_service_account->name, "op");
  EXPECT_EQ(given.reconcile_timeout, std::chrono::seconds(5));
}

TEST(ReconcilerFlags, ExcludedNamespacesReplaceDefaultInEveryScope) {
  const auto excluded = [](const std::vector<const char*>& arguments) {
    return excluded_namespaces(std::get<Options>(parse(arguments)), "dynamo-system");
  };
  EXPECT_THAT(excluded({}), ElementsAre("kube-system", "kube-node-lease", "dynamo-system"));
  EXPECT_THAT(excluded({"--excluded-namespaces", "kube-system,a"}),
              ElementsAre("kube-system", "a"));
  EXPECT_THAT(mistake_of({"--excluded-namespaces="}), HasSubstr("--excluded-namespaces"));
  EXPECT_THAT(excluded({"--restrictedNamespace", "dynamo-system"}),
              ElementsAre("kube-system", "kube-node-lease", "dynamo-system"));
  EXPECT_THAT(
      excluded({"--restrictedNamespace", "dynamo-system", "--excluded-namespaces=kube-system"}),
      ElementsAre("kube-system"));
  EXPECT_THAT(excluded_namespaces(Options(), ""), ElementsAre("kube-system", "kube-node-lease"));
}

TEST(ReconcilerFlags, ConflictingFlagsAreRejected) {
  EXPECT_THAT(mistake_of({"--controllers", "grpah"}),
              HasSubstr("--controllers must hold *, NAME or -NAME of validation"));
  EXPECT_THAT(mistake_of({"--leader-election-renew-deadline", "20s"}),
              HasSubstr("--leader-election-renew-deadline must be shorter than "
                        "--leader-election-lease-duration (15s); found \"20s\""));
  EXPECT_THAT(mistake_of({"--leader-election-renew-deadline", "14500ms"}),
              HasSubstr("--leader-election-renew-deadline must be at least 1s shorter than "
                        "--leader-election-lease-duration"));
  EXPECT_THAT(mistake_of({"--leader-election-retry-period", "10s"}),
              HasSubstr("must be shorter than --leader-election-renew-deadline"));
  EXPECT_THAT(mistake_of({"--namespace-scope-lease-renew-interval", "30s"}),
              HasSubstr("must be shorter than --namespace-scope-lease-duration"));
  EXPECT_THAT(mistake_of({"--kube-context", "c"}), HasSubstr("must come with --kubeconfig"));
  EXPECT_THAT(mistake_of({"--ingress-annotations", "a=b"}),
              HasSubstr("must be a JSON object whose names are keys of annotations"));
  EXPECT_THAT(mistake_of({"--etcd-key-file", "f"}), HasSubstr("must come with --etcd-cert-file"));
  EXPECT_THAT(mistake_of({"--etcd-username-file", "f"}),
              HasSubstr("must come with --etcd-password-file"));
  EXPECT_THAT(mistake_of({"--mpi-run-ssh-secret-namespaces", "*"}),
              HasSubstr("must come with --mpi-run-ssh-secret-namespace"));
  EXPECT_THAT(mistake_of({"--metrics-bind-address", ":8081"}), HasSubstr("another port"));
  EXPECT_THAT(mistake_of({"--mode", "both"}), HasSubstr("companion"));
}

TEST(ReconcilerPolicy, InvalidPolicyIsReportedWithFileAndLine) {
  const test::TemporaryDirectory directory;
  Options options;
  EXPECT_EQ(unusable_options(options), std::nullopt);
  options.policy = (directory.path() / "policy.yaml").string();
  EXPECT_THAT(unusable_options(options).value_or(""),
              ::testing::AllOf(HasSubstr("--policy: "), HasSubstr("policy.yaml: is missing")));
  std::ofstream(options.policy) << "version: 1\nseverities:\n  - severity: maybe\n";
  EXPECT_THAT(unusable_options(options).value_or(""),
              ::testing::AllOf(HasSubstr("policy.yaml: line 3, column 15: severity must be"),
                               HasSubstr("policy.yaml: line 3, column 5: rules is missing")));
  std::ofstream(options.policy) << "version: 1\n";
  EXPECT_EQ(unusable_options(options), std::nullopt);
}

TEST(ReconcilerElection, LeadersCallsEndBeforeAnotherCanLead) {
  using namespace std::chrono_literals;
  Options options;
  EXPECT_EQ(call_deadline(options), 4s);
  options.leader_election_lease_duration = 4s;
  options.leader_election_renew_deadline = 3s;
  EXPECT_EQ(call_deadline(options), 800ms);
  EXPECT_EQ(recorder_options(options, "me", {}).deadline, 800ms);
  options.leader_election_lease_duration = 1h;
  EXPECT_EQ(call_deadline(options), 4s) << "no call to a server waits longer";
  options.leader_election_renew_deadline = 59min;
  options.leader_elect = false;
  EXPECT_EQ(call_deadline(options), 4s);
}

TEST(ReconcilerElection, LeaseAnnotationsContainModeAndNamespace) {
  using Annotations = std::vector<std::pair<std::string, std::string>>;
  Options options;
  EXPECT_EQ(
      election_options(options, "ns", "me").annotations,
      (Annotations{{"dynamo-admission/mode", "companion"}, {"dynamo-admission/namespace", ""}}))
      << "the scope of a former holder goes";
  options.mode = validation::Mode::kReplacement;
  options.restricted_namespace = "team-a";
  EXPECT_EQ(election_options(options, "ns", "me").annotations,
            (Annotations{{"dynamo-admission/mode", "replacement"},
                         {"dynamo-admission/namespace", "team-a"}}));
}

TEST(ReconcilerElection, LeaseIsLabelled) {
  using Labels = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(election_options(Options(), "ns", "me").labels,
            (Labels{{"app.kubernetes.io/name", "dynamo-reconciler"}}));
}

}  // namespace
}  // namespace dynamo::reconciler
