// Looking up existing names allocates no memory.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

#include "tests/support/allocation_counter.hpp"
#include "tests/support/findings.hpp"
#include "tests/support/known_objects.hpp"
#include "tests/support/objects.hpp"
#include "validators/severities.hpp"
#include "validators/validate.hpp"

namespace dynamo::test {
namespace {

constexpr std::string_view kGraph =
    "{pvcs: [{name: models}, {name: made, create: true, size: 1Gi, storageClass: s, "
    "volumeAccessMode: ReadWriteMany}], services: {W: {componentType: worker, replicas: 1, "
    "envFromSecret: token, volumeMounts: [{name: models, mountPoint: /m}, {name: made, mountPoint: "
    "/n}], resources: {limits: {gpu: '1'}}, extraPodSpec: {imagePullSecrets: [{name: pull}], "
    "volumes: [{name: v, configMap: {name: settings}}, {name: p, projected: {sources: [{secret: "
    "{name: a}}]}}], mainContainer: {image: i, command: [python3, -m, dynamo.vllm], args: "
    "[--model, "
    "m], env: [{name: A, valueFrom: {secretKeyRef: {name: b, key: k}}}]}}}}}";

// The allocations of an evaluation of the graph as an update of itself, after a warm-up.
std::size_t allocations_with(const api::ClusterObjects* objects) {
  const json::Document object = from_yaml(object_text(api::Kind::kGraphDeployment, kGraph));
  const api::Settings settings;
  const api::ClusterFacts facts;
  const api::Context context{.kind = api::Kind::kGraphDeployment,
                             .operation = api::Operation::kUpdate,
                             .namespace_name = "default",
                             .object_name = "example",
                             .user = "jane@example.com",
                             .sub_resource = {},
                             .settings = settings,
                             .facts = facts,
                             .objects = objects};
  api::ErrorList found;
  render::Arena arena;
  std::size_t counted = 0;
  for (int round = 0; round < 3; ++round) {
    found.clear();
    const std::uint64_t before = allocations();
    validators::validate(context, object.root(), object.root(), found,
                         validators::default_severities(), arena);
    counted = allocations() - before;
  }
  EXPECT_EQ(warnings_of(found), std::vector<Place>{});
  return counted;
}

TEST(LookUps, ExistingNamesAllocateNothing) {
  const KnownObjects everything{{}, api::Fact::kYes};
  EXPECT_EQ(allocations_with(&everything), allocations_with(nullptr));
}

TEST(LookUps, UnknownNamesAllocateNothing) {
  const KnownObjects unknown{{}, api::Fact::kUnknown};
  EXPECT_EQ(allocations_with(&unknown), allocations_with(nullptr));
}

}  // namespace
}  // namespace dynamo::test
