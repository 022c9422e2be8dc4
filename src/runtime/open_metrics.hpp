// Metric families with label values that are not known in advance, such as namespaces. Bounded, and
// used by one thread, which also scrapes them.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "runtime/metrics.hpp"

namespace dynamo::runtime {

// One value per label, in order.
using LabelValues = std::vector<std::string>;

// Limit of cells of a family; further combinations are counted in one cell with all values "other".
inline constexpr std::size_t kMaxOpenCells = 10'000;

class OpenCounterFamily final : public Family {
 public:
  // The labels' lists of values are for the documentation.
  explicit OpenCounterFamily(Declaration declaration);

  void increment(const LabelValues& values, std::uint64_t by = 1);
  std::uint64_t value(const LabelValues& values) const;
  void collect(std::vector<prometheus::MetricFamily>& out) const override;

 private:
  std::map<LabelValues, std::uint64_t> cells_;
};

class OpenHistogramFamily final : public Family {
 public:
  // `bounds` must be ascending.
  OpenHistogramFamily(Declaration declaration, std::vector<std::chrono::nanoseconds> bounds);

  void observe(const LabelValues& values, std::chrono::nanoseconds duration);
  void collect(std::vector<prometheus::MetricFamily>& out) const override;

 private:
  struct Cell {
    std::vector<std::uint64_t> buckets = {};  // one more than bounds
    std::chrono::nanoseconds sum{0};
  };
  const std::vector<std::chrono::nanoseconds> bounds_;
  std::map<LabelValues, Cell> cells_;
};

// A gauge or counter whose owner provides all cells at a scrape.
class SampledFamily final : public Family {
 public:
  using Emit = std::function<void(const LabelValues& values, double value)>;
  using SampleReader = std::function<void(const Emit& emit)>;

  SampledFamily(MetricType type, Declaration declaration);
  void bind(SampleReader read) { read_ = std::move(read); }
  void collect(std::vector<prometheus::MetricFamily>& out) const override;

 private:
  SampleReader read_;
};

}  // namespace dynamo::runtime
