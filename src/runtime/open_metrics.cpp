#include "runtime/open_metrics.hpp"

#include <limits>
#include <utility>

namespace dynamo::runtime {
namespace {

double seconds(std::chrono::nanoseconds duration) {
  return std::chrono::duration<double>(duration).count();
}

prometheus::ClientMetric with_labels(const Declaration& declaration, const LabelValues& values) {
  prometheus::ClientMetric metric;
  metric.label.resize(declaration.labels.size());
  for (std::size_t i = 0; i < metric.label.size(); ++i) {
    metric.label[i].name = declaration.labels[i].name;
    metric.label[i].value = i < values.size() ? values[i] : "";
  }
  return metric;
}

template <class Cell>
Cell& cell_at(std::map<LabelValues, Cell>& cells, const LabelValues& values) {
  const auto found = cells.find(values);
  if (found != cells.end()) return found->second;
  if (cells.size() < kMaxOpenCells) return cells[values];
  return cells[LabelValues(values.size(), "other")];
}

}  // namespace

OpenCounterFamily::OpenCounterFamily(Declaration declaration)
    : Family(MetricType::kCounter, std::move(declaration)) {}

void OpenCounterFamily::increment(const LabelValues& values, std::uint64_t by) {
  cell_at(cells_, values) += by;
}

std::uint64_t OpenCounterFamily::value(const LabelValues& values) const {
  const auto found = cells_.find(values);
  return found == cells_.end() ? 0 : found->second;
}

void OpenCounterFamily::collect(std::vector<prometheus::MetricFamily>& out) const {
  prometheus::MetricFamily family = header();
  for (const auto& [values, value] : cells_) {
    family.metric.push_back(with_labels(declaration(), values));
    family.metric.back().counter.value = static_cast<double>(value);
  }
  out.push_back(std::move(family));
}

OpenHistogramFamily::OpenHistogramFamily(Declaration declaration,
                                         std::vector<std::chrono::nanoseconds> bounds)
    : Family(MetricType::kHistogram, std::move(declaration)), bounds_(std::move(bounds)) {}

void OpenHistogramFamily::observe(const LabelValues& values, std::chrono::nanoseconds duration) {
  Cell& cell = cell_at(cells_, values);
  if (cell.buckets.empty()) cell.buckets.resize(bounds_.size() + 1);
  std::size_t index = 0;
  while (index < bounds_.size() && duration > bounds_[index]) ++index;
  ++cell.buckets[index];
  cell.sum += duration;
}

void OpenHistogramFamily::collect(std::vector<prometheus::MetricFamily>& out) const {
  prometheus::MetricFamily family = header();
  for (const auto& [values, cell] : cells_) {
    prometheus::ClientMetric metric = with_labels(declaration(), values);
    std::uint64_t cumulative = 0;
    for (std::size_t i = 0; i < cell.buckets.size(); ++i) {
      cumulative += cell.buckets[i];
      const double bound =
          i < bounds_.size() ? seconds(bounds_[i]) : std::numeric_limits<double>::infinity();
      metric.histogram.bucket.push_back({cumulative, bound});
    }
    metric.histogram.sample_count = cumulative;
    metric.histogram.sample_sum = seconds(cell.sum);
    family.metric.push_back(std::move(metric));
  }
  out.push_back(std::move(family));
}

SampledFamily::SampledFamily(MetricType type, Declaration declaration)
    : Family(type, std::move(declaration)) {}

void SampledFamily::collect(std::vector<prometheus::MetricFamily>& out) const {
  prometheus::MetricFamily family = header();
  if (read_) {
    read_([&](const LabelValues& values, double value) {
      family.metric.push_back(with_labels(declaration(), values));
      if (type() == MetricType::kCounter) {
        family.metric.back().counter.value = value;
      } else {
        family.metric.back().gauge.value = value;
      }
    });
  }
  out.push_back(std::move(family));
}

}  // namespace dynamo::runtime
