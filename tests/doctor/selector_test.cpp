#include "doctor/selector.hpp"

#include <gtest/gtest.h>

#include "json/parser.hpp"

namespace dynamo::doctor {
namespace {

bool selects(std::string_view selector, std::string_view labels) {
  return doctor::selects(json::parse_copy(selector)->root(), json::parse_copy(labels)->root());
}

constexpr std::string_view kLabels = R"({"a":"1","b":""})";

TEST(Selector, SelectsEverythingWhenItIsAbsentOrEmpty) {
  EXPECT_TRUE(doctor::selects({}, {}));
  EXPECT_TRUE(selects("{}", kLabels));
}

TEST(Selector, RequiresEveryLabel) {
  EXPECT_TRUE(selects(R"({"matchLabels":{"a":"1","b":""}})", kLabels));
  EXPECT_FALSE(selects(R"({"matchLabels":{"a":"1","b":"2"}})", kLabels));
  EXPECT_FALSE(selects(R"({"matchLabels":{"c":""}})", kLabels));
}

TEST(Selector, SupportsAllFourOperators) {
  const auto one = [](std::string_view expression) {
    return selects(R"({"matchExpressions":[)" + std::string(expression) + "]}", kLabels);
  };
  EXPECT_TRUE(one(R"({"key":"a","operator":"In","values":["0","1"]})"));
  EXPECT_FALSE(one(R"({"key":"c","operator":"In","values":["0","1"]})"));
  EXPECT_FALSE(one(R"({"key":"a","operator":"NotIn","values":["1"]})"));
  EXPECT_TRUE(one(R"({"key":"c","operator":"NotIn","values":["1"]})"));
  EXPECT_TRUE(one(R"({"key":"b","operator":"Exists"})"));
  EXPECT_FALSE(one(R"({"key":"b","operator":"DoesNotExist"})"));
  EXPECT_TRUE(one(R"({"key":"c","operator":"DoesNotExist"})"));
  EXPECT_FALSE(one(R"({"key":"a","operator":"Near","values":["1"]})"));
}

TEST(Selector, IsDisjointWhenRequirementsConflict) {
  const auto excludes = [](std::string_view one, std::string_view other) {
    const auto a = json::parse_copy(one);
    const auto b = json::parse_copy(other);
    const bool forth = are_disjoint(a->root(), b->root());
    EXPECT_EQ(forth, are_disjoint(b->root(), a->root())) << one << other;
    return forth;
  };
  const auto expression = [](std::string_view key, std::string_view word, std::string_view values) {
    std::string text = R"({"matchExpressions":[{"key":"a","operator":"Exists"},{"key":")";
    (text += key) += R"(","operator":")";
    return ((text += word) += R"(","values":[)").append(values) + "]}]}";
  };
  constexpr std::string_view kOne = R"({"matchLabels":{"z":"0","k":"1"}})";
  EXPECT_TRUE(excludes(kOne, R"({"matchLabels":{"k":"2"}})"));
  EXPECT_TRUE(excludes(kOne, expression("k", "NotIn", R"("0","1")")));
  EXPECT_TRUE(excludes(kOne, expression("k", "In", R"("2","3")")));
  EXPECT_TRUE(excludes(kOne, expression("k", "DoesNotExist", "")));
  EXPECT_TRUE(excludes(expression("k", "Exists", ""), expression("k", "DoesNotExist", "")));
  EXPECT_TRUE(
      excludes(expression("k", "In", R"("1","2")"), expression("k", "NotIn", R"("2","1")")));

  EXPECT_FALSE(excludes("{}", "{}"));
  EXPECT_FALSE(excludes(kOne, "{}"));
  EXPECT_FALSE(excludes(kOne, kOne));
  EXPECT_FALSE(excludes(kOne, R"({"matchLabels":{"other":"2"}})"));
  EXPECT_FALSE(excludes(kOne, expression("k", "NotIn", R"("2")")));
  EXPECT_FALSE(excludes(kOne, expression("k", "In", R"("1","2")")));
  EXPECT_FALSE(excludes(kOne, expression("k", "Exists", "")));
  EXPECT_FALSE(excludes(expression("k", "In", R"("1","2")"), expression("k", "NotIn", R"("2")")));
  EXPECT_FALSE(excludes(expression("k", "NotIn", R"("1")"), expression("k", "NotIn", R"("2")")));
  EXPECT_FALSE(excludes(expression("k", "NotIn", R"("1")"), expression("k", "DoesNotExist", "")));
  EXPECT_FALSE(excludes(expression("k", "NotIn", R"("1")"), expression("k", "Exists", "")));
}

TEST(Selector, NamesNamespacesWhenEveryRequirementDoes) {
  const auto named = [](std::string_view selector) {
    const auto parsed = json::parse_copy(selector);
    std::string text;
    const auto names = named_namespaces(parsed->root());
    if (!names) return std::string("any");
    for (const std::string_view each : *names) (text += each) += ' ';
    return text;
  };
  constexpr std::string_view kLabel = "kubernetes.io/metadata.name";
  const auto expression = [kLabel](std::string_view word, std::string_view values) {
    std::string text = R"({"key":")";
    (text += kLabel) += R"(","operator":")";
    return ((text += word) += R"(","values":[)").append(values) + "]}";
  };
  const auto expressions = [](const std::string& all) {
    return R"({"matchExpressions":[)" + all + "]}";
  };
  EXPECT_EQ(named("{}"), "any");
  EXPECT_EQ(named(R"({"matchLabels":{"team":"a"}})"), "any");
  EXPECT_EQ(named(expressions(expression("NotIn", R"("a")"))), "any");
  EXPECT_EQ(named(expressions(expression("In", R"("a","b")"))), "a b ");
  EXPECT_EQ(named(R"({"matchLabels":{"kubernetes.io/metadata.name":"a"}})"), "a ");
  EXPECT_EQ(
      named(expressions(expression("In", R"("a","b")") + ',' + expression("In", R"("b","c")"))),
      "b ");
}

}  // namespace
}  // namespace dynamo::doctor
