// Replicas and one cluster without faults: first start, renewal, injection, readiness.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "certs/managed/injector.hpp"
#include "certs/managed/reports.hpp"
#include "tests/certs/managed_simulation.hpp"
#include "tests/support/sanitizers.hpp"

namespace dynamo::test {
namespace {

using certs::managed::RotationPhase;
using certs::managed::Settings;
using certs::managed::split_bundle;
using certs::managed::WriteCause;
using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

// A labelled configuration with one webhook of ours and no caBundle.
std::string labelled(const std::string& name) {
  return R"({"metadata": {"name": ")" + name +
         R"(", "labels": {"nvidia.com/dynamo-webhook-inject-ca": "true"}},
    "webhooks": [{"name": "graphs.nvidia.com", "sideEffects": "None",
                  "admissionReviewVersions": ["v1"], "clientConfig": {
                    "service": {"namespace": "dynamo", "name": "dynamo-webhook"}}}]})";
}

class ManagedCluster : public SimulationTest {};

TEST_F(ManagedCluster, FirstStartCreatesSecretAndFillsBundles) {
  simulation_.add_configurations();
  Replica& replica = simulation_.start("replica-a");
  EXPECT_EQ(replica.not_ready(), "the certificates' Secret was not listed yet");
  ASSERT_TRUE(simulation_.run_until([&] { return replica.ready(); })) << replica.not_ready();
  const auto decoded = simulation_.decoded();
  ASSERT_TRUE(decoded.content.has_value());
  EXPECT_EQ(decoded.content->leaf->leaf.fingerprint, replica.served_leaf());
  EXPECT_THAT(simulation_.bundles(), ::testing::Each(decoded.content->ca.pair.certificate_pem));
  EXPECT_EQ(simulation_.bundles().size(), 3U);
  EXPECT_EQ(simulation_.secret()->root()["type"].string_or_empty(), "kubernetes.io/tls");
  EXPECT_EQ(replica.writes(WriteCause::kMissing), 1U);
  EXPECT_EQ(simulation_.events("CertificatesMade"), 1U);
  EXPECT_EQ(simulation_.cluster.all(kube::kEvents).front().root()["type"].string_or_empty(),
            "Normal");
  EXPECT_EQ(replica.stats().unverified.load(), 0U);
  EXPECT_EQ(replica.source().errors(), 0U);
}

TEST_F(ManagedCluster, OnlyLabelledWebhooksOfOurServiceGetBundle) {
  simulation_.add_configurations();
  Replica& replica = simulation_.start("replica-a");
  ASSERT_TRUE(simulation_.run_until([&] { return replica.ready(); }));
  const auto& resource = kube::kValidatingWebhookConfigurations;
  EXPECT_EQ(simulation_.bundle(resource, "dynamo", 1), "");
  EXPECT_EQ(simulation_.bundle(resource, "unlabelled", 0), "");
  const auto managers = [&](const char* field) {
    return simulation_.cluster.managers(resource, "", "dynamo", field);
  };
  EXPECT_THAT(managers("webhooks[graphs.nvidia.com].clientConfig.caBundle"),
              ElementsAre("dynamo-webhook-ca-injector"));
  EXPECT_THAT(managers("webhooks[graphs.nvidia.com].clientConfig.service.name"),
              ElementsAre("someone"));
  const auto configuration = simulation_.cluster.find(resource, "", "dynamo");
  EXPECT_EQ(configuration->root()["webhooks"].size(), 3U);
  for (const Call& call : simulation_.cluster.calls()) {
    if (call.method != kube::HttpMethod::kPatch) continue;
    EXPECT_THAT(call.target, ::testing::EndsWith("?fieldManager=dynamo-webhook-ca-injector"));
    EXPECT_EQ(call.content_type, "application/json-patch+json");
  }
}

