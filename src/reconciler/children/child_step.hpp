// What one child asks for, from how it stands in the cluster.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kube/object.hpp"
#include "kube/resource.hpp"
#include "reconciler/children/seen.hpp"
#include "render/children/child.hpp"

namespace dynamo::reconciler {

// Beside the two annotations that the Go operator writes, too: of labels, annotations and whatever
// stands outside of the spec, as they were last applied, and the end of the spec's hash.
inline constexpr std::string_view kIntentAnnotation = "nvidia.com/last-applied-intent";

enum class Step : std::uint8_t {
  kNothing,    // it is as it is meant, or not ours to touch and of no harm
  kMake,       // it is not there
  kUpdate,     // it is ours and differs
  kPutBack,    // it is ours, and nothing of it but its labels and annotations was changed by others
  kPatch,      // the same, by a patch of some of its fields
  kMakeAgain,  // it cannot be changed to what is meant
  kRemove,     // it is ours and not wanted
  kWait,       // it is going, or belongs to an earlier owner of the same name
  kTaken,      // somebody else's
  kNotServed,  // the cluster does not know its kind
};

struct ChildStep {
  Step step = Step::kNothing;
  const kube::Object* live = nullptr;  // as it was seen; null: not there
  std::string body = {};               // of what is made, updated or patched
  std::string note = {};               // what changes, or who is in the way
  bool takes_over = false;             // an update is the first of ours, or after the Go operator's
};

// Who asks.
struct Parent {
  kube::Resource resource = {};
  std::string_view namespace_name = {};
  std::string_view name = {};
  std::string_view uid = {};
};

// An object is its owner's by uid. What no owner is written into (accounts of the whole cluster,
// copied Secrets, claims of others) is made when it is not there and otherwise left alone, but for
// the role and the subjects of a binding. Scaling adapters are made once and never told a figure
// again: they tell it. Pure.
ChildStep step_of(const render::Child& child, const Parent& parent, const Seen& seen);

// Why nothing is made under that name, behind the child's kind and name; "" when nothing is in the
// way.
std::string obstacle_of(const ChildStep& step);

// The parent controls it, or owns it and nobody controls it.
bool is_ours(const kube::Object& live, const Parent& parent);

// An operator made it: somebody controls it, or it bears the hash of what was applied. An object of
// a user's that only names an owner, so that it goes with it, is neither and is never removed.
bool is_of_an_operator(const kube::Object& live);

}  // namespace dynamo::reconciler
