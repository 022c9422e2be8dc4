// Plays golden cases on a real API server: each in its own namespace, with the inputs of the case
// and one run of dynamo-reconciler per reconcile. The stored objects must contain the recorded
// fields; fields that the server adds are ignored.
#pragma once

#include <memory>
#include <string>

#include "tests/controller_cases/case.hpp"

namespace dynamo::cases {

struct ServerOptions {
  std::string kubeconfig = {};
  std::string reconciler = {};       // path of the program
  std::string namespace_label = {};  // "key=value" label of new namespaces; "" for none
};

class ApiServer;

// The result of one case on the server.
struct ServerResult {
  std::string not_played = {};  // the reason why it was not played; "" if it was
  CaseResult case_result = {};
};

// Not thread-safe. Every call to the server and every program run has a deadline.
class Server {
 public:
  // Throws std::runtime_error if the kubeconfig is unusable.
  explicit Server(ServerOptions options);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Plays cases that need only what this server has. Each reconcile is one run of the program, and
  // writes of other clients happen between runs. An object that begins deleted is first settled,
  // then deleted, and its owned objects must go with it. For a cluster-wide case, a Lease reserves
  // the namespaces of all other graphs. Throws std::runtime_error if the server does not answer.
  ServerResult play(const Value& golden);

 private:
  const ServerOptions options_;
  std::unique_ptr<ApiServer> api_;
};

}  // namespace dynamo::cases
