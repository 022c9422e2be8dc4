// Lists that exceed the limits of rendering.
#include <string>

#include "render/document/limits.hpp"
#include "validators/rendered/pod/visit.hpp"
#include "validators/rule.hpp"

namespace dynamo::validators::pod {

using api::Context;

namespace {

std::string detail_of(const LimitViolation& found) {
  const std::string limit = std::to_string(found.excess.limit);
  const std::string count = std::to_string(found.excess.found);
  if (found.scope == LimitViolation::Scope::kName) {
    return "must be at most " + limit + " bytes; found " + count +
           "; shorten it, the objects rendered from it are not validated before";
  }
  if (found.scope == LimitViolation::Scope::kAllLists) {
    return "must have at most " + limit +
           " containers, volumes, mounts, variables, ports, arguments and resources in all pods "
           "together, where a container counts for " +
           std::to_string(render::kEntriesOfContainer) + "; found " + count +
           "; make several objects of it";
  }
  return "must have at most " + limit + " entries; found " + count +
         "; remove some, the objects rendered from it are not validated before";
}

// Reports objects that are too large to render, for which no other rule on rendered objects runs.
void too_much(const Context&, const RenderedObject& object, Report& report) {
  for (const LimitViolation& found : object.limit_violations) {
    const render::OriginPath path(*found.path, found.excess.origin);
    report.add(api::ErrorType::kTooMany, path.path(), detail_of(found));
  }
}

}  // namespace

extern constexpr Rule kTooMuchRule{
    .id = "pod.too-much",
    .kinds = kinds::kPodsAndRequests,
    .function = &too_much,
    .field =
        "E.containers, E.initContainers, E.volumes, C.args, C.env, C.ports, C.volumeMounts, "
        "C.resources, P.envs, P.volumeMounts",
};

}  // namespace dynamo::validators::pod
