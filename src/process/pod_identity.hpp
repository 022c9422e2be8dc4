// Who a process is among its replicas, and where it runs.
#pragma once

#include <string>

namespace dynamo::process {

// The pod's name, and a number for the case that a pod's container starts anew; `fallback` where
// the host has no name.
std::string new_identity(const char* fallback);

// As every pod is told in that directory; empty when there is no such file, or no namespace in it.
std::string namespace_of_pod(const std::string& service_account_directory);

}  // namespace dynamo::process
