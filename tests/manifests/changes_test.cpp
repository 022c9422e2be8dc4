// When a live object is a superset of the desired one, and how differences are reported.
#include "manifests/changes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "json/parser.hpp"
#include "json/steps.hpp"

namespace dynamo::render {
namespace {

struct Row {
  std::string_view live;
  std::string_view wanted;
  bool expected;
};

TEST(Covers, IgnoresAdditionsOfOtherWriters) {
  constexpr Row kRows[] = {
      {R"({"a":1})", R"({"a":1})", true},
      {R"({"a":1,"b":2})", R"({"a":1})", true},
      {R"({"b":2})", R"({"a":1})", false},
      {R"({"a":2})", R"({"a":1})", false},
      // The API omits empty values, except numbers whose zero is significant.
      {R"({})", R"({"a":"","b":false,"c":0,"d":{},"e":[],"f":{"g":""}})", true},
      {R"({})", R"({"replicas":0})", false},
      {R"({})", R"({"a":true})", false},
      {R"({})", R"({"a":[0]})", false},
      // Lists with keys may have more elements, in any order; other lists must be equal.
      {R"({"env":[{"name":"b"},{"name":"a","value":"1"}]})",
       R"({"env":[{"name":"a","value":"1"}]})", true},
      {R"({"env":[{"name":"b"}]})", R"({"env":[{"name":"a"}]})", false},
      {R"({"containers":[{"name":"a","image":"x"},{"name":"injected"}]})",
       R"({"containers":[{"name":"a","image":"x"}]})", true},
      {R"({"containers":[{"name":"a","image":"y"}]})",
       R"({"containers":[{"name":"a","image":"x"}]})", false},
      {R"({"args":["a","b"]})", R"({"args":["a","b"]})", true},
      {R"({"args":["a","b","c"]})", R"({"args":["a","b"]})", false},
      {R"({"args":["b","a"]})", R"({"args":["a","b"]})", false},
      {R"({"tolerations":[{"key":"a"},{"key":"b"}]})", R"({"tolerations":[{"key":"a"}]})", false},
      // Quantities are compared by value in quantity fields.
      {R"({"limits":{"cpu":"1","memory":"1Gi"}})",
       R"({"limits":{"cpu":"1000m","memory":"1024Mi"}})", true},
      {R"({"limits":{"cpu":"1"}})", R"({"limits":{"cpu":"2"}})", false},
      {R"({"emptyDir":{"sizeLimit":"8Gi"}})", R"({"emptyDir":{"sizeLimit":"8192Mi"}})", true},
      {R"({"args":["1"]})", R"({"args":["1000m"]})", false},
  };
  for (const Row& row : kRows) {
    const auto live = json::parse_copy(row.live);
    const auto wanted = json::parse_copy(row.wanted);
    EXPECT_EQ(is_superset(live->root(), wanted->root()), row.expected)
        << row.live << " " << row.wanted;
  }
}

std::string describe_changes(std::string_view before, std::string_view after,
                             std::size_t most = 5) {
  const auto left = json::parse_copy(before);
  const auto right = json::parse_copy(after);
  return wording_of(changes(left->root(), right->root(), most));
}

// Another writer inserts any number of entries before ours.
TEST(Covers, StepsAreProportionalToBothLists) {
  if (!json::kCountsSteps) GTEST_SKIP() << "steps are counted in debug builds";
  const auto list = [](int count, std::string_view name) {
    std::string text = R"({"env":[)";
    for (int i = 0; i < count; ++i) {
      if (i > 0) text += ',';
      text += R"({"name":")" + std::string(name) + std::to_string(i) + R"("})";
    }
    return text;
  };
  const auto steps = [&](int count) {
    const std::string ours = list(count, "ours");
    const auto wanted = json::parse_copy(ours + "]}");
    const auto live = json::parse_copy(list(count, "others") + "," + ours.substr(8) + "]}");
    const std::uint64_t start = json::counted_steps();
    EXPECT_TRUE(is_superset(live->root(), wanted->root()));
    EXPECT_EQ(changes(live->root(), wanted->root(), 5).size(), 5U);
    return json::counted_steps() - start;
  };
  EXPECT_LE(steps(1000), 5 * steps(500) / 2);
}

TEST(Changes, ReportPaths) {
  EXPECT_EQ(describe_changes(R"({"containers":[{"name":"main","image":"a:1"}]})",
                             R"({"containers":[{"name":"main","image":"b:2"}]})"),
            R"(containers[main].image is "b:2" and was "a:1")");
  EXPECT_EQ(describe_changes(R"({"replicas":1})", R"({"replicas":2})"), "replicas is 2 and was 1");
  EXPECT_EQ(describe_changes(R"({})", R"({"replicas":2})"), "replicas is 2 and was nothing");
  EXPECT_EQ(describe_changes(R"({"a":1,"b":{"c":1}})", R"({"a":1})"), "b is gone");
  EXPECT_EQ(
      describe_changes(R"({"env":[{"name":"A","value":"secret"}],"image":"a:1"})", R"({"env":[]})"),
      R"(env[A] is gone, image is nothing and was "a:1")");
  EXPECT_EQ(describe_changes(R"({"a":1})", R"({"a":1,"b":""})"), "");
  EXPECT_EQ(describe_changes(R"({"a":1,"b":1,"c":1})", R"({"a":2,"b":2,"c":2})", 2), "a, b");
}

// The value of a variable may be a secret.
TEST(Changes, NameTheCliqueOfSet) {
  const auto before = json::parse_copy(
      R"({"cliques":[{"name":"a","spec":{"replicas":1}},{"name":"b","spec":{"replicas":1}}]})");
  const auto after = json::parse_copy(
      R"({"cliques":[{"name":"b","spec":{"replicas":3}},{"name":"a","spec":{"replicas":1}}]})");
  EXPECT_EQ(wording_of(changes(before->root(), after->root(), 9)),
            "cliques[b].spec.replicas is 3 and was 1");
}

TEST(Changes, VariableValuesAreNotShown) {
  EXPECT_EQ(describe_changes(R"({"env":[{"name":"HF_TOKEN","value":"secret"}]})",
                             R"({"env":[{"name":"HF_TOKEN","value":"other"}]})"),
            "env[HF_TOKEN].value");
}

}  // namespace
}  // namespace dynamo::render
