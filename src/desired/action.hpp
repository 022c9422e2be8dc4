// The actions that a plan requests, as values: tests compare them, --dry-run prints them, and
// ActionExecutor executes them.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>

#include "kube/object/propagation.hpp"
#include "kube/object/resource.hpp"

namespace dynamo::reconciler {

// There is no PUT: every write names its fields or the version it is based on.
enum class Verb : std::uint8_t {
  kCreate,      // `body` is the object; fails if the name exists
  kApply,       // server-side apply of exactly the fields in `body`; forced
                // if the object was observed (it has a `uid`)
  kMergePatch,  // `body` is an RFC 7396 patch
  kJsonPatch,   // `body` is an RFC 6902 patch
  kDelete,      // deletes the object with `uid`, and no other of that name
  kEvent,       // emits an Event: best effort, never fails
  kHttp,        // a call to another server: `method`, `url`, `body`
};
std::string_view to_string(Verb verb);  // "apply"

// Built by the functions below, which set the members of their verb; all others stay empty.
struct Action {
  Verb verb = Verb::kApply;
  kube::Resource resource = {};
  std::string namespace_name = {};  // empty: cluster-scoped
  std::string name = {};
  std::string subresource = {};  // "", "status", "scale"
  std::string body = {};         // JSON, sent unchanged

  // Preconditions: if the object does not match, the server answers 409 and changes nothing. Empty:
  // no precondition. A delete sends them as preconditions; patches and applies carry them in
  // `body`, written by kube/client/writes.hpp. The copy here informs the executor: after a conflict
  // the reconcile waits for a newer version, and several writes of one reconcile follow each other.
  std::string uid = {};
  std::string resource_version = {};
  kube::Propagation propagation = kube::Propagation::kDefault;  // of a delete
  // Apply only: first take over the fields set by the Go operator
  // (reconciler/engine/take_over.hpp), so that fields absent from `body` are removed.
  bool takes_over = false;

  // Apply only: resourceVersion of the observed object. If the apply leaves the version unchanged,
  // its event is not emitted and the same apply is not sent again (action_executor.hpp).
  std::string seen_version = {};

  // Executed even if an earlier action was refused, because it does not depend on any of them.
  bool stands_alone = false;

  // Members of an event; it regards the object above.
  bool is_warning = false;
  std::string reason = {};    // CamelCase
  std::string note = {};      // human-readable; the creator limits its length
  std::string occasion = {};  // kube::Event::occasion
  bool of_write = false;  // reports the preceding write, and is emitted only if that write was done

  // Members of a call.
  std::string method = {};  // "POST"
  std::string url = {};

  bool operator==(const Action& other) const;
};

// Identifies an object.
struct Target {
  kube::Resource resource = {};
  std::string namespace_name = {};
  std::string name = {};
  std::string uid = {};
  std::string resource_version = {};
};

Action create(const Target& target, std::string body);
Action apply(const Target& target, std::string body);
Action apply_status(const Target& target, std::string body);
Action merge_patch(const Target& target, std::string body);
Action json_patch(const Target& target, std::string body);
// A merge patch of `/status`; the body contains uid and resourceVersion (kube::merge_status()).
Action patch_status(const Target& target, std::string body);
// Sends the target's preconditions; a target without uid is a defect of the plan.
Action remove(const Target& target, kube::Propagation propagation = kube::Propagation::kBackground);
Action event(const Target& regarding, bool is_warning, std::string_view reason, std::string note);
// Occasion of an event that a controller emits once per generation of an object, across all
// leaders.
std::string occasion_of_generation(std::string_view controller, std::int64_t generation);
Action http_call(std::string_view method, std::string url, std::string body);

// One YAML document, ending with a line feed, without "---": what would be done, then the body. A
// body that is no JSON is shown as text, and the data of a Secret masked.
std::string to_yaml(const Action& action);
// Several documents, each preceded by "---".
std::string to_yaml(std::span<const Action> actions);

// For GoogleTest, found by argument-dependent lookup.
void PrintTo(const Action& action, std::ostream* out);

}  // namespace dynamo::reconciler
