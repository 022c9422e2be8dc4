#include "certs/tls_provider.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <functional>
#include <thread>

#include "certs/files_source.hpp"
#include "certs/self_signed.hpp"
#include "tests/certs/fixtures.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/recording_logger.hpp"
#include "text/timestamp.hpp"

namespace dynamo::test {
namespace {

using certs::ClientCa;
using certs::FilesSource;
using certs::TlsProvider;
using certs::TlsProviderOptions;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;

// Counts its polls; the test sets what it returns.
class FakeSource final : public certs::Source {
 public:
  bool poll() override {
    ++polls;
    return std::exchange(changed, false);
  }
  std::shared_ptr<const certs::CheckedPair> current() const override { return pair; }
  std::string problem() const override { return "nothing there"; }
  std::string directory() const override { return watched; }
  std::uint64_t errors() const override { return 7; }

  void serve(const KeyPair& next) {
    pair = std::make_shared<const certs::CheckedPair>(certs::check_pair(next, {}).value());
    changed = true;
  }

  std::shared_ptr<const certs::CheckedPair> pair;
  std::string watched;
  bool changed = false;
  int polls = 0;
};

class TlsProviderTest : public testing::Test {
 public:
  std::unique_ptr<FilesSource> files() {
    return std::make_unique<FilesSource>(directory.path(), clock, logger);
  }
  std::unique_ptr<ClientCa> client_ca_file(std::vector<std::string> allowed_names = {}) {
    return std::make_unique<ClientCa>(client_directory.file("ca.pem"), std::move(allowed_names),
                                      clock, logger);
  }
  std::unique_ptr<TlsProvider> provider_of(std::unique_ptr<certs::Source> source,
                                           std::unique_ptr<ClientCa> client_ca = nullptr,
                                           TlsProviderOptions options = {}) {
    return std::make_unique<TlsProvider>(std::move(source), std::move(client_ca),
                                         std::move(options), clock, logger);
  }
  static std::string fingerprint(const KeyPair& pair) {
    return certs::read_bundle(pair.certificate_pem, "pair").value().front().fingerprint;
  }
  // The certificate for a new connection; empty if none can be served.
  static std::string served(const TlsProvider& provider, const KeyPair& client_certificate = {}) {
    const std::shared_ptr<SSL_CTX> context = provider.context();
    if (!context) return {};
    ClientOptions client;
    client.certificate = client_certificate;
    const HandshakeOutcome outcome = shake_hands(context.get(), client);
    return outcome.server_fingerprint;
  }

