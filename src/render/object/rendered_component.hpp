// A component with its rendered pods. Each pod is rendered on first use and then cached.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "render/component/claims.hpp"
#include "render/component/component.hpp"
#include "render/component/labels.hpp"
#include "render/component/names.hpp"
#include "render/component/services.hpp"
#include "render/document/arena.hpp"
#include "render/pod/launch.hpp"
#include "render/pod/pod.hpp"

namespace dynamo::render {

// For one request and one thread. All results are in the arena and valid until its reset().
// Document, profile and arena must outlive the object.
class RenderedComponent {
 public:
  RenderedComponent(const Component& component, Arena& arena)
      : component_(component), arena_(&arena) {}

  const Component& component() const { return component_; }
  Arena& arena() const { return *arena_; }

  const Pod& pod(PodRole role) const {
    const Pod*& cached = pods_[static_cast<std::size_t>(role)];
    if (cached == nullptr) cached = &arena_->make(render_pod(component_, role, *arena_));
    return *cached;
  }
  // The only pod, or the leader, which has the user's fields.
  const Pod& first_pod() const { return pod(roles_of(component_).front()); }

  std::span<const Label> labels(PodRole role) const {
    std::span<const Label>& cached = labels_[static_cast<std::size_t>(role)];
    if (cached.empty()) cached = pod_labels(component_, role, *arena_);
    return cached;
  }
  std::span<const RenderedService> services() const {
    if (!services_known_) services_ = render_services(component_, *arena_);
    services_known_ = true;
    return services_;
  }

 private:
  static constexpr std::size_t kRoles = 4;
  Component component_;
  Arena* arena_;
  mutable std::array<const Pod*, kRoles> pods_{};
  mutable std::array<std::span<const Label>, kRoles> labels_{};
  mutable std::span<const RenderedService> services_;
  mutable bool services_known_ = false;
};

}  // namespace dynamo::render
