// The webhook on a machine with a wrong clock, and an API server with the right time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "certs/issue.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/fake_cluster.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tests/webhook/program_fixture.hpp"
#include "webhook/webhook.hpp"

namespace dynamo::webhook {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

constexpr auto kBehind = 5min;

class WebhookClockTest : public ProgramTest {
 protected:
  WebhookClockTest() {
    api_server_clock_.tick(kBehind);
    options_.cert_dir = directory_.path();
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

  const test::TemporaryDirectory directory_;
  const test::FakeClock wrong_clock_;
  test::FakeClock api_server_clock_;
  test::FakeCluster cluster_{&api_server_clock_};
};

TEST_F(WebhookClockTest, CertificateValidityUsesApiServersClock) {
  Webhook webhook(options_, {.log = log_, .clock = wrong_clock_, .connect = [this](auto&) {
                               return cluster_.connect("server");
                             }});
  ASSERT_TRUE(webhook.start());
  ASSERT_TRUE(comes_true([&] {
    return get(webhook.metrics_port(), "/metrics")
               .body.find("\ndynamo_webhook_clock_correction_seconds 30") != std::string::npos;
  }));
  EXPECT_THAT(get(webhook.probe_port(), "/readyz?verbose").body,
              HasSubstr("[-]certificate failed"));
  write_new_certificate();
  EXPECT_TRUE(comes_true([&] {
    return get(webhook.probe_port(), "/readyz?verbose").body.find("[+]certificate ok") !=
           std::string::npos;
  })) << get(webhook.probe_port(), "/readyz?verbose").body;
}

TEST_F(WebhookClockTest, CertificateValidityUsesOwnClockWithoutConnection) {
  write_new_certificate();
  Webhook webhook(options_, {.log = log_, .clock = wrong_clock_, .connect = {}});
  ASSERT_TRUE(webhook.start());
  EXPECT_THAT(get(webhook.probe_port(), "/readyz?verbose").body,
              HasSubstr("tls.crt: is not valid before 2026-02-03T04:09:06Z"));
}

}  // namespace
}  // namespace dynamo::webhook
