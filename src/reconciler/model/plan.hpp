// What is done for a DynamoModel, as actions and as requests to inference servers. Pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kube/object.hpp"
#include "kube/resource.hpp"
#include "reconciler/action.hpp"
#include "reconciler/model/endpoints.hpp"
#include "reconciler/model/engines.hpp"

namespace dynamo::reconciler::model {

inline constexpr kube::Resource kModels{"nvidia.com", "v1alpha1", "dynamomodels", "DynamoModel"};
inline constexpr std::string_view kFinalizer = "nvidia.com/finalizer";
inline constexpr std::string_view kDiscoveryFailedEvent = "EndpointDiscoveryFailed";
// Until servers that did not load an adapter are asked again.
inline constexpr std::chrono::seconds kAskedAgain{30};

struct Seen {
  const kube::Object& model;
  // Those of the namespace, sorted. Of others, and of other base models, nothing is taken.
  std::span<const kube::Object> slices = {};
  // Why the rules refuse the model; empty: they do not.
  std::string_view invalid = {};
  // Why EndpointSlices could not be listed; empty: they were.
  std::string_view unlisted = {};
  std::uint16_t port = kSystemPort;
};

// A pass has two halves, as only the servers' answers decide how it ends.
struct Begin {
  enum class Then : std::uint8_t {
    kOver,     // there is no second half
    kReport,   // end() of the answers
    kCleanUp,  // clean_up() of the answers
  };
  // To be done before a request is sent; if one fails, none is sent.
  std::vector<Action> actions = {};
  Endpoints endpoints = {};
  std::vector<EngineRequest> requests = {};  // one for each endpoint, or none at all
  Then then = Then::kOver;
};

struct End {
  std::vector<Action> actions = {};
  std::string failed = {};  // to be tried again with back-off, and why; empty: nothing has
  std::optional<std::chrono::seconds> again = {};  // looked at after that; else when it changes
  // What the status tells of endpoints when all is done, as told_by() has it; empty: nothing new.
  std::string told = {};
};

// None of them throws, whatever the objects are. All actions are on the model, all requests to
// endpoints of its namespace. Deadlines of requests are set by who sends them.
Begin begin(const Seen& seen);

// Of a model that is to be there: status and events. `seen.model` may be a newer state of the same
// generation than what begin() saw. `answers`: as many as begin() has requests.
End end(const Seen& seen, const Begin& begun, std::span<const EngineAnswer> answers,
        std::chrono::system_clock::time_point now);

// Of a model that is going: whatever the servers answered, it can go.
End clean_up(const Seen& seen, const Begin& begun, std::span<const EngineAnswer> answers);

// The value of the label by which the model's EndpointSlices are found.
std::string base_model_hash_of(const kube::Object& model);

// A request as what it is in a list of actions.
Action as_action(const EngineRequest& request);

}  // namespace dynamo::reconciler::model
