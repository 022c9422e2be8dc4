// Limits for authors in the controllers, in addition to the operator's rules.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "admission/policy.hpp"
#include "json/writer.hpp"
#include "kube/object/object.hpp"
#include "reconciler/engine/cluster_state.hpp"
#include "reconciler/verdict/operator_validator.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/support/objects.hpp"

namespace dynamo::reconciler {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class AuthorLimits : public testing::Test {
 protected:
  void follow(std::string_view parameters) {
    admission::ReadPolicy read =
        admission::read_policy("{version: 1, parameters: [" + std::string(parameters) + "]}");
    for (const auto& error : read.errors) ADD_FAILURE() << error.message();
    cluster_state_.policy = std::make_shared<const admission::Policy>(*std::move(read.policy));
  }

  std::vector<std::string> errors(api::Kind kind, std::string_view metadata,
                                  std::string_view spec) {
    const json::Document document = test::from_yaml(
        "{apiVersion: nvidia.com/v1alpha1, kind: " + std::string(api::names(kind).name) +
        ", metadata: {" + std::string(metadata) + "}, spec: " + std::string(spec) + "}");
    std::string text;
    json::Writer(text).value(document.root());
    return validator_.errors_of(kind, kube::Object::parse(text).value(), cluster_state_);
  }
  std::vector<std::string> graph_errors(std::string_view service) {
    return errors(api::Kind::kGraphDeployment, "name: g, namespace: team-a",
                  "{services: {A: {replicas: 1, " + std::string(service) + "}}}");
  }

  test::FakeClock clock_;
  ClusterState cluster_state_{clock_};
  OperatorValidator validator_;
};

constexpr std::string_view kHostPid = "extraPodSpec: {hostPID: true, mainContainer: {image: i}}";
constexpr std::string_view kGateway =
    "ingress: {enabled: true, host: a, useVirtualService: true, virtualServiceGateway: b/own}";

TEST_F(AuthorLimits, PolicyKeepsControllerFromCreatingPods) {
  EXPECT_THAT(graph_errors(kHostPid), IsEmpty());
  follow("{allowedHostAccess: []}");
  EXPECT_THAT(
      graph_errors(kHostPid),
      ElementsAre(HasSubstr("spec.services[A].extraPodSpec.hostPID: Forbidden: must not be used")));
}

TEST_F(AuthorLimits, ManyOtherErrorsHideNoLimit) {
  std::string sidecars;
  for (int i = 0; i < 120; ++i) {
    sidecars += "{name: s" + std::to_string(i) +
                ", image: i, livenessProbe: {exec: {command: [a]}, successThreshold: 3}}, ";
  }
  follow("{allowedHostAccess: []}");
  EXPECT_THAT(
      graph_errors("extraPodSpec: {hostPID: true, mainContainer: {image: i}, containers: [" +
                   sidecars + "]}"),
      testing::Not(IsEmpty()));
}

TEST_F(AuthorLimits, OtherParametersDoNotLimitAuthors) {
  follow("{maxReplicasPerService: 1, allowedRegistries: [nvcr.io]}");
  EXPECT_THAT(graph_errors("extraPodSpec: {mainContainer: {image: 'evil.com/a:1'}}"), IsEmpty());
}

TEST_F(AuthorLimits, OnlyConfiguredGatewayIsAllowedWithoutPolicy) {
  EXPECT_THAT(graph_errors(kGateway), IsEmpty());
  cluster_state_.istio_gateway = "istio-system/public";
  EXPECT_THAT(graph_errors(kGateway),
              ElementsAre(HasSubstr("must be the operator's own \"istio-system/public\", as the "
                                    "policy allows no other; found \"b/own\"")));
  follow("{allowedHostAccess: []}");
  EXPECT_THAT(graph_errors(kGateway), ElementsAre(HasSubstr("virtualServiceGateway")));
  follow("{allowedIstioGateways: [b/*]}");
  EXPECT_THAT(graph_errors(kGateway), IsEmpty());
}

TEST_F(AuthorLimits, OwnGatewayAndHostAreAllowedDespitePolicy) {
  constexpr std::string_view kSpec =
      "{dynamoNamespace: x, serviceName: A, replicas: 1, componentType: frontend, ingress: "
      "{enabled: "
      "true, host: g, hostSuffix: example.com, useVirtualService: true, virtualServiceGateway: "
      "istio-system/public}, extraPodSpec: {mainContainer: {image: i}}}";
  constexpr std::string_view kOwned =
      "name: g-a, namespace: team-a, labels: {nvidia.com/dynamo-graph-deployment-name: g}, "
      "ownerReferences: [{apiVersion: nvidia.com/v1alpha1, kind: DynamoGraphDeployment, name: g, "
      "uid: u, controller: true}]";
  cluster_state_.istio_gateway = "istio-system/public";
  cluster_state_.ingress_host_suffix = "example.com";
  follow("{allowedIngressHosts: [], allowedIstioGateways: []}");
  EXPECT_THAT(errors(api::Kind::kComponentDeployment, kOwned, kSpec), IsEmpty());
  EXPECT_THAT(errors(api::Kind::kComponentDeployment, "name: g-a, namespace: team-a", kSpec),
              ElementsAre(HasSubstr("spec.ingress.host")));
}

TEST_F(AuthorLimits, WildcardHostNeedsEntryForAllHosts) {
  constexpr std::string_view kWildcard =
      "ingress: {enabled: true, host: '*', hostSuffix: example.com, ingressControllerClassName: "
      "nginx}, extraPodSpec: {mainContainer: {image: i}}";
  follow("{allowedIngressHosts: ['*.example.com']}");
  EXPECT_THAT(graph_errors(kWildcard), ElementsAre(HasSubstr("host without wildcards")));
  follow("{allowedIngressHosts: ['*']}");
  EXPECT_THAT(graph_errors(kWildcard), IsEmpty());
}

TEST_F(AuthorLimits, GraphComponentsAreLimitedByGraphName) {
  constexpr std::string_view kSpec =
      "{dynamoNamespace: x, serviceName: A, replicas: 1, extraPodSpec: {hostPID: true, "
      "mainContainer: {image: i}}}";
  constexpr std::string_view kOwned =
      "name: g-a, namespace: team-a, ownerReferences: [{apiVersion: nvidia.com/v1alpha1, kind: "
      "DynamoGraphDeployment, name: g, uid: u}]";
  constexpr std::string_view kAlone = "name: g-a, namespace: team-a";
  follow("{allowedHostAccess: []}, {allowedHostAccess: [pid], names: [g], kinds: [dgd]}");
  EXPECT_THAT(errors(api::Kind::kComponentDeployment, kOwned, kSpec), IsEmpty());
  EXPECT_THAT(errors(api::Kind::kComponentDeployment, kAlone, kSpec),
              ElementsAre(HasSubstr("spec.extraPodSpec.hostPID")));
}

}  // namespace
}  // namespace dynamo::reconciler
