#include "server/eviction_policy.hpp"

#include "server/peer_key.hpp"

namespace dynamo::server {
namespace {

// Limit of evictions of one peer per call; the next sweep continues.
constexpr std::size_t kMaxEvictionsPerCall = 64;

// Settles a requested eviction on every path; otherwise its peer would look smaller forever.
class RequestedEviction {
 public:
  RequestedEviction(PeerTable& table, PeerTable::Row& row) : table_(table), row_(row) {}
  ~RequestedEviction() { table_.settle(row_); }
  RequestedEviction(const RequestedEviction&) = delete;
  RequestedEviction& operator=(const RequestedEviction&) = delete;

 private:
  PeerTable& table_;
  PeerTable::Row& row_;
};

}  // namespace

// So many connections are open that the quotas count.
bool EvictionPolicy::are_quotas_active() const {
  const auto open = static_cast<std::size_t>(
      incidents_.counters().connections_open.load(std::memory_order_relaxed));
  return open >= limits_.max_connections - limits_.max_connections / 4;
}

void EvictionPolicy::enforce_quota(const BudgetEntry& entry) {
  if (entry.peer == nullptr || !has_quotas(limits_)) return;
  const PeerKey key = *entry.peer->key;
  enforce_quota_of(key, are_quotas_active(), &entry);
}

void EvictionPolicy::enforce_quotas() {
  if (!has_quotas(limits_)) return;
  const bool quotas_active = are_quotas_active();
  budget_.for_each_peer(
      [this, quotas_active](const PeerKey& key) { enforce_quota_of(key, quotas_active, nullptr); });
}

// See PeerTable::request_eviction().
void EvictionPolicy::enforce_quota_of(const PeerKey& key, bool quotas_active,
                                      const BudgetEntry* spared) {
  const std::size_t quota =
      is_client(key) ? limits_.max_connections_per_client : limits_.max_connections_per_address;
  if (quota == 0) return;
  for (std::size_t tries = kMaxEvictionsPerCall; tries > 0; --tries) {
    PeerTable::Row* const row = budget_.row_of(key);
    if (row == nullptr || !place_.table.request_eviction(*row, quota, quotas_active)) return;
    const RequestedEviction requested(place_.table, *row);
    BudgetEntry* const first = budget_.next_to_evict(key, spared);
    if (first == nullptr) return;
    if (first->has_unread_data()) {
      budget_.set_eviction_class(*first, first->eviction_class);  // the youngest now
    } else {
      first->evict();
    }
  }
}

void EvictionPolicy::evict_first_of(const PeerKey& peer) {
  constexpr int kTries = 8;
  for (int attempt = 1; attempt <= kTries; ++attempt) {
    BudgetEntry* const first = budget_.next_to_evict(peer);
    if (first == nullptr) return;
    const bool is_last_try =
        attempt == kTries && first->eviction_class == EvictionClass::kNoProgress;
    if (is_last_try || !first->has_unread_data()) return first->evict();
    budget_.set_eviction_class(*first, first->eviction_class);
  }
}

void EvictionPolicy::charge_body(BudgetEntry& entry, std::size_t bytes) {
  const std::size_t before = entry.body_bytes;
  if (bytes > before) {
    while (lacks_memory(bytes - before)) {
      BudgetEntry* const first = budget_.next_body_to_drop(&entry);
      if (first == nullptr) break;
      first->drop_body();
    }
    place_.body_memory.bytes.fetch_add(bytes - before, std::memory_order_relaxed);
  } else {
    place_.body_memory.bytes.fetch_sub(before - bytes, std::memory_order_relaxed);
  }
  budget_.set_body(entry, bytes);
}

bool EvictionPolicy::charge_answer(BudgetEntry& entry, std::size_t bytes) {
  place_.body_memory.bytes.fetch_add(bytes, std::memory_order_relaxed);
  budget_.set_body(entry, bytes);
  budget_.set_memory_class(entry, MemoryClass::kAnswer);
  while (lacks_memory(0) && budget_.body_bytes() > bytes) {
    BudgetEntry* const first = budget_.next_body_to_drop(nullptr, MemoryClass::kAnswer);
    if (first == &entry) return false;
    first->drop_body();
  }
  return true;
}

// Each loop considers only its own bodies, so that none waits for another: the shared half limits
// what the loops use beyond their shares.
bool EvictionPolicy::lacks_memory(std::size_t more) const {
  const BodyMemory& memory = place_.body_memory;
  return budget_.body_bytes() + more > memory.share_of_loop &&
         memory.bytes.load(std::memory_order_relaxed) + more > memory.bound;
}

}  // namespace dynamo::server
