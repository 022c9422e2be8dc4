// IP addresses as text.
#pragma once

#include <string_view>

namespace dynamo::validators {

// IPv4 with four numbers (leading zeros are accepted, as in Kubernetes) or IPv6 without a zone.
bool is_ip_address(std::string_view text);

}  // namespace dynamo::validators
