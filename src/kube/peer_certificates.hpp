// Which certificate a server shows, whether or not it is to be trusted.
#pragma once

#include <chrono>
#include <string>

#include "kube/error.hpp"
#include "kube/task.hpp"

namespace dynamo::kube {

// Shakes hands with HOST:PORT (`host` an address), asking for `server_name`, and answers the chain
// that was shown as PEM, leaf first. Nothing is verified and nothing is sent after the handshake.
Task<Result<std::string>> peer_certificates(std::string host, std::string port,
                                            std::string server_name,
                                            std::chrono::milliseconds deadline);

}  // namespace dynamo::kube
