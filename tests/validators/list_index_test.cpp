// How list elements are identified before and after an update.
#include "validators/list_index.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "json/parser.hpp"

namespace dynamo::validators {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

bool same_but_for_indexes(std::string_view one, std::string_view other) {
  std::string left;
  std::string right;
  append_without_indexes(left, one);
  append_without_indexes(right, other);
  return left == right;
}

std::vector<std::string_view> names_on_path(std::string_view field, json::Value object) {
  return ListIndex(object).names_on_path(field);
}

TEST(ListIndex, PathsMayDifferInListIndexesOnly) {
  EXPECT_TRUE(same_but_for_indexes("spec.a[0].b[1]", "spec.a[12].b[3]"));
  EXPECT_TRUE(same_but_for_indexes("spec", "spec"));
  EXPECT_FALSE(same_but_for_indexes("spec.a[0].b", "spec.a[0].c"));
  EXPECT_FALSE(same_but_for_indexes("spec.a[0]", "spec.a[0].b"));
  EXPECT_FALSE(same_but_for_indexes("spec.a[0]", "spec.a"));
  EXPECT_FALSE(same_but_for_indexes("spec.a[x]", "spec.a[y]"));
  EXPECT_FALSE(same_but_for_indexes("spec.a[0]", "spec.a[x]"));
  EXPECT_FALSE(same_but_for_indexes("spec.a[x.y]", "spec.a[x.z]"));
}

TEST(ListIndex, ElementsAreIdentifiedByName) {
  const auto object = json::parse_copy(
      R"({"list":[{"name":"a","args":["x","y"]},{"name":"b"},{}],"map":{"7":{"name":"n"},"k.l":1}})");
  const json::Value root = object->root();
  EXPECT_THAT(names_on_path("list[0].args[1]", root), ElementsAre("a", ""));
  EXPECT_THAT(names_on_path("list[1]", root), ElementsAre("b"));
  EXPECT_THAT(names_on_path("list[2].deep[3]", root), ElementsAre("", ""));
  EXPECT_THAT(names_on_path("list[9]", root), ElementsAre(""));
  EXPECT_THAT(names_on_path("list[99999999999999999999]", root), ElementsAre(""));
  EXPECT_THAT(names_on_path("map[7]", root), ElementsAre("7"));
  EXPECT_THAT(names_on_path("map[k.l].list", root), IsEmpty());
  EXPECT_THAT(names_on_path("list[", root), IsEmpty());
  EXPECT_THAT(names_on_path("", root), IsEmpty());
}

TEST(ListIndex, RenamedElementIsRecognised) {
  const auto renamed = [](const char* now, const char* before) {
    const auto after = json::parse_copy(now);
    const auto old = json::parse_copy(before);
    ListIndex now_index(after->root());
    ListIndex before_index(old->root());
    return is_only_renamed("l[0].x", now_index, before_index);
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

// Index and linear search return the same.
TEST(ListIndex, IndexAndLinearSearchAgree) {
  for (const int size : {3, 16, 17, 500}) {
    std::string list;
    std::string map;
    for (int i = 0; i < size; ++i) {
      const std::string number = std::to_string(i);
      list += (i == 0 ? "" : ",") + (R"({"name":"n)" + number) + "\"}";
      map += (i == 0 ? "\"" : ",\"") + number + R"(":{"name":"m"})";
    }
    const auto object = json::parse_copy(R"({"l":[)" + list + R"(],"m":{)" + map + "}}");
    ListIndex index(object->root());
    EXPECT_THAT(index.names_on_path("l[2].x"), ElementsAre("n2")) << size;
    EXPECT_THAT(index.names_on_path("l[" + std::to_string(size) + "]"), ElementsAre(""));
    EXPECT_THAT(index.names_on_path("m[1].l[0]"), ElementsAre("1", "")) << size;
    EXPECT_TRUE(index.has_name(object->root()["l"], "n1"));
    EXPECT_FALSE(index.has_name(object->root()["l"], "n"));
    EXPECT_FALSE(index.has_name(object->root()["m"], "m")) << "no list";
  }
}

}  // namespace
}  // namespace dynamo::validators