// Configuration "gitops" owned by a manager that applies its manifests server-side.
class ManagedByOthers : public ManagedCluster {
 protected:
  static std::string manifest(const std::vector<std::string>& webhooks) {
    std::string text = R"({"apiVersion": "admissionregistration.k8s.io/v1",
      "kind": "ValidatingWebhookConfiguration", "metadata": {"name": "gitops",
        "labels": {"nvidia.com/dynamo-webhook-inject-ca": "true"}}, "webhooks": [)";
    for (const std::string& name : webhooks) {
      if (text.back() == '}') text += ',';
      text += R"({"name": ")" + name +
              R"(", "sideEffects": "None", "admissionReviewVersions": ["v1"], "clientConfig": {
                  "service": {"namespace": "dynamo", "name": "dynamo-webhook"}}})";
    }
    return text + "]}";
  }
  void apply(const std::vector<std::string>& webhooks) {
    kube::WriteOptions options;
    options.field_manager = "flux";
    const auto applied =
        run(simulation_.loop, client_.patch(kResource, {}, "gitops", kube::PatchType::kApply,
                                            manifest(webhooks), options));
    ASSERT_TRUE(applied) << applied.error().text;
  }
  // The names of the webhooks that already have the right bundle.
  std::vector<std::string> injected() const {
    const std::string ca = simulation_.decoded().content->ca.pair.certificate_pem;
    std::vector<std::string> names;
    const auto object = simulation_.cluster.find(kResource, "", "gitops");
    std::size_t index = 0;
    for (const json::Value webhook : object->root()["webhooks"].elements()) {
      const bool has_it = simulation_.bundle(kResource, "gitops", index++) == ca;
      names.emplace_back(has_it ? webhook["name"].string_or_empty() : "nothing");
    }
    return names;
  }
  bool is_injected(const std::vector<std::string>& names) {
    return simulation_.run_until([&] { return injected() == names; });
  }

  static constexpr const kube::Resource& kResource = kube::kValidatingWebhookConfigurations;
  const std::unique_ptr<kube::Transport> connection_ = simulation_.cluster.connect("flux");
  kube::Client client_{*connection_};
};

TEST_F(ManagedByOthers, WebhookIsAddedAndRemovedWithAppliedManifest) {
  apply({"a.nvidia.com", "b.nvidia.com"});
  Replica& replica = simulation_.start("replica-a");
  ASSERT_TRUE(simulation_.run_until([&] { return replica.ready(); })) << replica.not_ready();
  simulation_.checks_invariant = false;  // a new webhook has no bundle at first
  EXPECT_TRUE(is_injected({"a.nvidia.com", "b.nvidia.com"}));
  apply({"a.nvidia.com", "b.nvidia.com"});
  EXPECT_THAT(injected(), ElementsAre("a.nvidia.com", "b.nvidia.com"));
  apply({"b.nvidia.com"});
  EXPECT_THAT(injected(), ElementsAre("b.nvidia.com"));
  apply({"b.nvidia.com", "c.nvidia.com"});
  EXPECT_TRUE(is_injected({"b.nvidia.com", "c.nvidia.com"}));
}

TEST_F(ManagedByOthers, ConflictingWriteIsRetriedWithNewState) {
  const Match write{.method = kube::HttpMethod::kPatch, .path = "/gitops", .client = "replica-a"};
  apply({"a.nvidia.com", "b.nvidia.com"});
  // First only the version changes, then the webhook's position: 409 and 422.
  simulation_.cluster.before(write, [&] {
    simulation_.cluster.merge(kResource, "", "gitops",
                              R"({"metadata": {"annotations": {"a": "b"}}})");
    simulation_.cluster.before(write, [&] {
      simulation_.cluster.put(kResource, manifest({"c.nvidia.com", "a.nvidia.com"}));
    });
  });
  // A refused write is not retried before the watch has delivered the new state.
  certs::managed::Settings settings = managed_settings("replica-a");
  settings.longest_pause = 10min;
  Replica& replica = simulation_.start(settings);
  ASSERT_TRUE(simulation_.run_until([&] { return replica.ready(); })) << replica.not_ready();
  EXPECT_THAT(injected(), ElementsAre("c.nvidia.com", "a.nvidia.com"));
  EXPECT_EQ(replica.stats()
                .injections[static_cast<std::size_t>(certs::managed::InjectionResult::kFailed)]
                .load(),
            2U);
  EXPECT_EQ(simulation_.logger.count("writing a caBundle failed; tried again until it succeeds"),
            0U);
}

