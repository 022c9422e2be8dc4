// References to container images: [HOST[:PORT]/]PATH[:TAG][@DIGEST].
#pragma once

#include <string_view>

namespace dynamo::validators {

// The form that container runtimes take. Linear.
bool is_image_reference(std::string_view text);

// Something that was left for a person or a tool to fill in: "my-tag", "<registry>", "${IMAGE}",
// "your-registry".
bool is_image_placeholder(std::string_view text);

}  // namespace dynamo::validators
