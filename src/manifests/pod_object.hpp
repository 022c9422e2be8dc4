// The complete pod template of a desired object, or the reason why it cannot be created.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/writer.hpp"
#include "manifests/desired_object.hpp"
#include "manifests/environment.hpp"
#include "render/component/component.hpp"
#include "render/pod/pod.hpp"

namespace dynamo::render {

// The reason why a pod cannot be created: conflicting engines, an invalid quantity, a mount without
// a path, or a dependency on unknown facts of the profile. `path` is the component's path in its
// object.
std::optional<RenderRefusal> refusal_of(const Component& component, const Pod& pod,
                                        const api::FieldPath& path, Arena& arena);

// The component with its checkpoint from the namespace, if it has one; a refusal if the checkpoint
// cannot be determined.
struct ResolvedComponent {
  Component component;
  std::optional<RenderRefusal> refused = std::nullopt;
};
ResolvedComponent with_checkpoint(const Component& component, const RenderEnvironment& environment,
                                  const api::FieldPath& path, Arena& arena);

// The secrets for the registry of the component's image, unless its annotation disables them.
std::vector<std::string_view> pull_secrets_of(const Component& component,
                                              const RenderEnvironment& environment);

// {"labels": ..., "annotations": ...}; empty ones are left out.
void write_template_metadata(json::Writer& out, std::span<const Label> labels,
                             std::span<const Label> annotations);

// {"metadata": ..., "spec": ...} with the given labels and annotations.
void write_desired_template(json::Writer& out, const Component& component, const Pod& pod,
                            std::span<const Label> labels, std::span<const Label> annotations,
                            const RenderEnvironment& environment, Arena& arena);

// A PodSpec. An empty `fallback_account` means the cluster's default account.
void write_desired_pod_spec(json::Writer& out, const Component& component, const Pod& pod,
                            std::string_view fallback_account, const RenderEnvironment& environment,
                            Arena& arena);

}  // namespace dynamo::render
