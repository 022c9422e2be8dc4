// Rules for a service: one entry of a DynamoGraphDeployment's spec.services, or the spec of a
// DynamoComponentDeployment. The texts are in validators/texts/service.md, component.md and
// endpoint_picker.md.
#pragma once

#include "api/context.hpp"
#include "api/field_path.hpp"
#include "api/kinds/objects.hpp"
#include "validators/report.hpp"

namespace dynamo::validators {

// A service, its path and the object that contains it.
struct ServiceView : api::Service {
  ServiceView(json::Value spec, const api::FieldPath& at, const api::Object& of)
      : Service(spec), path(at), object(of) {}
  const api::FieldPath& path;  // spec.services[NAME], or spec
  const api::Object& object;   // the object that contains it
};

namespace service {

using api::Context;

void autoscaling_deprecated(const Context&, const ServiceView& now, const ServiceView* old,
                            Report&);
void dynamo_namespace_deprecated(const Context&, const ServiceView& now, const ServiceView* old,
                                 Report&);
void ingress_host(const Context&, const ServiceView& now, const ServiceView* old, Report&);
void node_class(const Context&, const ServiceView& now, const ServiceView* old, Report&);
void replicas_non_negative(const Context&, const ServiceView& now, const ServiceView* old, Report&);
void replicas_scaled_elsewhere(const Context&, const ServiceView& now, const ServiceView* old,
                               Report&);
void shared_memory_size(const Context&, const ServiceView& now, const ServiceView* old, Report&);
void mount_point(const Context&, const ServiceView& now, const ServiceView* old, Report&);

}  // namespace service

// Rules for a service of component type `epp`, the endpoint picker of an inference gateway.
namespace endpoint_picker {

using api::Context;

void inference_pool_available(const Context&, const ServiceView& now, const ServiceView* old,
                              Report&);
void config_required(const Context&, const ServiceView& now, const ServiceView* old, Report&);
void config_source(const Context&, const ServiceView& now, const ServiceView* old, Report&);
void config_reference_name(const Context&, const ServiceView& now, const ServiceView* old, Report&);
void single_node(const Context&, const ServiceView& now, const ServiceView* old, Report&);
void single_replica(const Context&, const ServiceView& now, const ServiceView* old, Report&);

}  // namespace endpoint_picker
}  // namespace dynamo::validators
