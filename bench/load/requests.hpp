// The requests of a load and their order, from a file that the driver writes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dynamo::bench {

struct Request {
  std::string bytes;     // header and body
  std::string uid;       // a text that its response contains: the member with its uid
  std::string expected;  // a text that only a response with the expected verdict contains
};

struct Requests {
  std::vector<Request> all;
  std::vector<std::uint16_t> order;  // indices of `all`; repeated from the start at the end
};

// Lines with fields between tabs: one `request URL_PATH BODY_FILE UID EXPECTED` per request, then
// `order INDEX...`. Throws std::runtime_error with the line's number, or the file's name.
Requests read_requests(const std::string& path);

}  // namespace dynamo::bench
