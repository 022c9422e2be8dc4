// Size of the kernel's receive buffer.
#include "server/socket_buffers.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <memory>
#include <vector>

#include "runtime/file_descriptor.hpp"

namespace dynamo::server {
namespace {

constexpr std::size_t kLarge = 1'000'000;
constexpr std::size_t kSmall = 10'000;

// The receive buffer of an unused connection.
struct SocketPair {
  explicit SocketPair(WideSockets& wide) {
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
    socket = runtime::FileDescriptor(ends[0]);
    other = runtime::FileDescriptor(ends[1]);
    buffer = std::make_unique<ReceiveBuffer>(socket.get(), wide);
    narrow = bytes();
  }
  int bytes() const {
    int value = 0;
    socklen_t length = sizeof(value);
    EXPECT_EQ(::getsockopt(socket.get(), SOL_SOCKET, SO_RCVBUF, &value, &length), 0);
    return value;
  }
  bool is_wide() const { return bytes() > narrow; }
  void take(std::size_t body) {
    buffer->begin_body(socket.get(), body);
    buffer->end_body(socket.get());
  }

  runtime::FileDescriptor socket;
  runtime::FileDescriptor other;
  std::unique_ptr<ReceiveBuffer> buffer;
  int narrow = 0;
};

TEST(ReceiveBuffer, IsWideOnlyForLargeBody) {
  WideSockets wide;
  SocketPair pair(wide);
  pair.buffer->begin_body(pair.socket.get(), kSmall);
  EXPECT_FALSE(pair.is_wide());
  pair.buffer->begin_body(pair.socket.get(), kLarge);
  EXPECT_TRUE(pair.is_wide());
}

TEST(ReceiveBuffer, StaysWideUntilReadingStops) {
  WideSockets wide;
  SocketPair pair(wide);
  pair.take(kLarge);
  pair.take(kSmall);
  EXPECT_TRUE(pair.is_wide());
  pair.buffer->narrow(pair.socket.get());
  EXPECT_FALSE(pair.is_wide());
  EXPECT_EQ(wide.kept, 0U);
}

TEST(ReceiveBuffer, FewSocketsPerLoopStayWide) {
  WideSockets wide;
  std::vector<std::unique_ptr<SocketPair>> pairs;
  for (std::size_t i = 0; i < WideSockets::kMax + 2; ++i) {
    pairs.push_back(std::make_unique<SocketPair>(wide));
    pairs.back()->take(kLarge);
    EXPECT_EQ(pairs.back()->is_wide(), i < WideSockets::kMax) << i;
  }
  pairs.erase(pairs.begin());  // it ends
  pairs.back()->take(kLarge);
  EXPECT_TRUE(pairs.back()->is_wide()) << "its place is free";
}

}  // namespace
}  // namespace dynamo::server
