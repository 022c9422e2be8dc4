// The registries of container images.
#include <algorithm>
#include <span>
#include <string>

#include "validators/content/registry.hpp"
#include "validators/rendered/pod/visit.hpp"
#include "validators/rendered/policy/parameters.hpp"
#include "validators/rendered/policy/words.hpp"
#include "validators/rule.hpp"

namespace dynamo::validators::policy {

using api::Context;

namespace {

using api::ErrorType;
using api::FieldPath;

constexpr FieldPath kSpec{"spec"};
constexpr FieldPath kProfiling = kSpec.child("profilingConfig");
constexpr FieldPath kOverrides = kSpec.child("deploymentOverrides");

// Other rules report a text that is not an image.
bool is_refused(std::string_view image, std::span<const std::string> allowed) {
  if (image.empty()) return false;
  const ImageSource source(image);
  return std::ranges::none_of(
      allowed, [&](const std::string& registry) { return source.is_from(registry); });
}

std::string refusal(std::string_view image, std::span<const std::string> allowed) {
  return pod::found("must come from " + any_of(allowed) + ", as the policy demands", image,
                    "use an image from there, or copy this one to it");
}

void check_pod(const RenderedPod& pod, std::span<const std::string> allowed, Report& report) {
  pod::for_each_container(*pod.pod, [&](const render::Container& container) {
    if (!is_refused(container.image, allowed)) return;
    add_at(report, ErrorType::kForbidden, pod, container.field("image"),
           refusal(container.image, allowed));
  });
  // A volume may be an image too.
  for (const render::Volume& volume : pod.pod->volumes) {
    if (volume.kind != render::VolumeSource::kUser) continue;
    const std::string_view image = volume.definition["image"]["reference"].string_or_empty();
    if (!is_refused(image, allowed)) continue;
    add_at(report, ErrorType::kForbidden, pod, volume.origin.child("image"),
           refusal(image, allowed), about({image}));
  }
}

void check_field(json::Value value, const FieldPath& path, std::span<const std::string> allowed,
                 Report& report) {
  const std::string_view image = value.string_or_empty();
  if (is_refused(image, allowed)) {
    report.add(ErrorType::kForbidden, path, refusal(image, allowed));
  }
}

void allowed_registry(const Context& context, const RenderedObject& object, Report& report) {
  const api::Parameters* const parameters = parameters_for(context, object.object);
  if (parameters == nullptr || parameters->allowed_registries.empty()) return;
  const std::span<const std::string> allowed = parameters->allowed_registries;
  for (const RenderedPod& pod : object.changed_pods()) check_pod(pod, allowed, report);
  if (context.kind != api::Kind::kGraphDeploymentRequest) return;
  const json::Value spec = object.object.spec();
  check_field(spec["profilingConfig"]["profilerImage"], kProfiling.child("profilerImage"), allowed,
              report);
  check_field(spec["deploymentOverrides"]["workersImage"], kOverrides.child("workersImage"),
              allowed, report);
}

}  // namespace

extern constexpr Rule kAllowedRegistryRule{
    .id = "policy.registry",
    .kinds = kinds::kPodsAndRequests,
    .function = &allowed_registry,
    .field = "C.image, spec.profilingConfig.profilerImage, spec.deploymentOverrides.workersImage",
};

}  // namespace dynamo::validators::policy
