// Eviction order, and that its cost does not grow with the number of connections.
#include "server/connection_budget.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

namespace dynamo::server {
namespace {

HolderKey holder(unsigned number) {
  HolderKey key;
  key.bytes[0] = 1;
  key.bytes[1] = static_cast<unsigned char>(number >> 16U);
  key.bytes[2] = static_cast<unsigned char>(number >> 8U);
  key.bytes[3] = static_cast<unsigned char>(number);
  return key;
}

class Budget : public ::testing::Test {
 protected:
  ~Budget() override {
    for (BudgetEntry& entry : entries_) budget_.leave(entry);
  }

  BudgetEntry& join(unsigned of) {
    BudgetEntry& entry = entries_.emplace_back();
    budget_.join(entry, holder(of));
    return entry;
  }
  BudgetEntry& receive(unsigned of, std::size_t bytes) {
    BudgetEntry& entry = join(of);
    budget_.stand(entry, Standing::kReceiving);
    budget_.set_body(entry, bytes);
    return entry;
  }
  void expect_order(const std::vector<const BudgetEntry*>& order) {
    for (const BudgetEntry* expected : order) {
      BudgetEntry* const next = first_to_go();
      ASSERT_EQ(next, expected);
      budget_.leave(*next);
    }
  }

  // As the acceptor and the loop do it.
  BudgetEntry* first_to_go() {
    const auto choice = table_.choose();
    if (!choice) return nullptr;
    BudgetEntry* const first = budget_.first_to_go(choice->holder);
    table_.settle(*choice);
    table_.forget_pending(choice->loop);
    return first;
  }

