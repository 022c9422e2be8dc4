// Counts the calls of operator new. Linking this source into a program replaces the operator there:
// for benchmarks and for tests that promise not to allocate.
#pragma once

#include <cstdint>

namespace dynamo::test {

// Allocations of the calling thread since it began.
std::uint64_t allocations();

}  // namespace dynamo::test
