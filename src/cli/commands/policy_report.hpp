// Output of `policy check` as text and JSON.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "admission/policy.hpp"

namespace dynamo::cli {

// The result for one policy file. `policy` is null if it has errors.
struct PolicyReport {
  std::string_view file;
  std::string_view text;  // the file's content
  const admission::Policy* policy = nullptr;
  const std::vector<admission::PolicyError>& errors;
  const std::vector<admission::PolicyError>& warnings;
  std::chrono::system_clock::time_point now;
};

// Text for users: each statement with its effect, then errors or warnings as "FILE:LINE:COLUMN:
// error: …" with the line of the file, then a summary line.
std::string policy_as_text(const PolicyReport& report);

// One JSON object with formatVersion 1, and a line feed.
std::string policy_as_json(const PolicyReport& report);

}  // namespace dynamo::cli
