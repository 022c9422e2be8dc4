// The golden cases on a real API server: a namespace each, with the inputs of the case, and
// dynamo-reconciler once over it. What was measured must stand in what the server stores, whatever
// the server has put beside it.
#pragma once

#include <memory>
#include <string>

#include "tests/controller_cases/case.hpp"

namespace dynamo::cases {

struct ServerOptions {
  std::string kubeconfig = {};
  std::string reconciler = {};       // the program
  std::string namespace_label = {};  // "key=value" of the namespaces that are made; "" for none
};

class ApiServer;

// What became of one case on the server.
struct OnServer {
  std::string not_played = {};  // why not; "" when it was
  Verdict verdict = {};
};

// Not to be shared by threads. Every call to the server has a deadline, and so has the program.
class Server {
 public:
  // Throws std::runtime_error for a kubeconfig that cannot be used.
  explicit Server(ServerOptions options);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Those that need nothing which this server does not have. Each pass is a run of the program;
  // what others write between two is written. One that begins deleted lives before: it is settled,
  // then deleted, and what is left must go with it. For one of the whole cluster the namespaces of
  // all other graphs are kept by a Lease. Throws std::runtime_error when the server does not
  // answer.
  OnServer play(const Value& golden);

 private:
  const ServerOptions options_;
  std::unique_ptr<ApiServer> api_;
};

}  // namespace dynamo::cases