TEST_F(ManagedCluster, ReplicaIsUnreadyUntilBundlesVerifyIt) {
  simulation_.add_configurations();
  simulation_.start("replica-a");
  simulation_.start("replica-b");
  simulation_.lead(simulation_.size());  // no replica leads
  ASSERT_TRUE(simulation_.run_until([&] {
    return simulation_.replica(0).not_ready().find("caBundle") != std::string::npos &&
           simulation_.replica(1).not_ready().find("caBundle") != std::string::npos;
  })) << simulation_.replica(0).not_ready();
  EXPECT_EQ(simulation_.replica(0).not_ready(),
            "caBundle of validatingwebhookconfigurations/dynamo (webhook graphs.nvidia.com) does "
            "not verify the served certificate, nor do 2 more");
  EXPECT_EQ(simulation_.replica(0).stats().unverified.load(), 3U);
  simulation_.lead(1);
  EXPECT_TRUE(simulation_.run_until([&] { return simulation_.are_all_ready(); }));
}

TEST_F(ManagedCluster, WithoutConfigurationItIsReadyAndWarnsOnce) {
  Replica& replica = simulation_.start("replica-a");
  ASSERT_TRUE(simulation_.run_until([&] { return replica.ready(); })) << replica.not_ready();
  EXPECT_TRUE(replica.ready());
  EXPECT_EQ(simulation_.logger.count("no webhook configuration to write the caBundle into"), 1U);
}

TEST_F(ManagedCluster, LaterConfigurationGetsItsBundle) {
  Replica& replica = simulation_.start("replica-a");
  ASSERT_TRUE(simulation_.run_until([&] { return replica.ready(); }));
  simulation_.checks_invariant = false;  // a new configuration has no bundle at first
  simulation_.add_configurations();
  const std::string ca = simulation_.decoded().content->ca.pair.certificate_pem;
  EXPECT_TRUE(simulation_.run_until([&] {
    const auto bundles = simulation_.bundles();
    return std::count(bundles.begin(), bundles.end(), ca) == 3;
  }));
  EXPECT_TRUE(replica.ready());
}

TEST_F(ManagedCluster, CrdConversionGetsBundleWhenEnabled) {
  simulation_.cluster.put(kube::kCustomResourceDefinitions, R"({
    "metadata": {"name": "a.nvidia.com", "labels": {"nvidia.com/dynamo-webhook-inject-ca": "true"}},
    "spec": {"group": "nvidia.com", "conversion": {"strategy": "Webhook", "webhook": {
      "conversionReviewVersions": ["v1"], "clientConfig": {"service": {
        "namespace": "dynamo", "name": "dynamo-webhook"}}}}}})");
  Settings settings = managed_settings();
  settings.inject_crds = true;
  Replica& replica = simulation_.start(settings);
  ASSERT_TRUE(simulation_.run_until([&] { return replica.ready(); })) << replica.not_ready();
  const auto crd = simulation_.cluster.find(kube::kCustomResourceDefinitions, "", "a.nvidia.com");
  const json::Value conversion = crd->root()["spec"]["conversion"];
  EXPECT_EQ(conversion["webhook"]["clientConfig"]["caBundle"].string_or_empty(),
            text::encode_base64(simulation_.decoded().content->ca.pair.certificate_pem));
  EXPECT_EQ(conversion["strategy"].string_or_empty(), "Webhook");
  EXPECT_EQ(conversion["webhook"]["clientConfig"]["service"]["name"].string_or_empty(),
            "dynamo-webhook");
}

