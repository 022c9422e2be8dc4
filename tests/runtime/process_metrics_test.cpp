#include "runtime/process_metrics.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/temporary_directory.hpp"

namespace dynamo::runtime {
namespace {

// A temporary /proc made of files.
class FakeProc {
 public:
  FakeProc() { std::filesystem::create_directories(path() / "self" / "fd"); }

  void write(std::string_view file, std::string_view text) { std::ofstream(path() / file) << text; }
  const std::filesystem::path& path() const { return directory_.path(); }

 private:
  const test::TemporaryDirectory directory_;
};

TEST(ProcessFacts, AreReadFromProc) {
  FakeProc proc;
  // Fields 14, 15: 250 + 50 ticks; 20: 3 threads; 22: start; 23: bytes; 24: pages.
  proc.write("self/stat",
             "42 (a) b (c) S 1 2 3 4 5 6 7 8 9 10 250 50 0 0 20 0 3 0 1000 4096000 25 99\n");
  proc.write("self/limits",
             "Limit                     Soft Limit           Hard Limit           Units     \n"
             "Max open files            1024                 1048576              files     \n");
  proc.write("stat", "cpu 1 2 3\nbtime 1770091506\nprocesses 7\n");
  proc.write("self/fd/0", "");
  proc.write("self/fd/1", "");
  const auto tick = static_cast<double>(::sysconf(_SC_CLK_TCK));
  const ProcessFacts facts = read_process_facts(proc.path());
  EXPECT_DOUBLE_EQ(facts.cpu_seconds.value(), 300 / tick);
  EXPECT_EQ(facts.threads, 3);
  EXPECT_DOUBLE_EQ(facts.start_time_seconds.value(), 1'770'091'506 + 1000 / tick);
  EXPECT_EQ(facts.virtual_memory_bytes, 4'096'000);
  EXPECT_EQ(facts.resident_memory_bytes, 25.0 * static_cast<double>(::sysconf(_SC_PAGESIZE)));
  EXPECT_EQ(facts.open_descriptors, 2);
  EXPECT_EQ(facts.max_descriptors, 1024);
}

TEST(ProcessFacts, UnreadableFactsAreAbsent) {
  const struct {
    std::string_view name;
    std::string_view stat;
  } rows[] = {{"empty", ""},
              {"cut off", "42 (a) S 1 2 3"},
              {"no numbers", "42 (a) S a b c d e f g h i j k l m n o p q r s t u v"}};
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    FakeProc proc;
    proc.write("self/stat", row.stat);
    proc.write("self/limits", "Max open files            unlimited            unlimited   files\n");
    std::filesystem::remove_all(proc.path() / "self" / "fd");
    const ProcessFacts facts = read_process_facts(proc.path());
    EXPECT_FALSE(facts.cpu_seconds || facts.threads || facts.start_time_seconds ||
                 facts.virtual_memory_bytes || facts.resident_memory_bytes ||
                 facts.open_descriptors || facts.max_descriptors);
  }
}

TEST(ProcessMetrics, DescribeThisProcess) {
  const ProcessFacts facts = read_process_facts();
  EXPECT_GT(facts.resident_memory_bytes.value(), 1e5);
  EXPECT_GE(facts.virtual_memory_bytes.value(), facts.resident_memory_bytes.value());
  EXPECT_GE(facts.threads.value(), 1);
  EXPECT_GE(facts.open_descriptors.value(), 3);
  EXPECT_GE(facts.cpu_seconds.value(), 0);
  const double now =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  EXPECT_NEAR(facts.start_time_seconds.value(), now, 3600);
}

TEST(ProcessMetrics, UsePrometheusStandardNames) {
  MetricsRegistry registry;
  add_process_metrics(registry);
  const std::string text = registry.serialise();
  for (const std::string_view name :
       {"process_cpu_seconds_total", "process_resident_memory_bytes",
        "process_virtual_memory_bytes", "process_threads", "process_open_fds", "process_max_fds",
        "process_start_time_seconds"}) {
    EXPECT_NE(text.find("\n" + std::string(name) + " "), std::string::npos) << name << "\n" << text;
  }
}

}  // namespace
}  // namespace dynamo::runtime
