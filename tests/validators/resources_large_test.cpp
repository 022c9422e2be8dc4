// Expensive resources and command lines: the time stays linear.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>

#include "json/parser.hpp"
#include "tests/support/findings.hpp"
#include "tests/support/processor_time.hpp"

namespace dynamo::test {
namespace {

constexpr int kMany = 100'000;
// The limits of rendering.
constexpr int kMaxResources = 256;
constexpr int kMaxArguments = 1024;
// Processor time in a debug build; anything quadratic takes minutes.
constexpr double kLongestSeconds = 2.0;

std::string repeated(const std::function<std::string(int)>& item, int count = kMany) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    if (i > 0) text += ',';
    text += item(i);
  }
  return text;
}

std::string graph(const std::string& service) {
  return R"({"metadata":{"name":"g"},"spec":{"services":{"W":{"componentType":"worker",)" +
         service + "}}}}";
}

// The number of findings of that rule; at most a hundred errors and a hundred warnings are kept.
std::ptrdiff_t count_in_time(std::string_view rule, const std::string& text) {
  const auto object = json::parse_copy(text);
  EXPECT_FALSE(object->error);
  api::ErrorList found;
  EXPECT_LT(processor_seconds(kLongestSeconds, [&] { found = evaluate_rules({}, object->root()); }),
            kLongestSeconds);
  return std::ranges::count(found.errors(), rule, &api::Error::rule) +
         std::ranges::count(found.warnings(), rule, &api::Warning::rule);
}

// Objects above the limits of rendering get only that finding, also in time.
void expect_too_much(const std::string& text, api::Kind kind = api::Kind::kGraphDeployment) {
  const auto object = json::parse_copy(text);
  EXPECT_FALSE(object->error);
  api::ErrorList found;
  EXPECT_LT(processor_seconds(kLongestSeconds,
                              [&] { found = evaluate_rules({.kind = kind}, object->root()); }),
            kLongestSeconds);
  EXPECT_EQ(std::ranges::count(found.errors(), "pod.too-much", &api::Error::rule), 1);
}

TEST(LargeResources, ManyResourcesAreValidatedInTime) {
  const auto entry = [](int i) { return "\"a/r" + std::to_string(i) + "\":\"1500m\""; };
  const auto text = [&](int count) {
    const std::string half = repeated(entry, count);
    return graph(R"("resources":{"limits":{"custom":{)" + half +
                 R"(}}},"extraPodSpec":{"mainContainer":{"image":"a",)"
                 R"("resources":{"requests":{)" +
                 half + "}}}}");
  };
  EXPECT_EQ(count_in_time("res.extended.rules", text(kMaxResources)), 100);
  expect_too_much(text(kMany / 2));
}

TEST(LargeResources, ManyClaimsAreValidatedInTime) {
  const auto claim = [](int i) { return R"({"name":"c)" + std::to_string(i) + "\"}"; };
  const auto text = [&](int count) {
    return graph(R"("resources":{"claims":[)" + repeated(claim, count) +
                 R"(]},"extraPodSpec":{"resourceClaims":[)" + repeated(claim) +
                 R"(],"mainContainer":{"image":"a"}})");
  };
  EXPECT_EQ(count_in_time("res.claims.unknown", text(kMaxResources)), 64);
  expect_too_much(text(kMany));
}

TEST(LargeCommandLines, ManyArgumentsAreReadInTime) {
  const auto text = [](int count) {
    return graph(
        R"("multinode":{"nodeCount":2},"resources":{"limits":{"gpu":"8"}},"extraPodSpec":{"mainContainer":{"image":"a",)"
        R"("command":["python3","-m","dynamo.vllm"],"args":[)" +
        repeated([](int) { return std::string(R"("-tp","16")"); }, count) + "]}}");
  };
  EXPECT_EQ(count_in_time("multinode.vllm.flag-form", text(kMaxArguments / 2)), 1);
  expect_too_much(text(kMany));
}

TEST(LargeCommandLines, MegabyteOfBracketsIsReadInTime) {
  std::string brackets;
  for (int i = 0; i < kMany; ++i) brackets += "$(A)$(";
  const std::string text = graph(
      R"("multinode":{"nodeCount":2},"resources":{"limits":{"gpu":"8"}},"extraPodSpec":{"mainContainer":{"image":"a",)"
      R"("command":["python3","-m","dynamo.sglang"],"args":[")" +
      brackets + R"("]}})");
  EXPECT_EQ(count_in_time("multinode.args.unquoted", text), 1);
}

}  // namespace
}  // namespace dynamo::test
