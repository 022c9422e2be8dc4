// Iterates over the resources of all containers that an object requests.
#pragma once

#include <string>
#include <utility>

#include "render/component/resources.hpp"
#include "render/document/origin.hpp"
#include "validators/rendered/pod/visit.hpp"
#include "validators/rendered/proof.hpp"
#include "validators/rendering.hpp"
#include "validators/report.hpp"

namespace dynamo::validators::resources {

// The resources of one container, and the path that their origins are relative to.
struct ContainerResources {
  const render::Resources& resources;
  const api::FieldPath& path;

  void add(Report& report, api::ErrorType type, const render::Origin& origin, std::string detail,
           std::source_location where = std::source_location::current()) const {
    add_finding(report, true, type, origin, std::move(detail), where);
  }
  // An error if proven, otherwise a warning; or the severity of the operator profile.
  template <typename Proof>
  void add_finding(Report& report, Proof proven, api::ErrorType type, const render::Origin& origin,
                   std::string detail,
                   std::source_location where = std::source_location::current()) const {
    const render::OriginPath at(path, origin);
    validators::add_finding(report, proven, type, at.path(), std::move(detail), where);
  }
};

// Calls `visit` for each container of each pod, and for the profiling job of a request.
template <typename Visit>
void for_each_container(const RenderedObject& object, Visit visit) {
  for (const RenderedPod& pod : object.changed_pods()) {
    pod::for_each_container(*pod.pod, [&](const render::Container& container) {
      visit(ContainerResources{container.resources, *pod.path});
    });
  }
  if (object.profiling.items.empty()) return;
  constexpr api::FieldPath kSpec{"spec"};
  const api::FieldPath path = kSpec.child("profilingConfig");
  visit(ContainerResources{object.profiling, path});
}

// An amount as written, for a message.
inline std::string written(json::Value amount) {
  if (const auto number = amount.integer()) return std::to_string(*number);
  return quoted(amount.string_or_empty());
}

}  // namespace dynamo::validators::resources
