#include "runtime/metrics.hpp"

#include <prometheus/text_serializer.h>

#include <algorithm>
#include <cassert>
#include <limits>
#include <sstream>
#include <stdexcept>

namespace dynamo::runtime {
namespace {

double seconds(std::chrono::nanoseconds duration) {
  return std::chrono::duration<double>(duration).count();
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

[[maybe_unused]] bool is_metric_name(std::string_view name) {
  return !name.empty() && is_letter(name.front()) &&
         std::all_of(name.begin(), name.end(),
                     [](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

prometheus::MetricType exported_type(MetricType type) {
  switch (type) {
    case MetricType::kCounter:
      return prometheus::MetricType::Counter;
    case MetricType::kGauge:
      return prometheus::MetricType::Gauge;
    case MetricType::kHistogram:
      return prometheus::MetricType::Histogram;
  }
  return prometheus::MetricType::Untyped;
}

}  // namespace

void Histogram::observe(std::chrono::nanoseconds duration) noexcept {
  std::size_t index = 0;
  while (index < bounds_.size() && duration > bounds_[index]) ++index;
  buckets_[index].fetch_add(1, std::memory_order_relaxed);
  sum_.fetch_add(duration.count(), std::memory_order_relaxed);
}

Family::Family(MetricType type, Declaration declaration)
    : type_(type), declaration_(std::move(declaration)) {
  assert(is_metric_name(declaration_.name));
  for (const MetricLabel& label : declaration_.labels) {
    assert(is_metric_name(label.name));
    sizes_.push_back(label.values.size());
    cells_ *= label.values.size();
  }
}

void Family::fail() const {
  throw std::out_of_range("no such cell in metric " + declaration_.name);
}

prometheus::MetricFamily Family::header() const {
  prometheus::MetricFamily family;
  family.name = declaration_.name;
  family.help = declaration_.help;
  family.type = exported_type(type_);
  return family;
}

prometheus::ClientMetric Family::labelled(std::size_t cell) const {
  prometheus::ClientMetric metric;
  metric.label.resize(sizes_.size());
  for (std::size_t i = sizes_.size(); i-- > 0;) {
    const MetricLabel& label = declaration_.labels[i];
    metric.label[i].name = label.name;
    metric.label[i].value = label.values[cell % sizes_[i]];
    cell /= sizes_[i];
  }
  return metric;
}

CounterFamily::CounterFamily(Declaration declaration)
    : Family(MetricType::kCounter, std::move(declaration)),
      values_(std::make_unique<Counter[]>(cells())) {}

void CounterFamily::collect(std::vector<prometheus::MetricFamily>& out) const {
  prometheus::MetricFamily family = header();
  for (std::size_t cell = 0; cell < cells(); ++cell) {
    const std::uint64_t value = values_[cell].value();
    if (value == 0 && !shows_unused()) continue;
    family.metric.push_back(labelled(cell));
    family.metric.back().counter.value = static_cast<double>(value);
  }
  out.push_back(std::move(family));
}

GaugeFamily::GaugeFamily(Declaration declaration)
    : Family(MetricType::kGauge, std::move(declaration)),
      values_(std::make_unique<Gauge[]>(cells())) {}

void GaugeFamily::collect(std::vector<prometheus::MetricFamily>& out) const {
  prometheus::MetricFamily family = header();
  for (std::size_t cell = 0; cell < cells(); ++cell) {
    const std::int64_t value = values_[cell].value();
    if (value == 0 && !shows_unused()) continue;
    family.metric.push_back(labelled(cell));
    family.metric.back().gauge.value = static_cast<double>(value);
  }
  out.push_back(std::move(family));
}

HistogramFamily::HistogramFamily(Declaration declaration,
                                 std::vector<std::chrono::nanoseconds> bounds)
    : Family(MetricType::kHistogram, std::move(declaration)),
      bounds_(std::move(bounds)),
      values_(std::make_unique<Histogram[]>(cells())) {
  assert(bounds_.size() <= Histogram::kMaxBounds);
  assert(std::adjacent_find(bounds_.begin(), bounds_.end(), std::greater_equal<>()) ==
         bounds_.end());
  for (std::size_t cell = 0; cell < cells(); ++cell) values_[cell].bounds_ = bounds_;
}

void HistogramFamily::collect(std::vector<prometheus::MetricFamily>& out) const {
  prometheus::MetricFamily family = header();
  for (std::size_t cell = 0; cell < cells(); ++cell) {
    const Histogram& histogram = values_[cell];
    prometheus::ClientMetric metric = labelled(cell);
    auto& exported = metric.histogram;
    std::uint64_t cumulative = 0;
    for (std::size_t i = 0; i <= bounds_.size(); ++i) {
      cumulative += histogram.bucket(i);
      const double bound =
          i < bounds_.size() ? seconds(bounds_[i]) : std::numeric_limits<double>::infinity();
      exported.bucket.push_back({cumulative, bound});
    }
    // Counted from the buckets themselves, so that count and +Inf always agree.
    exported.sample_count = cumulative;
    exported.sample_sum = seconds(histogram.sum());
    if (cumulative == 0 && !shows_unused()) continue;
    family.metric.push_back(std::move(metric));
  }
  out.push_back(std::move(family));
}

CallbackFamily::CallbackFamily(MetricType type, Declaration declaration)
    : Family(type, std::move(declaration)) {
  assert(type != MetricType::kHistogram);
}

void CallbackFamily::collect(std::vector<prometheus::MetricFamily>& out) const {
  prometheus::MetricFamily family = header();
  for (std::size_t cell = 0; read_ && cell < cells(); ++cell) {
    const std::optional<double> value = read_(cell);
    if (!value || (*value == 0 && !shows_unused())) continue;
    family.metric.push_back(labelled(cell));
    if (type() == MetricType::kCounter) {
      family.metric.back().counter.value = *value;
    } else {
      family.metric.back().gauge.value = *value;
    }
  }
  out.push_back(std::move(family));
}

template <class FamilyType>
FamilyType& MetricsRegistry::add(std::unique_ptr<FamilyType> family) {
  assert(std::none_of(families_.begin(), families_.end(), [&](const auto& other) {
    return other->declaration().name == family->declaration().name;
  }));
  FamilyType& added = *family;
  families_.push_back(std::move(family));
  return added;
}

CounterFamily& MetricsRegistry::add_counter(Declaration declaration) {
  return add(std::make_unique<CounterFamily>(std::move(declaration)));
}

GaugeFamily& MetricsRegistry::add_gauge(Declaration declaration) {
  return add(std::make_unique<GaugeFamily>(std::move(declaration)));
}

HistogramFamily& MetricsRegistry::add_histogram(Declaration declaration,
                                                std::vector<std::chrono::nanoseconds> bounds) {
  return add(std::make_unique<HistogramFamily>(std::move(declaration), std::move(bounds)));
}

CallbackFamily& MetricsRegistry::add_callback(MetricType type, Declaration declaration) {
  return add(std::make_unique<CallbackFamily>(type, std::move(declaration)));
}

void MetricsRegistry::add_family(std::unique_ptr<Family> family) {
  add(std::move(family));
}

std::vector<prometheus::MetricFamily> MetricsRegistry::Collect() const {
  std::vector<prometheus::MetricFamily> collected;
  collected.reserve(families_.size());
  for (const auto& family : families_) family->collect(collected);
  return collected;
}

std::string MetricsRegistry::serialise() const {
  std::ostringstream text;
  prometheus::TextSerializer().Serialize(text, Collect());
  return std::move(text).str();
}

}  // namespace dynamo::runtime
