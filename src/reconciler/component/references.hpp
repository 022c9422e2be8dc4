// What a component's spec names and its pods cannot start without: Secrets, ConfigMaps, claims and
// accounts of the namespace that somebody else makes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/kinds/objects.hpp"
#include "kube/resource.hpp"
#include "reconciler/children/seen.hpp"
#include "render/profile.hpp"

namespace dynamo::reconciler::component {

struct Reference {
  kube::Resource resource = {};
  std::string name = {};
  std::string field = {};  // that names it: "spec.envFromSecret"
};

// The reason of Available while one of them is not there.
inline constexpr std::string_view kObjectMissing = "ObjectMissing";

// So many are looked up; a component that names more is told of these.
inline constexpr std::size_t kMostReferences = 32;

// In the order of the spec, each object once; without what is optional, as a Secret for pulling
// images is (an image may be public, or there), and without names that no object can have. Pure.
std::vector<Reference> references_of(const api::ComponentDeployment& component);

// What the pods name of the objects of the component's own because the flags of the program say so:
// the claim of checkpoints, the Secret with the keys of MPI. `field` is the flag. Pure.
std::vector<Reference> references_of_flags(const Seen& seen, std::string_view uid,
                                           const render::Profile& profile);

// "spec.envFromSecret: must name a Secret of the namespace; found none of the name "hf"", for all
// of them in one line.
std::string told_of(const std::vector<Reference>& missing);

}  // namespace dynamo::reconciler::component
