// The common part of all rules on immutable fields.
#pragma once

#include <string_view>

#include "api/error_list.hpp"
#include "api/field_path.hpp"
#include "validators/report.hpp"

namespace dynamo::validators {

// Refuses a changed value. Adds a warning to the error, because clients that print only the first
// line of an error still show warnings. Absent and empty are equal.
void require_unchanged(std::string_view before, std::string_view now, const api::FieldPath& path,
                       Report& report, api::ErrorType type = api::ErrorType::kForbidden);

}  // namespace dynamo::validators
