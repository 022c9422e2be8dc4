// Metrics whose cells are plain atomics. Families are declared once with closed lists of label
// values. Cells are addressed by index, so requests neither lock nor look up names.
#pragma once

#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dynamo::runtime {

inline constexpr std::string_view kMetricsContentType = "text/plain; version=0.0.4; charset=utf-8";

enum class MetricType : std::uint8_t { kCounter, kGauge, kHistogram };

// Only grows. Safe to use from any thread.
class Counter {
 public:
  void increment(std::uint64_t by = 1) noexcept { value_.fetch_add(by, std::memory_order_relaxed); }
  std::uint64_t value() const noexcept { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

// Goes up and down. Safe to use from any thread.
class Gauge {
 public:
  void set(std::int64_t value) noexcept { value_.store(value, std::memory_order_relaxed); }
  void add(std::int64_t by) noexcept { value_.fetch_add(by, std::memory_order_relaxed); }
  std::int64_t value() const noexcept { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::int64_t> value_{0};
};

// Durations in buckets with fixed upper bounds (inclusive), exported in seconds. Safe to use from
// any thread. A scrape between two increments may see a sum that lags by one observation.
class Histogram {
 public:
  static constexpr std::size_t kMaxBounds = 23;

  void observe(std::chrono::nanoseconds duration) noexcept;

  // Observations at or below the bound of this index and above the previous bound; the index after
  // the last bound counts the rest.
  std::uint64_t bucket(std::size_t index) const noexcept {
    return buckets_[index].load(std::memory_order_relaxed);
  }
  std::chrono::nanoseconds sum() const noexcept {
    return std::chrono::nanoseconds(sum_.load(std::memory_order_relaxed));
  }

 private:
  friend class HistogramFamily;

  std::span<const std::chrono::nanoseconds> bounds_;  // of the family
  std::array<std::atomic<std::uint64_t>, kMaxBounds + 1> buckets_{};
  std::atomic<std::int64_t> sum_{0};  // nanoseconds
};

// A label and all its values. at() takes an index into the values.
struct MetricLabel {
  std::string name;
  std::vector<std::string> values;
  std::string described_as;  // in the documentation, instead of the values; empty: list them

  bool operator==(const MetricLabel&) const = default;
};

struct Declaration {
  std::string name;
  std::string help;
  std::vector<MetricLabel> labels = {};
};

// A family with one cell per combination of label values. A family of up to kMaxCellsShownUnused
// cells exports all of them, a larger one only those that have changed.
class Family {
 public:
  static constexpr std::size_t kMaxCellsShownUnused = 16;

  virtual ~Family() = default;
  Family(const Family&) = delete;
  Family& operator=(const Family&) = delete;

  const Declaration& declaration() const { return declaration_; }
  MetricType type() const { return type_; }
  std::size_t cells() const { return cells_; }

  // Appends the family with its cells; called by the registry at a scrape.
  virtual void collect(std::vector<prometheus::MetricFamily>& out) const = 0;

 protected:
  Family(MetricType type, Declaration declaration);

  prometheus::MetricFamily header() const;
  // The cell's labels, to be completed with its value.
  prometheus::ClientMetric labelled(std::size_t cell) const;
  bool shows_unused() const { return cells_ <= kMaxCellsShownUnused; }

  // One index (integer or enum) per label, in their order. Throws std::out_of_range, which only a
  // defect can cause.
  template <class... Indices>
  std::size_t cell_of(Indices... indices) const {
    const std::array<std::size_t, sizeof...(Indices)> given{static_cast<std::size_t>(indices)...};
    return checked_cell(given);
  }

 private:
  std::size_t checked_cell(std::span<const std::size_t> indices) const {
    if (indices.size() != sizes_.size()) fail();
    std::size_t cell = 0;
    for (std::size_t i = 0; i < indices.size(); ++i) {
      if (indices[i] >= sizes_[i]) fail();
      cell = cell * sizes_[i] + indices[i];
    }
    return cell;
  }
  [[noreturn]] void fail() const;

  const MetricType type_;
  const Declaration declaration_;
  std::vector<std::size_t> sizes_;  // values per label
  std::size_t cells_ = 1;
};

class CounterFamily final : public Family {
 public:
  explicit CounterFamily(Declaration declaration);

  template <class... Indices>
  Counter& at(Indices... indices) {
    return values_[cell_of(indices...)];
  }
  void collect(std::vector<prometheus::MetricFamily>& out) const override;

 private:
  std::unique_ptr<Counter[]> values_;
};

class GaugeFamily final : public Family {
 public:
  explicit GaugeFamily(Declaration declaration);

  template <class... Indices>
  Gauge& at(Indices... indices) {
    return values_[cell_of(indices...)];
  }
  void collect(std::vector<prometheus::MetricFamily>& out) const override;

 private:
  std::unique_ptr<Gauge[]> values_;
};

class HistogramFamily final : public Family {
 public:
  // `bounds` must be ascending; at most Histogram::kMaxBounds.
  HistogramFamily(Declaration declaration, std::vector<std::chrono::nanoseconds> bounds);

  template <class... Indices>
  Histogram& at(Indices... indices) {
    return values_[cell_of(indices...)];
  }
  void collect(std::vector<prometheus::MetricFamily>& out) const override;

 private:
  const std::vector<std::chrono::nanoseconds> bounds_;
  std::unique_ptr<Histogram[]> values_;
};

// Reads its cells from a callback at each scrape.
class CallbackFamily final : public Family {
 public:
  // The value of a cell, with indices as for at(), in label order; nullopt: the cell is not
  // exported. Called on the scraping thread.
  using CellReader = std::function<std::optional<double>(std::size_t cell)>;

  CallbackFamily(MetricType type, Declaration declaration);

  // Call it before the first scrape; until then the family has no cells.
  void bind(CellReader read) { read_ = std::move(read); }
  void collect(std::vector<prometheus::MetricFamily>& out) const override;

 private:
  CellReader read_;
};

// Owns the families and exports them in the order of their declaration. One thread declares
// families at the start; afterwards any thread may scrape.
class MetricsRegistry final : public prometheus::Collectable {
 public:
  CounterFamily& add_counter(Declaration declaration);
  GaugeFamily& add_gauge(Declaration declaration);
  HistogramFamily& add_histogram(Declaration declaration,
                                 std::vector<std::chrono::nanoseconds> bounds);
  CallbackFamily& add_callback(MetricType type, Declaration declaration);

  // Adds a family of open_metrics.hpp. The registry may then be scraped only by the thread that
  // fills it.
  void add_family(std::unique_ptr<Family> family);

  std::vector<prometheus::MetricFamily> Collect() const override;

  // The body of /metrics, in the text format of Prometheus.
  std::string serialise() const;

  std::span<const std::unique_ptr<Family>> families() const { return families_; }

 private:
  template <class FamilyType>
  FamilyType& add(std::unique_ptr<FamilyType> family);

  std::vector<std::unique_ptr<Family>> families_;
};

// docs/metrics.md, from the declarations.
std::string metrics_markdown(const MetricsRegistry& registry);

}  // namespace dynamo::runtime
