#include "runtime/metrics.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace dynamo::runtime {
namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""ns;
using std::chrono_literals::operator""s;

enum class Colour { kRed, kBlue };

// Values "0", "1", … of a label with too many values to export unused cells.
MetricLabel numbers(std::size_t count) {
  MetricLabel label{.name = "number", .values = {}, .described_as = ""};
  for (std::size_t i = 0; i < count; ++i) label.values.push_back(std::to_string(i));
  return label;
}

TEST(Counter, IsExportedWithHelpTypeAndLabels) {
  MetricsRegistry registry;
  CounterFamily& family =
      registry.add_counter({"things_total",
                            "Things.",
                            {{"colour", {"red", "blue"}, ""}, {"size", {"s", "m", "l"}, ""}}});
  family.at(Colour::kBlue, 2).increment();
  family.at(Colour::kBlue, 2).increment(4);
  family.at(Colour::kRed, 0).increment();
  EXPECT_EQ(registry.serialise(),
            "# HELP things_total Things.\n"
            "# TYPE things_total counter\n"
            "things_total{colour=\"red\",size=\"s\"} 1\n"
            "things_total{colour=\"red\",size=\"m\"} 0\n"
            "things_total{colour=\"red\",size=\"l\"} 0\n"
            "things_total{colour=\"blue\",size=\"s\"} 0\n"
            "things_total{colour=\"blue\",size=\"m\"} 0\n"
            "things_total{colour=\"blue\",size=\"l\"} 5\n");
}

TEST(Counter, HasOneCellWithoutLabels) {
  MetricsRegistry registry;
  registry.add_counter({"alone_total", "Alone."}).at().increment();
  EXPECT_EQ(registry.serialise(),
            "# HELP alone_total Alone.\n# TYPE alone_total counter\nalone_total 1\n");
}

TEST(Counter, LargeFamilyExportsOnlyUsedCells) {
  MetricsRegistry registry;
  CounterFamily& small =
      registry.add_counter({"small_total", "Small.", {numbers(Family::kMaxCellsShownUnused)}});
  CounterFamily& large =
      registry.add_counter({"large_total", "Large.", {numbers(Family::kMaxCellsShownUnused + 1)}});
  small.at(3).increment();
  large.at(16).increment();
  const auto collected = registry.Collect();
  ASSERT_EQ(collected.size(), 2U);
  EXPECT_EQ(collected[0].metric.size(), Family::kMaxCellsShownUnused);
  ASSERT_EQ(collected[1].metric.size(), 1U);
  EXPECT_EQ(collected[1].metric[0].label[0].value, "16");
}

TEST(Counter, WrongIndicesThrow) {
  MetricsRegistry registry;
  CounterFamily& family = registry.add_counter({"x_total", "X.", {{"l", {"a", "b"}, ""}}});
  EXPECT_THROW(family.at(2), std::out_of_range);
  EXPECT_THROW(family.at(-1), std::out_of_range);
  EXPECT_THROW(family.at(), std::out_of_range);
  EXPECT_THROW(family.at(0, 0), std::out_of_range);
}

TEST(Counter, LosesNoIncrementsOfManyThreads) {
  MetricsRegistry registry;
  CounterFamily& family = registry.add_counter({"x_total", "X.", {{"l", {"a", "b"}, ""}}});
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 10'000; ++i) family.at(1).increment();
    });
  }
  while (registry.serialise().empty()) continue;  // concurrent scrapes are harmless
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(family.at(0).value(), 0U);
  EXPECT_EQ(family.at(1).value(), 40'000U);
}

TEST(Gauge, IncreasesAndDecreases) {
  MetricsRegistry registry;
  GaugeFamily& family = registry.add_gauge({"depth", "Depth."});
  family.at().set(5);
  family.at().add(-7);
  EXPECT_EQ(registry.serialise(), "# HELP depth Depth.\n# TYPE depth gauge\ndepth -2\n");
}

TEST(Histogram, DurationIsCountedInFirstFittingBucket) {
  const struct {
    std::chrono::nanoseconds duration;
    std::size_t bucket;
  } rows[] = {{0ns, 0}, {10ms, 0}, {10ms + 1ns, 1}, {100ms, 1}, {101ms, 2}, {1s, 2}, {1s + 1ns, 3}};
  for (const auto& row : rows) {
    SCOPED_TRACE(row.duration.count());
    MetricsRegistry registry;
    Histogram& histogram = registry.add_histogram({"d_seconds", "D."}, {10ms, 100ms, 1s}).at();
    histogram.observe(row.duration);
    for (std::size_t i = 0; i <= 3; ++i) EXPECT_EQ(histogram.bucket(i), i == row.bucket ? 1U : 0U);
    EXPECT_EQ(histogram.sum(), row.duration);
  }
}

