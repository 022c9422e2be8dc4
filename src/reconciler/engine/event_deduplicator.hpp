// Executes a plan whose events report its status, so that each event is emitted once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "aio/task.hpp"
#include "desired/action.hpp"
#include "kube/controller/workers.hpp"
#include "kube/object/object.hpp"
#include "kube/object/object_key.hpp"
#include "reconciler/engine/reconciler.hpp"

namespace dynamo::reconciler {

// A plan assumes that everything in the status was reported. But a status may be stored although
// the answer was lost, and a write may be refused forever. So events do not depend on the write:
// they are emitted after it succeeds and also after it fails. An emitted event is not emitted again
// until the status is stored. After a conflict, or without leadership, events wait for the next
// reconcile. The memory is per process: the next leader may emit an event again although nothing
// changed. Only for events of a status: an event of a write (EmitEvent::of_write) must not be
// emitted after that write failed.
//
// One per controller, kept across reconciles; on the loop's thread.
class EventDeduplicator {
 public:
  // Like ReconcileContext::act(), for plans that list events after the writes they report. `object`
  // is the planned object. Call it without actions, too: events may be pending.
  aio::Task<std::optional<kube::ReconcileResult>> act(ReconcileContext& context,
                                                      kube::Object object,
                                                      std::vector<Action> actions);
  // Call when the object is deleted.
  void forget(const kube::ObjectKey& key) { memories_.erase(key); }

 private:
  static constexpr std::size_t kMax = 10'000;

  // State of one generation of one object.
  struct Memory {
    std::string uid;
    std::int64_t generation = 0;
    std::set<std::string> emitted;   // identities of emitted events
    std::vector<EmitEvent> pending;  // planned, but not emitted yet
  };

  // The events to emit: planned ones that were not emitted, and pending ones.
  static std::vector<EmitEvent> to_emit(const Memory& memory,
                                        const std::vector<EmitEvent>& planned);
  Memory memory_of(const kube::Object& object) const;
  void remember(const kube::ObjectKey& key, Memory memory);

  std::map<kube::ObjectKey, Memory> memories_;
};

}  // namespace dynamo::reconciler
