// The actions that a plan requests, as values: tests compare them, --dry-run prints them, and
// ActionExecutor executes them.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "kube/object/propagation.hpp"
#include "kube/object/resource.hpp"

namespace dynamo::reconciler {

// The kind of an action, as logs, metrics and --dry-run name it.
enum class ActionKind : std::uint8_t {
  kCreate,
  kApply,
  kMergePatch,
  kJsonPatch,
  kDelete,
  kEvent,
  kHttp
};
std::string_view to_string(ActionKind kind);  // "apply"

// Identifies an object. `uid` and `resource_version` are preconditions: if the object does not
// match, the server answers 409 and changes nothing. Empty: no precondition. A delete sends them as
// preconditions; patches and applies carry them in `body`, written by kube/client/writes.hpp. The
// copy here informs the executor: after a conflict the reconcile waits for a newer version, and
// several writes of one reconcile follow each other.
struct Target {
  kube::Resource resource = {};
  std::string namespace_name = {};  // empty: cluster-scoped
  std::string name = {};
  std::string uid = {};
  std::string resource_version = {};

  bool operator==(const Target&) const = default;
};

// Each `body` is JSON and is sent unchanged; each `subresource` is "", "status" or "scale". There
// is no PUT: every write names its fields or the version it is based on. The functions below build
// actions.

// `body` is the object; fails if the name exists.
struct Create {
  static constexpr ActionKind kKind = ActionKind::kCreate;
  Target target = {};
  std::string body = {};

  bool operator==(const Create&) const = default;
};

// Server-side apply of exactly the fields in `body`; forced if the object was observed (the target
// has a `uid`).
struct Apply {
  static constexpr ActionKind kKind = ActionKind::kApply;
  Target target = {};
  std::string subresource = {};
  std::string body = {};
  // First take over the fields set by the Go operator (reconciler/engine/take_over.hpp), so that
  // fields absent from `body` are removed.
  bool takes_over = false;
  // resourceVersion of the observed object. If the apply leaves the version unchanged, its event is
  // not emitted and the same apply is not sent again (write_tracker.hpp).
  std::string seen_version = {};

  bool operator==(const Apply&) const = default;
};

// `body` is an RFC 7396 patch.
struct MergePatch {
  static constexpr ActionKind kKind = ActionKind::kMergePatch;
  Target target = {};
  std::string subresource = {};
  std::string body = {};

  bool operator==(const MergePatch&) const = default;
};

// `body` is an RFC 6902 patch.
struct JsonPatch {
  static constexpr ActionKind kKind = ActionKind::kJsonPatch;
  Target target = {};
  std::string body = {};

  bool operator==(const JsonPatch&) const = default;
};

// Deletes the object with the target's `uid`, and no other of that name.
struct Delete {
  static constexpr ActionKind kKind = ActionKind::kDelete;
  Target target = {};
  kube::Propagation propagation = kube::Propagation::kBackground;
  // Executed even if an earlier action was refused, because it does not depend on any of them.
  bool is_independent = false;

  bool operator==(const Delete&) const = default;
};

// Emits an Event: best effort, never fails.
struct EmitEvent {
  static constexpr ActionKind kKind = ActionKind::kEvent;
  Target regarding = {};  // without resource_version
  bool is_warning = false;
  std::string reason = {};    // CamelCase
  std::string note = {};      // human-readable; the creator limits its length
  std::string occasion = {};  // kube::Event::occasion
  // Reports the preceding write: emitted only if that write succeeded and changed the object. Other
  // events of a status may be emitted although the write failed (EventDeduplicator).
  bool of_write = false;

  bool operator==(const EmitEvent&) const = default;
};

// A call to another server.
struct HttpCall {
  static constexpr ActionKind kKind = ActionKind::kHttp;
  std::string method = {};  // "POST"
  std::string url = {};
  std::string body = {};

  bool operator==(const HttpCall&) const = default;
};

using Action = std::variant<Create, Apply, MergePatch, JsonPatch, Delete, EmitEvent, HttpCall>;

ActionKind action_kind_of(const Action& action);
// The object that is written or that an event regards; null for a call.
const Target* target_of(const Action& action);
// Empty for actions without one.
std::string_view subresource_of(const Action& action);
std::string_view body_of(const Action& action);

Create create(const Target& target, std::string body);
Apply apply(const Target& target, std::string body);
Apply apply_status(const Target& target, std::string body);
MergePatch merge_patch(const Target& target, std::string body);
JsonPatch json_patch(const Target& target, std::string body);
// A merge patch of `/status`; the body contains uid and resourceVersion (kube::merge_status()).
MergePatch patch_status(const Target& target, std::string body);
// A merge patch of `/scale` that sets the replica count, whatever the version of the object.
MergePatch scale_to(const Target& target, std::int64_t replicas);
// Sends the target's preconditions; a target without uid is a defect of the plan.
Delete remove(const Target& target, kube::Propagation propagation = kube::Propagation::kBackground);
EmitEvent event(const Target& regarding, bool is_warning, std::string_view reason,
                std::string note);
// The limit of an Event's note in bytes, with room for an ellipsis.
inline constexpr std::size_t kMaxEventNote = 1'000;
// `message` as the note of an event: presentable and at most that long.
std::string note_of(std::string_view message);
// A normal event that reports the preceding write.
EmitEvent event_of_write(const Target& regarding, std::string_view reason, std::string note);
// Occasion of an event that a controller emits once per generation of an object, across all
// leaders.
std::string occasion_of_generation(std::string_view controller, std::int64_t generation);
HttpCall http_call(std::string_view method, std::string url, std::string body);

// One YAML document, ending with a line feed, without "---": what would be done, then the body. A
// body that is no JSON is shown as text, and the data of a Secret masked.
std::string to_yaml(const Action& action);
// Several documents, each preceded by "---".
std::string to_yaml(std::span<const Action> actions);

// For GoogleTest, found by argument-dependent lookup. It prints a variant by its alternative.
template <std::convertible_to<Action> Alternative>
void PrintTo(const Alternative& action, std::ostream* out) {
  *out << '\n' << to_yaml(action);
}

}  // namespace dynamo::reconciler
