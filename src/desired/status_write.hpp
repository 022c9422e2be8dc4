// Writes an object's status and finalizer.
#pragma once

#include <chrono>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "desired/action.hpp"
#include "kube/object/conditions.hpp"
#include "kube/object/object.hpp"
#include "kube/object/resource.hpp"

namespace dynamo::reconciler {

// Adds a patch that changes the members `names` of the observed status to those of `status` (JSON);
// adds nothing if they are equal. The server rejects it if another client has changed the object
// since.
void write_status(const kube::Resource& resource, const kube::Object& live, std::string_view status,
                  std::span<const std::string_view> names, std::vector<Action>& actions);

// Adds the finalizer if it is absent.
void keep_finalizer(const kube::Resource& resource, const kube::Object& live,
                    std::vector<Action>& actions);
void drop_finalizer(const kube::Resource& resource, const kube::Object& live,
                    std::vector<Action>& actions);

// The condition's status, reason or message has changed, so an Event may report it.
bool is_news(const kube::Conditions& before, const kube::Conditions& now, std::string_view type);

// The condition already reports that the rules refuse this generation of the object.
bool is_refusal_reported(const kube::Conditions& before, std::string_view type,
                         const kube::Object& object);
// The condition reports that the rules refuse the object, in any generation.
bool is_refused(const kube::Conditions& before, std::string_view type);
inline constexpr std::string_view kValidationFailed = "ValidationFailed";
inline constexpr std::string_view kValidationPassed = "ValidationPassed";

}  // namespace dynamo::reconciler
