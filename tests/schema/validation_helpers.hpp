// Helpers of the schema tests: hand-written tables and objects, and comparable findings.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/error_list.hpp"
#include "schema/table.hpp"
#include "tests/support/findings.hpp"

namespace dynamo::test {

// The findings of validate_value() for a value, and for an update of `old`; both are YAML. In field
// order.
std::vector<Finding> findings_of_value(const schema::Schema& schema, std::string_view value,
                                       std::string_view old = {});

// The findings of validate() for an object of the kind, both complete YAML texts.
std::vector<Finding> validate_object(std::string_view kind, std::string_view object,
                                     std::string_view old = {});
// The same, with messages for users.
api::ErrorList findings_of(std::string_view kind, std::string_view object,
                           std::string_view old = {});

// A complete object of the kind with this spec (flow YAML).
std::string object_of(std::string_view kind, std::string_view spec);

// The findings of validate() for such an object.
std::vector<Finding> validate_spec(std::string_view kind, std::string_view spec,
                                   std::string_view old_spec = {});

// The same with the later generation's schema of this version ("v1beta1").
std::vector<Finding> validate_later_spec(std::string_view kind, std::string_view version,
                                         std::string_view spec, std::string_view old_spec = {});

// The details of the findings, in the same order.
std::vector<std::string> details_of(const api::ErrorList& findings);

// complete_value() and complete(), from YAML to JSON text.
std::string completed_value(const schema::Schema& schema, std::string_view value);
std::string completed_object(std::string_view kind, std::string_view object,
                             std::string_view old = {});

// complete() of a new object with this spec, by the later generation's schema of this version.
std::string completed_later_spec(std::string_view kind, std::string_view version,
                                 std::string_view spec);

}  // namespace dynamo::test
