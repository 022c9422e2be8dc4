// The objects that result from a graph, and their changes.
#include "manifests/tree.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/render/rendering.hpp"

namespace dynamo::render {
namespace {

using test::Yaml;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Tree tree(std::string_view services, DiscoveryBackend discovery = DiscoveryBackend::kEtcd) {
  const Yaml yaml("metadata: {name: g}\nspec: {services: " + std::string(services) + "}");
  RenderEnvironment environment{.profile = default_operator_profile(),
                                .namespace_restricted = true};
  environment.profile.discovery = discovery;
  return tree_of(api::Kind::kGraphDeployment, yaml.root(), "ml", environment);
}

std::vector<std::string> words(const Tree& before, const Tree& after) {
  std::vector<std::string> out;
  for (const TreeChange& change : changes_of(before, after)) {
    constexpr std::string_view kSigns = "+~-";
    std::string line(1, kSigns[static_cast<std::size_t>(change.operation)]);
    line += " " + change.kind + " " + change.name;
    if (change.rolls) line += " rolls";
    out.push_back(line);
  }
  return out;
}

TEST(Tree, IncludesWorkloads) {
  std::vector<std::string> names;
  for (const DesiredObject& desired : tree("{A: {componentType: worker}}").items) {
    names.push_back(std::string(desired.kind) + " " + desired.name);
  }
  EXPECT_THAT(names, ElementsAre("DynamoComponentDeployment g-a", "Deployment g-a", "Service g-a"));
}

TEST(Tree, RefusalNamesItsObject) {
  const Tree refused = tree("{A: {componentType: worker, resources: {limits: {cpu: lots}}}}");
  ASSERT_EQ(refused.refused.size(), 1U);
  EXPECT_THAT(refused.refused.front(), HasSubstr("DynamoComponentDeployment g-a spec."));
}

TEST(Tree, DuplicateNameOfKindIsRefused) {
  // With Kubernetes discovery a worker has one Service for each half of a pair.
  const Tree colliding = tree("{A: {componentType: worker}, A-d: {componentType: worker}}",
                              DiscoveryBackend::kKubernetes);
  const auto is_the_service = [](const DesiredObject& desired) {
    return desired.kind == "Service" && desired.name == "g-a-d";
  };
  EXPECT_EQ(std::ranges::count_if(colliding.items, is_the_service), 1);
  EXPECT_THAT(colliding.refused,
              ElementsAre(HasSubstr("Service g-a-d: must have a name of its own")));
}

TEST(Tree, SharedModelServiceAppearsOnce) {
  const Tree shared = tree(
      "{A: {componentType: worker, modelRef: {name: m}}, "
      "B: {componentType: worker, modelRef: {name: m}}}");
  const auto is_the_service = [](const DesiredObject& desired) {
    return desired.kind == "Service" && desired.name.starts_with("dynamo-model-");
  };
  EXPECT_EQ(std::ranges::count_if(shared.items, is_the_service), 1);
  EXPECT_THAT(shared.refused, IsEmpty());
}

TEST(TreeChanges, ListCreationsChangesRolloutsAndDeletions) {
  const Tree one = tree("{A: {componentType: worker}}");
  EXPECT_THAT(words(one, one), IsEmpty());
  EXPECT_THAT(words(Tree{}, one),
              ElementsAre("+ DynamoComponentDeployment g-a", "+ Deployment g-a", "+ Service g-a"));
  EXPECT_THAT(words(one, Tree{}),
              ElementsAre("- DynamoComponentDeployment g-a", "- Deployment g-a", "- Service g-a"));
  EXPECT_THAT(words(one, tree("{A: {componentType: worker, replicas: 2}}")),
              ElementsAre("~ DynamoComponentDeployment g-a", "~ Deployment g-a"));
  EXPECT_THAT(words(one, tree("{A: {componentType: worker, envs: [{name: X, value: secret}]}}")),
              ElementsAre("~ DynamoComponentDeployment g-a", "~ Deployment g-a rolls"));
}

TEST(TreeChanges, OwnerUidIsIgnored) {
  const auto owned = [](std::string_view owner) {
    Tree tree;
    tree.items.push_back({.kind = "Service",
                          .name = "s",
                          .manifest = R"({"kind":"Service",)"
                                      R"("metadata":{"name":"s","ownerReferences":[)" +
                                      std::string(owner) + "]}}"});
    return tree;
  };
  const Tree one = owned(R"({"kind":"K","name":"g","controller":true})");
  for (const std::string_view same :
       {R"({"kind":"K","name":"g","controller":true,"uid":"u"})",
        R"({"kind":"K","name":"g","controller":true,"uid":"u","blockOwnerDeletion":true})",
        R"({"kind":"K","name":"g","controller":true,"uid":"v","blockOwnerDeletion":false})"}) {
    EXPECT_THAT(words(one, owned(same)), IsEmpty()) << same;
    EXPECT_THAT(words(owned(same), one), IsEmpty()) << same;
  }
  const Tree known = owned(R"({"kind":"K","name":"g","controller":true,"uid":"u"})");
  EXPECT_THAT(words(known, owned(R"({"kind":"K","name":"g","controller":true,"uid":"v"})")),
              IsEmpty());
  for (const std::string_view other :
       {R"({"kind":"K","name":"h","controller":true,"uid":"u"})",
        R"({"kind":"K","name":"g","uid":"u"})", "",
        R"({"kind":"K","name":"g","controller":true,"uid":"u"},{"kind":"L","name":"l"})"}) {
    EXPECT_THAT(words(known, owned(other)), ElementsAre("~ Service s")) << other;
  }
}

// The API server stores quantities in canonical form.
TEST(TreeChanges, EqualAmountsAreNoChange) {
  const auto sized = [](std::string_view more) {
    return tree("{A: {componentType: worker, " + std::string(more) + "}}");
  };
  const Tree one =
      sized("resources: {requests: {cpu: '2', memory: 1Gi, custom: {example.com/x: '1'}}}");
  const Tree same =
      sized("resources: {requests: {cpu: 2000m, memory: 1024Mi, custom: {example.com/x: 1000m}}}");
  EXPECT_THAT(words(one, same), ElementsAre("~ DynamoComponentDeployment g-a"));
  EXPECT_THAT(words(one, sized("replicas: 2, resources: {requests: {cpu: 2000m, memory: 1024Mi, "
                               "custom: {example.com/x: 1000m}}}")),
              ElementsAre("~ DynamoComponentDeployment g-a", "~ Deployment g-a"));
  EXPECT_THAT(words(one, sized("resources: {requests: {cpu: 2001m, memory: 1024Mi, custom: "
                               "{example.com/x: 1000m}}}")),
              ElementsAre("~ DynamoComponentDeployment g-a", "~ Deployment g-a rolls"));
}

TEST(TreeChanges, SecretValuesAreNotShown) {
  const auto changed =
      changes_of(tree("{A: {componentType: worker}}"),
                 tree("{A: {componentType: worker, envs: [{name: X, value: secret}]}}"));
  for (const TreeChange& change : changed)
    EXPECT_THAT(change.changes, testing::Not(HasSubstr("secret")));
  EXPECT_THAT(changed.back().changes, HasSubstr("spec.template.spec.containers[main].env[X]"));
}

}  // namespace
}  // namespace dynamo::render
