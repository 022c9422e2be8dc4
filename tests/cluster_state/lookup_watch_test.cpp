// Names of a cluster's objects as requests look them up while the cluster changes.
#include "cluster/lookup_watch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/resources.hpp"
#include "tests/cluster_state/cluster_fixture.hpp"

namespace dynamo::cluster {
namespace {

using namespace std::chrono_literals;
using api::Fact;
using api::LookupKind;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class LookupWatchTest : public ClusterFixture {
 protected:
  ~LookupWatchTest() override { tasks_.stop(); }

  void start(LookupOptions options) {
    options.pace = 1ms;
    options.check_interval = 1ms;
    options.first_pause = 1ms;
    watch_.emplace(loop_, client_, std::move(options), published_, clock_, logger_);
    watch_->spawn(tasks_);
  }
  void put(const kube::Resource& resource, std::string_view namespace_name, std::string_view name,
           std::string_view more = "") {
    cluster_.put(resource, R"({"metadata":{"name":")" + std::string(name) + R"(","namespace":")" +
                               std::string(namespace_name) + R"("})" + std::string(more) + "}");
  }
  // Looks up as a rule does.
  Fact has(LookupKind kind, std::string_view namespace_name, std::string_view name) const {
    return published_.read()->has(kind, namespace_name, name);
  }

  kube::Client client_{*transport_};
  LookupWatch::RcuCell published_{std::make_unique<const ObjectNames>()};
  std::optional<LookupWatch> watch_;
};

TEST(LookupKinds, HaveTheNamesOfTheFlag) {
  std::size_t index = 0;
  for (const std::string_view name : api::kLookupResources) {
    EXPECT_THAT(looked_up_kinds(std::vector{std::string(name)}),
                ElementsAre(static_cast<LookupKind>(index++)));
  }
  EXPECT_EQ(index, api::kLookupKindNames.size());
  EXPECT_THAT(looked_up_kinds(std::vector<std::string>{"all"}),
              ElementsAre(LookupKind::kGraphDeployment, LookupKind::kPersistentVolumeClaim,
                          LookupKind::kConfigMap, LookupKind::kSecret))
      << "a cluster-scoped kind must be named";
  EXPECT_TRUE(looked_up_kinds({}).empty());
}

TEST_F(LookupWatchTest, DomainsOfBindingsFollowTheCluster) {
  const auto put_binding = [this](std::string_view name, std::string_view domain) {
    cluster_.put(kTopologyBindings, R"({"metadata":{"name":")" + std::string(name) +
                                        R"("},"spec":{"levels":[{"domain":"zone","key":"z"},)" +
                                        R"({"domain":")" + std::string(domain) +
                                        R"(","key":"r"}]}})");
  };
  const auto domains = [this](std::string_view name) {
    const auto objects = published_.read();
    const auto found = objects->domains_of(name);
    return std::vector<std::string>(found.begin(), found.end());
  };
  put_binding("a", "rack");
  // Bindings have no namespace, so that of a restricted server does not matter.
  start({.kinds = {LookupKind::kTopologyBinding}, .namespace_name = "team-a"});
  EXPECT_EQ(has(LookupKind::kTopologyBinding, "", "a"), Fact::kUnknown);
  EXPECT_TRUE(domains("a").empty());
  ASSERT_TRUE(
      comes_true([this] { return has(LookupKind::kTopologyBinding, "", "a") == Fact::kYes; }));
  EXPECT_THAT(domains("a"), ElementsAre("zone", "rack"));
  EXPECT_EQ(has(LookupKind::kTopologyBinding, "", "b"), Fact::kNo);
  EXPECT_TRUE(domains("b").empty());
  put_binding("a", "host");
  const std::vector<std::string> changed{"zone", "host"};
  EXPECT_TRUE(comes_true([&] { return domains("a") == changed; }));
  cluster_.erase(kTopologyBindings, "", "a");
  EXPECT_TRUE(
      comes_true([this] { return has(LookupKind::kTopologyBinding, "", "a") == Fact::kNo; }));
  EXPECT_TRUE(domains("a").empty());
}

