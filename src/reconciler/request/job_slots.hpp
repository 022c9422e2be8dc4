// Counts the profiling Jobs that run, for --max-profiling-jobs.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "kube/cache/store.hpp"
#include "kube/object/object_key.hpp"

namespace dynamo::reconciler::request {

// The label whose values kProfilingApps mark profiling Jobs; the store must have its index.
inline constexpr const char* kAppLabel = "app";

// On the loop's thread; kept across reconciles.
class JobSlots {
 public:
  // Unfinished Jobs of requests in the cache, and reserved ones that it does not show yet. Parses
  // only Jobs that have changed since the last call. Drops reservations of deleted requests.
  std::size_t used(const kube::Store& jobs, const kube::Store& requests);

  // Call right after used(): several requests are reconciled at once, and none may take the slot of
  // another one. A reservation ends with release(), or when the cache shows the Job.
  void reserve(const kube::ObjectKey& request, const kube::ObjectKey& job) {
    reserved_.try_emplace(request, Reservation{.job = job});
  }
  bool is_reserved(const kube::ObjectKey& request) const { return reserved_.contains(request); }
  // The creation of the Job is sent next. From then on its answer may be lost, and the Job may
  // exist.
  void mark_sent(const kube::ObjectKey& request) {
    const auto found = reserved_.find(request);
    if (found != reserved_.end()) found->second.is_sent = true;
  }
  // Returns whether there was a reservation: if so, call next_waiting(). Call it only if the Job is
  // known not to exist.
  bool release(const kube::ObjectKey& request) { return reserved_.erase(request) != 0; }
  // Keeps a reservation whose Job may exist.
  bool release_unsent(const kube::ObjectKey& request) {
    const auto found = reserved_.find(request);
    return found != reserved_.end() && !found->second.is_sent && release(request);
  }

  // The request waits for a slot until its next reconcile. `created`: its creationTimestamp.
  void wait(const kube::ObjectKey& request, std::string_view created) {
    waiting_.insert_or_assign(request, std::string(created));
  }
  // The oldest request that waits, which is woken for a free slot. Until it is reconciled, it does
  // not wait.
  std::optional<kube::ObjectKey> next_waiting();
  // A reconcile of the request begins. Returns whether next_waiting() woke it: if it takes no slot,
  // the next one must be woken.
  bool begin(const kube::ObjectKey& request) {
    waiting_.erase(request);
    return woken_.erase(request) != 0;
  }

 private:
  struct Reservation {
    kube::ObjectKey job = {};
    bool is_sent = false;
  };
  struct Seen {
    std::string version;
    bool is_running = false;
  };

  std::map<kube::ObjectKey, Seen> seen_;
  std::map<kube::ObjectKey, Reservation> reserved_;  // by request
  std::map<kube::ObjectKey, std::string> waiting_;   // the creationTimestamp of each request
  std::set<kube::ObjectKey> woken_;
};

}  // namespace dynamo::reconciler::request
