#include "certs/managed/targets.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "certs/managed/reports.hpp"
#include "tests/certs/managed_support.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/recording_logger.hpp"

namespace dynamo::test {
namespace {

using certs::managed::InjectionTarget;
using certs::managed::ReportStore;
using certs::managed::Settings;
using certs::managed::TargetEntry;
using certs::managed::TargetStore;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const certs::TimePoint kNow = FakeClock().wall();

std::vector<std::string> webhooks(const std::vector<TargetEntry>& entries) {
  std::vector<std::string> names;
  names.reserve(entries.size());
  for (const TargetEntry& entry : entries) names.push_back(entry.webhook);
  return names;
}

std::vector<TargetEntry> read(const kube::Resource& resource, std::string_view text) {
  return read_entries(resource, json::parse_copy(text)->root(), managed_settings());
}

TEST(ManagedTargets, OnlyWebhooksOfOurServiceAreTargets) {
  const auto entries = read(kube::kValidatingWebhookConfigurations, R"({"webhooks": [
    {"name": "ours.example.com",
     "clientConfig": {"service": {"name": "dynamo-webhook", "namespace": "dynamo"}}},
    {"name": "url.example.com", "clientConfig": {"url": "https://dynamo-webhook.dynamo.svc"}},
    {"name": "service.example.com",
     "clientConfig": {"service": {"name": "other", "namespace": "dynamo"}}},
    {"name": "namespace.example.com",
     "clientConfig": {"service": {"name": "dynamo-webhook", "namespace": "other"}}},
    {"name": "nothing.example.com"},
    {"name": "last.example.com",
     "clientConfig": {"service": {"name": "dynamo-webhook", "namespace": "dynamo"}}}]})");
  ASSERT_THAT(webhooks(entries), ElementsAre("ours.example.com", "last.example.com"));
  EXPECT_EQ(entries[0].index, 0U);
  EXPECT_EQ(entries[1].index, 5U);
}

TEST(ManagedTargets, CrdIsTargetOnlyWithOurConversionWebhook) {
  const std::string ours =
      R"("webhook": {"clientConfig": {"service": {"name": "dynamo-webhook", "namespace": "dynamo"}}})";
  const auto crd = [](const std::string& conversion) {
    return read(kube::kCustomResourceDefinitions,
                R"({"spec": {"conversion": )" + conversion + "}}");
  };
  EXPECT_THAT(webhooks(crd(R"({"strategy": "Webhook", )" + ours + "}")), ElementsAre(""));
  EXPECT_THAT(crd(R"({"strategy": "None", )" + ours + "}"), IsEmpty());
  EXPECT_THAT(crd(R"({"strategy": "Webhook", "webhook": {"clientConfig": {"url": "https://a"}}})"),
              IsEmpty());
  EXPECT_THAT(read(kube::kCustomResourceDefinitions, R"({"spec": {}})"), IsEmpty());
}

TEST(ManagedTargets, InvalidBundleReadsAsEmpty) {
  const auto with = [](const std::string& bundle) {
    return read(kube::kMutatingWebhookConfigurations,
                R"({"webhooks": [{"name": "a", "clientConfig": {"caBundle": ")" + bundle +
                    R"(", "service": {"name": "dynamo-webhook", "namespace": "dynamo"}}}]})");
  };
  EXPECT_THAT(with("").front().bundle, IsEmpty());
  EXPECT_THAT(with("***").front().bundle, IsEmpty());
  EXPECT_THAT(with("Cg==").front().bundle, IsEmpty());
  EXPECT_EQ(with("Cg==").front().bundle_pem, "\n");
}

InjectionTarget target(const kube::Resource& resource, std::vector<std::string> names) {
  InjectionTarget made{resource, "dynamo", "uid-1", "7", {}};
  for (std::string& name : names) {
    // every other webhook belongs to another service
    const std::size_t index = 2 * made.entries.size();
    made.entries.push_back({std::move(name), {}, {}, index});
  }
  return made;
}

TEST(ManagedTargets, PatchRequiresSeenVersionSetsCaBundles) {
  const std::string seen = R"([{"op":"replace","path":"/metadata/uid","value":"uid-1"},)"
                           R"({"op":"replace","path":"/metadata/resourceVersion","value":"7"},)";
  EXPECT_EQ(patch_body(target(kube::kValidatingWebhookConfigurations, {"a.b.c", "d.e.f"}), "pem",
                       managed_settings()),
            seen + R"({"op":"test","path":"/webhooks/0/name","value":"a.b.c"},)"
                   R"({"op":"add","path":"/webhooks/0/clientConfig/caBundle","value":"cGVt"},)"
                   R"({"op":"test","path":"/webhooks/2/name","value":"d.e.f"},)"
                   R"({"op":"add","path":"/webhooks/2/clientConfig/caBundle","value":"cGVt"}])");
  EXPECT_EQ(
      patch_body(target(kube::kCustomResourceDefinitions, {""}), "pem", managed_settings()),
      seen +
          R"({"op":"test","path":"/spec/conversion/strategy","value":"Webhook"},)"
          R"({"op":"test","path":"/spec/conversion/webhook/clientConfig/service/namespace",)"
          R"("value":"dynamo"},)"
          R"({"op":"test","path":"/spec/conversion/webhook/clientConfig/service/name",)"
          R"("value":"dynamo-webhook"},)"
          R"({"op":"add","path":"/spec/conversion/webhook/clientConfig/caBundle","value":"cGVt"}])");
}

