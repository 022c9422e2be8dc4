// The marker Leases of all namespaces as one immutable table, made for being looked up by every
// request.
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

// Safe to read from any thread. About 110 bytes per Lease; a look-up compares one name.
class LeaseTable final : public admission::NamespaceLeases {
 public:
  LeaseTable() = default;  // no leases
  // Namespaces' names are at most kLongestHolder bytes long; a longer one is no namespace and left
  // out.
  explicit LeaseTable(const LeaseRecords& records);

  // The holder points into this.
  std::optional<admission::NamespaceLease> find(std::string_view namespace_name) const override;

  std::size_t size() const { return size_; }
  // How many of them live at that moment.
  std::size_t live(std::chrono::system_clock::time_point now) const;
  // Of memory, without this object itself.
  std::size_t bytes() const;

 private:
  // What stands in front of a namespace's name and its holder, so that a look-up touches one place
  // beside its slot.
  struct Head {
    std::chrono::system_clock::time_point renew_time;
    std::chrono::system_clock::time_point earlier_end;  // the epoch: none
    std::int32_t duration;                              // seconds; below 0: missing, or the time is
    std::uint8_t name_length;
    std::uint8_t holder_length;
    admission::LeaseDoubt doubt;
  };
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t record = 0;  // where it begins in records_, from 1 on; 0: empty
  };
  struct Record {
    std::string_view name;
    admission::NamespaceLease lease;
  };

  void append(std::string_view namespace_name, const LeaseRecord& lease);
  Record record(const Slot& slot) const;

  std::vector<Slot> slots_;  // a power of two, at most half full; empty without leases
  std::string records_;
  std::size_t size_ = 0;
};

}  // namespace dynamo::cluster
