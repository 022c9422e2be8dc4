// Eviction order, and that its cost does not grow with the number of connections.
#include "server/connection_budget.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

namespace dynamo::server {
namespace {

PeerKey peer(unsigned number) {
  PeerKey key;
  key.bytes[0] = 1;
  key.bytes[1] = static_cast<unsigned char>(number >> 16U);
  key.bytes[2] = static_cast<unsigned char>(number >> 8U);
  key.bytes[3] = static_cast<unsigned char>(number);
  return key;
}

struct TestEntry final : BudgetEntry {
  void evict() override {}
  void drop_body() override {}
  bool has_unread_data() override { return false; }
};

class Budget : public ::testing::Test {
 protected:
  ~Budget() override {
    for (BudgetEntry& entry : entries_) budget_.leave(entry);
  }

  BudgetEntry& join(unsigned of) {
    BudgetEntry& entry = entries_.emplace_back();
    budget_.join(entry, peer(of));
    return entry;
  }
  BudgetEntry& receive(unsigned of, std::size_t bytes) {
    BudgetEntry& entry = join(of);
    budget_.set_eviction_class(entry, EvictionClass::kReceiving);
    budget_.set_body(entry, bytes);
    return entry;
  }
  void expect_order(const std::vector<const BudgetEntry*>& order) {
    for (const BudgetEntry* expected : order) {
      BudgetEntry* const next = next_to_evict();
      ASSERT_EQ(next, expected);
      budget_.leave(*next);
    }
  }

  // As the acceptor and the loop do it.
  BudgetEntry* next_to_evict() {
    const auto choice = table_.choose();
    if (!choice) return nullptr;
    BudgetEntry* const first = budget_.next_to_evict(choice->peer);
    table_.settle(*choice);
    table_.forget_pending(choice->loop);
    return first;
  }

