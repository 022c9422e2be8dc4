// Why a profiling Job failed or does not start, from the Job and its pods.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "kube/object/object.hpp"

namespace dynamo::reconciler::request {

enum class JobState : std::uint8_t { kRunning, kComplete, kFailed };
JobState job_state_of(const kube::Object& job);

// The message of the condition Failed; "" if there is none.
std::string_view job_failure_of(const kube::Object& job);

// Another client, such as a queue of Jobs, keeps it from running.
bool is_suspended(const kube::Object& job);

// No container of the Job is ready although it exists.
bool lacks_ready_pods(const kube::Object& job);

// The newest Failed pod: exit code, reason and message of its container `profiler`, or the reason
// why that never ran, or the reason of the pod, such as Evicted. If the profiler succeeded, also
// why its container `output-copier` failed. "" if no pod failed.
std::string describe_failed_pods(std::span<const kube::Object> pods);

// The newest pod that waits: the reason of its container `profiler`, such as ImagePullBackOff, or
// why it is not scheduled. "" if none waits.
std::string describe_waiting_pods(std::span<const kube::Object> pods);

}  // namespace dynamo::reconciler::request
