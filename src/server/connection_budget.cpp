#include "server/connection_budget.hpp"

#include <algorithm>
#include <utility>

namespace dynamo::server {

ConnectionBudget::ConnectionBudget(HolderTable& table, std::size_t loop)
    : table_(table),
      loop_(loop),
      by_body_bytes_{Ranking(CountedLess<HolderShare>{&steps_}),
                     Ranking(CountedLess<HolderShare>{&steps_}),
                     Ranking(CountedLess<HolderShare>{&steps_})},
      holders_(CountedLess<HolderKey>{&steps_}) {}

Holder& ConnectionBudget::holder_of(const HolderKey& key) {
  if (const auto found = holders_.find(key); found != holders_.end()) return found->second;
  HolderTable::Row& row = table_.open(key);
  try {
    const auto made = holders_.try_emplace(key).first;
    Holder& holder = made->second;
    holder.key = &made->first;
    holder.row = &row;
    for (HolderShare& share : holder.body_bytes) share.holder = &holder;
    return holder;
  } catch (...) {
    table_.close(row);
    throw;
  }
}

void ConnectionBudget::attach(BudgetEntry& entry, Holder& holder) {
  entry.holder = &holder;
  entry.standing = Standing::kBusy;
  ++holder.connections;
  table_.join(*holder.row);
}

void ConnectionBudget::join(BudgetEntry& entry, const HolderKey& key) {
  attach(entry, holder_of(key));
  stand(entry, Standing::kStranger);
}

void ConnectionBudget::rename(BudgetEntry& entry, const HolderKey& key) {
  Holder& known = holder_of(key);
  if (&known == entry.holder) return;
  const Standing standing = entry.standing;
  const std::size_t bytes = entry.body_bytes;
  ++known.connections;  // keeps it alive while the entry moves
  leave(entry);
  --known.connections;
  attach(entry, known);
  stand(entry, standing);
  set_body(entry, bytes);
}

void ConnectionBudget::leave(BudgetEntry& entry) {
  Holder* const holder = entry.holder;
  if (holder == nullptr) return;
  set_body(entry, 0);
  unlink_turn(entry);
  entry.holder = nullptr;
  table_.leave(*holder->row);
  if (--holder->connections > 0) return;
  table_.close(*holder->row);
  holders_.erase(holders_.find(*holder->key));
}

void ConnectionBudget::unlink_turn(BudgetEntry& entry) {
  if (entry.standing == Standing::kBusy) return;
  Holder& holder = *entry.holder;
  auto& turns = holder.turns.at(static_cast<std::size_t>(entry.standing));
  turns.erase(turns.iterator_to(entry));
  entry.standing = Standing::kBusy;
  table_.subtract(*holder.row, loop_);
}

void ConnectionBudget::stand(BudgetEntry& entry, Standing standing) {
  if (entry.holder == nullptr) return;
  Holder& holder = *entry.holder;
  if (standing == Standing::kBusy) return unlink_turn(entry);
  auto& next = holder.turns.at(static_cast<std::size_t>(standing));
  if (entry.standing == Standing::kBusy) {
    next.push_back(entry);
    table_.add(*holder.row, loop_);
  } else {
    // The usual case, at the end of a request: the holder's rank does not change.
    auto& before = holder.turns.at(static_cast<std::size_t>(entry.standing));
    next.splice(next.end(), before, before.iterator_to(entry));
  }
  entry.standing = standing;
}

// Among equal ones the first to arrive stays last, so that it pays first.
void ConnectionBudget::change(Ranking& ranking, HolderShare& share, std::size_t amount) {
  if (share.hook.is_linked()) ranking.erase(ranking.iterator_to(share));
  share.amount = amount;
  if (amount > 0) ranking.insert_before(ranking.lower_bound(share), share);
}

void ConnectionBudget::unlink_body(BudgetEntry& entry) {
  if (entry.body_bytes == 0) return;
  Holder& holder = *entry.holder;
  const auto list = static_cast<std::size_t>(entry.claim);
  auto& bodies = holder.bodies.at(list);
  bodies.erase(bodies.iterator_to(entry));
  HolderShare& share = holder.body_bytes.at(list);
  change(by_body_bytes_.at(list), share, share.amount - entry.body_bytes);
  body_bytes_ -= std::exchange(entry.body_bytes, 0);
}

void ConnectionBudget::link_body(BudgetEntry& entry, std::size_t bytes) {
  if (bytes == 0) return;
  Holder& holder = *entry.holder;
  const auto list = static_cast<std::size_t>(entry.claim);
  holder.bodies.at(list).push_back(entry);
  HolderShare& share = holder.body_bytes.at(list);
  change(by_body_bytes_.at(list), share, share.amount + bytes);
  body_bytes_ += bytes;
  entry.body_bytes = bytes;
}

void ConnectionBudget::set_body(BudgetEntry& entry, std::size_t bytes) {
  if (entry.holder == nullptr || entry.body_bytes == bytes) return;
  if (entry.body_bytes == 0 || bytes == 0) {
    unlink_body(entry);
    entry.claim = Claim::kBody;
    link_body(entry, bytes);
    return;
  }
  // It grows and keeps its position in its holder's list.
  const auto list = static_cast<std::size_t>(entry.claim);
  HolderShare& share = entry.holder->body_bytes.at(list);
  change(by_body_bytes_.at(list), share, share.amount - entry.body_bytes + bytes);
  body_bytes_ = body_bytes_ - entry.body_bytes + bytes;
  entry.body_bytes = bytes;
}

void ConnectionBudget::claim(BudgetEntry& entry, Claim claim) {
  if (entry.holder == nullptr || entry.claim == claim) return;
  const std::size_t bytes = entry.body_bytes;
  unlink_body(entry);
  entry.claim = claim;
  link_body(entry, bytes);
}

BudgetEntry* ConnectionBudget::first_to_go(const HolderKey& key, const BudgetEntry* spared) {
  const auto found = holders_.find(key);
  if (found == holders_.end()) return nullptr;
  for (Holder::Turns& turns : found->second.turns) {
    if (turns.empty()) continue;
    if (&turns.front() != spared) return &turns.front();
    if (const auto second = std::next(turns.begin()); second != turns.end()) return &*second;
  }
  return nullptr;
}

HolderTable::Row* ConnectionBudget::row_of(const HolderKey& key) {
  const auto found = holders_.find(key);
  return found == holders_.end() ? nullptr : found->second.row;
}

void ConnectionBudget::for_each_holder(const std::function<void(const HolderKey&)>& action) {
  for (auto holder = holders_.begin(); holder != holders_.end();) {
    const HolderKey key = holder->first;
    ++holder;
    action(key);
  }
}

BudgetEntry* ConnectionBudget::first_body_to_go(const BudgetEntry* spared, Claim last) {
  for (std::size_t list = 0; list <= static_cast<std::size_t>(last); ++list) {
    Ranking& ranking = by_body_bytes_.at(list);
    // Only one holder has `spared`, so its second entry or the next holder is the result.
    for (auto share = ranking.rbegin(); share != ranking.rend(); ++share) {
      auto& bodies = share->holder->bodies.at(list);
      ++steps_;
      if (&bodies.front() != spared) return &bodies.front();
      if (const auto second = std::next(bodies.begin()); second != bodies.end()) return &*second;
    }
  }
  return nullptr;
}

std::size_t ConnectionBudget::connections_of_holder(const BudgetEntry& entry) const {
  return entry.holder == nullptr ? 0 : table_.of(*entry.holder->row);
}

}  // namespace dynamo::server
