// One connection without its event loop: the test decides whether a sweep or the socket comes
// first.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <utility>

#include "aio/listen_socket.hpp"
#include "certs/tls_context.hpp"
#include "server/session.hpp"
#include "tests/server/server_fixture.hpp"

namespace dynamo::test {

// Size of the answer to /large.
inline constexpr std::size_t kLarge = std::size_t{8} * 1024 * 1024;

// Returns the body, except for /large and /.
class EchoHandler final : public server::RequestHandler {
 public:
  bool knows(std::string_view) const override { return true; }
  void handle(const server::HttpRequest& request, server::HttpAnswer& answer) override {
    if (request.path == "/large") {
      answer.body.assign(kLarge, 'x');
    } else if (request.path == "/") {
      answer.body = "root";
    } else {
      answer.body.assign(request.body.begin(), request.body.end());
    }
  }
};

class SessionTest : public ::testing::Test {
 protected:
  static constexpr std::chrono::milliseconds kIdle{60'000};
  static constexpr std::chrono::milliseconds kHeader{5'000};

  SessionTest() {
    const auto now = std::chrono::system_clock::now();
    const certs::KeyPair ca =
        certs::make_ca("test CA", now - std::chrono::minutes(5), now + std::chrono::hours(1))
            .value();
    const auto context =
        certs::build_tls_context(issue_for_an_hour(ca, {"localhost"}), {}, nullptr).value();
    const auto listener = aio::listen_on({"127.0.0.1", 0}).value();
    TlsClientOptions options;
    options.port = aio::port_of(listener.get());
    options.ca_pem = ca.certificate_pem;
    auto connected =
        std::async(std::launch::async, [options] { return std::make_unique<TlsClient>(options); });
    wait_for_input(listener.get());
    runtime::FileDescriptor socket;
    EXPECT_EQ(aio::accept_one(listener.get(), socket), aio::AcceptResult::kConnection);
    socket_ = socket.get();
    session_ = std::make_unique<server::Session>(resources_, std::move(socket), context);
    session_->start();
    client_ = run_until_ready(std::move(connected));
  }

  static void wait_for_input(int socket) {
    pollfd wanted{socket, POLLIN, 0};
    ASSERT_EQ(::poll(&wanted, 1, 10'000), 1);
  }

  // Lets the session handle its socket until `result` is ready; the client fails by itself.
  template <class Result>
  Result run_until_ready(std::future<Result> result) {
    while (result.wait_for(std::chrono::seconds(0)) != std::future_status::ready)
      io_.run_for(std::chrono::milliseconds(1));
    return result.get();
  }
  unsigned answer_status() {
    return run_until_ready(
        std::async(std::launch::async, [this] { return client_->read_answer().status; }));
  }
  void ask_once() {
    client_->send(post("x"));
    ASSERT_EQ(answer_status(), 200U);
    io_.run_for(std::chrono::milliseconds(1));
  }
  void sweep() { session_->check_deadline(clock_.monotonic()); }
  bool is_ending() const { return counters_.timeouts.value(server::TimeoutPhase::kIdle) == 1; }

  FakeClock clock_;
  RecordingLogger logger_;
  server::ServerCounters counters_;
  server::Incidents incidents_{counters_, logger_, clock_};
  const server::ServerLimits limits_{.max_body_bytes = 1024 * 1024,
                                     .max_connections = 1,
                                     .max_in_flight = 1,
                                     .handshake_timeout = std::chrono::seconds(10),
                                     .header_timeout = kHeader,
                                     .body_timeout = std::chrono::seconds(30),
                                     .idle_timeout = kIdle};
  const std::atomic<server::ServingPhase> phase_{server::ServingPhase::kServing};
  boost::asio::io_context io_{1};
  server::BodyMemory body_memory_{.bytes = 0, .share_of_loop = kLarge, .bound = kLarge};
  server::PeerTable peers_{1};
  server::LoopResources resources_{
      io_,
      limits_,
      phase_,
      clock_,
      incidents_,
      std::make_unique<EchoHandler>(),
      [](server::Session&) {},
      server::ArrivalClock([](int) { return std::optional<std::chrono::milliseconds>(); }),
      {},
      {},
      {},
      {},
      {body_memory_, peers_, 0}};
  int socket_ = -1;
  std::unique_ptr<server::Session> session_;
  std::unique_ptr<TlsClient> client_;
};

}  // namespace dynamo::test
