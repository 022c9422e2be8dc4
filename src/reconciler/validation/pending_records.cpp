#include "reconciler/validation/pending_records.hpp"

#include <algorithm>
#include <utility>

namespace dynamo::reconciler::validation {

RecordPace::Time RecordPace::take_slot(Time now) {
  const Time slot = std::max(now + kQuiet, next_slot_);
  next_slot_ = slot + interval_;
  return slot;
}

const PendingRecords::Entry* PendingRecords::find(const kube::ObjectKey& key,
                                                  std::string_view uid) const {
  const auto found = entries_.find(key);
  return found == entries_.end() || found->second.uid != uid ? nullptr : &found->second;
}

std::string_view PendingRecords::admitted(const kube::ObjectKey& key, std::string_view uid) const {
  const Entry* const entry = find(key, uid);
  return entry == nullptr ? std::string_view() : entry->spec;
}

bool PendingRecords::is_due(const kube::ObjectKey& key, std::string_view uid, Time now) const {
  if (pace_->is_at_once()) return true;
  const Entry* const entry = find(key, uid);
  if (entry == nullptr) return bytes_ >= kMaxBytes;
  return now >= entry->slot && (!pace_->is_busy(now) || now - entry->since >= kLongestWait);
}

std::chrono::milliseconds PendingRecords::postpone(const kube::ObjectKey& key, std::string_view uid,
                                                   std::string spec, Time now) {
  if (find(key, uid) == nullptr) forget(key);
  const auto [place, is_new] = entries_.try_emplace(key);
  Entry& entry = place->second;
  if (is_new) {
    entry.uid = uid;
    entry.since = now;
  }
  bytes_ = bytes_ - entry.spec.size() + spec.size();
  entry.spec = std::move(spec);
  return postpone_again(key, now);
}

bool PendingRecords::is_held_up(const kube::ObjectKey& key, std::string_view uid, Time now) const {
  return find(key, uid) != nullptr && !is_due(key, uid, now);
}

std::chrono::milliseconds PendingRecords::postpone_again(const kube::ObjectKey& key, Time now) {
  Entry& entry = entries_.find(key)->second;
  if (entry.slot <= now) entry.slot = pace_->take_slot(now);
  return std::chrono::ceil<std::chrono::milliseconds>(entry.slot - now);
}

void PendingRecords::forget(const kube::ObjectKey& key) {
  const auto found = entries_.find(key);
  if (found == entries_.end()) return;
  bytes_ -= found->second.spec.size();
  entries_.erase(found);
}

void PendingRecords::forget_all() {
  entries_.clear();
  bytes_ = 0;
}

}  // namespace dynamo::reconciler::validation
