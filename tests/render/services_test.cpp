// Services, their selectors and ports, and external access.
#include "render/component/services.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tests/render/rendering.hpp"

namespace dynamo::render {
namespace {

using test::Manifest;
using test::OneService;
using test::plain_profile;
using test::text_of;
using testing::ElementsAre;
using testing::IsEmpty;

Profile with(Pathway pathway, DiscoveryBackend discovery) {
  Profile profile = plain_profile(pathway);
  profile.discovery = discovery;
  return profile;
}

// "name:port", followed by "?" if it is uncertain.
std::vector<std::string> services(const Component& component, Arena& arena) {
  std::vector<std::string> out;
  for (const RenderedService& service : render_services(component, arena)) {
    out.push_back(service.name.str() + ":" + std::string(service.port.name) +
                  (service.certain ? "" : "?"));
  }
  return out;
}

std::vector<std::string> services(std::string_view service, const Profile& profile) {
  const OneService manifest(service, profile);
  return services(manifest.component(), manifest.arena());
}

TEST(Services, ComponentServicesDependOnDiscoveryAndType) {
  const Profile kubernetes = with(Pathway::kComponent, DiscoveryBackend::kKubernetes);
  const Profile etcd = with(Pathway::kComponent, DiscoveryBackend::kEtcd);
  const Profile unknown = with(Pathway::kComponent, DiscoveryBackend::kUnknown);
  const auto three =
      ElementsAre("llama-worker:system", "llama-worker-p:system", "llama-worker-d:system");
  EXPECT_THAT(services("replicas: 1", kubernetes), three);
  EXPECT_THAT(services("replicas: 1", etcd), ElementsAre("llama-worker:system"));
  EXPECT_THAT(
      services("annotations: {nvidia.com/enable-stealing-traffic-debug-mode: 'true'}", etcd),
      three);
  EXPECT_THAT(services("componentType: frontend", etcd),
              ElementsAre("llama-worker:http", "llama-worker-p:http", "llama-worker-d:http"));
  EXPECT_THAT(
      services("replicas: 1", unknown),
      ElementsAre("llama-worker:system", "llama-worker-p:system?", "llama-worker-d:system?"));
}

TEST(Services, GroveComponentHasAtMostOneService) {
  EXPECT_THAT(services("replicas: 1", with(Pathway::kGrove, DiscoveryBackend::kKubernetes)),
              ElementsAre("llama-worker:system"));
  EXPECT_THAT(services("replicas: 1", with(Pathway::kGrove, DiscoveryBackend::kEtcd)), IsEmpty());
  EXPECT_THAT(services("componentType: frontend", with(Pathway::kGrove, DiscoveryBackend::kEtcd)),
              ElementsAre("llama-worker:http"));
  EXPECT_THAT(services("replicas: 1", with(Pathway::kGrove, DiscoveryBackend::kUnknown)),
              ElementsAre("llama-worker:system?"));
}

TEST(Services, ServiceOfOnePathwayIsUncertain) {
  EXPECT_THAT(
      services("replicas: 1", with(Pathway::kUnknown, DiscoveryBackend::kKubernetes)),
      ElementsAre("llama-worker:system", "llama-worker-p:system?", "llama-worker-d:system?"));
  EXPECT_THAT(services("replicas: 1", with(Pathway::kUnknown, DiscoveryBackend::kEtcd)),
              ElementsAre("llama-worker:system?"));
}

TEST(Services, RefusedGraphHasNone) {
  EXPECT_THAT(services("multinode: {nodeCount: 2}", plain_profile(Pathway::kComponent)), IsEmpty());
}

TEST(Services, ModelServicesAreHeadless) {
  const OneService manifest("modelRef: {name: Qwen/Qwen3-0.6B}", plain_profile(Pathway::kGrove));
  const auto rendered = render_services(manifest.component(), manifest.arena());
  const RenderedService& model = rendered.back();
  EXPECT_EQ(model.name, "dynamo-model-fb68f5a6");
  EXPECT_TRUE(model.headless);
  EXPECT_FALSE(rendered.front().headless);
  EXPECT_THAT(text_of(model.selector), ElementsAre("nvidia.com/dynamo-base-model-hash=fb68f5a6"));
  EXPECT_EQ(model.port.number, 9090);
}

TEST(Services, SelectPodsByTypeNamespaceAndComponent) {
  const OneService manifest("replicas: 1");
  const auto rendered = render_services(manifest.component(), manifest.arena());
  EXPECT_THAT(text_of(rendered[0].selector), ElementsAre("nvidia.com/dynamo-component=Worker",
                                                         "nvidia.com/dynamo-component-type=worker",
                                                         "nvidia.com/dynamo-namespace=ml-llama"));
  EXPECT_THAT(text_of(rendered[2].selector),
              testing::Contains("nvidia.com/dynamo-deployment-target-type=debug"));
}

TEST(Services, LeaderWorkerSetServiceSelectsLeader) {
  const OneService manifest("multinode: {nodeCount: 2}", plain_profile(Pathway::kLws));
  const auto rendered = render_services(manifest.component(), manifest.arena());
  EXPECT_THAT(text_of(rendered[0].selector), testing::Contains("role=leader"));
}

TEST(Services, StandaloneComponentSelectorUsesSpec) {
  const Manifest manifest(
      "spec: {componentType: worker, serviceName: Decode, dynamoNamespace: own}");
  const auto rendered = render_services(manifest.component(), manifest.arena());
  EXPECT_THAT(text_of(rendered[0].selector), ElementsAre("nvidia.com/dynamo-component=Decode",
                                                         "nvidia.com/dynamo-component-type=worker",
                                                         "nvidia.com/dynamo-namespace=own"));
}

TEST(Services, PortDependsOnType) {
  const struct {
    const char* type;
    const char* name;
    std::int64_t number;
  } rows[] = {{"frontend", "http", 8000},
              {"epp", "grpc", 9002},
              {"worker", "system", 9090},
              {"planner", "system", 9090},
              {"other", "system", 9090}};
  for (const auto& row : rows) {
    const OneService manifest("componentType: " + std::string(row.type));
    const ServicePort port = service_port(manifest.component());
    EXPECT_EQ(port.name, row.name) << row.type;
    EXPECT_EQ(port.number, row.number) << row.type;
  }
}

// Its texts point into the manifest, which is kept.
RenderedIngress ingress(std::string_view service, const Profile& profile = plain_profile()) {
  static std::vector<std::unique_ptr<OneService>> kept;
  kept.push_back(std::make_unique<OneService>(service, profile));
  return render_ingress(kept.back()->component());
}

std::string host(std::string_view service, const Profile& profile = plain_profile()) {
  const OneService manifest(service, profile);
  return render_ingress(manifest.component()).host.str();
}

TEST(Ingress, HostJoinsPrefixHostAndSuffix) {
  EXPECT_EQ(host("ingress: {host: chat}"), "chat.local");
  EXPECT_EQ(host("ingress: {host: chat, hostPrefix: a-, hostSuffix: example.com}"),
            "a-chat.example.com");
  EXPECT_EQ(host("ingress: {host: chat, hostSuffix: ''}"), "chat.");
}

TEST(Ingress, ClassAndGatewaySelectObjects) {
  const RenderedIngress by_class =
      ingress("ingress: {enabled: true, host: a, ingressControllerClassName: nginx}");
  EXPECT_TRUE(by_class.makes_ingress);
  EXPECT_FALSE(by_class.makes_virtual_service);
  const RenderedIngress none = ingress("ingress: {enabled: true, host: a}");
  EXPECT_TRUE(none.enabled);
  EXPECT_FALSE(none.makes_ingress);
  const RenderedIngress off = ingress("ingress: {ingressControllerClassName: nginx}");
  EXPECT_FALSE(off.enabled);
  EXPECT_FALSE(off.makes_ingress);
}

TEST(Ingress, OperatorGatewayEnablesVirtualService) {
  const std::string_view service =
      "ingress: {enabled: true, host: a, useVirtualService: true, virtualServiceGateway: g}";
  Profile profile = plain_profile();
  EXPECT_TRUE(ingress(service, profile).makes_virtual_service);
  EXPECT_FALSE(ingress(service, profile).certain);
  profile.virtual_service_gateway = "istio/gw";
  EXPECT_TRUE(ingress(service, profile).certain);
  profile.virtual_service_gateway = "";
  EXPECT_FALSE(ingress(service, profile).makes_virtual_service);
}

TEST(Ingress, GroveIngressIsForFrontendsOnly) {
  const std::string spec = "ingress: {enabled: true, host: a, ingressControllerClassName: nginx}";
  const Profile grove = plain_profile(Pathway::kGrove);
  EXPECT_FALSE(ingress(spec, grove).makes_ingress);
  EXPECT_TRUE(ingress("componentType: frontend\n" + spec, grove).makes_ingress);
}

TEST(Ingress, FrontendWithoutIngressUsesOperatorConfiguration) {
  Profile profile = plain_profile();
  profile.ingress_class = "nginx";
  profile.virtual_service_gateway = "";
  profile.ingress_host_suffix = "example.com";
  profile.ingress_tls_secret = "tls";
  const RenderedIngress frontend = ingress("componentType: frontend", profile);
  EXPECT_TRUE(frontend.enabled);
  EXPECT_TRUE(frontend.makes_ingress);
  EXPECT_TRUE(frontend.certain);
  EXPECT_EQ(frontend.class_name, "nginx");
  EXPECT_EQ(frontend.tls_secret, "tls");
  EXPECT_EQ(host("componentType: frontend", profile), "llama.example.com");
  EXPECT_FALSE(ingress("componentType: worker", profile).enabled);
  EXPECT_FALSE(ingress("componentType: frontend").enabled);
  EXPECT_FALSE(ingress("componentType: frontend").certain);
}

}  // namespace
}  // namespace dynamo::render
