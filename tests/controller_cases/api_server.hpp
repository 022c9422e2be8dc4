// What the golden cases ask of a real API server, one call after the other.
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
#include "kube/client.hpp"
#include "kube/config.hpp"
#include "kube/http_transport.hpp"
#include "runtime/clock.hpp"
#include "runtime/log.hpp"
#include "tests/controller_cases/value.hpp"

namespace dynamo::cases {

// Not to be shared by threads. Throws std::runtime_error when the server does not answer; what it
// refuses is returned.
class ApiServer {
 public:
  explicit ApiServer(kube::ConnectionConfig config);

  // Null: there is none.
  Object find(const kube::Resource& resource, const std::string& space, const std::string& name);
  kube::Result<kube::Object> create(const kube::Resource& resource, const std::string& space,
                                    const Value& body);
  // As a merge patch, of the object or of its status.
  kube::Result<kube::Object> merge(const kube::Resource& resource, const std::string& space,
                                   const std::string& name, std::string patch,
                                   const std::string& subresource = {});
  kube::Result<void> remove(const kube::Resource& resource, const std::string& space,
                            const std::string& name);
  // In the namespace; "" for all. None of a kind that is not served.
  std::vector<Object> list(const kube::Resource& resource, const std::string& space);
  // Asked once.
  bool serves(const kube::Resource& resource);
  // Its name. `label`: "key=value", or "" for none.
  std::string new_namespace(const std::string& label);

  // Of a program that runs beside it.
  aio::ChildResult run_program(std::vector<std::string> words);
  // Turned by the calls: what else stands on it goes on while one is under way.
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
