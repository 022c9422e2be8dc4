#include "admission/routes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "admission/settings.hpp"

namespace dynamo::admission {
namespace {

TEST(Routes, MatchWebhookConfigurations) {
  std::vector<std::string> paths;
  for (const Route& route : routes()) paths.emplace_back(route.path);
  EXPECT_THAT(paths, testing::UnorderedElementsAre(
                         "/validate-nvidia-com-v1alpha1-dynamographdeployment",
                         "/validate-nvidia-com-v1alpha1-dynamocomponentdeployment",
                         "/validate-nvidia-com-v1alpha1-dynamomodel",
                         "/validate-nvidia-com-v1alpha1-dynamographdeploymentrequest",
                         "/validate-nvidia-com-v1alpha1-dynamocheckpoint",
                         "/validate-nvidia-com-v1alpha1-dynamographdeploymentscalingadapter",
                         "/mutate-nvidia-com-v1alpha1-dynamographdeployment"));
}

TEST(Routes, AreFoundByWholePathOnly) {
  for (const Route& route : routes()) {
    EXPECT_EQ(find_route(route.path), &route);
    EXPECT_TRUE(route.path.ends_with(api::names(route.kind).singular)) << route.path;
    EXPECT_EQ(route.path.starts_with("/mutate-"), route.purpose == Purpose::kDefault);
    EXPECT_EQ(find_route(std::string(route.path) + "/"), nullptr);
    EXPECT_EQ(find_route(route.path.substr(1)), nullptr);
  }
  EXPECT_EQ(find_route(""), nullptr);
  EXPECT_EQ(find_route("/"), nullptr);
}

TEST(Routes, LaterOnesMatchLaterWebhookConfigurations) {
  std::vector<std::string> paths;
  for (const Route& route : later_routes()) {
    paths.emplace_back(route.path);
    EXPECT_EQ(find_route(route.path), &route);
    EXPECT_EQ(route.version, api::Version::kV1beta1);
    EXPECT_EQ(find_route(route.kind, route.purpose, route.version), &route);
    EXPECT_EQ(route.path.starts_with("/mutate"), route.purpose == Purpose::kDefault);
  }
  EXPECT_THAT(paths, testing::UnorderedElementsAre(
                         "/validate/nvidia.com/v1beta1/dynamographdeployments",
                         "/validate/nvidia.com/v1beta1/dynamocomponentdeployments",
                         "/validate-nvidia-com-v1beta1-dynamographdeploymentrequest",
                         "/mutate/nvidia.com/v1beta1/dynamographdeployments",
                         "/mutate-nvidia-com-v1beta1-dynamocomponentdeployment",
                         "/mutate-nvidia-com-v1beta1-dynamographdeploymentrequest"));
}

TEST(Routes, KindWithoutLaterRouteUsesTheFirst) {
  const Route* const adapter =
      find_route(api::Kind::kScalingAdapter, Purpose::kValidate, api::Version::kV1beta1);
  EXPECT_EQ(adapter, find_route(api::Kind::kScalingAdapter, Purpose::kValidate));
}

TEST(Routes, AreFoundByKindAndPurpose) {
  for (const Route& route : routes()) EXPECT_EQ(find_route(route.kind, route.purpose), &route);
  EXPECT_EQ(find_route(api::Kind::kModel, Purpose::kDefault), nullptr);
  for (const api::KindNames& kind : api::kKinds) EXPECT_EQ(find_kind(kind.name), kind.kind);
  EXPECT_EQ(find_kind("DynamoWorkerMetadata"), std::nullopt);
  EXPECT_EQ(find_kind("dynamomodel"), std::nullopt);
}

TEST(StampedVersion, SemanticVersionIsUsed) {
  EXPECT_EQ(stamped_version("1.2.3"), "1.2.3");
  EXPECT_EQ(stamped_version("v0.8.1-rc.1+git.7"), "v0.8.1-rc.1+git.7");
}

TEST(StampedVersion, FallbackVersionPassesRules) {
  for (const char* const version : {"", "latest", "main-abc", "1.2.3.4"}) {
    EXPECT_EQ(stamped_version(version), "0.0.0-unknown") << version;
  }
  EXPECT_EQ(stamped_version(stamped_version("latest")), "0.0.0-unknown");
}

}  // namespace
}  // namespace dynamo::admission
