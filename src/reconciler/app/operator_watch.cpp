#include "reconciler/app/operator_watch.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <utility>

#include "kube/object/lease_body.hpp"
#include "text/presentable.hpp"

namespace dynamo::reconciler {
namespace {

constexpr std::chrono::seconds kLongestDuration{86'400};
constexpr std::size_t kShownBytes = 128;

}  // namespace

ObservedHolder observe_holder(const kube::Object& lease,
                              const std::optional<ObservedHolder>& before,
                              std::chrono::steady_clock::time_point now) {
  const json::Value spec = lease.root()["spec"];
  ObservedHolder observed;
  text::append_presentable(observed.holder, spec["holderIdentity"].string_or_empty(), kShownBytes);
  observed.duration = std::min(kube::lease_duration(spec), kLongestDuration);
  observed.resource_version = lease.resource_version();
  const bool is_same = before && before->resource_version == observed.resource_version;
  observed.since = is_same ? before->since : now;
  observed.has_changed = before && (!is_same || before->has_changed);
  return observed;
}

bool is_alive(const ObservedHolder& observed, std::chrono::steady_clock::time_point now) {
  return !observed.holder.empty() && now - observed.since < observed.duration;
}

OperatorWatch::OperatorWatch(kube::Client& client, std::string namespace_name, std::string name,
                             const runtime::Clock& clock, runtime::Logger& logger)
    : client_(client),
      namespace_name_(std::move(namespace_name)),
      name_(std::move(name)),
      clock_(clock),
      logger_(logger) {}

aio::Task<> OperatorWatch::read_lease() {
  const auto asked = clock_.monotonic();
  const auto lease = co_await client_.get(kube::kLeases, namespace_name_, name_);
  if (!lease && !lease.error().is("NotFound")) {
    if (last_error_.empty()) {
      logger_.log(runtime::Level::kWarning, "whether the operator leads is unknown",
                  {{"error", lease.error().text}});
    }
    last_error_ = lease.error().text;
    co_return;
  }
  last_error_.clear();
  known_ = asked;
  const auto now = clock_.monotonic();
  observed_ = lease ? std::optional(observe_holder(*lease, observed_, now)) : std::nullopt;
  is_held_ = observed_ && is_alive(*observed_, now);
}

std::optional<std::string> OperatorWatch::blocked_reason() const {
  const std::string lease = "lease " + namespace_name_ + "/" + name_;
  if (!known_) return lease + " could not be read";
  if (is_held_) return lease + " is held by " + observed_->holder;
  if (clock_.monotonic() - *known_ >= kAnswerValidity) return lease + " could not be read any more";
  return std::nullopt;
}

}  // namespace dynamo::reconciler
