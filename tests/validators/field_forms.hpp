// Every field whose JSON type the server checks, listed a second time independently of the tables
// of src/schema: a field that is lost there or changes its type fails the tests.
#pragma once

#include <string>
#include <vector>

#include "api/kind.hpp"

namespace dynamo::test {

enum class Form : unsigned char {
  kString,
  kBoolean,
  kInt32,
  kInt64,
  kNumber,
  kQuantity,
  kObject,
  kList,
};

struct FieldForm {
  const char* path;
  Form form;
};

struct KindField {
  api::Kind kind;
  std::string path;  // a list entry is [0], a map entry is [a]
  Form form;
};

std::vector<KindField> all_fields();

}  // namespace dynamo::test
