// Compares a desired object with its live state and decides the next step.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "desired/observed_objects.hpp"
#include "kube/object/object.hpp"
#include "kube/object/resource.hpp"
#include "manifests/desired_object.hpp"

namespace dynamo::reconciler {

// Written in addition to the two annotations of the Go operator. It holds a hash of the applied
// labels, annotations and fields outside of the spec, and the last digits of the spec's hash.
inline constexpr std::string_view kIntentAnnotation = "nvidia.com/last-applied-intent";

enum class Step : std::uint8_t {
  kNothing,    // up to date, or not ours to change and harmless
  kCreate,     // it does not exist
  kUpdate,     // it is ours and differs
  kRevert,     // ours; others changed only its labels or annotations
  kPatch,      // like kUpdate or kRevert, by a patch of some fields
  kRecreate,   // must be deleted and recreated, because it cannot be updated
  kDelete,     // it is ours and not wanted
  kWait,       // it is being deleted, or belongs to an earlier owner of the same name
  kTaken,      // it belongs to another owner
  kNotServed,  // the cluster does not serve its kind
};

struct ObjectDiff {
  Step step = Step::kNothing;
  const kube::Object* live = nullptr;  // the observed object; null: it does not exist
  std::string body = {};               // for a creation, an update or a patch
  std::string note = {};               // what changes, or which object blocks the name
  bool takes_over = false;  // the update is our first, or the first after the Go operator's
};

// The object whose desired objects are compared: their owner.
struct Owner {
  kube::Resource resource = {};
  std::string_view namespace_name = {};
  std::string_view name = {};
  std::string_view uid = {};
};

// Ownership is decided by UID. Untracked objects (render::DesiredObject::tracked: cluster-wide
// accounts, copied Secrets, claims) are created if absent and otherwise unchanged, except for the
// role and the subjects of a binding. A scaling adapter gets its replica count at creation only;
// from then on the adapter sets the count. Pure.
ObjectDiff diff_object(const render::DesiredObject& desired, const Owner& owner,
                       const ObservedObjects& objects);

// Why the object cannot be created under its name; follows the kind and the name in a message. ""
// if nothing blocks it.
std::string obstacle_of(const ObjectDiff& step);

// `owner` controls the object, or owns it while no object controls it.
bool is_ours(const kube::Object& live, const Owner& owner);

// An operator created it: it has a controller, or the annotation with the applied hash. A user's
// object that only names an owner, so that it is garbage-collected, has neither and is never
// removed.
bool is_of_an_operator(const kube::Object& live);

}  // namespace dynamo::reconciler
