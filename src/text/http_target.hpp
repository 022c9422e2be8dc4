// Splits the target of an HTTP request.
#pragma once

#include <string_view>

namespace dynamo::text {

// Path and query of a request target; views into the target, or of a constant.
struct RequestTarget {
  std::string_view path;
  std::string_view query;
};

// Splits "/path?query". For an absolute target ("https://host/path") it uses the part after the
// host.
RequestTarget split_target(std::string_view target);

}  // namespace dynamo::text
