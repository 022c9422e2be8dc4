#include "reconciler/request/diagnosis.hpp"

#include <cstddef>
#include <cstdint>
#include <tuple>

#include "json/document.hpp"
#include "text/presentable.hpp"

namespace dynamo::reconciler::request {
namespace {

constexpr std::string_view kProfilerContainer = "profiler";
constexpr std::string_view kCopierContainer = "output-copier";
constexpr std::size_t kMaxPodMessage = 1'024;

json::Value true_condition(json::Value status, std::string_view type) {
  const json::Value conditions = status["conditions"];
  for (const json::Value condition : conditions.elements()) {
    if (condition["type"].string_or_empty() != type) continue;
    if (condition["status"].string_or_empty() == "True") return condition;
  }
  return {};
}

json::Value container_state_of(const kube::Object& pod, std::string_view container) {
  const json::Value statuses = pod.root()["status"]["containerStatuses"];
  for (const json::Value status : statuses.elements()) {
    if (status["name"].string_or_empty() == container) return status["state"];
  }
  return {};
}

json::Value profiler_state_of(const kube::Object& pod) {
  return container_state_of(pod, kProfilerContainer);
}

void append_part(std::string& text, std::string_view separator, std::string_view part) {
  if (part.empty()) return;
  text += separator;
  text::append_presentable(text, part, kMaxPodMessage);
}

// ", reason R: message"
void append_reason(std::string& text, json::Value from) {
  append_part(text, ", reason ", from["reason"].string_or_empty());
  append_part(text, ": ", from["message"].string_or_empty());
}

// The last line of a message that consists of a log.
std::string_view last_line_of(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  const std::size_t before = text.rfind('\n');
  return before == std::string_view::npos ? text : text.substr(before + 1);
}

// For a pod whose profiler succeeded: its output may be missing, or too large for a ConfigMap.
void append_copier(std::string& text, const kube::Object& pod) {
  const json::Value ended = container_state_of(pod, kCopierContainer)["terminated"];
  const std::int64_t code = ended["exitCode"].integer().value_or(0);
  if (code == 0) return;
  text += "; container output-copier ended with exit code " + std::to_string(code);
  append_part(text, ", reason ", ended["reason"].string_or_empty());
  append_part(text, ": ", last_line_of(ended["message"].string_or_empty()));
}

bool is_in_phase(const kube::Object& pod, std::string_view phase) {
  return pod.root()["status"]["phase"].string_or_empty() == phase;
}

// Times in this form sort like texts.
auto age_of(const kube::Object& pod) {
  return std::tuple(pod.root()["metadata"]["creationTimestamp"].string_or_empty(), pod.name());
}

const kube::Object* newest_pod(std::span<const kube::Object> pods, std::string_view phase) {
  const kube::Object* newest = nullptr;
  for (const kube::Object& pod : pods) {
    if (!is_in_phase(pod, phase)) continue;
    if (newest == nullptr || age_of(*newest) < age_of(pod)) newest = &pod;
  }
  return newest;
}

std::string pod_named(const kube::Object& pod) {
  return "pod " + std::string(pod.name());
}

}  // namespace

JobState job_state_of(const kube::Object& job) {
  const json::Value status = job.root()["status"];
  if (true_condition(status, "Failed").exists()) return JobState::kFailed;
  return true_condition(status, "Complete").exists() ? JobState::kComplete : JobState::kRunning;
}

std::string_view job_failure_of(const kube::Object& job) {
  return true_condition(job.root()["status"], "Failed")["message"].string_or_empty();
}

bool is_suspended(const kube::Object& job) {
  return job.root()["spec"]["suspend"].boolean().value_or(false);
}

bool lacks_ready_pods(const kube::Object& job) {
  return job.root()["status"]["ready"].integer().value_or(0) == 0;
}

std::string describe_failed_pods(std::span<const kube::Object> pods) {
  const kube::Object* const pod = newest_pod(pods, "Failed");
  if (pod == nullptr) return {};
  std::string text = pod_named(*pod);
  const json::Value state = profiler_state_of(*pod);
  const json::Value terminated = state["terminated"];
  if (terminated.is_object()) {
    text += ": container profiler ended with exit code " +
            std::to_string(terminated["exitCode"].integer().value_or(-1));
    append_reason(text, terminated);
    if (terminated["exitCode"].integer() == 0) append_copier(text, *pod);
  } else if (state["waiting"].is_object()) {
    text += ": container profiler never ran";
    append_reason(text, state["waiting"]);
  } else {
    text += " failed";
  }
  // Such as Evicted.
  const json::Value status = pod->root()["status"];
  if (!status["reason"].string_or_empty().empty()) {
    text += "; the pod";
    append_reason(text, status);
  }
  return text;
}

std::string describe_waiting_pods(std::span<const kube::Object> pods) {
  const kube::Object* const pod = newest_pod(pods, "Pending");
  if (pod == nullptr) return {};
  const json::Value waiting = profiler_state_of(*pod)["waiting"];
  if (waiting.is_object()) {
    std::string text = pod_named(*pod) + ": container profiler waits";
    append_reason(text, waiting);
    return text;
  }
  const json::Value conditions = pod->root()["status"]["conditions"];
  for (const json::Value condition : conditions.elements()) {
    const bool is_unscheduled = condition["type"].string_or_empty() == "PodScheduled" &&
                                condition["status"].string_or_empty() == "False";
    if (!is_unscheduled) continue;
    std::string text = pod_named(*pod) + " is not scheduled";
    append_reason(text, condition);
    return text;
  }
  return {};
}

}  // namespace dynamo::reconciler::request
