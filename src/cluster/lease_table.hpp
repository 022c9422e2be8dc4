// Immutable table of the marker Leases of all namespaces, for the lookup of each request.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "admission/namespace_lease.hpp"
#include "cluster/lease_record.hpp"

namespace dynamo::cluster {

// By namespace.
using LeaseRecords = std::unordered_map<std::string, LeaseRecord>;

// Safe to read from any thread. About 110 bytes per Lease; a lookup compares one name.
class LeaseTable final : public admission::NamespaceLeases {
 public:
  LeaseTable() = default;  // no Leases
  // Names of namespaces have at most kLongestHolder bytes; longer ones cannot exist and are
  // skipped.
  explicit LeaseTable(const LeaseRecords& records);

  // The holder points into this table.
  std::optional<admission::NamespaceLease> find(std::string_view namespace_name) const override;

  std::size_t size() const { return size_; }
  // Number of Leases that are live at `now`.
  std::size_t live(std::chrono::system_clock::time_point now) const;
  // Memory use, without this object itself.
  std::size_t bytes() const;

 private:
  // Header before a namespace's name and its holder, so that a lookup touches one memory location
  // in addition to its slot.
  struct RecordHeader {
    std::chrono::system_clock::time_point renew_time;
    std::chrono::system_clock::time_point earlier_end;  // the epoch: none
    std::int32_t duration;  // seconds; negative if it or renew_time is missing
    std::uint8_t name_length;
    std::uint8_t holder_length;
    admission::LeaseRejection rejection;
  };
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t record = 0;  // 1-based offset into records_; 0: empty
  };
  struct Record {
    std::string_view name;
    admission::NamespaceLease lease;
  };

  void append(std::string_view namespace_name, const LeaseRecord& lease);
  Record record(const Slot& slot) const;

  std::vector<Slot> slots_;  // a power of two, at most half full; empty without Leases
  std::string records_;
  std::size_t size_ = 0;
};

}  // namespace dynamo::cluster
