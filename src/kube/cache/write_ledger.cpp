#include "kube/cache/write_ledger.hpp"

#include <algorithm>

namespace dynamo::kube {

WriteLedger::PendingWrites& WriteLedger::expect(const ObjectKey& key, Time now) {
  PendingWrites& expected = expected_[key];
  expected.since = now;
  return expected;
}

void WriteLedger::record_write(const ObjectKey& key, std::uint64_t version, Time now) {
  PendingWrites& expected = expect(key, now);
  if (version <= expected.version) return;
  by_version_.erase({expected.version, key});
  expected.version = version;
  by_version_.emplace(version, key);
}

void WriteLedger::record_delete(const ObjectKey& key, std::string_view uid, Time now) {
  expect(key, now).uids.emplace(uid);
  by_uid_[std::string(uid)].insert(key);
}

Readiness WriteLedger::readiness(const ObjectKey& key, Time now) {
  const auto found = expected_.find(key);
  if (found == expected_.end()) return Readiness::kReady;
  found->second.was_refused = true;
  return now - found->second.since < kPatience ? Readiness::kBehind : Readiness::kOverdue;
}

std::chrono::nanoseconds WriteLedger::patience(const ObjectKey& key, Time now) const {
  const auto found = expected_.find(key);
  if (found == expected_.end()) return {};
  return std::max<std::chrono::nanoseconds>(found->second.since + kPatience - now,
                                            std::chrono::nanoseconds(0));
}

void WriteLedger::settle(const ObjectKey& key) {
  const auto found = expected_.find(key);
  if (found == expected_.end()) return;
  by_version_.erase({found->second.version, key});
  for (const std::string& uid : found->second.uids) {
    const auto waiting = by_uid_.find(uid);
    waiting->second.erase(key);
    if (waiting->second.empty()) by_uid_.erase(waiting);
  }
  expected_.erase(found);
}

void WriteLedger::settle_if_met(const ObjectKey& key, std::vector<ObjectKey>& ready) {
  const auto found = expected_.find(key);
  const PendingWrites& expected = found->second;
  if (expected.version != 0 || !expected.uids.empty()) return;
  if (expected.was_refused) ready.push_back(key);
  expected_.erase(found);
}

std::vector<ObjectKey> WriteLedger::reached(std::uint64_t version) {
  std::vector<ObjectKey> ready;
  while (!by_version_.empty() && by_version_.begin()->first <= version) {
    const ObjectKey key = by_version_.begin()->second;
    by_version_.erase(by_version_.begin());
    expected_.find(key)->second.version = 0;
    settle_if_met(key, ready);
  }
  return ready;
}

std::vector<ObjectKey> WriteLedger::observed_deletion(const std::string& uid) {
  std::vector<ObjectKey> ready;
  const auto found = by_uid_.find(uid);
  if (found == by_uid_.end()) return ready;
  const std::set<ObjectKey> keys = std::move(found->second);
  by_uid_.erase(found);
  for (const ObjectKey& key : keys) {
    expected_.find(key)->second.uids.erase(uid);
    settle_if_met(key, ready);
  }
  return ready;
}

}  // namespace dynamo::kube
