// The way to etcd: its JSON gateway over HTTP or HTTPS, one connection for each call.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

#include "aio/task.hpp"
#include "runtime/clock.hpp"

namespace dynamo::reconciler::component {

class EtcdGateway {
 public:
  virtual ~EtcdGateway() = default;
  // Why the call was not answered by 2xx, one line; empty: it was. Ends within a bounded time,
  // whatever the other side does.
  // `may_send` is asked when there is a connection, right before anything is sent.
  virtual aio::Task<std::string> post(std::string url, std::string body,
                                      std::function<bool()> may_send) = 0;
};

struct HttpEtcdGatewayOptions {
  HttpEtcdGatewayOptions() = default;
  std::string ca_file;  // empty: the system's roots; read for each call, as it may be renewed
  std::chrono::milliseconds deadline{5'000};
  std::size_t answer_bytes = std::size_t{64} << 10U;
};

// On the loop's thread.
class HttpEtcdGateway final : public EtcdGateway {
 public:
  // `clock` outlives it.
  HttpEtcdGateway(HttpEtcdGatewayOptions options, const runtime::Clock& clock);
  aio::Task<std::string> post(std::string url, std::string body,
                              std::function<bool()> may_send) override;

 private:
  const HttpEtcdGatewayOptions options_;
  const runtime::Clock& clock_;
};

}  // namespace dynamo::reconciler::component
