// The status of a DynamoModel. Pure.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kube/object/conditions.hpp"
#include "kube/object/object.hpp"
#include "reconciler/model/endpoints.hpp"

namespace dynamo::reconciler::model {

inline constexpr std::string_view kValid = "Valid";
inline constexpr std::string_view kServicesFound = "ServicesFound";
inline constexpr std::string_view kEndpointsReady = "EndpointsReady";

// A condition without the members that all conditions share.
struct ConditionState {
  std::string_view type;
  bool holds = false;
  std::string_view reason;
  std::string message = {};
};

struct StatusContent {
  std::span<const Endpoint> endpoints = {};
  std::vector<bool> ready = {};  // parallel to `endpoints`
  std::vector<ConditionState> states = {};
};

std::size_t ready_of(const StatusContent& content);

// A merge patch with the members that must change, null for those to remove; nullopt if the status
// already matches. Conditions of other types are unchanged. A Valid condition with the same status,
// reason and generation but another message is unchanged, too: another controller may have written
// it.
std::optional<std::string> status_patch(const kube::Object& model, const StatusContent& content,
                                        std::chrono::system_clock::time_point now);

// For a model that cannot be reconciled: its conditions only.
std::optional<std::string> conditions_patch(const kube::Object& model,
                                            std::span<const ConditionState> states,
                                            std::chrono::system_clock::time_point now);

// The verdict and the endpoints of a status as one text: of a stored object, or of a status to
// write. If the texts are equal, no other client has changed the status.
std::string status_summary(const kube::Object& model);
std::string status_summary(const StatusContent& content);

// Whether the state differs from the status's condition, or the endpoint counts differ, so an
// event should report it.
bool is_news(const kube::Object& model, const StatusContent& content, const ConditionState& state);

}  // namespace dynamo::reconciler::model
