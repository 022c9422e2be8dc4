#include "cluster/lease_table.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>

namespace dynamo::cluster {
namespace {

constexpr std::int32_t kMissing = -1;

std::uint32_t hash_of(std::string_view name) {
  return static_cast<std::uint32_t>(std::hash<std::string_view>{}(name));
}

}  // namespace

LeaseTable::LeaseTable(const LeaseRecords& records) {
  std::size_t bytes = 0;
  for (const auto& [namespace_name, lease] : records) {
    bytes += sizeof(RecordHeader) + namespace_name.size() + lease.holder.size();
  }
  records_.reserve(bytes);
  slots_.resize(std::bit_ceil(std::max<std::size_t>(records.size() * 2, 2)));
  for (const auto& [namespace_name, lease] : records) {
    if (namespace_name.size() <= LeaseRecord::kLongestHolder) append(namespace_name, lease);
  }
}

void LeaseTable::append(std::string_view namespace_name, const LeaseRecord& lease) {
  const std::uint32_t hash = hash_of(namespace_name);
  std::size_t at = hash & (slots_.size() - 1);
  while (slots_[at].record != 0) at = (at + 1) & (slots_.size() - 1);

  const bool is_complete = lease.renew_time && lease.duration;
  const std::string_view holder =
      std::string_view(lease.holder).substr(0, LeaseRecord::kLongestHolder);
  const RecordHeader header{
      .renew_time = lease.renew_time.value_or(std::chrono::system_clock::time_point{}),
      .earlier_end = lease.earlier_end.value_or(std::chrono::system_clock::time_point{}),
      .duration = is_complete ? static_cast<std::int32_t>(lease.duration->count()) : kMissing,
      .name_length = static_cast<std::uint8_t>(namespace_name.size()),
      .holder_length = static_cast<std::uint8_t>(holder.size()),
      .rejection = lease.rejection};
  const auto begin = static_cast<std::uint32_t>(records_.size());
  records_.append(sizeof header, '\0');
  std::memcpy(&records_[begin], &header, sizeof header);
  records_ += namespace_name;
  records_ += holder;
  slots_[at] = {.hash = hash, .record = begin + 1};
  ++size_;
}

LeaseTable::Record LeaseTable::record(const Slot& slot) const {
  const char* const begin = records_.data() + slot.record - 1;
  RecordHeader header;
  std::memcpy(&header, begin, sizeof header);
  const char* const name = begin + sizeof header;
  Record record{.name = {name, header.name_length}, .lease = {}};
  record.lease.holder = {name + header.name_length, header.holder_length};
  record.lease.rejection = header.rejection;
  if (header.earlier_end != std::chrono::system_clock::time_point{}) {
    record.lease.earlier_end = header.earlier_end;
  }
  if (header.duration == kMissing) return record;  // expired, as with only one of the fields
  record.lease.renew_time = header.renew_time;
  record.lease.duration = std::chrono::seconds(header.duration);
  return record;
}

std::optional<admission::NamespaceLease> LeaseTable::find(std::string_view namespace_name) const {
  if (slots_.empty()) return std::nullopt;
  const std::uint32_t hash = hash_of(namespace_name);
  // Terminates because half of the slots are empty.
  for (std::size_t at = hash & (slots_.size() - 1); slots_[at].record != 0;
       at = (at + 1) & (slots_.size() - 1)) {
    if (slots_[at].hash != hash) continue;
    const Record found = record(slots_[at]);
    if (found.name == namespace_name) return found.lease;
  }
  return std::nullopt;
}

std::size_t LeaseTable::live(std::chrono::system_clock::time_point now) const {
  return static_cast<std::size_t>(std::ranges::count_if(slots_, [&](const Slot& slot) {
    return slot.record != 0 && admission::is_live(record(slot).lease, now);
  }));
}

std::size_t LeaseTable::bytes() const {
  return slots_.capacity() * sizeof(Slot) + records_.capacity();
}

}  // namespace dynamo::cluster
