// Peers that keep TLS busy without data: the work per iteration of an event loop and the useless
// bytes per connection are limited.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/ssl.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <functional>
#include <future>
#include <memory>
#include <string>
#include <string_view>

#include "tests/server/session_fixture.hpp"

namespace dynamo::test {
namespace {

// Maximum size of one read: a record of the largest size.
constexpr int kLargestRecord = 5 + 16'384 + 256;

// The unsent bytes that `write` makes the client's TLS produce.
std::string records_of(TlsClient& client, const std::function<void(SSL*)>& write) {
  SSL* const ssl = client.connection();
  BIO* const socket = SSL_get_wbio(ssl);
  BIO_up_ref(socket);
  SSL_set0_wbio(ssl, BIO_new(BIO_s_mem()));
  write(ssl);
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(SSL_get_wbio(ssl), &bytes);
  std::string records(bytes, static_cast<std::size_t>(size));
  SSL_set0_wbio(ssl, socket);
  return records;
}

void update_key(SSL* ssl, int kind = SSL_KEY_UPDATE_NOT_REQUESTED) {
  EXPECT_EQ(SSL_key_update(ssl, kind), 1);
  EXPECT_EQ(SSL_do_handshake(ssl), 1);
}

std::string key_updates(TlsClient& client, int count) {
  return records_of(client, [count](SSL* ssl) {
    for (int update = 0; update < count; ++update) update_key(ssl);
  });
}

// Each byte of `text` in its own record.
std::string single_bytes(TlsClient& client, std::string_view text) {
  return records_of(client, [text](SSL* ssl) {
    for (const char& byte : text) EXPECT_EQ(SSL_write(ssl, &byte, 1), 1);
  });
}

class SessionReadLimits : public SessionTest {
 protected:
  int unread() const {
    int bytes = 0;
    EXPECT_EQ(::ioctl(kept_.get(), FIONREAD, &bytes), 0);
    return bytes;
  }

  // Number of waiting bytes that the next iteration of the loop reads, if no more arrive.
  int read_in_one_iteration() {
    const int before = unread();
    io_.run_one_for(std::chrono::seconds(10));
    return before - unread();
  }

  // After this, all of `bytes` waits in the socket.
  void put(std::string_view bytes) {
    client_->TcpClient::send(bytes);
    for (int attempt = 0; attempt < 10'000 && unread() < static_cast<int>(bytes.size());
         ++attempt) {
      ::poll(nullptr, 0, 1);
    }
    ASSERT_EQ(unread(), static_cast<int>(bytes.size()));
  }

 private:
  // The session's socket, usable after the session has closed it.
  const runtime::FileDescriptor kept_{::dup(socket_)};
};

TEST_F(SessionReadLimits, KeyUpdateFloodIsReadInLimitedParts) {
  ask_once();
  put(key_updates(*client_, 2200));
  EXPECT_LE(read_in_one_iteration(), 2 * kLargestRecord);
}

TEST_F(SessionReadLimits, TinyRecordsAreReadInLimitedNumber) {
  constexpr int kRecords = 5000;
  constexpr int kMaxInOneTurn = 2048;
  ask_once();
  client_->send(post_with("Content-Type: application/json\r\nContent-Length: 100000\r\n"));
  io_.run_for(std::chrono::milliseconds(1));
  const std::string records = single_bytes(*client_, std::string(kRecords, 'x'));
  put(records);
  const int size = static_cast<int>(records.size()) / kRecords;
  EXPECT_LE(read_in_one_iteration(), kMaxInOneTurn * size + kLargestRecord);
}

class Records : public ServerFixture {};

TEST_F(Records, UselessRecordsCloseConnectionWithoutAffectingOthers) {
  start();
  const auto attacker = connect();
  attacker->ask(post("x"));
  const std::string flood = key_updates(*attacker, 40'000);
  const auto good = connect();
  auto attack = std::async(std::launch::async, [&] { attacker->TcpClient::send(flood); });
  for (int request = 0; request < 100; ++request) {
    EXPECT_EQ(good->ask(post("good")).body, "good");
    EXPECT_EQ(connect()->ask(post("fresh")).body, "fresh");
  }
  attack.wait();  // the sent amount does not matter
  EXPECT_EQ(attacker->read_to_end(), "");
  EXPECT_EQ(count(server::HandshakeFailure::kOther), 1U);
}

TEST_F(Records, SlowUselessRecordsCloseConnection) {
  start();
  const auto attacker = connect();
  attacker->ask(post("x"));
  const std::string flood = key_updates(*attacker, 2000);
  EXPECT_THROW(
      {
        for (std::size_t sent = 0; sent < flood.size(); sent += 270) {
          attacker->TcpClient::send(std::string_view(flood).substr(sent, 270));
          EXPECT_EQ(connect()->ask(post("fresh")).body, "fresh");
        }
      },
      ClientError);
  EXPECT_EQ(count(server::HandshakeFailure::kOther), 1U);
}

// The largest possible hello, with each byte in its own record.
TEST_F(Records, EndlessHandshakeIsCut) {
  start();
  TcpClient attacker(server_->port());
  const auto record = [](char byte) { return std::string("\x16\x03\x01\x00\x01", 5) + byte; };
  std::string hello;
  for (const char byte : std::string("\x01\x02\x00\x00", 4)) hello += record(byte);
  for (int byte = 0; byte < 20'000; ++byte) hello += record('x');
  attacker.send(hello);
  EXPECT_EQ(attacker.read_to_end(), "");
  wait_until([this] { return count(server::HandshakeFailure::kOther) == 1; }, "the count");
}

TEST_F(Records, KeyUpdatesBetweenRequestsAreServed) {
  start();
  const auto client = connect();
  const std::string body(40'000, 'x');
  for (int request = 0; request < 2000; ++request) {
    update_key(client->connection(),
               request % 2 == 0 ? SSL_KEY_UPDATE_REQUESTED : SSL_KEY_UPDATE_NOT_REQUESTED);
    ASSERT_EQ(client->ask(post(request % 100 == 0 ? body : "x")).status, 200U);
  }
  EXPECT_EQ(count(server::HandshakeFailure::kOther), 0U);
}

TEST_F(Records, OneByteRecordsAreServed) {
  start();
  const auto slow = connect();
  const auto good = connect();
  const std::string body(20'000, 's');
  const std::string records = single_bytes(*slow, post(body));
  auto sending = std::async(std::launch::async, [&] { slow->TcpClient::send(records); });
  for (int request = 0; request < 10; ++request) {
    EXPECT_EQ(good->ask(post("good")).body, "good");
  }
  sending.get();
  EXPECT_EQ(slow->read_answer().body, body);
}

}  // namespace
}  // namespace dynamo::test
