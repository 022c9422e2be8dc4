// Who pays when connections or the memory for bodies run out: on each event loop the connections by
// who holds them, so that the largest holder's oldest is found without a walk. ADR 0016 says why.
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

// How a connection stands when another needs its place; of one holder, the first goes first.
enum class Standing : std::uint8_t {
  kStranger,   // has not got an answer yet, has stalled, or has had its last one
  kServed,     // rests between requests
  kReceiving,  // a body comes at the least rate
  kBusy,       // an answer is on its way: does not go
};
inline constexpr std::size_t kStandingsThatGo = 3;

// Which of what connections have in memory is given up when that runs out; the first goes first.
enum class Claim : std::uint8_t {
  kStalled,  // moves slower than the least rate
  kAnswer,   // waits for its peer to take it
  kBody,     // comes, and is not complete
};
inline constexpr std::size_t kClaims = 3;

struct Holder;

// One connection's place in a budget. Must have left it when it is destroyed.
class BudgetEntry {
 public:
  BudgetEntry() = default;
  BudgetEntry(const BudgetEntry&) = delete;
  BudgetEntry& operator=(const BudgetEntry&) = delete;

  boost::intrusive::list_member_hook<> turn_hook;  // among its holder's of one standing
  boost::intrusive::list_member_hook<> body_hook;  // among its holder's of one claim
  Holder* holder = nullptr;
  std::size_t body_bytes = 0;
  Standing standing = Standing::kBusy;
  Claim claim = Claim::kBody;
};

// What one holder has of a thing that can run out.
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
  HolderTable::Row* row = nullptr;            // where the ones in `turns` are counted
  std::array<Turns, kStandingsThatGo> turns;  // each with the oldest in front
  std::array<Bodies, kClaims> bodies;         // each with the oldest in front
  std::array<HolderShare, kClaims> body_bytes;
};

// Used by its loop's thread alone. Everything costs O(1)
// or O(log holders), see steps(); nothing locks or allocates but what
// makes or ends a connection, and stand() from and to kBusy.
class ConnectionBudget {
 public:
  // Of the loop of this number; `table` must outlive it.
  ConnectionBudget(HolderTable& table, std::size_t loop);
  ConnectionBudget(const ConnectionBudget&) = delete;
  ConnectionBudget& operator=(const ConnectionBudget&) = delete;

  // A new connection of `key`, as a stranger. Throws std::bad_alloc and changes nothing then.
  void join(BudgetEntry& entry, const HolderKey& key);
  // Its holder is known better now. Throws std::bad_alloc and changes nothing then.
  void rename(BudgetEntry& entry, const HolderKey& key);
  // Does nothing for one that has left already.
  void leave(BudgetEntry& entry);

  // It becomes the youngest of that standing, even if it had it before.
  void stand(BudgetEntry& entry, Standing standing);

  // Sets what its unfinished body, or its answer that waits, takes; 0: it has none, and what comes
  // next is a body.
  void set_body(BudgetEntry& entry, std::size_t bytes);
  // By which it keeps what it has, until set_body(entry, 0).
  void claim(BudgetEntry& entry, Claim claim);

  // The oldest connection, by standing, of this holder, but not `spared`; null when none of its can
  // go.
  BudgetEntry* first_to_go(const HolderKey& key, const BudgetEntry* spared = nullptr);

  // Where the connections of this holder are counted, as long as it has some here; else null.
  HolderTable::Row* row_of(const HolderKey& key);
  // `action` may end connections of the holder that it is given.
  void for_each_holder(const std::function<void(const HolderKey&)>& action);

  // The oldest of the holder that has most by the first claim that anybody has, and none after
  // `last`; never `spared`. Null when there is no other.
  BudgetEntry* first_body_to_go(const BudgetEntry* spared, Claim last = Claim::kBody);

  // What the holder of `entry` has on all loops.
  std::size_t connections_of_holder(const BudgetEntry& entry) const;

  // Of all unfinished bodies and answers that wait.
  std::size_t body_bytes() const { return body_bytes_; }

  // Comparisons and elements looked at since the beginning: lets a test prove the cost.
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
  Holders holders_;  // after the rankings, which hold its values
};

}  // namespace dynamo::server