  // Starts with the real time, by which OpenSSL verifies clients' certificates.
  FakeClock clock{std::chrono::floor<std::chrono::seconds>(real_now())};
  RecordingLogger logger;
  TempDirectory directory;
  TempDirectory client_directory;
  TestCa ca{clock.wall()};
};

// ---- poll()

TEST_F(TlsProviderTest, IsUnreadyBeforeFirstPollAndWithoutCertificate) {
  const auto provider = provider_of(files());
  EXPECT_EQ(provider->not_ready(), "no certificate yet: its source has not been read");
  provider->poll();
  EXPECT_EQ(provider->not_ready(),
            "no certificate yet: tls.crt is missing in " + directory.path() +
                "; write tls.crt and tls.key to the directory of --cert-dir, which needs no "
                "restart, or restart with --cert-mode self-signed or managed");
  EXPECT_EQ(provider->context(), nullptr);
  EXPECT_EQ(provider->not_after(), std::nullopt);
  EXPECT_EQ(provider->reload_errors(), 0U);
}

TEST_F(TlsProviderTest, BecomesReadyWhenFilesAppear) {
  const auto provider = provider_of(files());
  provider->poll();
  const KeyPair pair = ca.leaf();
  directory.write_pair(pair);
  provider->poll();
  EXPECT_EQ(provider->not_ready(), std::nullopt);
  EXPECT_EQ(provider->not_after(), clock.wall() + hours(24));
  EXPECT_EQ(served(*provider), fingerprint(pair));
}

TEST_F(TlsProviderTest, ReportsWhyFilesAreUnusable) {
  directory.write_pair(KeyPair("garbage", "garbage"));
  const auto provider = provider_of(files());
  provider->poll();
  EXPECT_EQ(provider->not_ready(), "no certificate yet: " + directory.file("tls.crt") +
                                       ": must hold a PEM certificate, has none");
  EXPECT_EQ(provider->reload_errors(), 1U);
}

TEST_F(TlsProviderTest, NewConnectionsUseNewCertificateOldContextsStay) {
  const KeyPair old = ca.leaf();
  const KeyPair next = ca.leaf();
  directory.swap_secret(old);
  const auto provider = provider_of(files());
  provider->poll();
  const std::shared_ptr<SSL_CTX> of_an_old_connection = provider->context();
  provider->poll();
  EXPECT_EQ(provider->context(), of_an_old_connection) << "nothing changed, nothing is rebuilt";
  directory.swap_secret(next);
  provider->poll();
  EXPECT_EQ(served(*provider), fingerprint(next));
  EXPECT_EQ(shake_hands(of_an_old_connection.get()).server_fingerprint, fingerprint(old));
}

TEST_F(TlsProviderTest, BadNewPairKeepsOldOneAndReadiness) {
  const KeyPair old = ca.leaf();
  directory.write_pair(old);
  const auto provider = provider_of(files());
  provider->poll();
  directory.write("tls.key", ca.leaf().key_pem);
  provider->poll();
  EXPECT_EQ(served(*provider), fingerprint(old));
  EXPECT_EQ(provider->not_ready(), std::nullopt);
  EXPECT_EQ(provider->reload_errors(), 1U);
}

TEST_F(TlsProviderTest, IsUnreadyWhileCertificateIsExpired) {
  directory.write_pair(ca.leaf());
  const auto provider = provider_of(files());
  provider->poll();
  clock.tick(hours(24));
  EXPECT_EQ(provider->not_ready(), std::nullopt) << "its last second";
  clock.tick(minutes(3));
  EXPECT_EQ(provider->not_ready(), "certificate expired 3m ago (at " +
                                       text::format_timestamp(clock.wall() - minutes(3)) + ")");
  EXPECT_NE(provider->context(), nullptr);
  directory.write_pair(TestCa(clock.wall()).leaf());
  provider->poll();
  EXPECT_EQ(provider->not_ready(), std::nullopt);
}

TEST_F(TlsProviderTest, RenewsSelfSignedCertificate) {
  const auto provider = provider_of(std::make_unique<certs::SelfSignedSource>(
      certs::SelfSignedOptions{hours(3), {}, {}}, clock, logger));
  provider->poll();
  const std::string first = served(*provider);
  EXPECT_EQ(provider->not_ready(), std::nullopt);
  clock.tick(hours(2));
  provider->poll();
  EXPECT_NE(served(*provider), first);
  EXPECT_EQ(provider->not_after(), clock.wall() + hours(3));
}

TEST_F(TlsProviderTest, KeepsOldContextWhenOpensslRefusesNewCertificate) {
  const KeyPair old = ca.leaf();
  const KeyPair sha1(resign(old.certificate_pem, ca.pair(), EVP_sha1()), old.key_pem);
  auto source = std::make_unique<FakeSource>();
  FakeSource& fake = *source;
  fake.serve(sha1);
  const auto provider = provider_of(std::move(source));
  provider->poll();
  EXPECT_EQ(provider->not_ready(),
            "TLS cannot be set up: the certificate cannot be used: ca md too weak");
  provider->poll();
  EXPECT_EQ(logger.count("TLS context refused"), 1U);
  EXPECT_EQ(provider->reload_errors(), 7U + 1U);
  fake.serve(old);
  provider->poll();
  EXPECT_EQ(served(*provider), fingerprint(old));
  fake.serve(sha1);
  provider->poll();
  EXPECT_EQ(served(*provider), fingerprint(old));
  EXPECT_EQ(provider->not_ready(), std::nullopt);
  EXPECT_EQ(logger.count("TLS context refused"), 2U);
}

// ---- Client CA

TEST_F(TlsProviderTest, RefusesAllClientsWithoutClientCa) {
  directory.write_pair(ca.leaf());
  const auto provider = provider_of(files(), client_ca_file());
  provider->poll();
  EXPECT_EQ(provider->context(), nullptr);
  EXPECT_EQ(
      provider->not_ready(),
      "client CA unreadable: " + client_directory.file("ca.pem") +
          ": is missing; write the bundle to the file of --client-ca-file, which needs no restart");
  client_directory.write("ca.pem", ca.pem());
  provider->poll();
  EXPECT_EQ(provider->not_ready(), std::nullopt);
  EXPECT_NE(served(*provider, ca.client("a")), "");
  EXPECT_EQ(served(*provider), "") << "without a certificate of its own";
}

TEST_F(TlsProviderTest, ReloadsClientCaAndKeepsOldWhenBad) {
  const TestCa first(clock.wall(), "first");
  const TestCa second(clock.wall(), "second");
  directory.write_pair(ca.leaf());
  client_directory.write("ca.pem", first.pem());
  const auto provider = provider_of(files(), client_ca_file({"apiserver"}));
  provider->poll();
  EXPECT_NE(served(*provider, first.client("apiserver")), "");
  EXPECT_EQ(served(*provider, first.client("somebody")), "");
  EXPECT_EQ(served(*provider, second.client("apiserver")), "");
  client_directory.write("ca.pem", second.pem());
  provider->poll();
  EXPECT_EQ(served(*provider, first.client("apiserver")), "");
  EXPECT_NE(served(*provider, second.client("apiserver")), "");
  client_directory.write("ca.pem", "garbage");
  provider->poll();
  EXPECT_NE(served(*provider, second.client("apiserver")), "");
  EXPECT_EQ(provider->reload_errors(), 1U);
  EXPECT_EQ(provider->not_ready(), std::nullopt);
}

TEST_F(TlsProviderTest, KeepsTlsOptionsAcrossReloads) {
  TlsProviderOptions options;
  options.tls = {certs::TlsVersion::k1_3, {"TLS_AES_256_GCM_SHA384"}};
  client_directory.write("ca.pem", ca.pem());
  const auto provider = provider_of(files(), client_ca_file(), options);
  for (int reload = 0; reload < 2; ++reload) {
    directory.write_pair(ca.leaf());
    provider->poll();
    ClientOptions client;
    client.certificate = ca.client("a");
    EXPECT_EQ(shake_hands(provider->context().get(), client).cipher, "TLS_AES_256_GCM_SHA384");
    client.max_version = TLS1_2_VERSION;
    EXPECT_EQ(shake_hands(provider->context().get(), client).server_error, "unsupported protocol");
  }
}

TEST_F(TlsProviderTest, IsUnreadyWhenAllClientCasAreExpired) {
  certs::LeafRequest request = ca.request();
  request.not_after = clock.wall() + hours(24 * 700);
  directory.write_pair(ca.leaf(request));
  client_directory.write("ca.pem", ca.pem());  // valid for 365 days
  const auto provider = provider_of(files(), client_ca_file());
  provider->poll();
  clock.tick(hours(24 * 365));
  EXPECT_EQ(provider->not_ready(), std::nullopt);
  clock.tick(minutes(5));
  EXPECT_EQ(provider->not_ready(), "client CA expired 5m ago");
}

// ---- On the control loop

class TlsProviderLoopTest : public TlsProviderTest {
 public:
  TlsProviderLoopTest() {
    // only events trigger polls, unless a test sets an interval
    options.follower.poll_interval = hours(1);
    options.follower.settle_delay = milliseconds(1);
  }

