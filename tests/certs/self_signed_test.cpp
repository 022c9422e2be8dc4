#include "certs/self_signed.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "certs/tls_context.hpp"
#include "tests/certs/fixtures.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/recording_logger.hpp"

namespace dynamo::test {
namespace {

using certs::SelfSignedSource;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::Not;

// A clock that a test sets.
class SetClock final : public runtime::Clock {
 public:
  std::chrono::system_clock::time_point wall() const override { return now; }
  std::chrono::steady_clock::time_point monotonic() const override { return {}; }
  std::chrono::system_clock::time_point now = FakeClock().wall();
};

class SelfSignedTest : public testing::Test {
 public:
  bool handshake(SelfSignedSource& source, const std::string& trusted, const std::string& host) {
    const auto context = certs::build_tls_context(source.current()->pair, {}, nullptr).value();
    ClientOptions client;
    client.trusted_pem = trusted;
    client.host = host;
    client.at = clock.wall();
    return shake_hands(context.get(), client).done();
  }

  FakeClock clock;
  RecordingLogger logger;
  TempDirectory directory;
};

TEST_F(SelfSignedTest, LeafVerifiesAgainstItsCa) {
  SelfSignedSource source({hours(1), {"webhook.ns.svc"}, directory.path()}, clock, logger);
  EXPECT_EQ(source.current(), nullptr);
  EXPECT_TRUE(source.poll());
  EXPECT_EQ(directory.read("ca.crt"), source.ca_pem());
  EXPECT_TRUE(handshake(source, source.ca_pem(), "localhost"));
  EXPECT_TRUE(handshake(source, source.ca_pem(), "webhook.ns.svc"));
  EXPECT_FALSE(handshake(source, source.ca_pem(), "other.ns.svc"));
  EXPECT_FALSE(handshake(source, TestCa(clock.wall()).pem(), "localhost"));
  EXPECT_EQ(logger.count("certificate in use"), 1U);
}

TEST_F(SelfSignedTest, NamesLoopbackHostAndExtraNamesOnce) {
  SelfSignedSource source({hours(1), {"localhost", "webhook.ns.svc"}, {}}, clock, logger);
  ASSERT_TRUE(source.poll());
  const auto& names = source.current()->leaf.names;
  std::array<char, 256> host{};
  ASSERT_EQ(::gethostname(host.data(), host.size() - 1), 0);
  const std::vector<std::string> expected = {"localhost", "127.0.0.1", "::1", "webhook.ns.svc",
                                             host.data()};
  for (const std::string& name : expected) {
    EXPECT_EQ(std::count(names.begin(), names.end(), name), 1) << name;
  }
}

TEST_F(SelfSignedTest, StartsFiveMinutesEarlyForGivenLifetime) {
  SelfSignedSource source({hours(1), {}, {}}, clock, logger);
  ASSERT_TRUE(source.poll());
  EXPECT_EQ(source.current()->leaf.not_before, clock.wall() - minutes(5));
  EXPECT_EQ(source.current()->leaf.not_after, clock.wall() + hours(1));
}

TEST_F(SelfSignedTest, LeafRenewsAfterTwoThirdsWithSameCa) {
  SelfSignedSource source({hours(3), {}, directory.path()}, clock, logger);
  ASSERT_TRUE(source.poll());
  const auto first = source.current();
  const std::string ca = source.ca_pem();
  clock.tick(hours(2) - seconds(1));
  EXPECT_FALSE(source.poll());
  EXPECT_EQ(source.current(), first);
  clock.tick(seconds(1));
  EXPECT_TRUE(source.poll());
  EXPECT_NE(source.current()->leaf.fingerprint, first->leaf.fingerprint);
  EXPECT_EQ(source.current()->leaf.not_after, clock.wall() + hours(3));
  EXPECT_EQ(source.ca_pem(), ca);
  EXPECT_TRUE(handshake(source, ca, "localhost"));
}

TEST_F(SelfSignedTest, CaIsRenewedBeforeLeafWouldOutliveIt) {
  SelfSignedSource source({hours(3), {}, directory.path()}, clock, logger);
  ASSERT_TRUE(source.poll());
  const std::string first_ca = source.ca_pem();
  clock.tick(hours(3 * 39));
  ASSERT_TRUE(source.poll());
  EXPECT_EQ(source.ca_pem(), first_ca) << "one lifetime is left, which is enough";
  clock.tick(hours(2));
  ASSERT_TRUE(source.poll());
  EXPECT_NE(source.ca_pem(), first_ca);
  EXPECT_EQ(directory.read("ca.crt"), source.ca_pem());
  EXPECT_TRUE(handshake(source, source.ca_pem(), "localhost"));
}

TEST_F(SelfSignedTest, ClockSetBackCausesNewLeaf) {
  SetClock set_clock;
  SelfSignedSource source({hours(1), {}, {}}, set_clock, logger);
  ASSERT_TRUE(source.poll());
  set_clock.now -= hours(24);
  EXPECT_TRUE(source.poll());
  EXPECT_EQ(source.current()->leaf.not_before, set_clock.now - minutes(5));
  EXPECT_FALSE(source.poll());
}

TEST_F(SelfSignedTest, WritesCaAndNeverKey) {
  SelfSignedSource source({hours(1), {}, directory.path()}, clock, logger);
  ASSERT_TRUE(source.poll());
  const std::filesystem::directory_iterator files(directory.path());
  EXPECT_EQ(std::distance(begin(files), end(files)), 1);
  EXPECT_THAT(directory.read("ca.crt"), Not(testing::HasSubstr("PRIVATE")));
}

TEST_F(SelfSignedTest, UnwritableCaIsWrittenLater) {
  const std::string late = directory.file("late");
  SelfSignedSource source({hours(1), {}, late}, clock, logger);
  EXPECT_TRUE(source.poll());
  EXPECT_FALSE(source.poll());
  EXPECT_EQ(source.errors(), 1U) << "counted once, not at every look";
  EXPECT_EQ(logger.count("certificate of the self-signed CA not written"), 1U);
  EXPECT_NE(source.current(), nullptr);
  std::filesystem::create_directory(late);
  EXPECT_FALSE(source.poll());
  EXPECT_EQ(directory.read("late/ca.crt"), source.ca_pem());
  EXPECT_EQ(source.errors(), 1U);
}

TEST_F(SelfSignedTest, InvalidNameIsReported) {
  SelfSignedSource source({hours(1), {"two words"}, {}}, clock, logger);
  EXPECT_FALSE(source.poll());
  EXPECT_FALSE(source.poll());
  EXPECT_EQ(source.current(), nullptr);
  EXPECT_EQ(source.problem(), "subject alternative name must be printable ASCII");
  EXPECT_EQ(source.errors(), 1U);
}

}  // namespace
}  // namespace dynamo::test
