// Eviction when connections or the memory for bodies run out. Each event loop groups its
// connections by holder, so that the oldest connection of the largest holder is found without a
// scan. ADR 16 has the reasons.
#pragma once

#include <array>
#include <boost/intrusive/list.hpp>
#include <boost/intrusive/set.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>

#include "server/holder_table.hpp"

namespace dynamo::server {

// Eviction class of a connection; within one holder, the first class is evicted first.
enum class Standing : std::uint8_t {
  kStranger,   // no answer yet, stalled, or after the last answer
  kServed,     // idle between requests
  kReceiving,  // receives a body at the minimum rate or faster
  kBusy,       // is being answered: never evicted
};
inline constexpr std::size_t kStandingsThatGo = 3;

// Eviction class for memory: which bodies and answers are dropped when memory runs out, in this
// order.
enum class Claim : std::uint8_t {
  kStalled,  // slower than the minimum rate
  kAnswer,   // waits for the peer to read it
  kBody,     // being received, not complete
};
inline constexpr std::size_t kClaims = 3;

struct Holder;

// One connection's entry in a budget. It must have left the budget before it is destroyed.
class BudgetEntry {
 public:
  BudgetEntry() = default;
  BudgetEntry(const BudgetEntry&) = delete;
  BudgetEntry& operator=(const BudgetEntry&) = delete;

  boost::intrusive::list_member_hook<> turn_hook;  // in its holder's list of one class
  boost::intrusive::list_member_hook<> body_hook;  // in its holder's list of one claim
  Holder* holder = nullptr;
  std::size_t body_bytes = 0;
  Standing standing = Standing::kBusy;
  Claim claim = Claim::kBody;
};

// A holder's share of a limited resource.
struct HolderShare {
  boost::intrusive::set_member_hook<> hook;
  std::size_t amount = 0;
  Holder* holder = nullptr;
};

struct Holder {
  using Turns = boost::intrusive::list<
      BudgetEntry, boost::intrusive::member_hook<BudgetEntry, boost::intrusive::list_member_hook<>,
                                                 &BudgetEntry::turn_hook>>;
  using Bodies = boost::intrusive::list<
      BudgetEntry, boost::intrusive::member_hook<BudgetEntry, boost::intrusive::list_member_hook<>,
                                                 &BudgetEntry::body_hook>>;

  std::size_t connections = 0;
  const HolderKey* key = nullptr;
  HolderTable::Row* row = nullptr;            // counts the connections in `turns`
  std::array<Turns, kStandingsThatGo> turns;  // each with the oldest in front
  std::array<Bodies, kClaims> bodies;         // each with the oldest in front
  std::array<HolderShare, kClaims> body_bytes;
};

// Used only by its loop's thread. Each operation costs O(1) or O(log holders), see steps(). Only
// operations that add or remove a connection, and stand() from and to kBusy, lock or allocate.
class ConnectionBudget {
 public:
  // The budget of loop number `loop`; `table` must outlive it.
  ConnectionBudget(HolderTable& table, std::size_t loop);
  ConnectionBudget(const ConnectionBudget&) = delete;
  ConnectionBudget& operator=(const ConnectionBudget&) = delete;

  // Adds a new connection of `key` as a stranger. Strong guarantee: throws std::bad_alloc without
  // changes.
  void join(BudgetEntry& entry, const HolderKey& key);
  // Changes the holder once it is known better. Strong guarantee: throws std::bad_alloc without
  // changes.
  void rename(BudgetEntry& entry, const HolderKey& key);
  // Does nothing for an entry that has already left.
  void leave(BudgetEntry& entry);

  // Makes it the youngest of that class, even if it was in that class before.
  void stand(BudgetEntry& entry, Standing standing);

  // Sets the memory of its unfinished body or waiting answer; 0: it has none, and its next claim is
  // a body.
  void set_body(BudgetEntry& entry, std::size_t bytes);
  // Sets its claim until set_body(entry, 0).
  void claim(BudgetEntry& entry, Claim claim);

  // The next connection of this holder to evict: the oldest of the first class, except `spared`;
  // null if none can be evicted.
  BudgetEntry* first_to_go(const HolderKey& key, const BudgetEntry* spared = nullptr);

  // The table row of this holder while it has connections here; otherwise null.
  HolderTable::Row* row_of(const HolderKey& key);
  // `action` may end connections of the holder that it receives.
  void for_each_holder(const std::function<void(const HolderKey&)>& action);

  // The next body or answer to drop: the oldest one of the largest holder, for the first claim in
  // use, not after `last`, and never `spared`. Null if there is no other.
  BudgetEntry* first_body_to_go(const BudgetEntry* spared, Claim last = Claim::kBody);

  // Connections of the holder of `entry` on all loops.
  std::size_t connections_of_holder(const BudgetEntry& entry) const;

  // Memory of all unfinished bodies and waiting answers.
  std::size_t body_bytes() const { return body_bytes_; }

  // Number of comparisons and visited elements so far: lets a test verify the cost.
  std::uint64_t steps() const { return steps_; }

 private:
  using Ranking = boost::intrusive::multiset<
      HolderShare,
      boost::intrusive::member_hook<HolderShare, boost::intrusive::set_member_hook<>,
                                    &HolderShare::hook>,
      boost::intrusive::compare<CountedLess<HolderShare>>>;
  using Holders = std::map<HolderKey, Holder, CountedLess<HolderKey>>;

  Holder& holder_of(const HolderKey& key);
  void attach(BudgetEntry& entry, Holder& holder);
  void unlink_turn(BudgetEntry& entry);
  void unlink_body(BudgetEntry& entry);
  void link_body(BudgetEntry& entry, std::size_t bytes);
  void change(Ranking& ranking, HolderShare& share, std::size_t amount);

  std::uint64_t steps_ = 0;
  std::size_t body_bytes_ = 0;
  HolderTable& table_;
  const std::size_t loop_;
  std::array<Ranking, kClaims> by_body_bytes_;
  Holders holders_;  // after the rankings, which refer to its values
};

}  // namespace dynamo::server
