// Does what plans want done: actions become calls to the API server, fenced by the leader's lease.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "aio/task.hpp"
#include "kube/client.hpp"
#include "kube/error.hpp"
#include "kube/event_series.hpp"
#include "kube/object.hpp"
#include "reconciler/action.hpp"

namespace dynamo::reconciler {

// How far a row of actions came. Not an aggregate: g++ 12 destroys a braced aggregate in a
// coroutine twice.
class Acted {
 public:
  enum class End : std::uint8_t {
    kDone,        // all of them
    kFailed,      // `error` is of the first that failed; see act() for those behind it
    kNotLeading,  // the next was not sent, as we lead no more
  };

  Acted() = default;
  static Acted failed(kube::Error the_error, Verb the_verb) {
    Acted acted;
    acted.end = End::kFailed;
    acted.verb = the_verb;
    acted.error = std::move(the_error);
    return acted;
  }
  static Acted not_leading() {
    Acted acted;
    acted.end = End::kNotLeading;
    return acted;
  }

  End end = End::kDone;
  bool changed = true;  // false: the last action left the object as it was seen
  kube::Error error = {};
  Verb verb = Verb::kApply;  // that failed
};

// What was sent of objects that it left as they were seen. What somebody's webhook makes of an
// apply may never be what was meant, and of Services and Roles no generation tells that it stands
// there since: such an apply is not sent again until it is another one or the object has changed.
// Of a controller, over all of its passes; on the loop's thread.
class SettledApplies {
 public:
  bool contains(const Action& action) const;
  // Of an apply that was sent: whether it changed the object, by what the server answered.
  bool note(const Action& action, const kube::Object& answer);

 private:
  struct Settled {
    std::string version;
    std::size_t body_hash = 0;
  };
  static constexpr std::size_t kMost = 10'000;

  std::map<std::string, Settled> of_;
};

// What a pass has made of objects that it saw: the version of each since its own write, which was
// of the one that was seen, so that nobody else's write lies between the two. On the loop's thread.
class OwnWrites {
 public:
  // A merge patch of the version that was seen becomes one of the version since.
  void follow(Action& action) const;
  void note(const Action& action, const kube::Object& answer);

 private:
  struct Moved {
    std::string from;
    std::string to;
  };

  std::map<std::string, Moved> moved_;  // by the object's path
};

// On the loop's thread; of one pass.
class Actor {
 public:
  static constexpr std::chrono::milliseconds kMostOfCall{4'000};

  // All of them outlive the actor and its tasks.
  struct Surroundings {
    kube::Client& client;
    SettledApplies& settled;
    OwnWrites& own_writes;  // of the pass
    // Right before each call: nothing is sent once it has answered false.
    std::function<bool()> may_act;
    std::function<void(const kube::Event&)> record;
    // What was written, as the server answered it; of a delete an empty object.
    std::function<void(const Action&, const kube::Object&)> written;
    // What was refused as the object is not as it was seen. Empty: nobody wants to know.
    std::function<void(const Action&)> outdated = {};
    // Of an apply of what nobody saw: false when another pass makes it by now. All passes of a
    // controller write under one field manager, so the API server would let the second take what
    // the first has made. Empty: nobody else makes anything.
    std::function<bool(const Action&)> may_make = {};
    // Of a dry run: takes the YAML of each action, and nothing is sent. Empty: no dry run.
    std::function<void(const std::string&)> print = {};
    // A call that was begun while we led is over before another can lead (call_deadline()).
    std::chrono::milliseconds call_deadline = kMostOfCall;
  };

  explicit Actor(Surroundings surroundings);

  // In their order, up to the first that fails; a delete that finds nothing is done. Behind an
  // apply that the server refuses, for what the object is, others of its kind are tried all the
  // same: one bad child of many holds up none of its siblings, nor what stands alone. An apply that
  // takes over costs a read before, and a write if there is something to take. Kinds of failures:
  // what Client says, and kConfig for a Verb::kHttp, which is not done here, or a delete without
  // uid.
  // A merge patch of what the pass has written before is sent by OwnWrites::follow().
  aio::Task<Acted> act(std::vector<Action> actions, std::string field_manager);

  bool is_dry_run() const { return static_cast<bool>(needs_.print); }

 private:
  // What is passed by reference is the actions of act(), which outlives these.
  aio::Task<kube::Result<kube::Object>> send(const Action& action,
                                             const std::string& field_manager);
  aio::Task<kube::Result<kube::Object>> remove(const Action& action);
  // The write that comes before an apply; one without a body: there is nothing to take over.
  aio::Task<kube::Result<Action>> taking_over(const Action& action,
                                              const std::string& field_manager);
  aio::Task<Acted> act_one(Action& action, const std::string& field_manager);
  aio::Task<Acted> take_over_and_act(Action& action, const std::string& field_manager);

  const Surroundings needs_;
  kube::Client client_;
};

}  // namespace dynamo::reconciler
