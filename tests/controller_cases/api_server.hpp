// A blocking client for the API server calls that golden cases need.
#pragma once

#include <boost/asio/io_context.hpp>
#include <exception>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "aio/child_process.hpp"
#include "aio/task.hpp"
#include "kube/client/client.hpp"
#include "kube/config/config.hpp"
#include "kube/http/http_transport.hpp"
#include "runtime/clock.hpp"
#include "runtime/log.hpp"
#include "tests/controller_cases/value.hpp"

namespace dynamo::cases {

// Not thread-safe. Throws std::runtime_error if the server does not answer; error responses are
// returned.
class ApiServer {
 public:
  explicit ApiServer(kube::ConnectionConfig config);

  // Null if it does not exist.
  Object find(const kube::Resource& resource, const std::string& space, const std::string& name);
  kube::Result<kube::Object> create(const kube::Resource& resource, const std::string& space,
                                    const Value& body);
  // Applies a merge patch to the object or to its status.
  kube::Result<kube::Object> merge(const kube::Resource& resource, const std::string& space,
                                   const std::string& name, std::string patch,
                                   const std::string& subresource = {});
  kube::Result<void> remove(const kube::Resource& resource, const std::string& space,
                            const std::string& name);
  // In the namespace; "" for all. Empty for a kind that the server does not serve.
  std::vector<Object> list(const kube::Resource& resource, const std::string& space);
  // Queried once per kind.
  bool serves(const kube::Resource& resource);
  // Returns its name. `label`: "key=value", or "" for none.
  std::string new_namespace(const std::string& label);

  // Runs a program while the loop keeps running.
  aio::ChildResult run_program(std::vector<std::string> words);
  // The calls run this loop, so other tasks on it progress during a call.
  boost::asio::io_context& loop() { return loop_; }

 private:
  static kube::HttpTransportOptions options();
  std::optional<kube::List> listed(const kube::Resource& resource, const std::string& space);

  template <typename T>
  T run(aio::Task<T> task);

  runtime::SystemClock clock_;
  runtime::Log log_{runtime::LogOptions(), clock_};
  boost::asio::io_context loop_{1};
  kube::HttpTransport transport_;
  kube::Client client_;
  std::map<std::string, bool> served_;  // by "GROUP/VERSION PLURAL"
};

}  // namespace dynamo::cases
