// Rules for a DynamoComponentDeployment as a whole; those for its service are in service.cpp.
#include "validators/rule.hpp"
#include "validators/rules/immutable.hpp"

namespace dynamo::validators::component_deployment {

namespace {

void backend_immutable(const api::Context&, const api::ComponentDeployment& now,
                       const api::ComponentDeployment* old, Report& report) {
  if (old == nullptr) return;
  require_unchanged(old->backend_framework(), now.backend_framework(),
                    api::FieldPath("spec").child("backendFramework"), report);
}

}  // namespace

extern constexpr Rule kBackendImmutableRule{
    .id = "dcd.backend.immutable",
    .kinds = kinds::kComponents,
    .operations = kOnUpdate,
    .ratchet = Ratchet::kNo,
    .function = &backend_immutable,
    .field = "spec.backendFramework",
};

}  // namespace dynamo::validators::component_deployment