  // Runs the loop until the condition holds; false after the deadline.
  bool run_until(const std::function<bool()>& holds) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!holds()) {
      if (loop.run_one_until(deadline) == 0) return holds();
    }
    return true;
  }

  boost::asio::io_context loop{1};
  TlsProviderOptions options;
};

TEST_F(TlsProviderLoopTest, PollsImmediatelyAtStart) {
  directory.write_pair(ca.leaf());
  const auto provider = provider_of(files(), nullptr, options);
  provider->start(loop);
  EXPECT_EQ(provider->not_ready(), std::nullopt);
}

TEST_F(TlsProviderLoopTest, EventReportsSwapOfMountedSecret) {
  directory.swap_secret(ca.leaf());
  const auto provider = provider_of(files(), nullptr, options);
  provider->start(loop);
  for (int rotation = 0; rotation < 3; ++rotation) {
    const KeyPair next = ca.leaf();
    directory.swap_secret(next);
    EXPECT_TRUE(run_until([&] { return served(*provider) == fingerprint(next); }));
  }
  EXPECT_EQ(provider->reload_errors(), 0U);
}

TEST_F(TlsProviderLoopTest, EventReportsWrittenAndCreatedFiles) {
  const auto provider = provider_of(files(), nullptr, options);
  provider->start(loop);
  EXPECT_TRUE(provider->not_ready());
  for (int change = 0; change < 2; ++change) {
    const KeyPair next = ca.leaf();
    directory.write_pair(next);
    EXPECT_TRUE(run_until([&] { return served(*provider) == fingerprint(next); }));
  }
}

