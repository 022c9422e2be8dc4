#include "server/connection_budget.hpp"

#include <algorithm>
#include <utility>

namespace dynamo::server {

ConnectionBudget::ConnectionBudget(PeerTable& table, std::size_t loop)
    : table_(table),
      loop_(loop),
      by_body_bytes_{Ranking(CountedLess<PeerShare>{&steps_}),
                     Ranking(CountedLess<PeerShare>{&steps_}),
                     Ranking(CountedLess<PeerShare>{&steps_})},
      peers_(CountedLess<PeerKey>{&steps_}) {}

Peer& ConnectionBudget::peer_of(const PeerKey& key) {
  if (const auto found = peers_.find(key); found != peers_.end()) return found->second;
  PeerTable::Row& row = table_.open(key);
  try {
    const auto created = peers_.try_emplace(key).first;
    Peer& peer = created->second;
    peer.key = &created->first;
    peer.row = &row;
    for (PeerShare& share : peer.body_bytes) share.peer = &peer;
    return peer;
  } catch (...) {
    table_.close(row);
    throw;
  }
}

void ConnectionBudget::attach(BudgetEntry& entry, Peer& peer) {
  entry.peer = &peer;
  entry.eviction_class = EvictionClass::kBusy;
  ++peer.connections;
  table_.add_connection(*peer.row);
}

void ConnectionBudget::join(BudgetEntry& entry, const PeerKey& key) {
  attach(entry, peer_of(key));
  set_eviction_class(entry, EvictionClass::kNoProgress);
}

void ConnectionBudget::rename(BudgetEntry& entry, const PeerKey& key) {
  Peer& known = peer_of(key);
  if (&known == entry.peer) return;
  const EvictionClass eviction_class = entry.eviction_class;
  const std::size_t bytes = entry.body_bytes;
  ++known.connections;  // keeps it alive while the entry moves
  leave(entry);
  --known.connections;
  attach(entry, known);
  set_eviction_class(entry, eviction_class);
  set_body(entry, bytes);
}

void ConnectionBudget::leave(BudgetEntry& entry) {
  Peer* const peer = entry.peer;
  if (peer == nullptr) return;
  set_body(entry, 0);
  leave_eviction_queue(entry);
  entry.peer = nullptr;
  table_.remove_connection(*peer->row);
  if (--peer->connections > 0) return;
  table_.close(*peer->row);
  peers_.erase(peers_.find(*peer->key));
}

void ConnectionBudget::leave_eviction_queue(BudgetEntry& entry) {
  if (entry.eviction_class == EvictionClass::kBusy) return;
  Peer& peer = *entry.peer;
  auto& queue = peer.eviction_queues.at(static_cast<std::size_t>(entry.eviction_class));
  queue.erase(queue.iterator_to(entry));
  entry.eviction_class = EvictionClass::kBusy;
  table_.remove_evictable(*peer.row, loop_);
}

void ConnectionBudget::set_eviction_class(BudgetEntry& entry, EvictionClass eviction_class) {
  if (entry.peer == nullptr) return;
  Peer& peer = *entry.peer;
  if (eviction_class == EvictionClass::kBusy) return leave_eviction_queue(entry);
  auto& next = peer.eviction_queues.at(static_cast<std::size_t>(eviction_class));
  if (entry.eviction_class == EvictionClass::kBusy) {
    next.push_back(entry);
    table_.add_evictable(*peer.row, loop_);
  } else {
    // The usual case, at the end of a request: the peer's rank does not change.
    auto& before = peer.eviction_queues.at(static_cast<std::size_t>(entry.eviction_class));
    next.splice(next.end(), before, before.iterator_to(entry));
  }
  entry.eviction_class = eviction_class;
}

// Among equal ones the first to arrive stays last, so that it is evicted first.
void ConnectionBudget::change(Ranking& ranking, PeerShare& share, std::size_t amount) {
  if (share.hook.is_linked()) ranking.erase(ranking.iterator_to(share));
  share.amount = amount;
  if (amount > 0) ranking.insert_before(ranking.lower_bound(share), share);
}

void ConnectionBudget::unlink_body(BudgetEntry& entry) {
  if (entry.body_bytes == 0) return;
  Peer& peer = *entry.peer;
  const auto list = static_cast<std::size_t>(entry.memory_class);
  auto& bodies = peer.bodies.at(list);
  bodies.erase(bodies.iterator_to(entry));
  PeerShare& share = peer.body_bytes.at(list);
  change(by_body_bytes_.at(list), share, share.amount - entry.body_bytes);
  body_bytes_ -= std::exchange(entry.body_bytes, 0);
}

void ConnectionBudget::link_body(BudgetEntry& entry, std::size_t bytes) {
  if (bytes == 0) return;
  Peer& peer = *entry.peer;
  const auto list = static_cast<std::size_t>(entry.memory_class);
  peer.bodies.at(list).push_back(entry);
  PeerShare& share = peer.body_bytes.at(list);
  change(by_body_bytes_.at(list), share, share.amount + bytes);
  body_bytes_ += bytes;
  entry.body_bytes = bytes;
}

void ConnectionBudget::set_body(BudgetEntry& entry, std::size_t bytes) {
  if (entry.peer == nullptr || entry.body_bytes == bytes) return;
  if (entry.body_bytes == 0 || bytes == 0) {
    unlink_body(entry);
    entry.memory_class = MemoryClass::kBody;
    link_body(entry, bytes);
    return;
  }
  // It grows and keeps its position in its peer's list.
  const auto list = static_cast<std::size_t>(entry.memory_class);
  PeerShare& share = entry.peer->body_bytes.at(list);
  change(by_body_bytes_.at(list), share, share.amount - entry.body_bytes + bytes);
  body_bytes_ = body_bytes_ - entry.body_bytes + bytes;
  entry.body_bytes = bytes;
}

void ConnectionBudget::set_memory_class(BudgetEntry& entry, MemoryClass memory_class) {
  if (entry.peer == nullptr || entry.memory_class == memory_class) return;
  const std::size_t bytes = entry.body_bytes;
  unlink_body(entry);
  entry.memory_class = memory_class;
  link_body(entry, bytes);
}

BudgetEntry* ConnectionBudget::next_to_evict(const PeerKey& key, const BudgetEntry* spared) {
  const auto found = peers_.find(key);
  if (found == peers_.end()) return nullptr;
  for (Peer::EvictionQueue& queue : found->second.eviction_queues) {
    if (queue.empty()) continue;
    if (&queue.front() != spared) return &queue.front();
    if (const auto second = std::next(queue.begin()); second != queue.end()) return &*second;
  }
  return nullptr;
}

PeerTable::Row* ConnectionBudget::row_of(const PeerKey& key) {
  const auto found = peers_.find(key);
  return found == peers_.end() ? nullptr : found->second.row;
}

void ConnectionBudget::for_each_peer(const std::function<void(const PeerKey&)>& action) {
  for (auto peer = peers_.begin(); peer != peers_.end();) {
    const PeerKey key = peer->first;
    ++peer;
    action(key);
  }
}

BudgetEntry* ConnectionBudget::next_body_to_drop(const BudgetEntry* spared, MemoryClass last) {
  for (std::size_t list = 0; list <= static_cast<std::size_t>(last); ++list) {
    Ranking& ranking = by_body_bytes_.at(list);
    // Only one peer has `spared`, so its second entry or the next peer is the result.
    for (auto share = ranking.rbegin(); share != ranking.rend(); ++share) {
      auto& bodies = share->peer->bodies.at(list);
      ++steps_;
      if (&bodies.front() != spared) return &bodies.front();
      if (const auto second = std::next(bodies.begin()); second != bodies.end()) return &*second;
    }
  }
  return nullptr;
}

std::size_t ConnectionBudget::connections_of_peer(const BudgetEntry& entry) const {
  return entry.peer == nullptr ? 0 : table_.connections_of(*entry.peer->row);
}

}  // namespace dynamo::server
