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
struct Way {
  explicit Way(WideSockets& wide) {
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
  Way way(wide);
  way.buffer->begin_body(way.socket.get(), kSmall);
  EXPECT_FALSE(way.is_wide());
  way.buffer->begin_body(way.socket.get(), kLarge);
  EXPECT_TRUE(way.is_wide());
}

TEST(ReceiveBuffer, StaysWideUntilReadingStops) {
  WideSockets wide;
  Way way(wide);
  way.take(kLarge);
  way.take(kSmall);
  EXPECT_TRUE(way.is_wide());
  way.buffer->narrow(way.socket.get());
  EXPECT_FALSE(way.is_wide());
  EXPECT_EQ(wide.kept, 0U);
}

TEST(ReceiveBuffer, FewSocketsPerLoopStayWide) {
  WideSockets wide;
  std::vector<std::unique_ptr<Way>> ways;
  for (std::size_t i = 0; i < WideSockets::kMost + 2; ++i) {
    ways.push_back(std::make_unique<Way>(wide));
    ways.back()->take(kLarge);
    EXPECT_EQ(ways.back()->is_wide(), i < WideSockets::kMost) << i;
  }
  ways.erase(ways.begin());  // it ends
  ways.back()->take(kLarge);
  EXPECT_TRUE(ways.back()->is_wide()) << "its place is free";
}

}  // namespace
}  // namespace dynamo::server
