// The checks: each reads the evidence and says what it thinks of it. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "doctor/evidence.hpp"
#include "doctor/finding.hpp"

namespace dynamo::doctor {

// What a check cannot do without. When it is not there, the check is skipped, and says why.
enum class Needs : std::uint8_t {
  kNothing,
  kWebhooks,  // some that call us, and to know all of them
};

struct Check {
  std::string_view id;
  Needs needs;
  std::string_view title;  // what must hold, for documentation
  void (*function)(const Evidence&, Findings&);
};

// In the order in which they are asked and reported.
std::span<const Check> checks();

// What all of them say. A check that found nothing to complain of says one kOk.
std::vector<Finding> examine(const Evidence& evidence);

}  // namespace dynamo::doctor
