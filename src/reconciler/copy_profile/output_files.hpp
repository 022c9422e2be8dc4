// The files that a profiler leaves in its output directory.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/result.hpp"

namespace dynamo::reconciler::copy_profile {

inline constexpr std::string_view kStatusFile = "profiler_status.yaml";
inline constexpr std::string_view kConfigFile = "config_with_planner.yaml";
inline constexpr std::string_view kMockerFile = "mocker_config_with_planner.yaml";

// The API server's limit for all values of a ConfigMap together.
inline constexpr std::size_t kMostConfigMapBytes = std::size_t{1} << 20U;

struct OutputFile {
  std::string name;
  std::string text;
};

// An error if the content of profiler_status.yaml is not YAML, or if its `status` is not `success`;
// then with the file's message, on one line.
runtime::Result<void> check_profiler_status(std::string_view text);

// The files for the ConfigMap: the configuration, the one for a mocker if there is one, and
// `status`, which is profiler_status.yaml. An error names the file, what must hold and what
// was found: a missing or empty configuration, a file that is not text or cannot be read, or more
// than kMostConfigMapBytes.
runtime::Result<std::vector<OutputFile>> read_output(const std::string& directory,
                                                     OutputFile status);

}  // namespace dynamo::reconciler::copy_profile
