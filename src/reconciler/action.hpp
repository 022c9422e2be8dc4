// What a controller's plan wants done, as a value: tests compare it, --dry-run prints it, and
// Actor (act.hpp) does it.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>

#include "kube/propagation.hpp"
#include "kube/resource.hpp"

namespace dynamo::reconciler {

// There is no PUT: what is written names what it means, or the version that it saw.
enum class Verb : std::uint8_t {
  kCreate,      // `body` is the object; refused when there is one of that name
  kApply,       // server-side apply: `body` holds the fields that are meant, and no others; forced
                // on an object that was seen (it has a `uid`)
  kMergePatch,  // `body` is an RFC 7396 patch
  kJsonPatch,   // `body` is an RFC 6902 patch
  kDelete,      // of the object with `uid`, and of no other of that name
  kEvent,       // tells people: never fails, and may get lost
  kHttp,        // a call to somebody else than the API server: `method`, `url`, `body`
};
std::string_view to_string(Verb verb);  // "apply"

// Made by the functions below, which set what belongs to their verb; the rest stays empty.
struct Action {
  Verb verb = Verb::kApply;
  kube::Resource resource = {};
  std::string namespace_name = {};  // empty: the resource has none
  std::string name = {};
  std::string subresource = {};  // "", "status", "scale"
  std::string body = {};         // JSON, as it is sent

  // What must still be so, else the server answers 409 and nothing is done; empty: not asked for.
  // Of a delete they are sent as preconditions. Of patches and applies they stand in `body`, where
  // the makers of bodies (kube/writes.hpp) put them; here they say so to whoever does the action:
  // after a conflict the pass waits for a newer version, and writes of one pass follow each other.
  std::string uid = {};
  std::string resource_version = {};
  kube::Propagation propagation = kube::Propagation::kDefault;  // of a delete
  // Of an apply: what the Go operator has set of the object is ours before
  // (children/take_over.hpp), so that it goes where `body` does not name it.
  bool takes_over = false;

  // Of an apply: of which version the object was seen. An apply that leaves it at that changed
  // nothing: the event of it is not told, and the same is not sent again (act.hpp).
  std::string seen_version = {};

  // Done though one before it was refused, as it rests on none of them.
  bool stands_alone = false;

  // Of an event, which regards the object above.
  bool is_warning = false;
  std::string reason = {};    // CamelCase
  std::string note = {};      // for people; bounded by who makes it
  std::string occasion = {};  // kube::Event::occasion
  bool of_write = false;      // it tells of the write before it, and is told if that was done

  // Of a call.
  std::string method = {};  // "POST"
  std::string url = {};

  bool operator==(const Action& other) const;
};

// An object by what names it.
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
// A merge patch of `/status`: the body carries uid and resourceVersion (kube::merge_status()).
Action patch_status(const Target& target, std::string body);
// With the preconditions that the target has; a target without uid is a mistake of the plan.
Action remove(const Target& target, kube::Propagation propagation = kube::Propagation::kBackground);
Action event(const Target& regarding, bool is_warning, std::string_view reason, std::string note);
// Of an event that a controller tells once of each generation of an object, whoever leads.
std::string occasion_of_generation(std::string_view controller, std::int64_t generation);
Action http_call(std::string_view method, std::string url, std::string body);

// One YAML document, ending with a line feed, without "---": what would be done, then the body. A
// body that is no JSON is shown as text.
std::string to_yaml(const Action& action);
// Several, each behind "---".
std::string to_yaml(std::span<const Action> actions);

// For GoogleTest, found by argument-dependent lookup.
void PrintTo(const Action& action, std::ostream* out);

}  // namespace dynamo::reconciler
