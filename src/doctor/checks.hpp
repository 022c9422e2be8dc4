// The doctor's checks: each reads the evidence and adds findings. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "doctor/evidence.hpp"
#include "doctor/finding.hpp"

namespace dynamo::doctor {

// Evidence that a check requires. If it is missing, the check is skipped with the reason.
enum class Needs : std::uint8_t {
  kNothing,
  kWebhooks,  // at least one webhook of ours, and a complete list
};

struct Check {
  std::string_view id;
  Needs needs;
  std::string_view title;  // what must hold, for documentation
  void (*function)(const Evidence&, Findings&);
};

// In the order in which they run and are reported.
std::span<const Check> checks();

// Runs all checks. A check without complaints adds one kOk; a check of definitions with two
// versions adds one for each, so none without such definitions.
std::vector<CheckFinding> examine(const Evidence& evidence);

}  // namespace dynamo::doctor
