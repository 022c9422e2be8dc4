// Rules for how pods are reached and find each other: ports, variables of the operator's, ways in
// from outside, the network of the node. Ids and one-line summaries stand in network_rules.cpp.
#pragma once

#include "api/context.hpp"
#include "validators/rendering.hpp"
#include "validators/report.hpp"

namespace dynamo::validators::network {

using api::Context;

// network_ports.cpp
void named_port_lost(const Context&, const RenderedPod&, Report&);
void port_moved(const Context&, const RenderedPod&, Report&);

// network_env.cpp
void reserved_variable(const Context&, const RenderedPod&, Report&);

// network_ingress.cpp
void ingress_host(const Context&, const RenderedPod&, Report&);
void ingress_no_effect(const Context&, const RenderedPod&, Report&);

// network_pod.cpp
void host_network(const Context&, const RenderedPod&, Report&);
void service_account(const Context&, const RenderedPod&, Report&);

}  // namespace dynamo::validators::network
