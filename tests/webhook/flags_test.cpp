#include "webhook/flags.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "tests/webhook/flag_arguments.hpp"

namespace dynamo::webhook {
namespace {

using admission::Enforcement;
using api::Fact;
using api::OperatorGeneration;
using api::ServiceAccount;
using certs::TlsVersion;
using runtime::Address;
using runtime::EarlyExit;
using runtime::FlagText;
using runtime::Level;
using runtime::LogFormat;

using std::chrono_literals::operator""h;
using std::chrono_literals::operator""min;
using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;

// The options of a valid command line.
Options options_of(const Arguments& arguments) {
  auto parsed = parse(arguments);
  if (const auto* exit = std::get_if<EarlyExit>(&parsed)) {
    ADD_FAILURE() << exit->text;
    return default_options();
  }
  return std::get<Options>(std::move(parsed));
}

std::string written(const ServiceAccount& account) {
  return account.namespace_name + "/" + account.name;
}

TEST(Flags, AllDocumentedFlagsExist) {
  std::set<std::string_view> names;
  for (const FlagText* row : all_rows()) {
    EXPECT_TRUE(names.insert(row->name).second) << row->name << " stands twice";
  }
  const std::set<std::string_view> promised{"bind-address",
                                            "health-probe-bind-address",
                                            "metrics-bind-address",
                                            "cert-mode",
                                            "role",
                                            "cert-dir",
                                            "client-ca-file",
                                            "client-allowed-names",
                                            "namespace",
                                            "service",
                                            "cert-secret",
                                            "cluster-domain",
                                            "injection-label",
                                            "inject-crds",
                                            "leaf-lifetime",
                                            "ca-lifetime",
                                            "tls-min-version",
                                            "tls-ciphers",
                                            "enforcement",
                                            "restricted-namespace",
                                            "operator-version",
                                            "policy",
                                            "operator-service-account",
                                            "planner-service-accounts",
                                            "cluster-connection",
                                            "kubeconfig",
                                            "kube-context",
                                            "namespace-scope-lease-duration",
                                            "namespace-scope-lease-renew-interval",
                                            "lease-namespaces",
                                            "lease-holders",
                                            "lease-max-duration",
                                            "operator-generation",
                                            "operator-replaced",
                                            "unserved-kinds",
                                            "discovery-backend",
                                            "operator-checkpoints",
                                            "operator-gpu-discovery",
                                            "dgdr-default-image",
                                            "cluster-lookups",
                                            "max-body-bytes",
                                            "max-json-depth",
                                            "max-connections",
                                            "max-in-flight",
                                            "max-body-memory",
                                            "max-connections-per-address",
                                            "max-connections-per-client",
                                            "handshake-timeout",
                                            "header-timeout",
                                            "body-timeout",
                                            "idle-timeout",
                                            "shutdown-delay",
                                            "drain-timeout",
                                            "threads",
                                            "log-level",
                                            "log-format",
                                            "log-allowed",
                                            "version",
                                            "help"};
  EXPECT_EQ(names, promised);
}

TEST(Flags, DefaultsAreAcceptedValues) {
  const std::vector<const FlagText*> rows = all_rows();
  for (std::size_t index = 0; index < rows.size(); ++index) {
    if (rows[index]->default_value.empty()) continue;
    SCOPED_TRACE(rows[index]->name);
    Options options;
    EXPECT_TRUE(flag_table().set(index, rows[index]->default_value, options));
  }
}

TEST(Flags, UnsetFlagsHaveTheirDefaults) {
  const Options options = options_of({});
  EXPECT_EQ(options.bind_address, (Address{"", 9443}));
  EXPECT_EQ(options.health_probe_bind_address, (Address{"", 8081}));
  EXPECT_EQ(options.metrics_bind_address, (Address{"", 8080}));
  EXPECT_EQ(options.cert_mode, CertMode::kFiles);
  EXPECT_EQ(options.cert_dir, "/etc/dynamo-webhook/certs");
  EXPECT_EQ(options.client_ca_file, "");
  EXPECT_TRUE(options.client_allowed_names.empty());
  EXPECT_EQ(options.tls_min_version, TlsVersion::k1_2);
  EXPECT_TRUE(options.tls_ciphers.empty());
  EXPECT_EQ(options.enforcement, Enforcement::kDeny);
  EXPECT_EQ(options.restricted_namespace, "");
  EXPECT_EQ(options.operator_version, "0.0.0-unknown");
  EXPECT_FALSE(options.operator_service_account.has_value());
  EXPECT_TRUE(options.planner_service_accounts.empty());
  EXPECT_EQ(options.own_namespace, "");
  EXPECT_EQ(options.service, "dynamo-webhook");
  EXPECT_EQ(options.cert_secret, "dynamo-webhook-cert");
  EXPECT_EQ(options.cluster_domain, "cluster.local");
  EXPECT_EQ(options.injection_label, "nvidia.com/dynamo-webhook-inject-ca=true");
  EXPECT_FALSE(options.inject_crds);
  EXPECT_EQ(options.leaf_lifetime, 2160h);
  EXPECT_EQ(options.ca_lifetime, 87'600h);
  EXPECT_EQ(options.cluster_connection, ConnectMode::kAuto);
  EXPECT_EQ(options.kubeconfig, "");
  EXPECT_TRUE(options.cluster_lookups.empty());
  EXPECT_EQ(options.kube_context, "");
  EXPECT_EQ(options.namespace_scope_lease_duration, 30s);
  EXPECT_EQ(options.namespace_scope_lease_renew_interval, 10s);
  EXPECT_TRUE(options.lease_namespaces.empty());
  EXPECT_TRUE(options.lease_holders.empty());
  EXPECT_EQ(options.lease_max_duration, 5min);
  EXPECT_EQ(options.operator_generation, OperatorGeneration::kUnknown);
  EXPECT_EQ(options.discovery_backend, Fact::kUnknown);
  EXPECT_EQ(options.operator_checkpoints, Fact::kUnknown);
  EXPECT_EQ(options.operator_gpu_discovery, Fact::kUnknown);
  EXPECT_EQ(options.dgdr_default_image, "");
  EXPECT_EQ(options.max_body_bytes, 7U * 1024 * 1024);
  EXPECT_EQ(options.max_json_depth, 128U);
  EXPECT_EQ(options.max_connections, 1024U);
  EXPECT_EQ(options.max_in_flight, 256U);
  EXPECT_EQ(options.max_body_memory, 256U * 1024 * 1024);
  EXPECT_EQ(options.max_connections_per_address, 0U);
  EXPECT_EQ(options.max_connections_per_client, 0U);
  EXPECT_EQ(options.handshake_timeout, 10s);
  EXPECT_EQ(options.header_timeout, 10s);
  EXPECT_EQ(options.body_timeout, 30s);
  EXPECT_EQ(options.idle_timeout, 2min);
  EXPECT_EQ(options.shutdown_delay, 10s);
  EXPECT_EQ(options.drain_timeout, 15s);
  EXPECT_EQ(options.threads, 0U);
  EXPECT_EQ(options.log_level, Level::kInfo);
  EXPECT_EQ(options.log_format, LogFormat::kJson);
  EXPECT_FALSE(options.log_allowed);
}

TEST(Flags, DefaultIdleTimeoutExceedsApiServers) {
  EXPECT_GT(default_options().idle_timeout, 90s);
}

TEST(Flags, EachFlagSetsItsMember) {
  const struct {
    const char* argument;
    bool (*is_set)(const Options&);
  } rows[] = {
      {"--bind-address=[::1]:1",
       [](const Options& o) {
         return o.bind_address == Address{"::1", 1};
       }},
      {"--health-probe-bind-address=:2",
       [](const Options& o) {
         return o.health_probe_bind_address == Address{"", 2};
       }},
      {"--metrics-bind-address=:3",
       [](const Options& o) {
         return o.metrics_bind_address == Address{"", 3};
       }},
      {"--cert-mode=self-signed",
       [](const Options& o) { return o.cert_mode == CertMode::kSelfSigned; }},
      {"--cert-dir=/c", [](const Options& o) { return o.cert_dir == "/c"; }},
      {"--client-ca-file=ca", [](const Options& o) { return o.client_ca_file == "ca"; }},
      {"--tls-min-version=1.3",
       [](const Options& o) { return o.tls_min_version == TlsVersion::k1_3; }},
      {"--tls-ciphers=A,B",
       [](const Options& o) {
         return o.tls_ciphers == std::vector<std::string>{"A", "B"};
       }},
      {"--enforcement=audit",
       [](const Options& o) { return o.enforcement == Enforcement::kAudit; }},
      {"--restricted-namespace=team-a",
       [](const Options& o) { return o.restricted_namespace == "team-a"; }},
      {"--operator-version=v1.2.3",
       [](const Options& o) { return o.operator_version == "v1.2.3"; }},
      {"--operator-service-account=ns/name",
       [](const Options& o) {
         return written(o.operator_service_account.value_or(ServiceAccount{})) == "ns/name";
       }},
      {"--planner-service-accounts=a/b.c,system:serviceaccount:d:e",
       [](const Options& o) {
         const auto& accounts = o.planner_service_accounts;
         return accounts.size() == 2 && written(accounts[0]) == "a/b.c" &&
                written(accounts[1]) == "d/e";
       }},
      {"--cert-mode=managed", [](const Options& o) { return o.cert_mode == CertMode::kManaged; }},
      {"--namespace=here", [](const Options& o) { return o.own_namespace == "here"; }},
      {"--service=hook", [](const Options& o) { return o.service == "hook"; }},
      {"--cert-secret=a.b", [](const Options& o) { return o.cert_secret == "a.b"; }},
      {"--cluster-domain=c.d", [](const Options& o) { return o.cluster_domain == "c.d"; }},
      {"--injection-label=a/b=c", [](const Options& o) { return o.injection_label == "a/b=c"; }},
      {"--inject-crds", [](const Options& o) { return o.inject_crds; }},
      {"--leaf-lifetime=720h", [](const Options& o) { return o.leaf_lifetime == 720h; }},
      {"--ca-lifetime=20000h", [](const Options& o) { return o.ca_lifetime == 20'000h; }},
      {"--cluster-lookups=all",
       [](const Options& o) { return o.cluster_lookups == std::vector<std::string>{"all"}; }},
      {"--cluster-lookups=secrets,configmaps",
       [](const Options& o) {
         return o.cluster_lookups == std::vector<std::string>{"secrets", "configmaps"};
       }},
      {"--cluster-connection=none",
       [](const Options& o) { return o.cluster_connection == ConnectMode::kNone; }},
      {"--kubeconfig=/k", [](const Options& o) { return o.kubeconfig == "/k"; }},
      {"--namespace-scope-lease-duration=1m",
       [](const Options& o) { return o.namespace_scope_lease_duration == 1min; }},
      {"--namespace-scope-lease-renew-interval=1500ms",
       [](const Options& o) { return o.namespace_scope_lease_renew_interval == 1500ms; }},
      {"--lease-namespaces=team-*,lab",
       [](const Options& o) {
         return o.lease_namespaces == std::vector<std::string>{"team-*", "lab"};
       }},
      {"--lease-holders=them",
       [](const Options& o) { return o.lease_holders == std::vector<std::string>{"them"}; }},
      {"--lease-max-duration=2m", [](const Options& o) { return o.lease_max_duration == 2min; }},
      {"--operator-generation=auto", [](const Options& o) { return !o.operator_generation; }},
      {"--operator-generation=later",
       [](const Options& o) { return o.operator_generation == OperatorGeneration::kLater; }},
      {"--operator-replaced", [](const Options& o) { return o.operator_replaced; }},
      {"--unserved-kinds=DynamoCheckpoint",
       [](const Options& o) {
         return o.unserved_kinds == std::vector<std::string>{"DynamoCheckpoint"};
       }},
      {"--unserved-kinds=DynamoGraphDeploymentRequest,DynamoCheckpoint",
       [](const Options& o) { return o.unserved_kinds.size() == 2; }},
      {"--discovery-backend=etcd",
       [](const Options& o) { return o.discovery_backend == Fact::kNo; }},
      {"--operator-checkpoints=enabled",
       [](const Options& o) { return o.operator_checkpoints == Fact::kYes; }},
      {"--operator-gpu-discovery=disabled",
       [](const Options& o) { return o.operator_gpu_discovery == Fact::kNo; }},
      {"--dgdr-default-image=r/p:1",
       [](const Options& o) { return o.dgdr_default_image == "r/p:1"; }},
      {"--max-body-bytes=1MiB",
       [](const Options& o) { return o.max_body_bytes == std::size_t{1} << 20; }},
      {"--max-json-depth=64", [](const Options& o) { return o.max_json_depth == 64; }},
      {"--max-connections=7", [](const Options& o) { return o.max_connections == 7; }},
      {"--max-in-flight=8", [](const Options& o) { return o.max_in_flight == 8; }},
      {"--max-body-memory=1GiB",
       [](const Options& o) { return o.max_body_memory == std::size_t{1} << 30; }},
      {"--max-connections-per-address=9",
       [](const Options& o) { return o.max_connections_per_address == 9; }},
      {"--max-connections-per-client=10",
       [](const Options& o) { return o.max_connections_per_client == 10; }},
      {"--handshake-timeout=1s", [](const Options& o) { return o.handshake_timeout == 1s; }},
      {"--header-timeout=2s", [](const Options& o) { return o.header_timeout == 2s; }},
      {"--body-timeout=500ms", [](const Options& o) { return o.body_timeout == 500ms; }},
      {"--idle-timeout=2m30s", [](const Options& o) { return o.idle_timeout == 150s; }},
      {"--shutdown-delay=0", [](const Options& o) { return o.shutdown_delay == 0s; }},
      {"--drain-timeout=3s", [](const Options& o) { return o.drain_timeout == 3s; }},
      {"--threads=2", [](const Options& o) { return o.threads == 2; }},
      {"--log-level=debug", [](const Options& o) { return o.log_level == Level::kDebug; }},
      {"--log-format=text", [](const Options& o) { return o.log_format == LogFormat::kText; }},
      {"--log-allowed", [](const Options& o) { return o.log_allowed; }},
      {"--log-allowed=true", [](const Options& o) { return o.log_allowed; }},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.argument);
    EXPECT_FALSE(row.is_set(default_options()));
    EXPECT_TRUE(row.is_set(options_of({row.argument})));
    const std::string_view argument = row.argument;
    const std::size_t equals = argument.find('=');
    if (argument.starts_with("--log-allowed") || equals == std::string_view::npos) continue;
    const std::string flag(argument.substr(0, equals));
    const std::string value(argument.substr(equals + 1));
    EXPECT_TRUE(row.is_set(options_of({flag.c_str(), value.c_str()})));
  }
}

TEST(Flags, RoleDividesManagedCertificates) {
  EXPECT_EQ(default_options().role, Role::kAll);
  EXPECT_EQ(options_of({"--cert-mode=managed", "--role=keeper"}).role, Role::kKeeper);
  EXPECT_EQ(options_of({"--cert-mode=managed", "--role=server"}).role, Role::kServer);
}

TEST(Flags, LastOccurrenceWins) {
  EXPECT_EQ(options_of({"--threads", "2", "--threads=3"}).threads, 3U);
  EXPECT_FALSE(options_of({"--log-allowed", "--log-allowed=false"}).log_allowed);
}

TEST(Flags, BoundsAreInclusive) {
  const struct {
    const char* least;
    const char* most;
    std::vector<const char*> beyond;
  } rows[] = {
      {"--max-body-bytes=64KiB",
       "--max-body-bytes=64MiB",
       {"--max-body-bytes=65535", "--max-body-bytes=67108865"}},
      {"--max-json-depth=32",
       "--max-json-depth=1024",
       {"--max-json-depth=31", "--max-json-depth=1025"}},
      {"--max-connections=1",
       "--max-connections=65535",
       {"--max-connections=0", "--max-connections=65536"}},
      {"--max-in-flight=1",
       "--max-in-flight=65535",
       {"--max-in-flight=0", "--max-in-flight=65536"}},
      {"--max-body-memory=8MiB",
       "--max-body-memory=64GiB",
       {"--max-body-memory=8388607", "--max-body-memory=65GiB"}},
      {"--max-connections-per-address=0",
       "--max-connections-per-address=65535",
       {"--max-connections-per-address=65536"}},
      {"--max-connections-per-client=0",
       "--max-connections-per-client=65535",
       {"--max-connections-per-client=65536"}},
      {"--handshake-timeout=100ms",
       "--handshake-timeout=1m",
       {"--handshake-timeout=99ms", "--handshake-timeout=1m1ns", "--handshake-timeout=-1s"}},
      {"--header-timeout=100ms",
       "--header-timeout=1m",
       {"--header-timeout=99ms", "--header-timeout=61s"}},
      {"--body-timeout=100ms", "--body-timeout=5m", {"--body-timeout=99ms", "--body-timeout=301s"}},
      {"--idle-timeout=91s", "--idle-timeout=1h", {"--idle-timeout=90s", "--idle-timeout=61m"}},
      {"--shutdown-delay=0s",
       "--shutdown-delay=5m",
       {"--shutdown-delay=-1ns", "--shutdown-delay=301s"}},
      {"--drain-timeout=0s",
       "--drain-timeout=5m",
       {"--drain-timeout=-1ns", "--drain-timeout=301s"}},
      {"--threads=0", "--threads=256", {"--threads=257", "--threads=-1", "--threads=4294967296"}},
  };
  for (const auto& row : rows) {
    options_of({row.least});
    options_of({row.most});
    for (const char* const beyond : row.beyond) {
      SCOPED_TRACE(beyond);
      EXPECT_EQ(exit_of({beyond}).code, 2);
    }
  }
}

// The text is the contract: one line with the flag, what it accepts and the given value.
TEST(Flags, MistakesExitWithOneLineAndCode2) {
  const struct {
    Arguments arguments;
    std::string_view line;
  } rows[] = {
      {{"--idle-timeout", "2 hours"},
       "--idle-timeout must be a duration from 1m31s to 1h, such as 500ms, 10s or 1m30s; found "
       "\"2 hours\""},
      {{"--max-body-bytes=7MB"},
       "--max-body-bytes must be a size in bytes from 64KiB to 64MiB, such as 7MiB or 7340032; "
       "found \"7MB\""},
      {{"--max-json-depth=31"},
       "--max-json-depth must be a whole number from 32 to 1024; found \"31\""},
      {{"--bind-address=9443"},
       "--bind-address must be an address such as 0.0.0.0:9443, :9443 or [::1]:9443; found "
       "\"9443\""},
      {{"--cert-mode=some"},
       "--cert-mode must be one of files, managed, self-signed; found \"some\""},
      {{"--role=keeper"},
       "--role server and --role keeper must come with --cert-mode managed, whose work they "
       "divide; "
       "found another --cert-mode"},
      {{"--role=leader", "--cert-mode=managed"},
       "--role must be one of all, server, keeper; found \"leader\""},
      {{"--cert-mode=managed", "--cluster-connection=none"},
       "--cert-mode managed must not come with --cluster-connection none: it keeps its "
       "certificates in the cluster; found both"},
      {{"--cert-secret=A"},
       "--cert-secret must be a DNS name: at most 253 lower-case letters, digits, inner hyphens "
       "and inner dots; found \"A\""},
      {{"--service=a.b"},
       "--service must be a name: at most 63 lower-case letters, digits and inner hyphens; found "
       "\"a.b\""},
      {{"--leaf-lifetime=8760h", "--ca-lifetime=43799h"},
       "--ca-lifetime must be at least five times --leaf-lifetime (8760h); found \"43799h\""},
      {{"--injection-label=key"}, "--injection-label must be KEY=VALUE, one label; found \"key\""},
      {{"--injection-label=a=b,c=d"},
       "--injection-label must be KEY=VALUE, one label; found \"a=b,c=d\""},
      {{"--tls-min-version=1.1"}, "--tls-min-version must be one of 1.2, 1.3; found \"1.1\""},
      {{"--enforcement", "Deny"}, "--enforcement must be one of deny, audit; found \"Deny\""},
      {{"--restricted-namespace=Team_A"},
       "--restricted-namespace must be the name of a namespace: at most 63 lower-case letters, "
       "digits and inner hyphens; found \"Team_A\""},
      {{"--operator-service-account=operator"},
       "--operator-service-account must be a service account written NAMESPACE/NAME; found "
       "\"operator\""},
      {{"--planner-service-accounts=a/b,c"},
       "--planner-service-accounts must be service accounts written NAMESPACE/NAME or "
       "system:serviceaccount:NAMESPACE:NAME, separated by single commas; found \"a/b,c\""},
      {{"--planner-service-accounts=system:serviceaccount:a"},
       "--planner-service-accounts must be service accounts written NAMESPACE/NAME or "
       "system:serviceaccount:NAMESPACE:NAME, separated by single commas; found "
       "\"system:serviceaccount:a\""},
      {{"--operator-version=1 2"},
       "--operator-version must be 1 to 128 printable ASCII characters without blanks; found "
       "\"1 2\""},
      {{"--tls-ciphers=A,,B"},
       "--tls-ciphers must be names without blanks, separated by single commas; found \"A,,B\""},
      {{"--log-allowed=maybe"}, "--log-allowed must be true or false; found \"maybe\""},
      {{"--threads"}, "--threads must be a whole number from 0 to 256; found no value"},
      {{"--cert-dir="}, "--cert-dir must be a path of at most 4096 bytes; found no value"},
      {{"--cert-dir", ""}, "--cert-dir must be a path of at most 4096 bytes; found \"\""},
      {{"--cert-dir=", "--threads=2"},
       "--cert-dir must be a path of at most 4096 bytes; found no value"},
      {{"--cert-dir", "--threads=2"},
       "--cert-dir must be a path of at most 4096 bytes; found no value"},
      {{"--log-allowed="}, "--log-allowed must be true or false; found no value"},
      {{"--shutdown-delay", "-5s"},
       "--shutdown-delay must be a duration from 0s to 5m, such as 500ms, 10s or 1m30s; found "
       "\"-5s\""},
      {{"--idle-timout=2m"},
       "unknown flag \"--idle-timout\"; did you mean --idle-timeout? --help lists all flags"},
      {{"--tls-cert-file", "x"}, "unknown flag \"--tls-cert-file\"; --help lists all flags"},
      {{"-threads=2"}, "unknown flag \"-threads\"; did you mean --threads? --help lists all flags"},
      {{"-t"}, "unknown flag \"-t\"; --help lists all flags"},
      {{"--THREADS=1"}, "unknown flag \"--THREADS\"; --help lists all flags"},
      {{"serve"},
       "every argument must be a flag, --flag=value or --flag value; found \"serve\"; --help lists "
       "all flags"},
      {{"--log-allowed", "true"},
       "every argument must be a flag, --flag=value or --flag value; found \"true\"; --help lists "
       "all flags"},
      {{"--client-allowed-names=kube-apiserver"},
       "--client-allowed-names must come with --client-ca-file, whose CAs verify the names; "
       "found no --client-ca-file"},
      {{"--metrics-bind-address=:9443"},
       "--metrics-bind-address must have another port than --bind-address (:9443); found "
       "\":9443\""},
      {{"--cluster-connection=some"},
       "--cluster-connection must be one of auto, none; found \"some\""},
      {{"--cluster-connection=none", "--kubeconfig=/k"},
       "--kubeconfig must not come with --cluster-connection none; found both"},
      {{"--cluster-lookups=secrets,pods"},
       "--cluster-lookups must be all, or some of dynamographdeployments, persistentvolumeclaims, "
       "configmaps, secrets and clustertopologybindings, separated by commas; found \"pods\""},
      {{"--unserved-kinds=DynamoCheckpoint,DynamoModel"},
       "--unserved-kinds must be DynamoGraphDeploymentRequest, DynamoCheckpoint or both, separated "
       "by a comma; found \"DynamoModel\": remove it, or write the kind as in its manifests"},
      {{"--unserved-kinds=dynamocheckpoint"},
       "--unserved-kinds must be DynamoGraphDeploymentRequest, DynamoCheckpoint or both, separated "
       "by a comma; found \"dynamocheckpoint\": remove it, or write the kind as in its manifests"},
      {{"--cluster-connection=none", "--cluster-lookups=all"},
       "--cluster-lookups must not come with --cluster-connection none; found both"},
      {{"--kube-context=west"},
       "--kube-context must come with --kubeconfig, which defines the contexts; found no "
       "--kubeconfig"},
      {{"--namespace-scope-lease-duration=0s"},
       "--namespace-scope-lease-duration must be a duration from 1s to 1h, such as 500ms, 10s or "
       "1m30s; found \"0s\""},
      {{"--namespace-scope-lease-duration=2500ms", "--namespace-scope-lease-renew-interval=1s"},
       "--namespace-scope-lease-duration must be whole seconds; found \"2s500ms\""},
      {{"--lease-max-duration=25h"},
       "--lease-max-duration must be a duration from 1s to 24h, such as 500ms, 10s or 1m30s; found "
       "\"25h\""},
      {{"--lease-max-duration=90500ms"},
       "--lease-max-duration must be whole seconds; found \"1m30s500ms\""},
      {{"--namespace-scope-lease-duration=301s"},
       "--namespace-scope-lease-duration must be at most --lease-max-duration (5m), above which "
       "no lease is trusted; found \"5m1s\""},
      {{"--namespace-scope-lease-renew-interval=30s"},
       "--namespace-scope-lease-renew-interval must be shorter than "
       "--namespace-scope-lease-duration (30s); found \"30s\""},
      {{"--namespace-scope-lease-duration=5s"},
       "--namespace-scope-lease-renew-interval must be shorter than "
       "--namespace-scope-lease-duration (5s); found \"10s\""},
      {{"--cert-dir=a\nb", "--threads=x\ny"},
       "--threads must be a whole number from 0 to 256; found \"x\\ny\""},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.line);
    const EarlyExit exit = exit_of(row.arguments);
    EXPECT_EQ(exit.code, 2);
    EXPECT_EQ(exit.text, "dynamo-webhook: " + std::string(row.line) + "\n");
  }
}

TEST(Flags, LongValueIsCutInMessage) {
  const std::string argument = "--threads=" + std::string(1000, '7');
  const EarlyExit exit = exit_of({argument.c_str()});
  EXPECT_EQ(exit.text, "dynamo-webhook: --threads must be a whole number from 0 to 256; found \"" +
                           std::string(80, '7') + "…\"\n");
}

TEST(Flags, ClientNamesAreAcceptedWithClientCa) {
  const Options options =
      options_of({"--client-ca-file=/ca.crt", "--client-allowed-names=a,b.example,spiffe://x/y"});
  EXPECT_EQ(options.client_allowed_names,
            (std::vector<std::string>{"a", "b.example", "spiffe://x/y"}));
}

TEST(Flags, ContextIsAcceptedWithKubeconfig) {
  EXPECT_EQ(options_of({"--kubeconfig=k", "--kube-context=west"}).kube_context, "west");
}

TEST(Flags, SamePortIsAcceptedOnDifferentInterfaces) {
  options_of({"--bind-address=127.0.0.1:1000", "--metrics-bind-address=127.0.0.2:1000"});
  options_of({"--bind-address=:0", "--metrics-bind-address=:0", "--health-probe-bind-address=:0"});
}

TEST(Flags, SelfSignedUsesDirectoryOnlyWhenGiven) {
  EXPECT_EQ(options_of({"--cert-mode=self-signed"}).cert_dir, "");
  EXPECT_EQ(options_of({"--cert-mode=self-signed", "--cert-dir=build/run"}).cert_dir, "build/run");
}

}  // namespace
}  // namespace dynamo::webhook
