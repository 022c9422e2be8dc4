#include "cluster/marker_plan.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "json/writer.hpp"
#include "kube/object/lease_body.hpp"
#include "text/micro_time.hpp"

namespace dynamo::cluster {
namespace {

constexpr std::array<std::string_view, 4> kIdentity{"name", "namespace", "uid", "resourceVersion"};
constexpr std::array<std::string_view, 1> kServerFields{"managedFields"};

void write_metadata(json::Writer& writer, json::Value found, const MarkerLeaseOptions& options,
                    kube::ForeignFields foreign) {
  writer.key("metadata").start_object();
  if (!found.exists()) {
    writer.member("name", admission::kNamespaceScopeLease);
    writer.member("namespace", options.namespace_name);
  } else if (foreign == kube::ForeignFields::kKeep) {
    kube::write_foreign_fields(writer, found["metadata"], kServerFields);
  } else {
    for (const json::Member member : found["metadata"].members()) {
      const bool is_written = std::ranges::find(kIdentity, member.name) != kIdentity.end();
      if (is_written) writer.key(member.name).value(member.value);
    }
  }
  writer.end_object();
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
  const json::Value before = found["spec"];
  const std::string time = text::format_micro_time(now);
  const json::Value acquired = before["acquireTime"];
  const bool was_ours = step == MarkerStep::kRenew && acquired.is_string();
  const kube::LeaseSpec spec{
      .holder = options.identity,
      .duration = options.duration,
      .acquired = was_ours ? acquired.string_or_empty() : std::string_view(time),
      .renewed = time,
      .transitions = before["leaseTransitions"].integer().value_or(0) +
                     (step == MarkerStep::kTakeOver ? 1 : 0)};
  return kube::lease_body(found, spec, [&](json::Writer& writer, kube::ForeignFields foreign) {
    write_metadata(writer, found, options, foreign);
  });
}

unsigned tolerated_failures(const MarkerLeaseOptions& options) {
  const auto times = std::chrono::nanoseconds(options.duration) / options.interval;
  return static_cast<unsigned>(std::clamp<std::int64_t>(times - 1, 1, 1'000'000));
}

}  // namespace dynamo::cluster
