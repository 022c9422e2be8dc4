// Reads the policy file for the processes that watch it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "admission/policy.hpp"

namespace dynamo::process {

struct PolicyText {
  std::string text;
  std::string problem;  // why there is no text, with the path
};

// The whole file, at most kMaxPolicyBytes. Never blocks. Any thread.
PolicyText read_policy_text(const std::string& path);

// One line per error: "PATH: line 3, column 5: …".
std::string in_lines(const std::string& path, const std::vector<admission::PolicyError>& errors);

// Why the file cannot be used, one line per error; nullopt if it can, or if the path is empty (no
// policy).
std::optional<std::string> policy_file_problem(const std::string& path);

}  // namespace dynamo::process
