#include "validators/rules/component_deployment.hpp"

#include "validators/rules/immutable.hpp"

namespace dynamo::validators::component_deployment {

void backend_immutable(const api::Context&, const api::ComponentDeployment& now,
                       const api::ComponentDeployment* old, Report& report) {
  if (old == nullptr) return;
  require_unchanged(old->backend_framework(), now.backend_framework(),
                    api::FieldPath("spec").child("backendFramework"), report);
}

}  // namespace dynamo::validators::component_deployment
