// Which namespaces are ours.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "admission/namespace_lease.hpp"

namespace dynamo::reconciler {

enum class Coverage : unsigned char {
  kCovered,
  kOtherNamespace,  // outside of the one that we are restricted to
  kLeased,          // a live marker lease: the namespace belongs to another operator
  kEphemeral,       // its name says that it comes and goes, and these are left alone
};

struct Scope {
  std::string restricted_namespace = {};  // empty: the whole cluster
  bool excludes_ephemeral = true;

  // Leases count in the whole cluster only: the one in our own namespace is ours. Pure.
  Coverage coverage(std::string_view namespace_name, const admission::NamespaceLeases& leases,
                    std::chrono::system_clock::time_point now) const;
};

}  // namespace dynamo::reconciler
