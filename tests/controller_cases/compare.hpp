// How an object that was made is compared with the one that was measured.
#pragma once

#include <string>
#include <vector>

#include "tests/controller_cases/value.hpp"

namespace dynamo::cases {

// A line per difference, such as "spec.replicas: must be 2; found 1". Lists compare in their order;
// quantities by value; texts that hold YAML by what they hold; what a cluster adds is left out.
std::vector<std::string> differences(const Value& measured, const Value& made);

}  // namespace dynamo::cases