TEST_F(ManagedCluster, ConcurrentStartsAgreeOnOneCa) {
  for (std::uint64_t seed = 0; seed < test::played(std::uint64_t{50}); ++seed) {
    Simulation race;
    race.add_configurations();
    race.cluster.interleave(seed);
    race.checks_each_iteration = true;
    race.start("replica-a");
    race.start("replica-b");
    race.start("replica-c");
    ASSERT_TRUE(race.run_until([&] { return race.are_all_ready(); })) << "seed " << seed;
    const auto decoded = race.decoded();
    ASSERT_TRUE(decoded.content.has_value()) << "seed " << seed;
    EXPECT_FALSE(decoded.flaw.has_value()) << "seed " << seed;
    EXPECT_TRUE(race.is_served_by_all(decoded.content->leaf->leaf.fingerprint)) << "seed " << seed;
    std::uint64_t made = 0;
    for (std::size_t i = 0; i < race.size(); ++i) {
      made += race.replica(i).writes(WriteCause::kMissing);
    }
    EXPECT_EQ(made, 1U) << "seed " << seed;
    EXPECT_THAT(race.bundles(), ::testing::Each(decoded.content->ca.pair.certificate_pem));
    EXPECT_THAT(race.violations(), IsEmpty()) << "seed " << seed;
  }
}

TEST_F(ManagedCluster, LeafIsRenewedOnceAndCaStays) {
  simulation_.add_configurations();
  for (const char* const name : {"replica-a", "replica-b", "replica-c"}) simulation_.start(name);
  ASSERT_TRUE(simulation_.run_until([&] { return simulation_.are_all_ready(); }));
  const auto before = simulation_.decoded();
  // After the renewal time of all replicas.
  simulation_.clock.tick(62 * kDay);
  ASSERT_TRUE(simulation_.run_until([&] {
    return simulation_.decoded().content->leaf->leaf.fingerprint !=
               before.content->leaf->leaf.fingerprint &&
           simulation_.is_served_by_all(simulation_.decoded().content->leaf->leaf.fingerprint);
  }));
  EXPECT_EQ(simulation_.decoded().ca->facts.fingerprint, before.ca->facts.fingerprint);
  EXPECT_EQ(simulation_.decoded().content->leaf->leaf.not_after,
            simulation_.clock.wall() + 90 * kDay);
  std::uint64_t renewals = 0;
  for (std::size_t i = 0; i < simulation_.size(); ++i) {
    renewals += simulation_.replica(i).writes(WriteCause::kRenewal);
  }
  EXPECT_EQ(renewals, 1U);
  EXPECT_EQ(simulation_.events("CertificateRenewed"), 1U);
}

TEST_F(ManagedCluster, RequestedLeafIsRenewedAndAnnotationRemoved) {
  simulation_.add_configurations();
  Replica& replica = simulation_.start("replica-a");
  ASSERT_TRUE(simulation_.run_until([&] { return replica.ready(); }));
  const std::string before = replica.served_leaf();
  simulation_.annotate("leaf");
  ASSERT_TRUE(simulation_.run_until([&] { return replica.served_leaf() != before; }));
  EXPECT_FALSE(simulation_.decoded().rotate_leaf);
  EXPECT_EQ(replica.writes(WriteCause::kRequested), 1U);
}

