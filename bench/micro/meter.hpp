// Shared by the micro-benchmarks: input files, and a counter of allocations per operation.
#pragma once

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "tests/support/allocation_counter.hpp"

namespace dynamo::bench {

// Reads a file by its path in the source tree.
inline std::string read_file(const std::string& path) {
  std::ifstream file(std::string(DYNAMO_SOURCE_DIR) + "/" + path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Counts from construction to report(), and divides by the number of iterations.
class AllocationMeter {
 public:
  void report(benchmark::State& state) const {
    const auto count = static_cast<double>(test::allocations() - before_);
    state.counters["allocs"] = benchmark::Counter(count, benchmark::Counter::kAvgIterations);
  }

 private:
  std::uint64_t before_ = test::allocations();
};

inline void set_bytes(benchmark::State& state, std::size_t bytes) {
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes));
}

}  // namespace dynamo::bench
