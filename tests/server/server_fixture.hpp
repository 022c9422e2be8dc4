// A whole server on its own port, with a certificate, a handler that reports what it received, and
// a clock that the test advances.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "certs/client_ca.hpp"
#include "certs/issue.hpp"
#include "server/server.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/recording_logger.hpp"
#include "tests/support/tls_client.hpp"

namespace dynamo::test {

// "POST /echo HTTP/1.1", JSON, with Content-Length.
std::string post(std::string_view body, std::string_view target = "/echo");

// The same with other header lines instead of Content-Type and Content-Length.
std::string post_with(std::string_view headers, std::string_view body = "",
                      std::string_view target = "/echo");

// A currently valid pair signed by `issuer`; its common name is the first of `names`.
certs::KeyPair issue_for_an_hour(const certs::KeyPair& issuer, std::vector<std::string> names,
                                 certs::Usage usage = certs::Usage::kServer);

class ServerFixture : public ::testing::Test {
 protected:
  using Milliseconds = std::chrono::milliseconds;

  ServerFixture();
  ~ServerFixture() override;

  // Uses `options_`, which a test may change before.
  void start();
  // The same with the test's own handlers.
  void start_with(server::HandlerFactory handlers);

  TlsClientOptions client_options() const;
  std::unique_ptr<TlsClient> connect() const;

  // Polls until `condition` holds; fails the test, naming `what`, after a minute.
  void wait_until(const std::function<bool()>& condition, std::string_view what) const;

  // Returns when the only loop has finished earlier work, such as setting a deadline after an
  // answer. Uses a temporary connection.
  void let_the_loop_catch_up() const;

  std::uint64_t count(server::HandshakeFailure failure) const {
    return counters_.handshake_failures.value(failure);
  }
  std::uint64_t count(server::TimeoutPhase phase) const { return counters_.timeouts.value(phase); }
  std::uint64_t count(server::Limit limit) const { return counters_.rejected.value(limit); }
  std::uint64_t count(server::Eviction reason) const { return counters_.evictions.value(reason); }
  std::uint64_t count_of_status(unsigned status) const;

  // Another certificate for new connections, signed by the same CA; with `clients` they must
  // present one themselves.
  void replace_certificate(const certs::ClientVerification* clients = nullptr);

  RecordingLogger logger_;
  FakeClock clock_;
  server::ServerCounters counters_;
  // No wait times from the machine's clock, which runs while clock_ does not advance.
  server::TimeSinceReceived time_since_received_ = [](int) {
    return std::optional<std::chrono::milliseconds>();
  };
  server::ServerOptions options_;
  certs::KeyPair ca_;
  std::shared_ptr<SSL_CTX> context_;  // guarded by context_mutex_ once the server is started
  std::mutex context_mutex_;
  aio::ControlLoop control_{logger_};
  std::unique_ptr<server::Server> server_;
};

}  // namespace dynamo::test
