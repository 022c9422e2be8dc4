// What an HTTP request names.
#pragma once

#include <string_view>

namespace dynamo::text {

// The target of a request in its two parts; views into the target.
struct Target {
  std::string_view path;
  std::string_view query;
};

// Splits "/path?query". Of an absolute target ("https://host/path") it takes the part behind the
// host.
Target split_target(std::string_view target);

}  // namespace dynamo::text
