// Faults of the Secret and of the connection to the API server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>

#include "tests/certs/managed_world.hpp"

namespace dynamo::test {
namespace {

using certs::managed::Cause;
using certs::managed::Content;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Damage {
  std::string name;
  std::function<std::string(const std::string& good)> make;
  Cause cause;
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
  ManagedDamage() { world_.add_configurations(); }
  void TearDown() override { EXPECT_THAT(world_.violations(), IsEmpty()); }

  std::string good_text() const { return to_text(world_.secret()->root()); }
  World world_;
};

TEST_P(ManagedDamage, IsRepairedFromMemoryWithoutClientErrors) {
  for (const char* const name : {"replica-a", "replica-b", "replica-c"}) world_.start(name);
  ASSERT_TRUE(world_.run_until([&] { return world_.all_ready(); }));
  const std::string before = world_.replica(0).served_leaf();
  const std::string ca = world_.decoded().ca->facts.fingerprint;
  world_.set_secret(GetParam().make(good_text()));
  ASSERT_TRUE(world_.pass_until([&] { return world_.decoded().content.has_value(); }));
  EXPECT_TRUE(world_.all_serve(before));
  EXPECT_EQ(world_.decoded().ca->facts.fingerprint, ca);
  EXPECT_EQ(world_.decoded().content->leaf->leaf.fingerprint, before);
  std::uint64_t mended = 0;
  for (std::size_t i = 0; i < world_.size(); ++i) {
    mended += world_.replica(i).writes(GetParam().cause);
  }
  // A first start counts as missing, too.
  EXPECT_EQ(mended, GetParam().cause == Cause::kMissing ? 2U : 1U);
  EXPECT_EQ(world_.events("CertificatesRestored"), 1U);
  for (const RecordedLine& line : world_.logger.lines()) {
    EXPECT_FALSE(line.mentions("PRIVATE KEY")) << line.message;
  }
}

TEST_P(ManagedDamage, IsRepairedByNewReplica) {
  const Content good = new_content(managed_settings(), world_.clock.wall()).value();
  world_.set_secret(GetParam().make(encode_secret(good, {}, managed_settings())));
  Replica& replica = world_.start("replica-a");
  ASSERT_TRUE(world_.run_until([&] { return replica.ready(); })) << replica.not_ready();
  ASSERT_TRUE(world_.decoded().content.has_value());
  EXPECT_EQ(replica.writes(GetParam().cause), 1U);
}

INSTANTIATE_TEST_SUITE_P(
    Rows, ManagedDamage,
    ::testing::Values(
        Damage{"emptied",
               [](auto good) { return good.replace(good.find("\"data\""), 6, "\"was\""); },
               Cause::kMissing},
        Damage{"ca_truncated",
               [](auto good) {
                 return with_part(good, "ca.crt", another().ca.pair.certificate_pem.substr(0, 100));
               },
               Cause::kCorrupt},
        Damage{"leaf_truncated",
               [](auto good) {
                 return with_part(good, "tls.crt",
                                  another().leaf->pair.certificate_pem.substr(0, 100));
               },
               Cause::kCorrupt},
        Damage{"ca_key_gone", [](auto good) { return without_part(good, "ca.key"); },
               Cause::kForeign},
        Damage{"leaf_key_gone", [](auto good) { return without_part(good, "tls.key"); },
               Cause::kCorrupt},
        Damage{
            "ca_of_another",
            [](auto good) { return with_part(good, "ca.crt", another().ca.pair.certificate_pem); },
            Cause::kMismatched},
        Damage{"pair_of_another",
               [](auto good) {
                 return with_part(with_part(good, "tls.crt", another().leaf->pair.certificate_pem),
                                  "tls.key", another().leaf->pair.key_pem);
               },
               Cause::kMismatched},
        Damage{"filled_by_another_tool",
               [](auto good) {
                 return without_part(
                     with_part(
                         with_part(with_part(good, "ca.crt", another().ca.pair.certificate_pem),
                                   "tls.crt", another().leaf->pair.certificate_pem),
                         "tls.key", another().leaf->pair.key_pem),
                     "ca.key");
               },
               Cause::kForeign}),
    [](const auto& row) { return row.param.name; });

class ManagedFaults : public ::testing::Test {
 protected:
  ManagedFaults() { world_.add_configurations(); }
  void TearDown() override {
    EXPECT_THAT(world_.violations(), IsEmpty());
    EXPECT_EQ(world_.logger.count("a background task ended with an exception"), 0U);
  }

  std::string good_text() const { return to_text(world_.secret()->root()); }

