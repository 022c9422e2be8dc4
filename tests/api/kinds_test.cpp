// Views of the kinds that do more than read a field.
#include <gtest/gtest.h>

#include <optional>

#include "api/kind.hpp"
#include "api/kinds/objects.hpp"
#include "tests/support/objects.hpp"

namespace dynamo::api {
namespace {

TEST(Operations, AreFoundByName) {
  EXPECT_EQ(parse_operation("CREATE"), Operation::kCreate);
  EXPECT_EQ(parse_operation("UPDATE"), Operation::kUpdate);
  EXPECT_EQ(parse_operation("DELETE"), Operation::kDelete);
  EXPECT_EQ(parse_operation("CONNECT"), Operation::kConnect);
  EXPECT_EQ(parse_operation("PATCH"), std::nullopt);
  EXPECT_EQ(parse_operation(""), std::nullopt);
}

TEST(Kinds, AreListedInEnumerationOrder) {
  for (std::size_t i = 0; i < kKindCount; ++i) {
    EXPECT_EQ(kKinds[i].kind, static_cast<Kind>(i));
    EXPECT_EQ(names(kKinds[i].kind).name, kKinds[i].name);
  }
}

TEST(ObjectMeta, FindsTheOwner) {
  const json::Document object = test::from_yaml(R"(
metadata:
  ownerReferences:
    - 7
    - {apiVersion: apps/v1, kind: Deployment}
    - {apiVersion: nvidia.com/v1alpha1, kind: DynamoGraphDeployment}
)");
  const ObjectMeta metadata = Object{object.root()}.metadata();
  EXPECT_TRUE(metadata.is_owned_by("DynamoGraphDeployment"));
  EXPECT_FALSE(metadata.is_owned_by("Deployment"));
  EXPECT_FALSE(metadata.is_owned_by("DynamoModel"));
}

TEST(ObjectMeta, ReportsRequestedDeletion) {
  const auto terminating = [](std::string_view metadata) {
    const json::Document object = test::from_yaml("{metadata: " + std::string(metadata) + "}");
    return Object{object.root()}.metadata().is_terminating();
  };
  EXPECT_TRUE(terminating("{deletionTimestamp: '2026-01-01T00:00:00Z'}"));
  EXPECT_FALSE(terminating("{deletionTimestamp: null}"));
  EXPECT_FALSE(terminating("{}"));
  EXPECT_FALSE(terminating("7"));
}

TEST(Views, ReadAbsentObjectsAsEmpty) {
  const GraphDeployment graph{json::Value{}};
  EXPECT_EQ(graph.backend_framework(), "");
  EXPECT_EQ(graph.services().size(), 0U);
  EXPECT_EQ(graph.metadata().name(), "");
  const Service service{json::Value{}};
  EXPECT_EQ(service.effective_replicas(), 1);
  EXPECT_EQ(service.node_count(), 1);
  EXPECT_FALSE(service.is_multinode());
  EXPECT_FALSE(service.is_scaling_adapter_enabled());
  EXPECT_FALSE(service.has_shared_memory());
  EXPECT_EQ(GraphDeploymentRequest{json::Value{}}.state(), "");
}

}  // namespace
}  // namespace dynamo::api
