#include "reconciler/engine/resources.hpp"

#include "cluster/resources.hpp"
#include "desired/kinds.hpp"
#include "schema/table.hpp"

namespace dynamo::reconciler {

static_assert(kGraphs == cluster::kGraphDeployments);

kube::Resource resource_of(api::Kind kind) {
  const std::string_view name = api::names(kind).name;
  const schema::Resource* const found = schema::find_resource(name);
  return {.group = api::kGroup, .version = api::kVersion, .plural = found->plural, .kind = name};
}

}  // namespace dynamo::reconciler
