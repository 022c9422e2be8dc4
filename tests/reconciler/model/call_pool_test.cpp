#include "reconciler/model/call_pool.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <exception>
#include <string>
#include <vector>

#include "aio/pause.hpp"
#include "tests/support/fake_cluster.hpp"

namespace dynamo::reconciler::model {
namespace {

using std::chrono::milliseconds;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::SizeIs;

// Answers 200 after a few loop iterations; hosts that hang never answer, but support cancellation.
class DelayedEngineClient final : public EngineClient {
 public:
  aio::Task<EngineAnswer> ask(EngineRequest request) override {
    ++now_;
    most_ = std::max(most_, now_);
    asked_.push_back(request.host);
    deadlines_.push_back(request.deadline);
    const CountGuard leaving(now_);
    if (request.host == "throws") throw std::runtime_error("a defect");
    const milliseconds length = request.host == "hangs" ? request.deadline : milliseconds(1);
    const bool waited = co_await aio::pause(length);
    EngineAnswer answer;
    if (!waited) co_return answer;
    if (request.host == "hangs") {
      answer.problem = "no answer in time";
    } else {
      answer.status = 200;
    }
    co_return answer;
  }

  std::size_t most() const { return most_; }
  std::size_t now() const { return now_; }
  const std::vector<std::string>& asked() const { return asked_; }
  const std::vector<milliseconds>& deadlines() const { return deadlines_; }

 private:
  class CountGuard {
   public:
    explicit CountGuard(std::size_t& count) : count_(count) {}
    ~CountGuard() { --count_; }
    CountGuard(const CountGuard&) = delete;
    CountGuard& operator=(const CountGuard&) = delete;

   private:
    std::size_t& count_;
  };
  std::size_t now_ = 0;
  std::size_t most_ = 0;
  std::vector<std::string> asked_;
  std::vector<milliseconds> deadlines_;
};

std::vector<EngineRequest> requests_to(const std::vector<std::string>& hosts) {
  std::vector<EngineRequest> requests(hosts.size());
  for (std::size_t i = 0; i < hosts.size(); ++i) requests[i].host = hosts[i];
  return requests;
}

class CallPoolTest : public ::testing::Test {
 protected:
  std::vector<EngineAnswer> ask(const std::vector<std::string>& hosts) {
    return test::run(loop_, call_all(engines_, requests_to(hosts), options_));
  }

  boost::asio::io_context loop_;
  DelayedEngineClient engines_;
  CallPoolOptions options_;
};

TEST_F(CallPoolTest, TwoHundredRequestsRunTenAtATime) {
  const std::vector<EngineAnswer> answers = ask(std::vector<std::string>(200, "answers"));
  ASSERT_THAT(answers, SizeIs(200));
  for (const EngineAnswer& each : answers) {
    EXPECT_TRUE(each.is_success());
    EXPECT_TRUE(each.was_asked);
  }
  EXPECT_EQ(engines_.most(), 10U);
}

TEST_F(CallPoolTest, NoRequestsYieldNoAnswers) {
  EXPECT_THAT(ask({}), SizeIs(0));
}

TEST_F(CallPoolTest, EachRequestHasItsDeadline) {
  options_.request_timeout = milliseconds(20);
  const std::vector<EngineAnswer> answers = ask({"hangs", "hangs"});
  EXPECT_EQ(answers[0].problem, "no answer in time");
  EXPECT_EQ(answers[1].problem, "no answer in time");
  EXPECT_THAT(engines_.deadlines(), Each(milliseconds(20)));
}

TEST_F(CallPoolTest, AllRequestsShareADeadline) {
  options_.max_concurrent = 1;
  options_.total_timeout = milliseconds(40);
  const std::vector<EngineAnswer> answers = ask({"hangs", "hangs", "answers"});
  EXPECT_TRUE(answers[0].was_asked);
  ASSERT_THAT(engines_.deadlines(), SizeIs(1));
  EXPECT_LE(engines_.deadlines()[0], milliseconds(40)) << "what is left of the time for all";
  for (const std::size_t late : {1U, 2U}) {
    EXPECT_FALSE(answers[late].was_asked);
    EXPECT_FALSE(answers[late].was_withheld);
    EXPECT_THAT(answers[late].problem, HasSubstr("time for all of them was over"));
  }
}

TEST_F(CallPoolTest, HangingServerDoesNotDelayOthers) {
  options_.request_timeout = milliseconds(50);
  std::vector<std::string> hosts(60, "answers");
  hosts[0] = hosts[1] = "hangs";
  const std::vector<EngineAnswer> answers = ask(hosts);
  EXPECT_FALSE(answers[0].is_success());
  EXPECT_FALSE(answers[1].is_success());
  for (std::size_t i = 2; i < answers.size(); ++i) EXPECT_TRUE(answers[i].is_success()) << i;
}

TEST_F(CallPoolTest, NothingIsSentAfterLosingLeadership) {
  options_.max_concurrent = 1;
  std::size_t allowed = 2;
  options_.can_send = [&allowed] { return allowed-- > 0; };
  const std::vector<EngineAnswer> answers = ask({"answers", "answers", "answers"});
  EXPECT_TRUE(answers[1].is_success());
  EXPECT_FALSE(answers[2].was_asked);
  EXPECT_TRUE(answers[2].was_withheld);
  EXPECT_THAT(answers[2].problem, HasSubstr("another replica leads"));
  EXPECT_THAT(engines_.asked(), SizeIs(2));
}

TEST_F(CallPoolTest, ExceptionIsThrownAfterAllRequestsEnd) {
  EXPECT_THROW(ask({"answers", "throws", "answers"}), std::runtime_error);
  EXPECT_EQ(engines_.now(), 0U);
}

TEST_F(CallPoolTest, CancellationReachesEveryRequest) {
  boost::asio::cancellation_signal signal;
  bool is_over = false;
  std::exception_ptr thrown;
  const auto ask_them = [this]() -> aio::Task<> {
    co_await call_all(engines_, requests_to(std::vector<std::string>(30, "hangs")), options_);
  };
  boost::asio::co_spawn(
      loop_, ask_them(),
      boost::asio::bind_cancellation_slot(signal.slot(), [&](const std::exception_ptr& how) {
        is_over = true;
        thrown = how;
      }));
  ASSERT_TRUE(test::run_until(loop_, [&] { return engines_.now() == 10; }));
  signal.emit(boost::asio::cancellation_type::all);
  ASSERT_TRUE(test::run_until(loop_, [&] { return is_over; }));
  EXPECT_TRUE(thrown != nullptr);
  EXPECT_EQ(engines_.now(), 0U) << "no request is left when it returns";
  EXPECT_THAT(engines_.asked(), SizeIs(10)) << "and no other was sent";
}

}  // namespace
}  // namespace dynamo::reconciler::model
