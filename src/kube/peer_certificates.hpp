// What a server shows to anybody who shakes hands with it, whether or not it is to be trusted.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "aio/task.hpp"
#include "kube/error.hpp"

namespace dynamo::kube {

struct Peer {
  std::string chain_pem;  // leaf first
  // It asked for a client's certificate. We have none, so that nothing more was asked of it.
  bool wants_certificate = false;
  // What became of a GET of "/" after the handshake: the status of the answer, whatever it is, or
  // 0, and why there was none.
  int status = 0;
  std::string silence;
  // Of that answer, by the server's clock, if it told.
  std::optional<std::chrono::system_clock::time_point> date;
};

// Shakes hands with HOST:PORT (`host` an address), asking for `server_name` as `user_agent`.
// Nothing is verified. `deadline` is for all of it. kConnect when nobody is there: "cannot reach
// HOST:PORT from here: REASON"; kProtocol when somebody is, and does not shake hands: "HOST:PORT
// does not shake hands: REASON".
aio::Task<Result<Peer>> ask_peer(std::string host, std::string port, std::string server_name,
                                 std::string user_agent, std::chrono::milliseconds deadline);

// "10.0.0.3:9443", "[fd00::3]:9443".
std::string host_and_port(const std::string& host, const std::string& port);

}  // namespace dynamo::kube