TEST_F(ManagedCluster, ReplicasWithDifferentNamesShareOneLeaf) {
  simulation_.add_configurations();
  simulation_.start("replica-a");
  ASSERT_TRUE(simulation_.run_until([&] { return simulation_.are_all_ready(); }));
  Settings other = managed_settings("replica-b");
  other.cluster_domain = "other.example";
  simulation_.start(other);
  const auto names = [&] { return simulation_.decoded().content->leaf->leaf.names; };
  ASSERT_TRUE(simulation_.run_until([&] { return names().size() == 5; }));
  EXPECT_THAT(names(), UnorderedElementsAre("dynamo-webhook", "dynamo-webhook.dynamo",
                                            "dynamo-webhook.dynamo.svc",
                                            "dynamo-webhook.dynamo.svc.cluster.local",
                                            "dynamo-webhook.dynamo.svc.other.example"));
  simulation_.pass(30s);
  EXPECT_EQ(simulation_.replica(0).writes(WriteCause::kNames) +
                simulation_.replica(1).writes(WriteCause::kNames),
            1U);
}

TEST_F(ManagedCluster, ReplicasOfDifferentServicesShareOneLeaf) {
  simulation_.add_configurations();
  simulation_.start("replica-a");
  ASSERT_TRUE(simulation_.run_until([&] { return simulation_.are_all_ready(); }));
  Settings other = managed_settings("replica-b");
  other.service = "another-webhook";
  simulation_.start(other);
  ASSERT_TRUE(simulation_.run_until(
      [&] { return simulation_.decoded().content->leaf->leaf.names.size() == 8; }));
  simulation_.pass(30s);
  EXPECT_TRUE(simulation_.are_all_ready());
  EXPECT_TRUE(simulation_.is_served_by_all(simulation_.decoded().content->leaf->leaf.fingerprint));
  std::uint64_t writes = 0;
  for (std::size_t i = 0; i < simulation_.size(); ++i) {
    for (const auto& count : simulation_.replica(i).stats().writes) writes += count.load();
  }
  EXPECT_EQ(writes, 2U);  // the first one, and one for the names
}

TEST_F(ManagedCluster, LeafWithoutOurServiceNeverReplacesBetterOne) {
  simulation_.add_configurations();
  Replica& replica = simulation_.start("replica-a");
  ASSERT_TRUE(simulation_.run_until([&] { return replica.ready(); }));
  Settings other = managed_settings("replica-b");
  other.service = "another-webhook";
  certs::managed::Content content = *simulation_.decoded().content;
  content.leaf = new_leaf(content.ca, other, simulation_.clock.wall()).value();
  const std::string without = content.leaf->leaf.fingerprint;
  simulation_.set_secret(encode_secret(content, simulation_.secret()->root(), other));
  bool was_served = false;
  ASSERT_TRUE(simulation_.run_until([&] {
    was_served = was_served || replica.served_leaf() == without;
    const auto& names = replica.served()->leaf.names;
    return std::count(names.begin(), names.end(), "another-webhook.dynamo.svc") == 1;
  }));
  EXPECT_FALSE(was_served);
}

TEST_F(ManagedCluster, ReplicaReportsServedLeafUntilItStops) {
  simulation_.start("replica-a");
  simulation_.start("replica-b");
  ASSERT_TRUE(simulation_.run_until([&] { return simulation_.are_all_ready(); }));
  const auto leases = [&] { return simulation_.cluster.all(kube::kLeases); };
  ASSERT_EQ(leases().size(), 2U);
  for (const kube::Object& lease : leases()) {
    const json::Value annotations = lease.root()["metadata"]["annotations"];
    EXPECT_EQ(annotations[certs::managed::kServedLeafAnnotation].string_or_empty(),
              simulation_.replica(0).served_leaf());
  }
  simulation_.replica(1).stop();
  EXPECT_EQ(leases().size(), 1U);
}

TEST_F(ManagedCluster, ReportIsRenewedAndOldOneTakenOver) {
  const Settings settings = managed_settings();
  simulation_.cluster.put(kube::kLeases,
                          report_body(settings, {"x", "y"}, simulation_.clock.wall(), ""));
  Replica& replica = simulation_.start(settings);
  ASSERT_TRUE(simulation_.run_until([&] { return replica.ready(); })) << replica.not_ready();
  const auto version = [&] {
    return std::string(simulation_.cluster.all(kube::kLeases).front().resource_version());
  };
  const std::string before = version();
  simulation_.pass(3min);
  EXPECT_NE(version(), before);
  EXPECT_EQ(simulation_.cluster.all(kube::kLeases).size(), 1U);
}

