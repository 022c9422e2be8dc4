// Counts the profiling Jobs that run, for --max-profiling-jobs.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>

#include "kube/cache/store.hpp"
#include "kube/object/object_key.hpp"

namespace dynamo::reconciler::request {

// The label whose values kProfilingApps mark profiling Jobs; the store must have its index.
inline constexpr const char* kAppLabel = "app";

// On the loop's thread; kept across reconciles.
class JobSlots {
 public:
  // Unfinished Jobs of requests in the cache, and reserved ones that it does not show yet. Parses
  // only Jobs that have changed since the last call.
  std::size_t used(const kube::Store& jobs);

  // Call right after used(), before a Job is created: several requests are reconciled at once, and
  // none may take the slot of another one. Ends with release(), or when the cache shows the Job.
  void reserve(const kube::ObjectKey& job) { reserved_.insert(job); }
  void release(const kube::ObjectKey& job) { reserved_.erase(job); }

 private:
  struct Seen {
    std::string version;
    bool is_running = false;
  };

  std::map<kube::ObjectKey, Seen> seen_;
  std::set<kube::ObjectKey> reserved_;
};

}  // namespace dynamo::reconciler::request
