// The host of an Ingress, by which people reach a service from outside.
#pragma once

#include <string_view>

namespace dynamo::validators {

// A DNS subdomain, or "*." and one: at most 253 bytes in all, and no IP address.
bool is_host_name(std::string_view text);

}  // namespace dynamo::validators
