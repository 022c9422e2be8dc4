#include "doctor/markers.hpp"

#include <algorithm>

#include "admission/namespace_lease.hpp"

namespace dynamo::doctor {

cluster::LeaseRecord marker_of(const kube::Object& object, const Evidence& evidence) {
  cluster::LeaseRecord lease = cluster::read_lease(object.root()["spec"]);
  lease.rejection = evidence.lease_trust.rejection(object.namespace_name(), lease);
  return lease;
}

bool is_held(const Evidence& evidence, std::string_view namespace_name) {
  return std::ranges::any_of(evidence.leases.value, [&](const kube::Object& object) {
    if (object.namespace_name() != namespace_name) return false;
    const cluster::LeaseRecord lease = marker_of(object, evidence);
    return admission::rejection_of(lease.view(), evidence.now) ==
               admission::LeaseRejection::kNone &&
           admission::is_live(lease.view(), evidence.now);
  });
}

}  // namespace dynamo::doctor
