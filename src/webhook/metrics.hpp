// Every metric of the server, one member per family. Names, help and labels are in metrics.cpp;
// docs/metrics.md is generated from them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "admission/answer.hpp"
#include "admission/evaluate.hpp"
#include "api/admission_review.hpp"
#include "api/context.hpp"
#include "certs/managed/stats.hpp"
#include "runtime/metrics.hpp"

namespace dynamo::server {
struct ServerCounters;
}

namespace dynamo::webhook {

// Label values that are not defined elsewhere; they have the order of the enumeration.
enum class AdmissionOutcome : std::uint8_t { kAllowed, kDenied };
inline constexpr std::array<std::string_view, 2> kAdmissionOutcomeNames{"allowed", "denied"};

// Why a request was denied, in the reference operator's vocabulary. A denial always has the status
// reason Invalid, which the operator calls "validation".
enum class DenialReason : std::uint8_t { kValidation };
inline constexpr std::array<std::string_view, 1> kDenialReasonNames{"validation"};

enum class CauseSeverity : std::uint8_t { kDeny, kWarn };
inline constexpr std::array<std::string_view, 2> kCauseSeverityNames{"deny", "warn"};

// The label of an exemption; kNone has no label.
constexpr std::size_t exemption_label(admission::Exemption exemption) {
  return static_cast<std::size_t>(exemption) - 1;
}

// The result of a defaulting request.
enum class DefaultingResult : std::uint8_t { kPatched, kUnchanged };
inline constexpr std::array<std::string_view, 2> kDefaultingNames{"patched", "unchanged"};

// The target of a conversion, or the version in which a client sent an object. The first values are
// those of api::Version.
inline constexpr std::array<std::string_view, 3> kConvertedVersionNames{"v1alpha1", "v1beta1",
                                                                        "other"};
// The index of the version in which the client sent the object of a request.
std::size_t client_version_label(const api::AdmissionRequest& request);

enum class ConversionOutcome : std::uint8_t { kSuccess, kFailure };
inline constexpr std::array<std::string_view, 2> kConversionOutcomeNames{"success", "failure"};

// The first values are those of json::ParseFailure; the last is JSON that is not an
// AdmissionReview or a ConversionReview, or whose object has another kind.
inline constexpr std::array<std::string_view, 9> kParseFailureNames{
    "empty",    "syntax",        "truncated", "trailing", "encoding",
    "too_deep", "duplicate_key", "too_large", "review"};
inline constexpr std::size_t kNotAReview = 8;

// Values of --enforcement.
inline constexpr std::array<std::string_view, 2> kEnforcementNames{"deny", "audit"};

// Optional APIs of a cluster.
inline constexpr std::array<std::string_view, 5> kClusterFactNames{
    "inference_pool", "grove", "leader_worker_set", "kai_scheduler", "v1beta1"};
// The value of that cell: 1 served, 0 not served, nullopt unknown.
std::optional<double> cluster_fact(const api::ClusterFacts& facts, std::size_t cell);

// at() takes labels in the order of the comments, as the enumerations named there or as an index
// into the list. Any thread may use the members.
struct WebhookMetrics {
  // Declares everything in `registry`, which must outlive this. `rule_ids` is in catalog order;
  // the index is the label.
  WebhookMetrics(runtime::MetricsRegistry& registry, std::span<const std::string_view> rule_ids);

  // Exports the endpoint's own counters; `counters` must outlive the registry's last scrape.
  void bind(const server::ServerCounters& counters);
  // The same for managed certificates.
  void bind(const certs::managed::Stats& stats);

  // The next three have the metric names of the reference operator, for its dashboards.
  runtime::HistogramFamily& duration;  // api::Kind, api::Operation
  // The version is client_version_label().
  runtime::CounterFamily& requests;  // api::Kind, api::Operation, AdmissionOutcome, version
  runtime::CounterFamily& denials;   // api::Kind, api::Operation, DenialReason, version

  runtime::CounterFamily& rule_causes;       // index of the rule, CauseSeverity
  runtime::CounterFamily& exempted;          // api::Kind, exemption_label()
  runtime::CounterFamily& defaulting;        // api::Kind, api::Operation, DefaultingResult, version
  runtime::CounterFamily& audit_would_deny;  // api::Kind
  runtime::CounterFamily& policy_exempted;   // api::Kind, AdmissionOutcome
  runtime::CounterFamily& ignored;           // api::Kind, CauseSeverity
  runtime::CounterFamily& parse_failures;    // json::ParseFailure or kNotAReview

  // The version is an index into kConvertedVersionNames.
  runtime::HistogramFamily& conversion_duration;  // api::Kind, version, ConversionOutcome
  runtime::CounterFamily& conversions;            // api::Kind, version, ConversionOutcome
  runtime::CounterFamily& converted_objects;      // api::Kind, version

  // Read at each scrape. Bound by bind():
  runtime::CallbackFamily& requests_in_flight;
  runtime::CallbackFamily& connections_open;
  runtime::CallbackFamily& connections;
  runtime::CallbackFamily& rejected_requests;
  runtime::CallbackFamily& evictions;
  runtime::CallbackFamily& bad_requests;
  runtime::CallbackFamily& handshake_failures;
  runtime::CallbackFamily& timeouts;
  runtime::CallbackFamily& handler_defects;
  runtime::CallbackFamily& distrusted_clients;  // DistrustReason
  runtime::CallbackFamily& event_loops_stuck;
  runtime::CallbackFamily& event_loop_stalls;
  runtime::CallbackFamily& stalled_connections;  // StalledConnection
  // Bound by the owner of the certificates, the policy and the log:
  runtime::CallbackFamily&
      certificate_not_after;  // seconds since the epoch; nullopt: no certificate
  runtime::CallbackFamily& certificate_reload_errors;
  runtime::CallbackFamily& policy_reload_errors;
  runtime::CallbackFamily& log_lines_dropped;
  // Bound by the owner of the connection to the cluster:
  runtime::CallbackFamily& clock_correction;
  runtime::CallbackFamily& namespace_leases;
  runtime::CallbackFamily& rejected_leases;
  runtime::CallbackFamily& lease_watch_open;
  runtime::CallbackFamily& lease_watch_restarts;
  runtime::CallbackFamily& marker_lease_held;
  runtime::CallbackFamily& marker_lease_failures;
  runtime::CallbackFamily& marker_lease_contested;
  runtime::CallbackFamily& lookup_objects;       // api::LookupKind
  runtime::CallbackFamily& lookup_restarts;      // api::LookupKind
  runtime::CallbackFamily& cluster_facts;        // cells as in kClusterFactNames
  runtime::CallbackFamily& operator_generation;  // api::OperatorGeneration

  // Only with --cert-mode managed:
  runtime::CallbackFamily& secret_writes;
  runtime::CallbackFamily& ca_injections;
  runtime::CallbackFamily& ca_not_after;
  runtime::CallbackFamily& ca_rotation_phase;
  runtime::CallbackFamily& unverified_ca_bundles;
  runtime::CallbackFamily& leads;
  runtime::CallbackFamily& ready;

  runtime::GaugeFamily& enforcement;  // admission::Enforcement
  runtime::GaugeFamily& build_info;
};

}  // namespace dynamo::webhook
