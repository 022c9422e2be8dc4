// The tables that the catalogue is put together from: one function per group of rules. To add a
// group, declare it here and list it in rule_groups.cpp.
#pragma once

#include <span>

#include "validators/catalog.hpp"

namespace dynamo::validators {

std::span<const Rule>
operator_rules();  // those that the operator's own webhooks have, and near kin

std::span<const Rule> pod_rules();  // the pods that will be made

std::span<const Rule> naming_rules();    // names of graphs and services
std::span<const Rule> topology_rules();  // how services fit together
std::span<const Rule> storage_rules();   // volumes, mounts and claims

// All groups, in the order in which the documentation lists them.
std::span<const std::span<const Rule>> rule_groups();

}  // namespace dynamo::validators
