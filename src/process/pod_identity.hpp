// Identity of a process among its replicas, and its namespace.
#pragma once

#include <string>

namespace dynamo::process {

// The pod's name, and a random number in case the container restarts; `fallback` if the host has no
// name.
std::string new_identity(const char* fallback);

// The namespace file in the service account directory of a pod; empty if there is no such file, or
// no namespace in it.
std::string namespace_of_pod(const std::string& service_account_directory);

}  // namespace dynamo::process
