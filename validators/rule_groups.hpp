// The groups of rules, as the build collects them from the sources (validators/texts/generate.py).
#pragma once

#include <span>
#include <string_view>

#include "validators/catalog.hpp"

namespace dynamo::validators {

// A group is what the documentation shows together. A file of validators/texts names its group.
struct CollectedGroup {
  std::string_view name;
  std::span<const Rule* const> rules;
};

// As generated; rule_groups() and catalog() hold copies of these rules.
std::span<const CollectedGroup> collected_groups();

// All groups, in the order in which the documentation lists them.
std::span<const std::span<const Rule>> rule_groups();

// The rules of the group with that name. Group "operator" has those of the operator's own webhooks,
// and related ones. Empty if no group has the name.
std::span<const Rule> rule_group(std::string_view name);

// Whether it is a policy rule that limits the access of graph authors: to accounts, nodes, hosts
// and gateways. Controllers apply these too, because they may have more rights than the author.
bool limits_authors(std::string_view rule);

}  // namespace dynamo::validators