TEST_F(ManagedCluster, DeletedReportIsRecreatedImmediately) {
  Replica& replica = simulation_.start("replica-a");
  ASSERT_TRUE(simulation_.run_until([&] { return replica.ready(); }));
  const auto leases = [&] { return simulation_.cluster.all(kube::kLeases); };
  ASSERT_EQ(leases().size(), 1U);
  // Without the report an old CA would be dropped while this replica serves it.
  simulation_.cluster.erase(kube::kLeases, "dynamo", std::string(leases().front().name()));
  EXPECT_TRUE(simulation_.run_until([&] { return leases().size() == 1; }));
}

TEST_F(ManagedCluster, LeaderRemovesReportsOfDeadReplicas) {
  for (const char* const name : {"replica-a", "replica-b"}) {
    Settings settings = managed_settings(name);
    settings.silence_until_gone = 20min;
    simulation_.start(settings);
  }
  ASSERT_TRUE(simulation_.run_until([&] { return simulation_.are_all_ready(); }));
  simulation_.kill("replica-b");
  EXPECT_EQ(simulation_.cluster.all(kube::kLeases).size(), 2U);
  simulation_.pass(19min);
  EXPECT_EQ(simulation_.cluster.all(kube::kLeases).size(), 2U);
  EXPECT_TRUE(simulation_.pass_until(
      [&] { return simulation_.cluster.all(kube::kLeases).size() == 1; }, 5min));
}

TEST_F(ManagedCluster, WipedBundleIsRestoredWhileReplicasStayReady) {
  simulation_.add_configurations();
  Replica& replica = simulation_.start("replica-a");
  ASSERT_TRUE(simulation_.run_until([&] { return replica.ready(); }));
  const auto before = simulation_.bundles();
  simulation_.checks_invariant = false;
  simulation_.add_configurations();  // like `kubectl replace` without a caBundle
  EXPECT_THAT(simulation_.bundles(), ::testing::Each(""));
  ASSERT_TRUE(simulation_.run_until([&] { return simulation_.bundles() == before; }));
  EXPECT_TRUE(replica.ready());
  EXPECT_GE(replica.stats()
                .injections[static_cast<std::size_t>(certs::managed::InjectionResult::kApplied)],
            4U);
}

TEST_F(ManagedCluster, UnwritableConfigurationDoesNotBlockOthers) {
  simulation_.add_configurations();
  Settings settings = managed_settings();
  settings.first_pause = settings.longest_pause = 10min;
  const Match refused{.method = kube::HttpMethod::kPatch,
                      .path = "/mutatingwebhookconfigurations/dynamo"};
  simulation_.cluster.fail(
      refused, {.kind = Fault::Kind::kStatus, .status = 422, .reason = "Invalid"}, 1000);
  Replica& replica = simulation_.start(settings);
  const auto failed = [&] {
    return replica.stats()
        .injections[static_cast<std::size_t>(certs::managed::InjectionResult::kFailed)]
        .load();
  };
  ASSERT_TRUE(simulation_.run_until([&] { return failed() == 1; }));
  // Added while the other one waits for its next attempt.
  simulation_.cluster.put(kube::kValidatingWebhookConfigurations, labelled("later"));
  EXPECT_TRUE(simulation_.run_until([&] {
    return !simulation_.bundle(kube::kValidatingWebhookConfigurations, "later", 0).empty();
  }));
  EXPECT_EQ(simulation_.cluster.count(refused), 1U);
}

