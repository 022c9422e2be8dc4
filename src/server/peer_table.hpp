// Counts connections per peer over all event loops, so that the acceptor finds the peer to
// evict from. Locked when a connection starts, ends or changes its peer, never for a request.
#pragma once

#include <array>
#include <boost/intrusive/set.hpp>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

namespace dynamo::server {

// The peer's address, or a client by the key of its verified certificate; see peer_key.hpp.
struct PeerKey {
  std::array<unsigned char, 33> bytes{};
  std::strong_ordering operator<=>(const PeerKey&) const = default;
};

// Counts the comparisons of keys and amounts.
template <class Value>
struct CountedLess {
  std::uint64_t* steps;
  bool operator()(const Value& left, const Value& right) const {
    ++*steps;
    if constexpr (requires { left.amount; }) {
      return left.amount < right.amount;
    } else {
      return left < right;
    }
  }
};

// Any thread may call any function. Each costs O(log peers); choose() also scales with the loops.
class PeerTable {
 public:
  struct Row {
    boost::intrusive::set_member_hook<> hook;
    std::size_t amount = 0;       // the rank: `connections` minus `requested`
    std::size_t connections = 0;  // all connections, evictable or not
    std::size_t evictable = 0;
    std::size_t requested = 0;   // requested evictions that are not done
    std::size_t users = 0;       // budgets that use this row
    bool is_over_quota = false;  // it exceeded an active quota and is not back at it yet
    std::vector<std::size_t> evictable_by_loop;  // `evictable` per loop
    const PeerKey* key = nullptr;
  };

  struct Choice {
    PeerKey peer;
    std::size_t loop = 0;
  };

  // Limit of pending evictions on a loop that does not process them.
  static constexpr std::size_t kMaxPendingPerLoop = 8;

  explicit PeerTable(std::size_t loops);
  ~PeerTable();
  PeerTable(const PeerTable&) = delete;
  PeerTable& operator=(const PeerTable&) = delete;

  // The row for `key`, valid until it is closed. Throws std::bad_alloc.
  Row& open(const PeerKey& key);
  void close(Row& row);

  // Adds or removes one connection. Only an added one can become evictable.
  void add_connection(Row& row);
  void remove_connection(Row& row);
  // Adds or removes one evictable connection.
  void add_evictable(Row& row, std::size_t loop);
  void remove_evictable(Row& row, std::size_t loop);

  // The connections of `row` on all loops.
  std::size_t connections_of(const Row& row) const;

  // Requests an eviction of one connection of `row` if it has more than `quota`, not counting
  // requested evictions. The caller calls settle() once that connection has left or turned out not
  // to be evictable. After `is_quota_active` was true once, the quota stays active for the row
  // until the row is back at it.
  bool request_eviction(Row& row, std::size_t quota, bool is_quota_active);
  void settle(Row& row);

  // Chooses the peer with the most connections, including busy ones, among those with an
  // evictable one, and the loop with most of its evictable connections. The caller closes one of
  // these, then calls settle(), and forget_pending() when it has ended. Among equal peers the
  // first to reach that number is chosen. nullopt if no connection is evictable, or the loops have
  // enough pending evictions.
  std::optional<Choice> choose();
  bool can_choose() const;
  void settle(const Choice& choice);
  void forget_pending(std::size_t loop);

  // Pending evictions on loops that accept more. Loops at their limit may be stuck and do not
  // count.
  std::size_t pending() const;
  // True if pending evictions must finish before choose() can succeed.
  bool is_exhausted() const;
  // Number of comparisons and visited elements so far.
  std::uint64_t steps() const;

 private:
  using Rows = std::map<PeerKey, Row, CountedLess<PeerKey>>;
  using Ranking = boost::intrusive::multiset<
      Row, boost::intrusive::member_hook<Row, boost::intrusive::set_member_hook<>, &Row::hook>,
      boost::intrusive::compare<CountedLess<Row>>>;

  void rank(Row& row);
  void drop_if_unused(Row& row);
  std::optional<std::size_t> loop_of(const Row& row) const;
  std::optional<Choice> first_choice() const;

  const std::size_t loops_;
  mutable std::mutex mutex_;
  mutable std::uint64_t steps_ = 0;
  std::vector<std::size_t> pending_of_loop_;
  Rows rows_;
  Ranking ranking_;
};

}  // namespace dynamo::server
