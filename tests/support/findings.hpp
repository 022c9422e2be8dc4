// Findings of rules in a form that tests compare and print: type, field and rule id, without the
// message.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "api/context.hpp"
#include "api/error_list.hpp"
#include "json/document.hpp"

namespace dynamo::test {

// An error: its type, field and rule.
struct Finding {
  api::ErrorType type = api::ErrorType::kInvalid;
  std::string field = {};
  std::string rule = {};
  bool operator==(const Finding&) const = default;
};

// A warning, or an error whose type does not matter: its field and rule.
struct Place {
  std::string field = {};
  std::string rule = {};
  auto operator<=>(const Place&) const = default;
};

// For GoogleTest's messages.
std::ostream& operator<<(std::ostream& out, const Finding& finding);
std::ostream& operator<<(std::ostream& out, const Place& place);

// In the order in which they were reported.
std::vector<Finding> errors_of(const api::ErrorList& list);
std::vector<Place> warnings_of(const api::ErrorList& list);
std::vector<Place> places_of(const api::ErrorList& list);

// Inputs of an evaluation, except the object. With an old object it is an update.
struct EvaluationInputs {
  api::Kind kind = api::Kind::kGraphDeployment;
  std::optional<std::string_view> user = "jane@example.com";
  api::Settings settings = {};
  api::ClusterFacts facts = {.inference_pool_served = api::Fact::kYes};
  api::Parameters parameters = {};               // of a policy
  std::string_view switched_on = {};             // a rule that warns if the catalog has it disabled
  bool has_all_rules = false;                    // those that the catalog has disabled warn
  const api::ClusterObjects* objects = nullptr;  // null: no name lookups
};

// Evaluates all rules of the catalog on the object, except those of later operators. With facts of
// a later operator, pods are rendered from v1beta1 where the object can be converted.
api::ErrorList evaluate_rules(const EvaluationInputs& inputs, json::Value object,
                              json::Value old = {});

// Evaluates the rules of later operators. The object is what the client sent, in either version;
// the other version is converted from it. An object that cannot be converted exists in its own
// version only.
api::ErrorList evaluate_hub_rules(const EvaluationInputs& inputs, json::Value object,
                                  json::Value old = {});

}  // namespace dynamo::test
