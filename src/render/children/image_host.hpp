// The registry of an image, by which its credentials are found.
#pragma once

#include <optional>
#include <string_view>

namespace dynamo::render {

// The host, with its port, of an image or of a registry's URL, read as a URL whose scheme may be
// missing: "nvcr.io/x/y:1" and "https://nvcr.io/v1/" are of "nvcr.io". Nothing when there is none:
// of "busybox:latest" the tag would be a port. A view into the text.
std::optional<std::string_view> image_host(std::string_view image);

}  // namespace dynamo::render