  World world_;
};

TEST_F(ManagedFaults, DeletedSecretIsRestoredWithSameContent) {
  for (const char* const name : {"replica-a", "replica-b", "replica-c"}) world_.start(name);
  ASSERT_TRUE(world_.run_until([&] { return world_.all_ready(); }));
  const std::string before = world_.replica(0).served_leaf();
  const std::string key = world_.decoded().ca->pair.key_pem;
  world_.cluster.erase(kube::kSecrets, "dynamo", "dynamo-webhook-cert");
  ASSERT_TRUE(world_.pass_until([&] { return world_.decoded().content.has_value(); }));
  EXPECT_EQ(world_.decoded().ca->pair.key_pem, key);
  world_.pass(1min);
  EXPECT_TRUE(world_.all_serve(before));
}

TEST_F(ManagedFaults, LosingEverythingCreatesNewCaWithoutGap) {
  world_.start("replica-a");
  ASSERT_TRUE(world_.run_until([&] { return world_.all_ready(); }));
  const std::string before = world_.replica(0).served_leaf();
  // The Secret is deleted while replica-a is disconnected, and a new replica without memory is the
  // first to notice.
  world_.cluster.set_reachable(false, "replica-a");
  world_.cluster.erase(kube::kSecrets, "dynamo", "dynamo-webhook-cert");
  world_.start("replica-b");
  ASSERT_TRUE(world_.run_until([&] { return world_.decoded().content.has_value(); }));
  const std::string after = world_.decoded().content->leaf->leaf.fingerprint;
  EXPECT_NE(after, before);
  world_.cluster.set_reachable(true, "replica-a");
  ASSERT_TRUE(world_.pass_until([&] { return world_.all_serve(after) && world_.all_ready(); }));
}

TEST_F(ManagedFaults, StartWaitsForApiServer) {
  world_.cluster.set_reachable(false);
  Replica& replica = world_.start("replica-a");
  world_.pass(30s);
  EXPECT_THAT(replica.not_ready(), HasSubstr("the certificates' Secret was not listed yet: "));
  EXPECT_EQ(replica.served(), nullptr);
  world_.cluster.set_reachable(true);
  EXPECT_TRUE(world_.pass_until([&] { return replica.ready(); }));
}

TEST_F(ManagedFaults, OutageKeepsServingSameCertificate) {
  world_.start("replica-a");
  ASSERT_TRUE(world_.run_until([&] { return world_.all_ready(); }));
  const std::string before = world_.replica(0).served_leaf();
  world_.cluster.set_reachable(false);
  world_.clock.tick(61 * kDay);  // the leaf would be due for renewal
  world_.pass(60s);
  EXPECT_TRUE(world_.all_ready());
  EXPECT_TRUE(world_.all_serve(before));
  world_.cluster.set_reachable(true);
  EXPECT_TRUE(world_.pass_until([&] { return !world_.all_serve(before); }, 24h * 3));
}

TEST_F(ManagedFaults, MissingRightIsNamed) {
  world_.cluster.forbid("create", "secrets");
  Replica& replica = world_.start("replica-a");
  const auto is_reported = [&] {
    return std::ranges::any_of(world_.logger.lines(), [](const RecordedLine& line) {
      return line.message.starts_with("writing the certificates' Secret failed") &&
             line.mentions("create secrets dynamo");
    });
  };
  ASSERT_TRUE(world_.pass_until(is_reported));
  world_.pass(5s);  // it is retried without further log lines
  EXPECT_FALSE(replica.ready());
  EXPECT_EQ(
      world_.logger.count("writing the certificates' Secret failed; tried again until it succeeds"),
      1U);
  world_.cluster.allow_all();
  EXPECT_TRUE(world_.pass_until([&] { return replica.ready(); }));
}

TEST_F(ManagedFaults, LostAnswerLeavesOneCa) {
  world_.cluster.fail({.verb = kube::Verb::kPost, .path = "/secrets", .client = ""},
                      {.kind = Fault::Kind::kLostAnswer});
  world_.start("replica-a");
  world_.start("replica-b");
  ASSERT_TRUE(world_.pass_until([&] { return world_.all_ready(); }));
  const auto secret = world_.secret();
  world_.pass(30s);
  EXPECT_EQ(world_.secret()->resource_version(), secret->resource_version());
}

TEST_F(ManagedFaults, ImmutableSecretIsRetriedWithBackoff) {
  world_.set_secret(R"({"metadata": {"name": "dynamo-webhook-cert", "namespace": "dynamo"}})");
  world_.cluster.fail({.verb = kube::Verb::kPut, .path = "/secrets/", .client = ""},
                      {.kind = Fault::Kind::kStatus, .status = 422, .reason = "Invalid"}, 20);
  Replica& replica = world_.start("replica-a");
  EXPECT_TRUE(world_.pass_until([&] { return replica.ready(); }));
  EXPECT_EQ(world_.logger.count("writing the certificates' Secret succeeds again"), 1U);
}

TEST_F(ManagedFaults, SecretRepairedByAnotherWriterIsServed) {
  world_.cluster.forbid("create", "secrets");
  certs::managed::Settings settings = managed_settings();
  settings.first_pause = settings.longest_pause = 10min;
  Replica& replica = world_.start(settings);
  ASSERT_TRUE(world_.run_until([&] {
    return world_.logger.count(
               "writing the certificates' Secret failed; tried again until it succeeds") == 1;
  }));
  world_.set_secret(encode_secret(another(), {}, settings));
  EXPECT_TRUE(world_.run_until([&] { return replica.ready(); })) << replica.not_ready();
  EXPECT_EQ(replica.served_leaf(), another().leaf->leaf.fingerprint);
}

TEST_F(ManagedFaults, ConflictAboutSecretIsRateLimited) {
  const char* const conflict_line =
      "somebody else keeps changing the certificates' Secret; it is written again in a minute";
  Replica& replica = world_.start("replica-a");
  ASSERT_TRUE(world_.run_until([&] { return replica.ready(); }));
  const std::string before = replica.served_leaf();
  // Another client breaks it again immediately after each repair.
  std::uint64_t mended = ~std::uint64_t{0};
  ASSERT_TRUE(world_.run_until([&] {
    if (replica.writes(Cause::kCorrupt) != mended) {
      mended = replica.writes(Cause::kCorrupt);
      world_.set_secret(without_part(good_text(), "tls.key"));
    }
    return mended > 20 || world_.logger.count(conflict_line) == 1;
  }));
  EXPECT_EQ(mended, 9U);  // the tenth write of the minute was the first start's
  EXPECT_EQ(world_.events("CertificatesRestored"), 1U) << "equal ones are one with a count";
  EXPECT_EQ(replica.served_leaf(), before);
  EXPECT_TRUE(world_.pass_until([&] { return !world_.decoded().flaw; }, 2min));
  EXPECT_EQ(world_.decoded().content->leaf->leaf.fingerprint, before);
  EXPECT_EQ(world_.logger.count(conflict_line), 1U);
}

// The lists before and after it are equal, so no change is reported.
TEST_F(ManagedFaults, SecretDeletedBeforeItWasObservedIsRecreated) {
  world_.cluster.forbid("watch", "secrets");
  Replica& replica = world_.start("replica-a");
  ASSERT_TRUE(world_.run_until([&] { return world_.secret().has_value(); }));
  ASSERT_TRUE(world_.run_until([&] { return replica.writes(Cause::kMissing) == 1; }));
  EXPECT_TRUE(replica.served_leaf().empty()) << "its watch must not be open";
  world_.cluster.erase(kube::kSecrets, "dynamo", "dynamo-webhook-cert");
  world_.cluster.compact();
  world_.cluster.allow_all();
  ASSERT_TRUE(world_.run_until([&] { return replica.ready(); })) << replica.not_ready();
  EXPECT_TRUE(world_.decoded().content.has_value());
  EXPECT_EQ(replica.writes(Cause::kMissing), 2U);
}

TEST_F(ManagedFaults, FiveMinutesOfClockSkewChangeNothing) {
  // All replicas here share one clock; a Secret written by a replica that is ahead or behind is
  // equivalent.
  for (const auto off : {-5min, 5min}) {
    World other;
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
  Replica& replica = world_.start("replica-a");
  ASSERT_TRUE(world_.run_until([&] { return replica.ready(); }));
  const std::string backup = to_text(world_.secret()->root());
  const std::string old = replica.served_leaf();
  world_.clock.tick(62 * kDay);
  ASSERT_TRUE(world_.run_until([&] { return replica.served_leaf() != old; }));
  world_.clock.tick(30 * kDay);
  world_.set_secret(backup);
  bool was_served = false;
  ASSERT_TRUE(world_.run_until([&] {
    was_served = was_served || replica.served_leaf() == old;
    return replica.writes(Cause::kExpired) == 1 &&
           replica.served_leaf() == world_.decoded().content->leaf->leaf.fingerprint;
  }));
  EXPECT_FALSE(was_served);
}

TEST_F(ManagedFaults, ExpiredCaIsReplacedAndBundlesUpdatedFirst) {
  world_.start("replica-a");
  ASSERT_TRUE(world_.run_until([&] { return world_.all_ready(); }));
  const std::string before = world_.decoded().ca->facts.fingerprint;
  world_.lead(world_.size());
  world_.clock.tick(3651 * kDay);
  ASSERT_TRUE(world_.run_until([&] { return world_.decoded().ca->facts.fingerprint != before; }));
  EXPECT_EQ(world_.replica(0).writes(Cause::kExpired), 1U);
}

}  // namespace
}  // namespace dynamo::test
