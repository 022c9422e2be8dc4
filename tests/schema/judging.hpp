// Helpers of the schema's tests: hand-made tables and objects, and findings in a form to compare.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/error_list.hpp"
#include "schema/table.hpp"
#include "tests/support/findings.hpp"

namespace dynamo::test {

// What validate_value() says of a value, and of an update of `old`; both are YAML. In the order of
// the fields.
std::vector<Finding> judge_value(const schema::Schema& schema, std::string_view value,
                                 std::string_view old = {});

// What validate() says of an object of the kind, whole YAML texts.
std::vector<Finding> judge_object(std::string_view kind, std::string_view object,
                                  std::string_view old = {});
// The same, with the texts that people read.
api::ErrorList findings_of(std::string_view kind, std::string_view object,
                           std::string_view old = {});

// An object of the kind with this spec (flow YAML), that lacks nothing else.
std::string object_of(std::string_view kind, std::string_view spec);

// What validate() says of such an object.
std::vector<Finding> judge_spec(std::string_view kind, std::string_view spec,
                                std::string_view old_spec = {});

// The details of the findings, in the same order.
std::vector<std::string> details_of(const api::ErrorList& findings);

// complete_value() and complete(), from YAML to JSON text.
std::string completed_value(const schema::Schema& schema, std::string_view value);
std::string completed_object(std::string_view kind, std::string_view object,
                             std::string_view old = {});

}  // namespace dynamo::test
