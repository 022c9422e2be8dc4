// The pod template of a child, whole and certain, or the reason why there is none.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/writer.hpp"
#include "render/children/child.hpp"
#include "render/children/environment.hpp"
#include "render/component.hpp"
#include "render/pod.hpp"

namespace dynamo::render {

// What a pod cannot be created from: an engine that contradicts itself, a quantity that is none, a
// mount without a path, whatever depends on what the profile leaves open. `path` is that of the
// component in its object.
std::optional<Refusal> refusal_of(const Component& component, const Pod& pod,
                                  const api::FieldPath& path, Arena& arena);

// The component with what the namespace says of its checkpoint, if it has one; a refusal when that
// cannot be told.
struct ResolvedComponent {
  Component component;
  std::optional<Refusal> refused = std::nullopt;
};
ResolvedComponent with_checkpoint(const Component& component, const ChildEnvironment& environment,
                                  const api::FieldPath& path, Arena& arena);

// The secrets for the registry of the component's image, unless its annotation says no.
std::vector<std::string_view> pull_secrets_of(const Component& component,
                                              const ChildEnvironment& environment);

// {"metadata": …, "spec": …} with the labels and annotations given.
void write_child_template(json::Writer& out, const Component& component, const Pod& pod,
                          std::span<const Label> labels, std::span<const Label> annotations,
                          const ChildEnvironment& environment, Arena& arena);

// A PodSpec. "" for an account where the cluster's default is taken.
void write_child_pod_spec(json::Writer& out, const Component& component, const Pod& pod,
                          std::string_view fallback_account, const ChildEnvironment& environment,
                          Arena& arena);

}  // namespace dynamo::render
