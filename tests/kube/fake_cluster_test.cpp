// The fake replaces the real API server in every test of cluster code: its errors would become
// theirs.
#include "tests/support/fake_cluster.hpp"

#include "json/writer.hpp"
#include "tests/kube/kube_fixture.hpp"

namespace dynamo::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::string_view kField = "webhooks[a.example.com].clientConfig.caBundle";

class FakeClusterTest : public KubeTest {
 protected:
  Result<Object> apply(std::string_view manager, std::string_view body, bool force = true) {
    WriteOptions options;
    options.field_manager = manager;
    options.force = force;
    return test::run(loop_, client_.patch(kValidatingWebhookConfigurations, "", "config",
                                          PatchType::kApply, std::string(body), options));
  }
  static std::string bundle(std::string_view webhook, std::string_view value) {
    return R"({"apiVersion":"admissionregistration.k8s.io/v1",)"
           R"("kind":"ValidatingWebhookConfiguration","metadata":{"name":"config"},)"
           R"("webhooks":[{"name":")" +
           std::string(webhook) + R"(","clientConfig":{"caBundle":")" + std::string(value) +
           R"("}}]})";
  }
  static std::string webhook(std::string_view name, std::string_view more = "") {
    return R"({"name":")" + std::string(name) +
           R"(","sideEffects":"None","admissionReviewVersions":["v1"],)"
           R"("clientConfig":{"service":{"name":"s","namespace":"n"})" +
           std::string(more) + "}}";
  }
  void install() {
    cluster_.put(kValidatingWebhookConfigurations,
                 R"({"metadata":{"name":"config"},"webhooks":[)" + webhook("a.example.com") + "," +
                     webhook("b.example.com") + "]}",
                 "helm");
  }
  Object config() { return cluster_.find(kValidatingWebhookConfigurations, "", "config").value(); }
  std::string text() { return json::to_text(config().root()); }
  std::vector<std::string> managers(std::string_view field = kField) {
    return cluster_.managers(kValidatingWebhookConfigurations, "", "config", field);
  }
};

TEST_F(FakeClusterTest, AppliedFieldOfNamedElementIsMerged) {
  install();
  const auto applied = apply("injector", bundle("a.example.com", "Q0E="));
  ASSERT_TRUE(applied) << applied.error().text;
  EXPECT_THAT(text(), HasSubstr(R"("clientConfig":{"service":{"name":"s","namespace":"n"},)"
                                R"("caBundle":"Q0E="}},{"name":"b.example.com")"));
  EXPECT_THAT(managers(), ElementsAre("injector"));
  EXPECT_THAT(managers("webhooks[a.example.com].sideEffects"), ElementsAre("helm"));
}

TEST_F(FakeClusterTest, ForeignChangeIsConflictUnlessForced) {
  install();
  ASSERT_TRUE(apply("injector", bundle("a.example.com", "Q0E=")));
  cluster_.put(kValidatingWebhookConfigurations,
               R"({"metadata":{"name":"config"},"webhooks":[)" +
                   webhook("a.example.com", R"(,"caBundle":"b3RoZXI=")") + "]}",
               "kubectl");
  EXPECT_THAT(managers(), ElementsAre("kubectl"));
  EXPECT_TRUE(apply("injector", bundle("a.example.com", "Q0E="), false).error().is("Conflict"));
  ASSERT_TRUE(apply("injector", bundle("a.example.com", "Q0E=")));
  EXPECT_THAT(managers(), ElementsAre("injector"));
}

TEST_F(FakeClusterTest, FieldIsRemovedWhenOnlyOwnerStopsApplying) {
  install();
  ASSERT_TRUE(apply("injector", bundle("a.example.com", "Q0E=")));
  ASSERT_TRUE(apply("injector", bundle("b.example.com", "Q0E=")));
  EXPECT_THAT(managers(), IsEmpty());
  EXPECT_THAT(text(), HasSubstr(R"({"name":"a.example.com","sideEffects":"None",)"
                                R"("admissionReviewVersions":["v1"],)"
                                R"("clientConfig":{"service":{"name":"s","namespace":"n"}}})"));
}

TEST_F(FakeClusterTest, ApplyToRemovedWebhookIsRefusedAsIncomplete) {
  install();
  EXPECT_TRUE(apply("injector", bundle("gone.example.com", "Q0E=")).error().is("Invalid"));
  EXPECT_THAT(text(), Not(HasSubstr("gone.example.com")));
  cluster_.erase(kValidatingWebhookConfigurations, "", "config");
  EXPECT_TRUE(apply("injector", bundle("a.example.com", "Q0E=")).error().is("Invalid"));
}

TEST_F(FakeClusterTest, ApplyWithUidCreatesNoObject) {
  const auto apply_to = [this](std::string_view uid) {
    WriteOptions options;
    options.field_manager = "us";
    return test::run(
        loop_, client_.patch(kConfigMaps, "n", "a", PatchType::kApply,
                             R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a",)"
                             R"("namespace":"n","uid":")" +
                                 std::string(uid) + R"("},"data":{"k":"v"}})",
                             options));
  };
  EXPECT_TRUE(apply_to("of-before").error().is("Conflict"));
  EXPECT_FALSE(cluster_.find(kConfigMaps, "n", "a"));
  const Object made = cluster_.put(kConfigMaps, R"({"metadata":{"name":"a","namespace":"n"}})");
  EXPECT_TRUE(apply_to("of-before").error().is("Conflict"));
  EXPECT_TRUE(apply_to(made.uid()));
}

