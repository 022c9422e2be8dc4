// Any bytes over a TLS connection: the session answers in well-formed HTTP, hands plain requests to
// the handler as they are, does not depend on how the bytes are divided, and leaves nothing behind.
// The first byte selects the phase and an event, the second the size of the pieces.
#include "fuzz/tls_peer.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "certs/tls_context.hpp"
#include "fuzz/session_peer.hpp"

namespace fuzz = dynamo::fuzz;
namespace server = dynamo::server;
namespace certs = dynamo::certs;

namespace {

struct Contexts {
  Contexts() {
    fuzz::RepeatedRandom::install();
    const certs::KeyPair ca = fuzz::make_fuzz_ca("fuzz CA");
    const auto leaf = certs::issue(ca, fuzz::leaf_request(certs::Usage::kServer)).value();
    server = certs::build_tls_context(leaf.pair, {}, nullptr).value();
    client = fuzz::make_client_context({});
  }
  std::shared_ptr<SSL_CTX> server;
  dynamo::tls::SslCtxPtr client;
};

// What happens while the bytes arrive. Only the first event does not change the answers.
enum class Event : std::uint8_t { kNone, kTime, kStop, kEviction };

struct Script {
  server::ServingPhase phase = server::ServingPhase::kServing;
  Event event = Event::kNone;
  std::size_t piece = 1;
};

struct Conversation {
  std::string answers;
  std::vector<fuzz::PlainRequest> requests;
};

// Carries bytes in both directions until neither side has any.
void exchange(fuzz::SessionPeer& session, fuzz::TlsPeer& client, std::string& received) {
  constexpr int kMostRounds = 1'000;
  for (int round = 0; round < kMostRounds; ++round) {
    const std::string there = client.take_output();
    session.send(there);
    session.poll();
    const std::string back = session.receive();
    client.feed(back);
    received += client.read();
    if (there.empty() && back.empty()) return;
  }
  fuzz::require(false, "an exchange ends");
}

void happen(Event event, fuzz::SessionPeer& session) {
  constexpr std::chrono::seconds kPause{4};  // nearly the time for a header
  if (event == Event::kTime) session.pass(kPause);
  if (event == Event::kStop) session.stop();
  if (event == Event::kEviction) session.evict();
}

Conversation talk(std::string_view bytes, const Script& script) {
  static const Contexts contexts;
  fuzz::RepeatedRandom::restart();
  fuzz::SessionPeer session(contexts.server, script.phase);
  fuzz::TlsPeer client(contexts.client.get());
  std::string received;
  client.shake_hands();
  exchange(session, client, received);
  fuzz::require(client.shake_hands(), "the handshake succeeds");
  std::size_t pieces = 0;
  for (fuzz::Input rest(bytes); !rest.is_empty(); ++pieces) {
    client.write(rest.take(script.piece));
    exchange(session, client, received);
    if (script.event == Event::kTime || pieces == 1) happen(script.event, session);
  }
  client.close();
  exchange(session, client, received);
  session.end_input();
  exchange(session, client, received);
  session.check_end();
  return {std::move(received), session.requests()};
}

std::string without(std::string text, std::string_view begin, std::string_view end) {
  for (std::size_t at = text.find(begin); at != std::string::npos; at = text.find(begin, at)) {
    text.erase(at, text.find(end, at) + end.size() - at);
  }
  return text;
}

// Continue depends on the pieces, and the date on the time. A request that is not complete may be
// refused sooner or later, perhaps after the end of its client.
std::string comparable(std::string answers) {
  answers = without(without(std::move(answers), server::kContinue, "\n\r\n"), "Date: ", "\r\n");
  const std::size_t last = answers.rfind("HTTP/1.1 ");
  const std::string_view status = std::string_view(answers).substr(std::min(last, answers.size()));
  const bool is_refused =
      status.starts_with("HTTP/1.1 400 ") || status.starts_with("HTTP/1.1 413 ");
  return is_refused ? answers.substr(0, last) : answers;
}

// Reads one answer. Returns false after the last one.
bool check_answer(fuzz::Input& answers) {
  const std::string_view status = answers.take_until("\r\n");
  fuzz::require(status.starts_with("HTTP/1.1 ") && status.size() > 13, "an answer has a status");
  if (status == "HTTP/1.1 100 Continue") {
    fuzz::require(answers.take(2) == "\r\n", "100 Continue has no header");
    return true;
  }
  std::size_t length = std::string::npos;
  bool closes = false;
  for (;;) {
    fuzz::require(!answers.is_empty(), "a header ends");
    const std::string_view line = answers.take_until("\r\n");
    if (line.empty()) break;
    fuzz::require(line.find(": ") != std::string_view::npos, "a header line has a name");
    closes = closes || line == "Connection: close";
    constexpr std::string_view kLength = "Content-Length: ";
    if (!line.starts_with(kLength)) continue;
    fuzz::require(length == std::string::npos, "an answer has one length");
    std::from_chars(line.data() + kLength.size(), line.data() + line.size(), length);
  }
  fuzz::require(length != std::string::npos, "an answer has a length");
  const bool is_to_head = closes && answers.is_empty();
  fuzz::require(is_to_head || answers.take(length).size() == length, "an answer is complete");
  fuzz::require(!closes || answers.is_empty(), "nothing follows the last answer");
  return !closes;
}

void check_answers(const Conversation& conversation) {
  fuzz::Input answers(conversation.answers);
  while (!answers.is_empty() && check_answer(answers)) {
  }
  fuzz::require(answers.is_empty(), "nothing follows the last answer");
}

// The plain requests reach the handler as they are, until another one closes the connection.
void check_requests(std::string_view bytes, const Conversation& conversation) {
  const auto expected = fuzz::read_plain_requests(bytes, fuzz::kMaxFuzzBody);
  fuzz::require(expected.size() <= conversation.requests.size(), "no plain request is lost");
  fuzz::require(std::ranges::equal(
                    expected.begin(), expected.end(), conversation.requests.begin(),
                    conversation.requests.begin() + static_cast<std::ptrdiff_t>(expected.size())),
                "plain requests arrive as they are");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kLargest = 20'000;
  if (size > kLargest) return 0;
  fuzz::Input input(fuzz::as_text(data, size));
  const unsigned choice = input.take_byte();
  Script script{.phase = static_cast<server::ServingPhase>(choice % 3),
                .event = static_cast<Event>(choice / 3 % 4),
                .piece = 1 + input.take_byte() * std::size_t{4}};
  const std::string_view bytes = input.rest();
  const Conversation in_pieces = talk(bytes, script);
  // An eviction may cut an answer that the client has not read yet, and so may a deadline.
  if (script.event != Event::kNone) return 0;
  check_answers(in_pieces);
  script.piece = kLargest;
  const Conversation at_once = talk(bytes, script);
  check_answers(at_once);
  fuzz::require(comparable(in_pieces.answers) == comparable(at_once.answers),
                "pieces do not change the answers");
  fuzz::require(in_pieces.requests == at_once.requests, "pieces do not change the requests");
  if (script.phase == server::ServingPhase::kServing) check_requests(bytes, at_once);
  return 0;
}
