// Number of CPUs that this process may use, which in a pod is rarely the machine's number.
#pragma once

#include <filesystem>

namespace dynamo::runtime {

// The minimum of the scheduler's affinity and the CPU limits of the process' control group and all
// its ancestors; a limit of one and a half counts as two. At least 1. An unreadable limit is
// ignored.
//
// `root` contains /proc and /sys. `affinity` is the number of CPUs that the scheduler may choose
// from.
unsigned usable_cpus(const std::filesystem::path& root, unsigned affinity);

// The same for this process on this machine.
unsigned usable_cpus();

}  // namespace dynamo::runtime
