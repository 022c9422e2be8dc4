// Decides which namespaces this reconciler serves.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "admission/namespace_lease.hpp"

namespace dynamo::reconciler {

enum class Coverage : unsigned char {
  kCovered,
  kOtherNamespace,  // outside of the restricted namespace
  kLeased,          // a live marker Lease: the namespace belongs to another operator
  kEphemeral,       // the name marks it as short-lived, and those are skipped
};

struct Scope {
  std::string restricted_namespace = {};  // empty: the whole cluster
  bool excludes_ephemeral = true;

  // Leases count only if the whole cluster is served: the Lease in a restricted namespace is ours.
  // Pure.
  Coverage coverage(std::string_view namespace_name, const admission::NamespaceLeases& leases,
                    std::chrono::system_clock::time_point now) const;
};

}  // namespace dynamo::reconciler
