// Records that are still to be written: behind the verdicts, and not all at once. Why it is so:
// docs/adr/0044.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "kube/object_key.hpp"

namespace dynamo::reconciler::validation {

// Whose turn it is, among the records of all kinds. A plain structure of one thread; time is passed
// in, and never goes back.
class RecordPace {
 public:
  using Time = std::chrono::steady_clock::time_point;
  // Without a verdict for so long records are written.
  static constexpr std::chrono::seconds kQuiet{1};

  // One record in each interval; zero: each at once, behind nothing.
  explicit RecordPace(std::chrono::milliseconds interval) : interval_(interval) {}

  bool is_at_once() const { return interval_ == std::chrono::milliseconds::zero(); }
  // A verdict is written now.
  void note_verdict(Time now) { quiet_at_ = std::max(quiet_at_, now + kQuiet); }
  bool is_busy(Time now) const { return now < quiet_at_; }
  // A turn that nobody else has.
  Time take_turn(Time now);

 private:
  const std::chrono::milliseconds interval_;
  Time quiet_at_{};
  Time next_turn_{};
};

// Of one kind: what was admitted of its objects that have no record yet. It is lost with the
// process, and then made anew of what is there. On the thread of its pace.
class PendingRecords {
 public:
  using Time = RecordPace::Time;
  // Verdicts hold a record up for so long at most, and then until its next turn.
  static constexpr std::chrono::seconds kLongestWait{60};
  // What does not fit is written at once.
  static constexpr std::size_t kMostBytes = std::size_t{4} << 20U;

  explicit PendingRecords(std::shared_ptr<RecordPace> pace) : pace_(std::move(pace)) {}

  // As immutable_part() gave it; "": nothing is pending of the object.
  std::string_view admitted(const kube::ObjectKey& key, std::string_view uid) const;
  // Whether its record may be written in this pass.
  bool is_due(const kube::ObjectKey& key, std::string_view uid, Time now) const;
  // In this pass it may not. Answers how long to wait until the next that looks.
  std::chrono::milliseconds put_off(const kube::ObjectKey& key, std::string_view uid,
                                    std::string spec, Time now);
  // Something is pending of the object, and cannot be written yet.
  bool is_held_up(const kube::ObjectKey& key, std::string_view uid, Time now) const;
  // What is pending stays as it is. Of an object that is_held_up().
  std::chrono::milliseconds put_off_again(const kube::ObjectKey& key, Time now);
  void note_verdict(Time now) { pace_->note_verdict(now); }
  // It was written, or its object is gone, or others have looked after it meanwhile.
  void forget(const kube::ObjectKey& key);

 private:
  struct Entry {
    std::string uid = {};
    std::string spec = {};
    Time since{};
    Time turn{};
  };
  const Entry* find(const kube::ObjectKey& key, std::string_view uid) const;

  const std::shared_ptr<RecordPace> pace_;
  std::unordered_map<kube::ObjectKey, Entry, kube::ObjectKeyHash> entries_;
  std::size_t bytes_ = 0;  // of what their specs take
};

}  // namespace dynamo::reconciler::validation