TEST(Histogram, IsExportedInSecondsWithCumulativeBuckets) {
  MetricsRegistry registry;
  Histogram& histogram =
      registry.add_histogram({"d_seconds", "D.", {{"op", {"CREATE"}, ""}}}, {10ms, 1s}).at(0);
  histogram.observe(5ms);
  histogram.observe(7ms);
  histogram.observe(500ms);
  histogram.observe(2s);
  EXPECT_EQ(registry.serialise(),
            "# HELP d_seconds D.\n"
            "# TYPE d_seconds histogram\n"
            "d_seconds_count{op=\"CREATE\"} 4\n"
            "d_seconds_sum{op=\"CREATE\"} 2.512\n"
            "d_seconds_bucket{op=\"CREATE\",le=\"0.01\"} 2\n"
            "d_seconds_bucket{op=\"CREATE\",le=\"1\"} 3\n"
            "d_seconds_bucket{op=\"CREATE\",le=\"+Inf\"} 4\n");
}

TEST(Histogram, LargeFamilyExportsOnlyUsedCells) {
  MetricsRegistry registry;
  HistogramFamily& family = registry.add_histogram({"d_seconds", "D.", {numbers(17)}}, {1s});
  family.at(4).observe(1ms);
  ASSERT_EQ(registry.Collect()[0].metric.size(), 1U);
  EXPECT_EQ(registry.Collect()[0].metric[0].histogram.sample_count, 1U);
}

TEST(Callback, IsReadAtEachScrape) {
  MetricsRegistry registry;
  CallbackFamily& family = registry.add_callback(MetricType::kGauge, {"open", "Open."});
  EXPECT_EQ(registry.serialise(), "# HELP open Open.\n# TYPE open gauge\n");
  std::optional<double> value = 3;
  family.bind([&value](std::size_t) { return value; });
  EXPECT_TRUE(registry.serialise().ends_with("\nopen 3\n"));
  value = 4;
  EXPECT_TRUE(registry.serialise().ends_with("\nopen 4\n"));
  value = std::nullopt;
  EXPECT_TRUE(registry.serialise().ends_with("# TYPE open gauge\n"));
}

TEST(Callback, CellsAreIndexedInLabelOrder) {
  MetricsRegistry registry;
  registry
      .add_callback(MetricType::kCounter,
                    {"x_total", "X.", {{"a", {"0", "1"}, ""}, {"b", {"0", "1"}, ""}}})
      .bind([](std::size_t cell) { return static_cast<double>(cell); });
  EXPECT_TRUE(
      registry.serialise().ends_with("x_total{a=\"0\",b=\"0\"} 0\n"
                                     "x_total{a=\"0\",b=\"1\"} 1\n"
                                     "x_total{a=\"1\",b=\"0\"} 2\n"
                                     "x_total{a=\"1\",b=\"1\"} 3\n"));
}

TEST(Export, KeepsAllDigitsOfTimesAndLargeCounts) {
  MetricsRegistry registry;
  registry.add_gauge({"not_after_seconds", "T."}).at().set(1'770'091'506);
  registry.add_counter({"n_total", "N."}).at().increment(123'456'789'012'345);
  const std::string text = registry.serialise();
  EXPECT_NE(text.find("\nnot_after_seconds 1770091506\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\nn_total 123456789012345\n"), std::string::npos) << text;
}

TEST(Documentation, ListsEachMetricWithTypeLabelsAndHelp) {
  MetricsRegistry registry;
  registry.add_counter({"things_total", "Things.", {{"colour", {"red", "blue"}, ""}}});
  registry.add_histogram({"d_seconds", "D.", {{"rule", {}, "the ids"}, {"op", {"C"}, ""}}}, {1s});
  registry.add_callback(MetricType::kGauge, {"open", "Open."});
  const std::string page = metrics_markdown(registry);
  EXPECT_TRUE(
      page.ends_with("| metric | type | labels | meaning |\n|---|---|---|---|\n"
                     "| `things_total` | counter | `colour`: red, blue | Things. |\n"
                     "| `d_seconds` | histogram | `rule`: the ids<br>`op`: C | D. |\n"
                     "| `open` | gauge | – | Open. |\n"))
      << page;
}

TEST(Documentation, ExplainsSharedLabelOnce) {
  MetricsRegistry registry;
  registry.add_counter({"a_total", "A.", {{"op", {"C", "U"}, ""}, {"reason", {"x"}, ""}}});
  registry.add_counter({"b_total", "B.", {{"op", {"C", "U"}, ""}, {"reason", {"y"}, ""}}});
  const std::string page = metrics_markdown(registry);
  EXPECT_TRUE(
      page.ends_with("| `a_total` | counter | `op`<br>`reason`: x | A. |\n"
                     "| `b_total` | counter | `op`<br>`reason`: y | B. |\n"
                     "\n| label of several metrics | values |\n|---|---|\n"
                     "| `op` | C, U |\n"))
      << page;
}

}  // namespace
}  // namespace dynamo::runtime
