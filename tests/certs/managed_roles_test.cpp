// Servers and keepers as separate processes over one Secret.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "certs/managed/reports.hpp"
#include "tests/certs/managed_simulation.hpp"

namespace dynamo::test {
namespace {

using certs::managed::Role;
using certs::managed::RotationPhase;
using certs::managed::split_bundle;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

class ManagedRoles : public SimulationTest {
 protected:
  ManagedRoles() { simulation_.add_configurations(); }

  Replica& start(const std::string& name, Role role) {
    certs::managed::Settings settings = managed_settings(name);
    settings.role = role;
    settings.report_lifetime = 1min;
    settings.silence_until_gone = silence_until_gone_;
    return simulation_.start(settings);
  }
  // The keeper starts first, so it leads.
  void start_keeper_and_servers() {
    start("keeper-a", Role::kKeeper);
    start("server-a", Role::kServer);
    start("server-b", Role::kServer);
    ASSERT_TRUE(simulation_.run_until([&] { return simulation_.are_all_ready(); }))
        << simulation_.replica(1).not_ready();
  }
  bool is_served_by_servers(const std::string& fingerprint) {
    for (std::size_t i = 0; i < simulation_.size(); ++i) {
      if (simulation_.replica(i).name().starts_with("keeper")) continue;
      if (simulation_.replica(i).served_leaf() != fingerprint) return false;
    }
    return true;
  }
  bool is_rotated_from(const std::string& old_ca) {
    return simulation_.phase() == RotationPhase::kSteady && ca() != old_ca &&
           is_served_by_servers(leaf()) && split_bundle(simulation_.bundles().front()).size() == 1;
  }
  // The writing requests, as "VERB PLURAL/NAME".
  std::set<std::string> writes_of(std::string_view client) {
    std::set<std::string> found;
    for (const Call& call : simulation_.cluster.calls()) {
      if (call.client != client || call.method == kube::HttpMethod::kGet) continue;
      const std::string path = call.target.substr(0, call.target.find('?'));
      const std::size_t name = path.rfind('/');
      const std::size_t plural = path.rfind('/', name - 1);
      found.insert(std::to_string(static_cast<int>(call.method)) + path.substr(plural));
    }
    return found;
  }
  std::size_t reports() const {
    const auto lease = simulation_.cluster.find(kube::kLeases, "dynamo", "dynamo-webhook-replicas");
    if (!lease) return 0;
    std::size_t count = 0;
    for (const json::Member& each : lease->root()["metadata"]["annotations"].members()) {
      if (each.name.starts_with(certs::managed::kReportAnnotationPrefix)) ++count;
    }
    return count;
  }

