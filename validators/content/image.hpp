// References to container images: [HOST[:PORT]/]PATH[:TAG][@DIGEST].
#pragma once

#include <string_view>

namespace dynamo::validators {

// The form that container runtimes accept. Linear.
bool is_image_reference(std::string_view text);

// The first of several components names a registry if it is "localhost" or cannot be a path.
bool names_registry(std::string_view first);

// A placeholder that the user must replace: "my-tag", "<registry>", "${IMAGE}", "your-registry".
bool is_image_placeholder(std::string_view text);

}  // namespace dynamo::validators
