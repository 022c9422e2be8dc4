// Rules for how pods are reached and find each other: ports, the operator's variables, Ingresses,
// the host network. The texts are in validators/texts/network.md.
#pragma once

#include "api/context.hpp"
#include "validators/rendering.hpp"
#include "validators/report.hpp"

namespace dynamo::validators::network {

using api::Context;

// ports.cpp
void named_port_lost(const Context&, const RenderedPod&, Report&);
void port_moved(const Context&, const RenderedPod&, Report&);

// env.cpp
void reserved_variable(const Context&, const RenderedPod&, Report&);

// ingress.cpp
void ingress_host(const Context&, const RenderedPod&, Report&);
void ingress_no_effect(const Context&, const RenderedPod&, Report&);

// pod.cpp
void host_network(const Context&, const RenderedPod&, Report&);
void service_account(const Context&, const RenderedPod&, Report&);

}  // namespace dynamo::validators::network
