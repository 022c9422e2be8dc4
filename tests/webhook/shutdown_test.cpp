// A process ends after a signal even if a part of it is stuck. The processes are children of the
// test; in each one a part blocks forever.
#include "webhook/shutdown.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <future>
#include <memory>
#include <string>
#include <thread>

#include "tests/support/recording_logger.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/tls_client.hpp"
#include "webhook/flags.hpp"
#include "webhook/webhook.hpp"

namespace dynamo::webhook {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

// A child that does not end is killed by SIGALRM, which no test expects.
constexpr unsigned kChildSeconds = 30;

// Blocks callers forever.
class Trap {
 public:
  void enter() {
    is_taken_ = true;
    for (;;) ::pause();
  }
  void wait_until_taken() const {
    while (!is_taken_) std::this_thread::yield();
  }

 private:
  std::atomic<bool> is_taken_{false};
};

class TrappingHandler final : public server::RequestHandler {
 public:
  explicit TrappingHandler(Trap& trap) : trap_(trap) {}
  bool knows(std::string_view) const override { return true; }
  void handle(const server::HttpRequest&, server::HttpAnswer&) override { trap_.enter(); }

 private:
  Trap& trap_;
};

// The machine's clock, which a test can advance. Once set, the trap blocks the next caller that
// reads the wall time: in the server that is the control loop, for a probe.
class TrappingClock final : public runtime::Clock {
 public:
  explicit TrappingClock(Trap& trap) : trap_(trap) {}
  std::chrono::system_clock::time_point wall() const override {
    if (is_set_.exchange(false)) trap_.enter();
    return std::chrono::system_clock::now();
  }
  std::chrono::steady_clock::time_point monotonic() const override {
    return std::chrono::steady_clock::now() + std::chrono::seconds(ahead_.load());
  }
  void set_trap() { is_set_ = true; }
  void put_forward(std::chrono::seconds by) { ahead_ += by.count(); }

 private:
  Trap& trap_;
  mutable std::atomic<bool> is_set_{false};
  std::atomic<std::chrono::seconds::rep> ahead_{0};
};

// A server as main() runs it, except for the given options.
struct Process {
  explicit Process(std::chrono::nanoseconds delay,
                   milliseconds grace = process::LastResort::kGrace) {
    ::alarm(kChildSeconds);
    options.bind_address = {"127.0.0.1", 0};
    options.health_probe_bind_address = {"127.0.0.1", 0};
    options.metrics_bind_address = {"127.0.0.1", 0};
    options.cert_mode = CertMode::kSelfSigned;
    options.cert_dir = directory.path();
    options.threads = 2;
    options.shutdown_delay = delay;
    options.drain_timeout = 50ms;
    webhook = std::make_unique<Webhook>(
        options, WebhookDependencies{
                     .log = log,
                     .clock = clock,
                     .end_process =
                         [this](int code) {
                           log.wait_until_written(1s);
                           std::_Exit(code);
                         },
                     .last_resort_grace = grace,
                     .handlers = [this] { return std::make_unique<TrappingHandler>(trap); }});
    if (!webhook->start()) std::_Exit(99);
  }

  void block_an_event_loop() {
    std::ifstream file(directory.path() / "ca.crt");
    test::TlsClientOptions client;
    client.port = webhook->port();
    client.ca_pem = {std::istreambuf_iterator<char>(file), {}};
    stuck_client = std::make_unique<test::TlsClient>(client);
    stuck_client->send(
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: "
        "1\r\n\r\n{");
    trap.wait_until_taken();
  }
  void block_the_control_loop() {
    stuck_client = std::make_unique<test::TcpClient>(webhook->probe_port());
    clock.set_trap();
    stuck_client->send("GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n");
    trap.wait_until_taken();
  }

  // As in main(), up to the end.
  void serve() {
    webhook->wait();
    webhook->stop();
    webhook.reset();
    std::_Exit(0);
  }

  const test::TemporaryDirectory directory;
  Options options = default_options();
  Trap trap;
  TrappingClock clock{trap};
  const runtime::SystemClock log_clock;
  runtime::Log log{{}, log_clock};
  std::unique_ptr<test::TcpClient> stuck_client;
  std::unique_ptr<Webhook> webhook;
};

class ShutdownDeathTest : public ::testing::Test {
 protected:
  // The child re-executes the program: it starts with one thread.
  ShutdownDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(ShutdownDeathTest, ProcessEndsCleanlyWithoutStuckParts) {
  EXPECT_EXIT(
      {
        Process process(0s);
        ::raise(SIGTERM);
        process.serve();
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(ShutdownDeathTest, StuckEventLoopIsAbandoned) {
  EXPECT_EXIT(
      {
        Process process(0s);
        process.block_an_event_loop();
        ::raise(SIGTERM);
        process.serve();
      },
      testing::ExitedWithCode(process::LastResort::kExitCode),
      "the process exits although tasks are stuck.*an event loop never came back from a "
      "request.*event loop [12] of 2");
}

TEST_F(ShutdownDeathTest, StuckControlLoopIsNotAwaited) {
  EXPECT_EXIT(
      {
        Process process(0s, 100ms);
        process.block_the_control_loop();
        ::raise(SIGTERM);
        process.serve();
      },
      testing::ExitedWithCode(process::LastResort::kExitCode),
      "the shutdown took longer than its deadlines allow.*control loop");
}

TEST_F(ShutdownDeathTest, SecondSignalEndsProcessWithStuckLoop) {
  EXPECT_EXIT(
      {
        Process process(1h, 1h);
        process.block_the_control_loop();
        ::raise(SIGTERM);  // from now on the control loop has a pending answer
        process.webhook->wait();
        process.clock.put_forward(10s);
        std::thread([&process] { process.webhook->stop(); }).detach();
        ::raise(SIGTERM);
        for (;;) ::pause();
      },
      testing::ExitedWithCode(process::LastResort::kExitCode),
      "a second signal came, and an event loop is stuck.*control loop");
}

TEST_F(ShutdownDeathTest, ThirdSignalAlwaysEndsProcess) {
  EXPECT_EXIT(
      {
        Process process(1h, 1h);
        process.block_an_event_loop();
        ::raise(SIGTERM);
        process.webhook->wait();
        ::raise(SIGINT);
        ::raise(SIGTERM);
        for (;;) ::pause();
      },
      testing::ExitedWithCode(process::LastResort::kExitCode), "a third signal came");
}

class LastResortTest : public ::testing::Test {
 protected:
  LastResortTest() { thread_.start(); }
  ~LastResortTest() override { thread_.stop(); }

  test::RecordingLogger logger_;
  aio::ControlLoop thread_{logger_};
  std::promise<int> ended_;
  process::LastResort last_resort_{{.thread = thread_,
                                    .logger = logger_,
                                    .what_is_stuck = [] { return "event loop 1 of 1"; },
                                    .end_process = [this](int code) { ended_.set_value(code); }}};
};

TEST_F(LastResortTest, EarliestLimitEndsProcessOnce) {
  auto ended = ended_.get_future();
  last_resort_.arm(1h);
  last_resort_.arm(1ms);
  last_resort_.arm(2h);
  ASSERT_EQ(ended.wait_for(10s), std::future_status::ready);
  EXPECT_EQ(ended.get(), process::LastResort::kExitCode);
  last_resort_.end("again");
  ASSERT_EQ(logger_.lines().size(), 1U);
  EXPECT_EQ(logger_.lines().front().fields,
            R"({"reason":"the shutdown took longer than its deadlines allow",)"
            R"("stuck":"event loop 1 of 1","exit_code":3})");
}

}  // namespace
}  // namespace dynamo::webhook
