// The graph that an adapter scales, and the graph that a request would create.
#include "validators/rendered/lookup/search.hpp"
#include "validators/rule.hpp"

namespace dynamo::validators::lookup {

using api::Context;

namespace {

using api::FieldPath;
using api::LookupKind;

constexpr FieldPath kSpec{"spec"};
constexpr FieldPath kReference = kSpec.child("dgdRef");
constexpr FieldPath kOverrides = kSpec.child("deploymentOverrides");

void graph_of_adapter(const Context& context, const api::ScalingAdapter& now,
                      const api::ScalingAdapter*, Report& report) {
  if (context.objects == nullptr) return;
  if (is_created_from_graph(now)) return;
  const std::string_view name = now.graph_reference()["name"].string_or_empty();
  Search search(context, LookupKind::kGraphDeployment);
  if (!search.is_missing(name)) return;
  report.also_warn(
      kReference.child("name"),
      "must name a graph that exists, or nothing is scaled" +
          search.found_none(name, "create it or correct the name").append(kMayComeLater));
}

void graph_of_request(const Context& context, const api::GraphDeploymentRequest& now,
                      const api::GraphDeploymentRequest*, Report& report) {
  if (context.objects == nullptr) return;
  const json::Value spec = now.spec();
  if (!spec["autoApply"].boolean().value_or(false)) return;
  // The request created the graph itself.
  if (now.status()["deployment"]["created"].boolean().value_or(false)) return;
  const json::Value overrides = spec["deploymentOverrides"];
  const std::string_view name = overrides["name"].string_or_empty();
  if (name.empty()) return;  // the profiler chooses a name
  const std::string_view given = overrides["namespace"].string_or_empty();
  const std::string_view in = given.empty() ? context.namespace_name : given;
  if (context.objects->has(LookupKind::kGraphDeployment, in, name) != api::Fact::kYes) return;
  std::string detail = "must be a name that no graph has; found DynamoGraphDeployment ";
  detail.append(quoted(name)).append(" in namespace ").append(quoted(in));
  detail +=
      ", which is taken as it stands, and what profiling finds is never applied; choose another "
      "name, or delete it";
  report.also_warn(kOverrides.child("name"), std::move(detail));
}

}  // namespace

extern constexpr Rule kGraphOfAdapterRule{
    .id = "dgdsa.ref.exists",
    .kinds = kinds::kScalingAdapters,
    .severity = Severity::kWarn,
    .function = &graph_of_adapter,
    .field = "spec.dgdRef.name",
};

extern constexpr Rule kGraphOfRequestRule{
    .id = "cross.dgdr-dgd-exists",
    .kinds = kinds::kRequests,
    .severity = Severity::kWarn,
    .function = &graph_of_request,
    .field = "spec.deploymentOverrides.name",
};

}  // namespace dynamo::validators::lookup
