// Order of sweep and socket events, and memory of a waiting connection.
#include "server/session.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <future>

#include "tests/server/session_fixture.hpp"

namespace dynamo::test {
namespace {

using namespace std::chrono_literals;

TEST_F(SessionTest, WaitingRequestIsServedAtIdleTimeout) {
  ask_once();
  clock_.tick(kIdle);
  client_->send(post("late"));
  wait_for_input(socket_);
  sweep();  // before the session handled its socket
  EXPECT_FALSE(is_ending());
  EXPECT_EQ(answer_status(), 200U);
}

TEST_F(SessionTest, IdleSessionEndsAtIdleTimeout) {
  ask_once();
  clock_.tick(kIdle);
  sweep();
  EXPECT_TRUE(is_ending());
}

// A large body moves the buffer that the path is in.
TEST_F(SessionTest, AbsentPathIsRootWithLargeBody) {
  const std::string request = post(std::string(500'000, 'x'), "https://host");
  const ClientAnswer answer =
      run_until_ready(std::async(std::launch::async, [&] { return client_->ask(request); }));
  EXPECT_EQ(answer.status, 200U);
  EXPECT_EQ(answer.body, "root");
}

TEST_F(SessionTest, PartialRecordHasTimeLimit) {
  ask_once();
  clock_.tick(kIdle);
  ASSERT_EQ(::send(client_->socket(), "\x17\x03\x03", 3, MSG_NOSIGNAL), 3);
  wait_for_input(socket_);
  sweep();
  EXPECT_FALSE(is_ending());
  clock_.tick(kHeader);
  sweep();
  EXPECT_TRUE(is_ending());
}

// The waiting answer is charged; of its request only the following bytes are kept.
TEST_F(SessionTest, WaitingAnswerReleasesItsRequest) {
  ask_once();
  const std::string next = post("next");
  const std::string body(1024 * 1024, 'x');
  for (const std::string& request :
       {post(body, "/large"),
        post_with("Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n",
                  "100000\r\n" + body + "\r\n0\r\n\r\n", "/large")}) {
    run_until_ready(std::async(std::launch::async, [&] { client_->send(request + next); }));
    for (int iteration = 0;
         iteration < 10'000 && session_->memory_class != server::MemoryClass::kAnswer;
         ++iteration) {
      io_.run_for(1ms);
    }
    const std::size_t held = resources_.budget.body_bytes();
    EXPECT_EQ(session_->memory_class, server::MemoryClass::kAnswer);
    EXPECT_GT(held, 1024U);
    EXPECT_LE(held, kLarge + server::BufferPool::kStandardBytes);
    EXPECT_EQ(body_memory_.bytes, held);
    EXPECT_GE(resources_.buffers.kept_bytes(), body.size());
    run_until_ready(std::async(std::launch::async, [&] {
      EXPECT_EQ(client_->read_answer().body.size(), kLarge);
      EXPECT_EQ(client_->read_answer().body, "next");
    }));
    io_.run_for(1ms);
    EXPECT_EQ(resources_.budget.body_bytes(), 0U);
    EXPECT_EQ(body_memory_.bytes, 0U);
  }
}

}  // namespace
}  // namespace dynamo::test
