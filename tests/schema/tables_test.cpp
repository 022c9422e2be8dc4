// The tables themselves: invariants that the engine relies on, and fields that the API promises.
// crds_test.py checks the CRDs in deploy/charts/dynamo-crds, which are generated from the same
// sources.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/context.hpp"
#include "api/kind.hpp"
#include "schema/properties.hpp"
#include "schema/table.hpp"

namespace dynamo::schema {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Optional;

// Every schema that is reachable, with its path; [] is any element and {} any value.
struct Node {
  std::string path;
  const Schema* schema;
};

void collect(const std::string& path, const Schema& schema, std::vector<Node>& nodes) {
  nodes.push_back({path, &schema});
  for (const Property& property : schema.properties) {
    collect(path + "." + std::string(property.name), *property.schema, nodes);
  }
  if (schema.each != nullptr) {
    collect(path + (schema.type == Type::kArray ? "[]" : "{}"), *schema.each, nodes);
  }
}

std::vector<Node> nodes_of(std::span<const Resource> resources) {
  std::vector<Node> nodes;
  for (const Resource& resource : resources) {
    collect(std::string(resource.short_name), *resource.schema, nodes);
  }
  return nodes;
}

// Only the first generation.
std::vector<Node> first_nodes() {
  return nodes_of(resources());
}

// Both generations.
std::vector<Node> all_nodes() {
  return nodes_of(all_resources());
}

const Property* find(const Schema& schema, std::string_view name) {
  const auto found = std::ranges::find(schema.properties, name, &Property::name);
  return found == schema.properties.end() ? nullptr : &*found;
}

// The schema of the first generation at a path such as `dgd.spec.services{}.replicas`; null if
// there is none.
const Schema* at(std::string_view path) {
  for (const Node& node : first_nodes()) {
    if (node.path == path) return node.schema;
  }
  return nullptr;
}

std::vector<std::string_view> required(const Schema& schema) {
  std::vector<std::string_view> names;
  for (const Property& property : schema.properties) {
    if (property.required) names.push_back(property.name);
  }
  return names;
}

std::vector<std::string_view> names(const Schema& schema) {
  std::vector<std::string_view> found;
  for (const Property& property : schema.properties) found.push_back(property.name);
  return found;
}

TEST(PropertyCursor, FindsEachPropertyInEitherOrder) {
  for (const Node& node : all_nodes()) {
    PropertyCursor forwards{*node.schema};
    PropertyCursor backwards{*node.schema};
    const std::span<const Property> properties = node.schema->properties;
    for (std::size_t index = 0; index < properties.size(); ++index) {
      const Property& first = properties[index];
      EXPECT_EQ(forwards.find(first.name), &first) << node.path << "." << first.name;
      const Property& last = properties[properties.size() - 1 - index];
      EXPECT_EQ(backwards.find(last.name), &last) << node.path << "." << last.name;
      EXPECT_EQ(forwards.find(std::string(first.name) + "X"), nullptr) << node.path;
    }
    for (const std::string_view unknown : {"", "A", "{", "`", "zzz", "\x80"}) {
      EXPECT_EQ(forwards.find(unknown), nullptr) << node.path;
    }
  }
}

TEST(Tables, ContainSevenKindsSortedByName) {
  std::vector<std::string_view> kinds;
  for (const Resource& resource : resources()) kinds.push_back(resource.kind);
  EXPECT_THAT(kinds,
              ElementsAre("DynamoCheckpoint", "DynamoComponentDeployment", "DynamoGraphDeployment",
                          "DynamoGraphDeploymentRequest", "DynamoGraphDeploymentScalingAdapter",
                          "DynamoModel", "DynamoWorkerMetadata"));
}

TEST(Tables, UseTheWebhooksKindNames) {
  for (const api::KindNames& kind : api::kKinds) {
    const Resource* resource = find_resource(kind.name);
    ASSERT_NE(resource, nullptr) << kind.name;
    EXPECT_EQ(resource->singular, kind.singular);
    EXPECT_EQ(resource->plural, std::string(kind.singular) + "s");
    EXPECT_EQ(resource->list_kind, std::string(kind.name) + "List");
    EXPECT_EQ(resource->short_name, kind.short_name);
    EXPECT_TRUE(resource->has_status);
  }
}

TEST(Tables, ContainTheWorkerMetadataKind) {
  const Resource* resource = find_resource("DynamoWorkerMetadata");
  ASSERT_NE(resource, nullptr);
  EXPECT_FALSE(resource->has_status);
  EXPECT_THAT(names(*resource->schema), ElementsAre("apiVersion", "kind", "metadata", "spec"));
}

TEST(Tables, LookUpKindsCaseSensitively) {
  EXPECT_NE(find_resource("DynamoModel"), nullptr);
  EXPECT_EQ(find_resource("dynamomodel"), nullptr);
  EXPECT_EQ(find_resource("DynamoModelList"), nullptr);
  EXPECT_EQ(find_resource(""), nullptr);
}

TEST(Tables, ContainBothVersionsOfLaterGeneration) {
  std::vector<std::string> found;
  for (const Resource& resource : later_resources()) {
    found.push_back(std::string(resource.short_name) + " " + std::string(resource.api_version));
  }
  EXPECT_THAT(
      found,
      ElementsAre("dckpt nvidia.com/v1alpha1", "dcd nvidia.com/v1alpha1", "dgd nvidia.com/v1alpha1",
                  "dgdr nvidia.com/v1alpha1", "dgdsa nvidia.com/v1alpha1", "dm nvidia.com/v1alpha1",
                  "dwm nvidia.com/v1alpha1", "dcd nvidia.com/v1beta1", "dgd nvidia.com/v1beta1",
                  "dgdr nvidia.com/v1beta1", "dgdsa nvidia.com/v1beta1"));
}

TEST(Tables, ChooseResourceByVersionAndGeneration) {
  constexpr std::string_view kGraph = "DynamoGraphDeployment";
  constexpr std::string_view kBeta = "nvidia.com/v1beta1";
  using enum api::OperatorGeneration;
  const Resource* const first = find_resource(kGraph);
  const Resource* const later = find_resource(kGraph, api::kApiVersion, kLater);
  const Resource* const beta = find_resource(kGraph, kBeta, kUnknown);
  EXPECT_EQ(find_resource(kGraph, api::kApiVersion, kUnknown), first);
  EXPECT_EQ(find_resource(kGraph, api::kApiVersion, kFirst), first);
  EXPECT_EQ(find_resource(kGraph, kBeta, kFirst), beta);
  ASSERT_TRUE(later != nullptr && beta != nullptr);
  EXPECT_NE(later, first);
  EXPECT_EQ(later->api_version, api::kApiVersion);
  EXPECT_EQ(beta->api_version, kBeta);
  EXPECT_EQ(find_resource("DynamoModel", kBeta, kLater), nullptr);
  EXPECT_EQ(find_resource(kGraph, "nvidia.com/v1", kLater), nullptr);
}

TEST(Tables, ShareTypesBetweenGenerations) {
  const auto later = [](std::string_view path) -> const Schema* {
    for (const Node& node : nodes_of(later_resources())) {
      if (node.path == path) return node.schema;
    }
    return nullptr;
  };
  EXPECT_EQ(later("dgd.spec.services{}.livenessProbe"), at("dgd.spec.services{}.livenessProbe"));
  EXPECT_EQ(later("dgd.spec.components[].podTemplate.spec.affinity"),
            at("dcd.spec.extraPodSpec.affinity"));
  EXPECT_EQ(later("dm.metadata"), at("dm.metadata"));
}

TEST(Tables, ListPropertiesOnceSortedByName) {
  for (const Node& node : all_nodes()) {
    const auto out_of_order = std::ranges::adjacent_find(node.schema->properties,
                                                         std::greater_equal<>(), &Property::name);
    EXPECT_EQ(out_of_order, node.schema->properties.end()) << node.path;
  }
}

TEST(Tables, HaveAtMost64PropertiesInOneObject) {
  for (const Node& node : all_nodes()) EXPECT_LE(node.schema->properties.size(), 64U) << node.path;
}

TEST(Tables, DefineElementsOfEveryArray) {
  for (const Node& node : all_nodes()) {
    if (node.schema->type == Type::kArray) {
      EXPECT_NE(node.schema->each, nullptr) << node.path;
    } else {
      EXPECT_EQ(node.schema->list_type, ListType::kAtomic) << node.path;
    }
    if (node.schema->type != Type::kObject) {
      EXPECT_THAT(node.schema->properties, IsEmpty()) << node.path;
    }
  }
}

TEST(Tables, OnlyKeyedListsHaveAlwaysPresentKeys) {
  for (const Node& node : all_nodes()) {
    EXPECT_EQ(node.schema->list_type == ListType::kMap, !node.schema->list_map_keys.empty())
        << node.path;
    for (const std::string_view key : node.schema->list_map_keys) {
      const Property* property = find(*node.schema->each, key);
      ASSERT_NE(property, nullptr) << node.path << " " << key;
      EXPECT_TRUE(property->required || !property->schema->default_value.empty())
          << node.path << " " << key;
    }
  }
}

TEST(Tables, ShareOneSchemaForOneType) {
  EXPECT_EQ(at("dgd.spec.envs[]"), at("dcd.spec.envs[]"));
  EXPECT_EQ(at("dgd.spec.services{}.livenessProbe"), at("dcd.spec.readinessProbe"));
  EXPECT_EQ(at("dckpt.spec.identity"), at("dgd.spec.services{}.checkpoint.identity"));
  EXPECT_EQ(at("dgd.metadata"), at("dwm.metadata"));
}

TEST(Tables, ContainTheSchemaOfMetadata) {
  const Schema* metadata = at("dm.metadata");
  ASSERT_NE(metadata, nullptr);
  EXPECT_THAT(names(*metadata),
              ElementsAre("annotations", "creationTimestamp", "deletionGracePeriodSeconds",
                          "deletionTimestamp", "finalizers", "generateName", "generation", "labels",
                          "managedFields", "name", "namespace", "ownerReferences",
                          "resourceVersion", "selfLink", "uid"));
  for (const Property& property : metadata->properties) {
    EXPECT_TRUE(property.schema->nullable) << property.name;
  }
  EXPECT_THAT(required(*at("dm.metadata.ownerReferences[]")),
              ElementsAre("apiVersion", "kind", "name", "uid"));
  EXPECT_TRUE(at("dm.metadata.managedFields[].fieldsV1")->preserve_unknown);
}

TEST(Tables, RequireASpecOfEveryKind) {
  for (const Resource& resource : resources()) {
    EXPECT_THAT(required(*resource.schema), ElementsAre("spec")) << resource.kind;
  }
}

TEST(Tables, StoreDefaultsAsJson) {
  EXPECT_EQ(at("dm.spec.modelType")->default_value, "\"base\"");
  EXPECT_EQ(at("dgd.spec.services{}.multinode.nodeCount")->default_value, "2");
  EXPECT_EQ(at("dgdr.spec.autoApply")->default_value, "false");
  EXPECT_EQ(at("dgd.spec.services{}.extraPodSpec.imagePullSecrets[].name")->default_value, "\"\"");
  EXPECT_EQ(at("dgd.spec.services{}.replicas")->default_value, "");
}

TEST(Tables, ContainEnumsAndBounds) {
  EXPECT_THAT(at("dm.spec.modelType")->limits->enumeration, ElementsAre("base", "lora", "adapter"));
  EXPECT_THAT(at("dgd.spec.services")->limits->max_properties, Optional(25U));
  EXPECT_THAT(at("dgd.spec.pvcs")->limits->max_items, Optional(100U));
  EXPECT_THAT(at("dgd.spec.restart.id")->limits->min_length, Optional(1U));
  EXPECT_THAT(at("dgd.spec.services{}.multinode.nodeCount")->limits->minimum, Optional(2.0));
  EXPECT_EQ(at("dgd.spec.services{}.componentType")->limits, nullptr);
}

TEST(Tables, ContainFormatsAndQuantities) {
  EXPECT_EQ(at("dgd.spec.services{}.replicas")->format, Format::kInt32);
  EXPECT_EQ(at("dckpt.spec.job.activeDeadlineSeconds")->format, Format::kInt64);
  EXPECT_EQ(at("dckpt.status.createdAt")->format, Format::kDateTime);
  EXPECT_EQ(at("dgd.spec.pvcs[].size")->type, Type::kIntOrString);
  EXPECT_TRUE(at("dgd.spec.pvcs[].size")->limits->pattern.starts_with("^(\\+|-)?"));
  EXPECT_EQ(at("dcd.spec.livenessProbe.httpGet.port")->type, Type::kIntOrString);
  EXPECT_EQ(at("dcd.spec.livenessProbe.httpGet.port")->limits, nullptr);
}

TEST(Tables, ContainTheCelRules) {
  std::vector<std::string> found;
  for (const Node& node : first_nodes()) {
    for (const Validation& validation : node.schema->validations) {
      found.push_back(node.path + " " + std::to_string(static_cast<int>(validation.rule)));
      EXPECT_THAT(validation.message, testing::HasSubstr("must")) << node.path;
    }
  }
  const auto rule = [](CelRule each) { return " " + std::to_string(static_cast<int>(each)); };
  EXPECT_THAT(found,
              ElementsAre("dckpt" + rule(CelRule::kIdentityUnchanged),
                          "dcd.spec.checkpoint" + rule(CelRule::kCheckpointSource),
                          "dgd.spec.pvcs[]" + rule(CelRule::kClaimCreation),
                          "dgd.spec.services{}.checkpoint" + rule(CelRule::kCheckpointSource)));
}

TEST(Tables, PreserveExternallyDefinedObjects) {
  std::vector<std::string> open;
  for (const Node& node : first_nodes()) {
    if (node.schema->preserve_unknown && !node.path.ends_with(".fieldsV1")) {
      open.push_back(node.path);
    }
  }
  EXPECT_THAT(open, ElementsAre("dcd.spec.eppConfig.config",
                                "dcd.spec.eppConfig.config.plugins[].parameters",
                                "dgd.spec.services{}.eppConfig.config",
                                "dgd.spec.services{}.eppConfig.config.plugins[].parameters",
                                "dgdr.spec.profilingConfig.config",
                                "dgdr.status.generatedDeployment", "dwm.spec.data"));
}

}  // namespace
}  // namespace dynamo::schema
