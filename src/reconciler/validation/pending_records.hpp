// Admission records that are not written yet: they are written after the verdicts, and
// rate-limited. Background: ADR 30.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "kube/object/object_key.hpp"

namespace dynamo::reconciler::validation {

// Schedules the records of all kinds. A plain data structure for one thread; the caller passes the
// time, which must never decrease.
class RecordPace {
 public:
  using Time = std::chrono::steady_clock::time_point;
  // Records are written once no verdict was written for this long.
  static constexpr std::chrono::seconds kQuiet{1};

  // One record per interval; zero: each at once, without waiting for verdicts.
  explicit RecordPace(std::chrono::milliseconds interval) : interval_(interval) {}

  bool is_at_once() const { return interval_ == std::chrono::milliseconds::zero(); }
  // Call when a verdict is written.
  void note_verdict(Time now) { quiet_at_ = std::max(quiet_at_, now + kQuiet); }
  bool is_busy(Time now) const { return now < quiet_at_; }
  // Returns the next free time slot.
  Time take_slot(Time now);

 private:
  const std::chrono::milliseconds interval_;
  Time quiet_at_{};
  Time next_slot_{};
};

// Pending records of one kind: the admitted spec of objects without a record. It is lost with the
// process and then rebuilt from the objects. Used on the thread of its pace.
class PendingRecords {
 public:
  using Time = RecordPace::Time;
  // Verdicts delay a record at most this long, plus the time until its next slot.
  static constexpr std::chrono::seconds kLongestWait{60};
  // Records above this limit are written at once.
  static constexpr std::size_t kMaxBytes = std::size_t{4} << 20U;

  explicit PendingRecords(std::shared_ptr<RecordPace> pace) : pace_(std::move(pace)) {}

  // From immutable_part(); "": nothing is pending for the object.
  std::string_view admitted(const kube::ObjectKey& key, std::string_view uid) const;
  // Whether the record may be written in this reconcile.
  bool is_due(const kube::ObjectKey& key, std::string_view uid, Time now) const;
  // Postpones the record. Returns the delay until the reconcile that should check it again.
  std::chrono::milliseconds postpone(const kube::ObjectKey& key, std::string_view uid,
                                     std::string spec, Time now);
  // A record is pending for the object and must not be written yet.
  bool is_held_up(const kube::ObjectKey& key, std::string_view uid, Time now) const;
  // Postpones a pending record again, unchanged. Requires is_held_up().
  std::chrono::milliseconds postpone_again(const kube::ObjectKey& key, Time now);
  void note_verdict(Time now) { pace_->note_verdict(now); }
  // The record was written, the object is deleted, or another replica has taken over in between.
  void forget(const kube::ObjectKey& key);
  void forget_all();

 private:
  struct Entry {
    std::string uid = {};
    std::string spec = {};
    Time since{};
    Time slot{};
  };
  const Entry* find(const kube::ObjectKey& key, std::string_view uid) const;

  const std::shared_ptr<RecordPace> pace_;
  std::unordered_map<kube::ObjectKey, Entry, kube::ObjectKeyHash> entries_;
  std::size_t bytes_ = 0;  // total size of the specs
};

}  // namespace dynamo::reconciler::validation
