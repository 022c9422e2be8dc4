#include "reconciler/operator_watch.hpp"

#include <algorithm>
#include <utility>

#include "text/presentable.hpp"
#include "text/timestamp.hpp"

namespace dynamo::reconciler {
namespace {

constexpr std::int64_t kLongestSeconds = 86'400;
constexpr std::size_t kShownBytes = 128;

}  // namespace

std::optional<std::string> live_holder(const kube::Object& lease,
                                       std::chrono::system_clock::time_point now) {
  const json::Value spec = lease.root()["spec"];
  const std::string_view holder = spec["holderIdentity"].string_or_empty();
  const auto renewed = text::parse_timestamp(spec["renewTime"].string_or_empty());
  const std::int64_t seconds = std::clamp<std::int64_t>(
      spec["leaseDurationSeconds"].integer().value_or(0), 0, kLongestSeconds);
  if (holder.empty() || !renewed) return std::nullopt;
  if (now >= *renewed + std::chrono::seconds(seconds)) return std::nullopt;
  std::string shown;
  text::append_presentable(shown, holder, kShownBytes);
  return shown;
}

OperatorWatch::OperatorWatch(kube::Client& client, std::string namespace_name, std::string name,
                             const runtime::Clock& clock, runtime::Logger& logger)
    : client_(client),
      namespace_name_(std::move(namespace_name)),
      name_(std::move(name)),
      clock_(clock),
      logger_(logger) {}

aio::Task<> OperatorWatch::look() {
  const auto asked = clock_.monotonic();
  const auto lease = co_await client_.get(kube::kLeases, namespace_name_, name_);
  if (!lease && !lease.error().is("NotFound")) {
    if (last_error_.empty()) {
      logger_.log(runtime::Level::kWarning, "nobody knows whether the operator leads",
                  {{"error", lease.error().text}});
    }
    last_error_ = lease.error().text;
    co_return;
  }
  last_error_.clear();
  known_ = asked;
  holder_ = lease ? live_holder(*lease, clock_.wall()) : std::nullopt;
}

std::optional<std::string> OperatorWatch::leads() const {
  const std::string lease = "lease " + namespace_name_ + "/" + name_;
  if (!known_) return lease + " could not be read";
  if (holder_) return lease + " is held by " + *holder_;
  if (clock_.monotonic() - *known_ >= kGood) return lease + " could not be read any more";
  return std::nullopt;
}

}  // namespace dynamo::reconciler