TEST_F(TlsProviderLoopTest, EventReportsNewClientCa) {
  directory.write_pair(ca.leaf());
  const auto provider = provider_of(files(), client_ca_file(), options);
  provider->start(loop);
  EXPECT_TRUE(provider->not_ready());
  client_directory.write("ca.pem", ca.pem());
  EXPECT_TRUE(run_until([&] { return !provider->not_ready(); }));
}

TEST_F(TlsProviderLoopTest, PollingFindsSwappedParentLinkWithoutEvent) {
  const KeyPair next = ca.leaf();
  std::filesystem::create_directories(directory.file("v1"));
  std::filesystem::create_directories(directory.file("v2"));
  directory.write("v1/tls.crt", "garbage");
  directory.write("v2/tls.crt", next.certificate_pem);
  directory.write("v2/tls.key", next.key_pem);
  std::filesystem::create_directory_symlink("v1", directory.file("certs"));
  options.follower.poll_interval = milliseconds(5);
  const auto provider = provider_of(
      std::make_unique<FilesSource>(directory.file("certs"), clock, logger), nullptr, options);
  provider->start(loop);
  EXPECT_TRUE(provider->not_ready());
  std::filesystem::create_directory_symlink("v2", directory.file("certs_new"));
  std::filesystem::rename(directory.file("certs_new"), directory.file("certs"));
  EXPECT_TRUE(run_until([&] { return served(*provider) == fingerprint(next); }));
}

TEST_F(TlsProviderLoopTest, FindsDirectoryThatIsCreatedAndReplaced) {
  options.follower.poll_interval = milliseconds(5);
  const std::string late = directory.file("late");
  const auto provider =
      provider_of(std::make_unique<FilesSource>(late, clock, logger), nullptr, options);
  provider->start(loop);
  for (int life = 0; life < 2; ++life) {
    const KeyPair pair = ca.leaf();
    std::filesystem::create_directory(late);
    directory.write("late/tls.crt", pair.certificate_pem);
    directory.write("late/tls.key", pair.key_pem);
    EXPECT_TRUE(run_until([&] { return served(*provider) == fingerprint(pair); }));
    std::filesystem::remove_all(late);
  }
}

TEST_F(TlsProviderLoopTest, PollsOnceForBurstOfEvents) {
  auto source = std::make_unique<FakeSource>();
  FakeSource& fake = *source;
  fake.watched = directory.path();
  options.follower.settle_delay = milliseconds(20);
  const auto provider = provider_of(std::move(source), nullptr, options);
  provider->start(loop);
  EXPECT_EQ(fake.polls, 1);
  for (int file = 0; file < 200; ++file) directory.write("file" + std::to_string(file), "x");
  EXPECT_TRUE(run_until([&] { return fake.polls == 2; }));
  EXPECT_EQ(loop.poll(), 0U) << "nothing is left to do";
  EXPECT_EQ(fake.polls, 2);
}

