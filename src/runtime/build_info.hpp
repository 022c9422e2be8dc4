// Name and version of this build.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace dynamo::runtime {

inline constexpr std::string_view kProgramName = "dynamo-webhook";
inline constexpr std::string_view kApiGroupVersion = "nvidia.com/v1alpha1";
inline constexpr std::array<std::string_view, 2> kAllApiGroupVersions{"nvidia.com/v1alpha1",
                                                                      "nvidia.com/v1beta1"};
// For people: every version that is validated.
inline constexpr std::string_view kApiGroupVersions = "nvidia.com/v1alpha1 and v1beta1";

// As in the build files, such as `0.1.0`.
std::string_view program_version();

// The user agent of `program` in its requests: "dynamo-webhook/0.1.0".
std::string user_agent(std::string_view program);

}  // namespace dynamo::runtime
