#include "reconciler/engine/metrics.hpp"

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/kind.hpp"
#include "runtime/build_info.hpp"

namespace dynamo::reconciler {
namespace {

using runtime::MetricLabel;
using runtime::MetricType;
using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;

const std::vector<std::chrono::nanoseconds> kBounds{5ms, 10ms,   25ms, 50ms, 100ms, 250ms, 500ms,
                                                    1s,  2500ms, 5s,   10s,  30s,   60s};

template <class Family, class... More>
Family& add(runtime::MetricsRegistry& registry, runtime::Declaration declaration, More... more) {
  auto family = std::make_unique<Family>(std::move(declaration), std::move(more)...);
  Family& added = *family;
  registry.add_family(std::move(family));
  return added;
}

runtime::SampledFamily& add_sampled(runtime::MetricsRegistry& registry, MetricType type,
                                    runtime::Declaration declaration) {
  auto family = std::make_unique<runtime::SampledFamily>(type, std::move(declaration));
  runtime::SampledFamily& added = *family;
  registry.add_family(std::move(family));
  return added;
}

MetricLabel open(std::string name, std::string described_as) {
  return {.name = std::move(name), .values = {}, .described_as = std::move(described_as)};
}

MetricLabel resource_type() {
  MetricLabel kinds = open("resource_type", "");
  for (const api::KindNames& kind : api::kKinds) kinds.values.emplace_back(kind.name);
  return kinds;
}

MetricLabel namespaces() {
  return open("namespace", "the object's namespace");
}

std::vector<MetricLabel> reconcile_labels(MetricLabel last) {
  return {resource_type(), namespaces(), std::move(last)};
}

std::vector<MetricLabel> of_controller() {
  return {open("controller", "as --controllers names it"), resource_type()};
}

MetricLabel results() {
  return {.name = "result", .values = {"success", "requeue", "error"}, .described_as = ""};
}

MetricLabel object_states() {
  return open(
      "status",
      "the state of a graph or request, the phase of a checkpoint, ready or not_ready of others");
}

MetricLabel resource() {
  return open("resource", "as kubectl names it, behind its group");
}

struct ErrorType {
  std::string_view reason;  // of the API server's Status
  std::string_view word;
};
constexpr std::array<ErrorType, 12> kErrorTypes{{{"NotFound", "not_found"},
                                                 {"AlreadyExists", "already_exists"},
                                                 {"Conflict", "conflict"},
                                                 {"Invalid", "validation"},
                                                 {"BadRequest", "bad_request"},
                                                 {"Unauthorized", "unauthorized"},
                                                 {"Forbidden", "forbidden"},
                                                 {"Timeout", "timeout"},
                                                 {"ServerTimeout", "server_timeout"},
                                                 {"ServiceUnavailable", "unavailable"},
                                                 {"TooManyRequests", "rate_limited"},
                                                 {"InternalError", "internal"}}};

// The API server answers InternalError if it cannot reach a webhook.
constexpr std::string_view kWebhookError = "webhook";
constexpr std::string_view kWebhookText = "failed calling webhook";

MetricLabel error_types() {
  MetricLabel types = open("error_type", "");
  for (const ErrorType& each : kErrorTypes) types.values.emplace_back(each.word);
  types.values.emplace_back(kWebhookError);
  return types;
}

}  // namespace

std::string_view to_string(ReconcileOutcome end) {
  switch (end) {
    case ReconcileOutcome::kSuccess:
      return "success";
    case ReconcileOutcome::kRequeue:
      return "requeue";
    case ReconcileOutcome::kError:
      break;
  }
  return "error";
}

std::string_view error_type(const kube::Error& error) {
  if (error.failure == kube::FailureKind::kDeadline) return "timeout";
  if (error.failure == kube::FailureKind::kConnect) return "unavailable";
  if (error.is("InternalError") && error.text.find(kWebhookText) != std::string::npos) {
    return kWebhookError;
  }
  for (const ErrorType& each : kErrorTypes) {
    if (error.is(each.reason)) return each.word;
  }
  return "internal";
}

ReconcilerMetrics::ReconcilerMetrics(runtime::MetricsRegistry& registry)
    : duration(add<runtime::OpenHistogramFamily>(
          registry,
          {"dynamo_operator_reconcile_duration_seconds", "Time of one reconcile of one object.",
           reconcile_labels(results())},
          kBounds)),
      total(add<runtime::OpenCounterFamily>(
          registry, {"dynamo_operator_reconcile_total", "Reconciles of objects.",
                     reconcile_labels(results())})),
      errors(add<runtime::OpenCounterFamily>(
          registry, {"dynamo_operator_reconcile_errors_total", "Reconciles that failed, by cause.",
                     reconcile_labels(error_types())})),
      resources(add_sampled(registry, MetricType::kGauge,
                            {"dynamo_operator_resources_total",
                             "The same gauge as dynamo_operator_resources, under the name that "
                             "the operator uses.",
                             reconcile_labels(object_states())})),
      resources_by_state(
          add_sampled(registry, MetricType::kGauge,
                      {"dynamo_operator_resources", "Objects that exist, by their state.",
                       reconcile_labels(object_states())})),
      queue_depth(add_sampled(registry, MetricType::kGauge,
                              {"dynamo_reconciler_queue_depth",
                               "Objects that are due and wait for a worker.", of_controller()})),
      queue_age(add_sampled(
          registry, MetricType::kGauge,
          {"dynamo_reconciler_queue_oldest_seconds",
           "How long the oldest object that waits for a worker has been due.", of_controller()})),
      queue_retries(
          add_sampled(registry, MetricType::kCounter,
                      {"dynamo_reconciler_queue_retries_total",
                       "Reconciles that were delayed after a failure.", of_controller()})),
      queue_adds(add_sampled(
          registry, MetricType::kCounter,
          {"dynamo_reconciler_queue_adds_total",
           "Requests to reconcile an object, including those merged into one.", of_controller()})),
      longest_running(
          add_sampled(registry, MetricType::kGauge,
                      {"dynamo_reconciler_longest_pass_seconds",
                       "How long the longest running reconcile has run.", of_controller()})),
      defects(add_sampled(registry, MetricType::kCounter,
                          {"dynamo_reconciler_defects_total",
                           "Exceptions that ended a reconcile. Anything but 0 is a bug to report.",
                           of_controller()})),
      timeouts(
          add_sampled(registry, MetricType::kCounter,
                      {"dynamo_reconciler_timeouts_total",
                       "Reconciles that were cancelled after --pass-timeout.", of_controller()})),
      refused(add_sampled(registry, MetricType::kGauge,
                          {"dynamo_reconciler_refused",
                           "1 while the controller does not run because the operator that it "
                           "would replace leads.",
                           of_controller()})),
      writes(add<runtime::OpenCounterFamily>(
          registry, {"dynamo_reconciler_actions_total",
                     "Calls to the API server that change something.",
                     {open("controller", "as --controllers names it"),
                      {.name = "action",
                       .values = {"create", "apply", "patch", "jsonPatch", "delete"},
                       .described_as = ""},
                      {.name = "result", .values = {"done", "failed"}, .described_as = ""}}})),
      objects(add_sampled(
          registry, MetricType::kGauge,
          {"dynamo_reconciler_objects", "Objects that are kept in memory.", {resource()}})),
      watch_open(add_sampled(registry, MetricType::kGauge,
                             {"dynamo_reconciler_watch_open",
                              "1 while the watch of the resource receives changes.",
                              {resource()}})),
      watch_restarts(add_sampled(registry, MetricType::kCounter,
                                 {"dynamo_reconciler_watch_restarts_total",
                                  "How often the watch of the resource was restarted.",
                                  {resource()}})),
      watch_silence(add_sampled(registry, MetricType::kGauge,
                                {"dynamo_reconciler_watch_silent_seconds",
                                 "Time since the API server last sent something for the "
                                 "resource: a list, a change, or the bookmark that it sends once "
                                 "a minute.",
                                 {resource()}})),
      events_dropped(
          add_sampled(registry, MetricType::kCounter,
                      {"dynamo_reconciler_events_dropped_total", "Events that were not written."})),
      leads(add_sampled(registry, MetricType::kGauge,
                        {"dynamo_reconciler_leads", "1 on the leader."})),
      policy_reload_errors(add_sampled(registry, MetricType::kCounter,
                                       {"dynamo_reconciler_policy_reload_errors_total",
                                        "Changes of the policy file that were refused; the "
                                        "previous policy stays in use."})),
      log_lines_dropped(
          add_sampled(registry, MetricType::kCounter,
                      {"dynamo_reconciler_log_lines_dropped_total", "Log lines that were lost."})),
      build_info(registry.add_gauge({"dynamo_reconciler_build_info",
                                     "Always 1; the label is the program's version.",
                                     {{.name = "version",
                                       .values = {std::string(runtime::program_version())},
                                       .described_as = "the version"}}})) {
  build_info.at(0).set(1);
}

void ReconcilerMetrics::record_reconcile(std::string_view resource_type,
                                         std::string_view namespace_name, ReconcileOutcome end,
                                         std::string_view error, std::chrono::nanoseconds took) {
  const runtime::LabelValues values{std::string(resource_type), std::string(namespace_name),
                                    std::string(to_string(end))};
  duration.observe(values, took);
  total.increment(values);
  if (end != ReconcileOutcome::kError) return;
  errors.increment({std::string(resource_type), std::string(namespace_name), std::string(error)});
}

}  // namespace dynamo::reconciler
