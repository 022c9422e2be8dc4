// Faults of the Secret and of the connection to the API server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>

#include "tests/certs/managed_simulation.hpp"

namespace dynamo::test {
namespace {

using certs::managed::Content;
using certs::managed::WriteCause;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Damage {
  std::string name;
  std::function<std::string(const std::string& good)> make;
  WriteCause cause;
};

void PrintTo(const Damage& row, std::ostream* out) {
  *out << row.name;
}

const Content& another() {
  static const Content made = new_content(managed_settings(), FakeClock().wall()).value();
  return made;
}

class ManagedDamage : public ::testing::TestWithParam<Damage> {
 protected:
  ManagedDamage() { simulation_.add_configurations(); }
  void TearDown() override { EXPECT_THAT(simulation_.violations(), IsEmpty()); }

  std::string good_text() const { return to_text(simulation_.secret()->root()); }
  Simulation simulation_;
};

TEST_P(ManagedDamage, IsRepairedFromMemoryWithoutClientErrors) {
  for (const char* const name : {"replica-a", "replica-b", "replica-c"}) simulation_.start(name);
  ASSERT_TRUE(simulation_.run_until([&] { return simulation_.are_all_ready(); }));
  const std::string before = simulation_.replica(0).served_leaf();
  const std::string ca = simulation_.decoded().ca->facts.fingerprint;
  simulation_.set_secret(GetParam().make(good_text()));
  ASSERT_TRUE(simulation_.pass_until([&] { return simulation_.decoded().content.has_value(); }));
  EXPECT_TRUE(simulation_.is_served_by_all(before));
  EXPECT_EQ(simulation_.decoded().ca->facts.fingerprint, ca);
  EXPECT_EQ(simulation_.decoded().content->leaf->leaf.fingerprint, before);
  std::uint64_t repairs = 0;
  for (std::size_t i = 0; i < simulation_.size(); ++i) {
    repairs += simulation_.replica(i).writes(GetParam().cause);
  }
  // A first start counts as missing, too.
  EXPECT_EQ(repairs, GetParam().cause == WriteCause::kMissing ? 2U : 1U);
  EXPECT_EQ(simulation_.events("CertificatesRestored"), 1U);
  for (const RecordedLine& line : simulation_.logger.lines()) {
    EXPECT_FALSE(line.mentions("PRIVATE KEY")) << line.message;
  }
}

TEST_P(ManagedDamage, IsRepairedByNewReplica) {
  const Content good = new_content(managed_settings(), simulation_.clock.wall()).value();
  simulation_.set_secret(GetParam().make(encode_secret(good, {}, managed_settings())));
  Replica& replica = simulation_.start("replica-a");
  ASSERT_TRUE(simulation_.run_until([&] { return replica.ready(); })) << replica.not_ready();
  ASSERT_TRUE(simulation_.decoded().content.has_value());
  EXPECT_EQ(replica.writes(GetParam().cause), 1U);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, ManagedDamage,
    ::testing::Values(
        Damage{"emptied",
               [](auto good) { return good.replace(good.find("\"data\""), 6, "\"was\""); },
               WriteCause::kMissing},
        Damage{"ca_truncated",
               [](auto good) {
                 return with_part(good, "ca.crt", another().ca.pair.certificate_pem.substr(0, 100));
               },
               WriteCause::kCorrupt},
        Damage{"leaf_truncated",
               [](auto good) {
                 return with_part(good, "tls.crt",
                                  another().leaf->pair.certificate_pem.substr(0, 100));
               },
               WriteCause::kCorrupt},
        Damage{"ca_key_gone", [](auto good) { return without_part(good, "ca.key"); },
               WriteCause::kForeign},
        Damage{"leaf_key_gone", [](auto good) { return without_part(good, "tls.key"); },
               WriteCause::kCorrupt},
        Damage{
            "ca_of_another",
            [](auto good) { return with_part(good, "ca.crt", another().ca.pair.certificate_pem); },
            WriteCause::kMismatched},
        Damage{"pair_of_another",
               [](auto good) {
                 return with_part(with_part(good, "tls.crt", another().leaf->pair.certificate_pem),
                                  "tls.key", another().leaf->pair.key_pem);
               },
               WriteCause::kMismatched},
        Damage{"filled_by_another_tool",
               [](auto good) {
                 return without_part(
                     with_part(
                         with_part(with_part(good, "ca.crt", another().ca.pair.certificate_pem),
                                   "tls.crt", another().leaf->pair.certificate_pem),
                         "tls.key", another().leaf->pair.key_pem),
                     "ca.key");
               },
               WriteCause::kForeign}),
    [](const auto& row) { return row.param.name; });

class ManagedFaults : public SimulationTest {
 protected:
  ManagedFaults() { simulation_.add_configurations(); }

