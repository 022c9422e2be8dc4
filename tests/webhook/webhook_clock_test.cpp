// The webhook on a machine with a wrong clock, and an API server with the right time.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>

#include "certs/issue.hpp"
#include "runtime/file_descriptor.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/fake_cluster.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/support/tls_client.hpp"
#include "webhook/flags.hpp"
#include "webhook/webhook.hpp"

namespace dynamo::webhook {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

constexpr auto kBehind = 5min;

class WebhookClockTest : public ::testing::Test {
 protected:
  WebhookClockTest() {
    api_server_clock_.tick(kBehind);
    options_.bind_address = {"127.0.0.1", 0};
    options_.health_probe_bind_address = {"127.0.0.1", 0};
    options_.metrics_bind_address = {"127.0.0.1", 0};
    options_.cert_dir = directory_.path();
    options_.threads = 1;
    options_.shutdown_delay = 0ns;
  }

  void write(const char* name, const std::string& text) const {
    const std::filesystem::path part = directory_.path() / (std::string(name) + ".part");
    std::ofstream(part, std::ios::binary) << text;
    std::filesystem::rename(part, directory_.path() / name);
  }
  // Created a minute ago by the API server's clock, which is four minutes in the future by ours.
  void write_new_certificate() const {
    const auto made = api_server_clock_.wall() - 1min;
    const auto ca = certs::make_ca("test CA", made, made + 24h).value();
    certs::LeafRequest request;
    request.names = {"localhost"};
    request.not_before = made;
    request.not_after = made + 24h;
    const auto issued = certs::issue(ca, request).value();
    write("tls.key", issued.pair.key_pem);
    write("tls.crt", issued.pair.certificate_pem);
  }
  static std::string get(std::uint16_t port, const std::string& path) {
    return test::TcpClient(port).ask("GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n").body;
  }
  template <class Condition>
  static bool comes_true(Condition condition) {
    const auto deadline = std::chrono::steady_clock::now() + 20s;
    while (!condition()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      std::this_thread::yield();
    }
    return true;
  }

  const test::TemporaryDirectory directory_;
  Options options_ = default_options();
  const test::FakeClock clock_;
  test::FakeClock api_server_clock_;
  const runtime::FileDescriptor log_descriptor_{::open("/dev/null", O_WRONLY | O_CLOEXEC)};
  runtime::Log log_{{.descriptor = log_descriptor_.get()}, clock_};
  test::FakeCluster cluster_{&api_server_clock_};
};

TEST_F(WebhookClockTest, CertificateValidityUsesApiServersClock) {
  Webhook webhook(options_, {.log = log_, .clock = clock_, .connect = [this](auto&) {
                               return cluster_.connect("server");
                             }});
  ASSERT_TRUE(webhook.start());
  ASSERT_TRUE(comes_true([&] {
    return get(webhook.metrics_port(), "/metrics")
               .find("\ndynamo_webhook_clock_correction_seconds 30") != std::string::npos;
  }));
  EXPECT_THAT(get(webhook.probe_port(), "/readyz?verbose"), HasSubstr("[-]certificate failed"));
  write_new_certificate();
  EXPECT_TRUE(comes_true([&] {
    return get(webhook.probe_port(), "/readyz?verbose").find("[+]certificate ok") !=
           std::string::npos;
  })) << get(webhook.probe_port(), "/readyz?verbose");
}

TEST_F(WebhookClockTest, CertificateValidityUsesOwnClockWithoutConnection) {
  write_new_certificate();
  Webhook webhook(options_, {.log = log_, .clock = clock_, .connect = {}});
  ASSERT_TRUE(webhook.start());
  EXPECT_THAT(get(webhook.probe_port(), "/readyz?verbose"),
              HasSubstr("tls.crt: is not valid before 2026-02-03T04:09:06Z"));
}

}  // namespace
}  // namespace dynamo::webhook
