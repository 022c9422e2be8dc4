// All metrics of the reconciler. Namespaces are open label values, so everything, including
// scrapes, runs on the loop's thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "kube/object/error.hpp"
#include "runtime/metrics.hpp"
#include "runtime/open_metrics.hpp"

namespace dynamo::reconciler {

enum class ReconcileOutcome : std::uint8_t { kSuccess, kRequeue, kError };
std::string_view to_string(ReconcileOutcome end);  // "success"

// The reference operator's label value for a failed call: "conflict", "not_found", ..., "internal".
std::string_view error_type(const kube::Error& error);

struct ReconcilerMetrics {
  // Declares all families in `registry`, which must outlive this.
  explicit ReconcilerMetrics(runtime::MetricsRegistry& registry);

  // Named as in the reference operator, for its dashboards.
  runtime::OpenHistogramFamily& duration;      // resource_type, namespace, result
  runtime::OpenCounterFamily& total;           // resource_type, namespace, result
  runtime::OpenCounterFamily& errors;          // resource_type, namespace, error_type
  runtime::SampledFamily& resources;           // resource_type, namespace, status
  runtime::SampledFamily& resources_by_state;  // same data without the counter suffix

  // Labels: controller and resource_type.
  runtime::SampledFamily& queue_depth;
  runtime::SampledFamily& queue_age;
  runtime::SampledFamily& queue_retries;
  runtime::SampledFamily& queue_adds;
  runtime::SampledFamily& longest_running;
  runtime::SampledFamily& defects;
  runtime::SampledFamily& timeouts;
  runtime::SampledFamily& refused;  // 1: does not run because the Go operator leads

  runtime::OpenCounterFamily& writes;      // controller, action, result
  runtime::SampledFamily& objects;         // resource; objects in the cache
  runtime::SampledFamily& watch_open;      // resource
  runtime::SampledFamily& watch_restarts;  // resource
  runtime::SampledFamily& watch_silence;   // resource
  runtime::SampledFamily& events_dropped;
  runtime::SampledFamily& leads;
  runtime::SampledFamily& policy_reload_errors;
  runtime::SampledFamily& log_lines_dropped;
  runtime::GaugeFamily& build_info;

  void record_reconcile(std::string_view resource_type, std::string_view namespace_name,
                        ReconcileOutcome end, std::string_view error,
                        std::chrono::nanoseconds took);
};

}  // namespace dynamo::reconciler
