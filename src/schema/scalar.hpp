// Validates one value, without its members or elements, against its schema.
#pragma once

#include <string>
#include <string_view>

#include "api/error_list.hpp"
#include "json/document.hpp"
#include "schema/table.hpp"

namespace dynamo::schema {

// Possible violations. The first one counts: the API server stops there too.
enum class ScalarProblem : unsigned char {
  kNone,
  kType,
  kEnum,
  kMinimum,
  kMaximum,
  kTooLong,
  kTooShort,
  kPattern,
  kFormat,
};

// Whether the JSON type is right, containers included. Precondition: value.exists().
inline bool has_type(const Schema& schema, json::Value value) {
  switch (schema.type) {
    case Type::kObject:
      return value.is_object();
    case Type::kArray:
      return value.is_array();
    case Type::kString:
      return value.is_string();
    case Type::kInteger:
      return value.is(json::Type::kInteger) || value.integer().has_value();
    case Type::kNumber:
      return value.number().has_value();
    case Type::kBoolean:
      return value.is(json::Type::kBoolean);
    case Type::kIntOrString:
      return value.is_string() || value.integer().has_value();
    case Type::kAny:
      return true;
  }
  return true;
}

// Allocates nothing. Only the type of containers is checked. Precondition: value.exists().
ScalarProblem check_scalar(const Schema& schema, json::Value value);

struct ProblemText {
  api::ErrorType type;
  std::string_view id;
  std::string detail;
};

// Precondition: check_scalar() returned this problem, and it is not kNone.
ProblemText describe_problem(ScalarProblem problem, const Schema& schema, json::Value value);

}  // namespace dynamo::schema
