// The rules a request must keep before its body is read.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "server/handler.hpp"
#include "server/request_parser.hpp"

namespace dynamo::server {

// An answer other than 200 that the endpoint gives by itself.
struct Refusal {
  unsigned status;
  std::string text;             // one line: what must hold and what was found; no line end
  std::string_view extra = {};  // further header lines, constants
};

// The target of a request in its two parts; views into the target.
struct Target {
  std::string_view path;
  std::string_view query;
};

// Splits "/path?query". Of an absolute target ("https://host/path") it takes the part behind the
// host.
Target split_target(std::string_view target);

// The first rule that a request with a complete header breaks, or nothing.
std::optional<Refusal> refusal_of(const RequestParser& request, std::string_view path,
                                  const RequestHandler& handler, std::size_t max_body_bytes);

}  // namespace dynamo::server
