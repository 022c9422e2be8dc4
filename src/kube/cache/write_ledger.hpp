// Tracks the writes of a controller that its store does not show yet.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kube/object/object_key.hpp"

namespace dynamo::kube {

// `kOverdue`: the store has been behind for more than a minute, so the watch is not working. The
// caller reads from the server and then calls settle().
enum class Readiness : std::uint8_t { kReady, kBehind, kOverdue };

// Entries belong to the key whose reconcile wrote, which need not be the object that was written: a
// parent waits for the objects it owns. Single-threaded; the caller passes the time.
class WriteLedger {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::seconds kPatience{60};

  // The reconcile of `key` wrote an object, and the server returned this version.
  void record_write(const ObjectKey& key, std::uint64_t version, Time now);
  // The reconcile of `key` deleted the object with this uid.
  void record_delete(const ObjectKey& key, std::string_view uid, Time now);

  // After kBehind or kOverdue, reached() or observed_deletion() returns the key once it is ready.
  Readiness readiness(const ObjectKey& key, Time now);
  // Time until `key` is overdue if it is behind, otherwise zero.
  std::chrono::nanoseconds patience(const ObjectKey& key, Time now) const;
  // Forgets the writes of `key`, because their result was read from the server.
  void settle(const ObjectKey& key);

  // The store has reached this version, or no longer shows an object with this uid. Returns the
  // keys that became ready and for which readiness() had returned kBehind or kOverdue.
  std::vector<ObjectKey> reached(std::uint64_t version);
  std::vector<ObjectKey> observed_deletion(const std::string& uid);

  std::size_t size() const { return expected_.size(); }

 private:
  struct PendingWrites {
    std::uint64_t version = 0;  // 0: none
    std::set<std::string> uids;
    Time since{};
    bool was_refused = false;
  };
  PendingWrites& expect(const ObjectKey& key, Time now);
  void settle_if_met(const ObjectKey& key, std::vector<ObjectKey>& ready);

  std::map<ObjectKey, PendingWrites> expected_;
  std::set<std::pair<std::uint64_t, ObjectKey>> by_version_;
  std::map<std::string, std::set<ObjectKey>> by_uid_;
};

}  // namespace dynamo::kube
