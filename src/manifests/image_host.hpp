// The registry host of an image, by which its credentials are found.
#pragma once

#include <optional>
#include <string_view>

namespace dynamo::render {

// The host and port of an image or of a registry's URL, parsed as a URL whose scheme may be
// missing: "nvcr.io" for "nvcr.io/x/y:1" and "https://nvcr.io/v1/". nullopt if there is none, as in
// "busybox:latest", whose tag would be a port. A view into the text.
std::optional<std::string_view> image_host(std::string_view image);

}  // namespace dynamo::render
