// Who goes first, and that finding out does not get dearer with the number of connections.
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
      BudgetEntry* const next = budget_.first_to_go();
      ASSERT_EQ(next, expected);
      budget_.leave(*next);
    }
  }

  ConnectionBudget budget_;
  std::deque<BudgetEntry> entries_;
};

TEST_F(Budget, LetsTheOldestOfTheLargestHolderGo) {
  const BudgetEntry& lonely = join(1);
  const BudgetEntry& first = join(2);
  const BudgetEntry& second = join(2);
  const BudgetEntry& third = join(2);
  EXPECT_EQ(budget_.largest(), 3U);
  // Once both have one, the holder that came to that number first pays.
  expect_order({&first, &second, &lonely, &third});
  EXPECT_EQ(budget_.first_to_go(), nullptr);
  EXPECT_EQ(budget_.largest(), 0U);
}

TEST_F(Budget, LetsStrangersGoBeforeTheServedAndBusyOnesNever) {
  BudgetEntry& served = join(1);
  BudgetEntry& receiving = join(1);
  BudgetEntry& busy = join(1);
  const BudgetEntry& stranger = join(1);
  budget_.stand(served, Standing::kServed);
  budget_.stand(receiving, Standing::kReceiving);
  budget_.stand(busy, Standing::kBusy);
  expect_order({&stranger, &served, &receiving});
  EXPECT_EQ(budget_.first_to_go(), nullptr);
  budget_.stand(busy, Standing::kServed);
  EXPECT_EQ(budget_.first_to_go(), &busy);
}

TEST_F(Budget, TakesTheLastRequestForTheAge) {
  BudgetEntry& first = join(1);
  BudgetEntry& second = join(1);
  budget_.stand(first, Standing::kServed);
  budget_.stand(second, Standing::kServed);
  budget_.stand(first, Standing::kServed);
  expect_order({&second, &first});
}

TEST_F(Budget, ChargesAKnownClientForItselfAndNotForItsAddress) {
  BudgetEntry& known = join(1);
  const BudgetEntry& unknown = join(1);
  const BudgetEntry& also_unknown = join(1);
  budget_.rename(known, holder(7));
  EXPECT_EQ(ConnectionBudget::connections_beside(known), 1U);
  EXPECT_EQ(ConnectionBudget::connections_beside(unknown), 2U);
  EXPECT_EQ(ConnectionBudget::first_to_go_beside(known), nullptr);
  EXPECT_EQ(ConnectionBudget::first_to_go_beside(unknown), &also_unknown);
  EXPECT_EQ(ConnectionBudget::first_to_go_beside(also_unknown), &unknown);
  EXPECT_EQ(budget_.first_to_go(), &unknown);
}

TEST_F(Budget, LetsTheOldestBodyOfWhoHoldsMostGo) {
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

TEST_F(Budget, LetsStalledBodiesGoBeforeLargerOnesThatFlow) {
  BudgetEntry& stalled = receive(1, 10);
  BudgetEntry& flows = receive(2, 1000);
  budget_.stall(stalled);
  EXPECT_EQ(budget_.first_body_to_go(nullptr), &stalled);
  EXPECT_EQ(budget_.first_body_to_go(&stalled), &flows);
  budget_.set_body(stalled, 0);  // complete after all
  budget_.set_body(stalled, 5);
  EXPECT_EQ(budget_.first_body_to_go(nullptr), &flows);
}

// The dearest of joining, resting, receiving and giving way, while there are `connections` of as
// many holders, each larger than the one before by less than can be told apart cheaply.
std::uint64_t dearest_step(unsigned connections) {
  ConnectionBudget budget;
  std::deque<BudgetEntry> entries(connections);
  std::uint64_t dearest = 0;
  const auto measure = [&](const auto& action) {
    const std::uint64_t before = budget.steps();
    action();
    dearest = std::max(dearest, budget.steps() - before);
  };
  for (unsigned number = 0; number < connections; ++number) {
    BudgetEntry& entry = entries[number];
    measure([&] { budget.join(entry, holder(number / 2)); });
    measure([&] { budget.stand(entry, Standing::kReceiving); });
    measure([&] { budget.set_body(entry, 1 + number); });
    if (number % 3 == 0) measure([&] { budget.stall(entry); });
  }
  for (unsigned left = connections; left > 0; --left) {
    BudgetEntry* next = nullptr;
    measure([&] { budget.first_body_to_go(&entries.front()); });
    measure([&] { next = budget.first_to_go(); });
    measure([&] { budget.stand(*next, Standing::kServed); });
    measure([&] { budget.leave(*next); });
  }
  return dearest;
}

TEST(BudgetCost, GrowsByAFewStepsWhenTheConnectionsDouble) {
  std::uint64_t before = dearest_step(256);
  for (unsigned connections = 512; connections <= 32'768; connections *= 2) {
    const std::uint64_t now = dearest_step(connections);
    EXPECT_LE(now, before + 8) << connections << " connections";
    EXPECT_LE(now, 128U) << connections << " connections";
    before = now;
  }
}

}  // namespace
}  // namespace dynamo::server