TEST_F(LookupWatchTest, NamesAreKnownOnlyAfterFirstList) {
  put(kube::kSecrets, "team-a", "token");
  start({.kinds = {LookupKind::kSecret, LookupKind::kConfigMap}});
  EXPECT_EQ(has(LookupKind::kSecret, "team-a", "token"), Fact::kUnknown);
  EXPECT_EQ(watch_->size(LookupKind::kSecret), std::nullopt);
  ASSERT_TRUE(
      comes_true([this] { return has(LookupKind::kSecret, "team-a", "token") == Fact::kYes; }));
  EXPECT_EQ(has(LookupKind::kSecret, "team-b", "token"), Fact::kNo);
  EXPECT_EQ(watch_->size(LookupKind::kSecret), 1U);
  EXPECT_TRUE(
      comes_true([this] { return has(LookupKind::kConfigMap, "team-a", "token") == Fact::kNo; }));
  EXPECT_EQ(has(LookupKind::kPersistentVolumeClaim, "team-a", "token"), Fact::kUnknown);
  EXPECT_EQ(watch_->size(LookupKind::kPersistentVolumeClaim), std::nullopt);
}

TEST_F(LookupWatchTest, FollowsCreatedAndDeletedObjects) {
  start({.kinds = {LookupKind::kPersistentVolumeClaim}});
  const auto becomes = [this](Fact wanted) {
    return comes_true(
        [&] { return has(LookupKind::kPersistentVolumeClaim, "team-a", "models") == wanted; });
  };
  ASSERT_TRUE(becomes(Fact::kNo));
  put(kube::kPersistentVolumeClaims, "team-a", "models");
  EXPECT_TRUE(becomes(Fact::kYes));
  cluster_.erase(kube::kPersistentVolumeClaims, "team-a", "models");
  EXPECT_TRUE(becomes(Fact::kNo));
}

// With half of the names, rules would warn about objects that exist.
TEST_F(LookupWatchTest, NamesAreUnknownWhileListExceedsLimit) {
  put(kube::kSecrets, "team-a", "a");
  put(kube::kSecrets, "team-a", "b");
  LookupOptions options{.kinds = {LookupKind::kSecret, LookupKind::kConfigMap}};
  options.most_names = 2;
  start(std::move(options));
  const auto size_is = [this](std::optional<std::size_t> wanted) {
    return comes_true([&] { return watch_->size(LookupKind::kSecret) == wanted; });
  };
  ASSERT_TRUE(size_is(2));
  put(kube::kSecrets, "team-a", "a", R"(,"type":"Opaque")");  // no other name
  put(kube::kSecrets, "team-a", "c");
  ASSERT_TRUE(size_is(std::nullopt));
  EXPECT_TRUE(
      comes_true([this] { return has(LookupKind::kSecret, "team-a", "a") == Fact::kUnknown; }));
  EXPECT_EQ(has(LookupKind::kConfigMap, "team-a", "a"), Fact::kNo) << "another kind";
  EXPECT_EQ(logger_.count("too many names to keep; no warnings for their kind"), 1U);

  cluster_.set_reachable(false);
  cluster_.erase(kube::kSecrets, "team-a", "a");
  cluster_.compact();
  cluster_.set_reachable(true);
  ASSERT_TRUE(size_is(2));
  EXPECT_TRUE(comes_true([this] { return has(LookupKind::kSecret, "team-a", "c") == Fact::kYes; }));
  EXPECT_EQ(has(LookupKind::kSecret, "team-a", "a"), Fact::kNo);
}

