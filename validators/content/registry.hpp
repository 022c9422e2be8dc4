// The registries of images: HOST[:PORT][/PATH].
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace dynamo::validators {

// A registry or a part of one, as a policy names it: "nvcr.io/nvidia", "localhost:5000". The result
// is normalised: the host in lower case, "docker.io" for its aliases, no '/' at the end. nullopt if
// the text is not a registry: its host could be a path, or it has a tag, a digest or a scheme.
std::optional<std::string> parse_registry(std::string_view text);

// The registry and path that an image is pulled from. Like container runtimes, it assumes docker.io
// for an image without a host, and docker.io/library if it also has no folder. Holds views into the
// image's text.
class ImageSource {
 public:
  // Linear, without allocation. Accepts any text.
  explicit ImageSource(std::string_view image);

  // Whether the image comes from that registry or below that path. `registry` must be normalised.
  bool is_from(std::string_view registry) const;

 private:
  std::string_view host_;
  std::string_view path_;
  bool in_library_;  // in Docker's library: "library/" is not part of the path
};

}  // namespace dynamo::validators
