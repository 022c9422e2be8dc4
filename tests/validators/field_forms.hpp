// Every field whose JSON type the server judges, written down a second time and apart from the
// tables of src/schema: a field that gets lost there, or is given another type, fails.
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
  std::string path;  // a list entry is [0], an entry of a map is [a]
  Form form;
};

std::vector<KindField> all_fields();

}  // namespace dynamo::test