  HolderTable table_{1};
  ConnectionBudget budget_{table_, 0};
  std::deque<BudgetEntry> entries_;
};

TEST_F(Budget, OldestOfLargestHolderIsEvictedFirst) {
  const BudgetEntry& lonely = join(1);
  const BudgetEntry& first = join(2);
  const BudgetEntry& second = join(2);
  const BudgetEntry& third = join(2);
  // Once both have one, the holder that first had that number pays.
  expect_order({&first, &second, &lonely, &third});
  EXPECT_EQ(first_to_go(), nullptr);
}

TEST_F(Budget, StrangersGoBeforeServedAndBusyNever) {
  BudgetEntry& served = join(1);
  BudgetEntry& receiving = join(1);
  BudgetEntry& busy = join(1);
  const BudgetEntry& stranger = join(1);
  budget_.stand(served, Standing::kServed);
  budget_.stand(receiving, Standing::kReceiving);
  budget_.stand(busy, Standing::kBusy);
  expect_order({&stranger, &served, &receiving});
  EXPECT_EQ(first_to_go(), nullptr);
  budget_.stand(busy, Standing::kServed);
  EXPECT_EQ(first_to_go(), &busy);
}

// A holder with many busy connections ranks high: its evictable ones go before those of others.
TEST_F(Budget, BusyConnectionsCountForRank) {
  const BudgetEntry& first_of_few = join(1);
  const BudgetEntry& second_of_few = join(1);
  const BudgetEntry& third_of_few = join(1);
  std::vector<BudgetEntry*> busy;
  for (int connection = 0; connection < 4; ++connection) {
    busy.push_back(&join(2));
    budget_.stand(*busy.back(), Standing::kBusy);
  }
  const BudgetEntry& idle = join(2);
  expect_order({&idle, &first_of_few});
  budget_.stand(*busy.front(), Standing::kServed);
  expect_order({busy.front(), &second_of_few, &third_of_few});
  EXPECT_EQ(first_to_go(), nullptr);
  EXPECT_EQ(budget_.connections_of_holder(*busy.back()), 3U);
}

TEST_F(Budget, AgeCountsFromLastRequest) {
  BudgetEntry& first = join(1);
  BudgetEntry& second = join(1);
  budget_.stand(first, Standing::kServed);
  budget_.stand(second, Standing::kServed);
  budget_.stand(first, Standing::kServed);
  expect_order({&second, &first});
}

TEST_F(Budget, KnownClientIsChargedByCertificate) {
  BudgetEntry& known = join(1);
  const BudgetEntry& unknown = join(1);
  const BudgetEntry& also_unknown = join(1);
  budget_.rename(known, holder(7));
  EXPECT_EQ(budget_.connections_of_holder(known), 1U);
  EXPECT_EQ(budget_.connections_of_holder(unknown), 2U);
  EXPECT_EQ(budget_.first_to_go(holder(7), &known), nullptr);
  EXPECT_EQ(budget_.first_to_go(holder(1), &unknown), &also_unknown);
  EXPECT_EQ(budget_.first_to_go(holder(1), &also_unknown), &unknown);
  EXPECT_EQ(first_to_go(), &unknown);
}

TEST_F(Budget, OldestBodyOfLargestHolderIsDroppedFirst) {
  BudgetEntry& small = receive(1, 10);
  BudgetEntry& old = receive(2, 10);
  const BudgetEntry& young = receive(2, 10);
  EXPECT_EQ(budget_.body_bytes(), 30U);
  EXPECT_EQ(budget_.first_body_to_go(nullptr), &old);
  EXPECT_EQ(budget_.first_body_to_go(&old), &young);
  budget_.set_body(small, 21);
  EXPECT_EQ(budget_.first_body_to_go(nullptr), &small);
  EXPECT_EQ(budget_.first_body_to_go(&small), &old);
  budget_.set_body(small, 0);
  EXPECT_EQ(budget_.body_bytes(), 20U);
  budget_.leave(old);
  EXPECT_EQ(budget_.first_body_to_go(&young), nullptr);
  EXPECT_EQ(budget_.body_bytes(), 10U);
}

TEST_F(Budget, StalledBodiesGoBeforeLargerFlowingOnes) {
  BudgetEntry& stalled = receive(1, 10);
  BudgetEntry& flows = receive(2, 1000);
  budget_.claim(stalled, Claim::kStalled);
  EXPECT_EQ(budget_.first_body_to_go(nullptr), &stalled);
  EXPECT_EQ(budget_.first_body_to_go(&stalled), &flows);
  budget_.set_body(stalled, 0);  // complete after all
  budget_.set_body(stalled, 5);
  EXPECT_EQ(budget_.first_body_to_go(nullptr), &flows);
}

TEST_F(Budget, WaitingAnswersGoAfterStalledBeforeFlowing) {
  BudgetEntry& body = receive(1, 1000);
  BudgetEntry& answer = receive(2, 20);
  BudgetEntry& larger_answer = receive(3, 30);
  BudgetEntry& stalled = receive(4, 10);
  EXPECT_EQ(budget_.first_body_to_go(nullptr, Claim::kAnswer), nullptr);
  budget_.claim(answer, Claim::kAnswer);
  budget_.claim(larger_answer, Claim::kAnswer);
  EXPECT_EQ(budget_.first_body_to_go(nullptr), &larger_answer);
  EXPECT_EQ(budget_.first_body_to_go(&larger_answer, Claim::kAnswer), &answer);
  budget_.claim(stalled, Claim::kStalled);
  EXPECT_EQ(budget_.first_body_to_go(nullptr, Claim::kAnswer), &stalled);
  EXPECT_EQ(budget_.body_bytes(), 1060U);
  for (BudgetEntry* const gone : {&stalled, &answer, &larger_answer}) budget_.leave(*gone);
  EXPECT_EQ(budget_.first_body_to_go(nullptr, Claim::kAnswer), nullptr);
  EXPECT_EQ(budget_.first_body_to_go(nullptr), &body);
}

// Adds an evictable connection.
void add(HolderTable& table, HolderTable::Row& row, std::size_t loop) {
  table.join(row);
  table.add(row, loop);
}

// The most expensive of join, rest, receive and evict with `connections` of as many holders, each
// slightly larger than the previous one.
std::uint64_t dearest_step(unsigned connections) {
  HolderTable table(2);
  ConnectionBudget budget(table, 0);
  std::deque<BudgetEntry> entries(connections);
  std::uint64_t dearest = 0;
  const auto measure = [&](const auto& action) {
    const std::uint64_t before = budget.steps() + table.steps();
    action();
    dearest = std::max(dearest, budget.steps() + table.steps() - before);
  };
  for (unsigned number = 0; number < connections; ++number) {
    BudgetEntry& entry = entries[number];
    measure([&] { budget.join(entry, holder(number / 2)); });
    measure([&] { budget.stand(entry, Standing::kReceiving); });
    measure([&] { budget.set_body(entry, 1 + number); });
    measure([&] { budget.claim(entry, static_cast<Claim>(number % kClaims)); });
  }
  for (unsigned left = connections; left > 0; --left) {
    BudgetEntry* next = nullptr;
    measure([&] { budget.first_body_to_go(&entries.front()); });
    measure([&] {
      const auto choice = table.choose();
      next = budget.first_to_go(choice->holder);
      table.settle(*choice);
      table.forget_pending(choice->loop);
    });
    measure([&] { budget.stand(*next, Standing::kServed); });
    measure([&] { budget.leave(*next); });
  }
  EXPECT_FALSE(table.choose());
  return dearest;
}

TEST(BudgetCost, GrowsByFewStepsWhenConnectionsDouble) {
  std::uint64_t before = dearest_step(256);
  for (unsigned connections = 512; connections <= 16'384; connections *= 2) {
    const std::uint64_t now = dearest_step(connections);
    EXPECT_LE(now, before + 16) << connections << " connections";
    EXPECT_LE(now, 256U) << connections << " connections";
    before = now;
  }
}

// A thousand holders without evictable connections are larger than the one with one.
TEST(BudgetCost, DoesNotDependOnHoldersWithoutEvictableConnections) {
  HolderTable table(1);
  ConnectionBudget budget(table, 0);
  std::deque<BudgetEntry> entries(2001);
  for (unsigned number = 0; number < 2000; ++number) {
    budget.join(entries[number], holder(1 + number / 2));
    budget.stand(entries[number], Standing::kBusy);
  }
  budget.join(entries.back(), holder(0));
  const std::uint64_t before = table.steps();
  const auto choice = table.choose();
  EXPECT_LE(table.steps() - before, 64U);
  ASSERT_TRUE(choice);
  EXPECT_EQ(choice->holder, holder(0));
  table.settle(*choice);
  table.forget_pending(0);
  for (BudgetEntry& entry : entries) budget.leave(entry);
}

TEST(HolderTableOfLoops, OnlyExcessAboveQuotaIsRequested) {
  HolderTable table(2);
  HolderTable::Row& row = table.open(holder(1));
  for (int connection = 0; connection < 5; ++connection) table.join(row);
  EXPECT_FALSE(table.ask_above(row, 3, false));
  EXPECT_FALSE(table.ask_above(row, 5, true));
  EXPECT_TRUE(table.ask_above(row, 3, true));
  EXPECT_TRUE(table.ask_above(row, 3, true));
  EXPECT_FALSE(table.ask_above(row, 3, true));  // two evictions are pending
  table.leave(row);
  table.settle(row);
  EXPECT_FALSE(table.ask_above(row, 3, true));
  table.settle(row);  // it could not be evicted
  EXPECT_TRUE(table.ask_above(row, 3, false)) << "it is not back yet";
  table.leave(row);
  table.settle(row);
  EXPECT_FALSE(table.ask_above(row, 3, true));
  table.join(row);
  EXPECT_FALSE(table.ask_above(row, 3, false)) << "it was back";
  for (int connection = 0; connection < 4; ++connection) table.leave(row);
  table.close(row);
}

TEST(HolderTableOfLoops, ChoiceUsesTotalOfAllLoops) {
  HolderTable table(3);
  HolderTable::Row& spread = table.open(holder(1));
  HolderTable::Row& gathered = table.open(holder(2));
  for (const std::size_t loop : {0U, 1U, 2U}) add(table, spread, loop);
  for (int connection = 0; connection < 2; ++connection) add(table, gathered, 1);
  const auto first = table.choose();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->holder, holder(1));
  // A requested eviction counts as done: both have two now.
  const auto second = table.choose();
  ASSERT_TRUE(second);
  EXPECT_EQ(second->holder, holder(2));
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

TEST(HolderTableOfLoops, UnresponsiveLoopGetsNoMoreRequests) {
  HolderTable table(2);
  HolderTable::Row& row = table.open(holder(1));
  for (int connection = 0; connection < 100; ++connection) add(table, row, 0);
  add(table, row, 1);
  std::vector<HolderTable::Choice> choices;
  for (std::size_t asked = 0; asked <= HolderTable::kMostOfLoop; ++asked) {
    EXPECT_FALSE(table.is_exhausted());
    choices.push_back(table.choose().value());
    EXPECT_EQ(choices.back().loop, asked < HolderTable::kMostOfLoop ? 0U : 1U);
  }
  EXPECT_EQ(table.pending(), 1U);  // the first loop does not count
  while (const auto choice = table.choose()) choices.push_back(*choice);
  EXPECT_TRUE(table.is_exhausted());
  for (const auto& choice : choices) table.settle(choice);
  table.close(row);
}

// A new connection waits for pending evictions, and is refused immediately if there are none.
TEST(HolderTableOfLoops, IsExhaustedWhileLastEvictionIsPending) {
  HolderTable table(2);
  HolderTable::Row& row = table.open(holder(1));
  EXPECT_FALSE(table.is_exhausted());
  add(table, row, 0);
  const auto choice = table.choose();
  ASSERT_TRUE(choice);
  EXPECT_TRUE(table.is_exhausted());
  table.subtract(row, 0);
  table.leave(row);
  table.settle(*choice);
  table.forget_pending(0);
  EXPECT_FALSE(table.is_exhausted());
  EXPECT_FALSE(table.can_choose());
  table.close(row);
}

}  // namespace
}  // namespace dynamo::server
