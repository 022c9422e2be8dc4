// Who holds how many connections on all event loops together, so that the acceptor finds whose turn
// it is to give way. Locked when a connection begins, ends or changes hands, never for a request.
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

// The peer's address, or a client by the key of its verified certificate; made in holder_key.hpp.
struct HolderKey {
  std::array<unsigned char, 33> bytes{};
  std::strong_ordering operator<=>(const HolderKey&) const = default;
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

// Every function may be called from any thread and costs O(log holders), with the loops as a factor
// for choose().
class HolderTable {
 public:
  struct Row {
    boost::intrusive::set_member_hook<> hook;
    std::size_t amount = 0;  // all, but those that are asked for: what it is ranked by
    std::size_t all = 0;     // connections, whether they can go or not
    std::size_t can_go = 0;
    std::size_t asked = 0;             // evictions that are not done
    std::size_t users = 0;             // budgets that count here
    bool is_above = false;             // its quota, which bit, and is not back at it yet
    std::vector<std::size_t> by_loop;  // `can_go`, divided
    const HolderKey* key = nullptr;
  };

  struct Choice {
    HolderKey holder;
    std::size_t loop = 0;
  };

  // A loop that does not get to its evictions is asked for no more than these.
  static constexpr std::size_t kMostOfLoop = 8;

  explicit HolderTable(std::size_t loops);
  ~HolderTable();
  HolderTable(const HolderTable&) = delete;
  HolderTable& operator=(const HolderTable&) = delete;

  // The row to count for `key`, until it is closed. Throws std::bad_alloc.
  Row& open(const HolderKey& key);
  void close(Row& row);

  // One connection more, or less. It cannot go before it is added.
  void join(Row& row);
  void leave(Row& row);
  // One of them more, or less, that can go.
  void add(Row& row, std::size_t loop);
  void subtract(Row& row, std::size_t loop);

  // The connections of `row` on all loops.
  std::size_t of(const Row& row) const;

  // Asks for one of the connections of `row` if it has more than `quota`, without those that are
  // asked for: settle() when that one has left or cannot go. A quota that `it_bites` for once goes
  // on to do so until the row is back at it, whatever the others have by then.
  bool ask_above(Row& row, std::size_t quota, bool it_bites);
  void settle(Row& row);

  // Of the holders of which one can go the one with most connections, busy ones too, and the loop
  // where most of its can go: one of these is to be closed, then settle() called, and
  // forget_pending() when it has ended. Of equal holders the first to have so many. Nothing when no
  // connection can go, or the loops have enough to do.
  std::optional<Choice> choose();
  bool can_choose() const;
  void settle(const Choice& choice);
  void forget_pending(std::size_t loop);

  // Evictions that were chosen and are not forgotten, of loops that can be asked for more: one that
  // cannot may be stuck, and nobody may count on it.
  std::size_t pending() const;
  // Nothing can be chosen before evictions that were chosen are done.
  bool is_exhausted() const;
  // Comparisons and elements looked at since the beginning.
  std::uint64_t steps() const;

 private:
  using Rows = std::map<HolderKey, Row, CountedLess<HolderKey>>;
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
