// How `policy check` says what a policy does: for people and for programs.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "admission/policy.hpp"

namespace dynamo::cli {

// What was found about one policy file. `policy` is null when it has errors.
struct PolicyReport {
  std::string_view file;
  std::string_view text;  // of the file
  const admission::Policy* policy = nullptr;
  const std::vector<admission::PolicyError>& errors;
  const std::vector<admission::PolicyError>& warnings;
  std::chrono::system_clock::time_point now;
};

// Lines for people: each statement with what it changes, then mistakes or warnings as
// "FILE:LINE:COLUMN: error: …" with the line of the file, then a line that sums up.
std::string policy_as_text(const PolicyReport& report);

// One JSON object with formatVersion 1, and a newline.
std::string policy_as_json(const PolicyReport& report);

}  // namespace dynamo::cli
