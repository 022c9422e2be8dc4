// resourceVersions as numbers: the API guarantees an order for those of one resource.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace dynamo::kube {

// nullopt if it is not a decimal number; an aggregated API may send such a version.
inline std::optional<std::uint64_t> version_number(std::string_view version) {
  std::uint64_t number = 0;
  const char* const end = version.data() + version.size();
  const auto [read, error] = std::from_chars(version.data(), end, number);
  if (version.empty() || error != std::errc() || read != end) return std::nullopt;
  return number;
}

}  // namespace dynamo::kube
