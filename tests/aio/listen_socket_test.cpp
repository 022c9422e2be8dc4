#include "aio/listen_socket.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/tls_client.hpp"

namespace dynamo::aio {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(ListenSocket, TellsThePortTheSystemChose) {
  const runtime::FileDescriptor socket = listen_on({"127.0.0.1", 0}).value();
  EXPECT_NE(port_of(socket.get()), 0);
}

TEST(ListenSocket, WithoutAHostTakesEveryInterface) {
  const runtime::FileDescriptor socket = listen_on({"", 0}).value();
  const test::TcpClient client(port_of(socket.get()));
  runtime::FileDescriptor accepted;
  EXPECT_EQ(accept_one(socket.get(), accepted), Accepted::kConnection);
  EXPECT_TRUE(accepted);
}

TEST(ListenSocket, SaysThatNobodyWaits) {
  const runtime::FileDescriptor socket = listen_on({"127.0.0.1", 0}).value();
  runtime::FileDescriptor accepted;
  EXPECT_EQ(accept_one(socket.get(), accepted), Accepted::kNone);
  EXPECT_FALSE(accepted);
}

TEST(ListenSocket, NamesAddressAndReasonWhenItFails) {
  const runtime::FileDescriptor taken = listen_on({"127.0.0.1", 0}).value();
  const auto port = port_of(taken.get());
  const auto again = listen_on({"127.0.0.1", port});
  ASSERT_TRUE(again.has_error());
  EXPECT_EQ(again.error().text,
            "cannot listen on 127.0.0.1:" + std::to_string(port) + ": Address already in use");

  const auto foreign = listen_on({"192.0.2.1", 0});  // reserved for documentation
  ASSERT_TRUE(foreign.has_error());
  EXPECT_THAT(foreign.error().text, StartsWith("cannot listen on 192.0.2.1:0: "));

  const auto nonsense = listen_on({"no such host", 1});
  ASSERT_TRUE(nonsense.has_error());
  EXPECT_THAT(nonsense.error().text, HasSubstr("no such host:1"));
}

}  // namespace
}  // namespace dynamo::aio
