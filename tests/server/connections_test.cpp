// Cost of a connection, and distribution of connections.
#include <gtest/gtest.h>
#include <malloc.h>
#include <poll.h>
#include <sys/socket.h>

#include <memory>
#include <vector>

#include "tests/server/server_fixture.hpp"
#include "tests/support/sanitizers.hpp"

namespace dynamo::test {
namespace {

class Connections : public ServerFixture {};

// The total of the process, so it is measured before and after the server closes its connections,
// while the clients keep theirs.
TEST_F(Connections, IdleConnectionCostsAtMost60KiB) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer's allocator does not report this";
  constexpr std::size_t kClients = 64;
  start();
  std::vector<std::unique_ptr<TlsClient>> clients;
  for (std::size_t client = 0; client < kClients; ++client) {
    clients.push_back(connect());
    ASSERT_EQ(clients.back()->ask(post(std::string(20'000, 'x'))).status, 200U);
  }
  const std::size_t with = mallinfo2().uordblks;
  let_the_loop_catch_up();
  clock_.tick(options_.limits.idle_timeout);
  for (const auto& client : clients) {
    ASSERT_EQ(client->read_to_end(), "");
    client->finish_sending();
  }
  wait_until([this] { return counters_.connections_open == 0; }, "the connections to end");
  const std::size_t without = mallinfo2().uordblks;
  ASSERT_GT(with, without);
  EXPECT_LE((with - without) / kClients, 60U * 1024);
  RecordProperty("bytes_per_idle_connection", static_cast<int>((with - without) / kClients));
}

// Data in socket buffers is the pod's memory as well; by default the kernel would let it grow to
// megabytes.
class Sockets : public Connections {
 protected:
  // A client that made the kernel grow its buffers as far as possible, and now does not read a
  // large answer.
  std::unique_ptr<TlsClient> deaf_client() {
    start();
    auto client = connect();
    const std::string body(1'000'000, 'x');
    for (int request = 0; request < 8; ++request) client->ask(post(body));
    const int little = 64 * 1024;
    for (const int option : {SO_SNDBUF, SO_RCVBUF}) {
      ::setsockopt(client->socket(), SOL_SOCKET, option, &little, sizeof(little));
    }
    client->send(post("x", "/large"));
    wait_until([this] { return counters_.requests_in_flight == 0; }, "the answer to be made");
    let_the_loop_catch_up();
    return client;
  }

  // Including data in transit and in the client.
  static constexpr std::size_t kMax = std::size_t{768} * 1024;
};

TEST_F(Sockets, BuffersOfUnreadAnswerStaySmall) {
  const auto client = deaf_client();
  clock_.tick(options_.limits.body_timeout);
  wait_until([this] { return counters_.connections_open == 0; }, "the connection to end");
  const std::size_t kept = client->read_to_end().size();
  RecordProperty("bytes", static_cast<int>(kept));
  EXPECT_LE(kept, kMax);
}

TEST_F(Sockets, BuffersOfPipelinedInputStaySmall) {
  const auto client = deaf_client();
  const std::string behind(16 * 1024, 'x');
  std::size_t kept = 0;
  for (int pause = 0; pause < 100 && kept < 16 * kMax;) {
    const ssize_t sent =
        ::send(client->socket(), behind.data(), behind.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent > 0) {
      kept += static_cast<std::size_t>(sent);
      pause = 0;
    } else {
      ++pause;
      ::poll(nullptr, 0, 1);
    }
  }
  RecordProperty("bytes", static_cast<int>(kept));
  EXPECT_LE(kept, kMax);
}

TEST_F(Connections, ConnectionsAreCountedUntilTheyEnd) {
  start();
  std::vector<std::unique_ptr<TlsClient>> clients;
  clients.reserve(10);
  for (int client = 0; client < 10; ++client) clients.push_back(connect());
  for (const auto& client : clients) client->ask(post("x"));
  EXPECT_EQ(counters_.connections_open, 10);
  EXPECT_EQ(counters_.connections_accepted, 10U);
  clients.clear();
  wait_until([this] { return counters_.connections_open == 0; }, "every connection to end");
}

TEST_F(Connections, BusyConnectionDoesNotBlockOthers) {
  start();
  const auto greedy = connect();
  const auto other = connect();
  std::string all;
  for (int request = 0; request < 2000; ++request) all += post("x");
  greedy->send(all);
  EXPECT_EQ(other->ask(post("me too")).body, "me too");
  for (int request = 0; request < 2000; ++request) ASSERT_EQ(greedy->read_answer().status, 200U);
}

}  // namespace
}  // namespace dynamo::test
