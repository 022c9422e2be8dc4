#include "reconciler/model/plan.hpp"

#include <algorithm>
#include <utility>

#include "api/kind.hpp"
#include "api/kinds/objects.hpp"
#include "desired/status_write.hpp"
#include "kube/client/writes.hpp"
#include "kube/object/object_meta.hpp"
#include "reconciler/model/lora_requests.hpp"
#include "reconciler/model/status.hpp"
#include "render/component/hash.hpp"
#include "render/document/well_known.hpp"
#include "text/presentable.hpp"
#include "text/quoted.hpp"

namespace dynamo::reconciler::model {
namespace {

using WallTime = std::chrono::system_clock::time_point;

constexpr int kNotFound = 404;
constexpr std::size_t kMaxNamed = 3;  // endpoints in a message
constexpr std::size_t kMaxQuoted = 128;
constexpr std::size_t kMaxNote = 1'000;  // the limit of an Event, with room for an ellipsis

std::string quoted(std::string_view text) {
  return text::quoted(text, kMaxQuoted);
}

std::string cut(std::string_view text) {
  std::string result;
  text::append_presentable(result, text, kMaxNote);
  return result;
}

char lowered(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

bool is_lora(const api::Model& model) {
  constexpr std::string_view kLora = "lora";
  return std::ranges::equal(model.model_type(), kLora, {}, lowered);
}

Target target_of(const kube::Object& model) {
  return {.resource = kModels,
          .namespace_name = std::string(model.namespace_name()),
          .name = std::string(model.name()),
          .uid = std::string(model.uid()),
          .resource_version = std::string(model.resource_version())};
}

// Fields that no exemption can waive: a request requires them.
std::string why_unusable(const api::Model& model) {
  if (model.model_name().empty()) return "spec.modelName must be set";
  if (model.base_model_name().empty()) return "spec.baseModelName must be set";
  if (is_lora(model) && model.source_uri().empty()) {
    return "spec.source.uri must be set for a model of type lora";
  }
  return {};
}

std::string why_invalid(const ObservedState& observed) {
  if (!observed.invalid.empty()) return std::string(observed.invalid);
  return why_unusable(api::Model{observed.model.root()});
}

Endpoints endpoints_of(const ObservedState& observed) {
  const std::string hash = base_model_hash_of(observed.model);
  std::vector<kube::Object> ours;
  for (const kube::Object& slice : observed.slices) {
    const json::Value labels = slice.root()["metadata"]["labels"];
    if (slice.namespace_name() != observed.model.namespace_name()) continue;
    if (labels[render::label::kBaseModelHash].string_or_empty() == hash) ours.push_back(slice);
  }
  return model::endpoints_of(ours, observed.port);
}

std::vector<EngineRequest> requests_to(const Endpoints& endpoints, std::uint16_t port,
                                       kube::HttpMethod method, const std::string& path,
                                       const std::string& body) {
  std::vector<EngineRequest> requests;
  requests.reserve(endpoints.all.size());
  for (const Endpoint& each : endpoints.all) {
    EngineRequest request;
    request.method = method;
    request.host = each.host;
    request.port = port;
    request.path = path;
    request.body = body;
    requests.push_back(std::move(request));
  }
  return requests;
}

// "1 of 3 endpoints: http://10.0.0.2:9090 (pod p2): answered HTTP 503"
std::string named(const RequestPlan& request_plan, std::span<const EngineAnswer> answers,
                  const std::vector<bool>& good) {
  const auto bad = static_cast<std::size_t>(std::count(good.begin(), good.end(), false));
  std::string text = std::to_string(bad) + " of " + std::to_string(good.size()) + " endpoints: ";
  std::size_t listed = 0;
  for (std::size_t i = 0; i < good.size() && listed < kMaxNamed; ++i) {
    if (good[i]) continue;
    if (listed++ > 0) text += "; ";
    const Endpoint& each = request_plan.endpoints.all[i];
    text.append(each.url).append(" (pod ").append(each.pod).append("): ");
    const bool has_problem = i < answers.size() && !answers[i].problem.empty();
    text.append(has_problem ? answers[i].problem : "no answer");
  }
  if (listed < bad) text += "; and " + std::to_string(bad - listed) + " more";
  return cut(text);
}

// Adds nothing if the status already matches.
void add_status(std::vector<Action>& actions, const ObservedState& observed,
                const std::optional<std::string>& patch) {
  if (!patch) return;
  actions.push_back(
      patch_status(target_of(observed.model), kube::merge_status(observed.model, *patch)));
}

ResultPlan refused(const ObservedState& observed, const std::string& why, WallTime now) {
  ResultPlan plan;
  const std::vector<ConditionState> states{
      {.type = kValid, .holds = false, .reason = "ValidationFailed", .message = cut(why)}};
  const auto patch = conditions_patch(observed.model, states, now);
  if (!patch) return plan;
  add_status(plan.actions, observed, patch);
  EmitEvent failed = event(target_of(observed.model), true, "ValidationFailed", cut(why));
  failed.occasion = occasion_of_generation("model", kube::generation_of(observed.model));
  plan.actions.push_back(std::move(failed));
  return plan;
}

// Keeps the known servers in the status.
ResultPlan undiscovered(const ObservedState& observed) {
  ResultPlan plan;
  plan.retry_reason = "EndpointSlices must be listed: " + std::string(observed.list_error);
  plan.actions.push_back(
      event(target_of(observed.model), true, kDiscoveryFailedEvent, cut(plan.retry_reason)));
  return plan;
}

ConditionState services_found(const Endpoints& endpoints) {
  const bool has = endpoints.has_service && !endpoints.all.empty();
  return {.type = kServicesFound,
          .holds = has,
          .reason = has ? "ServicesFound" : "NoServicesFound",
          .message = has ? "a Service selects pods that serve the base model"
                         : "a Service must select pods that serve the base model; found none"};
}

std::string in_numbers(std::size_t ready, std::size_t total) {
  return std::to_string(ready) + " of " + std::to_string(total) + " endpoints";
}

// A base model: servers have it and need not load it.
ConditionState discovered(std::size_t total) {
  return {.type = kEndpointsReady,
          .holds = true,
          .reason = "EndpointsDiscovered",
          .message = std::to_string(total) + " endpoints serve the base model"};
}

ConditionState loaded(std::size_t ready, std::size_t total) {
  if (ready == total) {
    return {.type = kEndpointsReady,
            .holds = true,
            .reason = "AllEndpointsReady",
            .message = in_numbers(ready, total) + " have loaded the adapter"};
  }
  return {.type = kEndpointsReady,
          .holds = false,
          .reason = ready == 0 ? "NoEndpoints" : "NotReady",
          .message = "all endpoints must load the adapter; " + in_numbers(ready, total) + " have"};
}

ConditionState none_found(const api::Model& model) {
  return {.type = kEndpointsReady,
          .holds = false,
          .reason = "NoEndpoints",
          .message =
              "pods must serve the base model " + quoted(model.base_model_name()) + "; found none"};
}

// The reason of the event that reports a condition; "" if there is none.
std::string_view reason_of_event(const ConditionState& ready) {
  if (ready.reason == "AllEndpointsReady") return "EndpointsReady";
  if (ready.reason == "EndpointsDiscovered" || ready.reason == "NotReady") return ready.reason;
  return {};
}

}  // namespace

std::string base_model_hash_of(const kube::Object& model) {
  const auto hash = render::base_model_hash(api::Model{model.root()}.base_model_name());
  return std::string(hash.view());
}

HttpCall as_action(const EngineRequest& request) {
  return http_call(kube::to_string(request.method),
                   url_of(request.host, request.port) + request.path, request.body);
}

RequestPlan plan_requests(const ObservedState& observed) {
  RequestPlan request_plan;
  const api::Model model{observed.model.root()};
  if (kube::is_terminating(observed.model)) {
    if (!kube::has_finalizer(observed.model, api::kFinalizer)) return request_plan;
    request_plan.next = RequestPlan::NextStep::kCleanUp;
    const auto path = unload_path(model.model_name());
    if (!is_lora(model) || !path || !observed.list_error.empty()) return request_plan;
    request_plan.endpoints = endpoints_of(observed);
    request_plan.requests =
        requests_to(request_plan.endpoints, observed.port, kube::HttpMethod::kDelete, *path, {});
    return request_plan;
  }
  request_plan.next = RequestPlan::NextStep::kReport;
  if (!why_invalid(observed).empty()) return request_plan;
  if (!kube::has_finalizer(observed.model, api::kFinalizer)) {
    request_plan.actions.push_back(json_patch(
        target_of(observed.model), kube::add_finalizer_patch(observed.model, api::kFinalizer)));
  }
  if (!observed.list_error.empty()) return request_plan;
  request_plan.endpoints = endpoints_of(observed);
  if (!is_lora(model)) return request_plan;
  request_plan.requests =
      requests_to(request_plan.endpoints, observed.port, kube::HttpMethod::kPost,
                  std::string(kLoraPath), load_body(model.model_name(), model.source_uri()));
  return request_plan;
}

ResultPlan plan_result(const ObservedState& observed, const RequestPlan& request_plan,
                       std::span<const EngineAnswer> answers, WallTime now) {
  const std::string invalid = why_invalid(observed);
  if (!invalid.empty()) return refused(observed, invalid, now);
  if (!observed.list_error.empty()) return undiscovered(observed);
  const api::Model model{observed.model.root()};
  const Target target = target_of(observed.model);
  const std::size_t total = request_plan.endpoints.all.size();
  StatusContent content;
  content.endpoints = request_plan.endpoints.all;
  content.ready.resize(total, false);
  for (std::size_t i = 0; i < std::min(total, answers.size()); ++i) {
    content.ready[i] = answers[i].is_success();
  }
  const std::size_t ready = ready_of(content);
  const bool loads = is_lora(model);
  ConditionState endpoints = none_found(model);
  if (total > 0) endpoints = loads ? loaded(ready, total) : discovered(total);
  if (request_plan.endpoints.is_cut) {
    endpoints.message += "; there are more than these, which are not checked";
  }
  content.states = {{.type = kValid,
                     .holds = true,
                     .reason = "ValidationPassed",
                     .message = "the rules accept the model"},
                    services_found(request_plan.endpoints),
                    endpoints};
  ResultPlan plan;
  plan.reported = status_summary(content);
  // Writes first: the events report them (event_deduplicator.hpp).
  add_status(plan.actions, observed, status_patch(observed.model, content, now));
  const kube::Conditions before =
      kube::Conditions::read(observed.model.root()["status"]["conditions"]);
  if (is_refused(before, kValid)) {
    plan.actions.push_back(event(target, false, kValidationPassed, "every rule holds again"));
  }
  if (is_news(observed.model, content, endpoints)) {
    if (total == 0) {
      plan.actions.push_back(event(target, true, "NoEndpointsFound", endpoints.message));
    }
    if (loads && ready < total) {
      plan.actions.push_back(event(target, true, "PartialEndpointFailure",
                                   "adapter " + quoted(model.model_name()) + " was not loaded by " +
                                       named(request_plan, answers, content.ready)));
    }
    const std::string_view reason = reason_of_event(endpoints);
    if (!reason.empty()) {
      plan.actions.push_back(event(target, !endpoints.holds, reason, endpoints.message));
    }
  }
  if (loads && ready < total) plan.requeue_after = kRetryInterval;
  return plan;
}

ResultPlan plan_clean_up(const ObservedState& observed, const RequestPlan& request_plan,
                         std::span<const EngineAnswer> answers) {
  ResultPlan plan;
  const Target target = target_of(observed.model);
  const std::size_t total = std::min(request_plan.endpoints.all.size(), answers.size());
  std::vector<bool> gone;
  for (const EngineAnswer& each : answers.first(total)) {
    gone.push_back(each.is_success() || each.status == kNotFound);
  }
  if (kube::has_finalizer(observed.model, api::kFinalizer)) {
    plan.actions.push_back(
        json_patch(target, kube::remove_finalizer_patch(observed.model, api::kFinalizer)));
  }
  if (!observed.list_error.empty() && is_lora(api::Model{observed.model.root()})) {
    plan.actions.push_back(
        event(target, true, "CleanupFailed",
              cut("the adapter was not unloaded, as EndpointSlices could not be "
                  "listed: " +
                  std::string(observed.list_error) + "; the model goes all the same")));
    return plan;
  }
  const bool all_gone = std::count(gone.begin(), gone.end(), false) == 0;
  if (!all_gone) {
    plan.actions.push_back(event(target, true, "LoRAUnloadFailed",
                                 "the adapter was not unloaded by " +
                                     named(request_plan, answers, gone) +
                                     "; the model goes all the same"));
  } else if (total > 0) {
    plan.actions.push_back(event(target, false, "LoRAUnloaded",
                                 "unloaded from " + std::to_string(total) + " endpoints"));
  }
  return plan;
}

}  // namespace dynamo::reconciler::model
