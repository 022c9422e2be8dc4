// Aggregates Events, and decides which of them are worth a call to the API server.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "kube/object/object.hpp"
#include "kube/object/resource.hpp"

namespace dynamo::kube {

// An object as an Event refers to it.
struct ObjectReference {
  std::string api_version = {};
  std::string kind = {};
  std::string namespace_name = {};  // empty: a cluster-scoped resource
  std::string name = {};
  std::string uid = {};  // may be empty
};
ObjectReference reference_to(const Resource& resource, const Object& object);

struct Event {
  ObjectReference regarding = {};
  bool is_warning = false;
  std::string reason = {};  // CamelCase, why
  std::string action = {};  // CamelCase, what was done or tried
  std::string note = {};    // for users
  // Identifies something that happens once, even if several processes report it in different words:
  // per object, reason and occasion there is one Event as long as the cluster keeps it. Empty: not
  // deduplicated across processes.
  std::string occasion = {};
};

// Repetitions of one Event.
struct EventSeries {
  Event event = {};
  std::string name = {};  // of the Event object
  std::chrono::system_clock::time_point first{};
  std::chrono::system_clock::time_point last{};
  std::uint64_t count = 0;
};

struct EventSeriesOptions {
  std::size_t most_waiting = 1'000;  // for their call
  std::size_t most_known = 4'096;  // series that may continue; the oldest ends when there are more
  // Rate limit per object: this burst of calls, then one call per interval.
  unsigned burst = 25;
  std::chrono::seconds interval{300};
  // After its first two calls, the count of a series is sent no more often than this.
  std::chrono::seconds heartbeat{300};
  // A series without a repetition for this time is over: the next one creates a new Event.
  std::chrono::seconds series_timeout{600};
};

// Single-threaded; the caller passes the time. Events are equal if they have the same object,
// reason, action and note: a changed text is a new Event.
class EventAggregator {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using WallTime = std::chrono::system_clock::time_point;

  // `salt` makes the Event names of several processes differ.
  EventAggregator(const EventSeriesOptions& options, std::string salt);

  // Returns false if the Event was dropped, which is counted.
  bool note(const Event& event, Time now, WallTime wall);

  struct Call {
    EventSeries series;
    bool is_new = false;  // otherwise only count and last time changed
    std::string key = {};
  };
  // The next call to send, if one is due. Several calls may be in flight, but one per series; each
  // ends with one of the three functions below.
  std::optional<Call> next(Time now);
  // The call has a result.
  void finished(const Call& call, bool was_written);
  // The Event no longer exists and must be recreated.
  void recreate(const Call& call);
  // The call was not made.
  void abandon(const Call& call);

  // Everything that waits becomes due, for shutdown.
  void hurry() { is_hurried_ = true; }

  std::size_t waiting() const { return waiting_; }
  std::size_t under_way() const { return under_way_.size(); }
  std::uint64_t dropped() const { return dropped_; }

 private:
  struct Entry {
    EventSeries series;
    std::string object;
    // The count that the server has, or receives from the call in flight.
    std::uint64_t sent_count = 0;
    std::uint64_t sent_before = 0;
    std::size_t calls = 0;
    Time last{};
    Time last_call{};
    bool is_waiting = false;
  };
  struct Bucket {
    Time full_at{};  // when it will be full again
  };
  using Entries = std::map<std::string, Entry>;

  bool is_due(const Entry& entry, Time now) const;
  bool can_call(const std::string& object, Time now) const;
  void spend(const std::string& object, Time now);
  void forget(Time now);
  void drop(Entries::iterator entry);

  const EventSeriesOptions options_;
  const std::string salt_;
  Entries entries_;
  std::map<std::string, Bucket> buckets_;
  std::deque<std::string> order_;    // of entries, oldest first; continuing ones are appended again
  std::set<std::string> under_way_;  // of entries; none of these is dropped
  std::size_t waiting_ = 0;
  std::uint64_t dropped_ = 0;
  bool is_hurried_ = false;
};

// The body of a new Event of events.k8s.io/v1, and the merge patch that updates its count.
// `controller` is the reporting program, `instance` its process; neither may be empty.
std::string event_body(const EventSeries& series, std::string_view controller,
                       std::string_view instance);
std::string event_patch(const EventSeries& series);
// The namespace of the Event: "default" for cluster-scoped objects.
std::string event_namespace(const ObjectReference& regarding);

}  // namespace dynamo::kube
