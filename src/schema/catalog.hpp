// Catalog of schema checks: ids and texts for documentation, `explain` and `rules`.
#pragma once

#include <span>
#include <string_view>

namespace dynamo::schema {

// When the API server detects the error.
enum class Stage : unsigned char {
  kDecode,  // while it decodes the object, with strict field validation
  kSchema,  // while it validates the object against its schema
};

// "decode", "schema".
std::string_view name(Stage stage);

struct CheckText {
  std::string_view id;  // "schema.unknown-field"
  Stage stage;
  std::string_view summary;      // what must hold, one line without a full stop
  std::string_view explanation;  // why, and what to do; a few sentences
};

// All checks, sorted by id.
std::span<const CheckText> catalog();

// The check with that id, or null.
const CheckText* find_check(std::string_view id);

}  // namespace dynamo::schema
