#include "server/holder_table.hpp"

#include <algorithm>

namespace dynamo::server {

namespace {

// How many of the largest holders choose() visits if the loops of the first ones are at their
// limit.
constexpr int kMostHolders = 4;

}  // namespace

HolderTable::HolderTable(std::size_t loops)
    : loops_(loops),
      pending_of_loop_(loops, 0),
      rows_(CountedLess<HolderKey>{&steps_}),
      ranking_(CountedLess<Row>{&steps_}) {}

HolderTable::~HolderTable() {
  ranking_.clear();
}

HolderTable::Row& HolderTable::open(const HolderKey& key) {
  const std::lock_guard lock(mutex_);
  if (const auto found = rows_.find(key); found != rows_.end()) {
    ++found->second.users;
    return found->second;
  }
  std::vector<std::size_t> by_loop(loops_, 0);
  const auto made = rows_.try_emplace(key).first;
  Row& row = made->second;
  row.key = &made->first;
  row.by_loop = std::move(by_loop);
  row.users = 1;
  return row;
}

void HolderTable::close(Row& row) {
  const std::lock_guard lock(mutex_);
  --row.users;
  drop_if_unused(row);
}

void HolderTable::drop_if_unused(Row& row) {
  if (row.users > 0 || row.asked > 0) return;
  if (row.hook.is_linked()) ranking_.erase(ranking_.iterator_to(row));
  rows_.erase(rows_.find(*row.key));
}

void HolderTable::join(Row& row) {
  const std::lock_guard lock(mutex_);
  ++row.all;
  rank(row);
}

void HolderTable::leave(Row& row) {
  const std::lock_guard lock(mutex_);
  --row.all;
  rank(row);
}

void HolderTable::add(Row& row, std::size_t loop) {
  const std::lock_guard lock(mutex_);
  ++row.can_go;
  ++row.by_loop.at(loop);
  rank(row);
}

void HolderTable::subtract(Row& row, std::size_t loop) {
  const std::lock_guard lock(mutex_);
  --row.can_go;
  --row.by_loop.at(loop);
  rank(row);
}

std::size_t HolderTable::of(const Row& row) const {
  const std::lock_guard lock(mutex_);
  return row.all;
}

bool HolderTable::ask_above(Row& row, std::size_t quota, bool it_bites) {
  const std::lock_guard lock(mutex_);
  if (row.all <= quota) row.is_above = false;
  if (row.all <= quota + row.asked || !(it_bites || row.is_above)) return false;
  row.is_above = true;
  ++row.asked;
  rank(row);
  return true;
}

void HolderTable::settle(Row& row) {
  const std::lock_guard lock(mutex_);
  --row.asked;
  rank(row);
  drop_if_unused(row);
}

// Only rows with an evictable connection are ranked, so that others are never visited. Among equal
// ones the first to arrive stays last, so that it is chosen first.
void HolderTable::rank(Row& row) {
  const bool is_ranked = row.can_go > row.asked;
  const std::size_t amount = row.all - std::min(row.all, row.asked);
  if (is_ranked && row.hook.is_linked() && row.amount == amount) return;
  if (row.hook.is_linked()) ranking_.erase(ranking_.iterator_to(row));
  row.amount = amount;
  if (is_ranked) ranking_.insert_before(ranking_.lower_bound(row), row);
}

std::optional<std::size_t> HolderTable::loop_of(const Row& row) const {
  std::optional<std::size_t> best;
  for (std::size_t loop = 0; loop < loops_; ++loop) {
    ++steps_;
    if (row.by_loop.at(loop) == 0 || pending_of_loop_.at(loop) >= kMostOfLoop) continue;
    if (!best || row.by_loop.at(loop) > row.by_loop.at(*best)) best = loop;
  }
  return best;
}

std::optional<HolderTable::Choice> HolderTable::choose() {
  const std::lock_guard lock(mutex_);
  const std::optional<Choice> choice = first_choice();
  if (!choice) return std::nullopt;
  Row& chosen = rows_.find(choice->holder)->second;
  ++chosen.asked;
  ++pending_of_loop_.at(choice->loop);
  rank(chosen);
  return choice;
}

std::optional<HolderTable::Choice> HolderTable::first_choice() const {
  auto row = ranking_.rbegin();
  for (int looked_at = 0; looked_at < kMostHolders && row != ranking_.rend(); ++looked_at, ++row) {
    if (const auto loop = loop_of(*row)) return Choice{*row->key, *loop};
  }
  return std::nullopt;
}

bool HolderTable::can_choose() const {
  const std::lock_guard lock(mutex_);
  return first_choice().has_value();
}

void HolderTable::settle(const Choice& choice) {
  Row* row = nullptr;
  {
    const std::lock_guard lock(mutex_);
    row = &rows_.find(choice.holder)->second;  // `asked` keeps it alive
  }
  settle(*row);
}

void HolderTable::forget_pending(std::size_t loop) {
  const std::lock_guard lock(mutex_);
  --pending_of_loop_.at(loop);
}

std::size_t HolderTable::pending() const {
  const std::lock_guard lock(mutex_);
  std::size_t sum = 0;
  for (const std::size_t of_loop : pending_of_loop_) sum += of_loop < kMostOfLoop ? of_loop : 0;
  return sum;
}

bool HolderTable::is_exhausted() const {
  const std::lock_guard lock(mutex_);
  if (std::ranges::all_of(pending_of_loop_, [](std::size_t of_loop) { return of_loop == 0; }))
    return false;
  return !first_choice();
}

std::uint64_t HolderTable::steps() const {
  const std::lock_guard lock(mutex_);
  return steps_;
}

}  // namespace dynamo::server