// Validating configurations "stuck-1" to "stuck-3" are never written: such requests get no answer,
// and each may take longer than a test.
class ManagedHang : public ManagedCluster {
 protected:
  ManagedHang() {
    simulation_.deadline = 10min;
    for (const char* const name : {"stuck-1", "stuck-2", "stuck-3"}) {
      simulation_.cluster.put(kube::kValidatingWebhookConfigurations, labelled(name));
    }
    simulation_.cluster.fail(stuck_, {.kind = Fault::Kind::kNever}, 1000);
  }

  bool is_written(const std::string& name) const {
    return !simulation_.bundle(kube::kMutatingWebhookConfigurations, name, 0).empty();
  }

  const Match stuck_{.method = kube::HttpMethod::kPatch, .path = "/stuck-"};
};

TEST_F(ManagedHang, UnansweredWritesDoNotBlockOthers) {
  simulation_.cluster.put(kube::kMutatingWebhookConfigurations, labelled("good"));
  simulation_.start("replica-a");
  EXPECT_TRUE(simulation_.run_until([&] { return is_written("good"); }));
  // Nor a configuration that is added when they are known to hang.
  ASSERT_TRUE(simulation_.run_until([&] { return simulation_.cluster.count(stuck_) >= 4; }));
  for (const char* const name : {"later", "still-later"}) {
    simulation_.cluster.put(kube::kMutatingWebhookConfigurations, labelled(name));
    EXPECT_TRUE(simulation_.run_until([&] { return is_written(name); })) << name;
  }
}

TEST_F(ManagedHang, UnansweredWritesUseOnlyOneConnection) {
  simulation_.start("replica-a");
  // Each write was abandoned once for the others, and one of them is retried with the full timeout.
  ASSERT_TRUE(simulation_.run_until([&] { return simulation_.cluster.count(stuck_) == 4; }));
  simulation_.cluster.put(kube::kMutatingWebhookConfigurations, labelled("later"));
  ASSERT_TRUE(simulation_.run_until([&] { return is_written("later"); }));
  EXPECT_EQ(simulation_.cluster.count(stuck_), 4U);
  EXPECT_EQ(simulation_.most_patches(), 2U);
}

TEST_F(ManagedCluster, UnansweredEventBlocksNothing) {
  simulation_.add_configurations();
  simulation_.deadline = 10min;
  simulation_.cluster.fail({.method = kube::HttpMethod::kPost, .path = "/events"},
                           {.kind = Fault::Kind::kNever}, 1000);
  Replica& replica = simulation_.start("replica-a");
  EXPECT_TRUE(simulation_.run_until([&] { return replica.ready(); })) << replica.not_ready();
}

constexpr std::string_view kSucceedsAgain = "writing a caBundle succeeds again";

TEST_F(ManagedCluster, UnansweredWriteIsRetriedUntilDone) {
  simulation_.add_configurations();
  simulation_.cluster.fail(
      {.method = kube::HttpMethod::kPatch, .path = "/mutatingwebhookconfigurations/"},
      {.kind = Fault::Kind::kNever}, 2);
  Replica& replica = simulation_.start("replica-a");
  EXPECT_TRUE(simulation_.run_until([&] { return replica.ready(); })) << replica.not_ready();
  // The watch may have delivered it before the answer to the write.
  EXPECT_TRUE(simulation_.run_until([&] { return simulation_.logger.count(kSucceedsAgain) > 0; }));
  EXPECT_EQ(simulation_.logger.count(kSucceedsAgain), 1U);
}

TEST_F(ManagedCluster, BundleIsNotRewrittenBeforeWatchCatchesUp) {
  simulation_.add_configurations();
  certs::managed::Settings settings = managed_settings();
  settings.longest_pause = 10min;
  Replica& replica = simulation_.start(settings);
  ASSERT_TRUE(simulation_.run_until([&] { return replica.ready(); }));
  const Match writes{.method = kube::HttpMethod::kPatch, .path = "/mutatingwebhookconfigurations/"};
  const std::size_t before = simulation_.cluster.count(writes);
  simulation_.checks_invariant = false;
  // The watch delivers the removal of the caBundle, and nothing after that.
  simulation_.add_configurations();
  simulation_.cluster.before(writes, [&] { simulation_.cluster.silence_watches(); });
  ASSERT_TRUE(
      simulation_.run_until([&] { return simulation_.cluster.count(writes) == before + 1; }));
  simulation_.pass(1min);
  EXPECT_EQ(simulation_.cluster.count(writes), before + 1);
}

