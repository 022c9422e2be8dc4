#include "certs/client_ca.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/certs/fixtures.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/recording_logger.hpp"

namespace dynamo::test {
namespace {

using certs::ClientCa;
using std::chrono::hours;
using testing::ElementsAre;
using testing::HasSubstr;

class ClientCaTest : public testing::Test {
 public:
  std::string ca_pem(const std::string& name, TimePoint not_after) const {
    return certs::make_ca(name, not_after - hours(24), not_after).value().certificate_pem;
  }

  FakeClock clock;
  RecordingLogger logger;
  TempDirectory directory;
  TestCa ca{clock.wall()};
  ClientCa client_ca{directory.file("ca.pem"), {"apiserver"}, clock, logger};
};

TEST_F(ClientCaTest, LoadsBundleWithAllowedNames) {
  directory.write("ca.pem", ca.pem() + ca_pem("longer", clock.wall() + hours(24 * 900)));
  EXPECT_TRUE(client_ca.poll());
  EXPECT_FALSE(client_ca.poll());
  ASSERT_NE(client_ca.current(), nullptr);
  EXPECT_EQ(client_ca.current()->ca_pem, directory.read("ca.pem"));
  EXPECT_THAT(client_ca.current()->allowed_names, ElementsAre("apiserver"));
  EXPECT_EQ(client_ca.current()->not_after, clock.wall() + hours(24 * 900));
  ASSERT_EQ(logger.count("client CA in use"), 1U);
  EXPECT_EQ(logger.lines().back().fields,
            R"({"file":")" + directory.file("ca.pem") +
                R"(","certificates":2,"subjects":["CN=test CA","CN=longer"],)"
                R"("not_after":"2028-07-22T04:05:06Z"})");
  EXPECT_EQ(client_ca.errors(), 0U);
}

TEST_F(ClientCaTest, MissingFileIsNoError) {
  EXPECT_FALSE(client_ca.poll());
  EXPECT_FALSE(client_ca.poll());
  EXPECT_EQ(
      client_ca.problem(),
      directory.file("ca.pem") +
          ": is missing; write the bundle to the file of --client-ca-file, which needs no restart");
  EXPECT_EQ(client_ca.errors(), 0U);
  EXPECT_EQ(logger.count("waiting for the client CA"), 1U);
  directory.write("ca.pem", ca.pem());
  EXPECT_TRUE(client_ca.poll());
  EXPECT_EQ(client_ca.problem(), "");
}

TEST_F(ClientCaTest, BadBundleIsRefusedOnceAndOldKept) {
  directory.write("ca.pem", ca.pem());
  ASSERT_TRUE(client_ca.poll());
  struct {
    const char* name;
    std::string content;
    std::string reason;
  } const rows[] = {
      {"empty", "", ": must hold a PEM certificate, has none"},
      {"no certificate", ca.pair().key_pem, ": must hold a PEM certificate, has none"},
      {"cut off", ca.pem() + ca.pem().substr(0, 200), ": certificate 2 does not parse: "},
      {"all expired",
       ca_pem("one", clock.wall() - hours(2)) + ca_pem("two", clock.wall() - hours(1)),
       ": every certificate has expired, the last one at 2026-02-03T03:05:06Z"},
      {"too large", std::string(ClientCa::kMaxBytes + 1, '\n'),
       ": must have at most 1048576 bytes"},
  };
  std::uint64_t refused = 0;
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    directory.write("ca.pem", row.content);
    EXPECT_FALSE(client_ca.poll());
    EXPECT_FALSE(client_ca.poll());
    EXPECT_EQ(client_ca.errors(), ++refused);
    EXPECT_EQ(logger.count("client CA refused"), refused);
    EXPECT_THAT(client_ca.problem(), HasSubstr(directory.file("ca.pem") + row.reason));
    EXPECT_EQ(client_ca.current()->ca_pem, ca.pem());
  }
  directory.remove("ca.pem");
  EXPECT_FALSE(client_ca.poll());
  EXPECT_EQ(client_ca.errors(), ++refused);
  EXPECT_EQ(client_ca.current()->ca_pem, ca.pem());
  directory.write("ca.pem", ca.pem());
  EXPECT_FALSE(client_ca.poll());
  EXPECT_EQ(client_ca.problem(), "");
}

TEST_F(ClientCaTest, AcceptsBundleWithOneExpiredCertificate) {
  directory.write("ca.pem", ca_pem("old", clock.wall() - hours(1)) + ca.pem());
  EXPECT_TRUE(client_ca.poll());
}

TEST_F(ClientCaTest, ReturnsDirectoryOfItsFile) {
  EXPECT_EQ(client_ca.directory(), directory.path());
  EXPECT_EQ(ClientCa("ca.pem", {}, clock, logger).directory(), ".");
}

}  // namespace
}  // namespace dynamo::test
