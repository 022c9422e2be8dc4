// Eviction when connections or the memory for bodies run out. Each event loop groups its
// connections by peer, so that the oldest connection of the largest peer is found without a
// scan. ADR 16 has the reasons.
#pragma once

#include <array>
#include <boost/intrusive/list.hpp>
#include <boost/intrusive/set.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>

#include "server/peer_table.hpp"

namespace dynamo::server {

// Within one peer, connections of the first class are evicted first.
enum class EvictionClass : std::uint8_t {
  kNoProgress,  // no answer yet, stalled, or after the last answer
  kIdle,        // idle between requests
  kReceiving,   // receives a body at the minimum rate or faster
  kBusy,        // is being answered: never evicted
};
inline constexpr std::size_t kEvictableClasses = 3;

// Which bodies and answers are dropped when memory runs out, in this order.
enum class MemoryClass : std::uint8_t {
  kStalled,  // slower than the minimum rate
  kAnswer,   // waits for the peer to read it
  kBody,     // being received, not complete
};
inline constexpr std::size_t kMemoryClasses = 3;

struct Peer;

// One connection's entry in a budget. It must have left the budget before it is destroyed.
class BudgetEntry {
 public:
  BudgetEntry() = default;
  BudgetEntry(const BudgetEntry&) = delete;
  BudgetEntry& operator=(const BudgetEntry&) = delete;

  // Evicts the connection immediately, which may destroy the entry later.
  virtual void evict() = 0;
  // Drops its unfinished body or waiting answer, with body_bytes.
  virtual void drop_body() = 0;
  // True if unread bytes of the peer have arrived: perhaps a request.
  virtual bool has_unread_data() = 0;

  boost::intrusive::list_member_hook<> eviction_hook;  // in its peer's queue of one class
  boost::intrusive::list_member_hook<> body_hook;      // in its peer's list of one memory class
  Peer* peer = nullptr;
  std::size_t body_bytes = 0;
  EvictionClass eviction_class = EvictionClass::kBusy;
  MemoryClass memory_class = MemoryClass::kBody;

 protected:
  ~BudgetEntry() = default;
};

// A peer's share of a limited resource.
struct PeerShare {
  boost::intrusive::set_member_hook<> hook;
  std::size_t amount = 0;
  Peer* peer = nullptr;
};

struct Peer {
  using EvictionQueue = boost::intrusive::list<
      BudgetEntry, boost::intrusive::member_hook<BudgetEntry, boost::intrusive::list_member_hook<>,
                                                 &BudgetEntry::eviction_hook>>;
  using Bodies = boost::intrusive::list<
      BudgetEntry, boost::intrusive::member_hook<BudgetEntry, boost::intrusive::list_member_hook<>,
                                                 &BudgetEntry::body_hook>>;

  std::size_t connections = 0;
  const PeerKey* key = nullptr;
  PeerTable::Row* row = nullptr;  // counts the connections in the queues
  std::array<EvictionQueue, kEvictableClasses> eviction_queues;  // each with the oldest in front
  std::array<Bodies, kMemoryClasses> bodies;                     // each with the oldest in front
  std::array<PeerShare, kMemoryClasses> body_bytes;
};

// Used only by its loop's thread. Each operation costs O(1) or O(log peers), see steps(). Only
// operations that add or remove a connection, or set its class from or to kBusy, lock or allocate.
class ConnectionBudget {
 public:
  // The budget of loop number `loop`; `table` must outlive it.
  ConnectionBudget(PeerTable& table, std::size_t loop);
  ConnectionBudget(const ConnectionBudget&) = delete;
  ConnectionBudget& operator=(const ConnectionBudget&) = delete;

  // Adds a new connection of `key` with class kNoProgress. Strong guarantee: throws std::bad_alloc
  // without changes.
  void join(BudgetEntry& entry, const PeerKey& key);
  // Changes the peer once its certificate is verified. Strong guarantee: throws std::bad_alloc
  // without changes.
  void rename(BudgetEntry& entry, const PeerKey& key);
  // Does nothing for an entry that has already left.
  void leave(BudgetEntry& entry);

  // Makes it the youngest of that class, even if it was in that class before.
  void set_eviction_class(BudgetEntry& entry, EvictionClass eviction_class);

  // Sets the memory of its unfinished body or waiting answer; 0: it has none, and its next memory
  // class is kBody.
  void set_body(BudgetEntry& entry, std::size_t bytes);
  // Sets its memory class until set_body(entry, 0).
  void set_memory_class(BudgetEntry& entry, MemoryClass memory_class);

  // The next connection of this peer to evict: the oldest of the first class, except `spared`;
  // null if none can be evicted.
  BudgetEntry* next_to_evict(const PeerKey& key, const BudgetEntry* spared = nullptr);

  // The table row of this peer while it has connections here; otherwise null.
  PeerTable::Row* row_of(const PeerKey& key);
  // `action` may end connections of the peer that it receives.
  void for_each_peer(const std::function<void(const PeerKey&)>& action);

  // The next body or answer to drop: the oldest one of the largest peer, for the first memory class
  // in use, not after `last`, and never `spared`. Null if there is no other.
  BudgetEntry* next_body_to_drop(const BudgetEntry* spared, MemoryClass last = MemoryClass::kBody);

  // Connections of the peer of `entry` on all loops.
  std::size_t connections_of_peer(const BudgetEntry& entry) const;

  // Memory of all unfinished bodies and waiting answers.
  std::size_t body_bytes() const { return body_bytes_; }

  // Number of comparisons and visited elements so far: lets a test verify the cost.
  std::uint64_t steps() const { return steps_; }

 private:
  using Ranking = boost::intrusive::multiset<
      PeerShare,
      boost::intrusive::member_hook<PeerShare, boost::intrusive::set_member_hook<>,
                                    &PeerShare::hook>,
      boost::intrusive::compare<CountedLess<PeerShare>>>;
  using Peers = std::map<PeerKey, Peer, CountedLess<PeerKey>>;

  Peer& peer_of(const PeerKey& key);
  void attach(BudgetEntry& entry, Peer& peer);
  void leave_eviction_queue(BudgetEntry& entry);
  void unlink_body(BudgetEntry& entry);
  void link_body(BudgetEntry& entry, std::size_t bytes);
  void change(Ranking& ranking, PeerShare& share, std::size_t amount);

  std::uint64_t steps_ = 0;
  std::size_t body_bytes_ = 0;
  PeerTable& table_;
  const std::size_t loop_;
  std::array<Ranking, kMemoryClasses> by_body_bytes_;
  Peers peers_;  // after the rankings, which refer to its values
};

}  // namespace dynamo::server
