#include "reconciler/engine/event_deduplicator.hpp"

#include <utility>

#include "kube/object/object_meta.hpp"

namespace dynamo::reconciler {
namespace {

using kube::ReconcileResult;

// Events with the same identity report the same fact.
std::string identity_of(const EmitEvent& event) {
  return event.reason + '\n' + (event.occasion.empty() ? event.note : event.occasion);
}

std::set<std::string> identities_of(const std::vector<EmitEvent>& events) {
  std::set<std::string> identities;
  for (const EmitEvent& each : events) identities.insert(identity_of(each));
  return identities;
}

// A plan, split in execution order.
struct Parts {
  std::vector<Action> first;  // actions before the events
  std::vector<EmitEvent> events;
  std::vector<Action> rest;
};

Parts parts_of(std::vector<Action> actions) {
  Parts parts;
  for (Action& each : actions) {
    if (auto* const event = std::get_if<EmitEvent>(&each)) {
      parts.events.push_back(std::move(*event));
    } else {
      (parts.events.empty() ? parts.first : parts.rest).push_back(std::move(each));
    }
  }
  return parts;
}

}  // namespace

std::vector<EmitEvent> EventDeduplicator::to_emit(const Memory& memory,
                                                  const std::vector<EmitEvent>& planned) {
  const std::set<std::string> planned_identities = identities_of(planned);
  std::vector<EmitEvent> events;
  for (const EmitEvent& each : memory.pending) {
    if (!planned_identities.contains(identity_of(each))) events.push_back(each);
  }
  for (const EmitEvent& each : planned) {
    if (!memory.emitted.contains(identity_of(each))) events.push_back(each);
  }
  return events;
}

// Ignores the memory of another generation.
EventDeduplicator::Memory EventDeduplicator::memory_of(const kube::Object& object) const {
  const auto found = memories_.find(kube::key_of(object));
  const std::int64_t generation = kube::generation_of(object);
  if (found != memories_.end() && found->second.uid == object.uid() &&
      found->second.generation == generation) {
    return found->second;
  }
  Memory memory;
  memory.uid = object.uid();
  memory.generation = generation;
  return memory;
}

void EventDeduplicator::remember(const kube::ObjectKey& key, Memory memory) {
  if (memory.emitted.empty() && memory.pending.empty()) {
    memories_.erase(key);
    return;
  }
  if (memories_.size() >= kMax) memories_.clear();
  memories_[key] = std::move(memory);
}

aio::Task<std::optional<ReconcileResult>> EventDeduplicator::act(ReconcileContext& context,
                                                                 kube::Object object,
                                                                 std::vector<Action> actions) {
  Parts parts = parts_of(std::move(actions));
  std::optional<ReconcileResult> ended;
  if (!parts.first.empty()) ended = co_await context.act(std::move(parts.first));
  if (ended && ended->kind != ReconcileResult::Kind::kRetry) co_return ended;
  // The usual case: no events, and none pending.
  if (parts.events.empty() && memories_.empty()) co_return ended;
  Memory memory = memory_of(object);
  std::vector<EmitEvent> events = to_emit(memory, parts.events);
  std::vector<Action> emissions(events.begin(), events.end());
  std::optional<ReconcileResult> silenced;
  if (!emissions.empty()) silenced = co_await context.act(std::move(emissions));
  // Events that the status already covers are not planned again.
  if (!ended) memory.emitted.clear();
  if (ended && !silenced) memory.emitted = identities_of(parts.events);
  memory.pending.clear();
  if (silenced) memory.pending = std::move(events);
  remember(kube::key_of(object), std::move(memory));
  if (ended) co_return ended;
  if (silenced) co_return silenced;
  if (!parts.rest.empty()) co_return co_await context.act(std::move(parts.rest));
  co_return std::nullopt;
}

}  // namespace dynamo::reconciler
