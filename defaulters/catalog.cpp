#include "defaulters/catalog.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>

#include "api/context.hpp"
#include "api/kinds/objects.hpp"
#include "api/limits.hpp"
#include "defaulters/later_defaults.hpp"
#include "json/patch.hpp"
#include "json/pointer.hpp"
#include "json/writer.hpp"

namespace dynamo::defaulters {
namespace {

using api::Kind;

// Records the operator version at the creation of the graph, unless the annotation exists. The
// user's value is kept, even an empty one.
void origin_version(const api::Context& context, const api::GraphDeployment& graph,
                    const api::GraphDeployment&, json::PatchWriter& patch) {
  const json::Value metadata = graph.value()["metadata"];
  const json::Value annotations = metadata["annotations"];
  if (annotations[api::kOriginVersionAnnotation].exists()) return;
  const std::string& version = context.settings.operator_version;
  if (version.empty()) return;  // no operator version is known, as in offline validation
  if (annotations.is_object()) {
    std::string pointer = "/metadata/annotations";
    json::append_pointer_token(pointer, api::kOriginVersionAnnotation);
    patch.add(pointer, [&](json::Writer& value) { value.string(version); });
  } else if (annotations.is_nothing() && metadata.is_object()) {
    patch.add("/metadata/annotations", [&](json::Writer& value) {
      value.start_object().member(api::kOriginVersionAnnotation, version).end_object();
    });
  }
  // The validators refuse annotations or metadata of another type.
}

// A service's name becomes a label value. A longer name makes pods impossible, and the patch must
// not grow with it.
constexpr std::size_t kLongestName = 63;

std::int64_t replicas_of(json::Value service, json::Value before) {
  constexpr std::int64_t kDefault = 1;
  if (!api::Service{service}.is_scaling_adapter_enabled() &&
      !api::Service{before}.is_scaling_adapter_enabled()) {
    return kDefault;
  }
  return before["replicas"].integer().value_or(kDefault);
}

// Sets one replica for each service without a replica count. On an update, a service that has or
// had a scaling adapter keeps its current count: a manifest without the field leaves the count to
// the adapter, and setting one replica would be refused as a change behind the adapter.
void replicas(const api::Context&, const api::GraphDeployment& graph,
              const api::GraphDeployment& old, json::PatchWriter& patch) {
  const json::Value services = graph.services();
  // A larger graph is refused and therefore not changed: verifying each patch operation takes time
  // linear in the object.
  if (services.size() > api::kMaxServices) return;
  for (const json::Member service : services.members()) {
    if (service.name.size() > kLongestName) continue;
    if (!service.value.is_object() || !service.value["replicas"].is_nothing()) continue;
    // Of duplicate names only the last one counts.
    if (services[service.name].node() != service.value.node()) continue;
    std::string pointer = "/spec/services";
    json::append_pointer_token(pointer, service.name);
    pointer += "/replicas";
    const std::int64_t number = replicas_of(service.value, old.services()[service.name]);
    patch.add(pointer, [number](json::Writer& value) { value.integer(number); });
  }
}

// clang-format off
constexpr std::array kCatalog = std::to_array<Default>({
    {{"dgd.default.origin-version", Kind::kGraphDeployment, true, false,
      "metadata.annotations[nvidia.com/dynamo-operator-origin-version]", "the operator version under which a graph was created is noted on it"},
     &origin_version},
    {{"dgd.default.replicas", Kind::kGraphDeployment, true, true,
      "spec.services[NAME].replicas", "a service that does not set its number of replicas gets one, or keeps the number that its scaling adapter set"},
     &replicas},
});

constexpr std::array kLaterCatalog = std::to_array<DefaultInfo>({
    {"dgd.default.workload-provider", Kind::kGraphDeployment, true, false,
     "metadata.annotations[nvidia.com/workload-provider]", "whether Grove or components run a new graph is noted on it"},
    {"dgd.default.override-target", Kind::kGraphDeployment, true, true,
     "spec.providerOverride.target, spec.components[i].providerOverride.target", "a provider override of Grove names the part that it changes"},
    {"dgd.default.min-available", Kind::kGraphDeployment, true, true,
     "spec.components[i].minAvailable", "a component that Grove runs has one replica that must be available"},
    {"dcd.default.name", Kind::kComponentDeployment, true, false,
     "spec.name", "a component without a name gets that of its object"},
    {"dgdr.default.image", Kind::kGraphDeploymentRequest, true, false,
     "spec.image", "a request without an image is profiled by the planner of the operator's version"},
});
// clang-format on
static_assert(std::ranges::all_of(kCatalog,
                                  [](const Default& row) {
                                    return reads_kind(row.function, row.kind);
                                  }),
              "a default must see the kind that it is for");

bool applies(const Default& row, const api::Context& context) {
  if (row.kind != context.kind) return false;
  return (row.on_create && context.operation == api::Operation::kCreate) ||
         (row.on_update && context.operation == api::Operation::kUpdate);
}

}  // namespace

std::span<const Default> catalog() {
  return kCatalog;
}

std::span<const DefaultInfo> later_catalog() {
  return kLaterCatalog;
}

void apply_defaults(std::span<const Default> table, const api::Context& context, json::Value object,
                    json::Value old, json::PatchWriter& patch) {
  for (const Default& row : table) {
    if (!applies(row, context)) continue;
    std::visit([&]<typename View>(
                   DefaultOn<View> function) { function(context, View{object}, View{old}, patch); },
               row.function);
  }
}

void apply_defaults(const api::Context& context, json::Value object, json::Value old,
                    json::PatchWriter& patch) {
  if (context.version == api::Version::kV1beta1 || context.has_later_operator) {
    return apply_later_defaults(context, object, old, patch);
  }
  apply_defaults(kCatalog, context, object, old, patch);
}

}  // namespace dynamo::defaulters
