#include "runtime/process_metrics.hpp"

#include <dirent.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/flag_values.hpp"

namespace dynamo::runtime {
namespace {

// Words of the first line after the last ')', because a process name may contain any character. The
// first of them is field 3 of proc(5).
std::vector<std::string> stat_fields(const std::filesystem::path& stat) {
  std::ifstream file(stat);
  std::string line;
  std::getline(file, line);
  const std::size_t name_end = line.rfind(')');
  std::vector<std::string> fields;
  if (name_end == std::string::npos) return fields;
  std::string_view rest = std::string_view(line).substr(name_end + 1);
  while (!rest.empty()) {
    const std::size_t start = rest.find_first_not_of(' ');
    if (start == std::string_view::npos) break;
    rest.remove_prefix(start);
    const std::size_t end = std::min(rest.find(' '), rest.size());
    fields.emplace_back(rest.substr(0, end));
    rest.remove_prefix(end);
  }
  return fields;
}

// The number after `key` on its line of `file`, up to the next blank.
std::optional<double> number_after(const std::filesystem::path& path, std::string_view key) {
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    if (!line.starts_with(key)) continue;
    std::string_view rest = std::string_view(line).substr(key.size());
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    const auto number = parse_count(rest.substr(0, rest.find(' ')));
    if (!number) return std::nullopt;
    return static_cast<double>(*number);
  }
  return std::nullopt;
}

// Not std::filesystem: its iterators end the process if an allocation fails.
std::optional<double> entries_of(const std::filesystem::path& directory) {
  struct Close {
    void operator()(DIR* opened) const { ::closedir(opened); }
  };
  const std::unique_ptr<DIR, Close> opened(::opendir(directory.c_str()));
  if (opened == nullptr) return std::nullopt;
  double count = 0;
  errno = 0;
  while (const dirent* const entry = ::readdir(opened.get())) {
    const std::string_view name(entry->d_name);
    if (name != "." && name != "..") ++count;
  }
  if (errno != 0) return std::nullopt;
  return count;
}

std::optional<double> scaled(const std::vector<std::string>& fields, std::size_t field,
                             double factor) {
  constexpr std::size_t kFirstField = 3;
  if (field - kFirstField >= fields.size()) return std::nullopt;
  const auto number = parse_count(fields[field - kFirstField]);
  if (!number) return std::nullopt;
  return static_cast<double>(*number) * factor;
}

std::optional<double> sum(std::optional<double> left, std::optional<double> right) {
  if (!left || !right) return std::nullopt;
  return *left + *right;
}

}  // namespace

ProcessFacts read_process_facts(const std::filesystem::path& proc) {
  const double tick = 1.0 / static_cast<double>(::sysconf(_SC_CLK_TCK));
  const auto page = static_cast<double>(::sysconf(_SC_PAGESIZE));
  const std::filesystem::path self = proc / "self";
  const std::vector<std::string> fields = stat_fields(self / "stat");

  ProcessFacts facts;
  facts.cpu_seconds = sum(scaled(fields, 14, tick), scaled(fields, 15, tick));
  facts.threads = scaled(fields, 20, 1);
  facts.start_time_seconds = sum(scaled(fields, 22, tick), number_after(proc / "stat", "btime"));
  facts.virtual_memory_bytes = scaled(fields, 23, 1);
  facts.resident_memory_bytes = scaled(fields, 24, page);
  facts.open_descriptors = entries_of(self / "fd");
  facts.max_descriptors = number_after(self / "limits", "Max open files");
  return facts;
}

void add_process_metrics(MetricsRegistry& registry) {
  struct Row {
    std::string_view name;
    MetricType type;
    std::string_view help;
    std::optional<double> ProcessFacts::*fact;
  };
  const Row rows[] = {
      {"process_cpu_seconds_total", MetricType::kCounter,
       "CPU time of the process, user and system, in seconds.", &ProcessFacts::cpu_seconds},
      {"process_resident_memory_bytes", MetricType::kGauge, "Memory of the process that is in RAM.",
       &ProcessFacts::resident_memory_bytes},
      {"process_virtual_memory_bytes", MetricType::kGauge, "Address space of the process.",
       &ProcessFacts::virtual_memory_bytes},
      {"process_threads", MetricType::kGauge, "Threads of the process.", &ProcessFacts::threads},
      {"process_open_fds", MetricType::kGauge, "Open file descriptors.",
       &ProcessFacts::open_descriptors},
      {"process_max_fds", MetricType::kGauge, "File descriptors that may be open at once.",
       &ProcessFacts::max_descriptors},
      {"process_start_time_seconds", MetricType::kGauge,
       "When the process started, in seconds since the epoch.", &ProcessFacts::start_time_seconds},
  };
  for (const Row& row : rows) {
    registry.add_callback(row.type, {std::string(row.name), std::string(row.help)})
        .bind([fact = row.fact](std::size_t) { return read_process_facts().*fact; });
  }
}

}  // namespace dynamo::runtime
