// The image that needs a version override, to show where users fix it.
#pragma once

#include <string>
#include <string_view>

#include "json/document.hpp"

namespace dynamo::cli {

// For `runtimeVersionOverride` of a graph's component or service, or of a request, that the object
// does not have: the field of the image whose tag is no version. Any other field as it is.
std::string field_to_show(json::Value object, std::string_view field);

}  // namespace dynamo::cli
