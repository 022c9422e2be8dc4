#include "bench/load/open_loop.hpp"

#include <algorithm>
#include <utility>

namespace dynamo::bench {
namespace {

using boost::system::error_code;
using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""min;

// As many handshakes as an API server starts at once; more would only wait for each other.
constexpr std::size_t kOpeningAtOnce = 16;
constexpr std::chrono::milliseconds kSweepInterval = 20ms;
constexpr std::chrono::minutes kOpeningLimit = 1min;

std::uint32_t microseconds(std::chrono::steady_clock::duration time) {
  return static_cast<std::uint32_t>(
      std::max<std::int64_t>(0, std::chrono::floor<std::chrono::microseconds>(time).count()));
}

}  // namespace

OpenLoop::OpenLoop(boost::asio::io_context& loop, boost::asio::ssl::context& tls,
                   const Requests& requests, const LoadPlan& plan, std::function<void()> started)
    : loop_(loop),
      tls_(tls),
      requests_(requests),
      plan_(plan),
      total_(plan.rate * static_cast<std::uint64_t>(plan.duration.count())),
      started_(std::move(started)),
      schedule_(loop),
      sweeps_(loop),
      slots_(plan.connections) {
  records_.reserve(total_);
}

bool OpenLoop::run() {
  began_ = Clock::now();
  sweep();
  loop_.run();
  return is_started_;
}

// Opens connections, and ends what takes too long.
void OpenLoop::sweep() {
  const Clock::time_point now = Clock::now();
  if (!is_started_ && now - began_ > kOpeningLimit) {
    loop_.stop();
    return;
  }
  expire(now);
  open_closed(now);
  sweeps_.expires_after(kSweepInterval);
  sweeps_.async_wait([this](const error_code& error) {
    if (!error) sweep();
  });
}

void OpenLoop::expire(Clock::time_point now) {
  while (!waiting_.empty() && now - waiting_.front().due > plan_.timeout) {
    record(waiting_.front(), now, Outcome::kNotSent);
    waiting_.pop_front();
  }
  for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
    Slot& each = slots_[slot];
    if (each.state == State::kBusy && now - each.pending.due > plan_.timeout) {
      record(each.pending, each.since, Outcome::kTimeout);
      close(slot);
    } else if (each.state == State::kOpening && now - each.since > plan_.timeout) {
      on_end(slot, boost::asio::error::timed_out);
    }
  }
  end_if_complete();
}

void OpenLoop::open_closed(Clock::time_point now) {
  ConnectionOwner& owner = *this;
  for (std::size_t slot = 0; slot < slots_.size() && opening_ < kOpeningAtOnce; ++slot) {
    Slot& each = slots_[slot];
    if (each.state != State::kClosed) continue;
    each.state = State::kOpening;
    each.since = now;
    each.connection = std::make_shared<Connection>(loop_, tls_, owner, slot);
    each.connection->open(plan_.server);
    ++opening_;
  }
}

void OpenLoop::start() {
  is_started_ = true;
  // Spreads the replacement of connections over time.
  for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
    slots_[slot].responses = slot * plan_.requests_per_connection / slots_.size();
  }
  started_();
  start_ = Clock::now();
  issue();
}

// Everything that is due, and a timer for the next request.
void OpenLoop::issue() {
  const auto due = [this] {
    return start_ + std::chrono::nanoseconds(issued_ * 1'000'000'000 / plan_.rate);
  };
  while (issued_ < total_ && due() <= Clock::now()) {
    const Pending pending{.due = due(),
                          .request = requests_.order[issued_ % requests_.order.size()]};
    ++issued_;
    if (idle_.empty()) {
      waiting_.push_back(pending);
    } else {
      const std::size_t slot = idle_.front();
      idle_.pop_front();
      send(slot, pending);
    }
  }
  if (issued_ == total_) return;
  schedule_.expires_at(due());
  schedule_.async_wait([this](const error_code& error) {
    if (!error) issue();
  });
}

void OpenLoop::send(std::size_t slot, const Pending& pending) {
  Slot& used = slots_[slot];
  used.state = State::kBusy;
  used.since = Clock::now();
  used.pending = pending;
  ++used.responses;
  const bool is_last =
      plan_.requests_per_connection > 0 && used.responses >= plan_.requests_per_connection;
  used.connection->send(requests_.all[pending.request], is_last);
}

void OpenLoop::make_idle(std::size_t slot) {
  slots_[slot].state = State::kIdle;
  if (waiting_.empty()) {
    idle_.push_back(slot);
    return;
  }
  const Pending next = waiting_.front();
  waiting_.pop_front();
  send(slot, next);
}

void OpenLoop::close(std::size_t slot) {
  Slot& closed = slots_[slot];
  closed.state = State::kClosed;
  closed.responses = 0;
  if (closed.connection) std::exchange(closed.connection, nullptr)->abandon();
}

void OpenLoop::on_open(std::size_t slot, const std::string& leaf) {
  --opening_;
  ++summary_.opened;
  summary_.leaves.insert(leaf);
  make_idle(slot);
  if (is_started_) return;
  if (idle_.size() == slots_.size()) {
    start();
  } else {
    open_closed(Clock::now());
  }
}

void OpenLoop::on_response(std::size_t slot, Outcome outcome, bool is_reusable) {
  Slot& used = slots_[slot];
  record(used.pending, used.since, outcome);
  if (is_reusable) {
    make_idle(slot);
  } else {
    std::exchange(used.connection, nullptr)->finish();
    close(slot);
    open_closed(Clock::now());
  }
  end_if_complete();
}

void OpenLoop::on_end(std::size_t slot, const error_code& error) {
  Slot& ended = slots_[slot];
  if (ended.state == State::kOpening) {
    --opening_;
    ++summary_.failed_opens;
  } else if (ended.state == State::kIdle) {
    ++summary_.idle_ends;
    std::erase(idle_, slot);
  }
  const bool is_failure = ended.state != State::kIdle;
  if (is_failure && summary_.first_failure.empty()) summary_.first_failure = error.message();
  if (ended.state == State::kBusy) record(ended.pending, ended.since, Outcome::kLost);
  close(slot);
  end_if_complete();
}

void OpenLoop::record(const Pending& pending, Clock::time_point sent, Outcome outcome) {
  records_.push_back({.due = microseconds(pending.due - start_),
                      .delay = microseconds(sent - pending.due),
                      .latency = microseconds(Clock::now() - pending.due),
                      .request = pending.request,
                      .outcome = outcome});
}

void OpenLoop::end_if_complete() {
  if (is_started_ && records_.size() == total_) loop_.stop();
}

}  // namespace dynamo::bench
