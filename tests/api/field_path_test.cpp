#include "api/field_path.hpp"

#include <gtest/gtest.h>

#include <string>

namespace dynamo::api {
namespace {

TEST(FieldPath, RendersNamesIndicesAndKeysLikeKubernetes) {
  EXPECT_EQ(FieldPath("spec").render(), "spec");
  EXPECT_EQ(FieldPath("spec").child("services").render(), "spec.services");
  EXPECT_EQ(FieldPath("spec").child("pvcs").index(0).child("name").render(), "spec.pvcs[0].name");
  EXPECT_EQ(FieldPath("spec").child("services").key("Decode").child("replicas").render(),
            "spec.services[Decode].replicas");
  EXPECT_EQ(FieldPath("a").index(0).index(10).render(), "a[0][10]");
}

TEST(FieldPath, KeepsTheCharactersOfAKey) {
  EXPECT_EQ(FieldPath("metadata").child("annotations").key("nvidia.com/a.b-c").render(),
            "metadata.annotations[nvidia.com/a.b-c]");
  EXPECT_EQ(FieldPath("m").key("").render(), "m[]");
  EXPECT_EQ(FieldPath("m").key("ä~/").render(), "m[ä~/]");
}

TEST(FieldPath, SupportsSeveralChildPaths) {
  const FieldPath parent = FieldPath("spec");
  const FieldPath services = parent.child("services");
  EXPECT_EQ(services.key("A").render(), "spec.services[A]");
  EXPECT_EQ(services.key("B").render(), "spec.services[B]");
  EXPECT_EQ(parent.render(), "spec");
}

// Every error about a service contains its name.
TEST(FieldPath, CutsKeysLongerThanAnyKubernetesName) {
  const std::string longest(kLongestKey, 'k');
  EXPECT_EQ(FieldPath("m").key(longest).render(), "m[" + longest + "]");
  EXPECT_EQ(FieldPath("m").key(longest + "k").render(), "m[" + longest + "…]");
  // Not within a character.
  const std::string cut = std::string(kLongestKey - 1, 'k');
  EXPECT_EQ(FieldPath("m").key(cut + "ä").render(), "m[" + cut + "…]");
}

TEST(FieldPath, ShowsControlCharactersOfAKeyAsSpaces) {
  EXPECT_EQ(FieldPath("m").key("a\nb\x1B[31m\x7F").render(), "m[a b [31m ]");
}

}  // namespace
}  // namespace dynamo::api