TEST_F(LookupWatchTest, RequestsOnlyMetadataAndSkipsHelmReleases) {
  put(kube::kSecrets, "team-a", "sh.helm.release.v1.dynamo.v1", R"(,"type":"helm.sh/release.v1")");
  put(kube::kSecrets, "team-a", "token", R"(,"type":"Opaque","data":{"token":"c2VjcmV0"})");
  start({.kinds = {LookupKind::kSecret}});
  ASSERT_TRUE(comes_true([this] { return watch_->size(LookupKind::kSecret) == 1; }));
  for (const test::Call& call : cluster_.calls()) {
    EXPECT_THAT(call.accept, HasSubstr("as=PartialObjectMetadata")) << call.target;
  }
}

TEST_F(LookupWatchTest, RestrictedWatchRequestsOnlyItsNamespace) {
  put(kGraphDeployments, "team-a", "chat");
  start({.kinds = {LookupKind::kGraphDeployment}, .namespace_name = "team-a"});
  ASSERT_TRUE(comes_true(
      [this] { return has(LookupKind::kGraphDeployment, "team-a", "chat") == Fact::kYes; }));
  EXPECT_EQ(has(LookupKind::kGraphDeployment, "team-b", "chat"), Fact::kUnknown);
  for (const test::Call& call : cluster_.calls()) {
    EXPECT_THAT(call.target,
                HasSubstr("/apis/nvidia.com/v1alpha1/namespaces/team-a/dynamographdeployments"));
  }
}

TEST_F(LookupWatchTest, LongOutageMakesNamesUnknownUntilNextList) {
  put(kube::kSecrets, "team-a", "token");
  start({.kinds = {LookupKind::kSecret}, .max_staleness = 30s});
  const auto becomes = [this](Fact wanted) {
    return comes_true([&] { return has(LookupKind::kSecret, "team-a", "token") == wanted; });
  };
  ASSERT_TRUE(becomes(Fact::kYes));
  cluster_.set_reachable(false);
  ASSERT_TRUE(comes_true([this] { return watch_->restarts(LookupKind::kSecret) > 2; }));
  EXPECT_EQ(has(LookupKind::kSecret, "team-a", "token"), Fact::kYes) << "a short outage";
  clock_.tick(31s);
  EXPECT_TRUE(becomes(Fact::kUnknown));
  EXPECT_EQ(watch_->size(LookupKind::kSecret), std::nullopt);
  cluster_.set_reachable(true);
  EXPECT_TRUE(becomes(Fact::kYes));
}

TEST_F(LookupWatchTest, MissingPermissionIsLoggedOnceAndNamesUnknown) {
  cluster_.forbid("list", "secrets");
  start({.kinds = {LookupKind::kSecret, LookupKind::kConfigMap}});
  ASSERT_TRUE(comes_true([this] { return watch_->restarts(LookupKind::kSecret) > 2; }));
  ASSERT_TRUE(comes_true([this] { return has(LookupKind::kConfigMap, "a", "b") == Fact::kNo; }));
  EXPECT_EQ(has(LookupKind::kSecret, "team-a", "token"), Fact::kUnknown);
  EXPECT_EQ(logger_.count("watching the cluster has failed; trying again"), 1U);
}

TEST_F(LookupWatchTest, ChangeOfOneKindKeepsNamesOfOthers) {
  put(kube::kSecrets, "team-a", "token");
  start({.kinds = {LookupKind::kSecret, LookupKind::kConfigMap}});
  ASSERT_TRUE(
      comes_true([this] { return has(LookupKind::kConfigMap, "team-a", "x") == Fact::kNo; }));
  for (const std::string_view name : {"x", "y", "z"}) put(kube::kConfigMaps, "team-a", name);
  ASSERT_TRUE(
      comes_true([this] { return has(LookupKind::kConfigMap, "team-a", "z") == Fact::kYes; }));
  EXPECT_EQ(has(LookupKind::kSecret, "team-a", "token"), Fact::kYes);
}

}  // namespace
}  // namespace dynamo::cluster
