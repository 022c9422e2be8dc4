// Checks only JSON types, for callers whose objects may not have passed schema validation.
#pragma once

#include <string>

#include "api/error_list.hpp"
#include "api/field_path.hpp"
#include "json/document.hpp"
#include "schema/table.hpp"

namespace dynamo::schema {

// Receives the findings of check_types(). The path and its references are valid during the call.
class TypeFindings {
 public:
  virtual void found(api::ErrorType type, const api::FieldPath& path, std::string detail) = 0;
  // False if the next finding is only counted: then counted() is called instead, and no detail is
  // built.
  virtual bool wants_text() const = 0;
  virtual void counted() = 0;

 protected:
  ~TypeFindings() = default;
};

// Traverses `value` at `path`. Reports each field whose JSON type differs from its schema
// (kTypeInvalid), each integer that must fit in 32 bits and does not, and each text that must be a
// quantity and is not (kInvalid). It checks what an API client needs to read the object, which
// differs from the API server: a null field counts as absent, a null entry of a list or map does
// not; a quantity may be any number; unknown fields and objects without a schema are skipped.
// Precondition: value.exists(). Allocates only for findings.
void check_types(const Schema& schema, json::Value value, const api::FieldPath& path,
                 TypeFindings& findings);

}  // namespace dynamo::schema
