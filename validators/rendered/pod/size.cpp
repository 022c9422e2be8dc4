// Lists that exceed the limits of rendering.
#include <string>

#include "render/document/limits.hpp"
#include "validators/rendered/pod/pod.hpp"
#include "validators/rendered/pod/visit.hpp"

namespace dynamo::validators::pod {
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

}  // namespace

void too_much(const Context&, const RenderedObject& object, Report& report) {
  for (const LimitViolation& found : object.limit_violations) {
    const render::OriginPath path(*found.path, found.excess.origin);
    report.add(api::ErrorType::kTooMany, path.path(), detail_of(found));
  }
}

}  // namespace dynamo::validators::pod
