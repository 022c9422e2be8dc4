// Rules that report nothing until a policy sets their parameter. The texts are in
// validators/texts/policy.md.
#pragma once

#include "api/context.hpp"
#include "api/kinds/objects.hpp"
#include "validators/rendering.hpp"
#include "validators/report.hpp"

namespace dynamo::validators::policy {

using api::Context;

// images.cpp
void allowed_registry(const Context&, const RenderedObject&, Report&);

// host_access.cpp
void service_account(const Context&, const RenderedObject&, Report&);
void host_path(const Context&, const RenderedObject&, Report&);
void host_access(const Context&, const RenderedObject&, Report&);

// exposure.cpp
void ingress_host(const Context&, const RenderedObject&, Report&);
void istio_gateway(const Context&, const RenderedObject&, Report&);

// limits.cpp
void lora_scheme(const Context&, const api::Model& now, const api::Model* old, Report&);
void most_replicas(const Context&, const api::Object& now, const api::Object* old, Report&);
void resource_limits(const Context&, const RenderedPod&, Report&);

}  // namespace dynamo::validators::policy
