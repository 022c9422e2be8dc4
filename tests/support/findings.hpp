// What rules say of an object, in a form that tests compare and print: type, field and rule id,
// without the wording.
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

// An error: which kind, where, by which rule.
struct Finding {
  api::ErrorType type = api::ErrorType::kInvalid;
  std::string field = {};
  std::string rule = {};
  bool operator==(const Finding&) const = default;
};

// A warning, or an error whose type does not matter: where, by which rule.
struct Place {
  std::string field = {};
  std::string rule = {};
  auto operator<=>(const Place&) const = default;
};

// For GoogleTest's messages.
std::ostream& operator<<(std::ostream& out, const Finding& finding);
std::ostream& operator<<(std::ostream& out, const Place& place);

// In the order in which they were said.
std::vector<Finding> errors_of(const api::ErrorList& list);
std::vector<Place> warnings_of(const api::ErrorList& list);
std::vector<Place> places_of(const api::ErrorList& list);

// Who asks about what. An update when there is an old object.
struct Judging {
  api::Kind kind = api::Kind::kGraphDeployment;
  std::optional<std::string_view> user = "jane@example.com";
  api::Settings settings = {};
  api::ClusterFacts facts = {.inference_pool_served = api::Fact::kYes};
  api::Parameters parameters = {};               // of a policy
  std::string_view switched_on = {};             // a rule that warns if the catalogue has it off
  const api::ClusterObjects* objects = nullptr;  // null: nobody looks names up
};

// Runs the whole catalogue of rules over the object.
api::ErrorList judge(const Judging& judging, json::Value object, json::Value old = {});

}  // namespace dynamo::test
