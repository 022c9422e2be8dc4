// Connections that an event loop's sweep ends: those past their deadline, those of clients that are
// no longer trusted, and idle ones while the server stops.
#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <string>

#include "server/session.hpp"

namespace dynamo::server {
namespace {

// How long a client that is no longer trusted may take for its current request.
constexpr std::chrono::seconds kDistrustGrace{10};

}  // namespace

void Session::check_deadline(TimePoint now) {
  if (state_ == State::kClosed) return;
  detect_stall(now);
  if (now < deadline_) return;
  const int socket = socket_.native_handle();
  const auto& limits = loop_.limits;
  const auto in = [](std::chrono::milliseconds time) {
    return std::to_string(time.count()) + " ms";
  };
  switch (state_) {
    case State::kHandshake:
      loop_.incidents.handshake_failed(HandshakeFailure::kTimeout, "the handshake took too long",
                                       !tls_.has_received(), socket);
      loop_.incidents.timed_out(TimeoutPhase::kHandshake, socket);
      close_now();
      break;
    case State::kHeader:
      // A request that arrived while the loop was busy: the socket is about to report it. The
      // second limit is for a peer that sends, but never a whole record.
      if (is_idle() && now < deadline_ + limits.header_timeout && has_waiting_bytes()) return;
      loop_.incidents.timed_out(
          is_idle() && has_served_ ? TimeoutPhase::kIdle : TimeoutPhase::kHeader, socket);
      if (is_idle()) {
        close_in_order();
      } else {
        answer_late({408, "the header must be complete within " + in(limits.header_timeout)});
      }
      break;
    case State::kBody:
      if (now >= request_deadline_) {
        loop_.incidents.rejected(Limit::kDeadline, socket);
        answer_late({503,
                     "the body must be complete within the timeout that the request named, "
                     "less a margin; found " +
                         std::to_string(filled_ - header_size_) + " bytes of it",
                     kRetryAfterLine});
      } else {
        loop_.incidents.timed_out(TimeoutPhase::kBody, socket);
        answer_late({408, "the body must be complete within " + in(limits.body_timeout)});
      }
      break;
    case State::kWriting:
      loop_.incidents.timed_out(TimeoutPhase::kWrite, socket);
      close_now();
      break;
    case State::kLingering:
      close_now();
      break;
    case State::kClosed:
      break;
  }
  end_if_closed();
}

// Called from the sweep while we wait for the socket: sends what it accepts, without waiting again.
void Session::answer_late(const Refusal& refusal) {
  if (refusal.status < 500) {
    loop_.incidents.bad_request(refusal.status, refusal.text, socket_.native_handle());
  }
  compose_refusal(refusal);
  tls_.write(loop_.output);
  close_in_order();
}

void Session::check_client(const ServedTrust& now_served, ClientTrust::WallTime wall,
                           int& verifications) {
  if (state_ != State::kHeader && state_ != State::kBody && state_ != State::kWriting) return;
  const auto distrust = client_.check(tls_.connection(), now_served, wall, verifications);
  if (!distrust) {
    close_by_ = TimePoint::max();  // trusted again
    return;
  }
  if (close_by_ == TimePoint::max()) {
    loop_.incidents.distrusted(*distrust, socket_.native_handle());
    close_by_ = now() + kDistrustGrace;
    deadline_ = std::min(deadline_, close_by_);
  }
  if (!is_idle()) return;
  close_in_order();
  end_if_closed();
}

void Session::stop_when_idle() {
  if (state_ == State::kHandshake || (is_idle() && !has_served_)) {
    deadline_ = std::min(deadline_, now() + kFreshGrace);
    return;
  }
  if (is_idle() && !has_waiting_bytes()) close_in_order();
}

bool Session::has_waiting_bytes() {
  if (tls_.has_pending()) return true;
  char next = 0;
  return ::recv(socket_.native_handle(), &next, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

}  // namespace dynamo::server
