// How elements of lists are known before and after an update.
#include "validators/list_places.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string_view>

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
  PathWalk walk(object->root());
  const auto names_of = [&](std::string_view field) { return names_on_the_way(field, walk); };
  EXPECT_THAT(names_of("list[0].args[1]"), ElementsAre("a", ""));
  EXPECT_THAT(names_of("list[1]"), ElementsAre("b"));
  EXPECT_THAT(names_of("list[2].deep[3]"), ElementsAre("", ""));
  EXPECT_THAT(names_of("list[9]"), ElementsAre(""));
  EXPECT_THAT(names_of("list[99999999999999999999]"), ElementsAre(""));
  EXPECT_THAT(names_of("map[7]"), ElementsAre("7"));
  EXPECT_THAT(names_of("map[k.l].list"), IsEmpty());
  EXPECT_THAT(names_of("list["), IsEmpty());
  EXPECT_THAT(names_of(""), IsEmpty());
}

TEST(ListPlaces, AreFoundInAnyOrderOfThePaths) {
  const auto object = json::parse_copy(
      R"({"a":[{"name":"a0","b":[{"name":"b0"},{"name":"b1"}]},{"name":"a1","b":[{"name":"c0"}]}]})");
  PathWalk walk(object->root());
  EXPECT_THAT(names_on_the_way("a[1].b[0]", walk), ElementsAre("a1", "c0"));
  EXPECT_THAT(names_on_the_way("a[0].b[1]", walk), ElementsAre("a0", "b1"));
  EXPECT_THAT(names_on_the_way("a[0].b[0]", walk), ElementsAre("a0", "b0"));
  EXPECT_THAT(names_on_the_way("a[1].b[1]", walk), ElementsAre("a1", ""));
  EXPECT_THAT(names_on_the_way("a[0].b[1]", walk), ElementsAre("a0", "b1"));
}

TEST(ListPlaces, HaveOneHashWhereTheyAreAllThatPathsDifferIn) {
  EXPECT_EQ(hash_but_for_places("spec.a[0].b[1]"), hash_but_for_places("spec.a[12].b[3]"));
  EXPECT_NE(hash_but_for_places("spec.a[0].b"), hash_but_for_places("spec.a[0].c"));
  EXPECT_NE(hash_but_for_places("spec.a[x]"), hash_but_for_places("spec.a[y]"));
}

TEST(ListPlaces, KnowAnElementThatGotAnotherName) {
  const auto renamed = [](const char* now, const char* before) {
    const auto now_object = json::parse_copy(now);
    const auto before_object = json::parse_copy(before);
    PathWalk walk_now(now_object->root());
    PathWalk walk_before(before_object->root());
    return only_renamed("l[0].x", walk_now, walk_before);
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
