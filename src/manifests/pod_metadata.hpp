// Labels and annotations that our controllers add to those of first-generation operators. Services
// then find their pods, and containers their pod information (docs/known-deviations.md: Q26, Q10).
#pragma once

#include <span>
#include <vector>

#include "render/component/component.hpp"
#include "render/component/labels.hpp"
#include "render/document/arena.hpp"

namespace dynamo::render {

// The labels, completed with the missing ones of the component's Service selector. Sorted.
std::vector<Label> with_selector_labels(const Component& component, std::span<const Label> labels,
                                        Arena& arena);

// The annotations, completed with those that fill the files under /etc/podinfo, for a pod that
// starts from a checkpoint. Sorted.
std::vector<Label> with_podinfo_annotations(const Component& component,
                                            std::span<const Label> annotations, Arena& arena);

}  // namespace dynamo::render
