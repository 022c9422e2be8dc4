// The standard process metrics of Prometheus: CPU time, memory, descriptors, start time.
#pragma once

#include <filesystem>
#include <optional>

#include "runtime/metrics.hpp"

namespace dynamo::runtime {

// Read from /proc; unreadable values are absent.
struct ProcessFacts {
  std::optional<double> cpu_seconds;  // user and system together
  std::optional<double> resident_memory_bytes;
  std::optional<double> virtual_memory_bytes;
  std::optional<double> threads;
  std::optional<double> start_time_seconds;  // since the epoch
  std::optional<double> open_descriptors;
  std::optional<double> max_descriptors;
};

// `proc` is the path of /proc.
ProcessFacts read_process_facts(const std::filesystem::path& proc = "/proc");

// Declares process_* and binds them to this process.
void add_process_metrics(MetricsRegistry& registry);

}  // namespace dynamo::runtime