kube::Object configuration(const std::string& name, bool is_ours = true) {
  return kube::Object::parse(R"({"metadata": {"name": ")" + name + R"(", "resourceVersion": ")" +
                             (is_ours ? "1" : "2") +
                             R"("}, "webhooks": [{"name": "a.b.c", "clientConfig": {"service": {
                               "namespace": "dynamo", "name": ")" +
                             (is_ours ? "dynamo-webhook" : "another") + R"("}}}]})")
      .value();
}

TEST(ManagedTargets, StoreTracksAdditionsChangesAndDeletions) {
  const Settings settings = managed_settings();
  RecordingLogger logger;
  int changes = 0;
  TargetStore store(kube::kValidatingWebhookConfigurations, settings, logger,
                    [&changes] { ++changes; });
  const auto names = [&store] {
    std::vector<std::string> all;
    for (const InjectionTarget& known : store.targets()) all.push_back(known.name);
    return all;
  };
  EXPECT_FALSE(store.is_synced());
  store.replace(std::vector<kube::Object>{configuration("a"), configuration("b")});
  EXPECT_TRUE(store.is_synced());
  EXPECT_THAT(names(), ElementsAre("a", "b"));
  store.upsert(configuration("a", false));
  EXPECT_THAT(names(), ElementsAre("b"));
  store.upsert(configuration("c"));
  store.remove(configuration("b"));
  EXPECT_THAT(names(), ElementsAre("c"));
  store.replace({});
  EXPECT_THAT(names(), IsEmpty());
  EXPECT_EQ(changes, 5);
}

TEST(ManagedTargets, TargetsBeyondLimitAreIgnoredAndLoggedOnce) {
  const Settings settings = managed_settings();
  RecordingLogger logger;
  TargetStore store(kube::kValidatingWebhookConfigurations, settings, logger, [] {});
  std::vector<kube::Object> objects;
  for (std::size_t i = 0; i < TargetStore::kMaxTargets + 2; ++i) {
    objects.push_back(configuration("c" + std::to_string(i)));
  }
  store.replace(objects);
  EXPECT_EQ(store.targets().size(), TargetStore::kMaxTargets);
  EXPECT_EQ(logger.count("too many labelled objects; the others get no caBundle"), 1U);
}

TEST(ManagedTargets, IgnoredTargetIsManagedOnceThereIsRoom) {
  const Settings settings = managed_settings();
  RecordingLogger logger;
  TargetStore store(kube::kValidatingWebhookConfigurations, settings, logger, [] {});
  std::vector<kube::Object> objects;
  for (std::size_t i = 0; i < TargetStore::kMaxTargets + 2; ++i) {
    objects.push_back(configuration("c" + std::to_string(i)));
  }
  store.replace(objects);
  const auto knows = [&store](const std::string& name) {
    return std::ranges::any_of(store.targets(),
                               [&](const InjectionTarget& target) { return target.name == name; });
  };
  EXPECT_FALSE(knows("c256"));
  EXPECT_FALSE(knows("c257"));
  store.remove(objects[0]);
  store.upsert(configuration("c1", false));
  EXPECT_EQ(store.targets().size(), TargetStore::kMaxTargets);
  EXPECT_TRUE(knows("c256"));
  EXPECT_TRUE(knows("c257"));
  EXPECT_EQ(logger.count("too many labelled objects; the others get no caBundle"), 1U);
}

kube::Object lease(const std::string& name, const std::string& version, const std::string& ca) {
  return kube::Object::parse(
             R"({"metadata": {"name": ")" + name + R"(", "resourceVersion": ")" + version +
             R"(", "annotations": {"nvidia.com/dynamo-webhook-served-certificate": "leaf",
                                   "nvidia.com/dynamo-webhook-served-ca": ")" +
             ca + R"("}}})")
      .value();
}

