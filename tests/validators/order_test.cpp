// The order of findings, and which findings a type error hides.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/findings.hpp"
#include "tests/support/objects.hpp"

namespace dynamo::test {
namespace {

std::vector<Place> places(std::string_view services) {
  const json::Document object = from_yaml(
      object_text(api::Kind::kGraphDeployment, "{services: {" + std::string(services) + "}}"));
  return places_of(evaluate_rules({}, object.root()));
}

TEST(ErrorOrder, IsIndependentOfServiceOrder) {
  constexpr const char* kZeta = "Zeta: {" DYNAMO_UNSCALED_SERVICE
                                ", replicas: -1, sharedMemory: {}, ingress: {enabled: true}}";
  constexpr const char* kAleph = "aleph: {" DYNAMO_UNSCALED_SERVICE ", replicas: -1}";
  constexpr const char* kAlpha =
      "Alpha: {componentType: epp, extraPodSpec: {mainContainer: {image: a}}, replicas: 2, "
      "multinode: {nodeCount: 2}}";
  constexpr const char* kTen = "'10': {" DYNAMO_UNSCALED_SERVICE ", replicas: -1}";
  constexpr const char* kNine =
      "'9': {" DYNAMO_UNSCALED_SERVICE ", replicas: -1}, '1a': {" DYNAMO_UNSCALED_SERVICE
      ", replicas: -1}";
  std::vector<std::string> services{kZeta, kAleph, kAlpha, kTen, kNine};
  std::ranges::sort(services);
  const std::vector<Place> wanted{
      {"spec.services[9].replicas", "service.replicas.non-negative"},
      {"spec.services[10].replicas", "service.replicas.non-negative"},
      {"spec.services[1a].replicas", "service.replicas.non-negative"},
      {"spec.services[Alpha].eppConfig", "epp.config.required"},
      {"spec.services[Alpha].multinode", "epp.single-node"},
      {"spec.services[Alpha].replicas", "epp.single-replica"},
      {"spec.services[Zeta].ingress.host", "service.ingress.host"},
      {"spec.services[Zeta].replicas", "service.replicas.non-negative"},
      {"spec.services[Zeta].sharedMemory.size", "service.shared-memory.size"},
      {"spec.services[aleph].replicas", "service.replicas.non-negative"},
  };
  do {
    std::string text;
    for (const std::string& service : services) text += service + ", ";
    EXPECT_EQ(places(text), wanted) << text;
  } while (std::ranges::next_permutation(services).found);
}

TEST(ErrorOrder, FollowsApiFields) {
  const json::Document object = from_yaml(R"(
metadata: {name: a, annotations: {nvidia.com/dynamo-operator-origin-version: latest}}
spec:
  services: {A: {componentType: frontend, extraPodSpec: {mainContainer: {image: a}}, replicas: -1}}
  restart: {id: ""}
  pvcs: [{}]
  backendFramework: [vllm]
)");
  EXPECT_EQ(places_of(evaluate_rules({}, object.root())),
            (std::vector<Place>{{"metadata.annotations[nvidia.com/dynamo-operator-origin-version]",
                                 "dgd.origin-version.semver"},
                                {"spec.backendFramework", "type.mismatch"},
                                {"spec.pvcs[0].name", "dgd.pvc.name"},
                                {"spec.restart.id", "dgd.restart.id"},
                                {"spec.services[A].replicas", "service.replicas.non-negative"}}));
}

TEST(ErrorText, IsDeterministic) {
  const json::Document object =
      from_yaml(object_text(api::Kind::kGraphDeployment,
                            "{services: {A: {" DYNAMO_UNSCALED_SERVICE
                            ", replicas: -1}, B: {" DYNAMO_GOOD_SERVICE ", sharedMemory: {}}}}"));
  const api::ErrorList first = evaluate_rules({}, object.root());
  const api::ErrorList second = evaluate_rules({}, object.root());
  ASSERT_EQ(first.errors().size(), 2U);
  ASSERT_EQ(second.errors().size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(first.errors()[i].message(), second.errors()[i].message());
  }
}

TEST(Duplicates, LastDuplicateServiceWins) {
  // Only hand-written reviews have duplicates; the API server sends each name once.
  const json::Document object = from_yaml(
      R"({"spec":{"services":{"A":{"replicas":1,"componentType":"frontend","extraPodSpec":{"mainContainer":{"image":"a"}}}}}})");
  json::Document twice;
  json::Builder builder{twice};
  builder.start_object();
  builder.key("spec");
  builder.start_object();
  builder.key("services");
  builder.start_object();
  builder.key("A");
  builder.start_object();
  builder.key("replicas");
  builder.integer(-1);
  builder.end_object(1);
  builder.key("A");
  builder.copy(object.root()["spec"]["services"]["A"]);
  builder.end_object(2);
  builder.end_object(1);
  builder.end_object(1);
  EXPECT_EQ(errors_of(evaluate_rules({}, twice.root())), std::vector<Finding>{});
}

}  // namespace
}  // namespace dynamo::test
