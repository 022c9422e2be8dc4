#include "cluster/marker_plan.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "json/writer.hpp"
#include "text/micro_time.hpp"

namespace dynamo::cluster {
namespace {

constexpr std::array<std::string_view, 5> kOwnFields{
    "holderIdentity", "leaseDurationSeconds", "renewTime", "acquireTime", "leaseTransitions"};

constexpr std::array<std::string_view, 4> kIdentity{"name", "namespace", "uid", "resourceVersion"};

// A larger Lease was filled by another client: the API server would refuse it with anything added.
constexpr std::size_t kMaxKeptBytes = std::size_t{64} << 10U;

enum class ForeignFields : unsigned char { kKeep, kDrop };  // fields that other clients set

bool is_one_of(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

void write_metadata(json::Writer& writer, json::Value found, const MarkerLeaseOptions& options,
                    ForeignFields foreign) {
  writer.key("metadata").start_object();
  if (found.exists()) {
    for (const json::Member member : found["metadata"].members()) {
      const bool is_written = foreign == ForeignFields::kKeep ? member.name != "managedFields"
                                                              : is_one_of(kIdentity, member.name);
      if (is_written) writer.key(member.name).value(member.value);
    }
  } else {
    writer.member("name", admission::kNamespaceScopeLease);
    writer.member("namespace", options.namespace_name);
  }
  writer.end_object();
}

void write_spec(json::Writer& writer, json::Value found, MarkerStep step,
                const MarkerLeaseOptions& options, std::chrono::system_clock::time_point now,
                ForeignFields foreign) {
  const json::Value before = found["spec"];
  const std::string time = text::format_micro_time(now);
  const json::Value acquired = before["acquireTime"];
  const bool was_ours = step == MarkerStep::kRenew && acquired.is_string();
  const std::int64_t transitions =
      before["leaseTransitions"].integer().value_or(0) + (step == MarkerStep::kTakeOver ? 1 : 0);
  writer.key("spec").start_object();
  writer.member("holderIdentity", options.identity);
  writer.key("leaseDurationSeconds").integer(options.duration.count());
  writer.member("acquireTime", was_ours ? acquired.string_or_empty() : std::string_view(time));
  writer.member("renewTime", time);
  writer.key("leaseTransitions")
      .integer(std::min<std::int64_t>(transitions, std::numeric_limits<std::int32_t>::max()));
  for (const json::Member member : before.members()) {
    if (foreign == ForeignFields::kKeep && !is_one_of(kOwnFields, member.name)) {
      writer.key(member.name).value(member.value);
    }
  }
  writer.end_object();
}

std::string body_of(json::Value found, MarkerStep step, const MarkerLeaseOptions& options,
                    std::chrono::system_clock::time_point now, ForeignFields foreign) {
  std::string body;
  json::Writer writer(body);
  writer.start_object();
  writer.member("apiVersion", "coordination.k8s.io/v1").member("kind", "Lease");
  write_metadata(writer, found, options, foreign);
  write_spec(writer, found, step, options, now, foreign);
  writer.end_object();
  return body;
}

}  // namespace

std::string marker_identity(std::string_view operator_version) {
  return "namespace-restricted-operator-" + std::string(operator_version);
}

MarkerStep marker_step(const std::optional<LeaseRecord>& found, std::string_view identity,
                       std::chrono::system_clock::time_point now) {
  if (!found) return MarkerStep::kCreate;
  if (found->holder == identity) return MarkerStep::kRenew;
  return admission::is_live(found->view(), now) ? MarkerStep::kYield : MarkerStep::kTakeOver;
}

std::string marker_body(json::Value found, MarkerStep step, const MarkerLeaseOptions& options,
                        std::chrono::system_clock::time_point now) {
  std::string body = body_of(found, step, options, now, ForeignFields::kKeep);
  if (body.size() <= kMaxKeptBytes) return body;
  return body_of(found, step, options, now, ForeignFields::kDrop);
}

unsigned tolerated_failures(const MarkerLeaseOptions& options) {
  const auto times = std::chrono::nanoseconds(options.duration) / options.interval;
  return static_cast<unsigned>(std::clamp<std::int64_t>(times - 1, 1, 1'000'000));
}

}  // namespace dynamo::cluster
