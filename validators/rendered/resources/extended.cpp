// Extended resources and huge pages, which Kubernetes allocates in whole units and to one container
// only.
#include <algorithm>
#include <optional>

#include "validators/content/amount.hpp"
#include "validators/content/resource_name.hpp"
#include "validators/rendered/resources/container_resources.hpp"
#include "validators/rule.hpp"

namespace dynamo::validators::resources {

using api::Context;

namespace {

using api::ErrorType;
using render::Origin;
using render::Resource;

constexpr std::string_view kGpuLimit = "resources.limits.gpu";

const Origin& origin_of(const Resource& resource) {
  return resource.limit.exists() ? resource.limit_origin : resource.request_origin;
}

// The field in which the user names the resource.
Origin name_origin(const Resource& resource) {
  Origin origin = origin_of(resource);
  if (origin.field == kGpuLimit) origin.field = "resources.limits.gpuType";
  return origin;
}

void check_name(const ContainerResources& owner, const Resource& resource, Report& report) {
  const bool huge = resource.name.starts_with("hugepages-");
  owner.add(report, ErrorType::kInvalid, name_origin(resource),
            (huge ? "must end in the size of a page, as in hugepages-2Mi; found "
                  : "must be cpu, memory, ephemeral-storage, hugepages-SIZE or DOMAIN/NAME, as in "
                    "nvidia.com/gpu; found ") +
                quoted(resource.name) + "; correct the name");
}

// Calls `check` for limit and request, each with its field.
template <typename Check>
void for_each_amount(const Resource& resource, Check check) {
  if (const auto limit = amount_of(resource.limit)) {
    check(*limit, resource.limit, resource.limit_origin);
  }
  if (const auto request = amount_of(resource.request)) {
    check(*request, resource.request, resource.request_origin);
  }
}

void check_units(const ContainerResources& owner, const Resource& resource, Report& report) {
  const std::uint64_t unit = page_size(resource.name).value_or(1);
  for_each_amount(resource, [&](const Amount& amount, json::Value value, const Origin& origin) {
    // Kubernetes rounds bytes up.
    const bool fits =
        unit == 1 ? amount.is_whole() : (amount.whole + (amount.is_whole() ? 0U : 1U)) % unit == 0;
    if (fits || amount.is_below_zero()) return;
    owner.add(report, ErrorType::kInvalid, origin,
              (unit == 1 ? "must be a whole number; found "
                         : "must be a multiple of the size of a page; found ") +
                  written(value) + "; correct it");
  });
}

void check_limit(const ContainerResources& owner, const Resource& resource, Severity outcome,
                 Report& report) {
  if (!resource.request.exists()) return;
  if (!resource.limit.exists()) {
    return owner.add_finding(report, outcome, ErrorType::kRequired, resource.request_origin,
                             "must have a limit of the same amount, as " + quoted(resource.name) +
                                 " is not shared; found none; set the limit, which is enough");
  }
  const std::optional<Amount> limit = amount_of(resource.limit);
  const std::optional<Amount> request = amount_of(resource.request);
  if (!limit || !request || *limit == *request) return;
  owner.add_finding(report, outcome, ErrorType::kInvalid, resource.request_origin,
                    "must be equal to the limit, as " + quoted(resource.name) +
                        " is not shared; found " + written(resource.request) +
                        " with another limit; remove the request");
}

// A container with huge pages also needs cpu or memory.
void check_huge_pages(const ContainerResources& owner, Report& report) {
  const Resource* pages = nullptr;
  for (const Resource& resource : owner.resources.items) {
    if (resource.name == "cpu" || resource.name == "memory") return;
    const bool huge = resource.name.starts_with("hugepages-");
    if (huge && pages == nullptr) pages = &resource;
  }
  if (pages == nullptr) return;
  owner.add(report, ErrorType::kForbidden, origin_of(*pages),
            "must be set together with cpu or memory; found huge pages alone; set one of the two");
}

// Checks the GPU request, which first-generation operators drop and later ones pass on.
void check_gpu_request(const Context& context, const RenderedPod& pod, Report& report) {
  const json::Value resources = pod.component->service.value()["resources"];
  const json::Value request = resources["requests"]["gpu"];
  const Severity outcome = severity_of(OperatorBehaviour::kGpuRequestDiffers, context);
  if (!request.exists() || outcome == Severity::kOff) return;
  const json::Value limit = resources["limits"]["gpu"];
  const std::optional<Amount> requested = amount_of(request);
  const std::optional<Amount> limited = amount_of(limit);
  if (!requested || !limited || requested->is_zero() || *requested == *limited) return;
  add_finding_at(report, outcome, ErrorType::kInvalid, pod,
                 render::origin_in(render::Block::kService, "resources.requests.gpu"),
                 "must be equal to limits.gpu, as GPUs are not shared; found " + written(request) +
                     " with another limit; remove the request");
}

void check(const Context& context, const ContainerResources& owner, const Resource& resource,
           Report& report) {
  switch (resource_kind(resource.name)) {
    case ResourceKind::kNative:
      return;
    case ResourceKind::kNone:
      return check_name(owner, resource, report);
    case ResourceKind::kHugePages:
      if (!page_size(resource.name)) return check_name(owner, resource, report);
      break;
    case ResourceKind::kExtended:
      break;
  }
  check_units(owner, resource, report);
  const Severity outcome = resource.given_twice
                               ? severity_of(OperatorBehaviour::kAmountTwice, context)
                               : Severity::kDeny;
  check_limit(owner, resource, outcome, report);
}

void extended_rules(const Context& context, const RenderedObject& object, Report& report) {
  for_each_container(object, [&](const ContainerResources& owner) {
    for (const Resource& resource : owner.resources.items) {
      check(context, owner, resource, report);
    }
    check_huge_pages(owner, report);
  });
  for (const RenderedPod& pod : object.changed_pods()) check_gpu_request(context, pod, report);
}

}  // namespace

extern constexpr Rule kExtendedRulesRule{
    .id = "res.extended.rules",
    .kinds = kinds::kPodsAndRequests,
    .function = &extended_rules,
    .field = "P.resources, C.resources",
};

}  // namespace dynamo::validators::resources
