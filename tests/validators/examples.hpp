// The examples in the texts about rules, and the findings on them.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "admission/policy.hpp"
#include "api/context.hpp"
#include "api/error_list.hpp"
#include "json/document.hpp"
#include "tests/support/known_objects.hpp"
#include "validators/catalog.hpp"
#include "validators/texts.hpp"

namespace dynamo::validators {

std::vector<const RuleText*> all_texts();

std::vector<std::string_view> split(std::string_view text, std::string_view separator);

// The documents of an example: one, or two for an update.
std::vector<json::Document> documents(std::string_view example);

std::optional<api::Kind> kind_of(json::Value object);

// The inputs with which an example is evaluated, from its comment lines.
struct ExampleInputs {
  std::string_view user = "jane@example.com";
  api::Settings settings = {};
  api::ClusterFacts facts = {.inference_pool_served = api::Fact::kYes};
  admission::Policy policy = {};
  std::vector<test::KnownObject> objects = {};
};
ExampleInputs inputs_of(std::string_view example);

// The findings on a new or updated object: of the rules of later operators if `rule` is one of
// them, otherwise of all others. A rule that is off is enabled for its own examples.
api::ErrorList evaluate_rule(const Rule& rule, ExampleInputs inputs, json::Value object,
                             json::Value old);

// The findings on an example of this rule, with the example's operator or another one.
api::ErrorList evaluate_rule(const Rule& rule, std::string_view example,
                             std::optional<api::OperatorGeneration> generation = std::nullopt);

}  // namespace dynamo::validators
