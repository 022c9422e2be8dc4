// The JSON of a Lease that we write, with the fields that other clients set.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "json/document.hpp"
#include "json/writer.hpp"

namespace dynamo::kube {

struct LeaseSpec {
  std::string_view holder;
  std::chrono::seconds duration{0};
  std::string_view acquired;
  std::string_view renewed;
  std::int64_t transitions = 0;  // an API server would refuse more than 32 bits: limited to them
};

enum class ForeignFields : std::uint8_t { kKeep, kDrop };  // fields that other clients set

// Writes the member `metadata`.
using LeaseMetadataWriter = std::function<void(json::Writer&, ForeignFields)>;

// The Lease to write. `found` is the object that it replaces, absent to create one. Its foreign
// fields are kept unless the Lease would exceed 64 KiB.
std::string lease_body(json::Value found, const LeaseSpec& spec,
                       const LeaseMetadataWriter& write_metadata);

// The members of `object` except `own_fields`.
void write_foreign_fields(json::Writer& writer, json::Value object,
                          std::span<const std::string_view> own_fields);

// The duration in the spec of a Lease, from 0 to what 32 bits hold.
std::chrono::seconds lease_duration(json::Value spec);

}  // namespace dynamo::kube
