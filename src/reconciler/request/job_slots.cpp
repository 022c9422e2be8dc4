#include "reconciler/request/job_slots.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "kube/object/object_meta.hpp"
#include "reconciler/request/diagnosis.hpp"
#include "reconciler/request/plan.hpp"

namespace dynamo::reconciler::request {
namespace {

constexpr std::array<std::string_view, 2> kProfilingApps = {"dynamo-profiler", "aic-profiler"};

bool is_running_for_request(const kube::Object& job) {
  const auto controller = kube::controller_of(job);
  return controller && controller->kind == kRequests.kind &&
         job_state_of(job) == JobState::kRunning && !kube::is_terminating(job);
}

}  // namespace

std::size_t JobSlots::used(const kube::Store& jobs, const kube::Store& requests) {
  std::map<kube::ObjectKey, Seen> present;
  std::size_t count = 0;
  for (const std::string_view app : kProfilingApps) {
    for (const kube::ObjectKey& key : jobs.keys(jobs.index_by_label(kAppLabel), app)) {
      const std::string_view version = jobs.version_of(key);
      const auto known = seen_.find(key);
      Seen seen;
      if (known != seen_.end() && known->second.version == version) {
        seen = std::move(known->second);
      } else {
        const auto job = jobs.find(key);
        seen = {.version = std::string(version), .is_running = job && is_running_for_request(*job)};
      }
      if (seen.is_running) ++count;
      present.emplace(key, std::move(seen));
    }
  }
  seen_ = std::move(present);
  std::erase_if(reserved_, [&jobs, &requests](const auto& each) {
    return jobs.contains(each.second.job) || !requests.contains(each.first);
  });
  return count + reserved_.size();
}

std::optional<kube::ObjectKey> JobSlots::next_waiting() {
  // Times in this form sort like texts.
  const auto oldest = std::ranges::min_element(
      waiting_, [](const auto& left, const auto& right) { return left.second < right.second; });
  if (oldest == waiting_.end()) return std::nullopt;
  kube::ObjectKey request = oldest->first;
  waiting_.erase(oldest);
  woken_.insert(request);
  return request;
}

}  // namespace dynamo::reconciler::request