TEST(ManagedReports, ReportIsLeaseNamedByIdentity) {
  const Settings settings = managed_settings("pod-1");
  const std::string name = report_name(settings);
  EXPECT_THAT(name, ::testing::MatchesRegex("dynamo-webhook-replica-[0-9a-f]{16}"));
  EXPECT_NE(name, report_name(managed_settings("pod-2")));
  EXPECT_EQ(report_body(settings, {"leaf", "ca"}, kNow, "7"),
            R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":")" + name +
                R"(","namespace":"dynamo","resourceVersion":"7","labels":)"
                R"({"app.kubernetes.io/managed-by":"dynamo-webhook",)"
                R"("nvidia.com/dynamo-webhook-replica-of":"dynamo-webhook"},"annotations":)"
                R"({"nvidia.com/dynamo-webhook-served-certificate":"leaf",)"
                R"("nvidia.com/dynamo-webhook-served-ca":"ca"}},"spec":)"
                R"({"holderIdentity":"pod-1","leaseDurationSeconds":600,)"
                R"("renewTime":"2026-02-03T04:05:06.000000Z"}})");
}

// Reports of two other replicas as seen by one replica, which renews its own every two minutes.
class ManagedReportStore : public ::testing::Test {
 protected:
  static constexpr int kDayOfRenewals = 24 * 30;

  void renew_own() {
    store_.upsert(lease(report_name(settings_), std::to_string(++version_), "x"));
  }
  void pass_renewals(int count) {
    for (int i = 0; i < count; ++i) {
      clock_.tick(2min);
      renew_own();
    }
  }
  bool is_live(const std::string& name) const {
    for (const auto& report : store_.reports()) {
      if (report.name == name) return store_.is_live(report);
    }
    return false;
  }

  FakeClock clock_;
  const Settings settings_ = managed_settings();
  RecordingLogger logger_;
  ReportStore store_{settings_, clock_, logger_, [] {}};
  int version_ = 0;
};

TEST_F(ManagedReportStore, ReportIsLiveWhileItChanges) {
  renew_own();
  store_.upsert(lease("a", "1", "old"));
  pass_renewals(kDayOfRenewals);
  EXPECT_TRUE(is_live("a"));
  store_.upsert(lease("a", "1", "old"));  // listed again, not renewed
  pass_renewals(1);
  EXPECT_FALSE(is_live("a"));
  EXPECT_TRUE(is_live(report_name(settings_)));
  store_.upsert(lease("a", "2", "new"));
  EXPECT_TRUE(is_live("a"));
}

TEST_F(ManagedReportStore, OwnOutageDoesNotCountAsSilence) {
  renew_own();
  store_.upsert(lease("a", "1", "old"));
  clock_.tick(10h);
  EXPECT_TRUE(is_live("a"));
  renew_own();
  EXPECT_TRUE(is_live("a"));
  pass_renewals(kDayOfRenewals - 2);
  EXPECT_TRUE(is_live("a"));
  pass_renewals(1);
  EXPECT_FALSE(is_live("a"));
}

// Without a limit, a client with the right to write Leases could fill the memory of every replica.
// Dropping a report silently could remove an old CA while its replica still serves it.
TEST_F(ManagedReportStore, LimitMakesStoreIncomplete) {
  EXPECT_TRUE(store_.is_complete());
  renew_own();
  const std::string much(ReportStore::kMaxBytes / 8, 'x');
  for (int i = 0; i < 20; ++i) store_.upsert(lease("r" + std::to_string(i), "1", much));
  EXPECT_LT(store_.reports().size(), 10U);
  EXPECT_FALSE(store_.is_complete());
  EXPECT_FALSE(store_.take_deletion());
  renew_own();
  EXPECT_TRUE(is_live(report_name(settings_)));
  store_.replace(std::vector<kube::Object>{lease(report_name(settings_), "listed", "x")});
  EXPECT_TRUE(store_.is_complete());
}

TEST_F(ManagedReportStore, ListRemovesReportsAndKeepsSilenceOfOthers) {
  EXPECT_FALSE(store_.is_synced());
  store_.replace(std::vector<kube::Object>{lease(report_name(settings_), "0", "x"),
                                           lease("a", "1", "x"), lease("b", "1", "x")});
  EXPECT_TRUE(store_.is_synced());
  pass_renewals(kDayOfRenewals);
  store_.replace(std::vector<kube::Object>{lease(report_name(settings_), "listed", "x"),
                                           lease("b", "1", "x"), lease("c", "1", "x")});
  EXPECT_EQ(store_.reports().size(), 3U);
  pass_renewals(1);
  EXPECT_FALSE(is_live("a"));
  EXPECT_FALSE(is_live("b"));
  EXPECT_TRUE(is_live("c"));
  store_.remove(lease("b", "1", "x"));
  EXPECT_EQ(store_.reports().size(), 2U);
}

}  // namespace
}  // namespace dynamo::test