  PeerTable table_{1};
  ConnectionBudget budget_{table_, 0};
  std::deque<TestEntry> entries_;
};

TEST_F(Budget, OldestOfLargestPeerIsEvictedFirst) {
  const BudgetEntry& lonely = join(1);
  const BudgetEntry& first = join(2);
  const BudgetEntry& second = join(2);
  const BudgetEntry& third = join(2);
  // Once both have one, the peer that first had that number is evicted.
  expect_order({&first, &second, &lonely, &third});
  EXPECT_EQ(next_to_evict(), nullptr);
}

TEST_F(Budget, EvictionFollowsClassesAndSparesBusy) {
  BudgetEntry& served = join(1);
  BudgetEntry& receiving = join(1);
  BudgetEntry& busy = join(1);
  const BudgetEntry& unserved = join(1);
  budget_.set_eviction_class(served, EvictionClass::kIdle);
  budget_.set_eviction_class(receiving, EvictionClass::kReceiving);
  budget_.set_eviction_class(busy, EvictionClass::kBusy);
  expect_order({&unserved, &served, &receiving});
  EXPECT_EQ(next_to_evict(), nullptr);
  budget_.set_eviction_class(busy, EvictionClass::kIdle);
  EXPECT_EQ(next_to_evict(), &busy);
}

// A peer with many busy connections ranks high: its evictable ones are evicted before those of
// others.
TEST_F(Budget, BusyConnectionsCountForRank) {
  const BudgetEntry& first_of_few = join(1);
  const BudgetEntry& second_of_few = join(1);
  const BudgetEntry& third_of_few = join(1);
  std::vector<BudgetEntry*> busy;
  for (int connection = 0; connection < 4; ++connection) {
    busy.push_back(&join(2));
    budget_.set_eviction_class(*busy.back(), EvictionClass::kBusy);
  }
  const BudgetEntry& idle = join(2);
  expect_order({&idle, &first_of_few});
  budget_.set_eviction_class(*busy.front(), EvictionClass::kIdle);
  expect_order({busy.front(), &second_of_few, &third_of_few});
  EXPECT_EQ(next_to_evict(), nullptr);
  EXPECT_EQ(budget_.connections_of_peer(*busy.back()), 3U);
}

TEST_F(Budget, AgeCountsFromLastRequest) {
  BudgetEntry& first = join(1);
  BudgetEntry& second = join(1);
  budget_.set_eviction_class(first, EvictionClass::kIdle);
  budget_.set_eviction_class(second, EvictionClass::kIdle);
  budget_.set_eviction_class(first, EvictionClass::kIdle);
  expect_order({&second, &first});
}

TEST_F(Budget, KnownClientIsChargedByCertificate) {
  BudgetEntry& known = join(1);
  const BudgetEntry& unknown = join(1);
  const BudgetEntry& also_unknown = join(1);
  budget_.rename(known, peer(7));
  EXPECT_EQ(budget_.connections_of_peer(known), 1U);
  EXPECT_EQ(budget_.connections_of_peer(unknown), 2U);
  EXPECT_EQ(budget_.next_to_evict(peer(7), &known), nullptr);
  EXPECT_EQ(budget_.next_to_evict(peer(1), &unknown), &also_unknown);
  EXPECT_EQ(budget_.next_to_evict(peer(1), &also_unknown), &unknown);
  EXPECT_EQ(next_to_evict(), &unknown);
}

TEST_F(Budget, OldestBodyOfLargestPeerIsDroppedFirst) {
  BudgetEntry& small = receive(1, 10);
  BudgetEntry& old = receive(2, 10);
  const BudgetEntry& young = receive(2, 10);
  EXPECT_EQ(budget_.body_bytes(), 30U);
  EXPECT_EQ(budget_.next_body_to_drop(nullptr), &old);
  EXPECT_EQ(budget_.next_body_to_drop(&old), &young);
  budget_.set_body(small, 21);
  EXPECT_EQ(budget_.next_body_to_drop(nullptr), &small);
  EXPECT_EQ(budget_.next_body_to_drop(&small), &old);
  budget_.set_body(small, 0);
  EXPECT_EQ(budget_.body_bytes(), 20U);
  budget_.leave(old);
  EXPECT_EQ(budget_.next_body_to_drop(&young), nullptr);
  EXPECT_EQ(budget_.body_bytes(), 10U);
}

TEST_F(Budget, StalledBodiesAreDroppedBeforeLargerFlowingOnes) {
  BudgetEntry& stalled = receive(1, 10);
  BudgetEntry& flows = receive(2, 1000);
  budget_.set_memory_class(stalled, MemoryClass::kStalled);
  EXPECT_EQ(budget_.next_body_to_drop(nullptr), &stalled);
  EXPECT_EQ(budget_.next_body_to_drop(&stalled), &flows);
  budget_.set_body(stalled, 0);  // complete after all
  budget_.set_body(stalled, 5);
  EXPECT_EQ(budget_.next_body_to_drop(nullptr), &flows);
}

TEST_F(Budget, WaitingAnswersAreDroppedAfterStalledBodies) {
  BudgetEntry& body = receive(1, 1000);
  BudgetEntry& answer = receive(2, 20);
  BudgetEntry& larger_answer = receive(3, 30);
  BudgetEntry& stalled = receive(4, 10);
  EXPECT_EQ(budget_.next_body_to_drop(nullptr, MemoryClass::kAnswer), nullptr);
  budget_.set_memory_class(answer, MemoryClass::kAnswer);
  budget_.set_memory_class(larger_answer, MemoryClass::kAnswer);
  EXPECT_EQ(budget_.next_body_to_drop(nullptr), &larger_answer);
  EXPECT_EQ(budget_.next_body_to_drop(&larger_answer, MemoryClass::kAnswer), &answer);
  budget_.set_memory_class(stalled, MemoryClass::kStalled);
  EXPECT_EQ(budget_.next_body_to_drop(nullptr, MemoryClass::kAnswer), &stalled);
  EXPECT_EQ(budget_.body_bytes(), 1060U);
  for (BudgetEntry* const released : {&stalled, &answer, &larger_answer}) budget_.leave(*released);
  EXPECT_EQ(budget_.next_body_to_drop(nullptr, MemoryClass::kAnswer), nullptr);
  EXPECT_EQ(budget_.next_body_to_drop(nullptr), &body);
}

// Adds an evictable connection.
void add(PeerTable& table, PeerTable::Row& row, std::size_t loop) {
  table.add_connection(row);
  table.add_evictable(row, loop);
}

// The most expensive operation with `connections` of as many peers, each
// slightly larger than the previous one.
std::uint64_t max_step_cost(unsigned connections) {
  PeerTable table(2);
  ConnectionBudget budget(table, 0);
  std::deque<TestEntry> entries(connections);
  std::uint64_t max_cost = 0;
  const auto measure = [&](const auto& action) {
    const std::uint64_t before = budget.steps() + table.steps();
    action();
    max_cost = std::max(max_cost, budget.steps() + table.steps() - before);
  };
  for (unsigned number = 0; number < connections; ++number) {
    BudgetEntry& entry = entries[number];
    measure([&] { budget.join(entry, peer(number / 2)); });
    measure([&] { budget.set_eviction_class(entry, EvictionClass::kReceiving); });
    measure([&] { budget.set_body(entry, 1 + number); });
    measure(
        [&] { budget.set_memory_class(entry, static_cast<MemoryClass>(number % kMemoryClasses)); });
  }
  for (unsigned left = connections; left > 0; --left) {
    BudgetEntry* next = nullptr;
    measure([&] { budget.next_body_to_drop(&entries.front()); });
    measure([&] {
      const auto choice = table.choose();
      next = budget.next_to_evict(choice->peer);
      table.settle(*choice);
      table.forget_pending(choice->loop);
    });
    measure([&] { budget.set_eviction_class(*next, EvictionClass::kIdle); });
    measure([&] { budget.leave(*next); });
  }
  EXPECT_FALSE(table.choose());
  return max_cost;
}

TEST(BudgetCost, GrowsByFewStepsWhenConnectionsDouble) {
  std::uint64_t before = max_step_cost(256);
  for (unsigned connections = 512; connections <= 16'384; connections *= 2) {
    const std::uint64_t now = max_step_cost(connections);
    EXPECT_LE(now, before + 16) << connections << " connections";
    EXPECT_LE(now, 256U) << connections << " connections";
    before = now;
  }
}

// A thousand peers without evictable connections are larger than the one with one.
TEST(BudgetCost, DoesNotDependOnPeersWithoutEvictableConnections) {
  PeerTable table(1);
  ConnectionBudget budget(table, 0);
  std::deque<TestEntry> entries(2001);
  for (unsigned number = 0; number < 2000; ++number) {
    budget.join(entries[number], peer(1 + number / 2));
    budget.set_eviction_class(entries[number], EvictionClass::kBusy);
  }
  budget.join(entries.back(), peer(0));
  const std::uint64_t before = table.steps();
  const auto choice = table.choose();
  EXPECT_LE(table.steps() - before, 64U);
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->peer, peer(0));
  table.settle(*choice);
  table.forget_pending(0);
  for (BudgetEntry& entry : entries) budget.leave(entry);
}

TEST(PeerTableOfLoops, OnlyExcessAboveQuotaIsRequested) {
  PeerTable table(2);
  PeerTable::Row& row = table.open(peer(1));
  for (int connection = 0; connection < 5; ++connection) table.add_connection(row);
  EXPECT_FALSE(table.request_eviction(row, 3, false));
  EXPECT_FALSE(table.request_eviction(row, 5, true));
  EXPECT_TRUE(table.request_eviction(row, 3, true));
  EXPECT_TRUE(table.request_eviction(row, 3, true));
  EXPECT_FALSE(table.request_eviction(row, 3, true));  // two evictions are pending
  table.remove_connection(row);
  table.settle(row);
  EXPECT_FALSE(table.request_eviction(row, 3, true));
  table.settle(row);  // it could not be evicted
  EXPECT_TRUE(table.request_eviction(row, 3, false)) << "it is not back yet";
  table.remove_connection(row);
  table.settle(row);
  EXPECT_FALSE(table.request_eviction(row, 3, true));
  table.add_connection(row);
  EXPECT_FALSE(table.request_eviction(row, 3, false)) << "it was back";
  for (int connection = 0; connection < 4; ++connection) table.remove_connection(row);
  table.close(row);
}

TEST(PeerTableOfLoops, ChoiceUsesTotalOfAllLoops) {
  PeerTable table(3);
  PeerTable::Row& spread = table.open(peer(1));
  PeerTable::Row& gathered = table.open(peer(2));
  for (const std::size_t loop : {0U, 1U, 2U}) add(table, spread, loop);
  for (int connection = 0; connection < 2; ++connection) add(table, gathered, 1);
  const auto first = table.choose();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->peer, peer(1));
  // A requested eviction counts as done: both have two now.
  const auto second = table.choose();
  ASSERT_TRUE(second);
  EXPECT_EQ(second->peer, peer(2));
  EXPECT_EQ(second->loop, 1U);
  EXPECT_EQ(table.pending(), 2U);
  table.settle(*first);
  table.settle(*second);
  table.forget_pending(first->loop);
  table.forget_pending(second->loop);
  EXPECT_EQ(table.pending(), 0U);
  table.close(spread);
  table.close(gathered);
}

