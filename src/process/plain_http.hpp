// A small HTTP server without TLS for probes and metrics: GET only, one request per connection,
// with limits on size, time and number. It runs on the control loop and is not optimised for speed.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "aio/control_loop.hpp"
#include "runtime/flag_values.hpp"
#include "runtime/result.hpp"

namespace dynamo::process {

struct PlainAnswer {
  unsigned status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body;
};

// Called on the control loop. May throw: the client gets 503 for std::bad_alloc, and otherwise 500.
using PlainHandler = std::function<PlainAnswer(std::string_view path, std::string_view query)>;

class PlainHttp {
 public:
  // `control` must outlive it.
  PlainHttp(aio::ControlLoop& control, PlainHandler handler);

  // Closes the listener and every connection; the handler is not called after it returns. Not on
  // the control loop's thread.
  ~PlainHttp();

  PlainHttp(const PlainHttp&) = delete;
  PlainHttp& operator=(const PlainHttp&) = delete;

  // Binds and accepts. An error is one line for the user.
  runtime::Result<void> start(const runtime::Address& address);

  // After start().
  std::uint16_t port() const;

 private:
  struct Connection;
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace dynamo::process
