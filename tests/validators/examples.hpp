// The examples in the texts about rules, and what is said of them.
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

// The documents of an example: one, or two of an update.
std::vector<json::Document> documents(std::string_view example);

std::optional<api::Kind> kind_of(json::Value object);

// What an example is judged with, as its comment lines say.
struct World {
  std::string_view user = "jane@example.com";
  api::Settings settings = {};
  api::ClusterFacts facts = {.inference_pool_served = api::Fact::kYes};
  admission::Policy policy = {};
  std::vector<test::KnownObject> objects = {};
};
World world_of(std::string_view example);

// What is said of an object, new or updated. A rule that is off is switched on for its own
// examples.
api::ErrorList judged(const Rule& rule, World world, json::Value object, json::Value old);

// What is said of an example of this rule, with the operator that the example names, or another.
api::ErrorList judged(const Rule& rule, std::string_view example,
                      std::optional<api::OperatorGeneration> generation = std::nullopt);

}  // namespace dynamo::validators
