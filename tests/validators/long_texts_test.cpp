// Every rule reports texts of a megabyte, with any operator, and repeats only a small part.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "json/parser.hpp"
#include "tests/support/json_tree.hpp"
#include "tests/validators/examples.hpp"

namespace dynamo::validators {
namespace {

constexpr std::size_t kProbe = 300;
constexpr std::size_t kLong = std::size_t{1} << 20U;
constexpr std::size_t kLongestMessage = 4096;

// A text, or the name of a member.
using Spot = std::string*;

void collect_spots(test::Tree& tree, std::vector<Spot>& spots) {
  if (tree.type == json::Type::kString) spots.push_back(&tree.text);
  for (std::size_t i = 0; i < tree.children.size(); ++i) {
    collect_spots(tree.children[i], spots);
    if (tree.is_object()) spots.push_back(&tree.names[i]);
  }
}

// The forms in which a text is made long, so that some rule still reports it.
using Form = std::string (*)(const std::string& text, std::size_t bytes);
constexpr Form kForms[] = {
    [](const std::string& text, std::size_t bytes) { return text + std::string(bytes, 'n'); },
    [](const std::string&, std::size_t bytes) { return std::string(bytes, 'n'); },
    [](const std::string& text, std::size_t bytes) { return text + " " + std::string(bytes, 'n'); },
    [](const std::string& text, std::size_t bytes) { return std::string(bytes, 'n') + text; },
};

// The wrong example of a rule, whose texts are made long.
class Example {
 public:
  Example(const Rule& rule, const RuleText& text) : rule_(rule), inputs_(inputs_of(text.wrong)) {
    std::vector<json::Document> objects = documents(text.wrong);
    now_ = test::Tree::of(objects.back().root());
    if (objects.size() == 1) return;
    old_ = json::parse_copy(test::Tree::of(objects.front().root()).to_text());
  }

  std::vector<Spot> spots() {
    std::vector<Spot> spots;
    collect_spots(now_, spots);
    return spots;
  }

  api::ErrorList evaluate(std::optional<api::OperatorGeneration> generation = std::nullopt) const {
    ExampleInputs inputs = inputs_;
    if (generation) inputs.facts.operator_generation = *generation;
    const auto object = json::parse_copy(now_.to_text());
    if (!kind_of(object->root())) return {};
    return evaluate_rule(rule_, std::move(inputs), object->root(),
                         old_ ? old_->root() : json::Value{});
  }

  // The messages of its own rule as one text.
  std::string own_words() const { return own_words(evaluate()); }
  std::string own_words(const api::ErrorList& found) const {
    std::string words;
    for (const api::Error& error : found.errors()) {
      if (error.rule == rule_.id) words += error.message() + '\n';
    }
    for (const api::Warning& warning : found.warnings()) {
      if (warning.rule == rule_.id) words += warning.message() + '\n';
    }
    return words;
  }

 private:
  const Rule& rule_;
  const ExampleInputs inputs_;
  test::Tree now_;
  std::unique_ptr<json::ParsedText> old_;
};

void expect_short(const api::ErrorList& found, std::string_view rule) {
  for (const api::Error& error : found.errors()) {
    EXPECT_LT(error.message().size(), kLongestMessage) << rule << ": " << error.rule;
  }
  for (const api::Warning& warning : found.warnings()) {
    EXPECT_LT(warning.message().size(), kLongestMessage) << rule << ": " << warning.rule;
  }
}

// Makes the text at a spot long and also evaluates it with another generation. Returns whether the
// rule reported it.
bool speaks_of_long_text(Example& example, Spot spot, Form form, std::string_view rule,
                         api::OperatorGeneration other) {
  const std::string text = *spot;
  *spot = form(text, kLong);
  const api::ErrorList found = example.evaluate();
  expect_short(found, rule);
  expect_short(example.evaluate(other), rule);
  *spot = text;
  return !example.own_words(found).empty();
}

// First tries the spots whose length changes the rule's message; if the rule reports none of them,
// tries the others.
bool speaks_of_a_long_text(Example& example, std::string_view rule, api::OperatorGeneration other) {
  const std::string before = example.own_words();
  std::vector<std::pair<Spot, Form>> rest;
  for (const Spot spot : example.spots()) {
    for (const Form form : kForms) {
      const std::string text = *spot;
      *spot = form(text, kProbe);
      const std::string words = example.own_words();
      *spot = text;
      if (words.empty()) continue;
      if (words == before) {
        rest.emplace_back(spot, form);
      } else if (speaks_of_long_text(example, spot, form, rule, other)) {
        return true;
      }
    }
  }
  return std::ranges::any_of(rest, [&](const auto& each) {
    return speaks_of_long_text(example, each.first, each.second, rule, other);
  });
}

TEST(LongTexts, EveryRuleReportsLongTextsBriefly) {
  using enum api::OperatorGeneration;
  constexpr std::array kGenerations = {kFirst, kUnknown, kLater};
  std::vector<std::string_view> silent;
  std::size_t number = 0;
  for (const RuleText* const text : all_texts()) {
    const Rule& rule = *find_rule(text->id);
    Example example(rule, *text);
    const api::OperatorGeneration other = kGenerations[number++ % kGenerations.size()];
    if (!speaks_of_a_long_text(example, rule.id, other)) silent.push_back(rule.id);
  }
  EXPECT_THAT(silent, testing::IsEmpty());
}

}  // namespace
}  // namespace dynamo::validators
