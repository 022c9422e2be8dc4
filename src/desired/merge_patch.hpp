// Creates a merge patch (RFC 7386) from two JSON values.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "json/document.hpp"

namespace dynamo::reconciler {

// A patch that sets the members `names` of `before` to those of `after`. Other members are
// unchanged, members absent from `after` are removed, and lists are replaced as a whole. "" if
// there is no difference.
std::string merge_patch_of(json::Value before, json::Value after,
                           std::span<const std::string_view> names);

}  // namespace dynamo::reconciler
