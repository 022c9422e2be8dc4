// The flags of dynamo-webhook and dynamo-reconciler that set ClusterOptions. Each program places
// the rows in its own table:
//
//   const SharedFlags<Options> flags({.operator_version = "unknown", ...});
//   {{"Cluster", {flags.row("kubeconfig"), flags.row("drain-timeout", "On SIGTERM: ...")}}}
#pragma once

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <string_view>
#include <vector>

#include "process/cluster_options.hpp"
#include "runtime/flag_table.hpp"

namespace dynamo::process {

// The differences between the programs, except for help.
struct FlagVariants {
  std::string_view restricted_namespace;             // the flag's name
  std::string_view operator_version;                 // default
  std::chrono::nanoseconds shortest_renew_interval;  // of the marker lease
  std::string_view drain_timeout;                    // default
};

// One row per member of ClusterOptions. A row without help needs the program's own.
std::vector<runtime::Flag<ClusterOptions>> shared_flags(const FlagVariants& variants);

// The same flags for a program's options.
template <std::derived_from<ClusterOptions> Options>
class SharedFlags {
 public:
  explicit SharedFlags(const FlagVariants& variants)
      : rows_(runtime::flags_of<Options>(shared_flags(variants))) {}

  // `own_help` is for a program to which the shared help does not apply.
  runtime::Flag<Options> row(std::string_view name, std::string_view own_help = {}) const {
    const auto found = std::ranges::find(rows_, name, &runtime::Flag<Options>::name);
    runtime::Flag<Options> row = rows_.at(static_cast<std::size_t>(found - rows_.begin()));
    if (!own_help.empty()) row.help = own_help;
    return row;
  }

 private:
  std::vector<runtime::Flag<Options>> rows_;
};

}  // namespace dynamo::process
