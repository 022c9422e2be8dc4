// What a controller has written and its store has not shown it yet.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kube/object_key.hpp"

namespace dynamo::kube {

// `kOverdue`: it is behind for longer than a minute, so the watch tells nothing any more: who asks
// looks at the server, and then calls settle().
enum class Readiness : std::uint8_t { kReady, kBehind, kOverdue };

// By the key whose pass wrote, which need not be what was written: a parent waits for its children.
// A plain structure of one thread, time passed in.
class WriteLedger {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr std::chrono::seconds kPatience{60};

  // The pass of `key` wrote an object, which the server gave this version.
  void wrote(const ObjectKey& key, std::uint64_t version, Time now);
  // The pass of `key` deleted the object of this uid.
  void deleted(const ObjectKey& key, std::string_view uid, Time now);

  // Who is told kBehind is named by reached() or gone() once he is ready.
  Readiness readiness(const ObjectKey& key, Time now);
  // How long it takes until `key` is overdue, if it is behind; else nothing.
  std::chrono::nanoseconds patience(const ObjectKey& key, Time now) const;
  // What `key` wrote is known from elsewhere.
  void settle(const ObjectKey& key);

  // The store has come to this version, or shows no longer what had this uid. Answers the keys that
  // are ready thereby, and that were told kBehind or kOverdue.
  std::vector<ObjectKey> reached(std::uint64_t version);
  std::vector<ObjectKey> gone(const std::string& uid);

  std::size_t size() const { return expected_.size(); }

 private:
  struct Expected {
    std::uint64_t version = 0;  // 0: none
    std::set<std::string> uids;
    Time since{};
    bool was_refused = false;
  };
  Expected& expect(const ObjectKey& key, Time now);
  void settle_if_met(const ObjectKey& key, std::vector<ObjectKey>& ready);

  std::map<ObjectKey, Expected> expected_;
  std::set<std::pair<std::uint64_t, ObjectKey>> by_version_;
  std::map<std::string, std::set<ObjectKey>> by_uid_;
};

}  // namespace dynamo::kube
