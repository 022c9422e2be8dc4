#include <array>
#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "process/shared_flags.hpp"
#include "reconciler/copy_profile/flags.hpp"
#include "runtime/flag_forms.hpp"

namespace dynamo::reconciler::copy_profile {
namespace {

using std::chrono_literals::operator""h;
using std::chrono_literals::operator""min;
using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;

using runtime::DnsNameForm;
using runtime::DurationForm;
using runtime::into;
using runtime::NamespaceForm;
using runtime::PathForm;

using CopyRow = runtime::Flag<Options>;

constexpr std::array<runtime::UsageExample, 1> kCopyExamples{{
    {"in the pod of the profiler", "dynamo-reconciler copy-profile --request my-model"},
}};

constexpr std::array<runtime::EnvironmentVariable, 4> kCopyEnvironment{{
    {"HOSTNAME", "Name of the pod, unless --pod sets it. Every pod has it."},
    {"POD_NAMESPACE", "Namespace of the pod, unless --namespace sets it."},
    {"KUBERNETES_SERVICE_HOST",
     "Address of the API server, unless --kubeconfig sets it. Every pod has it."},
    {"KUBERNETES_SERVICE_PORT", "The port of that API server."},
}};

constexpr std::array<runtime::ExitCode, 4> kCopyExitCodes{{
    {"0", "The ConfigMap has the profile."},
    {"1",
     "The ConfigMap was not written. The last line of the log has the reason: the profiler failed "
     "or left no usable output, a time limit passed, the pod does not exist, or the API server "
     "refused a request."},
    {"2", "A flag is wrong, or no API server is known."},
    {"128 + signal", "SIGTERM (143) or SIGINT (130) ended the program before it was done."},
}};

CopyRow shared_row(std::string_view name) {
  static const process::SharedFlags<Options> flags({.restricted_namespace = "restrictedNamespace",
                                                    .operator_version = "unknown",
                                                    .shortest_renew_interval = 1s,
                                                    .drain_timeout = "10s"});
  return flags.row(name);
}

std::vector<CopyRow> profile_flags() {
  return {
      {"request", into(&Options::request, DnsNameForm{}), "",
       "Required. The DynamoGraphDeploymentRequest that is profiled; the ConfigMap is "
       "`dgdr-output-NAME`."},
      {"pod", into(&Options::pod, DnsNameForm{}), "",
       "The pod with the container `profiler`. Not set: the pod of this program."},
      {"namespace", into(&Options::namespace_name, NamespaceForm{}), "",
       "Namespace of the pod and of the ConfigMap. Not set: POD_NAMESPACE, or the namespace of the "
       "service account."},
      {"data-directory", into(&Options::data_directory, PathForm{}), "/data",
       "Where the profiler writes its files. Links to files outside of it are refused."},
  };
}

std::vector<CopyRow> limits() {
  return {
      {"timeout", into(&Options::timeout, DurationForm{1s, 720h}), "72h",
       "How long the whole run may take, including the profiling, which takes hours for a large "
       "model."},
      {"status-timeout", into(&Options::status_timeout, DurationForm{0s, 1h}), "2m",
       "How long after the profiler's end its file profiler_status.yaml may be missing."},
      {"access-timeout", into(&Options::access_timeout, DurationForm{0s, 1h}), "1m",
       "How long requests that the API server forbids are repeated: rights of a new account take "
       "effect after a delay. Other failures are repeated until --timeout."},
      {"request-timeout", into(&Options::request_timeout, DurationForm{100ms, 5min}), "10s",
       "How long one request to the API server may take."},
      {"poll-interval", into(&Options::poll_interval, DurationForm{10ms, 5min}), "5s",
       "How often the pod is read, and how often the file is looked up. Failed requests are "
       "repeated after a second, then after up to six times this interval."},
  };
}

std::optional<std::string> check_copy_flags(Options& options, const runtime::ParsedFlags&) {
  if (options.request.empty()) {
    return "--request must be the name of a DynamoGraphDeploymentRequest; found no --request";
  }
  if (!options.kube_context.empty() && options.kubeconfig.empty()) {
    return "--kube-context must come with --kubeconfig, which defines the contexts; found no "
           "--kubeconfig";
  }
  return std::nullopt;
}

}  // namespace

const runtime::FlagTable<Options>& flag_table() {
  static const runtime::FlagTable<Options> table(
      {.name = "dynamo-reconciler copy-profile",
       .purpose = "copies the output of a profiling pod into a ConfigMap",
       .examples = kCopyExamples,
       .table = "src/reconciler/copy_profile/flag_table.cpp",
       .environment = kCopyEnvironment,
       .exit_codes = kCopyExitCodes},
      {{"Profile", profile_flags()},
       {"Limits", limits()},
       {"Cluster and log",
        {shared_row("kubeconfig"), shared_row("kube-context"), shared_row("log-level"),
         shared_row("log-format")}}},
      &check_copy_flags);
  return table;
}

std::variant<Options, runtime::EarlyExit> parse_flags(std::span<const char* const> arguments) {
  return runtime::parse_flags(flag_table(), arguments);
}

}  // namespace dynamo::reconciler::copy_profile
