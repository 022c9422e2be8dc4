#include "validators/content/host_name.hpp"

#include <cstddef>

#include "text/names.hpp"
#include "validators/content/ip_address.hpp"

namespace dynamo::validators {

bool is_host_name(std::string_view text) {
  constexpr std::size_t kLongest = 253;
  constexpr std::string_view kAny = "*.";
  if (text.size() > kLongest || is_ip_address(text)) return false;
  if (text.starts_with(kAny)) text.remove_prefix(kAny.size());
  return text::is_dns_subdomain(text);
}

}  // namespace dynamo::validators
