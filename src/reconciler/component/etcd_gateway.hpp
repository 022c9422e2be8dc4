// Client of etcd's JSON gateway over HTTP or HTTPS, with one connection per call.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

#include "aio/task.hpp"
#include "desired/settings.hpp"
#include "runtime/clock.hpp"

namespace dynamo::reconciler::component {

class EtcdGateway {
 public:
  virtual ~EtcdGateway() = default;
  // Returns why the call was not answered with 2xx, one line; empty on success. Ends within a
  // bounded time. Calls `can_send` once connected, right before it sends each request.
  virtual aio::Task<std::string> post(std::string url, std::string body,
                                      std::function<bool()> can_send) = 0;
};

struct HttpEtcdGatewayOptions {
  HttpEtcdGatewayOptions() = default;
  EtcdFiles files;
  std::chrono::milliseconds deadline{5'000};
  std::size_t answer_bytes = std::size_t{64} << 10U;
};

// On the loop's thread.
class HttpEtcdGateway final : public EtcdGateway {
 public:
  // `clock` must outlive it.
  HttpEtcdGateway(HttpEtcdGatewayOptions options, const runtime::Clock& clock);
  aio::Task<std::string> post(std::string url, std::string body,
                              std::function<bool()> can_send) override;

 private:
  const HttpEtcdGatewayOptions options_;
  const runtime::Clock& clock_;
};

}  // namespace dynamo::reconciler::component
