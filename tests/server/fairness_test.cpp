// A good client gets every answer while attackers use as many resources as possible. The attackers
// use 127.0.0.2 and up, and are more than there are places.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/resource.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/server/server_fixture.hpp"
#include "tests/support/sanitizers.hpp"

namespace dynamo::test {
namespace {

using server::Eviction;
using std::chrono::seconds;

constexpr std::size_t kPlaces = 128;
constexpr std::size_t kAttackers = kPlaces + kPlaces / 2;
constexpr std::size_t kSources = 24;
constexpr std::size_t kBody = 512 * 1024;

// Total of the process.
std::size_t allocated_bytes() {
  const auto info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

// Announces a body of `size` bytes and sends `sent` of them.
std::string unfinished(std::size_t size, std::size_t sent) {
  return post_with(
      "Content-Type: application/json\r\nContent-Length: " + std::to_string(size) + "\r\n",
      std::string(sent, 'x'));
}

class Fairness : public ServerFixture {
 protected:
  Fairness() {
    options_.limits.max_connections = kPlaces;
    options_.limits.max_in_flight = 4;
    options_.limits.max_body_memory = 8 * 1024 * 1024;
    options_.threads = 2;
  }

  // Source address of the attacker with this number.
  std::string source(std::size_t number) const {
    return one_source_ ? "127.0.0.1" : "127.0.0." + std::to_string(2 + number % kSources);
  }

  TlsClientOptions attacker_options(std::size_t number) const {
    TlsClientOptions made = client_options();
    made.source = source(number);
    if (mutual_) {
      made.certificate_pem = bad_pair_.certificate_pem;
      made.key_pem = bad_pair_.key_pem;
    }
    return made;
  }

  TlsClientOptions good_options() const {
    TlsClientOptions made = client_options();
    if (mutual_) {
      made.certificate_pem = good_pair_.certificate_pem;
      made.key_pem = good_pair_.key_pem;
    }
    return made;
  }

  // Clients must present a certificate of their own CA.
  void start_mutual() {
    mutual_ = true;
    const auto now = std::chrono::system_clock::now();
    const certs::KeyPair client_ca =
        certs::make_ca("client CA", now - std::chrono::minutes(5), now + std::chrono::hours(1))
            .value();
    good_pair_ = issue_for_an_hour(client_ca, {"good"}, certs::Usage::kClient);
    bad_pair_ = issue_for_an_hour(client_ca, {"bad"}, certs::Usage::kClient);
    start();
    const certs::ClientVerification clients{client_ca.certificate_pem, {"good", "bad"}, {}};
    replace_certificate(&clients);
  }

  using Attack = std::function<std::unique_ptr<TcpClient>(std::size_t number)>;

  std::unique_ptr<TcpClient> silent(std::size_t number) const {
    return std::make_unique<TcpClient>(server_->port(), source(number));
  }
  std::unique_ptr<TcpClient> half_handshake(std::size_t number) const {
    auto client = silent(number);
    client->send(std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11));
    return client;
  }
  // Over TLS, sending `first`; answers are ignored.
  Attack sending(const std::string& first) const {
    return [this, first](std::size_t number) -> std::unique_ptr<TcpClient> {
      auto client = std::make_unique<TlsClient>(attacker_options(number));
      client->send(first);
      return client;
    };
  }
  Attack resting() const {
    return [this](std::size_t number) -> std::unique_ptr<TcpClient> {
      auto client = std::make_unique<TlsClient>(attacker_options(number));
      client->ask(post("x"));
      return client;
    };
  }

  // Adds one attacker; it may be refused now or later.
  void attack(const Attack& attack) {
    try {
      attackers_.push_back(attack(attackers_.size()));
    } catch (const ClientError&) {
      attackers_.push_back(nullptr);
    }
  }
  void trickle(std::string_view bytes) {
    for (auto& attacker : attackers_) {
      if (!attacker) continue;
      try {
        attacker->send(bytes);
      } catch (const ClientError&) {
        attacker.reset();
      }
    }
  }

  // On its kept connection, and on a new one; both with a body larger than one record.
  void expect_good_answers() {
    ASSERT_NO_THROW({
      if (!kept_) kept_ = std::make_unique<TlsClient>(good_options());
      EXPECT_EQ(kept_->ask(post(std::string(40'000, 'k'), "/echo?timeout=10s")).status, 200U);
      TlsClient fresh(good_options());
      EXPECT_EQ(fresh.ask(post(std::string(40'000, 'f'), "/echo?timeout=10s")).status, 200U);
    }) << attackers_.size()
       << " attackers";
  }

  // The good client sends requests before, while the attackers connect, and for some time after.
  void expect_good_answers_under(const std::vector<Attack>& attacks, std::string_view drops = "") {
    expect_good_answers();
    for (std::size_t number = 0; number < kAttackers; ++number) {
      attack(attacks[number % attacks.size()]);
      if (number % 16 == 0) expect_good_answers();
      if (HasFatalFailure()) return;
    }
    for (int round = 0; round < 12; ++round) {
      clock_.tick(Milliseconds(300));
      if (!drops.empty()) trickle(drops);
      expect_good_answers();
      if (HasFatalFailure()) return;
    }
    EXPECT_EQ(count(server::Limit::kInFlight), 0U);
    EXPECT_EQ(count(server::Limit::kConnections), 0U);
    EXPECT_LE(counters_.connections_open, static_cast<std::int64_t>(kPlaces + 32));
  }

  // Each attack alone, as its own connection does it.
  std::vector<Attack> all_attacks() const {
    return {[this](std::size_t number) { return silent(number); },
            [this](std::size_t number) { return half_handshake(number); },
            sending(""),
            sending("POST /echo HT"),
            sending(unfinished(kBody, 0)),
            sending(unfinished(kBody, 1)),
            sending(unfinished(kBody, kBody / 2)),
            resting()};
  }

  bool one_source_ = false;
  bool mutual_ = false;
  certs::KeyPair good_pair_;
  certs::KeyPair bad_pair_;
  std::unique_ptr<TlsClient> kept_;
  std::vector<std::unique_ptr<TcpClient>> attackers_;
};

TEST_F(Fairness, GoodClientIsServedDespiteSilentConnections) {
  start();
  expect_good_answers_under({[this](std::size_t number) { return silent(number); }});
  EXPECT_GT(count(Eviction::kHandshake), kAttackers - kPlaces - 1);
}

TEST_F(Fairness, ClientIsServedDespiteSilenceFromSameAddress) {
  one_source_ = true;
  start();
  expect_good_answers_under({[this](std::size_t number) { return silent(number); }});
}

TEST_F(Fairness, MutualTlsClientIsServedDespiteSilentConnections) {
  one_source_ = true;
  start_mutual();
  expect_good_answers_under({[this](std::size_t number) { return silent(number); }});
}

TEST_F(Fairness, GoodClientIsServedDespite1100Connections) {
  rlimit descriptors{};
  ::getrlimit(RLIMIT_NOFILE, &descriptors);
  if (descriptors.rlim_cur < 4096) GTEST_SKIP() << "this needs 4096 descriptors";
  options_.limits.max_connections = 1024;
  start();
  expect_good_answers();
  for (int number = 0; number < 1100; ++number) {
    attack([this](std::size_t of) { return silent(of); });
    if (number % 100 == 0) expect_good_answers();
  }
  expect_good_answers();
  EXPECT_LE(counters_.connections_open, 1024 + 32);
  EXPECT_EQ(count(server::Limit::kConnections), 0U);
}

TEST_F(Fairness, GoodClientIsServedDespiteHalfHandshakes) {
  start();
  expect_good_answers_under({[this](std::size_t number) { return half_handshake(number); }});
}

TEST_F(Fairness, GoodClientIsServedDespiteSilenceAfterHandshake) {
  start();
  expect_good_answers_under({sending("")});
  EXPECT_GT(count(Eviction::kHeader), 0U);
}

TEST_F(Fairness, GoodClientIsServedDespiteTricklingHeaders) {
  start();
  expect_good_answers_under({sending("POST /echo HT")}, "x");
  EXPECT_GT(count(Eviction::kHeader), 0U);
}

TEST_F(Fairness, GoodClientIsServedDespiteMissingBodies) {
  start();
  expect_good_answers_under({sending(unfinished(kBody, 0))});
  EXPECT_GT(count(Eviction::kBodyMemory), 0U);
}

TEST_F(Fairness, GoodClientIsServedDespiteTricklingBodies) {
  start();
  expect_good_answers_under({sending(unfinished(1000, 1))}, "x");
  EXPECT_GT(count(Eviction::kBody), 0U);
}

TEST_F(Fairness, GoodClientIsServedDespiteHalfBodies) {
  start();
  expect_good_answers_under({sending(unfinished(kBody, kBody / 2))});
  EXPECT_GT(count(Eviction::kBodyMemory), 0U);
}

TEST_F(Fairness, MutualTlsClientIsServedDespiteHalfBodies) {
  one_source_ = true;
  start_mutual();
  expect_good_answers_under({sending(unfinished(kBody, kBody / 2))});
}

TEST_F(Fairness, GoodClientIsServedDespiteIdleConnections) {
  start();
  expect_good_answers_under({resting()});
  EXPECT_GT(count(Eviction::kIdle), 0U);
}

TEST_F(Fairness, MutualTlsClientIsServedDespiteIdleConnections) {
  one_source_ = true;
  start_mutual();
  expect_good_answers_under({resting()});
}

TEST_F(Fairness, GoodClientIsServedDespiteAllAttacks) {
  start();
  expect_good_answers_under(all_attacks(), "x");
}

TEST_F(Fairness, MutualTlsClientIsServedDespiteAllAttacks) {
  one_source_ = true;
  start_mutual();
  expect_good_answers_under(all_attacks(), "x");
}

TEST_F(Fairness, OneAddressMayUseAllPlacesWithoutCompetition) {
  start();
  std::vector<std::unique_ptr<TlsClient>> clients;
  for (std::size_t number = 0; number < kPlaces; ++number) {
    clients.push_back(connect());
    ASSERT_EQ(clients.back()->ask(post("x")).status, 200U);
  }
  clock_.tick(seconds(60));
  for (const auto& client : clients) ASSERT_EQ(client->ask(post("kept")).body, "kept");
  for (const Eviction reason : {Eviction::kHandshake, Eviction::kHeader, Eviction::kIdle}) {
    EXPECT_EQ(count(reason), 0U);
  }
}

TEST_F(Fairness, DroppedBodyGets503AndReleasesMemory) {
  options_.threads = 1;
  options_.limits.max_body_memory = 4 * 1024 * 1024;
  start();
  const auto stalled = std::make_unique<TlsClient>(attacker_options(0));
  stalled->send(unfinished(1000, 10));
  wait_until([this] { return counters_.requests_in_flight == 1; }, "the body");
  let_the_loop_catch_up();
  clock_.tick(server::kFlowWindow);
  EXPECT_TRUE(stalled->stays_quiet_for(Milliseconds(250)));  // two sweeps
  // Larger bodies that still flow, of a larger peer.
  for (std::size_t number = 0; number < 8; ++number) {
    attackers_.push_back(sending(unfinished(kBody, kBody / 2))(kSources + 1));
  }
  const ClientAnswer answer = stalled->read_answer();
  EXPECT_EQ(answer.status, 503U);
  EXPECT_EQ(answer.header("Retry-After"), "1");
  EXPECT_TRUE(answer.closes_connection());
  EXPECT_EQ(stalled->read_to_end(), "");
  EXPECT_GE(count(Eviction::kBodyMemory), 1U);
  attackers_.clear();
  wait_until([this] { return counters_.requests_in_flight == 0; }, "the bodies to be forgotten");
  EXPECT_EQ(connect()->ask(post(std::string(kBody, 'x'))).status, 200U);
}

TEST_F(Fairness, ChunkedBodiesAreDropped) {
  options_.threads = 1;
  options_.limits.max_body_memory = 2 * 1024 * 1024;
  start();
  std::vector<std::unique_ptr<TlsClient>> clients;
  for (std::size_t number = 0; number < 8; ++number) {
    clients.push_back(std::make_unique<TlsClient>(attacker_options(number)));
    clients.back()->send(
        post_with("Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n",
                  "40000\r\n" + std::string(0x40000, 'x')));
  }
  wait_until([this] { return count(Eviction::kBodyMemory) >= 4; }, "bodies to be given up");
  EXPECT_EQ(clients.front()->read_answer().status, 503U);
  clients.back()->send("\r\n0\r\n\r\n");
  EXPECT_EQ(clients.back()->read_answer().body.size(), 0x40000U);
}

// A slow reader holds as much as a silent attacker: its few evictable connections go first, not the
// kept-alive connections of others.
TEST_F(Fairness, ConnectionsWithPendingAnswersCountForPeer) {
  options_.limits.max_body_memory = 256 * 1024 * 1024;
  options_.limits.max_connections = 24;
  start();
  std::vector<std::unique_ptr<TlsClient>> attackers;
  for (int number = 0; number < 14; ++number) {
    attackers.push_back(std::make_unique<TlsClient>(attacker_options(0)));
    attackers.back()->ask(post("x"));
  }
  for (int number = 0; number < 10; ++number) {
    attackers[static_cast<std::size_t>(number)]->send(post("x", "/large"));
    EXPECT_FALSE(attackers[static_cast<std::size_t>(number)]->stays_quiet_for(seconds(10)));
  }
  wait_until([this] { return counters_.requests_complete == 0; }, "what the sockets take");
  std::vector<std::unique_ptr<TlsClient>> good;
  for (int number = 0; number < 10; ++number) {
    good.push_back(std::make_unique<TlsClient>(good_options()));
    ASSERT_EQ(good.back()->ask(post("x")).status, 200U);
  }
  for (std::size_t number = 1; number <= 4; ++number) {
    EXPECT_EQ(TlsClient(attacker_options(number)).ask(post("new")).status, 200U);
  }
  for (const auto& client : good) EXPECT_EQ(client->ask(post("kept")).body, "kept");
}

// Attackers that do not read their answers.
class SlowReaders : public Fairness {
 protected:
  // Memory of one loop: one answer in the handler, one being sent, and one that it may always keep.
  static constexpr std::size_t kOfALoop = std::size_t{3} * 4 * 1024 * 1024;
  // A connection including its client, which is in the same process.
  static constexpr std::size_t kOfAConnection = std::size_t{128} * 1024;

  void notice_memory() { peak_ = std::max(peak_, allocated_bytes()); }

  // Each attacker sends `request`.
  void expect_bounded_memory_under(const std::string& request) {
    start();
    expect_good_answers();
    const std::size_t before = allocated_bytes();
    for (std::size_t number = 0; number < kAttackers; ++number) {
      attack(sending(request));
      notice_memory();
      if (number % 16 == 0) expect_good_answers();
      if (HasFatalFailure()) return;
    }
    for (int round = 0; round < 12; ++round) {
      clock_.tick(Milliseconds(300));
      expect_good_answers();
      notice_memory();
      if (HasFatalFailure()) return;
    }
    EXPECT_GT(count(Eviction::kWrite), 0U);
    if (kSanitized) return;  // a sanitizer does not report it
    RecordProperty("peak_bytes", static_cast<int>(peak_ - std::min(peak_, before)));
    EXPECT_LE(
        peak_ - std::min(peak_, before),
        options_.limits.max_body_memory + options_.threads * kOfALoop + kPlaces * kOfAConnection);
  }

 private:
  std::size_t peak_ = 0;
};

TEST_F(SlowReaders, SlowReadersStayWithinMemoryLimit) {
  expect_bounded_memory_under(post("x", "/large"));
}

// The memory of the request is released before its answer is read.
TEST_F(SlowReaders, LargeRequestsStayWithinMemoryLimit) {
  expect_bounded_memory_under(post(std::string(1024 * 1024, 'x'), "/large"));
}

TEST_F(SlowReaders, LargeChunkedRequestsStayWithinMemoryLimit) {
  expect_bounded_memory_under(
      post_with("Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n",
                "100000\r\n" + std::string(1024 * 1024, 'x') + "\r\n0\r\n\r\n", "/large"));
}

TEST_F(SlowReaders, SameAddressStaysWithinMemoryLimit) {
  one_source_ = true;
  expect_bounded_memory_under(post("x", "/large"));
}

// Even a body that flows as fast as possible is dropped after unread answers.
TEST_F(SlowReaders, UnreadAnswersAreDroppedBeforeFlowingBodies) {
  options_.threads = 1;
  options_.limits.max_body_memory = 8 * 1024 * 1024;
  start();
  std::vector<std::unique_ptr<TlsClient>> bodies;
  for (std::size_t number = 0; number < 6; ++number) {
    bodies.push_back(std::make_unique<TlsClient>(attacker_options(0)));
    bodies.back()->send(unfinished(kBody, kBody / 2));
  }
  wait_until([this] { return counters_.requests_in_flight == 6; }, "the bodies");
  for (std::size_t number = 0; number < 8; ++number) {
    attackers_.push_back(sending(post("x", "/large"))(1 + number));
  }
  wait_until([this] { return count(Eviction::kWrite) >= 4; }, "answers to be given up");
  for (const auto& body : bodies) {
    body->send(std::string(kBody / 2, 'y'));
    EXPECT_EQ(body->read_answer().body.size(), kBody);
  }
  EXPECT_EQ(count(Eviction::kBodyMemory), 0U);
}

// Without competition for the memory, it may take its time.
TEST_F(SlowReaders, SlowReaderGetsAnswerWhileMemoryIsFree) {
  options_.limits.max_body_memory = 256 * 1024 * 1024;
  start();
  for (std::size_t number = 0; number < 8; ++number) {
    attackers_.push_back(sending(post("x", "/large"))(number));
  }
  wait_until([this] { return counters_.requests_complete == 0; }, "what the sockets take");
  for (const auto& attacker : attackers_) {
    EXPECT_EQ(attacker->read_answer().body.size(), 4U << 20U);
    EXPECT_EQ(attacker->ask(post("next")).body, "next");
  }
}

// Even if it exceeds the whole limit.
TEST_F(SlowReaders, LoopMayHoldOneAnswerOfAnySize) {
  options_.threads = 1;
  options_.limits.max_body_memory = 1024 * 1024;
  start();
  const auto client = connect();
  client->send(post("x", "/large") + post("pipelined"));
  EXPECT_FALSE(client->stays_quiet_for(seconds(10)));
  wait_until([this] { return counters_.requests_complete == 0; }, "what the socket takes");
  EXPECT_EQ(connect()->ask(post("other")).body, "other");
  EXPECT_EQ(client->read_answer().body.size(), 4U << 20U);
  EXPECT_EQ(client->read_answer().body, "pipelined");
}

class Quotas : public Fairness {
 protected:
  Quotas() {
    options_.limits.max_connections = 8;
    options_.limits.max_connections_per_address = 2;
    options_.threads = 1;
  }

  void join(std::size_t attacker) {
    clients_.push_back(std::make_unique<TlsClient>(attacker_options(attacker)));
    ASSERT_EQ(clients_.back()->ask(post("x")).status, 200U);
  }

  std::vector<std::unique_ptr<TlsClient>> clients_;
};

TEST_F(Quotas, QuotaOfAddressAppliesAboveThreeQuarters) {
  start();
  for (int client = 0; client < 5; ++client) join(0);
  EXPECT_EQ(count(Eviction::kIdle), 0U);
  join(0);
  wait_until([this] { return counters_.connections_open == 2; }, "all above the quota to go");
  EXPECT_EQ(count(Eviction::kIdle), 4U);
  for (std::size_t client = 0; client < 4; ++client) {
    EXPECT_EQ(clients_[client]->read_to_end(), "");
  }
  EXPECT_EQ(clients_[4]->ask(post("kept")).status, 200U);
  EXPECT_EQ(clients_[5]->ask(post("kept")).status, 200U);
  EXPECT_EQ(TlsClient(attacker_options(1)).ask(post("another address")).status, 200U);
  EXPECT_EQ(count(Eviction::kIdle), 4U);
}

// It connected while places were free, and does not connect any more; others do.
TEST_F(Quotas, QuotaAppliesToExistingConnectionsOnAllLoops) {
  options_.threads = 2;
  start();
  for (int client = 0; client < 5; ++client) join(0);
  join(1);
  wait_until([this] { return counters_.connections_open == 3; }, "all above the quota to go");
  EXPECT_EQ(clients_.back()->ask(post("kept")).status, 200U);
  EXPECT_EQ(count(Eviction::kIdle), 3U);
}

TEST_F(Quotas, BusyConnectionsCountForQuotaButStay) {
  options_.limits.max_body_memory = 64 * 1024 * 1024;
  start();
  for (int client = 0; client < 5; ++client) join(0);
  for (std::size_t client = 0; client < 3; ++client) {
    clients_[client]->send(post("x", "/large"));
    EXPECT_FALSE(clients_[client]->stays_quiet_for(seconds(10)));
  }
  wait_until([this] { return counters_.requests_complete == 0; }, "what the sockets take");
  join(1);
  wait_until([this] { return counters_.connections_open == 4; }, "what can go to go");
  EXPECT_EQ(count(Eviction::kIdle), 2U);
  for (std::size_t client = 0; client < 3; ++client) {
    EXPECT_EQ(clients_[client]->read_answer().body.size(), 4U << 20U);
  }
}

TEST_F(Fairness, KnownClientHasItsOwnQuota) {
  one_source_ = true;
  options_.limits.max_connections = 8;
  options_.limits.max_connections_per_client = 2;
  options_.threads = 1;
  start_mutual();
  std::vector<std::unique_ptr<TlsClient>> clients;
  for (int client = 0; client < 5; ++client) {
    clients.push_back(std::make_unique<TlsClient>(attacker_options(0)));
    ASSERT_EQ(clients.back()->ask(post("x")).status, 200U);
  }
  EXPECT_EQ(count(Eviction::kIdle), 0U);
  TlsClient good(good_options());
  EXPECT_EQ(good.ask(post("x")).status, 200U);
  wait_until([this] { return count(Eviction::kIdle) == 3; }, "all above the quota to go");
  EXPECT_EQ(clients.front()->read_to_end(), "");
  EXPECT_EQ(clients.back()->ask(post("kept")).status, 200U);
  EXPECT_EQ(good.ask(post("kept")).status, 200U);
}

}  // namespace
}  // namespace dynamo::test
