// Copies the output of a profiler into the ConfigMap of its request: the job of the second
// container of a profiling pod.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aio/task.hpp"
#include "kube/client/client.hpp"
#include "kube/object/object.hpp"
#include "reconciler/copy_profile/options.hpp"
#include "reconciler/copy_profile/output_files.hpp"
#include "runtime/clock.hpp"
#include "runtime/log.hpp"
#include "runtime/result.hpp"

namespace dynamo::reconciler::copy_profile {

// Owns the fields of the ConfigMap.
inline constexpr std::string_view kFieldManager = "dynamo-profile-copier";

// The container `profiler` as the status of its pod describes it.
struct ProfilerState {
  enum class Phase : std::uint8_t { kWaiting, kRunning, kEnded };
  Phase phase = Phase::kWaiting;
  std::string reason = {};     // of waiting or of the end; may be empty
  std::int64_t exit_code = 0;  // kEnded

  bool operator==(const ProfilerState&) const = default;
};

// An error if the container cannot end any more: the pod has no such container, or has ended.
runtime::Result<ProfilerState> profiler_state(json::Value pod);

class ProfileCopier {
 public:
  // The options have a pod and a namespace. The transport, `clock` and `logger` must outlive it.
  // The clock decides when a limit has passed; pauses between attempts are real time.
  ProfileCopier(const Options& options, kube::Transport& transport, const runtime::Clock& clock,
                runtime::Logger& logger);

  // Waits for the profiler and its status, and writes the ConfigMap. On the transport's loop, once.
  aio::Task<runtime::Result<void>> run();

 private:
  using ApiCall = std::function<aio::Task<kube::Result<kube::Object>>(kube::Client&)>;

  aio::Task<runtime::Result<ProfilerState>> wait_for_profiler();
  // Returns profiler_status.yaml.
  aio::Task<runtime::Result<OutputFile>> wait_for_status(ProfilerState profiler);
  aio::Task<runtime::Result<void>> apply(std::vector<OutputFile> files);
  // Repeats the call until it succeeds, a limit passes or a repetition is useless. `right` is what
  // an account needs for it.
  aio::Task<runtime::Result<kube::Object>> call(ApiCall make, std::string right);
  // Returns false if the whole run may not take longer, or was cancelled.
  aio::Task<bool> pause(std::chrono::nanoseconds length);

  std::chrono::nanoseconds time_left() const;
  runtime::Error overdue(std::string_view requirement) const;
  runtime::Error missing_right(std::string_view right, const kube::Error& answer) const;
  void log_profiler(const ProfilerState& state);

  const Options options_;
  kube::Transport& transport_;
  const runtime::Clock& clock_;
  runtime::Logger& logger_;
  const std::chrono::steady_clock::time_point end_;
};

}  // namespace dynamo::reconciler::copy_profile
