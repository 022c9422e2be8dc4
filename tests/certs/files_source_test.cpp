#include "certs/files_source.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/certs/fixtures.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/recording_logger.hpp"

namespace dynamo::test {
namespace {

using certs::FilesSource;
using std::chrono::hours;
using std::chrono::minutes;
using testing::HasSubstr;

class FilesSourceTest : public testing::Test {
 public:
  std::string served() const {
    return source.current() ? source.current()->pair.certificate_pem : "nothing";
  }
  // Logged reasons of refused contents, in order.
  std::vector<std::string> refusals() const {
    std::vector<std::string> found;
    for (const RecordedLine& line : logger.lines()) {
      if (line.message == "certificate refused") found.push_back(line.fields);
    }
    return found;
  }

  FakeClock clock;
  RecordingLogger logger;
  TempDirectory directory;
  TestCa ca{clock.wall()};
  FilesSource source{directory.path(), clock, logger};
};

TEST_F(FilesSourceTest, LoadsPairAndLogsItOnce) {
  const KeyPair pair = ca.leaf({"webhook.ns.svc", "localhost"});
  directory.write_pair(pair);
  EXPECT_TRUE(source.poll());
  EXPECT_EQ(served(), pair.certificate_pem);
  EXPECT_EQ(source.current()->pair.key_pem, pair.key_pem);
  EXPECT_FALSE(source.poll()) << "the same content is no change";
  EXPECT_EQ(source.problem(), "");
  EXPECT_EQ(source.errors(), 0U);
  ASSERT_EQ(logger.lines().size(), 1U);
  const RecordedLine line = logger.lines().front();
  EXPECT_EQ(line.level, runtime::Level::kInfo);
  EXPECT_EQ(line.message, "certificate in use");
  EXPECT_EQ(line.fields, R"({"origin":")" + directory.path() +
                             R"(","subject":"CN=dynamo-webhook","names":["webhook.ns.svc",)"
                             R"("localhost"],"not_after":"2026-02-04T04:05:06Z","fingerprint":")" +
                             source.current()->leaf.fingerprint + "\"}");
}

constexpr const char* kAdvice =
    "; write tls.crt and tls.key to the directory of --cert-dir, which needs no restart, or "
    "restart with --cert-mode self-signed or managed";

TEST_F(FilesSourceTest, WaitsWithoutErrorWhileFileIsMissing) {
  const KeyPair pair = ca.leaf();
  EXPECT_FALSE(source.poll());
  EXPECT_EQ(source.problem(), "tls.crt is missing in " + directory.path() + kAdvice);
  directory.write("tls.crt", pair.certificate_pem);
  EXPECT_FALSE(source.poll());
  EXPECT_FALSE(source.poll());
  EXPECT_EQ(source.problem(), "tls.key is missing in " + directory.path() + kAdvice);
  EXPECT_EQ(source.errors(), 0U);
  EXPECT_EQ(logger.count("waiting for the certificate"), 2U) << "once for each reason";
  directory.write("tls.key", pair.key_pem);
  EXPECT_TRUE(source.poll());
  EXPECT_EQ(source.problem(), "");
}

TEST_F(FilesSourceTest, MissingDirectoryIsNoError) {
  FilesSource absent(directory.file("not/there"), clock, logger);
  EXPECT_FALSE(absent.poll());
  EXPECT_EQ(absent.problem(), "tls.crt is missing in " + directory.file("not/there") + kAdvice);
  EXPECT_EQ(absent.errors(), 0U);
}

TEST_F(FilesSourceTest, BadNewPairIsRefusedAndOldKept) {
  const KeyPair old = ca.leaf();
  const KeyPair other = ca.leaf();
  certs::LeafRequest expired = ca.request();
  expired.not_after = clock.wall() - minutes(3);
  certs::LeafRequest early = ca.request();
  early.not_before = clock.wall() + minutes(3);
  struct {
    const char* name;
    KeyPair pair;
    std::string reason;
  } const rows[] = {
      {"certificate of another key",
       {other.certificate_pem, old.key_pem},
       "/tls.key: does not belong to the certificate in "},
      {"key of another certificate",
       {old.certificate_pem, other.key_pem},
       "/tls.key: does not belong to the certificate in "},
      {"empty certificate", {"", old.key_pem}, "/tls.crt: must hold a PEM certificate, has none"},
      {"empty key", {old.certificate_pem, ""}, "/tls.key: must hold a PEM private key, has none"},
      {"garbage", {"garbage", "garbage"}, "/tls.crt: must hold a PEM certificate, has none"},
      {"no alternative name", ca.leaf(std::vector<std::string>{}),
       "/tls.crt: must name the server"},
      {"client certificate", ca.client("c", {"c.example"}),
       "/tls.crt: must be usable by a TLS server"},
      {"expired", ca.leaf(expired), "/tls.crt: expired 3m ago (at 2026-02-03T04:02:06Z)"},
      {"not yet valid", ca.leaf(early), "/tls.crt: is not valid before 2026-02-03T04:08:06Z"},
      {"certificate too large",
       {std::string(FilesSource::kMaxCertificateBytes + 1, 'x'), "x"},
       "/tls.crt: must have at most 524288 bytes"},
      {"key too large",
       {old.certificate_pem, std::string(FilesSource::kMaxKeyBytes + 1, 'x')},
       "/tls.key: must have at most 65536 bytes"},
  };
  directory.write_pair(old);
  ASSERT_TRUE(source.poll());
  std::size_t refused = 0;
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    directory.write_pair(row.pair);
    EXPECT_FALSE(source.poll());
    EXPECT_FALSE(source.poll());
    EXPECT_EQ(served(), old.certificate_pem);
    EXPECT_EQ(source.errors(), ++refused);
    EXPECT_THAT(source.problem(), HasSubstr(directory.path() + row.reason));
    ASSERT_EQ(refusals().size(), refused);
    EXPECT_THAT(refusals().back(), HasSubstr(row.reason));
    EXPECT_THAT(refusals().back(), HasSubstr(R"("older_one_stays_in_use":true)"));
  }
}