TEST(PeerTableOfLoops, UnresponsiveLoopGetsNoMoreRequests) {
  PeerTable table(2);
  PeerTable::Row& row = table.open(peer(1));
  for (int connection = 0; connection < 100; ++connection) add(table, row, 0);
  add(table, row, 1);
  std::vector<PeerTable::Choice> choices;
  for (std::size_t requested = 0; requested <= PeerTable::kMaxPendingPerLoop; ++requested) {
    EXPECT_FALSE(table.is_exhausted());
    choices.push_back(table.choose().value());
    EXPECT_EQ(choices.back().loop, requested < PeerTable::kMaxPendingPerLoop ? 0U : 1U);
  }
  EXPECT_EQ(table.pending(), 1U);  // the first loop does not count
  while (const auto choice = table.choose()) choices.push_back(*choice);
  EXPECT_TRUE(table.is_exhausted());
  for (const auto& choice : choices) table.settle(choice);
  table.close(row);
}

// A new connection waits for pending evictions, and is refused immediately if there are none.
TEST(PeerTableOfLoops, IsExhaustedWhileLastEvictionIsPending) {
  PeerTable table(2);
  PeerTable::Row& row = table.open(peer(1));
  EXPECT_FALSE(table.is_exhausted());
  add(table, row, 0);
  const auto choice = table.choose();
  ASSERT_TRUE(choice);
  EXPECT_TRUE(table.is_exhausted());
  table.remove_evictable(row, 0);
  table.remove_connection(row);
  table.settle(*choice);
  table.forget_pending(0);
  EXPECT_FALSE(table.is_exhausted());
  EXPECT_FALSE(table.can_choose());
  table.close(row);
}

}  // namespace
}  // namespace dynamo::server
