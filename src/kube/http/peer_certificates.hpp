// Reads the certificates that a server presents, trusted or not.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "aio/task.hpp"
#include "kube/object/error.hpp"

namespace dynamo::kube {

struct ProbedPeer {
  std::string chain_pem;  // leaf first
  // The server requested a client certificate. We have none, so no request was sent.
  bool wants_certificate = false;
  // Result of a GET of "/" after the handshake: the status of the answer, or 0 and the reason in
  // `silence`.
  int status = 0;
  std::string silence;
  // The server's clock, from that answer's Date header, if it has one.
  std::optional<std::chrono::system_clock::time_point> date;
};

// Performs a handshake with HOST:PORT (`host` is an address) for `server_name`, as `user_agent`.
// Nothing is verified. `deadline` covers everything. Returns kConnect if no server is reachable:
// "cannot reach HOST:PORT from here: REASON"; kProtocol if the handshake fails: "HOST:PORT: TLS
// handshake failed: REASON".
aio::Task<Result<ProbedPeer>> ask_peer(std::string host, std::string port, std::string server_name,
                                       std::string user_agent, std::chrono::milliseconds deadline);

// "10.0.0.3:9443", "[fd00::3]:9443".
std::string host_and_port(const std::string& host, const std::string& port);

}  // namespace dynamo::kube
