// The host of an Ingress, by which external clients reach a service.
#pragma once

#include <string_view>

namespace dynamo::validators {

// A DNS subdomain, optionally after "*."; at most 253 bytes in all, and not an IP address.
bool is_host_name(std::string_view text);

}  // namespace dynamo::validators