TEST_F(ManagedCluster, FailedBundleWriteIsRetried) {
  simulation_.add_configurations();
  simulation_.cluster.fail(
      {.method = kube::HttpMethod::kPatch, .path = "/mutatingwebhookconfigurations/dynamo"},
      {.kind = Fault::Kind::kStatus, .status = 422, .reason = "Invalid"}, 5);
  Settings settings = managed_settings();
  settings.tick = 10min;  // only the end of the pause wakes it
  Replica& replica = simulation_.start(settings);
  EXPECT_TRUE(simulation_.run_until([&] { return replica.ready(); })) << replica.not_ready();
  // The watch may have delivered it before the answer to the write.
  EXPECT_TRUE(simulation_.run_until([&] { return simulation_.logger.count(kSucceedsAgain) > 0; }));
  EXPECT_EQ(simulation_.logger.count(kSucceedsAgain), 1U);
}

TEST_F(ManagedCluster, NewLeafIsReportedDespiteUnremovableDeadReport) {
  Settings settings = managed_settings();
  settings.first_pause = settings.longest_pause = 10min;
  settings.silence_until_gone = 10min;
  const Match removal{.method = kube::HttpMethod::kDelete, .path = "/leases/"};
  simulation_.cluster.forbid("delete", "leases");
  simulation_.cluster.put(kube::kLeases, report_body(managed_settings("replica-z"), {"x", "y"},
                                                     simulation_.clock.wall(), ""));
  Replica& replica = simulation_.start(settings);
  ASSERT_TRUE(simulation_.pass_until([&] { return replica.ready(); })) << replica.not_ready();
  ASSERT_TRUE(simulation_.pass_until([&] { return simulation_.cluster.count(removal) == 1; }));
  simulation_.annotate("leaf");
  EXPECT_TRUE(simulation_.run_until([&] {
    const std::string leaf = simulation_.decoded().content->leaf->leaf.fingerprint;
    for (const kube::Object& lease : simulation_.cluster.all(kube::kLeases)) {
      const json::Value annotations = lease.root()["metadata"]["annotations"];
      if (annotations[certs::managed::kServedLeafAnnotation].string_or_empty() == leaf) return true;
    }
    return false;
  }));
  EXPECT_EQ(simulation_.cluster.count(removal), 1U);
}

TEST_F(ManagedCluster, ConflictAboutBundleIsRateLimited) {
  simulation_.add_configurations();
  Replica& replica = simulation_.start("replica-a");
  ASSERT_TRUE(simulation_.run_until([&] { return replica.ready(); }));
  simulation_.checks_invariant = false;
  const auto applied = [&] {
    return replica.stats()
        .injections[static_cast<std::size_t>(certs::managed::InjectionResult::kApplied)]
        .load();
  };
  // Another client wipes both bundles immediately after each write.
  std::uint64_t last = 0;
  simulation_.run_until([&] {
    if (applied() != last) {
      last = applied();
      simulation_.add_configurations();
    }
    return simulation_.logger.count(
               "another client keeps changing a caBundle; it is written again in a minute") >= 2;
  });
  EXPECT_EQ(simulation_.logger.count(
                "another client keeps changing a caBundle; it is written again in a minute"),
            2U);
  EXPECT_LE(applied(), 20U);
  EXPECT_TRUE(
      simulation_.pass_until([&] { return simulation_.replica(0).stats().unverified == 0; }, 2min));
}

}  // namespace
}  // namespace dynamo::test