TEST_F(TlsProviderLoopTest, PollsDuringEndlessEvents) {
  auto source = std::make_unique<FakeSource>();
  FakeSource& fake = *source;
  fake.watched = directory.path();
  options.follower.settle_delay = milliseconds(50);
  const auto provider = provider_of(std::move(source), nullptr, options);
  provider->start(loop);
  EXPECT_TRUE(run_until([&] {
    directory.write("file", "x");
    return fake.polls == 3;
  }));
}

TEST_F(TlsProviderLoopTest, PollsAtEachInterval) {
  auto source = std::make_unique<FakeSource>();
  FakeSource& fake = *source;
  options.follower.poll_interval = milliseconds(1);
  const auto provider = provider_of(std::move(source), nullptr, options);
  provider->start(loop);
  EXPECT_TRUE(run_until([&] { return fake.polls == 5; }));
}

TEST_F(TlsProviderLoopTest, StopLeavesNoWorkAndAllowsRestart) {
  auto source = std::make_unique<FakeSource>();
  FakeSource& fake = *source;
  fake.watched = directory.path();
  const auto provider = provider_of(std::move(source), nullptr, options);
  provider->start(loop);
  directory.write("file", "x");
  EXPECT_TRUE(run_until([&] { return fake.polls == 2; }));
  directory.write("file", "y");
  provider->stop();
  provider->stop();
  EXPECT_TRUE(run_until([&] { return loop.stopped(); })) << "run() returns when no work is left";
  EXPECT_EQ(fake.polls, 2);
  loop.restart();
  provider->start(loop);
  directory.write("file", "z");
  EXPECT_TRUE(run_until([&] { return fake.polls == 4; }));
}

TEST_F(TlsProviderLoopTest, MayBeDestroyedWhileHandlersWait) {
  directory.write_pair(ca.leaf());
  auto provider = provider_of(files(), nullptr, options);
  provider->start(loop);
  directory.write("tls.crt", "garbage");
  // The event is delivered, but the resulting poll has not run.
  EXPECT_EQ(loop.run_one_for(std::chrono::seconds(20)), 1U);
  provider.reset();
  EXPECT_TRUE(run_until([&] { return loop.stopped(); }));
  EXPECT_EQ(logger.count("certificate refused"), 0U);
}

TEST_F(TlsProviderLoopTest, MayBeDestroyedWhileHandlersAreQueued) {
  auto source = std::make_unique<FakeSource>();
  FakeSource& fake = *source;
  fake.watched = directory.path();
  options.follower.poll_interval = milliseconds(0);
  auto provider = provider_of(std::move(source), nullptr, options);
  provider->start(loop);
  directory.write("file", "x");
  // Event and interval are due at once; one of them is still queued when the provider is destroyed.
  EXPECT_EQ(loop.run_one_for(std::chrono::seconds(20)), 1U);
  provider.reset();
  EXPECT_TRUE(run_until([&] { return loop.stopped(); }));
}

TEST_F(TlsProviderLoopTest, ReadersOnOtherThreadsWorkDuringReloads) {
  directory.write_pair(ca.leaf());
  const auto provider = provider_of(files(), nullptr, options);
  provider->poll();
  std::vector<std::thread> readers;
  std::vector<int> missing(3);
  for (std::size_t reader = 0; reader < missing.size(); ++reader) {
    readers.emplace_back([&provider, &lost = missing[reader]] {
      for (int i = 0; i < 2000; ++i) {
        const std::shared_ptr<SSL_CTX> context = provider->context();
        lost += context == nullptr || provider->not_ready() || !provider->not_after() ||
                provider->reload_errors() > 100;
      }
    });
  }
  for (int change = 0; change < 20; ++change) {
    directory.write_pair(ca.leaf());
    provider->poll();
  }
  for (std::thread& reader : readers) reader.join();
  EXPECT_THAT(missing, testing::Each(0));
}

}  // namespace
}  // namespace dynamo::test
