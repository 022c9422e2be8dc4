#include "aio/peer_network.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <string>

#include "aio/listen_socket.hpp"
#include "tests/support/tls_client.hpp"

namespace dynamo::aio {
namespace {

// The network of a client from `source`, on a socket that listens on `host`.
std::optional<PeerNetwork> network_seen(const std::string& host, const std::string& source) {
  const runtime::FileDescriptor listening = listen_on({host, 0}).value();
  const test::TcpClient client(port_of(listening.get()), source);
  runtime::FileDescriptor accepted;
  EXPECT_EQ(accept_one(listening.get(), accepted), AcceptResult::kConnection);
  return peer_network(accepted.get());
}

TEST(PeerNetworkOfASocket, MappedIpv4AddressIsIpv4) {
  const PeerNetwork expected{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 127, 0, 0, 2};
  EXPECT_EQ(network_seen("127.0.0.1", "127.0.0.2"), expected);
  EXPECT_EQ(network_seen("", "127.0.0.2"), expected);
  EXPECT_NE(network_seen("127.0.0.1", "127.0.0.3"), expected);
}

TEST(PeerNetworkOfASocket, IsAbsentWithoutPeer) {
  const runtime::FileDescriptor listening = listen_on({"127.0.0.1", 0}).value();
  EXPECT_FALSE(peer_network(listening.get()));
  std::array<int, 2> pair{};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, pair.data()), 0);
  const runtime::FileDescriptor first(pair[0]);
  const runtime::FileDescriptor second(pair[1]);
  EXPECT_FALSE(peer_network(first.get()));
}

}  // namespace
}  // namespace dynamo::aio
