#include "server/watchdog.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace dynamo::server {

namespace {

using std::chrono::nanoseconds;

double seconds(nanoseconds duration) {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace

bool Heartbeat::ask(TimePoint now) {
  std::int64_t none = kNonePending;
  const nanoseconds since = now.time_since_epoch();
  return pending_since_.compare_exchange_strong(none, since.count(), std::memory_order_relaxed);
}

nanoseconds Heartbeat::pending_for(TimePoint now) const {
  const std::int64_t since = pending_since_.load(std::memory_order_relaxed);
  if (since == kNonePending) return nanoseconds(0);
  return now.time_since_epoch() - nanoseconds(since);
}

Watchdog::~Watchdog() {
  for (const auto& loop : loops_) {
    if (loop->is_stuck) counters_.stuck.fetch_sub(1, std::memory_order_relaxed);
  }
}

void Watchdog::watch(std::string name, Post post) {
  loops_.push_back(std::make_shared<Loop>());
  loops_.back()->name = std::move(name);
  loops_.back()->post = std::move(post);
}

void Watchdog::check_loops() {
  const auto now = clock_.monotonic();
  for (const auto& loop : loops_) {
    check_loop(*loop, loop->heartbeat.pending_for(now));
    if (!loop->post || !loop->heartbeat.ask(now)) continue;
    try {
      loop->post([loop] { loop->heartbeat.answer(); });
    } catch (const std::bad_alloc&) {
      loop->heartbeat.answer();  // was not asked; the next check asks again
    }
  }
}

void Watchdog::check_loop(Loop& loop, nanoseconds blocked_for) {
  const bool was_suspect = std::exchange(loop.is_suspect, blocked_for > kStuckAfter);
  if (loop.is_suspect && was_suspect && !loop.is_stuck) {
    loop.is_stuck = true;
    counters_.stalls.fetch_add(1, std::memory_order_relaxed);
    counters_.stuck.fetch_add(1, std::memory_order_relaxed);
    logger_.log(runtime::Level::kError, "an event loop is stuck",
                {{"loop", loop.name}, {"for_seconds", seconds(blocked_for)}});
  } else if (!loop.is_suspect && loop.is_stuck) {
    loop.is_stuck = false;
    counters_.stuck.fetch_sub(1, std::memory_order_relaxed);
    logger_.log(runtime::Level::kWarning, "an event loop runs again", {{"loop", loop.name}});
  }
}

void Watchdog::release() {
  for (const auto& loop : loops_) loop->post = nullptr;
}

bool Watchdog::are_all_stuck() const {
  return !loops_.empty() &&
         std::ranges::all_of(loops_, [](const auto& loop) { return loop->is_stuck.load(); });
}

std::optional<std::string> Watchdog::problem() const {
  std::string stuck;
  for (const auto& loop : loops_) {
    if (!loop->is_stuck) continue;
    stuck += (stuck.empty() ? "" : ", ") + loop->name;
  }
  if (stuck.empty()) return std::nullopt;
  return stuck + " has not turned for more than " + std::to_string(kStuckAfter.count()) + " s";
}

std::string Watchdog::late_loops(nanoseconds least) const {
  const auto now = clock_.monotonic();
  std::string late;
  for (const auto& loop : loops_) {
    if (loop->heartbeat.pending_for(now) <= least) continue;
    late += (late.empty() ? "" : ", ") + loop->name;
  }
  return late;
}

}  // namespace dynamo::server
