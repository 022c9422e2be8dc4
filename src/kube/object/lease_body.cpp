#include "kube/object/lease_body.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>

#include "kube/object/resource.hpp"

namespace dynamo::kube {
namespace {

constexpr std::array<std::string_view, 5> kSpecFields{
    "holderIdentity", "leaseDurationSeconds", "acquireTime", "renewTime", "leaseTransitions"};

// A larger Lease was filled by another client: the API server would refuse it with anything added.
constexpr std::size_t kMaxLeaseBytes = std::size_t{64} << 10U;

constexpr std::int64_t kMaxInt32 = std::numeric_limits<std::int32_t>::max();

std::string lease_body_with(json::Value found, const LeaseSpec& spec,
                            const LeaseMetadataWriter& write_metadata, ForeignFields foreign) {
  std::string body;
  json::Writer writer(body);
  writer.start_object().member("apiVersion", kLeases.api_version()).member("kind", kLeases.kind);
  write_metadata(writer, foreign);
  writer.key("spec").start_object();
  writer.member("holderIdentity", spec.holder);
  writer.key("leaseDurationSeconds").integer(spec.duration.count());
  writer.member("acquireTime", spec.acquired);
  writer.member("renewTime", spec.renewed);
  writer.key("leaseTransitions").integer(std::min(spec.transitions, kMaxInt32));
  if (foreign == ForeignFields::kKeep) write_foreign_fields(writer, found["spec"], kSpecFields);
  writer.end_object().end_object();
  return body;
}

}  // namespace

std::string lease_body(json::Value found, const LeaseSpec& spec,
                       const LeaseMetadataWriter& write_metadata) {
  std::string body = lease_body_with(found, spec, write_metadata, ForeignFields::kKeep);
  if (body.size() <= kMaxLeaseBytes) return body;
  return lease_body_with(found, spec, write_metadata, ForeignFields::kDrop);
}

void write_foreign_fields(json::Writer& writer, json::Value object,
                          std::span<const std::string_view> own_fields) {
  for (const json::Member member : object.members()) {
    if (std::ranges::find(own_fields, member.name) != own_fields.end()) continue;
    writer.key(member.name).value(member.value);
  }
}

std::chrono::seconds lease_duration(json::Value spec) {
  return std::chrono::seconds(
      std::clamp<std::int64_t>(spec["leaseDurationSeconds"].integer().value_or(0), 0, kMaxInt32));
}

}  // namespace dynamo::kube
