// Counts the calls of operator new. Linking this source into a program replaces its operator new:
// for benchmarks, and for tests that assert that code does not allocate.
#pragma once

#include <cstdint>

namespace dynamo::test {

// Number of allocations by the calling thread since it started.
std::uint64_t allocations();

}  // namespace dynamo::test
