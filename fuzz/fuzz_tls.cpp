// A client whose bytes are changed on their way, or any bytes instead of a client: before the end
// of the handshake the server sends only TLS records, calls no handler, and counts at most one
// failure. A request reaches the handler only as the client sent it, and never without the
// certificate or the version that the server requires.
#include "fuzz/tls_peer.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "certs/tls_context.hpp"
#include "fuzz/session_peer.hpp"

namespace fuzz = dynamo::fuzz;
namespace server = dynamo::server;
namespace certs = dynamo::certs;

namespace {

constexpr std::string_view kRequest =
    "POST /echo HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 5\r\n\r\nhello";

enum class Identity : std::uint8_t { kNone, kTrusted, kForeign, kServer };

struct Contexts {
  Contexts() {
    fuzz::RepeatedRandom::install();
    const certs::KeyPair ca = fuzz::make_fuzz_ca("fuzz CA");
    const certs::KeyPair foreign_ca = fuzz::make_fuzz_ca("foreign CA");
    const auto leaf = issue(ca, fuzz::leaf_request(certs::Usage::kServer));
    const certs::KeyPair identities[] = {
        issue(ca, fuzz::leaf_request(certs::Usage::kClient)),
        issue(foreign_ca, fuzz::leaf_request(certs::Usage::kClient)), leaf};
    const certs::ClientVerification verification{ca.certificate_pem, {}, certs::TimePoint::max()};
    for (const auto version : {certs::TlsVersion::k1_2, certs::TlsVersion::k1_3}) {
      certs::TlsOptions options;
      options.min_version = version;
      servers.push_back(certs::build_tls_context(leaf, options, nullptr).value());
      servers.push_back(certs::build_tls_context(leaf, options, &verification).value());
    }
    for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
      clients.push_back(fuzz::make_client_context({version, nullptr}));
      for (const certs::KeyPair& each : identities) {
        clients.push_back(fuzz::make_client_context({version, &each}));
      }
    }
  }

  static certs::KeyPair issue(const certs::KeyPair& ca, const certs::LeafRequest& request) {
    return certs::issue(ca, request).value().pair;
  }

  std::vector<std::shared_ptr<SSL_CTX>> servers;  // 1.2, 1.2 with clients, 1.3, ...
  std::vector<dynamo::tls::SslCtxPtr> clients;    // 1.2 by identity, 1.3 by identity
};

struct Setup {
  explicit Setup(unsigned choice)
      : only_1_3(choice % 2 == 1),
        asks_clients(choice / 2 % 2 == 1),
        client_has_1_3(choice / 4 % 2 == 1),
        identity(static_cast<Identity>(choice / 8 % 4)),
        is_raw(choice / 32 % 4 == 3) {}

  bool may_succeed() const {
    return !is_raw && (client_has_1_3 || !only_1_3) &&
           (!asks_clients || identity == Identity::kTrusted);
  }

  const bool only_1_3;
  const bool asks_clients;
  const bool client_has_1_3;
  const Identity identity;
  const bool is_raw;  // the input itself instead of a client
};

// Changes of the stream from the client to the server: each has a distance from the previous one,
// an operation and a value.
class Changes {
 public:
  explicit Changes(std::string_view input) : input_(input) { take_next(); }

  std::string apply(std::string_view bytes) {
    std::string changed;
    for (const char byte : bytes) {
      if (is_cut_) break;
      if (skipped_ > 0) {
        --skipped_;
        continue;
      }
      while (left_ == 0 && has_next_) change(changed);
      if (left_ > 0) --left_;
      if (skipped_ > 0) {
        --skipped_;
      } else if (!is_cut_) {
        changed += static_cast<char>(static_cast<unsigned char>(byte) ^ mask_);
      }
      mask_ = 0;
    }
    return changed;
  }

 private:
  enum class Operation : std::uint8_t { kMask, kInsert, kInsertInput, kDelete, kCut, kNothing };

  void take_next() {
    has_next_ = !input_.is_empty();
    left_ = input_.take_byte() + std::size_t{256} * (input_.take_byte() % 16);
    operation_ = static_cast<Operation>(input_.take_byte() % 6);
    value_ = input_.take_byte();
  }

