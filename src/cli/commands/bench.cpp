// kubectl dynamo bench
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "cli/check/pipeline.hpp"
#include "cli/check/pipeline_tally.hpp"
#include "cli/check/validator.hpp"
#include "cli/commands/commands.hpp"
#include "cli/history/old_objects_load.hpp"
#include "cli/input/inputs.hpp"
#include "json/report_writer.hpp"
#include "runtime/clock.hpp"
#include "runtime/cpu_quota.hpp"

namespace dynamo::cli {
namespace {

// All inputs are held in memory, so that reading is not measured.
constexpr std::size_t kMaxBytes = std::size_t{1} << 30U;

class MemorySource final : public WorkSource {
 public:
  explicit MemorySource(const std::vector<WorkItem>& items) : items_(items) {}
  std::optional<WorkItem> next() override {
    if (index_ == items_.size()) return std::nullopt;
    return items_[index_++];
  }

 private:
  const std::vector<WorkItem>& items_;
  std::size_t index_ = 0;
};

class CountingSink final : public BatchSink {
 public:
  bool take(Batch batch) override {
    count_rest(batch, summary);
    for (const auto& entry : batch.entries) {
      if (const auto* const validated = std::get_if<ValidatedObject>(&entry)) {
        count(validated->report, summary);
      }
    }
    return true;
  }
  Summary summary;
};

struct Figures {
  Summary summary;
  std::size_t bytes = 0;
  unsigned jobs = 0;
  std::vector<double> seconds;  // per round, sorted

  double fastest() const { return seconds.front(); }
  double median() const { return seconds[seconds.size() / 2]; }
  double objects_per_second(double time) const {
    return static_cast<double>(summary.objects) / time;
  }
  double megabytes_per_second(double time) const { return static_cast<double>(bytes) / time / 1e6; }
  // Per thread.
  double microseconds(double time) const {
    return time * jobs * 1e6 / static_cast<double>(std::max<std::size_t>(summary.objects, 1));
  }
};

std::string fixed(double value, int decimals) {
  std::array<char, 64> text{};
  const int length = std::snprintf(text.data(), text.size(), "%.*f", decimals, value);
  return {text.data(), static_cast<std::size_t>(std::max(length, 0))};
}

void print_line(std::ostream& out, const Figures& figures, std::string_view what, double time) {
  out << what << fixed(figures.objects_per_second(time), 0) << " objects/s, "
      << fixed(figures.megabytes_per_second(time), 1) << " MB/s, "
      << fixed(figures.microseconds(time), 1) << " µs for one object on one thread\n";
}

void print_text(std::ostream& out, const Figures& figures) {
  out << figures.summary.objects << " objects (" << figures.summary.invalid << " invalid), "
      << fixed(static_cast<double>(figures.bytes) / 1e6, 1) << " MB, " << figures.jobs
      << (figures.jobs == 1 ? " thread, " : " threads, ") << figures.seconds.size()
      << (figures.seconds.size() == 1 ? " round\n" : " rounds\n");
  print_line(out, figures, "fastest: ", figures.fastest());
  print_line(out, figures, "median:  ", figures.median());
}

void print_json(std::ostream& out, const Figures& figures) {
  std::string text;
  json::ReportWriter writer(text);
  const auto integer = [&writer](std::string_view name, std::size_t value) {
    writer.key(name).integer(static_cast<std::int64_t>(value));
  };
  writer.start_object();
  integer("objects", figures.summary.objects);
  integer("invalid", figures.summary.invalid);
  integer("ignored", figures.summary.ignored);
  integer("bytes", figures.bytes);
  integer("jobs", figures.jobs);
  writer.key("seconds").start_array();
  for (const double seconds : figures.seconds) writer.number(seconds);
  writer.end_array();
  writer.key("objectsPerSecond").number(figures.objects_per_second(figures.median()));
  writer.key("megabytesPerSecond").number(figures.megabytes_per_second(figures.median()));
  writer.key("microsecondsPerObject").number(figures.microseconds(figures.median()));
  writer.end_object();
  out << text << '\n';
}

// Reads all inputs; on failure returns one line.
std::string read_inputs(const Options& options, Streams& streams, std::vector<WorkItem>& items,
                        Figures& figures) {
  const auto source = input_source(wanted_inputs(options, streams), streams.in);
  while (auto item = source->next()) {
    if (item->fault) return item->fault->file + ": " + item->fault->reason;
    if (!item->slice) continue;
    figures.bytes += item->slice->text.size();
    if (figures.bytes > kMaxBytes) {
      return "the inputs are longer than " + std::to_string(kMaxBytes) + " bytes together";
    }
    items.push_back(*std::move(item));
  }
  return {};
}

}  // namespace

int run_bench(const Options& options, Streams& streams) {
  const auto known = read_evaluation_options(options);
  if (const auto* const fault = std::get_if<EvaluationOptionsFault>(&known)) {
    return refuse(streams, fault->reason);
  }
  const auto& evaluation_options = std::get<EvaluationOptions>(known);
  auto old = load_old_objects(options, evaluation_options);
  if (const auto* const fault = std::get_if<OldObjectsFault>(&old)) {
    return refuse(streams, fault->reason);
  }
  const auto& loaded = std::get<std::optional<LoadedOldObjects>>(old);
  Figures figures;
  std::vector<WorkItem> items;
  if (const auto reason = read_inputs(options, streams, items, figures); !reason.empty()) {
    return refuse(streams, reason);
  }
  figures.jobs = options.jobs == 0 ? runtime::usable_cpus() : options.jobs;
  const runtime::SystemClock clock;
  for (unsigned round = 0; round < options.rounds; ++round) {
    MemorySource source(items);
    CountingSink sink;
    const auto started = clock.monotonic();
    run_pipeline(source, evaluation_options, loaded ? &loaded->objects : nullptr,
                 {.jobs = figures.jobs}, sink);
    const std::chrono::duration<double> taken = clock.monotonic() - started;
    figures.seconds.push_back(taken.count());
    figures.summary = sink.summary;
    if (sink.summary.objects == 0)
      return refuse(streams, "there is no object to validate in the inputs");
  }
  std::ranges::sort(figures.seconds);
  if (options.list_format == ListFormat::kJson) {
    print_json(streams.out, figures);
  } else {
    print_text(streams.out, figures);
  }
  return kExitValid;
}

}  // namespace dynamo::cli
