// Rules that are checked before the body of a request is read.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "server/handler.hpp"
#include "server/request_parser.hpp"

namespace dynamo::server {

// An answer other than 200 from the endpoint itself.
struct RequestRefusal {
  unsigned status;
  std::string text;             // one line: what must hold and what was found; no line end
  std::string_view extra = {};  // further header lines, constants
};

// The first rule that a request with a complete header violates, or nullopt.
std::optional<RequestRefusal> refusal_of(const RequestParser& request, std::string_view path,
                                         const RequestHandler& handler, std::size_t max_body_bytes);

}  // namespace dynamo::server
