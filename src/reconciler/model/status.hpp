// The status of a DynamoModel. Pure.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kube/conditions.hpp"
#include "kube/object.hpp"
#include "reconciler/model/endpoints.hpp"

namespace dynamo::reconciler::model {

inline constexpr std::string_view kValid = "Valid";
inline constexpr std::string_view kServicesFound = "ServicesFound";
inline constexpr std::string_view kEndpointsReady = "EndpointsReady";

// A condition without what all of them share.
struct Finding {
  std::string_view type;
  bool holds = false;
  std::string_view reason;
  std::string message = {};
};

struct StatusContent {
  std::span<const Endpoint> endpoints = {};
  std::vector<bool> ready = {};  // beside them
  std::vector<Finding> findings = {};
};

std::size_t ready_of(const StatusContent& content);

// The members that have to be merged into the status for it to say this, null for those that have
// to go; nothing when it says so already. Conditions of others stay as they are. One that says the
// same of this generation in other words stays as well: it may be another controller's.
std::optional<std::string> status_patch(const kube::Object& model, const StatusContent& content,
                                        std::chrono::system_clock::time_point now);

// For a model that cannot be worked on: its conditions alone.
std::optional<std::string> conditions_patch(const kube::Object& model,
                                            std::span<const Finding> findings,
                                            std::chrono::system_clock::time_point now);

// What a status tells of the verdict and of endpoints, as one text: of an object, and of what is to
// be told. Equal texts: nobody has changed it.
std::string told_by(const kube::Object& model);
std::string told_by(const StatusContent& content);

// Whether this says something else of the condition's type than the status does, or the numbers of
// endpoints differ: then there is news for people.
bool is_news(const kube::Object& model, const StatusContent& content, const Finding& finding);

}  // namespace dynamo::reconciler::model
