// Marker Leases, as the server that is looked at judges them.
#pragma once

#include <string_view>

#include "cluster/lease_record.hpp"
#include "doctor/evidence.hpp"
#include "kube/object.hpp"

namespace dynamo::doctor {

// What a marker Lease says, with the doubt of a server that trusts as the evidence says.
cluster::LeaseRecord marker_of(const kube::Object& object, const Evidence& evidence);

// Whether a marker Lease that lives and is believed is in the namespace: a server of the whole
// cluster leaves it alone. False where no Lease was seen.
bool is_held(const Evidence& evidence, std::string_view namespace_name);

}  // namespace dynamo::doctor
