// A session of the server on one end of a socket pair, which the target polls, and the raw bytes of
// its client on the other end. A session needs a socket, not the network.
#pragma once

#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fuzz/check.hpp"
#include "fuzz/http_model.hpp"
#include "runtime/file_descriptor.hpp"
#include "runtime/log.hpp"
#include "server/session.hpp"
#include "tests/support/fake_clock.hpp"

namespace dynamo::fuzz {

inline constexpr std::size_t kMaxFuzzBody = std::size_t{64} * 1024;

class NoLogger final : public runtime::Logger {
 public:
  void log(runtime::Level, std::string_view, std::span<const runtime::Field>) override {}
  bool is_enabled(runtime::Level) const override { return true; }
};

// Returns the body, and then uses it and its padding like an in-place parser.
class RecordingHandler final : public server::RequestHandler {
 public:
  explicit RecordingHandler(std::vector<PlainRequest>& requests) : requests_(requests) {}

  bool knows(std::string_view path) const override { return path != "/unknown"; }

  void handle(const server::HttpRequest& request, server::HttpAnswer& answer) override {
    require(request.path.find('?') == std::string_view::npos, "a path has no query");
    require(request.body.size() <= kMaxFuzzBody, "a body is within its limit");
    char* const padding = request.body.data() + request.body.size();
    require(std::all_of(padding, padding + server::kBodyPadding, [](char c) { return c == 0; }),
            "the padding is zero");
    const std::string_view body(request.body.data(), request.body.size());
    requests_.push_back({std::string(request.path), std::string(body)});
    if (request.path == "/defect") throw std::runtime_error("defect");
    if (request.path == "/memory") throw std::bad_alloc();
    if (request.path == "/busy") answer.status = 503;
    answer.body = request.path == "/large" ? std::string(kLargeAnswer, 'x') : std::string(body);
    constexpr char kOverwritten = '\x7f';
    std::fill(request.body.begin(), request.body.end(), kOverwritten);
    std::fill(padding, padding + server::kBodyPadding, kOverwritten);
  }

 private:
  static constexpr std::size_t kLargeAnswer = std::size_t{512} * 1024;
  std::vector<PlainRequest>& requests_;
};

class SessionPeer {
 public:
  explicit SessionPeer(std::shared_ptr<SSL_CTX> context, server::ServingPhase phase)
      : phase_(phase) {
    int ends[2];
    require(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) == 0,
            "there is a pair of sockets");
    client_.reset(ends[1]);
    session_ = std::make_unique<server::Session>(resources_, runtime::FileDescriptor(ends[0]),
                                                 std::move(context));
    session_->start();
  }

  bool is_ended() const { return session_ == nullptr; }
  const std::vector<PlainRequest>& requests() const { return requests_; }
  const server::ServerCounters& counters() const { return counters_; }

  // Bytes of the client, as far as the socket takes them.
  void send(std::string_view bytes) {
    constexpr int kTries = 100;
    for (int i = 0; i < kTries && !bytes.empty(); ++i) {
      const auto sent = ::send(client_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent > 0) bytes.remove_prefix(static_cast<std::size_t>(sent));
      if (sent < 0) poll();
    }
  }
  // Lets the session do what it can.
  void poll() {
    io_.restart();
    io_.poll();
  }
  // Returns the bytes that the server has sent.
  std::string receive() {
    std::string bytes;
    std::vector<char> piece(std::size_t{64} * 1024);
    for (;;) {
      const auto got = ::recv(client_.get(), piece.data(), piece.size(), 0);
      if (got <= 0) return bytes;
      bytes.append(piece.data(), static_cast<std::size_t>(got));
    }
  }
  void end_input() { ::shutdown(client_.get(), SHUT_WR); }
  // The time passes, and the sweep of the event loop follows.
  void pass(std::chrono::milliseconds time) {
    clock_.tick(time);
    if (session_) session_->check_deadline(clock_.monotonic());
  }
  void stop() {
    phase_ = server::ServingPhase::kStopping;
    if (session_) session_->stop_when_idle();
  }
  void evict() {
    if (session_ && session_->eviction_class != server::EvictionClass::kBusy) session_->evict();
  }

  // After the end of the session: it holds nothing.
  void check_end() {
    require(is_ended(), "a session ends after its client");
    require(counters_.requests_in_flight.load() == 0 && counters_.requests_complete.load() == 0,
            "no request is left");
    require(body_memory_.bytes == 0 && resources_.budget.body_bytes() == 0,
            "no memory of bodies is left");
    require(resources_.wide_sockets.kept == 0, "no wide socket is left");
    require(counters_.evictions.value(server::Eviction::kBodyMemory) == 0,
            "one session does not use up the memory");
  }

 private:
  void end() { session_.reset(); }

  test::FakeClock clock_;
  NoLogger logger_;
  server::ServerCounters counters_;
  server::Incidents incidents_{counters_, logger_, clock_};
  const server::ServerLimits limits_{.max_body_bytes = kMaxFuzzBody,
                                     .max_connections = 2,
                                     .max_in_flight = 1,
                                     .handshake_timeout = std::chrono::seconds(10),
                                     .header_timeout = std::chrono::seconds(5),
                                     .body_timeout = std::chrono::seconds(30),
                                     .idle_timeout = std::chrono::seconds(60)};
  std::atomic<server::ServingPhase> phase_;
  boost::asio::io_context io_{1};
  server::BodyMemory body_memory_{
      .bytes = 0, .share_of_loop = std::size_t{4} << 20U, .bound = std::size_t{4} << 20U};
  server::PeerTable peers_{1};
  std::vector<PlainRequest> requests_;
  server::LoopResources resources_{
      io_,
      limits_,
      phase_,
      clock_,
      incidents_,
      std::make_unique<RecordingHandler>(requests_),
      [this](server::Session&) { end(); },
      server::ArrivalClock([](int) { return std::optional<std::chrono::milliseconds>(); }),
      {},
      {},
      {},
      {},
      {body_memory_, peers_, 0}};
  runtime::FileDescriptor client_;
  std::unique_ptr<server::Session> session_;
};

}  // namespace dynamo::fuzz
