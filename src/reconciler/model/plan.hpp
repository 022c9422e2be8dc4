// Plans the actions and the server requests for a DynamoModel. Pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "desired/action.hpp"
#include "kube/object/object.hpp"
#include "kube/object/resource.hpp"
#include "reconciler/model/endpoints.hpp"
#include "reconciler/model/engine_client.hpp"

namespace dynamo::reconciler::model {

inline constexpr kube::Resource kModels{"nvidia.com", "v1alpha1", "dynamomodels", "DynamoModel"};
inline constexpr std::string_view kDiscoveryFailedEvent = "EndpointDiscoveryFailed";
// Delay until servers that did not load an adapter are called again.
inline constexpr std::chrono::seconds kRetryInterval{30};

struct ObservedState {
  const kube::Object& model;
  // Slices of the namespace, sorted. Those of other namespaces or other base models are ignored.
  std::span<const kube::Object> slices = {};
  // Why the rules refuse the model; empty: they accept it.
  std::string_view invalid = {};
  // Why EndpointSlices could not be listed; empty: they were listed.
  std::string_view list_error = {};
  std::uint16_t port = kSystemPort;
};

// A reconcile has two halves, since its result depends on the servers' answers.
struct RequestPlan {
  enum class NextStep : std::uint8_t {
    kNothing,  // there is no second half
    kReport,   // pass the answers to plan_result()
    kCleanUp,  // pass the answers to plan_clean_up()
  };
  // Executed before any request is sent; if one fails, no request is sent.
  std::vector<Action> actions = {};
  Endpoints endpoints = {};
  std::vector<EngineRequest> requests = {};  // one per endpoint, or none at all
  NextStep next = NextStep::kNothing;
};

struct ResultPlan {
  std::vector<Action> actions = {};
  std::string retry_reason = {};  // why to retry with back-off; empty: no failure
  std::optional<std::chrono::seconds> requeue_after =
      {};  // requeue after this time; otherwise on changes only
  // The endpoint status after all actions, from status_summary(); empty: unchanged.
  std::string reported = {};
};

// These functions never throw, whatever the objects contain. All actions target the model, all
// requests its namespace's endpoints. The sender sets the deadlines of requests.
RequestPlan plan_requests(const ObservedState& observed);

// For a model that is not being deleted: status and events. `observed.model` may be a newer version
// of the generation that plan_requests() observed. `answers` has one element per request of
// plan_requests().
ResultPlan plan_result(const ObservedState& observed, const RequestPlan& request_plan,
                       std::span<const EngineAnswer> answers,
                       std::chrono::system_clock::time_point now);

// For a model that is being deleted: the deletion proceeds, whatever the servers answered.
ResultPlan plan_clean_up(const ObservedState& observed, const RequestPlan& request_plan,
                         std::span<const EngineAnswer> answers);

// The label value that selects the model's EndpointSlices.
std::string base_model_hash_of(const kube::Object& model);

// The request as an entry of an action list.
HttpCall as_action(const EngineRequest& request);

}  // namespace dynamo::reconciler::model
