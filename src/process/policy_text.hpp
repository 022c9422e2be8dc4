// The policy file as the processes that follow it read it.
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

// The whole file, at most kMaxPolicyBytes. Never waits. Any thread.
PolicyText read_policy_text(const std::string& path);

// One line a mistake: "PATH: line 3, column 5: …".
std::string in_lines(const std::string& path, const std::vector<admission::PolicyError>& errors);

// Why the file cannot be used, one line a mistake; nothing when it can, or the path is empty: no
// policy at all.
std::optional<std::string> policy_file_problem(const std::string& path);

}  // namespace dynamo::process
