#include "webhook/flags.hpp"

#include <array>
#include <chrono>
#include <string>
#include <string_view>

#include "api/cluster_objects.hpp"
#include "api/kind.hpp"
#include "runtime/usage_text.hpp"

namespace dynamo::webhook {
namespace {

using runtime::format_duration;
using runtime::in_quotes;

bool is_whole_seconds(std::chrono::nanoseconds duration) {
  return duration % std::chrono::seconds(1) == std::chrono::nanoseconds(0);
}

std::optional<std::string> check_connection(const Options& options) {
  const bool is_refused = options.cluster_connection == ConnectMode::kNone;
  if (!options.kubeconfig.empty() && is_refused) {
    return "--kubeconfig must not come with --cluster-connection none; found both";
  }
  if (!options.kube_context.empty() && options.kubeconfig.empty()) {
    return "--kube-context must come with --kubeconfig, which defines the contexts; found no "
           "--kubeconfig";
  }
  for (const std::string& name : options.cluster_lookups) {
    if (api::is_lookup(name)) continue;
    return "--cluster-lookups must be all, or some of dynamographdeployments, "
           "persistentvolumeclaims, configmaps, secrets and clustertopologybindings, separated by "
           "commas; found " +
           in_quotes(name);
  }
  if (!options.cluster_lookups.empty() && is_refused) {
    return "--cluster-lookups must not come with --cluster-connection none; found both";
  }
  return std::nullopt;
}

// A misspelled kind would silently get no warning.
std::optional<std::string> check_unserved_kinds(const Options& options) {
  constexpr std::string_view kRequest = api::names(api::Kind::kGraphDeploymentRequest).name;
  constexpr std::string_view kCheckpoint = api::names(api::Kind::kCheckpoint).name;
  for (const std::string& name : options.unserved_kinds) {
    if (name == kRequest || name == kCheckpoint) continue;
    return "--unserved-kinds must be " + std::string(kRequest) + ", " + std::string(kCheckpoint) +
           " or both, separated by a comma; found " + in_quotes(name) +
           ": remove it, or write the kind as in its manifests";
  }
  return std::nullopt;
}

std::optional<std::string> check_leases(const Options& options) {
  const auto duration = options.namespace_scope_lease_duration;
  const auto interval = options.namespace_scope_lease_renew_interval;
  const auto longest = options.lease_max_duration;
  if (!is_whole_seconds(duration)) {
    return "--namespace-scope-lease-duration must be whole seconds; found " +
           in_quotes(format_duration(duration));
  }
  if (!is_whole_seconds(longest)) {
    return "--lease-max-duration must be whole seconds; found " +
           in_quotes(format_duration(longest));
  }
  if (duration > longest) {
    return "--namespace-scope-lease-duration must be at most --lease-max-duration (" +
           format_duration(longest) + "), above which no lease is trusted; found " +
           in_quotes(format_duration(duration));
  }
  if (interval >= duration) {
    return "--namespace-scope-lease-renew-interval must be shorter than "
           "--namespace-scope-lease-duration (" +
           format_duration(duration) + "); found " + in_quotes(format_duration(interval));
  }
  return std::nullopt;
}

std::optional<std::string> check_managed(const Options& options) {
  if (options.cert_mode == CertMode::kManaged && options.cluster_connection == ConnectMode::kNone) {
    return "--cert-mode managed must not come with --cluster-connection none: it keeps its "
           "certificates in the cluster; found both";
  }
  if (options.role != Role::kAll && options.cert_mode != CertMode::kManaged) {
    return "--role server and --role keeper must come with --cert-mode managed, whose work they "
           "divide; found another --cert-mode";
  }
  constexpr int kLeavesPerCa = 5;
  if (options.ca_lifetime / kLeavesPerCa < options.leaf_lifetime) {
    return "--ca-lifetime must be at least five times --leaf-lifetime (" +
           format_duration(options.leaf_lifetime) + "); found " +
           in_quotes(format_duration(options.ca_lifetime));
  }
  const std::size_t equals = options.injection_label.find('=');
  if (equals == 0 || equals == std::string::npos ||
      options.injection_label.find_first_of(",=!()", equals + 1) != std::string::npos) {
    return "--injection-label must be KEY=VALUE, one label; found " +
           in_quotes(options.injection_label);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> check_together(Options& options, const runtime::ParsedFlags& given) {
  // The default is a mounted Secret; a self-signed CA must not be written into it.
  if (options.cert_mode == CertMode::kSelfSigned && !given.has("cert-dir")) {
    options.cert_dir.clear();
  }
  if (!options.client_allowed_names.empty() && options.client_ca_file.empty()) {
    return "--client-allowed-names must come with --client-ca-file, whose CAs verify the names; "
           "found no --client-ca-file";
  }
  if (auto conflict = check_connection(options)) return conflict;
  if (auto conflict = check_unserved_kinds(options)) return conflict;
  if (auto conflict = check_leases(options)) return conflict;
  if (auto conflict = check_managed(options)) return conflict;
  return runtime::address_clash(std::array{
      runtime::NamedAddress{"bind-address", options.bind_address},
      runtime::NamedAddress{"health-probe-bind-address", options.health_probe_bind_address},
      runtime::NamedAddress{"metrics-bind-address", options.metrics_bind_address}});
}

Options default_options() {
  return flag_table().defaults();
}

std::variant<Options, runtime::EarlyExit> parse_flags(std::span<const char* const> arguments) {
  return runtime::parse_flags(flag_table(), arguments);
}

}  // namespace dynamo::webhook
