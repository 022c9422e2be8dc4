#include "kube/client/discovery.hpp"

#include "aio/task_group.hpp"
#include "tests/kube/kube_fixture.hpp"

namespace dynamo::kube {
namespace {

using std::chrono::milliseconds;
using test::Fault;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr std::string_view kPool = "inference.networking.k8s.io";

class DiscoveryTest : public KubeTest {
 protected:
  Discovery discovery_{client_, logger_, {.refresh = milliseconds(1)}};

  Result<void> read_groups() { return test::run(loop_, discovery_.read_groups()); }
};

TEST_F(DiscoveryTest, NothingIsKnownBeforeFirstRefresh) {
  EXPECT_EQ(discovery_.served(kPool), std::nullopt);
  EXPECT_EQ(discovery_.kubernetes_minor(), std::nullopt);
  EXPECT_FALSE(discovery_.is_known());
  EXPECT_TRUE(discovery_.is_failing());
}

TEST_F(DiscoveryTest, BothAnswerFormatsAreParsed) {
  for (const bool aggregated : {true, false}) {
    cluster_.set_aggregated_discovery(aggregated);
    cluster_.set_groups({"nvidia.com", std::string(kPool)});
    ASSERT_TRUE(read_groups()) << aggregated;
    EXPECT_EQ(discovery_.served(kPool), true);
    EXPECT_EQ(discovery_.served("inference.networking"), false);
    cluster_.set_groups({"nvidia.com"});
    ASSERT_TRUE(read_groups()) << aggregated;
    EXPECT_EQ(discovery_.served(kPool), false);
    EXPECT_EQ(discovery_.served("nvidia.com"), true);
    EXPECT_FALSE(discovery_.is_failing());
  }
}

TEST_F(DiscoveryTest, FailedRefreshKeepsKnownStateAndIsLogged) {
  cluster_.set_groups({"grove.io"});
  ASSERT_TRUE(read_groups());
  for (const Fault& fault :
       {Fault{.kind = Fault::Kind::kRefused},
        Fault{.kind = Fault::Kind::kStatus, .status = 500, .reason = "InternalError"},
        Fault{.kind = Fault::Kind::kBody, .body = "{}"},
        Fault{.kind = Fault::Kind::kBody, .body = R"({"kind":"APIGroupList","groups":7})"},
        Fault{.kind = Fault::Kind::kBody, .body = "<html>"}}) {
    cluster_.fail({.path = "/apis"}, fault);
    const auto result = read_groups();
    ASSERT_FALSE(result);
    EXPECT_THAT(result.error().text, StartsWith("get /apis: "));
    EXPECT_TRUE(discovery_.is_failing());
    EXPECT_EQ(discovery_.served("grove.io"), true);
    ASSERT_TRUE(read_groups());
    EXPECT_FALSE(discovery_.is_failing());
  }
}

TEST_F(DiscoveryTest, FailureIsRetriedBeforeNextRefresh) {
  Discovery discovery(client_, logger_,
                      {.refresh = std::chrono::hours(1), .first_pause = milliseconds(1)});
  cluster_.fail({.path = "/apis"}, {.kind = Fault::Kind::kRefused}, 3);
  aio::TaskGroup group(loop_, logger_);
  group.spawn("discovery", [&] { return discovery.run(); });
  EXPECT_TRUE(test::run_until(loop_, [&] { return discovery.is_known(); }));
  group.stop();
}

TEST_F(DiscoveryTest, IsOutdatedAfterThreeFailedRefreshes) {
  Discovery slow(client_, logger_, {.refresh = std::chrono::hours(1)});
  Discovery quick(client_, logger_, {.refresh = milliseconds(0)});  // outdated at any time
  EXPECT_FALSE(slow.is_outdated());
  EXPECT_TRUE(quick.is_outdated());
  for (Discovery* each : {&slow, &quick}) {
    ASSERT_TRUE(test::run(loop_, each->read_groups()));
    EXPECT_FALSE(each->is_outdated());
    cluster_.fail({.path = "/apis"}, {.kind = Fault::Kind::kRefused});
    ASSERT_FALSE(test::run(loop_, each->read_groups()));
  }
  EXPECT_FALSE(slow.is_outdated());
  EXPECT_TRUE(quick.is_outdated());
}

TEST_F(DiscoveryTest, ProviderVersionFormatsAreParsed) {
  cluster_.set_version("1", "35+");
  ASSERT_TRUE(read_groups());
  EXPECT_EQ(discovery_.kubernetes_minor(), 35);
  cluster_.fail({.path = "/version"},
                {.kind = Fault::Kind::kStatus, .status = 403, .reason = "Forbidden"});
  EXPECT_TRUE(read_groups()) << "groups are what counts";
  EXPECT_EQ(discovery_.kubernetes_minor(), 35);
  for (const char* bad : {R"({"major":"1","minor":""})", R"({"major":"2","minor":"1"})",
                          R"({"major":"1","minor":"-3"})", R"({"major":"1","minor":35})"}) {
    EXPECT_EQ(minor_of(json::parse_copy(bad)->root()), std::nullopt) << bad;
  }
}

TEST_F(DiscoveryTest, GroupWithoutVersionsIsNotServed) {
  const auto answer = json::parse_copy(
      R"({"kind":"APIGroupDiscoveryList","items":[{"metadata":{"name":"b"},"versions":[{}]},)"
      R"({"metadata":{"name":"gone"},"versions":[]},{"metadata":{"name":"a"},"versions":[{}]}]})");
  EXPECT_THAT(groups_of(answer->root()).value(), ElementsAre("a", "b"));
}

TEST_F(DiscoveryTest, VersionsOfAGroupAreDistinguished) {
  const auto serves = [this](std::string_view version) {
    return discovery_.served("nvidia.com", version, "dynamographdeployments");
  };
  EXPECT_EQ(serves("v1beta1"), std::nullopt);
  for (const bool aggregated : {true, false}) {
    cluster_.set_aggregated_discovery(aggregated);
    cluster_.set_groups({"nvidia.com/v1alpha1"});
    ASSERT_TRUE(read_groups());
    EXPECT_EQ(serves("v1alpha1"), true) << aggregated;
    EXPECT_EQ(serves("v1beta1"), false) << aggregated;
    cluster_.set_groups({"nvidia.com/v1alpha1,v1beta1"});
    ASSERT_TRUE(read_groups());
    EXPECT_EQ(serves("v1beta1"), true) << aggregated;
  }
}

TEST_F(DiscoveryTest, ListedResourcesDecide) {
  cluster_.fail({.path = "/apis"},
                {.kind = Fault::Kind::kBody,
                 .body = R"({"kind":"APIGroupDiscoveryList","items":[)"
                         R"({"metadata":{"name":"g"},"versions":[{"version":"v2","resources":[)"
                         R"({"resource":"ones"},{"resource":"twos"}]}]}]})"});
  ASSERT_TRUE(read_groups());
  EXPECT_EQ(discovery_.served("g", "v2", "twos"), true);
  EXPECT_EQ(discovery_.served("g", "v2", "threes"), false);
  EXPECT_EQ(discovery_.served("g", "v1", "twos"), false);
}

TEST_F(DiscoveryTest, RepeatedRefreshesLogOnlyChanges) {
  int refreshes = 0;
  Discovery discovery(client_, logger_, {.refresh = milliseconds(1)}, [&] { ++refreshes; });
  aio::TaskGroup group(loop_, logger_);
  group.spawn("discovery", [&] { return discovery.run(); });
  ASSERT_TRUE(test::run_until(loop_, [&] { return refreshes == 3; }));
  EXPECT_THAT(logger_.lines(), IsEmpty());
  cluster_.set_reachable(false);
  ASSERT_TRUE(test::run_until(loop_, [&] { return refreshes == 8; }));
  EXPECT_TRUE(discovery.is_failing());
  cluster_.set_groups({std::string(kPool)});
  cluster_.set_reachable(true);
  ASSERT_TRUE(test::run_until(loop_, [&] { return discovery.served(kPool) == true; }));
  ASSERT_TRUE(test::run_until(loop_, [&] { return logger_.lines().size() == 2; }));
  EXPECT_THAT(logger_.lines()[0].fields, HasSubstr("get /apis: connection refused"));
  group.stop();
}

}  // namespace
}  // namespace dynamo::kube
