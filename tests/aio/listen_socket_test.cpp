#include "aio/listen_socket.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netdb.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <memory>
#include <string>

#include "tests/support/tls_client.hpp"

namespace {

// Like a kernel without IPv6.
bool refuses_ipv6 = false;

}  // namespace

// Replaces the C library's function in this program.
extern "C" int socket(int domain, int type, int protocol) noexcept {
  if (domain == AF_INET6 && refuses_ipv6) {
    errno = EAFNOSUPPORT;
    return -1;
  }
  return static_cast<int>(::syscall(SYS_socket, domain, type, protocol));
}

namespace dynamo::aio {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(ListenSocket, ReturnsPortChosenBySystem) {
  const runtime::FileDescriptor socket = listen_on({"127.0.0.1", 0}).value();
  EXPECT_NE(port_of(socket.get()), 0);
}

TEST(ListenSocket, ListensOnEveryInterfaceWithoutHost) {
  const runtime::FileDescriptor socket = listen_on({"", 0}).value();
  const test::TcpClient client(port_of(socket.get()));
  runtime::FileDescriptor accepted;
  EXPECT_EQ(accept_one(socket.get(), accepted), AcceptResult::kConnection);
  EXPECT_TRUE(accepted);
}

bool connects(const char* host, std::uint16_t port) {
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (::getaddrinfo(host, std::to_string(port).c_str(), &hints, &found) != 0) return false;
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, &::freeaddrinfo);
  const runtime::FileDescriptor socket(::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  return socket && ::connect(socket.get(), found->ai_addr, found->ai_addrlen) == 0;
}

bool has_ipv6_loopback() {
  return listen_on({"::1", 0}).has_value();
}

TEST(ListenSocket, AcceptsBothFamiliesWithoutHost) {
  const runtime::FileDescriptor socket = listen_on({"", 0}).value();
  EXPECT_TRUE(connects("127.0.0.1", port_of(socket.get())));
  EXPECT_EQ(connects("::1", port_of(socket.get())), has_ipv6_loopback());
}

TEST(ListenSocket, AcceptsIpv4IfKernelLacksIpv6) {
  refuses_ipv6 = true;
  const auto socket = listen_on({"", 0});
  refuses_ipv6 = false;
  ASSERT_TRUE(socket.has_value());
  EXPECT_TRUE(connects("127.0.0.1", port_of(socket.value().get())));
}

TEST(ListenSocket, ReportsThatNoConnectionWaits) {
  const runtime::FileDescriptor socket = listen_on({"127.0.0.1", 0}).value();
  runtime::FileDescriptor accepted;
  EXPECT_EQ(accept_one(socket.get(), accepted), AcceptResult::kNone);
  EXPECT_FALSE(accepted);
}

TEST(ListenSocket, ErrorNamesAddressAndReason) {
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
