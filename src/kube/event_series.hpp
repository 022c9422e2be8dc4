// Which Events are worth a call to the API server.
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

#include "kube/object.hpp"
#include "kube/resource.hpp"

namespace dynamo::kube {

// An object as an Event names it.
struct ObjectReference {
  std::string api_version = {};
  std::string kind = {};
  std::string namespace_name = {};  // empty: the resource has none
  std::string name = {};
  std::string uid = {};  // may be empty
};
ObjectReference reference_to(const Resource& resource, const Object& object);

struct Event {
  ObjectReference regarding = {};
  bool is_warning = false;
  std::string reason = {};  // CamelCase, why
  std::string action = {};  // CamelCase, what was done or tried
  std::string note = {};    // for people
  // What happens once, however many processes find it and in whatever words: of one object, reason
  // and occasion there is one Event as long as the cluster keeps it. Empty: told as it comes.
  std::string occasion = {};
};

// Several times the same.
struct EventSeries {
  Event event = {};
  std::string name = {};  // of the Event object
  std::chrono::system_clock::time_point first{};
  std::chrono::system_clock::time_point last{};
  std::uint64_t count = 0;
};

struct EventSeriesOptions {
  std::size_t most_waiting = 1'000;  // for their call
  std::size_t most_known = 4'096;    // series that may go on; beyond, the oldest ends
  // Of one object: so many calls at once, then one more in each interval.
  unsigned burst = 25;
  std::chrono::seconds interval{300};
  // After the first two of a series its count is told no more often than that.
  std::chrono::seconds heartbeat{300};
  // Without another one for so long a series is over: the next begins a new Event.
  std::chrono::seconds pause_ends{600};
};

// A plain structure of one thread, times passed in. Equal is what regards the same object and has
// the same reason, action and note: a text that changes is news.
class EventBook {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using WallTime = std::chrono::system_clock::time_point;

  // `salt` tells the names of Events of several processes apart.
  EventBook(const EventSeriesOptions& options, std::string salt);

  // False when it was dropped, which is counted.
  bool note(const Event& event, Time now, WallTime wall);

  struct Call {
    EventSeries series;
    bool is_new = false;  // else only count and last time are news
    std::string key = {};
  };
  // What to tell the API server next, if anything is due. Several calls may be under way, of a
  // series one; each ends with one of the three below.
  std::optional<Call> next(Time now);
  // What became of the call.
  void told(const Call& call, bool was_written);
  // The Event is not there any more: it is to be made anew.
  void lost(const Call& call);
  // The call did not take place.
  void undone(const Call& call);

  // All that waits is due, whatever it waits for: before the end.
  void hurry() { is_hurried_ = true; }

  std::size_t waiting() const { return waiting_; }
  std::size_t under_way() const { return under_way_.size(); }
  std::uint64_t dropped() const { return dropped_; }

 private:
  struct Entry {
    EventSeries series;
    std::string object;
    std::uint64_t told = 0;  // the count that the server has, or is told by a call under way
    std::uint64_t told_before = 0;
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
  bool may_call(const std::string& object, Time now) const;
  void spend(const std::string& object, Time now);
  void forget(Time now);
  void drop(Entries::iterator entry);

  const EventSeriesOptions options_;
  const std::string salt_;
  Entries entries_;
  std::map<std::string, Bucket> buckets_;
  std::deque<std::string> order_;    // of entries, as they came; those that go on stand in it again
  std::set<std::string> under_way_;  // of entries, none of which is dropped meanwhile
  std::size_t waiting_ = 0;
  std::uint64_t dropped_ = 0;
  bool is_hurried_ = false;
};

// The body of a new Event of events.k8s.io/v1, and the merge patch that says of one how often it
// was. `controller` is who reports, `instance` which process of it; neither may be empty.
std::string event_body(const EventSeries& series, std::string_view controller,
                       std::string_view instance);
std::string event_patch(const EventSeries& series);
// Where it lies: Events of what has no namespace lie in "default".
std::string event_namespace(const ObjectReference& regarding);

}  // namespace dynamo::kube
