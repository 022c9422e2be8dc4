// The version of the runtime in an image's tag, which later operators need.
#pragma once

#include <string>
#include <string_view>

#include "api/field_path.hpp"

namespace dynamo::validators::hub {

// Whether the tag of the image is a semantic version MAJOR.MINOR.PATCH without leading zeros, with
// an optional leading v or V, pre-release and build part. False without a tag.
bool has_version_tag(std::string_view image);

// Whether the operator needs spec.runtimeVersionOverride for this image.
inline bool needs_version_override(std::string_view image, std::string_view version) {
  return version.empty() && !has_version_tag(image);
}

// The detail of a missing override: names the field of the image, and the image.
std::string describe_missing_override(const api::FieldPath& image_field, std::string_view image);

}  // namespace dynamo::validators::hub
