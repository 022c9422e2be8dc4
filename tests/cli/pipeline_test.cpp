#include "cli/check/pipeline.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "cli/check/pipeline_tally.hpp"
#include "cli/report/progress.hpp"
#include "tests/cli/workspace.hpp"
#include "tests/support/fake_clock.hpp"

namespace dynamo::cli {
namespace {

using test::graph_yaml;

// Many slices of one document each; counts how many were taken.
class CountingSource final : public WorkSource {
 public:
  explicit CountingSource(std::size_t count) : count_(count) {}
  std::optional<WorkItem> next() override {
    if (taken == count_) return std::nullopt;
    const std::size_t number = taken++;
    WorkItem item;
    item.file = std::to_string(number);
    // Of very different lengths, so that threads finish out of order.
    std::string text;
    for (std::size_t i = 0; i < 1 + (number % 7) * 5; ++i) {
      text += "---\n" + graph_yaml("n" + std::to_string(number));
    }
    item.slice = std::make_shared<const Slice>(Slice{Syntax::kYaml, std::move(text), 0});
    if (number == fail_at) throw std::runtime_error("the source is broken");
    return item;
  }
  std::atomic<std::size_t> taken{0};
  std::size_t fail_at = ~std::size_t{0};

 private:
  std::size_t count_;
};

class RecordingSink final : public BatchSink {
 public:
  bool take(Batch batch) override {
    for (const auto& entry : batch.entries) {
      files.push_back(std::get<ValidatedObject>(entry).report.file);
    }
    ++batches;
    if (batches == fail_at) throw std::runtime_error("the sink is broken");
    return batches != stop_at;
  }
  std::vector<std::string> files;
  std::size_t batches = 0;
  std::size_t stop_at = 0;
  std::size_t fail_at = 0;
};

EvaluationOptions evaluation_options() {
  EvaluationOptions result;
  result.namespace_name = "default";
  return result;
}

TEST(Pipeline, DeliversResultsInInputOrder) {
  for (const unsigned jobs : {1U, 2U, 7U}) {
    CountingSource source(100);
    RecordingSink sink;
    run_pipeline(source, evaluation_options(), nullptr, {.jobs = jobs}, sink);
    EXPECT_EQ(sink.batches, 100U);
    std::vector<std::string> expected;
    for (std::size_t number = 0; number < 100; ++number) {
      expected.insert(expected.end(), 1 + (number % 7) * 5, std::to_string(number));
    }
    EXPECT_EQ(sink.files, expected);
  }
}

// Takes a result only after all possible work was taken, and then waits a while longer.
class BlockingSink final : public BatchSink {
 public:
  BlockingSink(const CountingSource& source, std::size_t expected)
      : source_(source), expected_(expected) {}
  bool take(Batch) override {
    using std::chrono::steady_clock;
    const auto deadline = steady_clock::now() + std::chrono::seconds(20);
    while (source_.taken < expected_ && steady_clock::now() < deadline) std::this_thread::yield();
    const auto longer = steady_clock::now() + std::chrono::milliseconds(100);
    while (steady_clock::now() < longer) std::this_thread::yield();
    seen = source_.taken;
    return false;
  }
  std::size_t seen = 0;

 private:
  const CountingSource& source_;
  std::size_t expected_;
};

TEST(Pipeline, LimitsWorkInProgress) {
  constexpr std::size_t kWindow = 2 * 3 + 2;
  CountingSource source(1000);
  BlockingSink sink(source, kWindow + 1);
  run_pipeline(source, evaluation_options(), nullptr, {.jobs = 3}, sink);
  EXPECT_EQ(sink.seen, kWindow + 1) << "the window, and the one that was handed over";
}

TEST(Pipeline, EndsWhenTheSinkStops) {
  CountingSource source(100'000);
  RecordingSink sink;
  sink.stop_at = 3;
  run_pipeline(source, evaluation_options(), nullptr, {.jobs = 2}, sink);
  EXPECT_EQ(sink.batches, 3U);
  EXPECT_LT(source.taken, 20U);
}

TEST(Pipeline, RethrowsExceptionsOfTheSource) {
  CountingSource source(100'000);
  source.fail_at = 5;
  RecordingSink sink;
  EXPECT_THROW(run_pipeline(source, evaluation_options(), nullptr, {.jobs = 2}, sink),
               std::runtime_error);
}

TEST(Pipeline, RethrowsExceptionsOfTheSink) {
  CountingSource source(100'000);
  RecordingSink sink;
  sink.fail_at = 2;
  EXPECT_THROW(run_pipeline(source, evaluation_options(), nullptr, {.jobs = 2}, sink),
               std::runtime_error);
}

TEST(Pipeline, EndsImmediatelyWithoutWork) {
  CountingSource source(0);
  RecordingSink sink;
  run_pipeline(source, evaluation_options(), nullptr, {}, sink);
  EXPECT_EQ(sink.batches, 0U);
}

TEST(InputSource, ContinuesAfterUnreadableInputs) {
  const test::Workspace workspace;
  const std::vector<Input> inputs{{workspace.path("none.yaml"), {}},
                                  {workspace.write("a.yaml", graph_yaml("a")), {}},
                                  {"listed", "is faulty"},
                                  {workspace.write("empty.yaml", ""), {}}};
  std::istringstream in;
  const auto source = input_source(inputs, in);
  auto item = source->next();
  ASSERT_TRUE(item && item->fault);
  EXPECT_EQ(item->fault->reason, "the file cannot be opened: No such file or directory");
  EXPECT_FALSE(item->begins_input);
  item = source->next();
  ASSERT_TRUE(item && item->slice);
  EXPECT_EQ(item->slice->text, graph_yaml("a"));
  EXPECT_TRUE(item->begins_input);
  item = source->next();
  ASSERT_TRUE(item && item->fault);
  EXPECT_EQ(item->fault->reason, "is faulty");
  item = source->next();
  ASSERT_TRUE(item) << "an empty file is a file, too";
  EXPECT_TRUE(item->begins_input);
  EXPECT_FALSE(item->slice || item->fault);
  EXPECT_FALSE(source->next());
  EXPECT_FALSE(source->next());
}

TEST(ProgressTest, IsDelayedThrottledAndErased) {
  test::FakeClock clock;
  std::ostringstream terminal;
  {
    Progress progress(terminal, true, clock);
    Summary summary;
    summary.files = 1;
    summary.objects = 12;
    progress.show(summary);
    clock.tick(std::chrono::milliseconds(499));
    progress.show(summary);
    EXPECT_EQ(terminal.str(), "");
    clock.tick(std::chrono::milliseconds(1));
    progress.show(summary);
    EXPECT_EQ(terminal.str(), "\r\x1b[K1 file, 12 objects, 0 invalid …");
    terminal.str("");
    clock.tick(std::chrono::milliseconds(99));
    progress.show(summary);
    EXPECT_EQ(terminal.str(), "");
    progress.clear();
    EXPECT_EQ(terminal.str(), "\r\x1b[K");
    progress.clear();
    EXPECT_EQ(terminal.str(), "\r\x1b[K");
    clock.tick(std::chrono::milliseconds(1));
    progress.show(summary);
    terminal.str("");
  }
  EXPECT_EQ(terminal.str(), "\r\x1b[K") << "nothing stays on the terminal";
}

TEST(ProgressTest, ShowsNothingWithoutATerminal) {
  test::FakeClock clock;
  std::ostringstream terminal;
  Progress progress(terminal, false, clock);
  clock.tick(std::chrono::seconds(10));
  progress.show({});
  EXPECT_EQ(terminal.str(), "");
}

}  // namespace
}  // namespace dynamo::cli