TEST_F(FilesSourceTest, UnreadableFilesAreRefusedOnceAndOldKept) {
  const KeyPair old = ca.leaf();
  directory.write_pair(old);
  ASSERT_TRUE(source.poll());
  directory.remove("tls.key");
  EXPECT_FALSE(source.poll());
  EXPECT_FALSE(source.poll());
  EXPECT_EQ(source.problem(), directory.file("tls.key") + ": is missing");
  EXPECT_EQ(source.errors(), 1U);
  // A pipe without a writer: a normal open would block forever.
  ASSERT_EQ(::mkfifo(directory.file("tls.key").c_str(), 0600), 0);
  EXPECT_FALSE(source.poll());
  EXPECT_EQ(source.problem(), directory.file("tls.key") + ": must be a regular file");
  EXPECT_EQ(source.errors(), 2U);
  EXPECT_EQ(served(), old.certificate_pem);
  // Restoring the old content is neither a change nor a problem.
  directory.remove("tls.key");
  directory.write("tls.key", old.key_pem);
  EXPECT_FALSE(source.poll());
  EXPECT_EQ(source.problem(), "");
  EXPECT_EQ(source.errors(), 2U);
}

TEST_F(FilesSourceTest, BadContentIsCountedAgainAfterGoodOne) {
  const KeyPair old = ca.leaf();
  directory.write_pair(old);
  ASSERT_TRUE(source.poll());
  for (std::size_t times = 1; times <= 2; ++times) {
    directory.write("tls.crt", "garbage");
    source.poll();
    EXPECT_EQ(refusals().size(), times);
    directory.write_pair(old);
    source.poll();
  }
}

TEST_F(FilesSourceTest, HalfWrittenChangeSettles) {
  const KeyPair old = ca.leaf();
  const KeyPair next = ca.leaf();
  directory.write_pair(old);
  ASSERT_TRUE(source.poll());
  directory.write("tls.crt", next.certificate_pem);
  EXPECT_FALSE(source.poll());
  EXPECT_EQ(served(), old.certificate_pem);
  directory.write("tls.key", next.key_pem);
  EXPECT_TRUE(source.poll());
  EXPECT_EQ(served(), next.certificate_pem);
  EXPECT_EQ(source.problem(), "");
}

TEST_F(FilesSourceTest, FollowsDataLinkOfMountedSecret) {
  for (int rotation = 0; rotation < 3; ++rotation) {
    const KeyPair pair = ca.leaf();
    directory.swap_secret(pair);
    EXPECT_TRUE(source.poll());
    EXPECT_EQ(served(), pair.certificate_pem);
  }
  EXPECT_EQ(source.errors(), 0U);
}

TEST_F(FilesSourceTest, AcceptsPairOnceItIsValid) {
  const KeyPair old = ca.leaf();
  directory.write_pair(old);
  ASSERT_TRUE(source.poll());
  certs::LeafRequest request = ca.request();
  request.not_before = clock.wall() + minutes(5);
  const KeyPair next = ca.leaf(request);
  directory.write_pair(next);
  EXPECT_FALSE(source.poll());
  EXPECT_EQ(served(), old.certificate_pem);
  clock.tick(minutes(5));
  EXPECT_TRUE(source.poll());
  EXPECT_EQ(served(), next.certificate_pem);
}

TEST_F(FilesSourceTest, ExpiredPairAtStartIsLoggedOnce) {
  certs::LeafRequest request = ca.request();
  request.not_after = clock.wall() - minutes(1);
  directory.write_pair(ca.leaf(request));
  EXPECT_FALSE(source.poll());
  EXPECT_THAT(source.problem(), HasSubstr("tls.crt: expired 1m ago"));
  clock.tick(minutes(2));
  EXPECT_FALSE(source.poll());
  EXPECT_THAT(source.problem(), HasSubstr("tls.crt: expired 3m ago"));
  EXPECT_EQ(source.errors(), 1U);
  ASSERT_EQ(refusals().size(), 1U);
  EXPECT_THAT(refusals().front(), HasSubstr(R"("older_one_stays_in_use":false)"));
}

TEST_F(FilesSourceTest, LogsContainNoKeyMaterial) {
  const KeyPair pair = ca.leaf();
  const std::string secret = pair.key_pem.substr(pair.key_pem.find('\n') + 1, 16);
  directory.write_pair(pair);
  source.poll();
  directory.write_pair(KeyPair(pair.key_pem, pair.key_pem));
  source.poll();
  directory.write_pair(KeyPair(pair.certificate_pem, pair.key_pem.substr(0, 100)));
  source.poll();
  EXPECT_EQ(refusals().size(), 2U);
  for (const RecordedLine& line : logger.lines()) EXPECT_FALSE(line.mentions(secret));
}

}  // namespace
}  // namespace dynamo::test
