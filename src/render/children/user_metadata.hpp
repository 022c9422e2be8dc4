// Labels and annotations that a user gives to a service, before they are handed on.
#pragma once

#include <cstdint>
#include <optional>

#include "api/field_path.hpp"
#include "render/children/child.hpp"
#include "render/component.hpp"

namespace dynamo::render {

enum class LabelsGoTo : std::uint8_t {
  kComponent,  // of a graph's service: the labels that say where it belongs are laid over them
  kWorkload,
};

// The first that no API server would take, or nothing: whoever makes children of it says so with
// the user's field, instead of being refused one of them. `path` of the service.
std::optional<Refusal> refusal_of_metadata(const Component& component, const api::FieldPath& path,
                                           LabelsGoTo to);

}  // namespace dynamo::render
