// Expensive resources and command lines: the time stays linear.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "json/parser.hpp"
#include "tests/support/findings.hpp"
#include "tests/validators/large_objects.hpp"

namespace dynamo::test {
namespace {

// The limits of rendering.
constexpr int kMaxResources = 256;
constexpr int kMaxArguments = 1024;

std::string graph(const std::string& service) {
  return R"({"metadata":{"name":"g"},"spec":{"services":{"W":{"componentType":"worker",)" +
         service + "}}}}";
}

// The number of findings of that rule; at most a hundred errors and a hundred warnings are kept.
std::ptrdiff_t count_in_time(std::string_view rule, const std::string& text) {
  const auto object = json::parse_copy(text);
  EXPECT_FALSE(object->error);
  const api::ErrorList found = find_in_time([&] { return evaluate_rules({}, object->root()); });
  return std::ranges::count(found.errors(), rule, &api::Error::rule) +
         std::ranges::count(found.warnings(), rule, &api::Warning::rule);
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

TEST(LargeResources, HiddenAmountsAreReportedUpToLimit) {
  constexpr int kMaxHidden = 64;
  const auto entry = [](std::string_view amount) {
    return [amount](int i) {
      return "\"a/r" + std::to_string(i) + "\":\"" + std::string(amount) + '"';
    };
  };
  const auto text = [&](int count) {
    return graph(R"("resources":{"limits":{"custom":{)" + repeated(entry("1"), count) +
                 R"(}}},"extraPodSpec":{"mainContainer":{"image":"a","resources":{"limits":{)" +
                 repeated(entry("2"), count) + "}}}}");
  };
  EXPECT_EQ(count_in_time("res.request-exceeds-limit", text(kMaxHidden)), kMaxHidden);
  EXPECT_EQ(count_in_time("res.request-exceeds-limit", text(kMaxHidden + 1)), 0);
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