TEST_F(FakeClusterTest, UnchangedWriteCausesNoVersionOrEvent) {
  install();
  ASSERT_TRUE(apply("injector", bundle("a.example.com", "Q0E=")));
  const std::string before(config().resource_version());
  ASSERT_TRUE(apply("injector", bundle("a.example.com", "Q0E=")));
  EXPECT_EQ(config().resource_version(), before);
}

TEST_F(FakeClusterTest, GenerationChangesWithSpecNotLabels) {
  install();
  const auto generation = [this] { return config().root()["metadata"]["generation"].integer(); };
  EXPECT_EQ(generation(), 1);
  cluster_.merge(kValidatingWebhookConfigurations, "", "config",
                 R"({"metadata":{"labels":{"x":"y"}}})");
  EXPECT_EQ(generation(), 1);
  ASSERT_TRUE(apply("injector", bundle("a.example.com", "Q0E=")));
  EXPECT_EQ(generation(), 2);
}

TEST_F(FakeClusterTest, LeaseTimesNeedSixDigitsAndPositiveDuration) {
  const auto put = [this](std::string_view spec) {
    cluster_.put(kLeases,
                 R"({"metadata":{"name":"l","namespace":"n"},"spec":)" + std::string(spec) + "}");
  };
  EXPECT_THROW(put(R"({"renewTime":"2026-01-01T00:00:00Z"})"), std::invalid_argument);
  EXPECT_THROW(put(R"({"renewTime":"2026-01-01T00:00:00.123Z"})"), std::invalid_argument);
  EXPECT_THROW(put(R"({"leaseDurationSeconds":0})"), std::invalid_argument);
  put(R"({"renewTime":"2026-01-01T00:00:00.123456Z","leaseDurationSeconds":1})");
  EXPECT_TRUE(cluster_.find(kLeases, "n", "l"));
}

TEST_F(FakeClusterTest, OnlyLeasesAreCreatedByReplacement) {
  EXPECT_TRUE(test::run(loop_, client_.update(kLeases, "n", "l", lease("n", "l"))));
  EXPECT_TRUE(cluster_.find(kLeases, "n", "l"));
  EXPECT_TRUE(test::run(loop_, client_.update(kConfigMaps, "dynamo", "a", config_map("a", "1")))
                  .error()
                  .is("NotFound"));
}

TEST_F(FakeClusterTest, FinalizerDelaysDeletion) {
  cluster_.put(kConfigMaps,
               R"({"metadata":{"name":"a","namespace":"n","finalizers":["x/y"]},"data":{}})");
  ASSERT_TRUE(test::run(loop_, client_.remove(kConfigMaps, "n", "a")));
  ASSERT_TRUE(cluster_.find(kConfigMaps, "n", "a"));
  EXPECT_TRUE(
      cluster_.find(kConfigMaps, "n", "a")->root()["metadata"]["deletionTimestamp"].is_string());
  cluster_.merge(kConfigMaps, "n", "a", R"({"metadata":{"finalizers":null}})");
  EXPECT_FALSE(cluster_.find(kConfigMaps, "n", "a"));
}

TEST_F(FakeClusterTest, SameSeedInterleavesCallsTheSameWay) {
  const auto order_of = [](std::uint64_t seed) {
    boost::asio::io_context loop;
    test::FakeCluster cluster;
    const auto a = cluster.connect("a");
    const auto b = cluster.connect("b");
    Client first(*a);
    Client second(*b);
    cluster.interleave(seed);
    const auto asks = [](Client& client) -> aio::Task<> {
      for (int i = 0; i < 8; ++i) co_await client.get(kSecrets, "n", "x");
    };
    boost::asio::co_spawn(loop, asks(first), [](const std::exception_ptr&) {});
    boost::asio::co_spawn(loop, asks(second), [](const std::exception_ptr&) {});
    loop.run();
    std::string order;
    for (const test::Call& call : cluster.calls()) order += call.client;
    return order;
  };
  EXPECT_EQ(order_of(1), order_of(1));
  EXPECT_EQ(order_of(1).size(), 16U);
  EXPECT_NE(order_of(1), order_of(2));
}

TEST_F(FakeClusterTest, AccessReviewReportsMissingRights) {
  cluster_.forbid("watch", "leases");
  const auto allowed = [this](std::string_view verb) {
    const std::string body =
        R"({"apiVersion":"authorization.k8s.io/v1","kind":"SelfSubjectAccessReview","spec":)"
        R"({"resourceAttributes":{"group":"coordination.k8s.io","resource":"leases","verb":")" +
        std::string(verb) + R"("}}})";
    return test::run(loop_, client_.create(kSelfSubjectAccessReviews, "", body))
        ->root()["status"]["allowed"]
        .boolean();
  };
  EXPECT_EQ(allowed("watch"), false);
  EXPECT_EQ(allowed("list"), true);
}

}  // namespace
}  // namespace dynamo::kube
