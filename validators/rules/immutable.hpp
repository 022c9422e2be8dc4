// What all rules about fields that never change have in common.
#pragma once

#include <string_view>

#include "api/field_path.hpp"
#include "validators/report.hpp"

namespace dynamo::validators {

// Refuses a changed value, with a warning beside the error: clients that print only the first line
// of an error still show warnings. Absent and empty are equal.
void require_unchanged(std::string_view before, std::string_view now, const api::FieldPath& path,
                       Report& report);

}  // namespace dynamo::validators
