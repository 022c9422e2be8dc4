// Parsing of Leases, and their look-up by requests.
#include "cluster/lease_table.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>

#include "cluster/lease_record.hpp"
#include "tests/support/objects.hpp"

namespace dynamo::cluster {
namespace {

using namespace std::chrono_literals;

const std::chrono::system_clock::time_point kNow =
    std::chrono::system_clock::from_time_t(1'770'091'506);

LeaseRecord read(std::string_view spec) {
  return read_lease(test::from_yaml(spec).root());
}

TEST(LeaseRecord, ReadsTheApiFormat) {
  const LeaseRecord record = read(
      "{holderIdentity: other-1.2.3, leaseDurationSeconds: 30, "
      "renewTime: '2026-02-03T04:05:06.250000Z'}");
  EXPECT_EQ(record.holder, "other-1.2.3");
  EXPECT_EQ(record.duration, 30s);
  EXPECT_EQ(record.renew_time, kNow + 250ms);
}

TEST(LeaseRecord, OmitsMissingAndMalformedFields) {
  EXPECT_EQ(read("{}"), LeaseRecord{});
  EXPECT_EQ(read_lease({}), LeaseRecord{});
  EXPECT_EQ(read("{holderIdentity: 7, leaseDurationSeconds: '30', renewTime: yesterday}"),
            LeaseRecord{});
  EXPECT_EQ(read("{leaseDurationSeconds: -1}").duration, std::nullopt);
  EXPECT_EQ(read("{leaseDurationSeconds: 0}").duration, std::nullopt);
  EXPECT_EQ(read("{leaseDurationSeconds: 30.5}").duration, std::nullopt);
  EXPECT_EQ(read("{renewTime: '1969-12-31T23:59:59.999999Z'}").renew_time, std::nullopt);
  EXPECT_EQ(read("{renewTime: '9999-12-31T23:59:59.999999Z'}").renew_time,
            std::chrono::system_clock::time_point::max());
  EXPECT_EQ(read("{leaseDurationSeconds: 2147483647}").duration, 2147483647s);
  EXPECT_EQ(read("{leaseDurationSeconds: 2147483648}").duration, std::nullopt);
}

TEST(LeaseRecord, NamesItsHolderInOneShortLine) {
  EXPECT_EQ(read("{holderIdentity: \"a\\nb\"}").holder, "a b");
  const std::string holder = read("{holderIdentity: " + std::string(10'000, 'h') + "}").holder;
  EXPECT_EQ(holder.size(), LeaseRecord::kLongestHolder);
  EXPECT_TRUE(holder.starts_with("hhh"));
  EXPECT_TRUE(holder.ends_with("…"));
}

TEST(LeaseTable, EmptyTableFindsNone) {
  EXPECT_FALSE(LeaseTable{}.find("default"));
  EXPECT_FALSE(LeaseTable{LeaseRecords{}}.find("default"));
  EXPECT_FALSE(LeaseTable{LeaseRecords{}}.find(""));
}

TEST(LeaseTable, FindsExactlyItsEntriesAmongThousands) {
  LeaseRecords records;
  for (int i = 0; i < 10'000; ++i) {
    records["team-" + std::to_string(i)] = {.holder = "holder-" + std::to_string(i),
                                            .renew_time = kNow + std::chrono::seconds(i),
                                            .duration = std::chrono::seconds(i % 60)};
  }
  const LeaseTable table(records);
  EXPECT_EQ(table.size(), 10'000U);
  for (int i = 0; i < 10'000; ++i) {
    const auto lease = table.find("team-" + std::to_string(i));
    ASSERT_TRUE(lease) << i;
    EXPECT_EQ(lease->holder, "holder-" + std::to_string(i));
    EXPECT_EQ(lease->renew_time, kNow + std::chrono::seconds(i));
    EXPECT_EQ(lease->duration, std::chrono::seconds(i % 60));
  }
  for (const std::string_view name : {"team-10000", "team-", "team", "", "Team-1", "team-1 "}) {
    EXPECT_FALSE(table.find(name)) << name;
  }
  EXPECT_LT(table.bytes(), 1'200'000U);
}

TEST(LeaseTable, IncompleteLeaseCountsAsExpired) {
  const LeaseTable table(
      LeaseRecords{{"no-time", {.holder = "a", .renew_time = std::nullopt, .duration = 30s}},
                   {"no-duration", {.holder = "b", .renew_time = kNow, .duration = std::nullopt}},
                   {"whole", {.holder = "", .renew_time = kNow, .duration = 30s}}});
  EXPECT_EQ(table.find("no-time")->holder, "a");
  EXPECT_FALSE(is_live(*table.find("no-time"), kNow));
  EXPECT_FALSE(is_live(*table.find("no-duration"), kNow));
  EXPECT_TRUE(is_live(*table.find("whole"), kNow));
  EXPECT_EQ(table.find("whole")->holder, "");
  EXPECT_EQ(table.live(kNow), 1U);
  EXPECT_EQ(table.live(kNow + 30s), 0U);
}

TEST(LeaseTable, RejectsInvalidNamespaceNames) {
  const std::string longest(LeaseRecord::kLongestHolder, 'n');
  const LeaseTable table(
      LeaseRecords{{longest, {.holder = "a"}}, {longest + "n", {.holder = "b"}}});
  EXPECT_EQ(table.size(), 1U);
  EXPECT_TRUE(table.find(longest));
  EXPECT_FALSE(table.find(longest + "n"));
}

}  // namespace
}  // namespace dynamo::cluster
