// How much memory is taken from operator new. Linking memory_meter.cpp into a program replaces
// every form of the operator there: for tests that promise a bound. Not beside
// allocation_counter.cpp.
#pragma once

#include <cstddef>

namespace dynamo::test {

// Bytes that this thread took and did not give back yet.
std::size_t live_bytes();

// The most bytes beyond those that were live when it was made. One at a time; of the thread that
// made it.
class MemoryMeter {
 public:
  MemoryMeter();
  std::size_t peak() const;

 private:
  std::size_t start_;
};

}  // namespace dynamo::test
