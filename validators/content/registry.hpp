// Where images come from: HOST[:PORT][/PATH].
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace dynamo::validators {

// A registry, or a part of one, as a policy names it: "nvcr.io/nvidia", "localhost:5000". In its
// normal form: the host in lower case, "docker.io" by no other name, no '/' at the end. Nothing for
// what is none: without a host that can be told from a path, with a tag, a digest or a scheme.
std::optional<std::string> parse_registry(std::string_view text);

// Where an image is pulled from. As container runtimes read it, an image without a host is of
// docker.io, and there without a folder of docker.io/library. Views into the image's text.
class ImageSource {
 public:
  // Linear; allocates nothing. Any text will do.
  explicit ImageSource(std::string_view image);

  // From that registry, or from below that path of it. `registry` is in its normal form.
  bool is_from(std::string_view registry) const;

 private:
  std::string_view host_;
  std::string_view path_;
  bool in_library_;  // of Docker's: "library/" is not part of the path
};

}  // namespace dynamo::validators