  std::string good_text() const { return to_text(simulation_.secret()->root()); }
};

TEST_F(ManagedFaults, DeletedSecretIsRestoredWithSameContent) {
  for (const char* const name : {"replica-a", "replica-b", "replica-c"}) simulation_.start(name);
  ASSERT_TRUE(simulation_.run_until([&] { return simulation_.are_all_ready(); }));
  const std::string before = simulation_.replica(0).served_leaf();
  const std::string key = simulation_.decoded().ca->pair.key_pem;
  simulation_.cluster.erase(kube::kSecrets, "dynamo", "dynamo-webhook-cert");
  ASSERT_TRUE(simulation_.pass_until([&] { return simulation_.decoded().content.has_value(); }));
  EXPECT_EQ(simulation_.decoded().ca->pair.key_pem, key);
  simulation_.pass(1min);
  EXPECT_TRUE(simulation_.is_served_by_all(before));
}

TEST_F(ManagedFaults, LosingEverythingCreatesNewCaWithoutGap) {
  simulation_.start("replica-a");
  ASSERT_TRUE(simulation_.run_until([&] { return simulation_.are_all_ready(); }));
  const std::string before = simulation_.replica(0).served_leaf();
  // The Secret is deleted while replica-a is disconnected, and a new replica without memory is the
  // first to notice.
  simulation_.cluster.set_reachable(false, "replica-a");
  simulation_.cluster.erase(kube::kSecrets, "dynamo", "dynamo-webhook-cert");
  simulation_.start("replica-b");
  ASSERT_TRUE(simulation_.run_until([&] { return simulation_.decoded().content.has_value(); }));
  const std::string after = simulation_.decoded().content->leaf->leaf.fingerprint;
  EXPECT_NE(after, before);
  simulation_.cluster.set_reachable(true, "replica-a");
  ASSERT_TRUE(simulation_.pass_until(
      [&] { return simulation_.is_served_by_all(after) && simulation_.are_all_ready(); }));
}

TEST_F(ManagedFaults, StartWaitsForApiServer) {
  simulation_.cluster.set_reachable(false);
  Replica& replica = simulation_.start("replica-a");
  simulation_.pass(30s);
  EXPECT_THAT(replica.not_ready(), HasSubstr("the certificates' Secret was not listed yet: "));
  EXPECT_EQ(replica.served(), nullptr);
  simulation_.cluster.set_reachable(true);
  EXPECT_TRUE(simulation_.pass_until([&] { return replica.ready(); }));
}

TEST_F(ManagedFaults, OutageKeepsServingSameCertificate) {
  simulation_.start("replica-a");
  ASSERT_TRUE(simulation_.run_until([&] { return simulation_.are_all_ready(); }));
  const std::string before = simulation_.replica(0).served_leaf();
  simulation_.cluster.set_reachable(false);
  simulation_.clock.tick(61 * kDay);  // the leaf would be due for renewal
  simulation_.pass(60s);
  EXPECT_TRUE(simulation_.are_all_ready());
  EXPECT_TRUE(simulation_.is_served_by_all(before));
  simulation_.cluster.set_reachable(true);
  EXPECT_TRUE(
      simulation_.pass_until([&] { return !simulation_.is_served_by_all(before); }, 24h * 3));
}

TEST_F(ManagedFaults, MissingRightIsNamed) {
  simulation_.cluster.forbid("create", "secrets");
  Replica& replica = simulation_.start("replica-a");
  const auto is_reported = [&] {
    return std::ranges::any_of(simulation_.logger.lines(), [](const RecordedLine& line) {
      return line.message.starts_with("writing the certificates' Secret failed") &&
             line.mentions("create secrets dynamo");
    });
  };
  ASSERT_TRUE(simulation_.pass_until(is_reported));
  simulation_.pass(5s);  // it is retried without further log lines
  EXPECT_FALSE(replica.ready());
  EXPECT_EQ(simulation_.logger.count(
                "writing the certificates' Secret failed; tried again until it succeeds"),
            1U);
  simulation_.cluster.allow_all();
  EXPECT_TRUE(simulation_.pass_until([&] { return replica.ready(); }));
}

TEST_F(ManagedFaults, LostAnswerLeavesOneCa) {
  simulation_.cluster.fail({.method = kube::HttpMethod::kPost, .path = "/secrets", .client = ""},
                           {.kind = Fault::Kind::kLostAnswer});
  simulation_.start("replica-a");
  simulation_.start("replica-b");
  ASSERT_TRUE(simulation_.pass_until([&] { return simulation_.are_all_ready(); }));
  const auto secret = simulation_.secret();
  simulation_.pass(30s);
  EXPECT_EQ(simulation_.secret()->resource_version(), secret->resource_version());
}

TEST_F(ManagedFaults, ImmutableSecretIsRetriedWithBackoff) {
  simulation_.set_secret(R"({"metadata": {"name": "dynamo-webhook-cert", "namespace": "dynamo"}})");
  simulation_.cluster.fail({.method = kube::HttpMethod::kPut, .path = "/secrets/", .client = ""},
                           {.kind = Fault::Kind::kStatus, .status = 422, .reason = "Invalid"}, 20);
  Replica& replica = simulation_.start("replica-a");
  EXPECT_TRUE(simulation_.pass_until([&] { return replica.ready(); }));
  EXPECT_EQ(simulation_.logger.count("writing the certificates' Secret succeeds again"), 1U);
}

TEST_F(ManagedFaults, SecretRepairedByAnotherWriterIsServed) {
  simulation_.cluster.forbid("create", "secrets");
  certs::managed::Settings settings = managed_settings();
  settings.first_pause = settings.longest_pause = 10min;
  Replica& replica = simulation_.start(settings);
  ASSERT_TRUE(simulation_.run_until([&] {
    return simulation_.logger.count(
               "writing the certificates' Secret failed; tried again until it succeeds") == 1;
  }));
  simulation_.set_secret(encode_secret(another(), {}, settings));
  EXPECT_TRUE(simulation_.run_until([&] { return replica.ready(); })) << replica.not_ready();
  EXPECT_EQ(replica.served_leaf(), another().leaf->leaf.fingerprint);
}

TEST_F(ManagedFaults, ConflictAboutSecretIsRateLimited) {
  const char* const conflict_line =
      "another client keeps changing the certificates' Secret; it is written again in a minute";
  Replica& replica = simulation_.start("replica-a");
  ASSERT_TRUE(simulation_.run_until([&] { return replica.ready(); }));
  const std::string before = replica.served_leaf();
  // Another client breaks it again immediately after each repair.
  std::uint64_t repairs = ~std::uint64_t{0};
  ASSERT_TRUE(simulation_.run_until([&] {
    if (replica.writes(WriteCause::kCorrupt) != repairs) {
      repairs = replica.writes(WriteCause::kCorrupt);
      simulation_.set_secret(without_part(good_text(), "tls.key"));
    }
    return repairs > 20 || simulation_.logger.count(conflict_line) == 1;
  }));
  EXPECT_EQ(repairs, 9U);  // the tenth write of the minute was the first start's
  EXPECT_EQ(simulation_.events("CertificatesRestored"), 1U) << "equal ones are one with a count";
  EXPECT_EQ(replica.served_leaf(), before);
  EXPECT_TRUE(simulation_.pass_until([&] { return !simulation_.decoded().flaw; }, 2min));
  EXPECT_EQ(simulation_.decoded().content->leaf->leaf.fingerprint, before);
  EXPECT_EQ(simulation_.logger.count(conflict_line), 1U);
}

// The lists before and after it are equal, so no change is reported.
TEST_F(ManagedFaults, SecretDeletedBeforeItWasObservedIsRecreated) {
  simulation_.cluster.forbid("watch", "secrets");
  Replica& replica = simulation_.start("replica-a");
  ASSERT_TRUE(simulation_.run_until([&] { return simulation_.secret().has_value(); }));
  ASSERT_TRUE(simulation_.run_until([&] { return replica.writes(WriteCause::kMissing) == 1; }));
  EXPECT_TRUE(replica.served_leaf().empty()) << "its watch must not be open";
  simulation_.cluster.erase(kube::kSecrets, "dynamo", "dynamo-webhook-cert");
  simulation_.cluster.compact();
  simulation_.cluster.allow_all();
  ASSERT_TRUE(simulation_.run_until([&] { return replica.ready(); })) << replica.not_ready();
  EXPECT_TRUE(simulation_.decoded().content.has_value());
  EXPECT_EQ(replica.writes(WriteCause::kMissing), 2U);
}

TEST_F(ManagedFaults, FiveMinutesOfClockSkewChangeNothing) {
  // All replicas here share one clock; a Secret written by a replica that is ahead or behind is
  // equivalent.
  for (const auto off : {-5min, 5min}) {
    Simulation other;
    other.add_configurations();
    const Content made = new_content(managed_settings(), other.clock.wall() + off).value();
    other.set_secret(encode_secret(made, {}, managed_settings()));
    const std::string version(other.secret()->resource_version());
    Replica& replica = other.start("replica-a");
    ASSERT_TRUE(other.run_until([&] { return replica.ready(); }));
    other.pass(1min);
    EXPECT_EQ(other.secret()->resource_version(), version);
    EXPECT_EQ(replica.served_leaf(), made.leaf->leaf.fingerprint);
  }
}

TEST_F(ManagedFaults, OldBackupWithExpiredLeafIsNeverServed) {
  Replica& replica = simulation_.start("replica-a");
  ASSERT_TRUE(simulation_.run_until([&] { return replica.ready(); }));
  const std::string backup = to_text(simulation_.secret()->root());
  const std::string old = replica.served_leaf();
  simulation_.clock.tick(62 * kDay);
  ASSERT_TRUE(simulation_.run_until([&] { return replica.served_leaf() != old; }));
  simulation_.clock.tick(30 * kDay);
  simulation_.set_secret(backup);
  bool was_served = false;
  ASSERT_TRUE(simulation_.run_until([&] {
    was_served = was_served || replica.served_leaf() == old;
    return replica.writes(WriteCause::kExpired) == 1 &&
           replica.served_leaf() == simulation_.decoded().content->leaf->leaf.fingerprint;
  }));
  EXPECT_FALSE(was_served);
}

TEST_F(ManagedFaults, ExpiredCaIsReplacedAndBundlesUpdatedFirst) {
  simulation_.start("replica-a");
  ASSERT_TRUE(simulation_.run_until([&] { return simulation_.are_all_ready(); }));
  const std::string before = simulation_.decoded().ca->facts.fingerprint;
  simulation_.lead(simulation_.size());
  simulation_.clock.tick(3651 * kDay);
  ASSERT_TRUE(
      simulation_.run_until([&] { return simulation_.decoded().ca->facts.fingerprint != before; }));
  EXPECT_EQ(simulation_.replica(0).writes(WriteCause::kExpired), 1U);
}

}  // namespace
}  // namespace dynamo::test
