#include "runtime/cpu_quota.hpp"

#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <fstream>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/flag_values.hpp"

namespace dynamo::runtime {
namespace {

constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

std::optional<std::string> first_line(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  return line;
}

std::uint64_t cpus_of(std::optional<std::uint64_t> quota, std::optional<std::uint64_t> period) {
  if (!quota || !period || *period == 0) return kUnlimited;
  return std::max<std::uint64_t>(1, *quota / *period + (*quota % *period == 0 ? 0 : 1));
}

// cgroup v2: "QUOTA PERIOD" in microseconds, QUOTA may be "max".
std::uint64_t limit_v2(const std::filesystem::path& group) {
  const auto line = first_line(group / "cpu.max");
  if (!line) return kUnlimited;
  const std::string_view text = *line;
  const std::size_t blank = text.find(' ');
  if (blank == std::string_view::npos) return kUnlimited;
  return cpus_of(parse_count(text.substr(0, blank)), parse_count(text.substr(blank + 1)));
}

// cgroup v1: a quota of -1 means none and does not parse as a count.
std::uint64_t limit_v1(const std::filesystem::path& group) {
  const auto quota = first_line(group / "cpu.cfs_quota_us");
  const auto period = first_line(group / "cpu.cfs_period_us");
  if (!quota || !period) return kUnlimited;
  return cpus_of(parse_count(*quota), parse_count(*period));
}

// The lowest limit of the group and its ancestors. In a container the group's own path may not
// exist below the mount; then the mount itself is the group.
std::uint64_t least_limit(const std::filesystem::path& mount, std::string_view group,
                          std::uint64_t (*limit)(const std::filesystem::path&)) {
  std::uint64_t least = limit(mount);
  std::filesystem::path path = mount;
  for (const auto& part : std::filesystem::path(group).relative_path()) {
    if (part == "..") break;
    path /= part;
    least = std::min(least, limit(path));
  }
  return least;
}

bool names_controller(std::string_view controllers, std::string_view wanted) {
  for (;;) {
    const std::size_t comma = controllers.find(',');
    if (controllers.substr(0, comma) == wanted) return true;
    if (comma == std::string_view::npos) return false;
    controllers.remove_prefix(comma + 1);
  }
}

// Lines of /proc/self/cgroup are "ID:CONTROLLERS:PATH"; v2 has ID 0 and no controllers.
std::uint64_t control_group_limit(const std::filesystem::path& root) {
  const std::filesystem::path mounts = root / "sys/fs/cgroup";
  std::uint64_t least = kUnlimited;
  std::ifstream groups(root / "proc/self/cgroup");
  std::string line;
  while (std::getline(groups, line)) {
    const std::size_t first = line.find(':');
    const std::size_t second =
        first == std::string::npos ? std::string::npos : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string_view controllers =
        std::string_view(line).substr(first + 1, second - first - 1);
    const std::string_view path = std::string_view(line).substr(second + 1);
    if (controllers.empty()) {
      least = std::min(least, least_limit(mounts, path, limit_v2));
    } else if (names_controller(controllers, "cpu")) {
      least = std::min(least, least_limit(mounts / "cpu", path, limit_v1));
      least = std::min(least, least_limit(mounts / controllers, path, limit_v1));
    }
  }
  return least;
}

struct CpuSetFree {
  void operator()(cpu_set_t* set) const { CPU_FREE(set); }
};

unsigned scheduler_affinity() {
  // The kernel refuses a set smaller than the machine's possible CPUs, so try larger ones.
  for (std::size_t cpus = CPU_SETSIZE; cpus <= 64 * CPU_SETSIZE; cpus *= 2) {
    const std::unique_ptr<cpu_set_t, CpuSetFree> set(CPU_ALLOC(cpus));
    const std::size_t bytes = CPU_ALLOC_SIZE(cpus);
    CPU_ZERO_S(bytes, set.get());
    if (::sched_getaffinity(0, bytes, set.get()) == 0) {
      return static_cast<unsigned>(std::max(1, CPU_COUNT_S(bytes, set.get())));
    }
    if (errno != EINVAL) break;
  }
  return 1;
}

}  // namespace

unsigned usable_cpus(const std::filesystem::path& root, unsigned affinity) {
  const std::uint64_t least =
      std::min<std::uint64_t>(std::max(1U, affinity), control_group_limit(root));
  return static_cast<unsigned>(least);
}

unsigned usable_cpus() {
  return usable_cpus("/", scheduler_affinity());
}

}  // namespace dynamo::runtime
