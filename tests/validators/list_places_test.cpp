// How elements of lists are known before and after an update.
#include "validators/list_places.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/parser.hpp"

namespace dynamo::validators {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(ListPlaces, AreAllThatPathsMayDifferIn) {
  EXPECT_TRUE(same_but_for_places("spec.a[0].b[1]", "spec.a[12].b[3]"));
  EXPECT_TRUE(same_but_for_places("spec", "spec"));
  EXPECT_FALSE(same_but_for_places("spec.a[0].b", "spec.a[0].c"));
  EXPECT_FALSE(same_but_for_places("spec.a[0]", "spec.a[0].b"));
  EXPECT_FALSE(same_but_for_places("spec.a[0]", "spec.a"));
  EXPECT_FALSE(same_but_for_places("spec.a[x]", "spec.a[y]"));
  EXPECT_FALSE(same_but_for_places("spec.a[0]", "spec.a[x]"));
  EXPECT_FALSE(same_but_for_places("spec.a[x.y]", "spec.a[x.z]"));
}

TEST(ListPlaces, AreCalledByTheNamesOfTheirElements) {
  const auto object = json::parse_copy(
      R"({"list":[{"name":"a","args":["x","y"]},{"name":"b"},{}],"map":{"7":{"name":"n"},"k.l":1}})");
  const json::Value root = object->root();
  EXPECT_THAT(names_on_the_way("list[0].args[1]", root), ElementsAre("a", ""));
  EXPECT_THAT(names_on_the_way("list[1]", root), ElementsAre("b"));
  EXPECT_THAT(names_on_the_way("list[2].deep[3]", root), ElementsAre("", ""));
  EXPECT_THAT(names_on_the_way("list[9]", root), ElementsAre(""));
  EXPECT_THAT(names_on_the_way("list[99999999999999999999]", root), ElementsAre(""));
  EXPECT_THAT(names_on_the_way("map[7]", root), ElementsAre("7"));
  EXPECT_THAT(names_on_the_way("map[k.l].list", root), IsEmpty());
  EXPECT_THAT(names_on_the_way("list[", root), IsEmpty());
  EXPECT_THAT(names_on_the_way("", root), IsEmpty());
}

TEST(ListPlaces, KnowAnElementThatGotAnotherName) {
  const auto renamed = [](const char* now, const char* before) {
    return only_renamed("l[0].x", json::parse_copy(now)->root(), json::parse_copy(before)->root());
  };
  EXPECT_TRUE(renamed(R"({"l":[{"name":"b"}]})", R"({"l":[{"name":"a"}]})"));
  EXPECT_TRUE(renamed(R"({"l":[{"name":"b"}]})", R"({"l":[{}]})"));
  EXPECT_TRUE(renamed(R"({"l":[{}]})", R"({"l":[{"name":"a"}]})"));
  EXPECT_TRUE(renamed(R"({"l":[{"name":"a"}]})", R"({"l":[{"name":"a"}]})"));
  EXPECT_FALSE(renamed(R"({"l":[{"name":"b"},{"name":"a"}]})", R"({"l":[{"name":"a"}]})"))
      << "the old one is still there";
  EXPECT_FALSE(renamed(R"({"l":[{"name":"b"}]})", R"({"l":[{"name":"a"},{"name":"b"}]})"))
      << "the new one was there";
}

}  // namespace
}  // namespace dynamo::validators
