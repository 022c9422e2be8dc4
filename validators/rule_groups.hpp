// The tables that form the catalog: one function per group of rules. To add a group, declare it
// here and list it in rule_groups.cpp.
#pragma once

#include <span>
#include <string_view>

#include "validators/catalog.hpp"

namespace dynamo::validators {

std::span<const Rule> operator_rules();  // those of the operator's own webhooks, and related ones

std::span<const Rule> character_rules();  // deceptive characters
std::span<const Rule> pod_rules();        // rendered pods

std::span<const Rule> naming_rules();     // names of graphs and services
std::span<const Rule> topology_rules();   // how services fit together
std::span<const Rule> storage_rules();    // volumes, mounts and claims
std::span<const Rule> network_rules();    // reachability and discovery of pods
std::span<const Rule> scaling_rules();    // replicas and rollouts
std::span<const Rule> resources_rules();  // CPU, memory, GPUs and devices
std::span<const Rule> multinode_rules();  // services that span several nodes
std::span<const Rule> policy_rules();     // limits set by policy parameters

std::span<const Rule> model_rules();       // models and the workers that serve them
std::span<const Rule> request_rules();     // settings that fail a profiling job
std::span<const Rule> checkpoint_rules();  // identities, and who can use checkpoints
std::span<const Rule> lookup_rules();      // dangling references; silent without lookups
std::span<const Rule> advice_rules();      // off unless a policy switches them on
std::span<const Rule> ignore_rules();      // the annotation that ignores findings

// Whether it is a policy rule that limits the access of graph authors: to accounts, nodes, hosts
// and gateways. Controllers apply these too, because they may have more rights than the author.
bool limits_authors(std::string_view rule);

// All groups, in the order in which the documentation lists them.
std::span<const std::span<const Rule>> rule_groups();

}  // namespace dynamo::validators