  std::chrono::seconds silence_until_gone_ = 30min;
};

TEST_F(ManagedRoles, ServersPatchOnlyTheirReport) {
  start_keeper_and_servers();
  EXPECT_TRUE(is_served_by_servers(leaf()));
  EXPECT_EQ(reports(), 3U);
  const std::string patch = std::to_string(static_cast<int>(kube::HttpMethod::kPatch));
  EXPECT_THAT(writes_of("server-a"),
              UnorderedElementsAre(patch + "/leases/dynamo-webhook-replicas"));
  for (const Call& call : simulation_.cluster.calls()) {
    if (!call.client.starts_with("server") || call.method != kube::HttpMethod::kGet) continue;
    EXPECT_THAT(call.target, HasSubstr("fieldSelector=metadata.name"));
  }
}

TEST_F(ManagedRoles, ServersRotateTheirCaWithAKeeper) {
  start_keeper_and_servers();
  const std::string old_ca = ca();
  simulation_.annotate("ca");
  ASSERT_TRUE(simulation_.pass_until([&] { return is_rotated_from(old_ca); }))
      << static_cast<int>(simulation_.phase());
  EXPECT_THAT(simulation_.bundles(), Each(simulation_.decoded().ca->pair.certificate_pem));
}

TEST_F(ManagedRoles, KeeperRenewsALeafForServers) {
  start_keeper_and_servers();
  const std::string old_leaf = leaf();
  simulation_.annotate("leaf");
  ASSERT_TRUE(
      simulation_.run_until([&] { return leaf() != old_leaf && is_served_by_servers(leaf()); }));
}

TEST_F(ManagedRoles, ServerIsUnreadyWithoutKeeper) {
  start_keeper_and_servers();
  simulation_.kill("keeper-a");
  simulation_.cluster.merge(
      kube::kSecrets, "dynamo", "dynamo-webhook-cert",
      R"({"metadata": {"annotations": {"nvidia.com/dynamo-webhook-verified-certificate": null}}})");
  Replica& late = start("server-c", Role::kServer);
  ASSERT_TRUE(simulation_.run_until([&] {
    return late.not_ready().find("--role keeper") != std::string::npos;
  })) << late.not_ready();
  start("keeper-b", Role::kKeeper);
  EXPECT_TRUE(simulation_.run_until([&] { return late.ready(); })) << late.not_ready();
}

TEST_F(ManagedRoles, ServerStartsWhileKeeperIsAway) {
  start_keeper_and_servers();
  simulation_.kill("keeper-a");
  Replica& late = start("server-c", Role::kServer);
  EXPECT_TRUE(simulation_.run_until([&] { return late.ready(); })) << late.not_ready();
}

TEST_F(ManagedRoles, KeeperRestoresDeletedSecret) {
  start_keeper_and_servers();
  const std::string old_ca = ca();
  simulation_.cluster.erase(kube::kSecrets, "dynamo", "dynamo-webhook-cert");
  ASSERT_TRUE(simulation_.run_until([&] { return simulation_.secret().has_value(); }));
  EXPECT_EQ(ca(), old_ca);
}

TEST_F(ManagedRoles, AnotherKeeperFinishesRotation) {
  start_keeper_and_servers();
  const std::string old_ca = ca();
  simulation_.annotate("ca");
  for (const RotationPhase phase : {RotationPhase::kPublishing, RotationPhase::kRetiring}) {
    ASSERT_TRUE(simulation_.pass_until([&] { return simulation_.phase() == phase; }));
    simulation_.kill(phase == RotationPhase::kPublishing ? "keeper-a" : "keeper-b");
    start(phase == RotationPhase::kPublishing ? "keeper-b" : "keeper-c", Role::kKeeper);
    simulation_.lead(simulation_.size() - 1);
  }
  EXPECT_TRUE(simulation_.pass_until([&] { return is_rotated_from(old_ca); }));
}

TEST_F(ManagedRoles, CrashedServerBlocksRotationUntilItsReportExpires) {
  silence_until_gone_ = 10min;
  start_keeper_and_servers();
  const std::string old_ca = ca();
  simulation_.kill("server-b");
  simulation_.annotate("ca");
  ASSERT_TRUE(
      simulation_.pass_until([&] { return simulation_.phase() == RotationPhase::kRetiring; }));
  simulation_.pass(4min);
  EXPECT_EQ(simulation_.phase(), RotationPhase::kRetiring);
  ASSERT_TRUE(simulation_.pass_until([&] { return is_rotated_from(old_ca); }));
  EXPECT_TRUE(simulation_.run_until([&] { return reports() == 2; })) << reports();
}

TEST_F(ManagedRoles, StoppedServerDoesNotBlockRotation) {
  start_keeper_and_servers();
  const std::string old_ca = ca();
  simulation_.replica(2).stop();
  EXPECT_EQ(reports(), 2U);
  simulation_.kill("server-b");
  simulation_.annotate("ca");
  EXPECT_TRUE(simulation_.pass_until([&] { return is_rotated_from(old_ca); }, 5min));
}

TEST_F(ManagedRoles, ServersReportAgainWhenTheirLeaseIsDeleted) {
  start_keeper_and_servers();
  simulation_.cluster.erase(kube::kLeases, "dynamo", "dynamo-webhook-replicas");
  EXPECT_TRUE(simulation_.run_until([&] { return reports() == 3; })) << reports();
}

// A client with the right to patch the Lease can hide it from keepers.
TEST_F(ManagedRoles, KeeperDropsNoCaWhileReportsAreHidden) {
  start_keeper_and_servers();
  const std::string old_ca = ca();
  simulation_.cluster.set_reachable(false, "server-b");
  simulation_.annotate("ca");
  ASSERT_TRUE(
      simulation_.pass_until([&] { return simulation_.phase() == RotationPhase::kRetiring; }));
  const Match repair{.method = kube::HttpMethod::kPatch, .path = "/leases/dynamo-webhook-replicas"};
  simulation_.cluster.fail(repair, {.kind = Fault::Kind::kRefused}, 100'000);
  simulation_.cluster.merge(kube::kLeases, "dynamo", "dynamo-webhook-replicas",
                            R"({"metadata": {"labels": null}})");
  simulation_.pass(2min);
  EXPECT_EQ(simulation_.phase(), RotationPhase::kRetiring);
  EXPECT_EQ(simulation_.replica(2).served_leaf() == leaf(), false);
  EXPECT_EQ(split_bundle(simulation_.bundles().front()).size(), 2U);
}

// As during an upgrade: servers become ready before the processes of Role::kAll end.
TEST_F(ManagedRoles, ServersTakeOverFromProcessesOfRoleAll) {
  start("all-a", Role::kAll);
  start("all-b", Role::kAll);
  ASSERT_TRUE(simulation_.run_until([&] { return simulation_.are_all_ready(); }));
  const std::string old_ca = ca();
  start("keeper-a", Role::kKeeper);
  start("server-a", Role::kServer);
  ASSERT_TRUE(simulation_.run_until([&] { return simulation_.are_all_ready(); }))
      << simulation_.replica(3).not_ready();
  EXPECT_EQ(ca(), old_ca);
  simulation_.annotate("ca");
  ASSERT_TRUE(simulation_.pass_until([&] { return is_rotated_from(old_ca); }));
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) simulation_.replica(i).stop();
  simulation_.kill("all-a");
  simulation_.kill("all-b");
  simulation_.lead(0);
  const std::string second_ca = ca();
  simulation_.annotate("ca");
  EXPECT_TRUE(simulation_.pass_until([&] { return is_rotated_from(second_ca); }));
}

}  // namespace
}  // namespace dynamo::test
