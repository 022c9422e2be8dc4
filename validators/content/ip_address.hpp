// IP addresses as text.
#pragma once

#include <string_view>

namespace dynamo::validators {

// IPv4 with four numbers (leading zeros are taken, as Kubernetes takes them) or IPv6 without a
// zone.
bool is_ip_address(std::string_view text);

}  // namespace dynamo::validators
