// Validates the labels and annotations of a service before they are passed on.
#pragma once

#include <cstdint>
#include <optional>

#include "api/field_path.hpp"
#include "manifests/desired_object.hpp"
#include "render/component/component.hpp"

namespace dynamo::render {

enum class LabelTarget : std::uint8_t {
  kComponent,  // of a graph's service, overridden by its identity labels
  kWorkload,
};

// The first label or annotation that every API server would refuse, or nullopt. The caller reports
// it at the user's field instead of failing to create an object. `path` is that of the service.
std::optional<RenderRefusal> refusal_of_metadata(const Component& component,
                                                 const api::FieldPath& path, LabelTarget to);

}  // namespace dynamo::render
