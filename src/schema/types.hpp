// Only the JSON types, for those who may be handed an object that did not pass its schema.
#pragma once

#include <string>

#include "api/error_list.hpp"
#include "api/field_path.hpp"
#include "json/document.hpp"
#include "schema/table.hpp"

namespace dynamo::schema {

// Hears what judge_types() finds. The path and what it refers to live for the call.
class TypeFindings {
 public:
  virtual void found(api::ErrorType type, const api::FieldPath& path, std::string detail) = 0;
  // False when the next finding is only counted: then counted() is told instead, and nothing is
  // made for it.
  virtual bool keeps() const = 0;
  virtual void counted() = 0;

 protected:
  ~TypeFindings() = default;
};

// Walks over `value`, which stands at `path`, and tells of each field whose JSON type is not that
// of its schema (kTypeInvalid), each integer that does not fit in 32 bits where it has to, and each
// text that is no quantity where one belongs (kInvalid). It asks what a client of the API needs to
// read the object, which is not what the API server asks: a null field counts as absent, a null
// entry of a list or map does not; a quantity may be any number; unknown fields, and objects of
// which nothing is known, are passed over.
// Precondition: value.exists(). Allocates only for findings.
void judge_types(const Schema& schema, json::Value value, const api::FieldPath& path,
                 TypeFindings& findings);

}  // namespace dynamo::schema
