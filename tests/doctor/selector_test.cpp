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

TEST(Selector, WantsEveryLabel) {
  EXPECT_TRUE(selects(R"({"matchLabels":{"a":"1","b":""}})", kLabels));
  EXPECT_FALSE(selects(R"({"matchLabels":{"a":"1","b":"2"}})", kLabels));
  EXPECT_FALSE(selects(R"({"matchLabels":{"c":""}})", kLabels));
}

TEST(Selector, KnowsTheFourOperators) {
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

}  // namespace
}  // namespace dynamo::doctor
