// Fixture for tests of the HTTP transport: a loop that runs until a coroutine is done, and a
// transport to a scripted server.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "kube/http/http_transport.hpp"
#include "tests/certs/fixtures.hpp"
#include "tests/kube/scripted_server.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/recording_logger.hpp"

namespace dynamo::kube {

using test::answer;
using test::answering;
using test::Gate;
using test::Peer;
using test::Script;
using test::ScriptedOptions;
using test::ScriptedServer;
using test::stalling;

// A running coroutine, which a test may cancel.
template <class T>
struct RunningCall {
  std::optional<Result<T>> result;
  std::exception_ptr thrown;
  boost::asio::cancellation_signal cancellation;
  bool is_done() const { return result.has_value() || thrown != nullptr; }
  void cancel() { cancellation.emit(boost::asio::cancellation_type::all); }
};

class TransportTest : public ::testing::Test {
 protected:
  static constexpr std::chrono::milliseconds kIdle{5000};

  // The loop is destroyed first, and with it every coroutine; `started` must live as long.
  template <class T>
  std::shared_ptr<RunningCall<T>> start(aio::Task<Result<T>> task) {
    auto started = std::make_shared<RunningCall<T>>();
    boost::asio::co_spawn(
        loop_,
        [](aio::Task<Result<T>> inner, std::shared_ptr<RunningCall<T>> into) -> aio::Task<> {
          into->result = co_await std::move(inner);
        }(std::move(task), started),
        boost::asio::bind_cancellation_slot(
            started->cancellation.slot(),
            [started](const std::exception_ptr& thrown) { started->thrown = thrown; }));
    return started;
  }

  // Runs the loop until the condition holds; fails the test after 20 seconds.
  bool run_until(const std::function<bool()>& condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!condition()) {
      if (std::chrono::steady_clock::now() > end) {
        ADD_FAILURE() << "took too long";
        return false;
      }
      if (loop_.stopped()) loop_.restart();
      loop_.run_one_for(std::chrono::milliseconds(5));
    }
    return true;
  }

  template <class T>
  Result<T> run(aio::Task<Result<T>> task) {
    const auto started = start(std::move(task));
    return wait(started);
  }
  template <class T>
  Result<T> wait(const std::shared_ptr<RunningCall<T>>& started) {
    run_until([&] { return started->is_done(); });
    if (started->thrown) std::rethrow_exception(started->thrown);
    return std::move(started->result).value();
  }

  // Plain HTTP to the server, or TLS that trusts `ca_pem`.
  void connect(const ScriptedServer& server, const std::string& ca_pem = "") {
    config_.host = config_.host.empty() ? "127.0.0.1" : config_.host;
    config_.port = std::to_string(server.port());
    config_.tls = !ca_pem.empty();
    config_.ca.data = ca_pem;
    config_.ca.origin = "the test's CA";
    connect();
  }
  void connect() {
    transport_ = std::make_unique<HttpTransport>(loop_, config_, options_, clock_, logger_);
  }

  Result<Response> get(std::string target = "/version") {
    return run(transport_->send(Request(HttpMethod::kGet, std::move(target))));
  }
  Result<std::unique_ptr<Stream>> open(std::string target = "/watch") {
    return run(transport_->open(Request(HttpMethod::kGet, std::move(target))));
  }
  static Request request(HttpMethod method, std::string body = "{}") {
    Request result(method, "/api/v1/things");
    result.body = std::move(body);
    return result;
  }

  test::FakeClock clock_{std::chrono::system_clock::now()};
  test::RecordingLogger logger_;
  ConnectionConfig config_;
  HttpTransportOptions options_;
  boost::asio::io_context loop_;
  std::unique_ptr<HttpTransport> transport_;
};

}  // namespace dynamo::kube
