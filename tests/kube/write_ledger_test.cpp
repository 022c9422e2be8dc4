#include "kube/cache/write_ledger.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dynamo::kube {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const WriteLedger::Time kNow = WriteLedger::Time(std::chrono::hours(1));
const ObjectKey kParent{.namespace_name = "ns", .name = "parent"};
const ObjectKey kOther{.namespace_name = "ns", .name = "other"};

TEST(WriteLedgerTest, KeyWaitsForItsNewestWrite) {
  WriteLedger ledger;
  EXPECT_EQ(ledger.readiness(kParent, kNow), Readiness::kReady);
  ledger.record_write(kParent, 7, kNow);
  ledger.record_write(kParent, 9, kNow);
  ledger.record_write(kParent, 8, kNow);
  EXPECT_EQ(ledger.readiness(kParent, kNow), Readiness::kBehind);
  EXPECT_EQ(ledger.readiness(kOther, kNow), Readiness::kReady);
  EXPECT_THAT(ledger.reached(8), IsEmpty());
  EXPECT_EQ(ledger.readiness(kParent, kNow), Readiness::kBehind);
  EXPECT_THAT(ledger.reached(12), ElementsAre(kParent));
  EXPECT_EQ(ledger.readiness(kParent, kNow), Readiness::kReady);
  EXPECT_EQ(ledger.size(), 0U);
}

TEST(WriteLedgerTest, KeyWithoutQueryIsNotReturned) {
  WriteLedger ledger;
  ledger.record_write(kParent, 7, kNow);
  EXPECT_THAT(ledger.reached(7), IsEmpty());
  EXPECT_EQ(ledger.readiness(kParent, kNow), Readiness::kReady);
}

TEST(WriteLedgerTest, KeyWaitsForItsDeletionsAndWrites) {
  WriteLedger ledger;
  ledger.record_delete(kParent, "u1", kNow);
  ledger.record_delete(kOther, "u1", kNow);
  ledger.record_write(kParent, 7, kNow);
  EXPECT_EQ(ledger.readiness(kParent, kNow), Readiness::kBehind);
  EXPECT_EQ(ledger.readiness(kOther, kNow), Readiness::kBehind);
  EXPECT_THAT(ledger.observed_deletion("u2"), IsEmpty());
  EXPECT_THAT(ledger.observed_deletion("u1"), ElementsAre(kOther));
  EXPECT_THAT(ledger.reached(7), ElementsAre(kParent));
}

TEST(WriteLedgerTest, KeyIsOverdueAfterOneMinute) {
  WriteLedger ledger;
  ledger.record_write(kParent, 7, kNow);
  EXPECT_EQ(ledger.patience(kParent, kNow), seconds(60));
  EXPECT_EQ(ledger.readiness(kParent, kNow + seconds(59)), Readiness::kBehind);
  EXPECT_EQ(ledger.patience(kParent, kNow + seconds(59)), seconds(1));
  EXPECT_EQ(ledger.patience(kParent, kNow + seconds(61)), seconds(0));
  EXPECT_EQ(ledger.patience(kOther, kNow), seconds(0));
  EXPECT_EQ(ledger.readiness(kParent, kNow + seconds(60)), Readiness::kOverdue);
  ledger.record_delete(kParent, "u", kNow + seconds(60));
  EXPECT_EQ(ledger.readiness(kParent, kNow + seconds(61)), Readiness::kBehind);
  ledger.settle(kParent);
  EXPECT_EQ(ledger.readiness(kParent, kNow + seconds(61)), Readiness::kReady);
  EXPECT_THAT(ledger.reached(7), IsEmpty());
  EXPECT_THAT(ledger.observed_deletion("u"), IsEmpty());
}

}  // namespace
}  // namespace dynamo::kube
