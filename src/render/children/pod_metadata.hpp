// What our controllers write on pods beside what the first operators do, so that what reads it
// finds something: Services their pods (Q26), and the container its pod information (Q10).
#pragma once

#include <span>
#include <vector>

#include "render/arena.hpp"
#include "render/component.hpp"
#include "render/labels.hpp"

namespace dynamo::render {

// The labels with those that the component's Service selects by and that are not there. Sorted.
std::vector<Label> selected_labels(const Component& component, std::span<const Label> labels,
                                   Arena& arena);

// The annotations with those that the files under /etc/podinfo are filled from, for a pod that
// starts from a checkpoint. Sorted.
std::vector<Label> informed_annotations(const Component& component,
                                        std::span<const Label> annotations, Arena& arena);

}  // namespace dynamo::render
