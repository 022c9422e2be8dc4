// How many CPUs this process may really use, which in a pod is rarely what the machine has.
#pragma once

#include <filesystem>

namespace dynamo::runtime {

// The least of what the scheduler's affinity and the CPU limits of the process' control group and
// all groups above it allow; a limit of one and a half counts as two. At least 1. What cannot be
// read does not limit.
//
// `root` is where /proc and /sys are found. `affinity` is the number of CPUs the scheduler may
// choose from.
unsigned usable_cpus(const std::filesystem::path& root, unsigned affinity);

// The same for this process on this machine.
unsigned usable_cpus();

}  // namespace dynamo::runtime
