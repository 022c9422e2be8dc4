// What turns one JSON value into another, as RFC 7386 says it.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "json/document.hpp"

namespace dynamo::reconciler {

// The members `names` of `before` become those of `after`; the others are left alone. Members that
// `after` lacks are removed, lists are written whole. "" when there is nothing to write.
std::string merge_patch_of(json::Value before, json::Value after,
                           std::span<const std::string_view> names);

}  // namespace dynamo::reconciler
