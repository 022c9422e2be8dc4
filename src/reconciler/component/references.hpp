// Objects that a component's spec references and its pods cannot start without: Secrets,
// ConfigMaps, claims and accounts of the namespace that others create.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/kinds/objects.hpp"
#include "desired/observed_objects.hpp"
#include "kube/object/resource.hpp"
#include "render/document/profile.hpp"

namespace dynamo::reconciler::component {

struct Reference {
  kube::Resource resource = {};
  std::string name = {};
  std::string field = {};  // the field that names it: "spec.envFromSecret"
};

// Reason of the Available condition while a reference is missing.
inline constexpr std::string_view kObjectMissing = "ObjectMissing";

// Limit of references that are checked per component; further ones are ignored.
inline constexpr std::size_t kMaxReferences = 32;

// In the order of the spec, each object once. Omits optional references, such as pull Secrets (an
// image may be public or cached), and names that no object can have. Pure.
std::vector<Reference> references_of(const api::ComponentDeployment& component);

// Objects that the component's own workloads reference because of command-line flags: the
// checkpoint claim, and the Secret with the MPI keys. `field` is the flag. Pure.
std::vector<Reference> references_of_flags(const ObservedObjects& objects, std::string_view uid,
                                           const render::Profile& profile);

// All references in one line: "spec.envFromSecret: must name a Secret of the namespace; found none
// of the name "hf"".
std::string describe_missing(const std::vector<Reference>& missing);

}  // namespace dynamo::reconciler::component
