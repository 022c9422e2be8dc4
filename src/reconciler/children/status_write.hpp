// The write of an object's own status, and of its finalizer.
#pragma once

#include <chrono>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kube/conditions.hpp"
#include "kube/object.hpp"
#include "kube/resource.hpp"
#include "reconciler/action.hpp"

namespace dynamo::reconciler {

// Adds a patch of the members `names` of the status, from what was seen to `status` (JSON), unless
// they are the same: then nothing is written. Refused by the server when the object was changed
// since by anybody but the same pass.
void write_status(const kube::Resource& resource, const kube::Object& seen, std::string_view status,
                  std::span<const std::string_view> names, std::vector<Action>& actions);

// Adds the finalizer, if it is not there.
void keep_finalizer(const kube::Resource& resource, const kube::Object& seen,
                    std::vector<Action>& actions);
void drop_finalizer(const kube::Resource& resource, const kube::Object& seen,
                    std::vector<Action>& actions);

// Says of a condition that its text is another than it was: what an Event may tell.
bool is_news(const kube::Conditions& before, const kube::Conditions& now, std::string_view type);

// The condition says already that the rules refuse this generation of the object: it was told.
bool is_refusal_told(const kube::Conditions& before, std::string_view type,
                     const kube::Object& object);
// The condition says that the rules refuse the object, of whatever generation.
bool is_refused(const kube::Conditions& before, std::string_view type);
inline constexpr std::string_view kValidationFailed = "ValidationFailed";
inline constexpr std::string_view kValidationPassed = "ValidationPassed";

}  // namespace dynamo::reconciler
