// Evaluates marker Leases the way the checked server does.
#pragma once

#include <string_view>

#include "cluster/lease_record.hpp"
#include "doctor/evidence.hpp"
#include "kube/object/object.hpp"

namespace dynamo::doctor {

// The record of a marker Lease, with a rejection if the server would not trust it according to the
// evidence.
cluster::LeaseRecord marker_of(const kube::Object& object, const Evidence& evidence);

// Whether the namespace has a live, trusted marker Lease: a cluster-wide server skips it. False if
// no Lease was read.
bool is_held(const Evidence& evidence, std::string_view namespace_name);

}  // namespace dynamo::doctor
