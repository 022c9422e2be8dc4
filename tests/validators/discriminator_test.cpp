// How the ratchet recognises a finding of the old object: by rule, field and discriminator, not by
// its wording.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "json/parser.hpp"
#include "tests/support/findings.hpp"
#include "validators/ratchet.hpp"

namespace dynamo::validators {
namespace {

constexpr auto kType = api::ErrorType::kInvalid;

struct ReportedFinding {
  std::string_view field;
  std::string_view detail;
  FindingOrigin origin;
};

FindingOrigin origin_here(std::source_location where = std::source_location::current()) {
  return {where};
}

FindingOrigin origin_of(std::initializer_list<std::string_view> values) {
  return {{}, about(values)};
}

// Whether each finding of `now` is excused by one of `before`.
std::vector<bool> excused(std::string_view now, const std::vector<ReportedFinding>& found,
                          std::string_view before, const std::vector<ReportedFinding>& known) {
  const auto object = json::parse_copy(now);
  const auto old = json::parse_copy(before);
  ObjectUpdate update(object->root(), old->root());
  RatchetComparison comparison(update);
  for (const ReportedFinding& each : found)
    comparison.add_new(kType, each.field, each.detail, each.origin);
  for (const ReportedFinding& each : known)
    comparison.add_old(kType, each.field, each.detail, each.origin);
  return comparison.excused();
}

using ExcusedFlags = std::vector<bool>;

TEST(Discriminator, FindingsAreIdentifiedRegardlessOfWording) {
  constexpr std::string_view kObject = R"({"spec":{"args":["a","b"]}})";
  const ReportedFinding before{"spec.args", "must not hold \"a\", one of 7", origin_of({"a"})};
  const ReportedFinding again{"spec.args", "must not hold \"a\", one of 9", origin_of({"a"})};
  const ReportedFinding other{"spec.args", "must not hold \"a\", one of 7", origin_of({"b"})};
  EXPECT_EQ(excused(kObject, {again}, kObject, {before}), ExcusedFlags{true});
  EXPECT_EQ(excused(kObject, {other}, kObject, {before}), ExcusedFlags{false});
  EXPECT_EQ(excused(kObject, {other, again}, kObject, {before}), (ExcusedFlags{false, true}));
}

TEST(Discriminator, DependsOnOrderAndBoundariesOfValues) {
  EXPECT_EQ(about({"a", "b"}).hash, about({"a", "b"}).hash);
  EXPECT_NE(about({"a", "b"}).hash, about({"b", "a"}).hash);
  EXPECT_NE(about({"ab"}).hash, about({"a", "b"}).hash);
  EXPECT_NE(about({""}).hash, about({}).hash);
}

TEST(Discriminator, DefaultsToWholeValueAtField) {
  const FindingOrigin here = origin_here();
  const auto object = [](std::string_view value) {
    return R"({"spec":{"uri":)" + std::string(value) + "}}";
  };
  const ReportedFinding known{"spec.uri", "must begin with s3://", here};
  const ReportedFinding reworded{"spec.uri", "must begin with s3:// or hf://", here};
  for (const std::string_view value : {R"("x")", "1", "1.5", "true", R"("")"}) {
    EXPECT_EQ(excused(object(value), {reworded}, object(value), {known}), ExcusedFlags{true})
        << value;
    EXPECT_EQ(excused(object(value), {known}, object(R"("other")"), {known}), ExcusedFlags{false})
        << value << ": the words are the same, the value is not";
  }
  EXPECT_EQ(excused(object("1"), {known}, object(R"("1")"), {known}), ExcusedFlags{false});
}

TEST(Discriminator, DefaultIncludesSourceLocation) {
  constexpr std::string_view kObject = R"({"spec":{"name":"x"}})";
  const FindingOrigin here = origin_here();
  const FindingOrigin there = origin_here();
  EXPECT_EQ(excused(kObject, {{"spec.name", "a", there}}, kObject, {{"spec.name", "a", here}}),
            ExcusedFlags{false});
  EXPECT_EQ(excused(kObject, {{"spec.name", "a", here}, {"spec.name", "b", there}}, kObject,
                    {{"spec.name", "b", there}}),
            (ExcusedFlags{false, true}));
}

// A list or an absent field has no scalar value, so the rule must identify the part.
TEST(Discriminator, DefaultsToSourceLocationWithoutScalarValue) {
  constexpr std::string_view kObject = R"({"spec":{"args":["a"]}})";
  const FindingOrigin here = origin_here();
  for (const std::string_view field : {"spec.args", "spec.absent"}) {
    EXPECT_EQ(excused(kObject, {{field, "no \"a\"", here}}, kObject, {{field, "no \"a\"", here}}),
              ExcusedFlags{true});
    EXPECT_EQ(excused(kObject, {{field, "no \"b\"", here}}, kObject, {{field, "no \"a\"", here}}),
              ExcusedFlags{true});
    EXPECT_EQ(excused(kObject, {{field, "no \"a\"", origin_here()}}, kObject,
                      {{field, "no \"a\"", here}}),
              ExcusedFlags{false});
    EXPECT_EQ(excused(kObject, {{field, "no \"a\"", here}, {field, "no \"b\"", here}}, kObject,
                      {{field, "no \"a\"", here}}),
              (ExcusedFlags{true, false}))
        << "how many there were counts";
  }
}

// For several findings at one field with one value the wording decides which one is excused, so
// that the right one is shown. Their number counts.
TEST(Discriminator, EqualWordingIsExcusedFirst) {
  constexpr std::string_view kObject = R"({"spec":{"name":"x"}})";
  const FindingOrigin here = origin_here();
  const ReportedFinding first{"spec.name", "first", here};
  const ReportedFinding second{"spec.name", "second", here};
  EXPECT_EQ(excused(kObject, {first, second}, kObject, {second}), (ExcusedFlags{false, true}));
  EXPECT_EQ(excused(kObject, {second, first}, kObject, {second}), (ExcusedFlags{true, false}));
}

// The rule checks the scheme: another adapter with the same scheme is allowed.
TEST(Discriminator, LoraSourceIsIdentifiedByScheme) {
  const std::vector<std::string> allowed{"s3"};
  test::EvaluationInputs inputs{.kind = api::Kind::kModel};
  inputs.parameters.allowed_lora_schemes = allowed;
  const auto refused = [&](std::string_view uri, std::string_view before) {
    const auto of = [](std::string_view each) {
      return json::parse_copy(
          R"({"metadata":{"name":"m"},"spec":{"modelName":"m","baseModelName":"b","modelType":"lora",)"
          R"("source":{"uri":")" +
          std::string(each) + R"("}}})");
    };
    const auto object = of(uri);
    const auto old = of(before);
    std::size_t count = 0;
    const auto errors = test::errors_of(test::evaluate_rules(inputs, object->root(), old->root()));
    for (const test::Finding& error : errors) count += error.rule == "policy.lora-scheme" ? 1 : 0;
    return count;
  };
  EXPECT_EQ(refused("hf://team/a", "hf://team/a"), 0U);
  EXPECT_EQ(refused("hf://team/b", "hf://team/a"), 0U);
  EXPECT_EQ(refused("gs://team/a", "hf://team/a"), 1U);
  EXPECT_EQ(refused("a b://team", "c d://team"), 1U) << "of neither the message shows anything";
  EXPECT_EQ(refused("s3://team/b", "hf://team/a"), 0U);
}

}  // namespace
}  // namespace dynamo::validators
