// Limits on replicas, adapter sources and resources.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "json/sorted_members.hpp"
#include "validators/content/amount.hpp"
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
constexpr FieldPath kServices = kSpec.child("services");

// Fewer replicas than before are always allowed.
void check_replicas(json::Value now, json::Value old, std::int64_t most, const FieldPath& path,
                    Report& report) {
  const std::optional<std::int64_t> replicas = now["replicas"].integer();
  if (!replicas || *replicas <= most) return;
  const std::optional<std::int64_t> before = old["replicas"].integer();
  if (before && *replicas <= *before) return;
  report.add(ErrorType::kForbidden, path.child("replicas"),
             "must be at most " + std::to_string(most) + ", as the policy demands; found " +
                 std::to_string(*replicas) + "; lower it");
}

// Cheaper than sorting the services of every valid object.
bool has_more(json::Value services, std::int64_t most) {
  for (const json::Member service : services.members()) {
    if (service.value["replicas"].integer().value_or(0) > most) return true;
  }
  return false;
}

// "s3" of "s3://bucket/key"; "" if there is none.
std::string_view scheme_of(std::string_view uri) {
  constexpr std::size_t kLongest = 32;
  const std::size_t end = uri.find("://");
  if (end > kLongest) return {};  // npos is greater, too
  return uri.substr(0, end);
}

// Letters, digits, '+', '-' and '.'. Nothing else of a URI is shown, because it may contain
// secrets.
bool is_scheme(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '+' ||
           c == '-' || c == '.';
  });
}

// Kubernetes treats a limit of zero as no limit.
bool is_limit(json::Value limit) {
  if (limit.is_string() && limit.string_or_empty().empty()) return false;
  const std::optional<Amount> amount = amount_of(limit);
  return limit.exists() &&
         (!amount || !amount->is_zero());  // another rule reports a text that is not a quantity
}

// A GPU resource is called VENDOR/gpu, nvidia.com/mig-*, habana.ai/gaudi, or as gpuType says.
bool is_gpu_name(std::string_view name) {
  constexpr std::string_view kGaudi = "habana.ai/gaudi";
  return name.find("gpu") != std::string_view::npos || name.starts_with("nvidia.com/mig-") ||
         name == kGaudi;
}

bool is_gpu(const render::Resource& resource) {
  return is_gpu_name(resource.name) || resource.limit_origin.field == "resources.limits.gpu";
}

bool has_limit(const render::Resources& resources, std::string_view name) {
  if (name != "gpu") {
    const render::Resource* const resource = resources.find(name);
    return resource != nullptr && is_limit(resource->limit);
  }
  // A claim may be for a GPU; its device is unknown here.
  return !resources.claims.empty() ||
         std::ranges::any_of(resources.items, [](const render::Resource& resource) {
           return is_gpu(resource) && is_limit(resource.limit);
         });
}

// Only workers need a GPU; a checkpoint belongs to a worker.
bool needs_limit(const Context& context, const RenderedPod& pod, std::string_view name) {
  return !is_gpu_name(name) || context.kind == api::Kind::kCheckpoint ||
         render::is_worker_like(pod.component->type);
}

// The field in which the user can set the limit.
render::Origin limits_of(const RenderedPod& pod) {
  const render::Container& main = pod.pod->main();
  if (!main.is_main()) return main.field("resources.limits");
  return render::origin_in(render::Block::kService, "resources.limits");
}

void most_replicas(const Context& context, const api::Object& now, const api::Object* old,
                   Report& report) {
  const api::Parameters* const parameters = parameters_for(context, now);
  if (parameters == nullptr || !parameters->max_replicas_per_service) return;
  const std::int64_t most = *parameters->max_replicas_per_service;
  const bool forgives = old != nullptr && context.is_ratcheted;
  const json::Value before = forgives ? old->spec() : json::Value{};
  if (context.kind != api::Kind::kGraphDeployment) {
    return check_replicas(now.spec(), before, most, kSpec, report);
  }
  if (!has_more(now.spec()["services"], most)) return;
  const std::vector<json::Member> services = json::sorted_members(now.spec()["services"]);
  const std::vector<json::Member> old_services = json::sorted_members(before["services"]);
  for (const json::Member& service : services) {
    check_replicas(service.value, json::find_member(old_services, service.name), most,
                   kServices.key(service.name), report);
  }
}

void lora_scheme(const Context& context, const api::Model& now, const api::Model*, Report& report) {
  const api::Parameters* const parameters = parameters_for(context, now);
  if (parameters == nullptr || parameters->allowed_lora_schemes.empty()) return;
  if (now.model_type() != "lora" || now.source_uri().empty()) return;
  const std::span<const std::string> allowed = parameters->allowed_lora_schemes;
  const std::string_view scheme = scheme_of(now.source_uri());
  if (std::ranges::find(allowed, scheme) != allowed.end()) return;
  // The rest of the URI may contain credentials, so the message does not repeat it.
  report.add(ErrorType::kForbidden, kSpec.child("source").child("uri"),
             "must begin with " + any_of(allowed, "://") + ", as the policy demands; found " +
                 (is_scheme(scheme) ? quoted(scheme) : "another beginning"),
             about({scheme}));
}

void resource_limits(const Context& context, const RenderedPod& pod, Report& report) {
  const api::Parameters* const parameters = parameters_for(context, pod.object);
  if (parameters == nullptr) return;
  const render::Resources& resources = pod.pod->main().resources;
  for (const std::string& name : parameters->required_resource_limits) {
    if (!needs_limit(context, pod, name) || has_limit(resources, name)) continue;
    // Kubernetes applies a limit of the pod to all its containers together.
    if (name != "gpu" && is_limit(pod.pod->user["resources"]["limits"][name])) continue;
    add_at(report, ErrorType::kRequired, pod, limits_of(pod),
           "must limit " + name + " of the main container, as the policy demands; set it",
           about({name}));
  }
}

}  // namespace

extern constexpr Rule kMostReplicasRule{
    .id = "policy.replicas",
    .kinds = {api::Kind::kGraphDeployment, api::Kind::kComponentDeployment,
              api::Kind::kScalingAdapter},
    .function = &most_replicas,
    .field = "P.replicas",
};

extern constexpr Rule kLoraSchemeRule{
    .id = "policy.lora-scheme",
    .kinds = kinds::kModels,
    .function = &lora_scheme,
    .field = "spec.source.uri",
};

extern constexpr Rule kResourceLimitsRule{
    .id = "policy.resource-limits",
    .kinds = kinds::kPods,
    .function = &resource_limits,
    .field = "P.resources.limits",
};

}  // namespace dynamo::validators::policy
