// Fixtures for tests that run a whole program of this folder on free ports.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <chrono>
#include <cstdint>
#include <future>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "process/cluster_connection.hpp"
#include "runtime/clock.hpp"
#include "runtime/file_descriptor.hpp"
#include "runtime/log.hpp"
#include "tests/support/fake_cluster.hpp"
#include "tests/support/tls_client.hpp"
#include "webhook/flags.hpp"

namespace dynamo::webhook {

inline Options options_on_free_ports() {
  Options options = default_options();
  options.bind_address = {"127.0.0.1", 0};
  options.health_probe_bind_address = {"127.0.0.1", 0};
  options.metrics_bind_address = {"127.0.0.1", 0};
  options.threads = 1;
  options.shutdown_delay = std::chrono::nanoseconds(0);
  return options;
}

class ProgramTest : public ::testing::Test {
 protected:
  // Asks in plain HTTP.
  static test::ClientAnswer get(std::uint16_t port, std::string_view target) {
    return test::TcpClient(port).ask("GET " + std::string(target) + " HTTP/1.1\r\nHost: x\r\n\r\n");
  }
  // Polls until it holds; false after twenty seconds.
  template <class Condition>
  static bool comes_true(const Condition& condition) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!condition()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      std::this_thread::yield();
    }
    return true;
  }

  Options options_ = options_on_free_ports();
  const runtime::SystemClock clock_;
  const runtime::FileDescriptor null_{::open("/dev/null", O_WRONLY | O_CLOEXEC)};
  runtime::Log log_{{.descriptor = null_.get()}, clock_};
};

class ProgramInClusterTest : public ProgramTest {
 protected:
  process::TransportFactory connect_as(const std::string& name) {
    return [this, name](boost::asio::io_context& loop) {
      loop_ = &loop;
      return cluster_.connect(name);
    };
  }
  // Runs `action` on the control loop's thread, where the cluster lives as long as the program.
  template <class Action>
  auto on_loop(Action action) {
    std::packaged_task<decltype(action())()> task(std::move(action));
    auto result = task.get_future();
    boost::asio::post(*loop_, [moved = std::move(task)]() mutable { moved(); });
    return result.get();
  }

  test::FakeCluster cluster_;

 private:
  boost::asio::io_context* loop_ = nullptr;
};

}  // namespace dynamo::webhook
