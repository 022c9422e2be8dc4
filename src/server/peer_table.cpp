#include "server/peer_table.hpp"

#include <algorithm>

namespace dynamo::server {

namespace {

// How many of the largest peers choose() visits if the loops of the first ones are at their
// limit.
constexpr int kMaxPeersVisited = 4;

}  // namespace

PeerTable::PeerTable(std::size_t loops)
    : loops_(loops),
      pending_of_loop_(loops, 0),
      rows_(CountedLess<PeerKey>{&steps_}),
      ranking_(CountedLess<Row>{&steps_}) {}

PeerTable::~PeerTable() {
  ranking_.clear();
}

PeerTable::Row& PeerTable::open(const PeerKey& key) {
  const std::lock_guard lock(mutex_);
  if (const auto found = rows_.find(key); found != rows_.end()) {
    ++found->second.users;
    return found->second;
  }
  std::vector<std::size_t> evictable_by_loop(loops_, 0);
  const auto created = rows_.try_emplace(key).first;
  Row& row = created->second;
  row.key = &created->first;
  row.evictable_by_loop = std::move(evictable_by_loop);
  row.users = 1;
  return row;
}

void PeerTable::close(Row& row) {
  const std::lock_guard lock(mutex_);
  --row.users;
  drop_if_unused(row);
}

void PeerTable::drop_if_unused(Row& row) {
  if (row.users > 0 || row.requested > 0) return;
  if (row.hook.is_linked()) ranking_.erase(ranking_.iterator_to(row));
  rows_.erase(rows_.find(*row.key));
}

void PeerTable::add_connection(Row& row) {
  const std::lock_guard lock(mutex_);
  ++row.connections;
  rank(row);
}

void PeerTable::remove_connection(Row& row) {
  const std::lock_guard lock(mutex_);
  --row.connections;
  rank(row);
}

void PeerTable::add_evictable(Row& row, std::size_t loop) {
  const std::lock_guard lock(mutex_);
  ++row.evictable;
  ++row.evictable_by_loop.at(loop);
  rank(row);
}

void PeerTable::remove_evictable(Row& row, std::size_t loop) {
  const std::lock_guard lock(mutex_);
  --row.evictable;
  --row.evictable_by_loop.at(loop);
  rank(row);
}

std::size_t PeerTable::connections_of(const Row& row) const {
  const std::lock_guard lock(mutex_);
  return row.connections;
}

bool PeerTable::request_eviction(Row& row, std::size_t quota, bool is_quota_active) {
  const std::lock_guard lock(mutex_);
  if (row.connections <= quota) row.is_over_quota = false;
  if (row.connections <= quota + row.requested || !(is_quota_active || row.is_over_quota))
    return false;
  row.is_over_quota = true;
  ++row.requested;
  rank(row);
  return true;
}

void PeerTable::settle(Row& row) {
  const std::lock_guard lock(mutex_);
  --row.requested;
  rank(row);
  drop_if_unused(row);
}

// Only rows with an evictable connection are ranked, so that others are never visited. Among equal
// ones the first to arrive stays last, so that it is chosen first.
void PeerTable::rank(Row& row) {
  const bool is_ranked = row.evictable > row.requested;
  const std::size_t amount = row.connections - std::min(row.connections, row.requested);
  if (is_ranked && row.hook.is_linked() && row.amount == amount) return;
  if (row.hook.is_linked()) ranking_.erase(ranking_.iterator_to(row));
  row.amount = amount;
  if (is_ranked) ranking_.insert_before(ranking_.lower_bound(row), row);
}

std::optional<std::size_t> PeerTable::loop_of(const Row& row) const {
  std::optional<std::size_t> best;
  for (std::size_t loop = 0; loop < loops_; ++loop) {
    ++steps_;
    if (row.evictable_by_loop.at(loop) == 0 || pending_of_loop_.at(loop) >= kMaxPendingPerLoop)
      continue;
    if (!best || row.evictable_by_loop.at(loop) > row.evictable_by_loop.at(*best)) best = loop;
  }
  return best;
}

std::optional<PeerTable::Choice> PeerTable::choose() {
  const std::lock_guard lock(mutex_);
  const std::optional<Choice> choice = first_choice();
  if (!choice) return std::nullopt;
  Row& chosen = rows_.find(choice->peer)->second;
  ++chosen.requested;
  ++pending_of_loop_.at(choice->loop);
  rank(chosen);
  return choice;
}

std::optional<PeerTable::Choice> PeerTable::first_choice() const {
  auto row = ranking_.rbegin();
  for (int visited = 0; visited < kMaxPeersVisited && row != ranking_.rend(); ++visited, ++row) {
    if (const auto loop = loop_of(*row)) return Choice{*row->key, *loop};
  }
  return std::nullopt;
}

bool PeerTable::can_choose() const {
  const std::lock_guard lock(mutex_);
  return first_choice().has_value();
}

void PeerTable::settle(const Choice& choice) {
  Row* row = nullptr;
  {
    const std::lock_guard lock(mutex_);
    row = &rows_.find(choice.peer)->second;  // `requested` keeps it alive
  }
  settle(*row);
}

void PeerTable::forget_pending(std::size_t loop) {
  const std::lock_guard lock(mutex_);
  --pending_of_loop_.at(loop);
}

std::size_t PeerTable::pending() const {
  const std::lock_guard lock(mutex_);
  std::size_t sum = 0;
  for (const std::size_t of_loop : pending_of_loop_)
    sum += of_loop < kMaxPendingPerLoop ? of_loop : 0;
  return sum;
}

bool PeerTable::is_exhausted() const {
  const std::lock_guard lock(mutex_);
  if (std::ranges::all_of(pending_of_loop_, [](std::size_t of_loop) { return of_loop == 0; }))
    return false;
  return !first_choice();
}

std::uint64_t PeerTable::steps() const {
  const std::lock_guard lock(mutex_);
  return steps_;
}

}  // namespace dynamo::server
