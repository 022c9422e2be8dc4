// resourceVersions as numbers: the API promises that those of one resource can be put in order.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace dynamo::kube {

// Nothing for what is no decimal number, such as an aggregated API may send.
inline std::optional<std::uint64_t> version_number(std::string_view version) {
  std::uint64_t number = 0;
  const char* const end = version.data() + version.size();
  const auto [read, error] = std::from_chars(version.data(), end, number);
  if (version.empty() || error != std::errc() || read != end) return std::nullopt;
  return number;
}

}  // namespace dynamo::kube
