// Detection of a leading Go operator, and how long an answer stays valid.
#include "reconciler/app/operator_watch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>

#include "tests/support/fake_clock.hpp"
#include "tests/support/fake_cluster.hpp"
#include "tests/support/recording_logger.hpp"
#include "text/micro_time.hpp"

namespace dynamo::reconciler {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;

class OperatorWatchTest : public ::testing::Test {
 protected:
  // The Lease as written by a holder whose clock is `ahead` of ours.
  void put_lease(const std::string& holder, seconds ahead = seconds(0)) {
    cluster_.put(kube::kLeases, R"({"metadata":{"name":"go","namespace":"dynamo"},"spec":)"
                                R"({"leaseDurationSeconds":15,"holderIdentity":")" +
                                    holder + R"(","renewTime":")" +
                                    text::format_micro_time(clock_.wall() + ahead) + R"("}})");
  }
  void fail(std::size_t times) {
    cluster_.fail({.path = "/leases/go"}, {.kind = test::Fault::Kind::kRefused}, times);
  }
  std::string leads() {
    test::run(loop_, watch_.read_lease());
    return watch_.blocked_reason().value_or("");
  }

  boost::asio::io_context loop_;
  test::FakeClock clock_;
  test::FakeCluster cluster_{&clock_};
  std::unique_ptr<kube::Transport> connection_ = cluster_.connect();
  kube::Client client_{*connection_, milliseconds(500)};
  test::RecordingLogger logger_;
  OperatorWatch watch_{client_, "dynamo", "go", clock_, logger_};
};

TEST_F(OperatorWatchTest, OnlyLiveHolderLeads) {
  EXPECT_EQ(watch_.blocked_reason(), "lease dynamo/go could not be read") << "it was not read yet";
  EXPECT_EQ(leads(), "") << "there is none";
  put_lease("go-1");
  EXPECT_EQ(leads(), "lease dynamo/go is held by go-1");
  clock_.tick(seconds(15));
  EXPECT_EQ(leads(), "");
  put_lease("");
  EXPECT_EQ(leads(), "") << "it was given back";
}

TEST_F(OperatorWatchTest, RenewingHolderLeadsDespiteWrongClock) {
  for (const seconds ahead : {seconds(-16), seconds(-3'600), seconds(3'600)}) {
    for (int attempt = 0; attempt < 8; ++attempt) {
      put_lease("go-1", ahead);
      EXPECT_EQ(leads(), "lease dynamo/go is held by go-1") << ahead.count() << " at " << attempt;
      clock_.tick(seconds(5));
    }
  }
}

TEST_F(OperatorWatchTest, SilentHolderLeadsForOneLeaseDuration) {
  for (const seconds ahead : {seconds(-3'600), seconds(3'600)}) {
    put_lease("go-1", ahead);
    EXPECT_EQ(leads(), "lease dynamo/go is held by go-1") << ahead.count();
    clock_.tick(seconds(14));
    EXPECT_EQ(leads(), "lease dynamo/go is held by go-1") << ahead.count();
    clock_.tick(seconds(1));
    EXPECT_EQ(leads(), "") << ahead.count();
  }
}

TEST_F(OperatorWatchTest, WatchIsUndecidedUntilLeaseChangesOrExpires) {
  EXPECT_FALSE(watch_.is_undecided());
  put_lease("go-1");
  leads();
  EXPECT_TRUE(watch_.is_undecided());
  clock_.tick(seconds(15));
  leads();
  EXPECT_FALSE(watch_.is_undecided()) << "it has run out";
  put_lease("go-2");
  leads();
  EXPECT_FALSE(watch_.is_undecided()) << "it has changed";
}

TEST_F(OperatorWatchTest, UnreadableLeaseIsUnknownAfterAWhile) {
  EXPECT_EQ(leads(), "");
  fail(100);
  clock_.tick(seconds(14));
  EXPECT_EQ(leads(), "");
  clock_.tick(seconds(1));
  EXPECT_THAT(leads(), HasSubstr("could not be read any more"));
}

TEST_F(OperatorWatchTest, KnownHolderLeadsUntilNextSuccessfulRead) {
  put_lease("go-1");
  EXPECT_EQ(leads(), "lease dynamo/go is held by go-1");
  fail(1);
  clock_.tick(seconds(60));
  EXPECT_EQ(leads(), "lease dynamo/go is held by go-1");
  EXPECT_EQ(leads(), "");
}

}  // namespace
}  // namespace dynamo::reconciler
