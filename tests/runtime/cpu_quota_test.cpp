#include "runtime/cpu_quota.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/support/temporary_directory.hpp"

namespace dynamo::runtime {
namespace {

struct File {
  std::string path;
  std::string text;
};

// A temporary root directory with only these files.
class FakeRoot {
 public:
  explicit FakeRoot(const std::vector<File>& files) {
    for (const File& file : files) {
      const std::filesystem::path path = directory_.path() / file.path;
      std::filesystem::create_directories(path.parent_path());
      std::ofstream(path) << file.text;
    }
  }

  const std::filesystem::path& path() const { return directory_.path(); }

 private:
  const test::TemporaryDirectory directory_;
};

TEST(CpuQuota, IsMinimumOfAffinityAndControlGroups) {
  const std::string v2 = "0::/\n";
  const std::string v1 = "5:memory:/x\n4:cpu,cpuacct:/pod\n";
  const std::string group = "sys/fs/cgroup/";
  const struct {
    std::string_view name;
    unsigned affinity;
    std::vector<File> files;
    unsigned expected;
  } rows[] = {
      {"nothing readable", 8, {}, 8},
      {"no affinity", 0, {}, 1},
      {"v2, no limit", 8, {{"proc/self/cgroup", v2}, {group + "cpu.max", "max 100000\n"}}, 8},
      {"v2, two CPUs", 8, {{"proc/self/cgroup", v2}, {group + "cpu.max", "200000 100000\n"}}, 2},
      {"v2, one and a half",
       8,
       {{"proc/self/cgroup", v2}, {group + "cpu.max", "150000 100000\n"}},
       2},
      {"v2, a tenth", 8, {{"proc/self/cgroup", v2}, {group + "cpu.max", "10000 100000\n"}}, 1},
      {"v2, more than the affinity",
       4,
       {{"proc/self/cgroup", v2}, {group + "cpu.max", "900000 100000"}},
       4},
      {"v2, limit of the group itself",
       8,
       {{"proc/self/cgroup", "0::/pods/a\n"},
        {group + "pods/cpu.max", "max 100000\n"},
        {group + "pods/a/cpu.max", "300000 100000\n"}},
       3},
      {"v2, limit of a group above",
       8,
       {{"proc/self/cgroup", "0::/pods/a\n"},
        {group + "pods/cpu.max", "200000 100000\n"},
        {group + "pods/a/cpu.max", "300000 100000\n"}},
       2},
      {"v2, path outside the mount",
       8,
       {{"proc/self/cgroup", "0::/../other\n"},
        {group + "cpu.max", "200000 100000\n"},
        {"sys/fs/other/cpu.max", "100000 100000\n"}},
       2},
      {"v2, garbage", 8, {{"proc/self/cgroup", v2}, {group + "cpu.max", "two 100000\n"}}, 8},
      {"v2, empty file", 8, {{"proc/self/cgroup", v2}, {group + "cpu.max", ""}}, 8},
      {"v2, period of zero", 8, {{"proc/self/cgroup", v2}, {group + "cpu.max", "100000 0\n"}}, 8},
      {"v1, two CPUs",
       8,
       {{"proc/self/cgroup", v1},
        {group + "cpu/pod/cpu.cfs_quota_us", "200000\n"},
        {group + "cpu/pod/cpu.cfs_period_us", "100000\n"}},
       2},
      {"v1, joined mount",
       8,
       {{"proc/self/cgroup", v1},
        {group + "cpu,cpuacct/pod/cpu.cfs_quota_us", "250000\n"},
        {group + "cpu,cpuacct/pod/cpu.cfs_period_us", "100000\n"}},
       3},
      {"v1, seen from inside the container",
       8,
       {{"proc/self/cgroup", v1},
        {group + "cpu/cpu.cfs_quota_us", "100000\n"},
        {group + "cpu/cpu.cfs_period_us", "100000\n"}},
       1},
      {"v1, no limit",
       8,
       {{"proc/self/cgroup", v1},
        {group + "cpu/pod/cpu.cfs_quota_us", "-1\n"},
        {group + "cpu/pod/cpu.cfs_period_us", "100000\n"}},
       8},
      {"v1, the limit of another controller's group counts not",
       8,
       {{"proc/self/cgroup", "5:cpuset:/pod\n"},
        {group + "cpu/pod/cpu.cfs_quota_us", "100000\n"},
        {group + "cpu/pod/cpu.cfs_period_us", "100000\n"}},
       8},
      {"lines that are none", 8, {{"proc/self/cgroup", "\n:\nx\n"}}, 8},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const FakeRoot root(row.files);
    EXPECT_EQ(usable_cpus(root.path(), row.affinity), row.expected);
  }
}

TEST(CpuQuota, IsBetweenOneAndCpusOfMachine) {
  EXPECT_GE(usable_cpus(), 1U);
  EXPECT_LE(usable_cpus(), static_cast<unsigned>(::sysconf(_SC_NPROCESSORS_CONF)));
}

}  // namespace
}  // namespace dynamo::runtime
