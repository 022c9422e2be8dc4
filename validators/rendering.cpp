#include "validators/rendering.hpp"

#include <utility>

#include "render/document/origin.hpp"

namespace dynamo::validators {

void add_at(Report& report, api::ErrorType type, const RenderedPod& pod,
            const render::Origin& origin, std::string detail, std::source_location where) {
  const render::OriginPath path(*pod.path, origin);
  report.add(type, path.path(), std::move(detail), where);
}

void add_at(Report& report, api::ErrorType type, const RenderedPod& pod,
            const render::Origin& origin, std::string detail, Discriminator discriminator) {
  const render::OriginPath path(*pod.path, origin);
  report.add(type, path.path(), std::move(detail), discriminator);
}

void warn_at(Report& report, const RenderedPod& pod, const render::Origin& origin,
             std::string detail, std::source_location where) {
  const render::OriginPath path(*pod.path, origin);
  report.also_warn(path.path(), std::move(detail), where);
}

}  // namespace dynamo::validators
