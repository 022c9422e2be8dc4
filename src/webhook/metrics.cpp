#include "webhook/metrics.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "api/cluster_objects.hpp"
#include "api/kind.hpp"
#include "json/parser.hpp"
#include "runtime/build_info.hpp"
#include "server/counters.hpp"

namespace dynamo::webhook {
namespace {

using runtime::MetricLabel;
using runtime::MetricType;
using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""us;
using std::chrono_literals::operator""s;

static_assert(static_cast<std::size_t>(json::ParseFailure::kTooLarge) + 1 == kNotAReview);

// From 1 ms on the range of the operator's own histogram; below that, the typical durations of this
// server.
const std::vector<std::chrono::nanoseconds> kDurationBounds{
    25us, 50us, 100us, 250us, 500us, 1ms, 2500us, 5ms, 10ms,
    25ms, 50ms, 100ms, 250ms, 500ms, 1s,  2500ms, 5s,  10s};

MetricLabel label(std::string name, std::span<const std::string_view> values,
                  std::string described_as = "") {
  return {std::move(name), {values.begin(), values.end()}, std::move(described_as)};
}

MetricLabel resource_type() {
  MetricLabel kinds{.name = "resource_type", .values = {}, .described_as = ""};
  for (const api::KindNames& kind : api::kKinds) kinds.values.emplace_back(kind.name);
  return kinds;
}

MetricLabel operation() {
  return label("operation", api::kOperationNames);
}

MetricLabel version() {
  return label("version", kConvertedVersionNames);
}

MetricLabel conversion_status() {
  return label("status", kConversionOutcomeNames);
}

std::optional<double> number(auto value) {
  return static_cast<double>(value);
}

}  // namespace

std::size_t client_version_label(const api::AdmissionRequest& request) {
  const bool is_converted = !request.request_kind.version.empty();
  const api::GroupVersionKind& kind = is_converted ? request.request_kind : request.kind;
  const auto known = std::span(kConvertedVersionNames).first(api::kVersionNames.size());
  const auto at = std::ranges::find(known, kind.version);
  const bool is_known = kind.group == api::kGroup && at != known.end();
  return is_known ? static_cast<std::size_t>(at - known.begin()) : known.size();
}

std::optional<double> cluster_fact(const api::ClusterFacts& facts, std::size_t cell) {
  constexpr std::array kFacts{
      &api::ClusterFacts::inference_pool_served, &api::ClusterFacts::grove_served,
      &api::ClusterFacts::leader_worker_set_served, &api::ClusterFacts::kai_scheduler_served,
      &api::ClusterFacts::v1beta1_served};
  static_assert(kFacts.size() == kClusterFactNames.size());
  const api::Fact fact = facts.*kFacts.at(cell);
  if (fact == api::Fact::kUnknown) return std::nullopt;
  return fact == api::Fact::kYes ? 1 : 0;
}

// One declaration per metric: name, help, labels.
WebhookMetrics::WebhookMetrics(runtime::MetricsRegistry& registry,
                               std::span<const std::string_view> rule_ids)
    : duration(registry.add_histogram({"dynamo_operator_webhook_duration_seconds",
                                       "Time from the whole request to its verdict.",
                                       {resource_type(), operation()}},
                                      kDurationBounds)),
      requests(registry.add_counter(
          {"dynamo_operator_webhook_requests_total",
           "Admission requests that got a verdict.",
           {resource_type(), operation(), label("result", kAdmissionOutcomeNames), version()}})),
      denials(registry.add_counter(
          {"dynamo_operator_webhook_denials_total",
           "Admission requests that were denied.",
           {resource_type(), operation(), label("reason", kDenialReasonNames), version()}})),
      rule_causes(registry.add_counter(
          {"dynamo_webhook_rule_causes_total",
           "Causes reported by a rule, denying or warning; one request can have several.",
           {label("rule", rule_ids, "the ids of [rules.md](rules.md)"),
            label("severity", kCauseSeverityNames)}})),
      exempted(registry.add_counter(
          {"dynamo_webhook_exempted_requests_total",
           "Requests allowed without validation: by operation (DELETE, CONNECT), for a "
           "subresource, a terminating object, a namespace outside the restricted one, or a "
           "namespace that another operator holds with a live lease.",
           {resource_type(), label("reason", std::span(admission::kExemptionNames).subspan(1))}})),
      defaulting(registry.add_counter(
          {"dynamo_webhook_defaulting_requests_total",
           "Requests to the mutating webhook that were answered with a patch, or needed none.",
           {resource_type(), operation(), label("result", kDefaultingNames), version()}})),
      audit_would_deny(
          registry.add_counter({"dynamo_webhook_audit_would_deny_total",
                                "Requests allowed only because of `--enforcement audit`.",
                                {resource_type()}})),
      policy_exempted(registry.add_counter(
          {"dynamo_webhook_policy_exempted_requests_total",
           "Requests for which an exemption of `--policy` ignored at least one cause.",
           {resource_type(), label("result", kAdmissionOutcomeNames)}})),
      ignored(registry.add_counter(
          {"dynamo_webhook_ignored_findings_total",
           "Findings that were ignored because an annotation of the object asks for it and the "
           "policy sets `honourIgnores`, by the severity that they would have had.",
           {resource_type(), label("severity", kCauseSeverityNames)}})),
      parse_failures(registry.add_counter(
          {"dynamo_webhook_parse_failures_total",
           "Bodies that could not be read: the JSON error, or `review` if they are not an "
           "AdmissionReview of the path's kind, or at `/convert` a ConversionReview of a kind with "
           "two versions.",
           {label("reason", kParseFailureNames)}})),
      conversion_duration(
          registry.add_histogram({"dynamo_webhook_conversion_duration_seconds",
                                  "Time from the whole ConversionReview to its response.",
                                  {resource_type(), version(), conversion_status()}},
                                 kDurationBounds)),
      conversions(registry.add_counter(
          {"dynamo_webhook_conversion_requests_total",
           "ConversionReviews by `status`. After a failure, the API server refuses what the client "
           "asked for; the log names the object and the reason.",
           {resource_type(), version(), conversion_status()}})),
      converted_objects(
          registry.add_counter({"dynamo_webhook_converted_objects_total",
                                "Objects in ConversionReviews with the status `success`.",
                                {resource_type(), version()}})),
      requests_in_flight(registry.add_callback(
          MetricType::kGauge, {"dynamo_webhook_requests_in_flight",
                               "Requests whose body is being read, or that are being answered."})),
      connections_open(
          registry.add_callback(MetricType::kGauge, {"dynamo_webhook_connections_open",
                                                     "Open connections to the webhooks. Bounded by "
                                                     "`--max-connections`."})),
      connections(registry.add_callback(
          MetricType::kCounter,
          {"dynamo_webhook_connections_total", "Connections accepted by the webhooks."})),
      rejected_requests(registry.add_callback(
          MetricType::kCounter, {"dynamo_webhook_rejected_requests_total",
                                 "Requests and connections refused because of a limit.",
                                 {label("limit", server::kLimitNames)}})),
      evictions(registry.add_callback(
          MetricType::kCounter,
          {"dynamo_webhook_evictions_total",
           "Connections closed to free a slot for a new one, by their activity; `body_memory`: "
           "unfinished bodies dropped because the memory for them was used up.",
           {label("reason", server::kEvictionNames)}})),
      bad_requests(registry.add_callback(MetricType::kCounter,
                                         {"dynamo_webhook_bad_requests_total",
                                          "Requests answered with a 4xx, by status code.",
                                          {label("code", server::kBadRequestNames)}})),
      handshake_failures(registry.add_callback(
          MetricType::kCounter,
          {"dynamo_webhook_handshake_failures_total",
           "TLS handshakes that failed. `eof` includes TCP probes, which send nothing; `other` "
           "includes connections closed because their records held no data.",
           {label("class", server::kHandshakeFailureNames)}})),
      timeouts(registry.add_callback(MetricType::kCounter,
                                     {"dynamo_webhook_timeouts_total",
                                      "Connections closed because a phase took too long.",
                                      {label("phase", server::kTimeoutPhaseNames)}})),
      handler_defects(registry.add_callback(
          MetricType::kCounter,
          {"dynamo_webhook_handler_defects_total",
           "Requests answered 500 because of a defect in the server. Anything but 0 is a bug to "
           "report; the log has the uid."})),
      distrusted_clients(registry.add_callback(
          MetricType::kCounter,
          {"dynamo_webhook_distrusted_clients_total",
           "Open connections that were closed because their client is no longer accepted: no "
           "client CA verifies it, or the certificate of the client or of its CA has expired.",
           {label("reason", server::kDistrustReasonNames)}})),
      event_loops_stuck(registry.add_callback(
          MetricType::kGauge,
          {"dynamo_webhook_event_loops_stuck",
           "Event loops without progress for more than 30 s: `/healthz` fails while it is not 0. "
           "Anything but 0 is a bug to report."})),
      event_loop_stalls(registry.add_callback(
          MetricType::kCounter,
          {"dynamo_webhook_event_loop_stalls_total", "How often an event loop got stuck."})),
      stalled_connections(registry.add_callback(
          MetricType::kCounter,
          {"dynamo_webhook_stalled_connections_total",
           "New connections that an event loop did not accept in time: `moved` to another loop, "
           "or `closed` because all were stuck.",
           {label("outcome", server::kStalledConnectionNames)}})),
      certificate_not_after(registry.add_callback(
          MetricType::kGauge, {"dynamo_webhook_certificate_not_after_seconds",
                               "When the served certificate expires, in seconds since the epoch; "
                               "absent without a certificate."})),
      certificate_reload_errors(registry.add_callback(
          MetricType::kCounter,
          {"dynamo_webhook_certificate_reload_errors_total",
           "New certificates or client CAs that were refused; the old ones stay in use."})),
      policy_reload_errors(registry.add_callback(
          MetricType::kCounter,
          {"dynamo_webhook_policy_reload_errors_total",
           "Changes of the `--policy` file that were refused; the previous policy stays in use."})),
      log_lines_dropped(registry.add_callback(
          MetricType::kCounter,
          {"dynamo_webhook_log_lines_dropped_total",
           "Log lines lost because standard error was not read fast enough."})),
      clock_correction(registry.add_callback(
          MetricType::kGauge,
          {"dynamo_webhook_clock_correction_seconds",
           "How far the API server's clock is ahead of ours, if they differ by more than five "
           "seconds: leases are then evaluated by the API server's time. 0 while the clocks "
           "agree; absent without a connection to a cluster."})),
      namespace_leases(registry.add_callback(
          MetricType::kGauge, {"dynamo_webhook_namespace_leases",
                               "Namespaces that another operator holds with a live lease. Absent "
                               "without a connection to a cluster, and in a restricted server."})),
      rejected_leases(registry.add_callback(
          MetricType::kGauge,
          {"dynamo_webhook_doubted_namespace_leases",
           "Namespaces that are validated although a lease claims them for another operator: its "
           "renewTime lies in the `future`, its `duration` is above `--lease-max-duration`, its "
           "`namespace` or `holder` is not among the trusted ones. The log and an Event name them.",
           {label("reason", admission::kLeaseRejectionNames)}})),
      lease_watch_open(registry.add_callback(
          MetricType::kGauge, {"dynamo_webhook_namespace_lease_watch_open",
                               "1 while namespace leases are watched. At 0, the last known ones "
                               "count until they expire."})),
      lease_watch_restarts(registry.add_callback(
          MetricType::kCounter, {"dynamo_webhook_namespace_lease_watch_restarts_total",
                                 "How often the watch of namespace leases was restarted."})),
      marker_lease_held(registry.add_callback(
          MetricType::kGauge, {"dynamo_webhook_marker_lease_held",
                               "1 while the lease of the restricted namespace is ours. Absent "
                               "without `--restricted-namespace`."})),
      marker_lease_failures(registry.add_callback(
          MetricType::kCounter, {"dynamo_webhook_marker_lease_failures_total",
                                 "Failed attempts to take or renew the lease of the restricted "
                                 "namespace."})),
      marker_lease_contested(registry.add_callback(
          MetricType::kCounter,
          {"dynamo_webhook_marker_lease_contested_total",
           "Attempts that found the lease of the restricted namespace held by another client, "
           "untrusted, or changed by another writer in between. The namespace is still "
           "validated; the log names the case."})),
      lookup_objects(registry.add_callback(
          MetricType::kGauge,
          {"dynamo_webhook_lookup_objects",
           "Objects whose names are known for `--cluster-lookups`. Absent for kinds that are not "
           "selected or not known; no rule warns about these.",
           {label("kind", api::kLookupKindNames)}})),
      lookup_restarts(registry.add_callback(
          MetricType::kCounter, {"dynamo_webhook_lookup_watch_restarts_total",
                                 "How often the watch for `--cluster-lookups` was restarted.",
                                 {label("kind", api::kLookupKindNames)}})),
      cluster_facts(registry.add_callback(
          MetricType::kGauge, {"dynamo_webhook_cluster_fact",
                               "Whether the API server serves an API: 1 yes, 0 no; absent while "
                               "unknown.",
                               {label("fact", kClusterFactNames)}})),
      operator_generation(registry.add_callback(
          MetricType::kGauge,
          {"dynamo_webhook_operator_generation",
           "1 for the generation of the Dynamo operator that rules assume, 0 for the others; "
           "detected with `--operator-generation auto`.",
           {label("generation", api::kGenerationNames)}})),
      secret_writes(registry.add_callback(
          MetricType::kCounter,
          {"dynamo_webhook_certificate_secret_writes_total",
           "Times this replica wrote the Secret of `--cert-mode managed`, by what it found there. "
           "`missing`, `corrupt`, `mismatched`, `foreign` and `expired` content is replaced; the "
           "rest is expected. Absent with another `--cert-mode`.",
           {label("cause", certs::managed::kCauseNames)}})),
      ca_injections(registry.add_callback(MetricType::kCounter,
                                          {"dynamo_webhook_ca_injections_total",
                                           "Writes of `caBundle` by this replica as the leader.",
                                           {label("result", certs::managed::kInjectionNames)}})),
      ca_not_after(registry.add_callback(
          MetricType::kGauge, {"dynamo_webhook_ca_not_after_seconds",
                               "When a managed CA expires, in seconds since the epoch; `next` "
                               "and `previous` exist only during its rotation.",
                               {label("ca", certs::managed::kCaRoleNames)}})),
      ca_rotation_phase(registry.add_callback(
          MetricType::kGauge,
          {"dynamo_webhook_ca_rotation_phase",
           "Rotation of the CA: 0 none, 1 the next one is being published, 2 the previous one is "
           "being retired."})),
      unverified_ca_bundles(registry.add_callback(
          MetricType::kGauge,
          {"dynamo_webhook_unverified_ca_bundles",
           "Labelled webhooks whose `caBundle` does not verify the served "
           "certificate. Anything but 0 for more than a minute needs investigation."})),
      leads(registry.add_callback(
          MetricType::kGauge,
          {"dynamo_webhook_leads", "1 in the replica that writes `caBundle` and rotates the CA."})),
      ready(registry.add_callback(
          MetricType::kGauge,
          {"dynamo_webhook_ready", "1 while /readyz answers 200, 0 while it answers 503."})),
      enforcement(registry.add_gauge(
          {"dynamo_webhook_enforcement",
           "1 for the server's `--enforcement`, 0 for the other mode; with `audit` nothing is "
           "refused.",
           {label("mode", kEnforcementNames)}})),
      build_info(registry.add_gauge(
          {"dynamo_webhook_build_info",
           "Always 1; the labels show what is running.",
           {MetricLabel{"version", {std::string(runtime::program_version())}, "of this program"},
            MetricLabel{"api_version", {std::string(api::kApiVersion)}, ""},
            MetricLabel{"api_versions", {std::string(runtime::kApiGroupVersions)}, ""}}})) {
  build_info.at(0, 0, 0).set(1);
}

void WebhookMetrics::bind(const server::ServerCounters& counters) {
  const server::ServerCounters* const from = &counters;
  requests_in_flight.bind([from](std::size_t) { return number(from->requests_in_flight.load()); });
  connections_open.bind([from](std::size_t) { return number(from->connections_open.load()); });
  connections.bind([from](std::size_t) { return number(from->connections_accepted.load()); });
  rejected_requests.bind([from](std::size_t cell) { return number(from->rejected.value(cell)); });
  evictions.bind([from](std::size_t cell) { return number(from->evictions.value(cell)); });
  bad_requests.bind([from](std::size_t cell) { return number(from->bad_requests.value(cell)); });
  handshake_failures.bind(
      [from](std::size_t cell) { return number(from->handshake_failures.value(cell)); });
  timeouts.bind([from](std::size_t cell) { return number(from->timeouts.value(cell)); });
  handler_defects.bind([from](std::size_t) { return number(from->handler_defects.load()); });
  distrusted_clients.bind(
      [from](std::size_t cell) { return number(from->distrusted_clients.value(cell)); });
  event_loops_stuck.bind([from](std::size_t) { return number(from->loops.stuck.load()); });
  event_loop_stalls.bind([from](std::size_t) { return number(from->loops.stalls.load()); });
  stalled_connections.bind(
      [from](std::size_t cell) { return number(from->loops.connections.value(cell)); });
}

void WebhookMetrics::bind(const certs::managed::Stats& stats) {
  const certs::managed::Stats* const from = &stats;
  secret_writes.bind([from](std::size_t cell) { return number(from->writes.at(cell).load()); });
  ca_injections.bind([from](std::size_t cell) { return number(from->injections.at(cell).load()); });
  ca_not_after.bind([from](std::size_t cell) -> std::optional<double> {
    const std::int64_t seconds = from->ca_not_after.at(cell).load();
    if (seconds == 0) return std::nullopt;
    return number(seconds);
  });
  ca_rotation_phase.bind([from](std::size_t) { return number(from->phase.load()); });
  unverified_ca_bundles.bind([from](std::size_t) { return number(from->unverified.load()); });
}

}  // namespace dynamo::webhook