  void change(std::string& changed) {
    switch (operation_) {
      case Operation::kMask:
        mask_ = value_;
        break;
      case Operation::kInsert:
        changed += static_cast<char>(value_);
        break;
      case Operation::kInsertInput:
        changed += input_.take(value_);
        break;
      case Operation::kDelete:
        skipped_ = value_;
        break;
      case Operation::kCut:
        is_cut_ = true;
        break;
      case Operation::kNothing:
        break;
    }
    take_next();
    if (has_next_ && left_ == 0) ++left_;  // one change per byte
  }

  fuzz::Input input_;
  bool has_next_ = false;
  std::size_t left_ = 0;  // bytes before the next change
  Operation operation_ = Operation::kNothing;
  unsigned value_ = 0;
  unsigned mask_ = 0;
  std::size_t skipped_ = 0;
  bool is_cut_ = false;
};

void check_records(std::string_view sent) {
  constexpr unsigned kAlert = 21;
  for (fuzz::Input records(sent); !records.is_empty();) {
    const unsigned type = records.take_byte();
    fuzz::require(type >= 20 && type <= 23, "the server sends TLS records");
    const unsigned major = records.take_byte();
    // OpenSSL refuses a version with an alert that repeats it.
    fuzz::require(major == 3 || type == kAlert, "a record has a version of TLS");
    records.take_byte();
    const std::size_t high = records.take_byte();
    const std::size_t length = 256 * high + records.take_byte();
    fuzz::require(records.take(length).size() == length, "a record is complete");
  }
}

std::uint64_t failures_of(const server::ServerCounters& counters) {
  std::uint64_t all = 0;
  for (std::size_t i = 0; i < server::kHandshakeFailureNames.size(); ++i) {
    all += counters.handshake_failures.value(static_cast<server::HandshakeFailure>(i));
  }
  return all;
}

void check_end(const Setup& setup, const fuzz::SessionPeer& session) {
  fuzz::require(failures_of(session.counters()) <= 1, "a connection fails once");
  if (session.requests().empty()) return;
  fuzz::require(setup.may_succeed(), "only a client that meets the requirements has a request");
  const fuzz::PlainRequest expected{std::string(fuzz::kPlainPath), "hello"};
  fuzz::require(session.requests() == std::vector{expected}, "a request arrives as it was sent");
}

void send_raw(fuzz::Input& input, fuzz::SessionPeer& session) {
  std::string sent;
  while (!input.is_empty()) {
    session.send(input.take(1 + input.take_byte()));
    session.poll();
    sent += session.receive();
  }
  check_records(sent);
}

void send_changed(const Setup& setup, SSL_CTX* context, fuzz::Input& input,
                  fuzz::SessionPeer& session) {
  constexpr int kRounds = 12;  // of which a handshake takes three
  fuzz::TlsPeer client(context);
  Changes changes(input.rest());
  std::string sent;
  bool has_asked = false;
  for (int round = 0; round < kRounds; ++round) {
    const bool is_done = client.shake_hands();
    if (is_done && !has_asked) client.write(kRequest);
    has_asked = has_asked || is_done;
    session.send(changes.apply(client.take_output()));
    session.poll();
    const std::string back = session.receive();
    sent += back;
    client.feed(back);
    client.read();
  }
  check_records(sent);
  if (input.is_empty() && setup.may_succeed()) {
    fuzz::require(session.requests().size() == 1, "an unchanged client is answered");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Contexts contexts;
  fuzz::RepeatedRandom::restart();
  fuzz::Input input(fuzz::as_text(data, size));
  const Setup setup(input.take_byte());
  const bool ends_by_time = input.take_byte() % 2 == 1;
  fuzz::SessionPeer session(
      contexts.servers[(setup.only_1_3 ? 2U : 0U) + (setup.asks_clients ? 1U : 0U)],
      server::ServingPhase::kServing);
  if (setup.is_raw) {
    send_raw(input, session);
  } else {
    const auto identity = static_cast<std::size_t>(setup.identity);
    SSL_CTX* const client = contexts.clients[(setup.client_has_1_3 ? 4U : 0U) + identity].get();
    send_changed(setup, client, input, session);
  }
  if (ends_by_time) {
    for (int i = 0; i < 3; ++i) session.pass(std::chrono::minutes(2));
  } else {
    session.end_input();
  }
  session.poll();
  session.receive();
  session.poll();
  check_end(setup, session);
  session.check_end();
  return 0;
}
