// Amounts: their form, their sign, and requests within limits.
#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>

#include "render/document/origin.hpp"
#include "render/document/overlay.hpp"
#include "render/document/well_known.hpp"
#include "schema/quantity.hpp"
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

enum class Fault : unsigned char { kNone, kForm, kNegative };

// The type rule reports values of a wrong type.
Fault fault_of(json::Value amount) {
  const std::optional<Amount> read = amount_of(amount);
  if (read) return read->is_below_zero() ? Fault::kNegative : Fault::kNone;
  return amount.is_string() ? Fault::kForm : Fault::kNone;
}

// "; write "16Gi" or "16G"".
std::string advice(Fault fault, json::Value amount) {
  const std::string suggestion =
      fault == Fault::kForm ? schema::suggested_quantity(amount.string_or_empty()) : std::string{};
  return suggestion.empty() ? "; correct it" : "; write " + suggestion;
}

void check_amount(const ContainerResources& owner, json::Value amount, const Origin& origin,
                  bool proven, Report& report) {
  const Fault fault = fault_of(amount);
  if (fault == Fault::kNone) return;
  owner.add_finding(
      report, proven, ErrorType::kInvalid, origin,
      (fault == Fault::kForm ? R"(must be a quantity, such as "2", "500m" or "16Gi"; found )"
                             : "must be 0 or more; found ") +
          written(amount) + advice(fault, amount));
}

// First-generation operators do not pass the request on, and later ones drop what they cannot
// parse.
void check_dropped_request(const RenderedPod& pod, Report& report) {
  const json::Value gpus = pod.component->service.value()["resources"]["requests"]["gpu"];
  if (gpus.string_or_empty().empty()) return;
  const render::Resources none{};
  check_amount({none, *pod.path}, gpus,
               render::origin_in(render::Block::kService, "resources.requests.gpu"), false, report);
}

// Whether limit and request of the resource may differ. For other resources they must be equal.
bool can_differ(std::string_view name) {
  return name.find('/') == std::string_view::npos ? resource_kind(name) != ResourceKind::kHugePages
                                                  : resource_kind(name) == ResourceKind::kNative;
}

void check_limit(const ContainerResources& owner, const Resource& resource, Severity outcome,
                 Report& report) {
  if (!resource.limit.exists() || !resource.request.exists()) return;
  const std::optional<Amount> limit = amount_of(resource.limit);
  const std::optional<Amount> request = amount_of(resource.request);
  if (!limit || !request || !(*limit < *request) || !can_differ(resource.name)) return;
  owner.add_finding(report, outcome, ErrorType::kInvalid, resource.request_origin,
                    "must be at most the limit; found " + written(resource.request) +
                        ", which is more; lower the request or raise the limit");
}

// Reports an amount of mainContainer that the service's amount overrides.
void check_hidden(const RenderedPod& pod, json::Value own, json::Value hidden,
                  std::string_view block, std::string_view name, std::string_view key,
                  Report& report) {
  if (render::is_empty(own) || render::is_empty(hidden)) return;
  const std::optional<Amount> mine = amount_of(own);
  const std::optional<Amount> other = amount_of(hidden);
  if (!mine || !other || *mine == *other) return;
  Origin origin = render::origin_in(render::Block::kMainContainer, block).at_key(name);
  std::string detail = "must be what resources of the service say, which win; found ";
  detail += written(hidden) + " here and " + written(own) + " in " + std::string(block) + "." +
            std::string(key) + " of the service; remove one of the two";
  warn_at(report, pod, origin, std::move(detail));
}

void check_hidden_block(const RenderedPod& pod, bool limits, Report& report) {
  constexpr std::size_t kMax = 64;  // entries that are compared, so that the time stays linear
  const std::string_view name = limits ? "limits" : "requests";
  const json::Value hidden = pod.component->main_container()["resources"][name];
  if (hidden.size() == 0 || hidden.size() > kMax) return;
  const json::Value own = pod.component->service.value()["resources"][name];
  const std::string_view block = limits ? "resources.limits" : "resources.requests";
  for (const std::string_view native : {"cpu", "memory"}) {
    check_hidden(pod, own[native], hidden[native], block, native, native, report);
  }
  if (limits) {
    const std::string_view type = own["gpuType"].string_or_empty();
    const std::string_view gpu = type.empty() ? render::kDefaultGpu : type;
    check_hidden(pod, own["gpu"], hidden[gpu], block, gpu, "gpu", report);
  }
  std::size_t count = 0;
  for (const auto [key, amount] : own["custom"].members()) {
    if (++count > kMax) return;
    check_hidden(pod, amount, hidden[key], block, key, "custom", report);
  }
}

void quantity_invalid(const Context&, const RenderedObject& object, Report& report) {
  for_each_container(object, [&](const ContainerResources& owner) {
    for (const Resource& resource : owner.resources.items) {
      check_amount(owner, resource.limit, resource.limit_origin, true, report);
      check_amount(owner, resource.request, resource.request_origin, true, report);
    }
  });
  for (const RenderedPod& pod : object.changed_pods()) check_dropped_request(pod, report);
}

void request_exceeds_limit(const Context& context, const RenderedObject& object, Report& report) {
  for_each_container(object, [&](const ContainerResources& owner) {
    for (const Resource& resource : owner.resources.items) {
      const Severity outcome = resource.given_twice
                                   ? severity_of(OperatorBehaviour::kRequestTwice, context)
                                   : Severity::kDeny;
      check_limit(owner, resource, outcome, report);
    }
  });
  for (const RenderedPod& pod : object.changed_pods()) {
    check_hidden_block(pod, true, report);
    check_hidden_block(pod, false, report);
  }
}

}  // namespace

extern constexpr Rule kQuantityInvalidRule{
    .id = "res.quantity.invalid",
    .kinds = kinds::kPodsAndRequests,
    .function = &quantity_invalid,
    .field = "P.resources, C.resources",
};

extern constexpr Rule kRequestExceedsLimitRule{
    .id = "res.request-exceeds-limit",
    .kinds = kinds::kPodsAndRequests,
    .function = &request_exceeds_limit,
    .field = "P.resources, C.resources",
};

}  // namespace dynamo::validators::resources
