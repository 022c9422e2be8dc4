// Measures memory allocated with operator new. Linking memory_meter.cpp into a program replaces
// every form of the operator there: for tests that assert a bound. Do not link it together with
// allocation_counter.cpp.
#pragma once

#include <cstddef>

namespace dynamo::test {

// Bytes allocated by this thread and not yet freed.
std::size_t live_bytes();

// Peak of live bytes above the amount at construction, for the constructing thread. Only one may
// exist at a time.
class MemoryMeter {
 public:
  MemoryMeter();
  std::size_t peak() const;

 private:
  std::size_t start_;
};

}  // namespace dynamo::test
